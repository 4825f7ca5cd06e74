// What a module's own code says of the values that it tells apart: the constants that it computes
// and compares with, and which of its parameters it compares with which of them.
#pragma once

#include "verify/program/reflect.h"
#include "verify/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// A push constant or a scalar of a buffer: where the block lies, and the byte in it.
struct ParameterPlace {
  bool isPushConstant = false; ///< `set` and `binding` then say nothing
  uint32_t set = 0, binding = 0;
  uint64_t offset = 0;
  auto operator<=>(const ParameterPlace&) const = default;
};

struct ValueHints {
  /// Literals that values are computed from or compared with, ascending; not those of types and
  /// access chains. Those of 64 bits as they lie in memory.
  std::vector<int64_t> integers;
  std::vector<double> floats;
  /// Those of them that stand in comparisons, switches and masks, ascending.
  std::vector<int64_t> compared;
  /// Those that stand beside specialization constants in what is computed from these, ascending.
  std::vector<int64_t> specialized;
  /// Which of them a parameter itself meets there.
  std::set<std::pair<ParameterPlace, int64_t>> parameters;
  /// Set and binding of the resources that atomics target.
  std::set<std::pair<uint32_t, uint32_t>> atomicTargets;
  bool asksLengths = false; ///< of arrays or texel buffers
  /// x, y and z of the numbers of invocations or workgroups in the dispatch.
  std::array<bool, 3> asksPosition{};
  bool hasSubgroupScopes =
      false; ///< of a barrier that waits, or of one or an atomic that orders memory

  bool asksRows() const { return asksPosition[1] || asksPosition[2]; }
  void merge(const ValueHints& other);
};

/// Of all functions of the module, called or not. Nothing for a module that cannot be read.
ValueHints valueHintsOf(std::span<const uint32_t> words);

} // namespace lanewise::driver
