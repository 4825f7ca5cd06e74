#include "analysis/module/memory_operands.h"

namespace lanewise {

std::optional<MemoryOperands> readMemoryOperands(const Module& module, InstRef inst,
                                                 uint32_t& word) {
  using Mask = spv::MemoryAccessMask;
  MemoryOperands operands;
  if (word >= module.wordCount(inst)) return operands;
  operands.mask = module.word(inst, word++);
  auto has = [&](Mask bit) { return (operands.mask & uint32_t(bit)) != 0; };
  constexpr uint32_t kKnown = uint32_t(Mask::Volatile) | uint32_t(Mask::Aligned) |
                              uint32_t(Mask::Nontemporal) | uint32_t(Mask::MakePointerAvailable) |
                              uint32_t(Mask::MakePointerVisible) |
                              uint32_t(Mask::NonPrivatePointer);
  if ((operands.mask & ~kKnown) != 0) return std::nullopt;
  word += has(Mask::Aligned);
  if (has(Mask::MakePointerAvailable)) operands.available = module.idAt(inst, word++);
  if (has(Mask::MakePointerVisible)) operands.visible = module.idAt(inst, word++);
  return operands;
}

bool isPlainAccess(const Module& module, InstRef access) {
  const uint32_t at = memoryOperandsWord(module.opcode(access)), count = module.wordCount(access);
  if (at >= count) return true;
  const uint32_t mask = module.word(access, at);
  const bool isAligned = (mask & uint32_t(spv::MemoryAccessMask::Aligned)) != 0;
  return (mask & ~kPlainMemoryOperands) == 0 && count == at + 1 + isAligned;
}

} // namespace lanewise
