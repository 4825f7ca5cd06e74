#include "coarsening/copy_variance.h"

#include "analysis/module/def_use.h"
#include "analysis/module/types.h"
#include "transforms/debug_cursor.h"

#include <algorithm>

namespace lanewise {

CopyVariance::CopyVariance(Analyses& analyses, const ConstructNesting& nesting,
                           const MemoryEffects& effects, const InvocationIds& ids,
                           FunctionRef function, const CoarseningFactors& factors)
    : analyses_(analyses), module_(analyses.module()), cfg_(analyses.get<Cfg>()), nesting_(nesting),
      effects_(effects), ids_(ids), function_(function), factors_(factors),
      varying_(module_.idBound()), isSplit_(module_.blockCount() + 1),
      isInSplit_(module_.blockCount() + 1), children_(module_.blockCount() + 1),
      position_(module_.blockCount() + 1) {
  uint32_t n = 0;
  for (BlockRef b : nesting.order(function)) {
    position_[b.value] = n++;
    if (const BlockRef header = nesting.enclosing(b)) children_[header.value].push_back(b);
  }
  run();
}

void CopyVariance::run() {
  for (BlockRef b : nesting_.order(function_))
    for (InstRef i : module_.blockInsts(b)) {
      if (!isSourceOfVariance(i)) continue;
      mark(module_.resultId(i));
      markWritten(i);
    }
  const DefUse& defUse = analyses_.get<DefUse>();
  while (!work_.empty() || !toSplit_.empty()) {
    if (work_.empty()) {
      const BlockRef header = toSplit_.back();
      toSplit_.pop_back();
      split(header);
      continue;
    }
    const Id value = work_.back();
    work_.pop_back();
    for (const Use& use : defUse.uses(value))
      if (const BlockRef b = module_.blockOf(use.user);
          b && module_.functionOf(b) == function_ && nesting_.isOrdered(b))
        spread(use.user, use.word);
  }
}

void CopyVariance::mark(Id value) {
  if (!value || varying_[value.value]) return;
  varying_[value.value] = true;
  work_.push_back(value);
}

void CopyVariance::refuse(Obstacle obstacle, InstRef place) {
  if (obstacle_ != Obstacle::None && (obstacle_ <= obstacle)) return;
  obstacle_ = obstacle;
  obstaclePlace_ = place;
}

// ---- Instructions ----

bool CopyVariance::isVaryingLoad(InstRef i) const {
  const auto load = ids_.loadAt(i);
  if (!load) return false;
  if (load->component) return factors_.isMerged(*load->component);
  return true;
}

/// Whether another invocation may learn something by the access, or from it.
bool CopyVariance::isSignal(InstRef i) const {
  const auto all = effects_.in({i, InstRef(i.value + 1)});
  return std::any_of(all.begin(), all.end(),
                     [](const MemoryAccess& a) { return a.isAtomic || a.signalReach > 0; });
}

/// Whether the copies may have the instruction in common, where its operands are the same.
bool CopyVariance::maybeShared(InstRef i) const {
  const OpcodeFacts& facts = module_.facts(i);
  switch (facts.opClass) {
  case OpClass::Constant: // OpUndef
  case OpClass::Variable:
  case OpClass::Label:
  case OpClass::Line:
  case OpClass::Merge:
  case OpClass::Terminator:
    return true;
  case OpClass::Value:
    break;
  default:
    return false;
  }
  if (facts.opcode == spv::Op::OpPhi || isFunctionOfOperands(facts)) return true;
  const Effect effects = module_.effects(i);
  if (isExtInst(facts.opcode)) {
    const ExtInstSet set = module_.extInstSet(module_.idAt(i, 3));
    return isDebugSet(set) || (!isNonSemanticSet(set) &&
                               (effects == Effect::None || effects == Effect::MayTrapOrUndef));
  }
  switch (facts.opcode) {
  case spv::Op::OpControlBarrier:
  case spv::Op::OpMemoryBarrier:
  case spv::Op::OpNop:
    return true;
  default:
    return (effects == Effect::ReadsMemory || effects == Effect::WritesMemory) && !isSignal(i);
  }
}

bool CopyVariance::isSourceOfVariance(InstRef i) const {
  return isVaryingLoad(i) || !maybeShared(i);
}

bool CopyVariance::isReplicated(InstRef i) const {
  if (isDebugInstruction(module_, i)) return false;
  if (const Id result = module_.resultId(i)) return varying_[result.value];
  const OpClass opClass = module_.facts(i).opClass;
  if (opClass == OpClass::Merge || opClass == OpClass::Terminator) return false;
  bool isVaryingUse = !maybeShared(i);
  module_.forEachIdOperand(
      i, [&](uint32_t, Id id) { isVaryingUse = isVaryingUse || varying_[id.value]; });
  return isVaryingUse;
}

/// `user` has something varying as an operand.
void CopyVariance::spread(InstRef user, uint32_t word) {
  const OpClass opClass = module_.facts(user).opClass;
  if (opClass == OpClass::Terminator) {
    const BlockRef b = module_.blockOf(user);
    if (word == 1 && cfg_.successors(b).size() > 1) branchVaries(b);
    return;
  }
  if (opClass == OpClass::Merge || isDebugInstruction(module_, user)) return;
  if (const auto picked = ids_.pickedAt(user); picked && !isInSplit_[module_.blockOf(user).value]) {
    bool isMerged = false;
    for (uint32_t n = 0; n < picked->count; ++n)
      isMerged = isMerged || factors_.isMerged(picked->components[n]);
    if (!isMerged && !isInSplit_[module_.blockOf(picked->load).value]) return;
  }
  mark(module_.resultId(user));
  markWritten(user);
}

/// The variable of the invocation's own that a pointer leads into, null for any other memory.
Id CopyVariance::ownVariable(Id pointer) {
  const auto storage = analyses_.get<Types>().storageOf(pointer);
  if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) return {};
  for (InstRef def = module_.def(pointer); def; def = module_.def(pointer)) {
    const spv::Op op = module_.opcode(def);
    if (module_.facts(def).opClass == OpClass::Variable) return pointer;
    if (!isAccessChain(op) && op != spv::Op::OpCopyObject) {
      unknownPointer_ = def;
      return {};
    }
    pointer = module_.idAt(def, 3);
  }
  return {};
}

