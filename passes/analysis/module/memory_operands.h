// The memory operands of loads, stores and copies (SPIR-V 3.26).
#pragma once

#include "ir/module.h"

#include <cstdint>
#include <optional>

namespace lanewise {

/// One set of memory operands.
struct MemoryOperands {
  uint32_t mask = 0;
  Id available, visible; ///< the scopes, null if there are none
};
/// The set that starts at `word`, which is moved behind it; the empty set at the end of the
/// instruction. Nothing if a bit is not known.
std::optional<MemoryOperands> readMemoryOperands(const Module& module, InstRef inst,
                                                 uint32_t& word);

} // namespace lanewise
