#include "analysis/barriers/memory_signals.h"

#include "analysis/module/barriers.h"
#include "analysis/module/buffer_variables.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/memory_operands.h"
#include "analysis/module/types.h"

#include <algorithm>
#include <bit>

namespace lanewise {
namespace {

bool isSignalDecoration(spv::Decoration d) {
  return d == spv::Decoration::Coherent || d == spv::Decoration::Volatile;
}

} // namespace

MemorySignals::MemorySignals(Analyses& analyses) : analyses_(analyses), module_(analyses.module()) {
  const Decorations& decorations = analyses.get<Decorations>();
  for (InstRef i : module_.insts()) {
    if (module_.opcode(i) == spv::Op::OpMemoryModel)
      isVulkanModel_ = spv::MemoryModel(module_.word(i, 2)) == spv::MemoryModel::Vulkan;
    const Id id = module_.resultId(i);
    if (!id) continue;
    const auto of = decorations.of(id);
    if (std::none_of(of.begin(), of.end(),
                     [](const Decoration& d) { return isSignalDecoration(d.decoration); }))
      continue;
    hasDecorations_ = true;
    if (module_.opcode(i) == spv::Op::OpFunctionParameter) hasDecoratedParameter_ = true;
  }
}

// ---- decorations (memory models other than Vulkan) ----

bool MemorySignals::isMemberDecorated(Id type, uint32_t member) const {
  const auto of = analyses_.get<Decorations>().ofMember(type, member);
  return std::any_of(of.begin(), of.end(),
                     [](const Decoration& d) { return isSignalDecoration(d.decoration); });
}

/// Whether some member of the type, or of what it holds, is decorated.
bool MemorySignals::isTypeDecorated(Id type) const {
  const TypeInfo& info = analyses_.get<Types>().info(type);
  if (info.kind == TypeInfo::Kind::Array || info.kind == TypeInfo::Kind::RuntimeArray)
    return isTypeDecorated(info.element);
  if (info.kind != TypeInfo::Kind::Struct) return false;
  for (uint32_t n = 0; n < info.count; ++n)
    if (isMemberDecorated(type, n) || isTypeDecorated(analyses_.get<Types>().member(type, n)))
      return true;
  return false;
}

bool MemorySignals::isDecorated(Id variable, std::span<const Id> indices) const {
  if (!hasDecorations_) return false;
  if (!variable || hasDecoratedParameter_) return true;
  const Decorations& decorations = analyses_.get<Decorations>();
  if (decorations.has(variable, spv::Decoration::Coherent) ||
      decorations.has(variable, spv::Decoration::Volatile))
    return true;
  const Types& types = analyses_.get<Types>();
  Id type = types.pointee(variable);
  for (Id index : indices) {
    const TypeInfo& info = types.info(type);
    if (info.kind != TypeInfo::Kind::Struct) {
      type = info.element;
      continue;
    }
    const auto member = analyses_.get<Constants>().literal(index);
    if (!member || *member >= info.count) return isTypeDecorated(type);
    if (isMemberDecorated(type, uint32_t(*member))) return true;
    type = types.member(type, uint32_t(*member));
  }
  return isTypeDecorated(type);
}

// ---- operands (the Vulkan memory model; Volatile in any) ----

int MemorySignals::rankAt(Id scope) const {
  const auto value = analyses_.get<Constants>().literal(scope);
  const int rank = value ? rankOf(spv::Scope(uint32_t(*value))) : -1;
  return rank < 0 ? kWidestRank : rank;
}

int MemorySignals::reachOfAtomic(InstRef inst) const {
  const uint32_t scope = atomicScopeWord(module_.facts(inst));
  return scope < module_.wordCount(inst) ? rankAt(module_.idAt(inst, scope)) : kWidestRank;
}

int MemorySignals::reachOfOperands(InstRef inst) const {
  using Mask = spv::MemoryAccessMask;
  int reach = 0;
  for (uint32_t word = memoryOperandsWord(module_.opcode(inst));
       word < module_.wordCount(inst);) { // OpCopyMemory may have two sets
    const auto operands = readMemoryOperands(module_, inst, word);
    if (!operands) return kWidestRank;
    if ((operands->mask & uint32_t(Mask::Volatile)) != 0) return kWidestRank;
    if ((operands->mask & uint32_t(Mask::NonPrivatePointer)) == 0) continue;
    if (!operands->available && !operands->visible) return kWidestRank;
    for (Id scope : {operands->available, operands->visible})
      if (scope) reach = std::max({reach, rankAt(scope), kSubgroupRank});
  }
  return reach;
}

int MemorySignals::reachOfImageOperands(InstRef inst, uint32_t word) const {
  using Mask = spv::ImageOperandsMask;
  if (word >= module_.wordCount(inst)) return 0;
  const uint32_t mask = module_.word(inst, word);
  if ((mask & uint32_t(Mask::VolatileTexel)) != 0) return kWidestRank;
  if ((mask & uint32_t(Mask::NonPrivateTexel)) == 0) return 0;
  // Operands stand in the order of the bits; of those before the scopes, Grad has two.
  const auto available = uint32_t(Mask::MakeTexelAvailable);
  const auto visible = uint32_t(Mask::MakeTexelVisible);
  if ((mask & (available | visible)) == 0) return kWidestRank;
  uint32_t at = word + 1 + uint32_t(std::popcount(mask & (available - 1))) +
                ((mask & uint32_t(Mask::Grad)) != 0);
  int reach = 0;
  for (uint32_t bit : {available, visible})
    if ((mask & bit) != 0) {
      if (at >= module_.wordCount(inst)) return kWidestRank;
      reach = std::max({reach, rankAt(module_.idAt(inst, at++)), kSubgroupRank});
    }
  return reach;
}

// ---- all ----

int MemorySignals::reachOf(InstRef inst, spv::StorageClass storage, Id variable,
                           std::span<const Id> indices) const {
  int reach = isDecorated(variable, indices) ? kWidestRank : 0;
  switch (module_.opcode(inst)) {
  case spv::Op::OpLoad:
  case spv::Op::OpStore:
  case spv::Op::OpCopyMemory:
    reach = std::max(reach, reachOfOperands(inst));
    break;
  case spv::Op::OpImageRead:
  case spv::Op::OpImageSparseRead:
    reach = std::max(reach, reachOfImageOperands(inst, 5));
    break;
  case spv::Op::OpImageWrite:
    reach = std::max(reach, reachOfImageOperands(inst, 4));
    break;
  default:
    if (has(module_.effects(inst), Effect::Atomic))
      reach = reachOfAtomic(inst);
    else if (storage != spv::StorageClass::UniformConstant && isVulkanModel_)
      reach = kWidestRank; // may be non-private: its operands are not read here
  }
  return storage == spv::StorageClass::Workgroup ? std::min(reach, kWorkgroupRank) : reach;
}

} // namespace lanewise
