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

/// What says nothing of the access but how it is aligned, and whether to keep it in caches.
inline constexpr uint32_t kPlainMemoryOperands =
    uint32_t(spv::MemoryAccessMask::Aligned) | uint32_t(spv::MemoryAccessMask::Nontemporal);
/// True for a load, store or copy with no other memory operands, and with one set of them at most.
bool isPlainAccess(const Module& module, InstRef access);

} // namespace lanewise
