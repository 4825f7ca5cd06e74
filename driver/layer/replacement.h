// Compute pipelines made of optimized modules, wherever it is known what a pipeline's creation asks
// for; what is not known here is created as the program asks.
#pragma once

#include "layer/device.h"

#include <memory>
#include <string>
#include <vector>

namespace lanewise::layer {

/// What the program asks for in one call, with other modules in the place of its own.
class Replacement {
public:
  Replacement(Device& device, std::span<const VkComputePipelineCreateInfo> infos,
              std::span<const std::unique_ptr<PipelineFacts>> facts);
  Replacement(const Replacement&) = delete;
  ~Replacement(); ///< the modules go; pipelines do without them

  bool isAny() const { return !modules_.empty(); }
  bool isReplaced(size_t n) const { return codes_[n] == Code::Optimized; }
  Code code(size_t n) const { return codes_[n]; }
  /// The driver refuses it: the program's own is the one to take.
  void withdraw(size_t n, const PipelineFacts& facts);
  /// The key of a module that may be there later; "" for none.
  const std::string& pending(size_t n) const { return pending_[n]; }
  const VkComputePipelineCreateInfo* infos() const { return infos_.data(); }

private:
  void replace(size_t n, const PipelineFacts& facts);

  Device& device_;
  std::vector<VkComputePipelineCreateInfo> infos_;
  std::vector<Code> codes_;
  std::vector<std::string> pending_;
  std::vector<VkShaderModule> modules_;
};

/// Of the bytes of a module; null where the driver refuses.
VkShaderModule createModule(Device& device, const std::string& bytes);

/// Structures in a pNext chain that have no say in which module a pipeline is made of. One that is
/// not known here may have.
bool isHarmless(VkStructureType type);

/// VkPipelineCreateFlags2CreateInfo, which Vulkan's headers of 2023 do not have.
constexpr auto kFlags2Type = VkStructureType(1000470005);
/// The flags, of that structure where it is there.
uint64_t allFlagsOf(const VkComputePipelineCreateInfo& info);

/// Whether pipelines behind this one are not made where it fails.
bool returnsEarly(const VkComputePipelineCreateInfo& info);

} // namespace lanewise::layer
