// Which 32-bit integer fields may be packed several to a word (--narrow-fields), and how.
//
// A store to a packed field reads its word, inserts the bits and writes the word back. Where
// another invocation may be at a field of the same word at that time, one of the two would be lost
// or race. canStoreInPlace() proves that this does not happen.
#pragma once

#include "analysis/buffers/buffer_uses.h"
#include "analysis/module/analyses.h"
#include "lanewise/buffer_layout.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise {

/// A leaf and the bits that it keeps.
struct NarrowLeaf {
  uint32_t leaf = 0;
  uint32_t bits = 0;
};

/// The leaves of each word, from bit 0 on.
using PackedWords = std::vector<std::vector<NarrowLeaf>>;

/// Packs leaves in the order in which they lie, each into the first word that has room; words of
/// one leaf are left out.
PackedWords packWords(std::vector<NarrowLeaf> leaves);

/// Why a leaf cannot be narrowed as far as this view goes, whatever stands beside it in a word.
std::optional<BufferRefusal> whyNotNarrow(Analyses& analyses, const BufferView& view,
                                          uint32_t leaf);

/// Why a store to a part of a word may meet another invocation at the same word; nothing when that
/// is proved not to happen.
///
/// Stores that write all fields of a word need no proof: they do not read it, and in a program
/// without races nobody else is at any of its fields. For any other store, all accesses of the word
/// must have the same index, and some plain store to the element must run whenever any of them
/// does, and once, to a place that this index alone tells: a field, or a part of one that every
/// invocation of the dispatch chooses alike. Then two invocations at one element would both run
/// that store to that place: a race that the program has from the start.
std::optional<BufferRefusal> whyNotInPlace(Analyses& analyses, const BufferView& view,
                                           std::span<const NarrowLeaf> word);

} // namespace lanewise
