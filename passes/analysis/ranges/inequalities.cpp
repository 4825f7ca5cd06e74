#include "analysis/ranges/inequalities.h"

#include "analysis/ranges/input_ranges.h"

#include <algorithm>
#include <deque>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise {
namespace {

/// Steps of a proof, and all that are looked at for one.
constexpr uint32_t kMaxDepth = 4, kBudget = 24;

bool isGlsl(const Module& module, InstRef i) {
  return module.opcode(i) == spv::Op::OpExtInst &&
         module.extInstSet(module.idAt(i, 3)) == ExtInstSet::GlslStd450;
}

} // namespace

// ---- what is asked ----

std::optional<bool> Inequalities::decide(Relation relation, bool isSigned, Slot a, Slot b,
                                         BlockRef block, Proof* proof) {
  if (!a || !b || slots_.info(a).isUndef || slots_.info(b).isUndef) return std::nullopt;
  if (slots_.info(a).width != slots_.info(b).width) return std::nullopt;
  block_ = block;
  known_.clear();
  test_ = {};
  const IntegerRange ra = rangeOf(a), rb = rangeOf(b);
  if (ra.isEmpty() || rb.isEmpty()) return std::nullopt;
  if (proof) *proof = {ra, rb, {}, true};
  const auto isProved = [&](Slot less, Slot more, Wide distance, bool asSigned) {
    isSigned_ = asSigned;
    budget_ = kBudget;
    test_ = {};
    if (!prove(less, more, distance, kMaxDepth)) return false;
    if (proof) proof->test = test_;
    if (proof) proof->isByRanges = mostOf(less) - leastOf(more) <= distance;
    return true;
  };
  switch (relation) {
  case Relation::Less:
    if (isProved(a, b, -1, isSigned)) return true;
    if (isProved(b, a, 0, isSigned)) return false;
    return std::nullopt;
  case Relation::LessEqual:
    if (isProved(a, b, 0, isSigned)) return true;
    if (isProved(b, a, -1, isSigned)) return false;
    return std::nullopt;
  case Relation::Greater:
  case Relation::GreaterEqual: {
    const auto verdict = decide(mirrored(relation), isSigned, b, a, block, proof);
    if (proof) std::swap(proof->a, proof->b);
    return verdict;
  }
  default:
    break;
  }
  const bool onEqual = relation == Relation::Equal;
  if (ra.intersected(rb).isEmpty()) return !onEqual;
  for (const bool asSigned : {false, true})
    if (isProved(a, b, -1, asSigned) || isProved(b, a, -1, asSigned)) return !onEqual;
  if (isProved(a, b, 0, false) && isProved(b, a, 0, false)) return onEqual;
  return std::nullopt;
}

const IntegerRange& Inequalities::rangeOf(Slot slot) {
  for (const auto& [known, range] : known_)
    if (known == slot) return range;
  return known_.emplace_back(slot, ranges_.at(slot, block_)).second;
}

Inequalities::Wide Inequalities::leastOf(Slot slot) {
  const IntegerRange& r = rangeOf(slot);
  return isSigned_ ? Wide(r.leastSigned()) : Wide(r.least());
}
Inequalities::Wide Inequalities::mostOf(Slot slot) {
  const IntegerRange& r = rangeOf(slot);
  return isSigned_ ? Wide(r.mostSigned()) : Wide(r.most());
}

/// Whether what holds of the two as signed (or unsigned) numbers holds as it is asked.
bool Inequalities::agrees(bool isSigned, Slot a, Slot b) {
  return isSigned == isSigned_ || (rangeOf(a).isNonNegative() && rangeOf(b).isNonNegative());
}

// ---- the search ----

/// a <= b + distance.
bool Inequalities::prove(Slot a, Slot b, Wide distance, uint32_t depth) {
  if (a == b) return distance >= 0;
  if (rangeOf(a).isEmpty() || rangeOf(b).isEmpty()) return false;
  if (mostOf(a) - leastOf(b) <= distance) return true;
  if (distance >= -1 && agrees(false, a, b) && isBelowByDefinition(a, b)) return true;
  if (depth == 0 || budget_ == 0) return false;
  --budget_;
  for (const Step& step : stepsFrom(a, true, depth))
    if (prove(step.to, b, distance - step.distance, depth - 1)) {
      if (step.test) test_ = step.test;
      return true;
    }
  for (const Step& step : stepsFrom(b, false, depth))
    if (prove(a, step.to, distance - step.distance, depth - 1)) {
      if (step.test) test_ = step.test;
      return true;
    }
  return proveByAll(a, b, distance, depth);
}

