// Internal to passes/analysis: follows every pointer that is made from one buffer variable.
#pragma once

#include "analysis/buffers/buffer_uses.h"

namespace lanewise {

/// Fills pointers, accesses, lengths and refusals of a view whose declaration was read.
void walkBuffer(Analyses& analyses, BufferView& view);

} // namespace lanewise
