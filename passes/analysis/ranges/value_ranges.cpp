#include "analysis/ranges/value_ranges.h"

#include "analysis/ranges/input_ranges.h"
#include "analysis/ranges/stated_facts.h"

#include <algorithm>
#include <array>

namespace lanewise {
namespace {

/// Rounds over a loop: from which on bounds that grow are given up, from which on bits are, and
/// after which everything in the loop is.
constexpr uint32_t kWidenFrom = 1, kDropBitsFrom = 4, kMostRounds = 12;
/// Rounds that make ranges smaller again.
constexpr uint32_t kNarrowRounds = 2;
/// Instructions one behind another that are looked at again with what a branch says.
constexpr uint32_t kDepth = 3;

constexpr uint32_t kMostOperands = 4;

/// Whether all values are the same in an integer of 16 bits, signed or not.
bool fitsRelaxed(const IntegerRange& range) {
  return range.width() <= 16 ||
         (range.leastSigned() >= INT16_MIN && range.mostSigned() <= INT16_MAX);
}

/// Words of the operands whose ranges decide the outcome of an instruction; none: 0.
struct OperandSpan {
  uint32_t first = 0, last = 0;
};
OperandSpan operandsOfInterest(const Module& module, InstRef i) {
  const spv::Op op = module.opcode(i);
  if (comparisonOf(op)) return {3, 4};
  switch (op) {
  case spv::Op::OpBranchConditional:
  case spv::Op::OpSwitch:
    return {1, 1};
  case spv::Op::OpSelect:
  case spv::Op::OpLogicalNot:
  case spv::Op::OpAny:
  case spv::Op::OpAll:
    return {3, 3};
  case spv::Op::OpLogicalAnd:
  case spv::Op::OpLogicalOr:
  case spv::Op::OpLogicalEqual:
  case spv::Op::OpLogicalNotEqual:
  case spv::Op::OpUDiv:
  case spv::Op::OpUMod:
  case spv::Op::OpSDiv:
  case spv::Op::OpSRem:
  case spv::Op::OpSMod:
  case spv::Op::OpBitwiseAnd:
    return {3, 4};
  case spv::Op::OpExtInst:
    return module.extInstSet(module.idAt(i, 3)) == ExtInstSet::GlslStd450 && module.wordCount(i) > 5
               ? OperandSpan{5, module.wordCount(i) - 1}
               : OperandSpan{};
  default:
    return {};
  }
}

/// Integers that stand in the relation to some value of `other`.
IntegerRange allowedBy(Relation relation, bool isSigned, const IntegerRange& range,
                       const IntegerRange& other) {
  const uint32_t width = range.width();
  const auto upTo = [&](int64_t less) { // at most other - less
    if (isSigned) {
      const int64_t most = other.mostSigned();
      if (less != 0 && most == IntegerRange::all(width).leastSigned())
        return IntegerRange::none(width);
      return IntegerRange::ofSigned(width, IntegerRange::all(width).leastSigned(), most - less);
    }
    if (less != 0 && other.most() == 0) return IntegerRange::none(width);
    return IntegerRange::ofUnsigned(width, 0, other.most() - uint64_t(less));
  };
  const auto from = [&](int64_t more) { // at least other + more
    if (isSigned) {
      const int64_t least = other.leastSigned();
      if (more != 0 && least == IntegerRange::all(width).mostSigned())
        return IntegerRange::none(width);
      return IntegerRange::ofSigned(width, least + more, IntegerRange::all(width).mostSigned());
    }
    if (more != 0 && other.least() == range.mask()) return IntegerRange::none(width);
    return IntegerRange::ofUnsigned(width, other.least() + uint64_t(more), range.mask());
  };
  switch (relation) {
  case Relation::Less:
    return upTo(1);
  case Relation::LessEqual:
    return upTo(0);
  case Relation::Greater:
    return from(1);
  case Relation::GreaterEqual:
    return from(0);
  case Relation::Equal:
    return other;
  case Relation::NotEqual:
    break;
  }
  // One value alone may be cut off, at an end.
  const auto value = other.value();
  if (!value || range.isEmpty()) return IntegerRange::all(width);
  IntegerRange rest = range;
  if (*value == range.least() && *value == range.most()) return IntegerRange::none(width);
  if (*value == range.least())
    rest = rest.intersected(IntegerRange::ofUnsigned(width, *value + 1, range.mask()));
  else if (*value == range.most())
    rest = rest.intersected(IntegerRange::ofUnsigned(width, 0, *value - 1));
  const int64_t number = signedOf(*value, width);
  const IntegerRange every = IntegerRange::all(width);
  if (number == range.leastSigned() && number != every.mostSigned())
    rest = rest.intersected(IntegerRange::ofSigned(width, number + 1, every.mostSigned()));
  else if (number == range.mostSigned() && number != every.leastSigned())
    rest = rest.intersected(IntegerRange::ofSigned(width, every.leastSigned(), number - 1));
  return rest;
}

} // namespace

ValueRanges::ValueRanges(Analyses& analyses, bool usesStated)
    : analyses_(analyses), module_(analyses.module()), usesStated_(usesStated),
      cfg_(analyses.get<Cfg>()), slots_(analyses), facts_(analyses, slots_),
      isRefinable_(slots_.count()), isAsked_(slots_.count()) {
  collectAsked();
  listAsked();
  ranges_.assign(asked_.size()); // empty until their blocks are looked at
  changedAt_.resize(asked_.size());
  evaluatedAt_.resize(asked_.size());
  for (uint32_t s = 1; s < slots_.count(); ++s) isRefinable_[s] = facts_.has(Slot(s));
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) solve(FunctionRef(f));
}