/// Each copy does `i` by itself, so what it may write is its own.
void CopyVariance::markWritten(InstRef i) {
  const OpcodeFacts& facts = module_.facts(i);
  if (facts.opClass != OpClass::Value || isAccessChain(facts.opcode) ||
      facts.opcode == spv::Op::OpLoad || facts.opcode == spv::Op::OpCopyObject)
    return;
  module_.forEachIdOperand(i, [&](uint32_t, Id id) {
    if (module_.def(id) && module_.typeOf(id)) mark(ownVariable(id));
  });
}

std::vector<Id> CopyVariance::privateVariables() const {
  std::vector<Id> variables;
  for (InstRef i : module_.globals())
    if (const Id id = module_.resultId(i);
        module_.facts(i).opClass == OpClass::Variable && varying_[id.value])
      variables.push_back(id);
  return variables;
}

// ---- Constructs ----

bool CopyVariance::isInside(BlockRef b, BlockRef header) const {
  if (b == header) {
    const Construct* c = cfg_.constructAt(header);
    return c && c->kind == Construct::Kind::Loop;
  }
  for (b = nesting_.enclosing(b); b; b = nesting_.enclosing(b))
    if (b == header) return true;
  return false;
}

bool CopyVariance::isOutermostSplit(BlockRef header) const {
  if (!isSplit_[header.value]) return false;
  for (BlockRef around = nesting_.enclosing(header); around; around = nesting_.enclosing(around))
    if (isSplit_[around.value]) return false;
  return true;
}

std::vector<BlockRef> CopyVariance::blocksOf(BlockRef header) const {
  std::vector<BlockRef> pending{header}, blocks;
  if (isInside(header, header)) blocks.push_back(header);
  for (size_t n = 0; n < pending.size(); ++n)
    for (BlockRef b : children_[pending[n].value]) {
      blocks.push_back(b);
      pending.push_back(b);
    }
  std::sort(blocks.begin(), blocks.end(),
            [&](BlockRef a, BlockRef b) { return position_[a.value] < position_[b.value]; });
  return blocks;
}

/// Headers of the constructs that a branch of `from` goes to the end, to the next iteration or back
/// to the head of.
template <class Visitor>
void CopyVariance::forEachExit(BlockRef from, Visitor&& visit) const {
  for (BlockRef to : cfg_.successors(from)) {
    if (const BlockRef header = nesting_.headerOfMerge(to)) visit(header);
    if (const BlockRef header = nesting_.headerOfContinue(to)) visit(header);
    if (to == from || isInside(from, to)) visit(to); // back
  }
}

void CopyVariance::branchVaries(BlockRef b) {
  bool isExplained = false;
  if (cfg_.constructAt(b)) {
    isExplained = true;
    toSplit_.push_back(b);
  }
  forEachExit(b, [&](BlockRef header) {
    if (header == b || !isInside(b, header)) return;
    isExplained = true;
    toSplit_.push_back(header);
  });
  if (!isExplained) refuse(Obstacle::Unstructured, module_.terminator(b));
}

void CopyVariance::split(BlockRef header) {
  if (isSplit_[header.value]) return;
  isSplit_[header.value] = true;
  if (isInside(header, header)) splitBlock(header, header);
  splitExits(header, header);
  std::vector<BlockRef> pending{header};
  while (!pending.empty()) {
    const BlockRef at = pending.back();
    pending.pop_back();
    for (BlockRef b : children_[at.value]) {
      splitBlock(b, header);
      pending.push_back(b);
    }
  }
  const Construct* c = cfg_.constructAt(header);
  if (!c->merge) return;
  for (InstRef i : module_.blockInsts(c->merge))
    if (module_.opcode(i) == spv::Op::OpPhi) mark(module_.resultId(i));
}

void CopyVariance::splitExits(BlockRef b, BlockRef header) {
  forEachExit(b, [&](BlockRef other) {
    if (other != header && isInside(header, other)) toSplit_.push_back(other);
  });
}

/// `b` is now gone through by each copy on its own. Who leaves a construct on the way does so on
/// his own as well.
void CopyVariance::splitBlock(BlockRef b, BlockRef header) {
  if (isInSplit_[b.value]) return;
  isInSplit_[b.value] = true;
  for (InstRef i : module_.blockInsts(b)) {
    if (isDebugInstruction(module_, i)) {
      if (const Id id = module_.resultId(i)) varying_[id.value] = true;
      continue;
    }
    if (module_.facts(i).opClass == OpClass::Label) continue;
    mark(module_.resultId(i));
    markWritten(i);
  }
  splitExits(b, header);
  if (module_.opcode(module_.terminator(b)) == spv::Op::OpReturn)
    refuse(Obstacle::Return, module_.terminator(b));
}

} // namespace lanewise
