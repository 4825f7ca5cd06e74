// How many invocations become one.
#pragma once

#include <array>
#include <cstdint>

namespace lanewise {

/// An invocation of the output does the work of `merged[0] * merged[1] * merged[2]` of the input,
/// which are called its copies; x runs fastest. They are as far apart as the new workgroup is wide:
/// lanes side by side stay side by side.
struct CoarseningFactors {
  std::array<uint32_t, 3> merged{1, 1, 1};

  uint32_t copies() const { return merged[0] * merged[1] * merged[2]; }
  bool isMerged(uint32_t dimension) const { return merged[dimension] > 1; }
  /// Which one a copy is along each dimension.
  std::array<uint32_t, 3> placeOf(uint32_t copy) const {
    return {copy % merged[0], copy / merged[0] % merged[1], copy / (merged[0] * merged[1])};
  }
  std::array<uint32_t, 3> reduced(const std::array<uint32_t, 3>& size) const {
    return {size[0] / merged[0], size[1] / merged[1], size[2] / merged[2]};
  }
  bool operator==(const CoarseningFactors&) const = default;
};

/// Copies that the pass writes at most.
inline constexpr uint32_t kMaxCopies = 64;

} // namespace lanewise