IntegerRange ValueRanges::of(Slot slot) const {
  const ValueSlots::Info info = slots_.info(slot);
  if (const uint32_t place = placeOf(slot); place != kNowhere)
    return ranges_.get(place, info.width);
  return info.literal ? IntegerRange::single(info.width, *info.literal)
                      : IntegerRange::all(info.width);
}

IntegerRange ValueRanges::at(Slot slot, BlockRef block) const {
  return valueAt(slot, block, kDepth);
}

IntegerRange ValueRanges::refined(IntegerRange range, Slot slot,
                                  std::span<const Fact> facts) const {
  for (const Fact& fact : facts) {
    if (fact.a == slot) range = refinedBy(range, fact);
    if (fact.b == slot) range = refinedBy(range, fact.mirrored());
  }
  return range;
}

// ---- one value ----

IntegerRange ValueRanges::refinedBy(IntegerRange range, const Fact& fact) const {
  const IntegerRange other = of(fact.b);
  if (range.isEmpty() || other.isEmpty()) return range;
  return range.intersected(allowedBy(fact.relation, fact.isSigned, range, other));
}

/// Its range, and what branches say of itself.
IntegerRange ValueRanges::known(Slot slot, BlockRef block) const {
  IntegerRange range = of(slot);
  facts_.forEach(slot, block, [&](const Fact& fact) { range = refinedBy(range, fact); });
  return range;
}

/// What it is computed from may be known better here than where it was computed.
IntegerRange ValueRanges::valueAt(Slot slot, BlockRef block, uint32_t depth) const {
  if (slot.value >= isRefinable_.size() || !isRefinable_[slot.value]) return of(slot);
  const IntegerRange range = known(slot, block);
  const InstRef def = slots_.info(slot).def;
  if (depth == 0 || range.value() || range.isEmpty() || !def || !module_.blockOf(def) ||
      module_.opcode(def) == spv::Op::OpPhi)
    return range;
  return range.intersected(evaluated(slot, block, depth - 1));
}

Slot ValueRanges::operand(Slot slot, uint32_t word) const {
  const ValueSlots::Info info = slots_.info(slot);
  return slots_.of(module_.idAt(info.def, word), info.component);
}

