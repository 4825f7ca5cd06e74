// Gives a Workgroup variable another layout: new types, new pointers, and new indices where an
// array becomes flat.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/shared_memory/index_rows.h"
#include "analysis/shared_memory/shared_layout.h"
#include "ir/rewriter.h"

namespace lanewise {

/// Records the edits that give `variable` the layout `layout`. The caller has seen that it is
/// legal: no obstacles; no access of a whole whose type changes; inner extents of flat arrays
/// literal; an initializer is null.
///
/// Types that other variables share are never changed: what changes gets types of its own, with the
/// names and decorations of the old. Literal lengths stay literal; a length by specialization
/// constants becomes an OpSpecConstantOp of it, so the rewrite holds for every value. Where
/// `splitter` proves in which row an index is, gaps behind rows are in its coefficients.
void relayoutShared(Analyses& analyses, Rewriter& rewriter, const SharedVariable& variable,
                    const SharedLayout& layout, IndexSplitter& splitter);

} // namespace lanewise
