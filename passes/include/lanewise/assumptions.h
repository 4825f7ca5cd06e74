// What the user tells us that the module does not say.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

namespace lanewise {

/// Invocations along one dimension of a workgroup at most: far more than any device takes.
inline constexpr uint32_t kMaxWorkgroupSize = 65535;

/// Given values inform cost. They never prove legality: a specialization constant may still be set
/// to anything when the module is used.
struct Assumptions {
  /// SpecId -> value bits, from `--spec-const` or the scenario.
  std::map<uint32_t, uint64_t> specConstants;
  /// Workgroup size for entry points whose size is not literal, from `--workgroup-size`.
  std::optional<std::array<uint32_t, 3>> workgroupSize;
};

} // namespace lanewise
