#include "canonical/support/removable_accesses.h"

#include "analysis/module/decorations.h"
#include "analysis/module/memory_operands.h"

#include <algorithm>

namespace lanewise {
namespace {

constexpr uint32_t kWatchedTexel =
    0xF00; // MakeTexelAvailable, -Visible, NonPrivate-, VolatileTexel
bool isWatchedDecoration(spv::Decoration d) {
  return d == spv::Decoration::Volatile || d == spv::Decoration::Coherent;
}

/// The mask of memory operands that an instruction has; 0 where it has none.
uint32_t memoryAccessOf(const Module& module, InstRef i) {
  const uint8_t kind = factsOf(spv::Op::OpLoad).operands.back().enumIndex;
  const auto operands = module.facts(i).operands;
  // What stands before them takes a word each.
  for (uint32_t n = 0; n < operands.size() && n + 1 < module.wordCount(i); ++n)
    if (operands[n].kind == OperandKind::BitEnum && operands[n].enumIndex == kind)
      return module.word(i, n + 1);
  return 0;
}

} // namespace

RemovableAccesses::RemovableAccesses(Analyses& analyses)
    : module_(analyses.module()), base_(module_.instCount() + 1) {
  for (InstRef i : module_.globals()) {
    switch (module_.opcode(i)) {
    case spv::Op::OpCapability: {
      const auto capability = spv::Capability(module_.word(i, 1));
      hasLinkage_ = hasLinkage_ || capability == spv::Capability::Linkage;
      workgroupAliases_ = workgroupAliases_ ||
                          capability == spv::Capability::WorkgroupMemoryExplicitLayoutKHR ||
                          capability == spv::Capability::Kernel;
      break;
    }
    case spv::Op::OpDecorate:
      hasWatched_ = hasWatched_ || isWatchedDecoration(spv::Decoration(module_.word(i, 2)));
      break;
    case spv::Op::OpMemberDecorate:
      hasWatched_ = hasWatched_ || isWatchedDecoration(spv::Decoration(module_.word(i, 3)));
      break;
    default:
      break;
    }
  }
  if (hasWatched_) collectWatched(analyses);
}

/// Variables and types with something volatile or coherent in them.
void RemovableAccesses::collectWatched(Analyses& analyses) {
  const Decorations& decorations = analyses.get<Decorations>();
  isWatchedId_.resize(module_.idBound());
  for (InstRef i : module_.globals()) {
    const OpClass c = module_.facts(i).opClass;
    if (c != OpClass::Type && c != OpClass::Variable) continue;
    const Id id = module_.resultId(i);
    const auto all = decorations.of(id);
    bool watched = std::any_of(all.begin(), all.end(),
                               [](const auto& d) { return isWatchedDecoration(d.decoration); });
    module_.forEachIdOperand(i, [&](uint32_t, Id operand) {
      watched = watched || (operand.value < isWatchedId_.size() && isWatchedId_[operand.value]);
    });
    isWatchedId_[id.value] = watched;
  }
}

InstRef RemovableAccesses::variableOf(Id pointer) const {
  const InstRef d = module_.def(pointer);
  if (!d) return {};
  return module_.opcode(d) == spv::Op::OpVariable ? d : base_[d.value];
}

void RemovableAccesses::notePointer(InstRef i) {
  const spv::Op op = module_.opcode(i);
  if (isAccessChain(op) || isPtrAccessChain(op) || op == spv::Op::OpCopyObject)
    base_[i.value] = variableOf(module_.idAt(i, 3));
}

/// Whether an access through the pointer may be volatile or coherent by decoration.
bool RemovableAccesses::isWatched(Id pointer) const {
  if (!hasWatched_) return false;
  const InstRef variable = variableOf(pointer);
  return !variable || isWatchedId_[module_.resultId(variable).value];
}

bool RemovableAccesses::isWatchedImage(InstRef access) const {
  const spv::Op op = module_.opcode(access);
  if (op != spv::Op::OpImageRead && op != spv::Op::OpImageSparseRead) return false;
  if (module_.wordCount(access) > 5 && (module_.word(access, 5) & kWatchedTexel) != 0) return true;
  if (!hasWatched_) return false;
  const InstRef image = module_.def(module_.idAt(access, 3));
  return !image || module_.opcode(image) != spv::Op::OpLoad || isWatched(module_.idAt(image, 3));
}

/// Of what reads through a pointer and is no OpLoad: cooperative matrices and vectors.
bool RemovableAccesses::isWatchedRead(InstRef access) const {
  if ((memoryAccessOf(module_, access) & ~kPlainMemoryOperands) != 0) return true;
  if (!hasWatched_) return false;
  bool found = false;
  module_.forEachIdOperand(access, [&](uint32_t, Id id) {
    const Id type = module_.typeOf(id);
    found = found || (type && module_.opcodeOf(type) == spv::Op::OpTypePointer && isWatched(id));
  });
  return found;
}

bool RemovableAccesses::isNeededForItself(InstRef i) const {
  const spv::Op op = module_.opcode(i);
  if (op == spv::Op::OpNop) return false;
  const OpcodeFacts& facts = module_.facts(i);
  if (!facts.hasResult) return true;
  if (isExtInst(op)) {
    const ExtInstSet set = module_.extInstSet(module_.idAt(i, 3));
    if (isNonSemanticSet(set)) return !isDebugSet(set);
  }
  constexpr Effect kHarmless = Effect::ReadsMemory | Effect::MayTrapOrUndef | Effect::Subgroup;
  const Effect effects = module_.effects(i);
  if ((uint16_t(effects) & ~uint16_t(kHarmless)) != 0) return true; // what nobody has read, too
  if (op == spv::Op::OpLoad) return !isPlainAccess(module_, i) || isWatched(module_.idAt(i, 3));
  return has(effects, Effect::ReadsMemory) && (isWatchedImage(i) || isWatchedRead(i));
}

InstRef RemovableAccesses::privateTarget(InstRef store) const {
  const spv::Op op = module_.opcode(store);
  if (op != spv::Op::OpStore && op != spv::Op::OpCopyMemory) return {};
  // Of a copy, the second operands are the source's.
  for (uint32_t n = 3; n < module_.wordCount(store); ++n) {
    const uint32_t mask = module_.word(store, n);
    if ((mask & ~kPlainMemoryOperands) != 0) return {};
    if ((mask & uint32_t(spv::MemoryAccessMask::Aligned)) != 0) ++n;
  }
  const InstRef variable = variableOf(module_.idAt(store, 1));
  if (!variable || isWatched(module_.idAt(store, 1))) return {};
  if (op == spv::Op::OpCopyMemory && isWatched(module_.idAt(store, 2))) return {};
  switch (spv::StorageClass(module_.word(variable, 3))) {
  case spv::StorageClass::Function:
    return variable;
  case spv::StorageClass::Private:
    return hasLinkage_ ? InstRef() : variable;
  case spv::StorageClass::Workgroup:
    return hasLinkage_ || workgroupAliases_ ? InstRef() : variable;
  default:
    return {};
  }
}

} // namespace lanewise