IntegerRange ValueRanges::evaluatedSelect(Slot slot, BlockRef block, uint32_t depth) const {
  const Slot condition = operand(slot, 3);
  IntegerRange either = IntegerRange::none(slots_.info(slot).width);
  for (const bool isTrue : {true, false}) {
    const Slot arm = operand(slot, isTrue ? 4 : 5);
    if (!condition || !arm || !valueAt(condition, block, depth).mayHold(isTrue)) continue;
    const auto facts = facts_.of(condition, isTrue);
    either = either.joined(refined(valueAt(arm, block, depth), arm, facts));
  }
  return either;
}

IntegerRange ValueRanges::evaluatedPhi(Slot slot, InstRef phi) const {
  const BlockRef block = module_.blockOf(phi);
  IntegerRange all = IntegerRange::none(slots_.info(slot).width);
  for (uint32_t w = 3; w + 1 < module_.wordCount(phi); w += 2) {
    const BlockRef from = module_.blockOfLabel(module_.idAt(phi, w + 1));
    if (!from || !cfg_.isReachable(from)) continue;
    const Slot incoming = operand(slot, w);
    if (!incoming) return IntegerRange::all(slots_.info(slot).width);
    all = all.joined(refined(known(incoming, from), incoming, facts_.onEdge(from, block)));
  }
  return all;
}

/// By the specification, and by what the user states.
IntegerRange ValueRanges::inputRange(Slot slot) const {
  const ValueSlots::Info info = slots_.info(slot);
  IntegerRange range = IntegerRange::all(info.width);
  if (module_.opcode(info.def) == spv::Op::OpLoad)
    range = rangeOfLoad(analyses_, info.def, info.component, info.width);
  else if (module_.opcode(info.def) == spv::Op::OpArrayLength)
    range = rangeOfArrayLength(analyses_, info.def, info.width);
  if (!usesStated_) return range;
  // Facts that contradict one another leave nothing: then nothing follows from them.
  const IntegerRange both =
      range.intersected(statedRange(analyses_, info.def, info.component, info.width));
  return both.isEmpty() ? range : both;
}

/// What its instruction makes of the ranges that the operands have in `block`.
IntegerRange ValueRanges::evaluated(Slot slot, BlockRef block, uint32_t depth) const {
  const IntegerRange range = evaluatedExactly(slot, block, depth);
  const ValueSlots::Info info = slots_.info(slot);
  return !info.isRelaxed || range.isEmpty() || fitsRelaxed(range) ? range
                                                                  : IntegerRange::all(info.width);
}

IntegerRange ValueRanges::evaluatedExactly(Slot slot, BlockRef block, uint32_t depth) const {
  const ValueSlots::Info info = slots_.info(slot);
  const spv::Op op = module_.opcode(info.def);
  switch (op) {
  case spv::Op::OpPhi:
    return evaluatedPhi(slot, info.def);
  case spv::Op::OpSelect:
    return evaluatedSelect(slot, block, depth);
  case spv::Op::OpLoad:
  case spv::Op::OpArrayLength:
  case spv::Op::OpCompositeExtract:
    return inputRange(slot);
  case spv::Op::OpAny:
  case spv::Op::OpAll: {
    IntegerRange r = IntegerRange::single(1, op == spv::Op::OpAll);
    for (Slot part : slots_.of(module_.idAt(info.def, 3))) {
      const IntegerRange pair[] = {r, valueAt(part, block, depth)};
      r = rangeOfInteger(op == spv::Op::OpAll ? spv::Op::OpLogicalAnd : spv::Op::OpLogicalOr, 1,
                         pair);
    }
    return r;
  }
  default:
    break;
  }
  const bool isGlsl = op == spv::Op::OpExtInst &&
                      module_.extInstSet(module_.idAt(info.def, 3)) == ExtInstSet::GlslStd450;
  const uint32_t base = isGlsl ? 5 : 3, count = module_.wordCount(info.def) - base;
  if (count == 0 || count > kMostOperands || (!isGlsl && !module_.facts(info.def).onlyIds))
    return IntegerRange::all(info.width);
  std::array<IntegerRange, kMostOperands> operands;
  for (uint32_t n = 0; n < count; ++n) {
    const Slot from = operand(slot, base + n);
    if (!from) return IntegerRange::all(info.width);
    operands[n] = valueAt(from, block, depth);
  }
  const std::span<const IntegerRange> these(operands.data(), count);
  if (info.isRelaxed && !std::all_of(these.begin(), these.end(), fitsRelaxed))
    return IntegerRange::all(info.width);
  return isGlsl ? rangeOfGlslInteger(module_.word(info.def, 4), info.width, these)
                : rangeOfInteger(op, info.width, these);
}

