#include "layer/stage_facts.h"

#include "support/sha256.h"

#include <algorithm>

namespace lanewise::layer {

namespace {

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

} // namespace

std::string noteModule(std::string_view bytes) {
  const std::string hash = driver::hexOf(driver::sha256(bytes));
  Log::get().saveModule(hash, bytes);
  return hash;
}

PipelineFacts stageFacts(const Device& device, const char* entry, const VkSpecializationInfo* info,
                         const void* chain) {
  PipelineFacts facts;
  facts.id = Log::get().newPipelineId();
  facts.device = device.id;
  facts.entry = entry;
  facts.constants = constantsOf(info);
  if (const auto* size = findStruct<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
          chain, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO))
    facts.subgroupSize = size->requiredSubgroupSize;
  return facts;
}

} // namespace lanewise::layer