/// Where one of the two is one of several values: by all of them.
bool Inequalities::proveByAll(Slot a, Slot b, Wide distance, uint32_t depth) {
  const auto alternatives = [&](Slot slot, uint32_t unsignedOp, uint32_t signedOp, Slot& p,
                                Slot& q) {
    const InstRef def = slots_.info(slot).def;
    if (!def || !module_.blockOf(def) || slots_.info(slot).isRelaxed) return false;
    const bool isChoice = module_.opcode(def) == spv::Op::OpSelect;
    if (!isChoice && !(isGlsl(module_, def) &&
                       (module_.word(def, 4) == unsignedOp || module_.word(def, 4) == signedOp)))
      return false;
    p = operand(slot, isChoice ? 4 : 5);
    q = operand(slot, isChoice ? 5 : 6);
    return p && q;
  };
  Slot p, q;
  if (alternatives(a, GLSLstd450UMax, GLSLstd450SMax, p, q) && prove(p, b, distance, depth - 1) &&
      prove(q, b, distance, depth - 1))
    return true;
  return alternatives(b, GLSLstd450UMin, GLSLstd450SMin, p, q) &&
         prove(a, p, distance, depth - 1) && prove(a, q, distance, depth - 1);
}

/// Built-ins that are less than others by what they are.
bool Inequalities::isBelowByDefinition(Slot a, Slot b) {
  const ValueSlots::Info below = slots_.info(a), above = slots_.info(b);
  if (!below.def || !module_.blockOf(below.def) || !above.def) return false;
  const auto part = builtInOf(analyses_, below.def, below.component);
  if (!part) return false;
  const BlockRef block = module_.blockOf(above.def);
  if (!block)
    return part->builtIn == spv::BuiltIn::LocalInvocationId && above.component == 0 &&
           isWorkgroupSize(analyses_, module_.functionOf(module_.blockOf(below.def)),
                           part->component, module_.resultId(above.def));
  const auto other = builtInOf(analyses_, above.def, above.component);
  // Elsewhere, invocations may move to another subgroup between two loads.
  if (!other || !runsInWorkgroups(analyses_, module_.functionOf(block))) return false;
  return (part->builtIn == spv::BuiltIn::SubgroupLocalInvocationId &&
          other->builtIn == spv::BuiltIn::SubgroupSize) ||
         (part->builtIn == spv::BuiltIn::SubgroupId &&
          other->builtIn == spv::BuiltIn::NumSubgroups);
}

// ---- steps ----

Slot Inequalities::operand(Slot slot, uint32_t word) const {
  const ValueSlots::Info info = slots_.info(slot);
  return slots_.of(module_.idAt(info.def, word), info.component);
}

Inequalities::Steps Inequalities::stepsFrom(Slot slot, bool isUp, uint32_t depth) {
  Steps steps;
  addTests(slot, isUp, steps);
  const InstRef def = slots_.info(slot).def;
  if (!def || !module_.blockOf(def) || slots_.info(slot).isRelaxed) return steps;
  const spv::Op op = module_.opcode(def);
  if (isGlsl(module_, def)) {
    addGlsl(module_.word(def, 4), slot, isUp, steps);
    return steps;
  }
  switch (op) {
  case spv::Op::OpIAdd:
  case spv::Op::OpISub:
    addSum(op, operand(slot, 3), operand(slot, 4), isUp, depth, steps);
    break;
  case spv::Op::OpBitwiseAnd:
  case spv::Op::OpBitwiseOr:
  case spv::Op::OpShiftRightLogical:
  case spv::Op::OpUDiv:
  case spv::Op::OpUMod:
    addOperation(op, operand(slot, 3), operand(slot, 4), isUp, steps);
    break;
  case spv::Op::OpUConvert:
  case spv::Op::OpSConvert: {
    const Slot from = operand(slot, 3);
    if (from && slots_.info(from).width < slots_.info(slot).width &&
        agrees(op == spv::Op::OpSConvert, from, slot))
      steps.push_back({from, 0, {}});
    break;
  }
  default:
    break;
  }
  return steps;
}

