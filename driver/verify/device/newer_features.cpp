#include "verify/device/newer_features.h"

#include "ir/newer_enumerants.h"

#include <algorithm>

namespace lanewise::driver {
namespace {

constexpr FeatureRow kRows[] = {
#define FEATURES(vulkan, type) {vulkan, type},
#define OFFERS(capability, flag)
#define SPIRV(extension)
#include "verify/device/newer_features.def"
#undef FEATURES
#undef OFFERS
#undef SPIRV
};

/// What stands below each row, told apart by how many rows stand above it.
struct Offers {
  std::vector<CapabilityFlag> capabilities;
  std::vector<SpirvExtensionRow> extensions;

  Offers() {
    uint32_t row = 0;
#define FEATURES(vulkan, type) ++row;
#define OFFERS(capability, flag)                                                                   \
  capabilities.push_back({uint32_t(newer::Capability::capability), row - 1, flag});
#define SPIRV(extension) extensions.push_back({extension, row - 1});
#include "verify/device/newer_features.def"
#undef FEATURES
#undef OFFERS
#undef SPIRV
  }
};

const Offers& offers() {
  static const Offers all;
  return all;
}

} // namespace

std::span<const FeatureRow> newerFeatures() {
  return kRows;
}

std::span<const SpirvExtensionRow> newerSpirvExtensions() {
  return offers().extensions;
}

const CapabilityFlag* newerCapability(uint32_t capability) {
  for (const CapabilityFlag& flag : offers().capabilities)
    if (flag.capability == capability) return &flag;
  return nullptr;
}

void NewerFeatures::link(const std::set<std::string>& extensions, void**& end) {
  values_.assign(std::size(kRows), {});
  for (size_t n = 0; n < values_.size(); ++n) {
    if (extensions.count(kRows[n].vulkan) == 0) continue;
    values_[n].sType = VkStructureType(kRows[n].structureType);
    *end = &values_[n];
    end = &values_[n].pNext;
  }
}

void NewerFeatures::dropUnwanted() {
  for (uint32_t row = 0; row < values_.size(); ++row) {
    std::array<VkBool32, 8> wanted{};
    bool hasCapability = false;
    for (const CapabilityFlag& flag : offers().capabilities)
      if (flag.row == row) {
        wanted[flag.flag] = values_[row].flags[flag.flag];
        hasCapability = true;
      }
    if (hasCapability) values_[row].flags = wanted;
  }
}

} // namespace lanewise::driver
