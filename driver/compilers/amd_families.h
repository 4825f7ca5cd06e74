// AMD's GPUs by name (amd_families.def).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lanewise::driver {

struct AmdFamily {
  std::string_view name;                     ///< "navi21"
  std::vector<std::string_view> driverNames; ///< as RADV_FORCE_FAMILY takes it, newest first
  std::string_view generation;               ///< "RDNA 2"
  uint32_t sharedPerSimd = 0;                ///< bytes of shared memory for the subgroups of a SIMD
  bool isDefault = false;                    ///< stands for its generation
};

/// In the order of their generations.
std::span<const AmdFamily> amdFamilies();
/// By its name, or by one that RADV has for it; null for another.
const AmdFamily* findAmdFamily(std::string_view name);

} // namespace lanewise::driver
