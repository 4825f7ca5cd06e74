#include "analysis/module/barriers.h"

#include "analysis/module/constants.h"

#include <optional>

namespace lanewise {

int rankOf(spv::Scope scope) {
  switch (scope) {
  case spv::Scope::Invocation:
    return 0;
  case spv::Scope::Subgroup:
    return kSubgroupRank;
  case spv::Scope::Workgroup:
    return kWorkgroupRank;
  case spv::Scope::QueueFamily:
    return 3;
  case spv::Scope::Device:
    return 4;
  case spv::Scope::CrossDevice:
    return 5;
  default:
    return -1;
  }
}

uint32_t unionOfSemantics(uint32_t a, uint32_t b) {
  // At most one of the order bits may be set (SPIR-V 3.32).
  const uint32_t orders = (a | b) & kOrderBits;
  uint32_t order = orders;
  if ((orders & uint32_t(spv::MemorySemanticsMask::SequentiallyConsistent)) != 0)
    order = uint32_t(spv::MemorySemanticsMask::SequentiallyConsistent);
  else if ((orders & (orders - 1)) != 0)
    order = uint32_t(spv::MemorySemanticsMask::AcquireRelease);
  return ((a | b) & ~kOrderBits) | order;
}

bool Barrier::orders(MemoryClass memoryClass) const {
  // A class has one bit that matters in shaders; the others stand for memory that they do not have.
  uint32_t bit = semanticsBitsOf(memoryClass);
  if (memoryClass == MemoryClass::Workgroup)
    bit = uint32_t(spv::MemorySemanticsMask::WorkgroupMemory);
  if (memoryClass == MemoryClass::Buffer) bit = uint32_t(spv::MemorySemanticsMask::UniformMemory);
  return (semantics & kOrderBothBits) != 0 && (semantics & bit) != 0;
}

Barrier readBarrier(Analyses& analyses, InstRef inst) {
  const Module& module = analyses.module();
  Barrier barrier;
  barrier.inst = inst;
  barrier.isControl = module.opcode(inst) == spv::Op::OpControlBarrier;
  auto literal = [&](uint32_t word) {
    return analyses.get<Constants>().literal(module.idAt(inst, word));
  };
  const uint32_t first = barrier.isControl ? 2 : 1;
  std::optional<uint64_t> execution = uint64_t(spv::Scope::Invocation);
  if (barrier.isControl) execution = literal(1);
  const auto memory = literal(first), semantics = literal(first + 1);
  if (!execution || !memory || !semantics) return barrier;
  barrier.execution = spv::Scope(uint32_t(*execution));
  barrier.memory = spv::Scope(uint32_t(*memory));
  barrier.semantics = uint32_t(*semantics);
  barrier.isKnown = !module.isUnknown(inst) && rankOf(barrier.memory) >= 0;
  if (barrier.isControl)
    barrier.isKnown = barrier.isKnown && (rankOf(barrier.execution) == kSubgroupRank ||
                                          rankOf(barrier.execution) == kWorkgroupRank);
  return barrier;
}

} // namespace lanewise
