// Whether the comparison of a counter with a bound fails at some time: arithmetic alone. Integers
// of SPIR-V wrap around, so a counter takes all values of its residue class modulo the largest
// power of two in its step, again and again, and the test fails when one of them fails it.
#pragma once

#include "analysis/module/comparison.h"

#include <cstdint>
#include <optional>

namespace lanewise {

/// What is known of a number of `width` bits that stays the same: its lowest bits, and a limit.
struct KnownNumber {
  uint64_t bits = 0;            ///< where `isKnown`
  uint64_t isKnown = 0;         ///< a run of ones from the lowest bit on; all for a literal
  uint64_t most = ~uint64_t(0); ///< read as unsigned

  static KnownNumber literal(uint64_t value, uint32_t width);
};

/// Whether `x relation bound` fails for an x of start, start + step, ... modulo 2^width: for every
/// start, where that is not known, and every bound that may be. Exact but for limits. `step` is not
/// 0 modulo 2^width.
bool failsAtSomeTime(const Comparison& comparison, uint32_t width, std::optional<uint64_t> start,
                     uint64_t step, const KnownNumber& bound);

} // namespace lanewise
