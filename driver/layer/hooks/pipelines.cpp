// Shader modules and compute pipelines: what they are made of, and what the program calls them.
#include "layer/device.h"
#include "layer/hooks/hooks.h"
#include "layer/replacement.h"
#include "layer/settings.h"
#include "layer/stage_facts.h"

#include <algorithm>

namespace lanewise::layer {

namespace {

std::string_view bytesOf(const VkShaderModuleCreateInfo& info) {
  return {reinterpret_cast<const char*>(info.pCode), info.codeSize};
}

/// Whether a module has an entry point for compute; what is no SPIR-V has none.
bool isCompute(const VkShaderModuleCreateInfo& info) {
  constexpr uint32_t kHeaderWords = 5, kOpEntryPoint = 15, kOpFunction = 54, kGlCompute = 5;
  const size_t count = info.codeSize / sizeof(uint32_t);
  for (size_t at = kHeaderWords; at + 1 < count;) {
    const uint32_t opcode = info.pCode[at] & 0xffff, length = info.pCode[at] >> 16;
    if (opcode == kOpEntryPoint && info.pCode[at + 1] == kGlCompute) return true;
    if (opcode == kOpFunction || length == 0) return false;
    at += length;
  }
  return false;
}

VKAPI_ATTR VkResult VKAPI_CALL createShaderModule(VkDevice device,
                                                  const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator,
                                                  VkShaderModule* made) {
  Device& of = World::get().deviceOf(device);
  const VkResult result = of.next.CreateShaderModule(device, info, allocator, made);
  if (result != VK_SUCCESS || !isCompute(*info)) return result;
  auto known = std::make_unique<ShaderModule>();
  known->hash = noteModule(bytesOf(*info));
  // One with further structures may not be what its words say.
  if (settings().optimizes() && !info->pNext) known->bytes = bytesOf(*info);
  of.modules.set(*made, std::move(known));
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroyShaderModule(VkDevice device, VkShaderModule module,
                                               const VkAllocationCallbacks* allocator) {
  Device& of = World::get().deviceOf(device);
  of.modules.take(module);
  of.next.DestroyShaderModule(device, module, allocator);
}

PipelineFacts factsOf(const Device& device, const VkPipelineShaderStageCreateInfo& stage) {
  PipelineFacts facts = stageFacts(device, stage.pName, stage.pSpecializationInfo, stage.pNext);
  if (stage.module != VK_NULL_HANDLE) {
    if (const ShaderModule* module = device.modules.find(stage.module)) {
      facts.module = module->hash;
      facts.name = module->name;
    }
  } else if (const auto* info = findStruct<VkShaderModuleCreateInfo>(
                 stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)) {
    facts.module = noteModule(bytesOf(*info));
  }
  return facts;
}

/// What one call makes, and what is known of it.
struct Creation {
  Device& device;
  VkPipelineCache cache;
  std::span<const VkComputePipelineCreateInfo> infos; ///< the program's
  std::span<const std::unique_ptr<PipelineFacts>> facts;
  const VkAllocationCallbacks* allocator;
  std::span<VkPipeline> made;

  VkResult create(size_t n, VkComputePipelineCreateInfo info) const {
    if ((info.flags & VK_PIPELINE_CREATE_DERIVATIVE_BIT) != 0 && info.basePipelineIndex >= 0) {
      info.basePipelineHandle = made[size_t(info.basePipelineIndex)];
      info.basePipelineIndex = -1;
      if (info.basePipelineHandle == VK_NULL_HANDLE)
        info.flags &= ~VkPipelineCreateFlags(VK_PIPELINE_CREATE_DERIVATIVE_BIT);
    }
    return device.next.CreateComputePipelines(device.handle, cache, 1, &info, allocator, &made[n]);
  }
};

/// Makes what is missing from `first` on one by one: of optimized modules where nobody has tried
/// (from `untried` on), else and where the driver refuses that, as the program asks.
VkResult createMissing(const Creation& c, Replacement& replacement, size_t first, size_t untried) {
  VkResult all = VK_SUCCESS;
  for (size_t n = first; n < c.made.size(); ++n) {
    if (c.made[n] != VK_NULL_HANDLE) continue;
    VkResult result = VK_INCOMPLETE;
    if (replacement.isReplaced(n)) {
      if (n >= untried) result = c.create(n, replacement.infos()[n]);
      if (result != VK_SUCCESS) replacement.withdraw(n, *c.facts[n]);
    }
    if (result != VK_SUCCESS) result = c.create(n, c.infos[n]);
    // An error is told before VK_PIPELINE_COMPILE_REQUIRED, which is none.
    if (all >= 0 && result != VK_SUCCESS) all = result;
    if (result != VK_SUCCESS && returnsEarly(c.infos[n])) break;
  }
  return all;
}

/// Creates them of optimized modules, and those for which the driver refuses that of the program's.
VkResult createOptimized(const Creation& c, Replacement& replacement) {
  const VkResult result =
      c.device.next.CreateComputePipelines(c.device.handle, c.cache, uint32_t(c.made.size()),
                                           replacement.infos(), c.allocator, c.made.data());
  if (result == VK_SUCCESS) return result;
  size_t refused = c.made.size(), untried = c.made.size();
  for (size_t n = 0; n < untried; ++n) {
    if (c.made[n] != VK_NULL_HANDLE) continue;
    if (replacement.isReplaced(n)) refused = std::min(refused, n);
    if (returnsEarly(c.infos[n])) untried = n + 1;
  }
  // Else the program's own modules have that result: one that may not be compiled now, say.
  return refused < c.made.size() ? createMissing(c, replacement, 0, untried) : result;
}

VKAPI_ATTR VkResult VKAPI_CALL createComputePipelines(VkDevice device, VkPipelineCache cache,
                                                      uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator,
                                                      VkPipeline* made) {
  Device& of = World::get().deviceOf(device);
  std::vector<std::unique_ptr<PipelineFacts>> facts;
  for (uint32_t n = 0; n < count; ++n)
    facts.push_back(std::make_unique<PipelineFacts>(factsOf(of, infos[n].stage)));
  std::fill_n(made, count, VkPipeline(VK_NULL_HANDLE)); // a failure may leave them as they are
  VkResult result = VK_SUCCESS;
  bool isDone = false;
  const Creation creation{of,    cache,     std::span(infos, count),
                          facts, allocator, std::span(made, count)};
  std::vector<std::optional<LateObject>> late(count);
  if (settings().optimizes()) {
    Replacement replacement(of, creation.infos, facts);
    isDone = replacement.isAny();
    if (isDone) result = createOptimized(creation, replacement);
    for (uint32_t n = 0; n < count; ++n) {
      facts[n]->code = replacement.code(n);
      late[n] = lateObjectOf(infos[n], replacement.pending(n));
    }
  }
  if (!isDone)
    result = of.next.CreateComputePipelines(device, cache, count, infos, allocator, made);
  // Where some fail the others are made all the same.
  for (uint32_t n = 0; n < count; ++n)
    if (made[n] != VK_NULL_HANDLE)
      of.know(of.pipelines, made[n], std::move(facts[n]), std::move(late[n]));
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroyPipeline(VkDevice device, VkPipeline pipeline,
                                           const VkAllocationCallbacks* allocator) {
  Device& of = World::get().deviceOf(device);
  of.late.forget(of.pipelines.find(pipeline));
  if (const std::unique_ptr<PipelineFacts> facts = of.pipelines.take(pipeline))
    of.next.DestroyPipeline(device, VkPipeline(betterOf(*facts)), nullptr); // NOLINT
  of.next.DestroyPipeline(device, pipeline, allocator);
}

VKAPI_ATTR void VKAPI_CALL destroyPipelineLayout(VkDevice device, VkPipelineLayout layout,
                                                 const VkAllocationCallbacks* allocator) {
  Device& of = World::get().deviceOf(device);
  of.late.forgetLayout(keyOf(layout));
  of.next.DestroyPipelineLayout(device, layout, allocator);
}

VKAPI_ATTR void VKAPI_CALL destroySetLayout(VkDevice device, VkDescriptorSetLayout layout,
                                            const VkAllocationCallbacks* allocator) {
  Device& of = World::get().deviceOf(device);
  of.late.forgetLayout(keyOf(layout));
  of.next.DestroyDescriptorSetLayout(device, layout, allocator);
}

void nameObject(Device& of, PipelineFacts* facts, const std::string& name) {
  if (!facts) return;
  of.late.withFacts([&] {
    facts->name = name;
    Log::get().write(*facts);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL setObjectName(VkDevice device,
                                             const VkDebugUtilsObjectNameInfoEXT* info) {
  Device& of = World::get().deviceOf(device);
  const std::string name = info->pObjectName ? info->pObjectName : "";
  if (info->objectType == VK_OBJECT_TYPE_PIPELINE) {
    nameObject(of, of.pipelines.find((VkPipeline)info->objectHandle), name);
  } else if (info->objectType == kShaderObjectType) {
    nameObject(of, of.shaders.find(info->objectHandle), name);
  } else if (info->objectType == VK_OBJECT_TYPE_SHADER_MODULE) {
    if (ShaderModule* module = of.modules.find((VkShaderModule)info->objectHandle))
      module->name = name;
  }
  const auto next = of.next.SetDebugUtilsObjectNameEXT;
  return next ? next(device, info) : VK_SUCCESS;
}

} // namespace

std::span<const Hook> pipelineHooks() {
  static const Hook kHooks[] = {{"vkCreateComputePipelines", asHook(&createComputePipelines)},
                                {"vkCreateShaderModule", asHook(&createShaderModule)},
                                {"vkDestroyDescriptorSetLayout", asHook(&destroySetLayout)},
                                {"vkDestroyPipeline", asHook(&destroyPipeline)},
                                {"vkDestroyPipelineLayout", asHook(&destroyPipelineLayout)},
                                {"vkDestroyShaderModule", asHook(&destroyShaderModule)},
                                {"vkSetDebugUtilsObjectNameEXT", asHook(&setObjectName)}};
  return kHooks;
}

} // namespace lanewise::layer