void Inequalities::addTests(Slot slot, bool isUp, Steps& steps) {
  ranges_.facts().forEach(slot, block_, [&](const Fact& fact) {
    const Relation relation = isUp ? fact.relation : mirrored(fact.relation);
    // With the value on the lower side: of an upper bound, or of what is above a lower one.
    const bool isStrict = relation == Relation::Less;
    if (!isStrict && relation != Relation::LessEqual && relation != Relation::Equal) return;
    if (relation != Relation::Equal && !agrees(fact.isSigned, fact.a, fact.b)) return;
    steps.push_back({fact.b, isStrict ? -1 : 0, fact.source});
  });
}

/// p + q and p - q as integers, less whole turns: where all of them wrap around equally often.
void Inequalities::addSum(spv::Op op, Slot p, Slot q, bool isUp, uint32_t depth, Steps& steps) {
  if (!p || !q) return;
  const bool isSum = op == spv::Op::OpIAdd;
  const uint32_t width = slots_.info(p).width;
  const Wide turn = Wide(1) << width, shift = isSigned_ ? turn / 2 : Wide(0);
  const Wide leastQ = leastOf(q), mostQ = mostOf(q);
  const Wide least = leastOf(p) + (isSum ? leastQ : -mostQ);
  const Wide most = mostOf(p) + (isSum ? mostQ : -leastQ);
  Wide turns = (least + shift) >> width;
  if (turns != (most + shift) >> width) {
    // What is at most p may be taken from it.
    if (isSum || isSigned_ || depth == 0 || !prove(q, p, 0, depth - 1)) return;
    turns = 0;
  }
  const Wide off = turns * turn;
  // value = p +- q - off
  if (isUp)
    steps.push_back({p, (isSum ? mostQ : -leastQ) - off, {}});
  else
    steps.push_back({p, off - (isSum ? leastQ : -mostQ), {}});
  if (isSum) steps.push_back({q, isUp ? mostOf(p) - off : off - leastOf(p), {}});
}

/// As unsigned numbers, or where they are the same as signed ones.
void Inequalities::addOperation(spv::Op op, Slot p, Slot q, bool isUp, Steps& steps) {
  if (!p || !q || !agrees(false, p, q)) return;
  const bool isOr = op == spv::Op::OpBitwiseOr;
  if (isOr == isUp) return;
  if (op == spv::Op::OpShiftRightLogical && rangeOf(q).most() >= slots_.info(p).width) return;
  const bool isDivision = op == spv::Op::OpUDiv || op == spv::Op::OpUMod;
  if (isDivision && rangeOf(q).least() == 0) return;
  steps.push_back({p, 0, {}});
  if (isOr || op == spv::Op::OpBitwiseAnd) steps.push_back({q, 0, {}});
  if (op == spv::Op::OpUMod) steps.push_back({q, -1, {}});
}

void Inequalities::addGlsl(uint32_t instruction, Slot slot, bool isUp, Steps& steps) {
  const bool isMin = instruction == GLSLstd450UMin || instruction == GLSLstd450SMin;
  const bool isMax = instruction == GLSLstd450UMax || instruction == GLSLstd450SMax;
  const bool isClamp = instruction == GLSLstd450UClamp || instruction == GLSLstd450SClamp;
  if ((!isMin && !isMax && !isClamp) || (isMin && !isUp) || (isMax && isUp)) return;
  const bool isSigned = instruction == GLSLstd450SMin || instruction == GLSLstd450SMax ||
                        instruction == GLSLstd450SClamp;
  const Slot p = operand(slot, 5), q = operand(slot, 6);
  if (!p || !q || !agrees(isSigned, p, q)) return;
  if (!isClamp) {
    steps.push_back({p, 0, {}});
    steps.push_back({q, 0, {}});
    return;
  }
  // Undefined unless the bounds are in order.
  const Slot high = operand(slot, 7);
  if (!high || !agrees(isSigned, q, high) || mostOf(q) > leastOf(high)) return;
  steps.push_back({isUp ? high : q, 0, {}});
}

} // namespace lanewise
