#include "layer/late_objects.h"

#include "layer/device.h"
#include "layer/optimizer.h"
#include "layer/replacement.h"
#include "layer/stage_facts.h"

#include <algorithm>

namespace lanewise::layer {

namespace {

/// Between two looks at the cache.
constexpr std::chrono::milliseconds kPause(20);
/// Files that one look asks for.
constexpr size_t kMostFiles = 32;

/// Structures that a second object can do without, or that are noted.
bool isKnown(VkStructureType type) {
  return type == VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO ||
         type == VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO ||
         type == VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT ||
         type == VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT ||
         type == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO || type == kFlags2Type;
}

bool areKnown(const void* chain) {
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext)
    if (!isKnown(at->sType)) return false;
  return true;
}

using Robustness = std::optional<VkPipelineRobustnessCreateInfoEXT>;

/// As the chain says, linked to nothing.
Robustness robustnessOf(const void* chain) {
  const auto* found = findStruct<VkPipelineRobustnessCreateInfoEXT>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT);
  if (!found) return {};
  Robustness robustness = *found;
  robustness->pNext = nullptr;
  return robustness;
}

VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroupSizeOf(const PipelineFacts& facts) {
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{};
  size.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  size.requiredSubgroupSize = facts.subgroupSize;
  return size;
}

/// A pipeline but for its module.
struct PipelineForm {
  VkPipelineLayout layout;
  VkPipelineCreateFlags flags;
  VkPipelineShaderStageCreateFlags stageFlags;
  Robustness robustness, stageRobustness;
};

VkPipeline create(Device& device, PipelineForm form, const PipelineFacts& facts,
                  VkShaderModule module) {
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = subgroupSizeOf(facts);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  if (form.robustness) info.pNext = &*form.robustness;
  info.flags = form.flags;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  if (form.stageRobustness) info.stage.pNext = &*form.stageRobustness;
  if (size.requiredSubgroupSize != 0) {
    size.pNext = const_cast<void*>(info.stage.pNext);
    info.stage.pNext = &size;
  }
  info.stage.flags = form.stageFlags;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = facts.entry.c_str();
  info.layout = form.layout;
  info.basePipelineIndex = -1;
  VkPipeline made = VK_NULL_HANDLE;
  const VkResult result =
      device.next.CreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &made);
  return result == VK_SUCCESS ? made : VkPipeline(VK_NULL_HANDLE);
}

uint64_t makePipeline(Device& device, const PipelineForm& form, const PipelineFacts& facts,
                      const std::string& module) {
  const VkShaderModule shader = createModule(device, module);
  if (shader == VK_NULL_HANDLE) return 0;
  const VkPipeline made = create(device, form, facts, shader);
  device.next.DestroyShaderModule(device.handle, shader, nullptr);
  return keyOf(made);
}

/// A shader object but for its module.
struct ShaderForm {
  VkFlags flags;
  VkShaderStageFlags nextStage;
  std::vector<VkDescriptorSetLayout> setLayouts;
  std::vector<VkPushConstantRange> pushConstants;
};

uint64_t makeShader(Device& device, const ShaderForm& form, const PipelineFacts& facts,
                    const std::string& module) {
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = subgroupSizeOf(facts);
  ShaderInfo info{};
  info.sType = kShaderInfoType;
  if (size.requiredSubgroupSize != 0) info.pNext = &size;
  info.flags = form.flags;
  info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.nextStage = form.nextStage;
  info.codeType = kSpirvCode;
  info.codeSize = module.size();
  info.pCode = module.data();
  info.pName = facts.entry.c_str();
  info.setLayoutCount = uint32_t(form.setLayouts.size());
  info.pSetLayouts = form.setLayouts.data();
  info.pushConstantRangeCount = uint32_t(form.pushConstants.size());
  info.pPushConstantRanges = form.pushConstants.data();
  ShaderObject made = 0;
  const VkResult result = device.next.CreateShadersEXT(device.handle, 1, &info, nullptr, &made);
  if (result == VK_SUCCESS) return made;
  if (made != 0) device.next.DestroyShaderEXT(device.handle, made, nullptr);
  return 0;
}

} // namespace

std::optional<LateObject> lateObjectOf(const VkComputePipelineCreateInfo& info,
                                       const std::string& key) {
  if (key.empty() || !areKnown(info.pNext) || !areKnown(info.stage.pNext)) return {};
  // Flags that say how it is bound; others are about its creation, which is the program's.
  constexpr VkPipelineCreateFlags kKept =
      VK_PIPELINE_CREATE_DISPATCH_BASE_BIT | VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
  const PipelineForm form{info.layout, VkPipelineCreateFlags(allFlagsOf(info)) & kKept,
                          info.stage.flags, robustnessOf(info.pNext),
                          robustnessOf(info.stage.pNext)};
  LateObject late;
  late.key = key;
  late.layouts.push_back(keyOf(info.layout));
  late.make = [form](Device& device, const PipelineFacts& facts, const std::string& module) {
    return makePipeline(device, form, facts, module);
  };
  return late;
}

std::optional<LateObject> lateObjectOf(const ShaderInfo& info, const std::string& key) {
  if (key.empty() || !areKnown(info.pNext) || robustnessOf(info.pNext)) return {};
  const ShaderForm form{
      info.flags,
      info.nextStage, // NOLINTNEXTLINE
      {info.pSetLayouts, info.pSetLayouts + info.setLayoutCount},
      {info.pPushConstantRanges, info.pPushConstantRanges + info.pushConstantRangeCount}};
  LateObject late;
  late.key = key;
  for (const VkDescriptorSetLayout layout : form.setLayouts) late.layouts.push_back(keyOf(layout));
  late.make = [form](Device& device, const PipelineFacts& facts, const std::string& module) {
    return makeShader(device, form, facts, module);
  };
  return late;
}

void LateObjects::add(LateObject object) {
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(object));
  isAny_ = true;
}

void LateObjects::forget(const PipelineFacts* facts) {
  std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const LateObject& each) { return each.facts == facts; });
}

void LateObjects::forgetLayout(uint64_t layout) {
  std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const LateObject& each) {
    return std::find(each.layouts.begin(), each.layouts.end(), layout) != each.layouts.end();
  });
}

void LateObjects::makeOne(Device& device) {
  if (!isAny_) return;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return; // somebody is at it
  const auto now = std::chrono::steady_clock::now();
  if (now - lastLook_ < kPause) return;
  lastLook_ = now;
  for (size_t n = std::min(waiting_.size(), kMostFiles); n > 0; --n) {
    LateObject late = std::move(waiting_.front());
    waiting_.pop_front();
    const std::optional<std::string> module = finishedModule(late.key);
    if (!module) {
      waiting_.push_back(std::move(late));
      continue;
    }
    if (module->empty()) {
      late.facts->code = Code::Kept;
      Log::get().write(*late.facts);
      continue;
    }
    const uint64_t made = late.make(device, *late.facts, *module);
    late.facts->code = made != 0 ? Code::Optimized : Code::Own;
    Log::get().write(*late.facts);
    if (made != 0)
      late.facts->better->store(made, std::memory_order_release);
    else
      Log::get().refused(late.facts->module);
    break;
  }
  isAny_ = !waiting_.empty();
}

} // namespace lanewise::layer
