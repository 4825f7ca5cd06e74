#include "layer/late_pipelines.h"

#include "layer/device.h"
#include "layer/optimizer.h"

#include <algorithm>

namespace lanewise::layer {

namespace {

/// Between two looks at the cache.
constexpr std::chrono::milliseconds kPause(20);
/// Files that one look asks for.
constexpr size_t kMostFiles = 32;

/// Structures that a second pipeline can do without, or has from the facts.
bool isKnown(VkStructureType type) {
  return type == VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO ||
         type == VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO ||
         type == VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT ||
         type == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
}

bool areKnown(const void* chain) {
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext)
    if (!isKnown(at->sType)) return false;
  return true;
}

} // namespace

std::optional<LatePipeline> latePipelineOf(const VkComputePipelineCreateInfo& info) {
  if (!areKnown(info.pNext) || !areKnown(info.stage.pNext)) return {};
  LatePipeline late;
  late.layout = info.layout;
  // Those that say how it is bound; others are about its creation, which is the program's.
  late.flags = info.flags & (VK_PIPELINE_CREATE_DISPATCH_BASE_BIT |
                             VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
  late.stageFlags = info.stage.flags;
  return late;
}

void LatePipelines::add(LatePipeline pipeline) {
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(pipeline));
  isAny_ = true;
}

void LatePipelines::forget(VkPipeline pipeline) {
  std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const LatePipeline& each) { return each.pipeline == pipeline; });
}

void LatePipelines::forgetLayout(VkPipelineLayout layout) {
  std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const LatePipeline& each) { return each.layout == layout; });
}

void LatePipelines::makeOne(Device& device) {
  if (!isAny_) return;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return; // somebody is at it
  const auto now = std::chrono::steady_clock::now();
  if (now - lastLook_ < kPause) return;
  lastLook_ = now;
  for (size_t n = std::min(waiting_.size(), kMostFiles); n > 0; --n) {
    LatePipeline late = std::move(waiting_.front());
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
    if (!make(device, late, *module)) {
      late.facts->code = Code::Own;
      Log::get().write(*late.facts);
      Log::get().refused(late.facts->module);
    }
    break;
  }
  isAny_ = !waiting_.empty();
}

bool LatePipelines::make(Device& device, const LatePipeline& late, const std::string& module) {
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = module.size();
  code.pCode = reinterpret_cast<const uint32_t*>(module.data());
  VkShaderModule shader = VK_NULL_HANDLE;
  if (device.next.CreateShaderModule(device.handle, &code, nullptr, &shader) != VK_SUCCESS)
    return false;
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{};
  size.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  size.requiredSubgroupSize = late.facts->subgroupSize;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = late.flags;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = size.requiredSubgroupSize != 0 ? &size : nullptr;
  info.stage.flags = late.stageFlags;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader;
  info.stage.pName = late.facts->entry.c_str();
  info.layout = late.layout;
  info.basePipelineIndex = -1;
  VkPipeline made = VK_NULL_HANDLE;
  const VkResult result =
      device.next.CreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &made);
  device.next.DestroyShaderModule(device.handle, shader, nullptr);
  if (result != VK_SUCCESS) return false;
  late.facts->code = Code::Optimized;
  Log::get().write(*late.facts);
  late.facts->better->store(keyOf(made), std::memory_order_release);
  return true;
}

} // namespace lanewise::layer
