// Internal to passes/transforms: rewrites the uses of chosen variables in place, once each
// parameter has one binding.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/rewriter.h"
#include "transforms/shared_pointers.h"

namespace lanewise {

/// Records what brings `uses` (without refusals, of a module that CalleeSpecializer went over) into
/// the normal form. An error is a fault of this library: calls that do not agree.
Status rewriteSharedUses(Analyses& analyses, const SharedUses& uses, Rewriter& rewriter);

} // namespace lanewise
