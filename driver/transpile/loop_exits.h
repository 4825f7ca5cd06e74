// What a loop leaves behind where its condition ends it.
#pragma once

#include "ir/module.h"
#include "ir/rewriter.h"

namespace lanewise::driver {

/// Makes variables of the phis behind loops that are left by a conditional branch: SPIRV-Cross
/// before March 2024 writes `for (; condition; )` without what the way out assigns.
void storeLoopExits(const Module& module, Rewriter& rewriter);

} // namespace lanewise::driver
