// Which features, capabilities and limits a Vulkan device has, against what a program needs.
#pragma once

#include "verify/device/newer_features.h"
#include "verify/program/runner.h"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>
#include <vulkan/vulkan_core.h>

namespace lanewise::driver {

/// Oldest Vulkan that the runner works with: it relies on the feature structs of 1.2.
constexpr uint32_t kOldestApiVersion = VK_API_VERSION_1_2;

/// "1.3.230".
std::string versionText(uint32_t version);

/// The feature and property structs that the runner knows, linked into one chain each. Not
/// copyable: the chain points into it.
class DeviceSupport {
public:
  DeviceSupport() = default;
  DeviceSupport(const DeviceSupport&) = delete;
  DeviceSupport& operator=(const DeviceSupport&) = delete;

  /// Links the structs that a device of this version with these extensions understands. The caller
  /// then fills features() and properties() by vkGetPhysicalDeviceFeatures2 and ...Properties2.
  void link(uint32_t apiVersion, const std::set<std::string>& extensions);
  VkPhysicalDeviceFeatures2& features() { return features_; }
  VkPhysicalDeviceProperties2& properties() { return properties_; }
  const VkPhysicalDeviceLimits& limits() const { return properties_.properties.limits; }

  /// Switches off what costs speed, changes how shaders are compiled, or needs more than a flag, so
  /// that features() can go into VkDeviceCreateInfo as it stands.
  void dropUnwanted(bool robustAccess);
  /// The device extensions to switch on: those that the runner knows and the device has.
  std::vector<const char*> enabledExtensions() const;
  bool hasExtension(const char* name) const { return extensions_.count(name) != 0; }

  /// Why the device cannot run the program over buffers of these sizes; nothing if it can.
  std::optional<std::string> whyNot(const Program& program,
                                    std::span<const uint64_t> bufferBytes) const;

  /// The first capability of a module that is newer than the drivers of some users and that this
  /// device does not offer: they crash on it.
  std::optional<std::string> lackingCapability(std::span<const uint32_t> words) const;

  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceVulkan13Features v13{};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomicFloat{};
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomicFloat2{};
  VkPhysicalDeviceShaderClockFeaturesKHR clock{};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR workgroupLayout{};
  VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniformControlFlow{};
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executableProperties{};
  VkPhysicalDeviceMeshShaderFeaturesEXT meshShader{};
  NewerFeatures newer;
  VkPhysicalDeviceVulkan11Properties v11Properties{};
  VkPhysicalDeviceVulkan12Properties v12Properties{};
  VkPhysicalDeviceVulkan13Properties v13Properties{};
  VkPhysicalDeviceDrmPropertiesEXT drm{};
  VkPhysicalDeviceShaderCorePropertiesAMD shaderCore{};

  /// Whether a compute pipeline may require a subgroup size.
  bool hasSubgroupSizes() const;
  /// Why a compute pipeline with workgroups of so many invocations may not require this one;
  /// nothing if it may. 0 requires nothing.
  std::optional<std::string> whyNotSubgroupSize(uint32_t size, uint64_t invocations) const;

  /// All but hasTimestamps, which hangs on a queue.
  DeviceInfo describe(uint32_t index) const;

private:
  friend struct CapabilityTable;
  bool hasSubgroupOperation(VkSubgroupFeatureFlagBits operation) const;
  std::optional<std::string> whyNotShader(const ProgramShader& shader) const;
  std::optional<std::string> whyNotDescriptors(const Reflection& reflection) const;
  std::optional<std::string> whyNotCapability(uint32_t capability) const;
  std::optional<std::string> whyNotExtension(const std::string& extension) const;

  VkPhysicalDeviceFeatures2 features_{};
  VkPhysicalDeviceProperties2 properties_{};
  uint32_t apiVersion_ = 0;
  std::set<std::string> extensions_;
};

} // namespace lanewise::driver
