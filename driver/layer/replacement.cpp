#include "layer/replacement.h"

#include "layer/optimizer.h"
#include "layer/settings.h"
#include "layer/stage_facts.h"

#include <algorithm>
#include <string>

namespace lanewise::layer {

namespace {

/// VkPipelineCreateFlags2CreateInfo.
struct Flags2 {
  VkStructureType sType;
  const void* pNext;
  uint64_t flags;
};

/// Flags with which a pipeline may be made of another module. Derivatives are: that they have much
/// in common with their parents is expected, and nothing that Vulkan requires. Not among them:
/// libraries; pipelines that must not be compiled now; and whoever asks for no optimization.
constexpr uint64_t kAllowedFlags =
    VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT | VK_PIPELINE_CREATE_DERIVATIVE_BIT |
    VK_PIPELINE_CREATE_DISPATCH_BASE_BIT | VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT |
    VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT | VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;

/// The module that the stage brings with it in the place of a handle (VK_KHR_maintenance5, and
/// VK_EXT_graphics_pipeline_library), first in its chain; null where it has a handle or does
/// otherwise.
const VkShaderModuleCreateInfo* chainedModule(const VkPipelineShaderStageCreateInfo& stage) {
  auto* first = static_cast<const VkBaseInStructure*>(stage.pNext);
  const bool isChained = stage.module == VK_NULL_HANDLE && first &&
                         first->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  return isChained ? reinterpret_cast<const VkShaderModuleCreateInfo*>(first) : nullptr;
}

/// The flags, or nothing where the pipeline is to be left alone.
std::optional<uint64_t> flagsOf(const VkComputePipelineCreateInfo& info) {
  const uint64_t flags = allFlagsOf(info);
  for (auto* at = static_cast<const VkBaseInStructure*>(info.pNext); at; at = at->pNext)
    if (at->sType != kFlags2Type && !isHarmless(at->sType)) return {};
  const VkShaderModuleCreateInfo* chained = chainedModule(info.stage);
  for (auto* at =
           static_cast<const VkBaseInStructure*>(chained ? chained->pNext : info.stage.pNext);
       at; at = at->pNext)
    if (!isHarmless(at->sType)) return {};
  if (chained && chained->flags != 0) return {};
  if ((flags & ~kAllowedFlags) != 0) return {};
  return flags;
}

} // namespace

uint64_t allFlagsOf(const VkComputePipelineCreateInfo& info) {
  const auto* flags = findStruct<Flags2>(info.pNext, kFlags2Type);
  return flags ? flags->flags : info.flags;
}

VkShaderModule createModule(Device& device, const std::string& bytes) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = bytes.size();
  info.pCode = reinterpret_cast<const uint32_t*>(bytes.data());
  VkShaderModule module = VK_NULL_HANDLE;
  const VkResult result = device.next.CreateShaderModule(device.handle, &info, nullptr, &module);
  return result == VK_SUCCESS ? module : VkShaderModule(VK_NULL_HANDLE);
}

bool isHarmless(VkStructureType type) {
  constexpr VkStructureType kHarmless[] = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
      VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
      VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
  return std::find(std::begin(kHarmless), std::end(kHarmless), type) != std::end(kHarmless);
}

Replacement::Replacement(Device& device, std::span<const VkComputePipelineCreateInfo> infos,
                         std::span<const std::unique_ptr<PipelineFacts>> facts)
    : device_(device), infos_(infos.begin(), infos.end()), codes_(infos.size()),
      pending_(infos.size()) {
  for (size_t n = 0; n < infos.size(); ++n) replace(n, *facts[n]);
}

bool returnsEarly(const VkComputePipelineCreateInfo& info) {
  return (allFlagsOf(info) & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT) != 0;
}

void Replacement::withdraw(size_t n, const PipelineFacts& facts) {
  codes_[n] = Code::Own;
  Log::get().refused(facts.module);
}

Replacement::~Replacement() {
  for (const VkShaderModule module : modules_)
    device_.next.DestroyShaderModule(device_.handle, module, nullptr);
}

void Replacement::replace(size_t n, const PipelineFacts& facts) {
  VkPipelineShaderStageCreateInfo& stage = infos_[n].stage;
  const std::optional<uint64_t> flags = flagsOf(infos_[n]);
  const ShaderModule* own =
      stage.module != VK_NULL_HANDLE ? device_.modules.find(stage.module) : nullptr;
  const VkShaderModuleCreateInfo* chained = chainedModule(stage);
  const std::string program =
      own       ? own->bytes
      : chained ? std::string(reinterpret_cast<const char*>(chained->pCode), chained->codeSize)
                : std::string();
  if (!flags || program.empty() || settings().leavesOut(facts.module)) return;
  const Optimized optimized = optimizedModule(
      device_, facts, program, std::to_string(*flags) + "," + std::to_string(stage.flags));
  pending_[n] = optimized.pending;
  codes_[n] = optimized.code;
  const std::string& bytes = optimized.module;
  if (bytes.empty()) return;
  const VkShaderModule module = createModule(device_, bytes);
  if (module == VK_NULL_HANDLE) return withdraw(n, facts);
  modules_.push_back(module);
  stage.module = module;
  if (chained) stage.pNext = chained->pNext;
}

} // namespace lanewise::layer
