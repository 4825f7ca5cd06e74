// Blocks that go as a whole.
#pragma once

#include "ir/module.h"
#include "transforms/debug_cursor.h"
#include "transforms/value_edits.h"

namespace lanewise {

/// Lines and debug instructions between the block before and the label.
inline void eraseLinesInFront(const Module& module, ValueEdits& edits, BlockRef b) {
  for (InstRef i(module.blockInsts(b).first.value - 1);
       !module.blockOf(i) && isDebugInstruction(module, i); i = InstRef(i.value - 1))
    edits.erase(i);
}

/// All that the block has, and the lines in front of its label.
inline void eraseBlock(const Module& module, ValueEdits& edits, BlockRef b) {
  for (InstRef i : module.blockInsts(b)) edits.erase(i);
  eraseLinesInFront(module, edits, b);
}

} // namespace lanewise
