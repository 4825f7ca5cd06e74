// Accesses that a loop has in a row: `s[y][i]` with a counter that goes on by one.
#pragma once

#include "analysis/values/affine.h"

#include <cstdint>
#include <span>

namespace lanewise {

/// Whether consecutive iterations of the loop around `block` access elements that stand side by
/// side, and the loop takes whole groups of `count` of them: compilers unroll such loops, and make
/// one access of a group where rows are aligned to its size. `indices` are those of the arrays,
/// from outside in.
bool walksAlongRow(Analyses& analyses, Affine& affine, std::span<const Id> indices, BlockRef block,
                   uint32_t count);

} // namespace lanewise
