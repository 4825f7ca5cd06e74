// Whether the indices into an array of structs, and inside its elements, stay in range.
#pragma once

#include "analysis/buffers/buffer_uses.h"

#include <cstdint>

namespace lanewise {

/// The first access whose index into the array, into an array or vector inside the element, or
/// inside what stands before the array is not proved to be in range for every specialization
/// (--robust); null when all are. A proof is a literal, a range of the affine form, or a comparison
/// with a literal or with the array's own OpArrayLength on a branch that dominates the access.
InstRef findUnprovedIndex(Analyses& analyses, const BufferView& view);

/// The first access with an index inside an element, or inside what stands before the array, that
/// is known to leave what it chooses from, or of which nothing is known (IndexVerdict::Leaves,
/// NotKnown): what it reaches is elsewhere afterwards. Null when there is none. An index into the
/// array itself leaves the buffer.
InstRef findOutOfRangeIndex(Analyses& analyses, const BufferView& view, uint32_t subgroupSize);

} // namespace lanewise
