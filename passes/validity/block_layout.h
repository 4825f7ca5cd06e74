// Explicit layout of buffers (SPIR-V 2.16.2): what is in a block has offsets and strides. Whether
// they are well aligned is for client APIs to say, depending on features.
#pragma once

#include "validity/decoration_index.h"
#include "validity/instructions/subject.h"

namespace lanewise::validity {

/// For the blocks that variables in Uniform, StorageBuffer and PushConstant hold.
bool checkBlockLayout(Subject& s, const DecorationIndex& index);

} // namespace lanewise::validity