// ---- all values ----

void ValueRanges::ask(Slot slot, std::vector<Slot>& work) {
  if (!slot || slot.value >= isAsked_.size() || isAsked_[slot.value]) return;
  isAsked_[slot.value] = true;
  work.push_back(slot);
}

/// Conditions and operands of what may have a certain outcome, all that these are computed from,
/// and what branches compare them with.
void ValueRanges::collectAsked() {
  std::vector<Slot> work;
  const auto askOf = [&](Id id) {
    for (Slot slot : slots_.of(id)) ask(slot, work);
  };
  for (uint32_t b = 1; b <= module_.blockCount(); ++b) {
    if (!cfg_.isReachable(BlockRef(b))) continue;
    for (InstRef i : module_.blockInsts(BlockRef(b)))
      if (const OperandSpan asked = operandsOfInterest(module_, i); asked.first != 0)
        for (uint32_t w = asked.first; w <= asked.last; ++w) askOf(module_.idAt(i, w));
  }
  while (!work.empty()) {
    const Slot slot = work.back();
    work.pop_back();
    facts_.forEachAnywhere(slot, [&](const Fact& fact) { ask(fact.b, work); });
    const InstRef def = slots_.info(slot).def;
    if (def && module_.blockOf(def))
      module_.forEachIdOperand(def, [&](uint32_t, Id id) { askOf(id); });
  }
}

void ValueRanges::listAsked() {
  asked_.reserve(size_t(std::count(isAsked_.begin(), isAsked_.end(), true)));
  askedStart_.reserve(size_t(module_.blockCount()) + 1);
  askedStart_.assign(1, 0);
  place_.assign(slots_.count(), kNowhere);
  for (uint32_t b = 1; b <= module_.blockCount(); ++b) {
    if (cfg_.isReachable(BlockRef(b)))
      for (InstRef i : module_.blockInsts(BlockRef(b)))
        if (const Id id = module_.resultId(i))
          for (Slot slot : slots_.of(id))
            if (isAsked_[slot.value] && slots_.info(slot).def == i) {
              place_[slot.value] = uint32_t(asked_.size());
              asked_.push_back(slot);
            }
    askedStart_.push_back(uint32_t(asked_.size()));
  }
}

/// What a phi chooses from was looked at where it came from.
void ValueRanges::collectRefinable(BlockRef block) {
  for (Slot slot : askedIn(block)) {
    const InstRef def = slots_.info(slot).def;
    bool isRefinable = facts_.has(slot);
    if (!isRefinable && module_.opcode(def) != spv::Op::OpPhi)
      module_.forEachIdOperand(def, [&](uint32_t, Id id) {
        for (Slot from : slots_.of(id)) isRefinable = isRefinable || isRefinable_[from.value];
      });
    isRefinable_[slot.value] = isRefinable;
  }
}

/// Some value comes to the phi from a block that is not in front of it.
bool ValueRanges::isLoopPhi(InstRef def) const {
  if (module_.opcode(def) != spv::Op::OpPhi) return false;
  const uint32_t here = cfg_.rpoIndex(module_.blockOf(def));
  for (uint32_t w = 4; w < module_.wordCount(def); w += 2) {
    const BlockRef from = module_.blockOfLabel(module_.idAt(def, w));
    if (from && cfg_.isReachable(from) && cfg_.rpoIndex(from) >= here) return true;
  }
  return false;
}

