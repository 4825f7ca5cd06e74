// Early returns of an entry point become selections around what is behind them.
#pragma once

#include "analysis/module/entry_points.h"
#include "ir/rewriter.h"

namespace lanewise {

/// Records the edits that make the entry point's function a call of what it was: inlining that
/// nests returns. The entry point keeps its id, and with it name and execution modes.
void wrapInCall(Analyses& analyses, const EntryPoint& entry, Rewriter& rewriter);

} // namespace lanewise
