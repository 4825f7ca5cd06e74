// Values that become variables: SPIRV-Cross would write them wrongly, or at the wrong place.
#pragma once

#include "ir/module.h"
#include "ir/rewriter.h"

namespace lanewise::driver {

/// Makes variables of the phis behind loops that are left by a conditional branch: SPIRV-Cross
/// before March 2024 writes `for (; condition; )` without what the way out assigns.
void storeLoopExits(const Module& module, Rewriter& rewriter);

/// Makes variables of what is read from memory at an index that a phi says, and goes into a later
/// phi of the same block. In a text the phis are written one after the other, at the end of each
/// block that leads to them. SPIRV-Cross keeps what a phi holds for those behind it, as all of a
/// block are read before any is written, but it also reads memory there: `i++; c = a[i];`.
void storePhiLoads(const Module& module, Rewriter& rewriter);

/// Makes variables, written member by member, of structs and arrays that functions with loops put
/// together: HLSL has lists of members where a variable is declared, and SPIRV-Cross assigns such
/// lists where it declares what a loop computes in front of it.
void storeComposites(const Module& module, Rewriter& rewriter);

} // namespace lanewise::driver
