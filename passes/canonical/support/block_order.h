// The order of blocks in a function: each must stand behind what dominates it (SPIR-V 2.4).
#pragma once

#include "analysis/control_flow/cfg.h"
#include "ir/rewriter.h"

namespace lanewise {

/// Records the text of the function's blocks in an order in which each that is reached stands
/// behind one that is and leads to it: their old order, with a block that stood too early right
/// behind the first of those.
void orderBlocks(const Module& module, const Cfg& cfg, FunctionRef f, Rewriter& rewriter);

} // namespace lanewise
