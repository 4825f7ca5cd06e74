// Device features that are newer than the installed Vulkan headers may be. Their structures are
// all of one shape (a type, a link, and flags), so a table says what they would.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <vulkan/vulkan_core.h>

namespace lanewise::driver {

/// Laid out as each VkPhysicalDevice...Features structure.
struct FeatureFlags {
  VkStructureType sType;
  void* pNext;
  std::array<VkBool32, 8> flags;
};

/// A structure of features and the extension of Vulkan that brings it.
struct FeatureRow {
  const char* vulkan;
  uint32_t structureType;
};
/// A capability and the flag that offers it.
struct CapabilityFlag {
  uint32_t capability;
  uint32_t row; ///< of newerFeatures()
  uint32_t flag;
};
/// An extension of SPIR-V, and the row that offers it.
struct SpirvExtensionRow {
  const char* spirv;
  uint32_t row;
};
std::span<const FeatureRow> newerFeatures();
std::span<const SpirvExtensionRow> newerSpirvExtensions();
/// Null for a capability that none of them offers.
const CapabilityFlag* newerCapability(uint32_t capability);

/// The structures of one device, by newerFeatures(). Not to be moved once they are linked.
class NewerFeatures {
public:
  /// Appends those that the device's extensions offer behind `end`, the link of a chain.
  void link(const std::set<std::string>& extensions, void**& end);
  /// Switches off all flags but those that offer a capability, or an extension that has none.
  void dropUnwanted();
  bool has(const CapabilityFlag& flag) const {
    return values_.size() > flag.row && values_[flag.row].flags[flag.flag] == VK_TRUE;
  }

private:
  std::vector<FeatureFlags> values_;
};

} // namespace lanewise::driver
