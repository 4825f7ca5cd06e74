// What the user states beyond what the module says.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

namespace lanewise {

/// Invocations along one dimension of a workgroup at most: far more than any device takes.
inline constexpr uint32_t kMaxWorkgroupSize = 65535;

/// Given values inform cost, never legality: a specialization constant may still be set to any
/// value when the module is specialized.
struct Assumptions {
  /// SpecId -> value bits, from `--spec-const` or the scenario.
  std::map<uint32_t, uint64_t> specConstants;
  /// Workgroup size for entry points whose size is not literal, from `--workgroup-size`.
  std::optional<std::array<uint32_t, 3>> workgroupSize;
};

} // namespace lanewise
