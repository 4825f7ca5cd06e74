#include "coarsening/waiting_loops.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/barriers.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"

#include <algorithm>

namespace lanewise {

InstRef WaitingLoops::find(FunctionRef function) {
  const Loops& loops = analyses_.get<Loops>();
  for (const Loop& loop : loops.all())
    if (module_.functionOf(loop.header) == function)
      if (const InstRef place = findIn(loops, loop)) return place;
  return {};
}

InstRef WaitingLoops::findIn(const Loops& loops, const Loop& loop) {
  if (hasBarrierEachTime(loop)) return {};
  seen_.assign(module_.idBound(), false);
  isAdded_.assign(module_.blockCount() + 1, false);
  work_.clear();
  addExits(loops, loop);
  while (!work_.empty()) {
    const InstRef def = module_.def(work_.back());
    work_.pop_back();
    const BlockRef b = module_.blockOf(def);
    if (!b || !loops.contains(loop, b)) continue;
    if (mayChange(def)) return def;
    addOperands(def, loops, loop);
  }
  return {};
}

/// Whether every iteration that goes back comes by the block.
bool WaitingLoops::isPassedEachTime(const Loop& loop, BlockRef b) {
  const Dominance& dominance = analyses_.get<Dominance>();
  const auto from = analyses_.get<Cfg>().predecessors(loop.header);
  return std::all_of(from.begin(), from.end(), [&](BlockRef p) {
    return !dominance.dominates(loop.header, p) || dominance.dominates(b, p);
  });
}

bool WaitingLoops::hasBarrierEachTime(const Loop& loop) {
  return std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](BlockRef b) {
    const InstRange all = module_.blockInsts(b);
    const bool hasBarrier = std::any_of(all.begin(), all.end(), [&](InstRef i) {
      return module_.opcode(i) == spv::Op::OpControlBarrier;
    });
    return hasBarrier && isPassedEachTime(loop, b);
  });
}

void WaitingLoops::add(Id value) {
  if (!value || seen_[value.value]) return;
  seen_[value.value] = true;
  work_.push_back(value);
}

/// What decides whether the loop is left: the tests that lead out of it, and what decides whether
/// an iteration comes to them.
void WaitingLoops::addExits(const Loops& loops, const Loop& loop) {
  bool isSkipped = false; // a test, by an iteration that is cut short
  const auto addWay = [&](BlockRef b) {
    if (analyses_.get<Cfg>().successors(b).size() > 1) add(module_.idAt(module_.terminator(b), 1));
    if (isSkipped) addConditionsAround(b, loop.header);
  };
  const auto forEachWay = [&](auto&& isOne) {
    for (BlockRef b : loop.blocks)
      for (BlockRef to : analyses_.get<Cfg>().successors(b))
        if (isOne(b, to)) addWay(b);
  };
  forEachWay([&](BlockRef b, BlockRef to) {
    const bool leaves = !loops.contains(loop, to);
    isSkipped = isSkipped || (leaves && !isPassedEachTime(loop, b));
    return leaves;
  });
  if (!isSkipped) return;
  forEachWay([&](BlockRef, BlockRef to) {
    return !loops.contains(loop, to) || to == loop.header ||
           nesting_.headerOfContinue(to) == loop.header;
  });
}

/// The conditions of constructs around a block, up to that of `header`.
void WaitingLoops::addConditionsAround(BlockRef b, BlockRef header) {
  for (BlockRef around = nesting_.enclosing(b); around && around != header;
       around = nesting_.enclosing(around))
    addConditionsOf(around);
}

/// All conditions by which control goes one way or another in a construct.
void WaitingLoops::addConditionsOf(BlockRef construct) {
  if (isAdded_[construct.value]) return;
  isAdded_[construct.value] = true;
  const Cfg& cfg = analyses_.get<Cfg>();
  const auto addBranch = [&](BlockRef b) {
    if (cfg.successors(b).size() > 1) add(module_.idAt(module_.terminator(b), 1));
  };
  addBranch(construct);
  for (BlockRef b : nesting_.order(module_.functionOf(construct)))
    for (BlockRef around = nesting_.enclosing(b); around; around = nesting_.enclosing(around))
      if (around == construct) addBranch(b);
}

void WaitingLoops::addOperands(InstRef def, const Loops& loops, const Loop& loop) {
  const BlockRef b = module_.blockOf(def);
  if (module_.opcode(def) == spv::Op::OpPhi) {
    if (const BlockRef header = nesting_.headerOfMerge(b)) addConditionsOf(header);
    if (const Loop* inner = loops.innermost(b); inner && inner->header == b && inner != &loop)
      addConditionsOf(b);
  }
  module_.forEachIdOperand(def, [&](uint32_t, Id id) {
    const InstRef operand = module_.def(id);
    if (operand && module_.facts(operand).opClass != OpClass::Label) add(id);
  });
  if (module_.opcode(def) != spv::Op::OpLoad) return;
  const auto storage = analyses_.get<Types>().storageOf(module_.idAt(def, 3));
  if (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private)
    addStores(originOf(analyses_, module_.idAt(def, 3)).variable, loop);
}

/// What the loop puts into a variable of the invocation's own; null: into any.
void WaitingLoops::addStores(Id variable, const Loop& loop) {
  for (BlockRef b : loop.blocks)
    for (InstRef i : module_.blockInsts(b)) {
      if (!has(module_.effects(i), Effect::WritesMemory)) continue;
      bool isIt = false;
      module_.forEachIdOperand(i, [&](uint32_t, Id id) {
        if (!analyses_.get<Types>().storageOf(id)) return;
        const Id to = originOf(analyses_, id).variable;
        isIt = isIt || !to || !variable || to == variable;
      });
      if (!isIt) continue;
      module_.forEachIdOperand(i, [&](uint32_t, Id id) { add(id); });
      addConditionsAround(b, loop.header);
    }
}

/// Whether another invocation may write what the instruction reads.
bool WaitingLoops::mayChange(InstRef access) const {
  for (const MemoryAccess& a : effects_.in({access, InstRef(access.value + 1)})) {
    if (a.isAtomic || a.signalReach > 0) return true;
    for (const MemoryAccess& w : effects_.all())
      if (w.isWrite && w.memory == a.memory &&
          effects_.aliasing(a.variable, w.variable) != Aliasing::None)
        return true;
  }
  return false;
}

} // namespace lanewise
