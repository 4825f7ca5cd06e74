// --sink: what one side of a branch alone needs, in that side
//
// What         Moves arithmetic to where all its uses are: into an arm, or behind the loop that
//              does not use it.
// Legal when   It has no effect but its result, which depends neither on memory nor on which
//              invocations execute it. It never gets into a loop.
// Pays when    What goes to one place costs 32 additions or more: drivers keep the branch around
//              it then. Below that they flatten short arms, which have become longer, and an H200
//              gains nothing. What the subgroup has once counts only where whole subgroups pass
//              by. No more registers are alive on the way, or few are. A quotient stays with the
//              remainder of the same operands.
// Before       %v = OpExtInst %mat4 %glsl MatrixInverse %m
//              OpBranchConditional %c %then %merge
//              %then: OpStore %p %v
// After        OpBranchConditional %c %then %merge
//              %then: %v = OpExtInst %mat4 %glsl MatrixInverse %m
//              OpStore %p %v
// Debug info   Ids stay; lines go along, and so does what is said of a value in its own block. What
//              is said of it elsewhere, where it is not computed now, goes.
// Not handled  Loads: an arm that has its own waits for them by itself (of 618 shaders two became
//              4 and 32 % dearer, as many gained). Values that two arms of three need.
// Reference    LLVM, SinkingPass. Measured in docs/passes/sink.md.
#include "analysis/branches/operation_cost.h"
#include "analysis/branches/register_pressure.h"
#include "analysis/branches/speculation.h"
#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "transforms/debug_cursor.h"
#include "transforms/flatten_selections.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace lanewise {
namespace {

struct Options {
  /// Of what goes to one place, in additions (operationCost()).
  double leastGain = 32;
  /// Uses of a dividend that are looked at; blocks on the way, where registers may be few.
  uint32_t maxUses = 64, maxBlocksBetween = 256;
  /// Of looking where else something may go that does not pay; it goes there then.
  uint32_t maxRounds = 16;
};

class Sinking {
public:
  Sinking(PassContext& context, Rewriter& rewriter)
      : profile_(context.target), analyses_(context.analyses), module_(context.module),
        rewriter_(rewriter), cfg_(analyses_.get<Cfg>()), dominance_(analyses_.get<Dominance>()),
        loops_(analyses_.get<Loops>()), types_(analyses_.get<Types>()),
        defUse_(analyses_.get<DefUse>()), speculation_(analyses_),
        rarer_(size_t(module_.blockCount()) + 1), target_(size_t(module_.instCount()) + 1) {}

  void run();

private:
  bool mayMove(InstRef i) const;
  BlockRef blockOfUse(const Use& use) const;
  BlockRef blockOfUses(InstRef i) const;
  BlockRef targetBefore(BlockRef at, BlockRef b) const;
  const Loop* loopLeftFor(BlockRef b) const;
  bool isRarer(BlockRef b) const;
  bool isAsOften(BlockRef target, BlockRef b);
  void collect(FunctionRef f);

  bool isOnceASubgroup(InstRef i) const;
  bool leavesTwin(InstRef i) const;
  bool takesRegisters(BlockRef target, const std::vector<InstRef>& group, bool isAsOften);
  void select();
  void write();

