// Whether every index into an array of structs is proved to be in range (--robust).
#pragma once

#include "analysis/buffer_uses.h"

namespace lanewise {

/// The first access whose index into the array, or into an array or vector inside the element, is
/// not proved to be in range for every specialization; null when all are. A proof is a literal, a
/// range of the affine form, or a comparison with a literal or with the array's own OpArrayLength
/// on a branch that dominates the access.
InstRef findUnprovedIndex(Analyses& analyses, const BufferView& view);

} // namespace lanewise
