// Gives storage buffers that hold arrays of structs another layout.
#pragma once

#include "analysis/buffers/buffer_uses.h"
#include "analysis/module/analyses.h"
#include "ir/rewriter.h"
#include "lanewise/buffer_layout.h"

#include <span>

namespace lanewise {

/// One buffer variable and what it becomes.
struct BufferRelayout {
  const BufferView* view = nullptr;
  const BufferLayout* layout = nullptr;
};

/// Records the edits that give each view its layout, all of one module at once (a struct may be
/// copied from one buffer to another). The caller has seen that it is legal: the views have an
/// array and no refusals, and the layouts were made for their leaves.
///
/// Each block gets a type of its own (types that others share are never changed); access chains are
/// rewritten to start at the variable; loads, stores and copies of structs become those of their
/// leaves, with the memory operands that they had. Pointers to leaves keep their types, so whatever
/// uses them stays as it is.
void relayoutBuffers(Analyses& analyses, Rewriter& rewriter,
                     std::span<const BufferRelayout> relayouts);

} // namespace lanewise