  const TargetProfile& profile_;
  Analyses& analyses_;
  const Module& module_;
  Rewriter& rewriter_;
  const Cfg& cfg_;
  const Dominance& dominance_;
  const Loops& loops_;
  const Types& types_;
  const DefUse& defUse_;
  Speculation speculation_;
  const Options options_;
  std::vector<BlockRef> rarer_;  ///< by BlockRef: it or the nearest above it that isRarer()
  std::vector<BlockRef> target_; ///< by InstRef: where it goes, null: it stays
  std::vector<InstRef> moved_;   ///< uses first
  std::map<std::pair<BlockRef, BlockRef>, bool> asOften_; ///< what isAsOften() has found
  std::optional<RegisterPressure> pressure_;
};

bool Sinking::mayMove(InstRef i) const {
  if (!module_.resultType(i) || module_.opcode(i) == spv::Op::OpPhi ||
      module_.facts(i).opClass != OpClass::Value || isDebugInstruction(module_, i) ||
      has(module_.effects(i), Effect::ReadsMemory) ||
      speculation_.blockerOfMoving(i) != SpeculationBlocker::None)
    return false;
  bool isBound = false; // to its block, with what must be used there (SPIR-V 3.42.10)
  module_.forEachIdOperand(i, [&](uint32_t, Id operand) {
    const InstRef def = module_.def(operand);
    isBound = isBound || (def && module_.opcode(def) == spv::Op::OpSampledImage);
  });
  return !isBound;
}

/// Where the value has to be there; null for what only says something about it.
BlockRef Sinking::blockOfUse(const Use& use) const {
  const BlockRef b = module_.blockOf(use.user);
  if (!b || isDebugInstruction(module_, use.user)) return {};
  if (target_[use.user.value]) return target_[use.user.value];
  if (module_.opcode(use.user) != spv::Op::OpPhi) return b;
  return module_.blockOf(module_.def(module_.idAt(use.user, use.word + 1)));
}

/// The nearest block through which all paths to its uses lead; null when it has none.
BlockRef Sinking::blockOfUses(InstRef i) const {
  BlockRef first, last; // in the walk down the dominator tree
  for (const Use& use : defUse_.uses(module_.resultId(i))) {
    const BlockRef b = blockOfUse(use);
    if (!b) continue;
    if (!cfg_.isReachable(b)) return {};
    if (!first || dominance_.preorder(b) < dominance_.preorder(first)) first = b;
    if (!last || dominance_.preorder(b) > dominance_.preorder(last)) last = b;
  }
  return dominance_.commonDominator(first, last);
}

/// The furthest block on the way from `b` to `at` that is executed less often than `b`, or null.
BlockRef Sinking::targetBefore(BlockRef at, BlockRef b) const {
  while (at && at != b && dominance_.dominates(b, at)) {
    at = rarer_[at.value];
    const Loop* loop = loops_.innermost(at);
    if (!loop || loops_.contains(*loop, b)) break;
    at = dominance_.idom(loop->header);
  }
  return at && at != b && dominance_.dominates(b, at) ? at : BlockRef();
}

/// The loop that all ways from its immediate dominator leave to come to it, or null.
const Loop* Sinking::loopLeftFor(BlockRef b) const {
  const BlockRef above = dominance_.idom(b);
  if (!above || !dominance_.postDominates(b, above)) return nullptr;
  const Loop* left = loops_.innermost(above);
  return left && !loops_.contains(*left, b) ? left : nullptr;
}

/// Whether a way from its immediate dominator may not come to it, or it is not in a loop of that.
bool Sinking::isRarer(BlockRef b) const {
  const BlockRef above = dominance_.idom(b);
  return !above || !dominance_.postDominates(b, above) || loopLeftFor(b);
}

/// Whether nothing but whole loops stands between `b` and the target of what is in `b`.
bool Sinking::isAsOften(BlockRef target, BlockRef b) {
  const auto [known, isNew] = asOften_.try_emplace({target, b}, true);
  if (!isNew) return known->second;
  for (BlockRef at = rarer_[target.value]; at != b && dominance_.dominates(b, at);) {
    const Loop* left = loopLeftFor(at);
    if (!left || loops_.contains(*left, b)) return known->second = false;
    at = rarer_[dominance_.idom(left->header).value];
  }
  return true;
}

void Sinking::collect(FunctionRef f) {
  const auto order = cfg_.reversePostOrder(f);
  for (BlockRef b : order) rarer_[b.value] = isRarer(b) ? b : rarer_[dominance_.idom(b).value];
  for (size_t n = order.size(); n-- > 0;) {
    const InstRange insts = module_.blockInsts(order[n]);
    for (InstRef i = insts.last; i > insts.first;) {
      i = InstRef(i.value - 1);
      if (mayMove(i)) target_[i.value] = targetBefore(blockOfUses(i), order[n]);
      if (target_[i.value]) moved_.push_back(i);
    }
  }
}

// ---- what pays ----

/// An integer that scalar units compute, for all lanes that are there.
bool Sinking::isOnceASubgroup(InstRef i) const {
  const TypeInfo& type = types_.info(module_.resultType(i));
  const TypeInfo::Kind kind =
      type.kind == TypeInfo::Kind::Vector ? types_.info(type.element).kind : type.kind;
  if (kind != TypeInfo::Kind::Int && kind != TypeInfo::Kind::Bool) return false;
  return uniformityOf(analyses_, UniformScope::Subgroup).isUniform(module_.resultId(i));
}

/// Compilers make one division of a quotient and its remainder.
bool Sinking::leavesTwin(InstRef i) const {
  if (costClassOf(module_, i) != CostClass::IntegerDivide) return false;
  const auto uses = defUse_.uses(module_.idAt(i, 3));
  if (uses.size() > options_.maxUses) return true;
  return std::ranges::any_of(uses, [&](const Use& use) {
    return use.user != i && use.word == 3 &&
           costClassOf(module_, use.user) == CostClass::IntegerDivide &&
           module_.idAt(use.user, 4) == module_.idAt(i, 4) &&
           target_[use.user.value] != target_[i.value];
  });
}

/// Whether what the group is made of would be alive on the way, instead of what it makes, and
/// registers are not few. What is executed as often there goes for nothing else than fewer
/// registers.
bool Sinking::takesRegisters(BlockRef target, const std::vector<InstRef>& group, bool isAsOften) {
  const auto isIn = [&](InstRef i) { return target_[i.value] == target; };
  const Uniformity& uniformity = uniformityOf(analyses_, UniformScope::Subgroup);
  std::set<InstRef> inputs;
  uint32_t made = 0, needed = 0, from = cfg_.rpoIndex(target);
  for (InstRef i : group) {
    from = std::min(from, cfg_.rpoIndex(module_.blockOf(i)));
    const bool counts = !isAsOften || !uniformity.isUniform(module_.resultId(i));
    if (counts && std::ranges::any_of(defUse_.uses(module_.resultId(i)), [&](const Use& use) {
          return blockOfUse(use) && !isIn(use.user);
        }))
      made += registersOf(analyses_, module_.resultType(i));
    module_.forEachIdOperand(i, [&](uint32_t, Id operand) {
      const InstRef def = module_.def(operand);
      if (def && module_.blockOf(def) && !isIn(def) && !uniformity.isUniform(operand))
        inputs.insert(def);
    });
  }
  // What other groups are made of as well, or what is needed there anyhow, is alive on the way.
  for (InstRef input : inputs)
    if (std::ranges::none_of(defUse_.uses(module_.resultId(input)), [&](const Use& use) {
          const BlockRef b = blockOfUse(use);
          return b && !isIn(use.user) &&
                 (target_[use.user.value] || cfg_.rpoIndex(b) >= cfg_.rpoIndex(target));
        }))
      needed += registersOf(analyses_, module_.resultType(input));
  if (isAsOften) return needed >= made;
  if (needed <= made) return false;
  if (cfg_.rpoIndex(target) - from > options_.maxBlocksBetween) return true;
  if (!pressure_) pressure_.emplace(analyses_);
  uint32_t live = 0;
  for (BlockRef b : cfg_.reversePostOrder(module_.functionOf(target))
                        .subspan(from, cfg_.rpoIndex(target) - from))
    live = std::max(live, pressure_->atEnd(b));
  return live + needed - made > profile_.registersPerLane / 2;
}

/// Of what may move, what pays where it goes, or less far; and nothing that is needed earlier then.
void Sinking::select() {
  const Uniformity& uniformity = uniformityOf(analyses_, UniformScope::Subgroup);
  for (uint32_t round = 1;; ++round) {
    std::map<BlockRef, std::vector<InstRef>> groups;
    std::map<BlockRef, double> costs, gains;
    for (InstRef i : moved_) {
      const BlockRef target = target_[i.value];
      groups[target].push_back(i);
      if (!uniformity.isUniform(target) && isOnceASubgroup(i)) continue;
      const double cost = operationCost(analyses_, profile_, i);
      costs[target] += cost;
      if (!isAsOften(target, module_.blockOf(i))) gains[target] += cost;
    }
    // Innermost first: what is refused there may be what pays further out.
    std::map<uint32_t, BlockRef> refused; // by place in the dominator tree
    if (round <= options_.maxRounds)
      for (const auto& [target, group] : groups)
        if (costs[target] < options_.leastGain ||
            takesRegisters(target, group, gains[target] < options_.leastGain))
          refused[dominance_.preorder(target)] = target;
    std::erase_if(refused, [&](const auto& r) {
      const auto next = refused.upper_bound(r.first);
      return next != refused.end() && next->first <= dominance_.lastPreorder(r.second);
    });
    bool isStable = true;
    for (InstRef i : moved_) {
      BlockRef& target = target_[i.value];
      const BlockRef uses = blockOfUses(i);
      // Does not come up, since what it is made of goes as far: a guard.
      const bool isEarly = !dominance_.dominates(target, uses);
      if (!isEarly && !refused.contains(dominance_.preorder(target)) &&
          (round > options_.maxRounds || !leavesTwin(i)))
        continue;
      isStable = false;
      target = targetBefore(isEarly ? uses : dominance_.idom(target), module_.blockOf(i));
    }
    std::erase_if(moved_, [&](InstRef i) { return !target_[i.value]; });
    if (isStable) return;
  }
}

void Sinking::write() {
  std::ranges::sort(moved_); // what is used first
  std::vector<InstMove> moves;
  std::map<BlockRef, InstRef> places;
  for (InstRef i : moved_) {
    const BlockRef target = target_[i.value];
    InstRef& before = places[target];
    if (!before) {
      // Directly behind the phis: debug instructions at the beginning may speak of what moves.
      before = InstRef(module_.blockInsts(target).first.value + 1);
      for (InstRef phi : phisOf(module_, target)) before = InstRef(phi.value + 1);
    }
    moves.push_back({i, before});
  }
  moveInstructions(module_, rewriter_, moves, [&](const InstMove& move) {
    for (const Use& use : defUse_.uses(module_.resultId(move.inst))) {
      const BlockRef at = module_.blockOf(use.user);
      if (!at || !isDebugInstruction(module_, use.user) ||
          dominance_.dominates(module_.blockOf(move.before), at))
        continue;
      if (at == module_.blockOf(move.inst))
        rewriter_.insertBefore(move.before, Inst(module_.inst(use.user)));
      rewriter_.erase(use.user);
    }
  });
}

void Sinking::run() {
  for (uint32_t f = 1; f <= module_.functionCount(); ++f)
    if (cfg_.reversePostOrder(FunctionRef(f)).size() > 1) collect(FunctionRef(f));
  if (moved_.empty()) return;
  select();
  write();
}

} // namespace

PassResult runSink(PassContext& context) {
  Rewriter rewriter(context.module);
  Sinking(context, rewriter).run();
  return commitEdits(context, rewriter, PreservedAnalyses::of<Cfg, Dominance>());
}

} // namespace lanewise
