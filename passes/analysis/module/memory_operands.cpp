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

} // namespace lanewise