/// Whether its instruction may give something else than when it was looked at: some operand has
/// another range, or branches and choices have a say.
bool ValueRanges::isStale(Slot slot) {
  uint32_t& evaluatedAt = evaluatedAt_[placeOf(slot)];
  const uint32_t last = evaluatedAt;
  const InstRef def = slots_.info(slot).def;
  bool isStale = last == 0 || module_.opcode(def) == spv::Op::OpPhi ||
                 module_.opcode(def) == spv::Op::OpSelect;
  if (!isStale)
    module_.forEachIdOperand(def, [&](uint32_t, Id id) {
      for (Slot from : slots_.of(id))
        isStale = isStale || facts_.has(from) || changedAt(from) >= last;
    });
  evaluatedAt = ++now_;
  return isStale;
}

void ValueRanges::set(Slot slot, const IntegerRange& range) {
  const uint32_t place = placeOf(slot);
  ranges_.set(place, slots_.info(slot).width, range);
  changedAt_[place] = ++now_;
}

/// True when something grew.
bool ValueRanges::growBlock(BlockRef block, uint32_t round) {
  bool isChanged = false;
  for (Slot slot : askedIn(block)) {
    if (!isStale(slot)) continue;
    const IntegerRange range = of(slot);
    const IntegerRange now = evaluated(slot, block, 0);
    const bool widens = round >= kWidenFrom && isLoopPhi(slots_.info(slot).def);
    const IntegerRange grown =
        widens ? range.widened(now, round >= kDropBitsFrom) : range.joined(now);
    if (grown == range) continue;
    set(slot, grown);
    isChanged = true;
  }
  return isChanged;
}

/// What the ranges of all come to together is in them, so all that is outside is not possible. True
/// when something shrank.
bool ValueRanges::narrowBlock(BlockRef block) {
  bool isChanged = false;
  for (Slot slot : askedIn(block)) {
    const IntegerRange range = of(slot);
    if (range.value() || !isStale(slot)) continue;
    const IntegerRange narrow = range.intersected(evaluated(slot, block, 0));
    if (narrow == range) continue;
    set(slot, narrow);
    isChanged = true;
  }
  return isChanged;
}

/// Blocks that may lead back to one another, and those between.
void ValueRanges::solveRegion(std::span<const BlockRef> blocks) {
  for (uint32_t round = 0;; ++round) {
    bool isChanged = false;
    for (BlockRef block : blocks) isChanged = growBlock(block, round) || isChanged;
    if (!isChanged) break;
    if (round < kMostRounds) continue;
    for (BlockRef block : blocks)
      for (Slot slot : askedIn(block)) set(slot, IntegerRange::all(slots_.info(slot).width));
    break;
  }
  bool isChanged = true;
  for (uint32_t round = 0; round < kNarrowRounds && isChanged; ++round) {
    isChanged = false;
    for (BlockRef block : blocks) isChanged = narrowBlock(block) || isChanged;
  }
}

void ValueRanges::solve(FunctionRef function) {
  const auto order = cfg_.reversePostOrder(function);
  for (BlockRef block : order) collectRefinable(block);
  // How far a way back to each block comes from.
  for (size_t n = 0; n < order.size();) {
    size_t last = n;
    for (size_t at = n; at <= last; ++at)
      for (BlockRef from : cfg_.predecessors(order[at]))
        if (cfg_.isReachable(from)) last = std::max(last, size_t(cfg_.rpoIndex(from)));
    bool isLoop = last > n;
    for (BlockRef from : cfg_.predecessors(order[n])) isLoop = isLoop || from == order[n];
    if (isLoop)
      solveRegion(order.subspan(n, last - n + 1));
    else
      growBlock(order[n], 0);
    n = last + 1;
  }
}

} // namespace lanewise
