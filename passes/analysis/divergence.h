// Proofs that invocations of one workgroup part: what analysis/uniformity.h only calls possible.
#pragma once

#include "analysis/affine.h"
#include "analysis/analyses.h"
#include "analysis/entry_points.h"

namespace lanewise {

/// True when two invocations of some workgroup of `entry` certainly get different values, wherever
/// all of them compute `value` (a condition, a selector, an index): the workgroup size is literal,
/// and the value is a function of the local id and the workgroup id that is not the same
/// everywhere. False says nothing. `affine` is made with the literal size of `entry`.
///
/// With Uniformity, three answers: proved uniform (Uniformity::isUniform), proved divergent (this),
/// or possibly divergent.
bool isProvedDivergent(Affine& affine, const EntryPoint& entry, Id value);

} // namespace lanewise
