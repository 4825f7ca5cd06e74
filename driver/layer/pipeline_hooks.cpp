// Shader modules and compute pipelines: what they are made of, and what the program calls them.
#include "layer/device.h"
#include "layer/hooks.h"
#include "layer/replacement.h"
#include "layer/settings.h"
#include "support/sha256.h"

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

/// Hashes a module and keeps its file.
std::string note(const VkShaderModuleCreateInfo& info) {
  const std::string_view bytes = bytesOf(info);
  const std::string hash = driver::hexOf(driver::sha256(bytes));
  Log::get().saveModule(hash, bytes);
  return hash;
}

template <class Struct>
const Struct* findStruct(const void* chain, VkStructureType type) {
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext)
    if (at->sType == type) return reinterpret_cast<const Struct*>(at);
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL createShaderModule(VkDevice device,
                                                  const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator,
                                                  VkShaderModule* made) {
  Device& of = World::get().deviceOf(device);
  const VkResult result = of.next.CreateShaderModule(device, info, allocator, made);
  if (result != VK_SUCCESS || !isCompute(*info)) return result;
  auto known = std::make_unique<ShaderModule>();
  known->hash = note(*info);
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

std::vector<Constant> constantsOf(const VkSpecializationInfo* info) {
  std::vector<Constant> constants;
  if (!info) return constants;
  for (uint32_t n = 0; n < info->mapEntryCount; ++n) {
    const VkSpecializationMapEntry& entry = info->pMapEntries[n];
    if (entry.offset > info->dataSize || entry.size > info->dataSize - entry.offset) continue;
    const char* data = static_cast<const char*>(info->pData) + entry.offset;
    constants.push_back({entry.constantID, std::string(data, entry.size)});
  }
  std::sort(constants.begin(), constants.end(),
            [](const Constant& a, const Constant& b) { return a.id < b.id; });
  return constants;
}

PipelineFacts factsOf(const Device& device, const VkPipelineShaderStageCreateInfo& stage) {
  PipelineFacts facts;
  facts.id = Log::get().newPipelineId();
  facts.device = device.id;
  facts.entry = stage.pName;
  facts.constants = constantsOf(stage.pSpecializationInfo);
  if (const auto* size = findStruct<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
          stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO))
    facts.subgroupSize = size->requiredSubgroupSize;
  if (stage.module != VK_NULL_HANDLE) {
    if (const ShaderModule* module = device.modules.find(stage.module)) {
      facts.module = module->hash;
      facts.name = module->name;
    }
  } else if (const auto* info = findStruct<VkShaderModuleCreateInfo>(
                 stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)) {
    facts.module = note(*info);
  }
  return facts;
}

/// Creates them of optimized modules. False where that fails for any: then nothing is left.
bool createOptimized(Device& device, VkPipelineCache cache, const Replacement& replacement,
                     const VkAllocationCallbacks* allocator, std::span<VkPipeline> made) {
  const VkResult result = device.next.CreateComputePipelines(
      device.handle, cache, uint32_t(made.size()), replacement.infos(), allocator, made.data());
  if (result == VK_SUCCESS) return true;
  for (VkPipeline& pipeline : made) {
    if (pipeline != VK_NULL_HANDLE) device.next.DestroyPipeline(device.handle, pipeline, allocator);
    pipeline = VK_NULL_HANDLE;
  }
  return false;
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
  std::vector<std::optional<LatePipeline>> late(count);
  if (settings().optimizes()) {
    const Replacement replacement(of, std::span(infos, count), facts);
    isDone = replacement.isAny() &&
             createOptimized(of, cache, replacement, allocator, std::span(made, count));
    for (uint32_t n = 0; n < count; ++n) {
      facts[n]->isOptimized = isDone && replacement.isReplaced(n);
      if (!replacement.pending(n).empty()) late[n] = latePipelineOf(infos[n]);
      if (late[n]) late[n]->key = replacement.pending(n);
    }
  }
  if (!isDone)
    result = of.next.CreateComputePipelines(device, cache, count, infos, allocator, made);
  // Where some fail the others are made all the same.
  for (uint32_t n = 0; n < count; ++n) {
    if (made[n] == VK_NULL_HANDLE) continue;
    Log::get().write(*facts[n]);
    if (late[n]) facts[n]->better = std::make_shared<std::atomic<uint64_t>>(0);
    PipelineFacts* const known = of.pipelines.set(made[n], std::move(facts[n]));
    if (!late[n]) continue;
    late[n]->pipeline = made[n];
    late[n]->facts = known;
    of.late.add(std::move(*late[n]));
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroyPipeline(VkDevice device, VkPipeline pipeline,
                                           const VkAllocationCallbacks* allocator) {
  Device& of = World::get().deviceOf(device);
  of.late.forget(pipeline);
  if (const std::unique_ptr<PipelineFacts> facts = of.pipelines.take(pipeline))
    if (const VkPipeline better = betterOf(*facts))
      of.next.DestroyPipeline(device, better, nullptr);
  of.next.DestroyPipeline(device, pipeline, allocator);
}

VKAPI_ATTR void VKAPI_CALL destroyPipelineLayout(VkDevice device, VkPipelineLayout layout,
                                                 const VkAllocationCallbacks* allocator) {
  Device& of = World::get().deviceOf(device);
  of.late.forgetLayout(layout);
  of.next.DestroyPipelineLayout(device, layout, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL setObjectName(VkDevice device,
                                             const VkDebugUtilsObjectNameInfoEXT* info) {
  Device& of = World::get().deviceOf(device);
  const std::string name = info->pObjectName ? info->pObjectName : "";
  if (info->objectType == VK_OBJECT_TYPE_PIPELINE) {
    if (PipelineFacts* facts = of.pipelines.find((VkPipeline)info->objectHandle))
      of.late.withFacts([&] {
        facts->name = name;
        Log::get().write(*facts);
      });
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
                                {"vkDestroyPipeline", asHook(&destroyPipeline)},
                                {"vkDestroyPipelineLayout", asHook(&destroyPipelineLayout)},
                                {"vkDestroyShaderModule", asHook(&destroyShaderModule)},
                                {"vkSetDebugUtilsObjectNameEXT", asHook(&setObjectName)}};
  return kHooks;
}

} // namespace lanewise::layer
