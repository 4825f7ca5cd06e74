// Proofs that invocations of one workgroup part: what analysis/uniformity/uniformity.h only calls
// possible.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "analysis/values/affine.h"

#include <array>
#include <optional>

namespace lanewise {

/// True when two invocations of some workgroup of `entry` certainly get different values, wherever
/// all of them compute `value` (a condition, a selector, an index): the workgroup size is literal,
/// and the value is a function of the local id and the workgroup id that is not the same
/// everywhere. False says nothing. `affine` is made with the literal size of `entry`.
///
/// With Uniformity, three answers: proved uniform (Uniformity::isUniform), proved divergent (this),
/// or possibly divergent.
bool isProvedDivergent(Affine& affine, const EntryPoint& entry, Id value);

/// How the subgroups of one workgroup part at a condition.
struct SubgroupSplits {
  uint32_t subgroups = 0;
  uint32_t anyTrue = 0, anyFalse = 0; ///< with at least one lane of that kind
  uint32_t splitting = 0;             ///< with both
};

/// For a condition that is a function of the local id alone (and of what no lane can tell apart),
/// counted lane by lane, where `block` branches on it; lanes are consecutive local invocation
/// indices. Nothing when it depends on data, on specialization constants or on a loop's iteration,
/// or when the workgroup is larger than kMaxCountedInvocations. For cost: `size` may be assumed.
std::optional<SubgroupSplits> countSplits(Affine& affine, const std::array<uint32_t, 3>& size,
                                          uint32_t subgroupSize, Id condition, BlockRef block);

/// Whether a value is the same for all lanes of each subgroup of a workgroup, counted in the same
/// way. False when it cannot be counted.
bool isSameInSubgroups(Affine& affine, const std::array<uint32_t, 3>& size, uint32_t subgroupSize,
                       Id value, BlockRef block);

} // namespace lanewise
