// Phis as affine forms: loop counters, recurrences with few values, and joins of branches.
#include "analysis/control_flow/cfg.h"
#include "analysis/module/comparison.h"
#include "analysis/module/constants.h"
#include "analysis/values/affine_walk.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Values of a recurrence that are tried before it counts as having many.
constexpr size_t kMaxValues = 64;
/// Instructions between a phi and its next value, or the condition that tests it.
constexpr uint32_t kMaxStepDepth = 5;

/// A comparison with its operands exchanged if `swap`, and turned into its opposite if `negate`.
/// Nothing for equality, which says little of a counter.
std::optional<Comparison> comparisonOf(spv::Op op, bool swap, bool negate) {
  std::optional<Comparison> c = lanewise::comparisonOf(op);
  if (!c) return std::nullopt;
  if (swap) c->relation = mirrored(c->relation);
  if (negate) c->relation = negated(c->relation);
  return c->relation == Relation::Equal ? std::nullopt : c;
}

/// The most iterations k for which a test "x relation bound" can let the loop go on, when it did so
/// in all iterations before and x is in [lo, hi] in the first one and grows by `step`. Nothing when
/// x may wrap.
std::optional<uint32_t> countWhile(Comparison c, int64_t lo, int64_t hi, int64_t step,
                                   uint32_t bound) {
  int64_t least = c.isSigned ? INT32_MIN : 0, most = c.isSigned ? INT32_MAX : UINT32_MAX;
  int64_t limit = c.isSigned ? int64_t(int32_t(bound)) : int64_t(bound);
  if (c.relation == Relation::NotEqual) {
    // Reaches the bound, and does not jump over it.
    if (lo != hi || (limit - lo) % step != 0 || (limit - lo) / step < 0) return std::nullopt;
    c.relation = step > 0 ? Relation::Less : Relation::Greater;
  }
  bool goesUp = c.relation == Relation::Less || c.relation == Relation::LessEqual;
  if (goesUp != (step > 0)) return std::nullopt;
  if (c.relation == Relation::Less) --limit;
  if (c.relation == Relation::Greater) ++limit;
  if (lo < least || hi > most || limit + step < least || limit + step > most) return std::nullopt;
  int64_t distance = step > 0 ? limit - lo : hi - limit;
  int64_t count = distance < 0 ? 0 : distance / std::abs(step);
  if (count >= UINT32_MAX) return std::nullopt;
  return uint32_t(count);
}

} // namespace

std::vector<AffineWalk::Incoming> AffineWalk::incomingOf(InstRef phi) const {
  std::vector<Incoming> incoming;
  for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
    BlockRef from = module_.blockOfLabel(module_.idAt(phi, n + 1));
    if (from && analyses_.get<Cfg>().isReachable(from))
      incoming.push_back({module_.idAt(phi, n), from});
  }
  return incoming;
}

AffineWalk::Form AffineWalk::phiForm(const Place& p, InstRef phi) {
  BlockRef block = module_.blockOf(phi);
  std::vector<Incoming> incoming = incomingOf(phi);
  if (incoming.empty()) return std::nullopt;
  auto isFirst = [&](const Incoming& i) { return i.value == incoming[0].value; };
  if (std::all_of(incoming.begin(), incoming.end(), isFirst) && incoming[0].value != p.id)
    return formAt(Place{incoming[0].value, p.depth, p.path});
  const Loop* loop = analyses_.get<Loops>().innermost(block);
  if (!loop || loop->header != block) return joinForm(p, block, incoming);
  if (p.depth != 0 || widthOf(p) != 32) return std::nullopt;
  if (const InductionVariable* induction = analyses_.get<Loops>().inductionOf(phi))
    return inductionForm(*induction, *loop);
  return recurrenceForm(phi, *loop, incoming);
}

/// A phi where branches meet: the same from everywhere, or a choice between two sides.
AffineWalk::Form AffineWalk::joinForm(const Place& p, BlockRef block,
                                      std::span<const Incoming> incoming) {
  const Dominance& dominance = analyses_.get<Dominance>();
  std::vector<const AffineExpr*> forms;
  for (const Incoming& i : incoming) forms.push_back(get(Place{i.value, p.depth, p.path}));
  BlockRef above = dominance.idom(block);
  InstRef branch = above ? module_.terminator(above) : InstRef();
  bool isChoice =
      branch && incoming.size() == 2 && module_.opcode(branch) == spv::Op::OpBranchConditional;
  const AffineExpr* condition = isChoice ? get(module_.idAt(branch, 1)) : nullptr;
  if (!missing_.empty()) return std::nullopt;
  auto same = [&](const AffineExpr* f) { return AffineTable::sameForm(*f, *forms[0]); };
  if (std::all_of(forms.begin(), forms.end(), same)) return *forms[0];
  if (!isChoice) return std::nullopt;

  BlockRef sides[2] = {module_.blockOfLabel(module_.idAt(branch, 2)),
                       module_.blockOfLabel(module_.idAt(branch, 3))};
  if (sides[0] == sides[1]) return std::nullopt;
  // Which side an edge into the block belongs to: 0 the true one, 1 the false one.
  auto sideOf = [&](BlockRef from) -> std::optional<size_t> {
    for (size_t n = 0; n < 2; ++n) {
      if (from == above && sides[n] == block) return n;
      if (sides[n] != block && analyses_.get<Cfg>().predecessors(sides[n]).size() == 1 &&
          dominance.dominates(sides[n], from))
        return n;
    }
    return std::nullopt;
  };
  auto first = sideOf(incoming[0].from), second = sideOf(incoming[1].from);
  if (!first || !second || *first == *second) return std::nullopt;
  return table_.select(*condition, *forms[*first == 0 ? 0 : 1], *forms[*first == 0 ? 1 : 0]);
}

// ---- Loops ----

std::vector<AffineWalk::Test> AffineWalk::testsOf(const Loop& loop) const {
  const Cfg& cfg = analyses_.get<Cfg>();
  const Dominance& dominance = analyses_.get<Dominance>();
  const Loops& loops = analyses_.get<Loops>();
  std::vector<BlockRef> latches;
  for (BlockRef b : cfg.predecessors(loop.header))
    if (loops.contains(loop, b)) latches.push_back(b);
  std::vector<Test> tests;
  // Every latch is dominated by a test, so all tests lie on one line of dominators.
  BlockRef at = latches.empty() ? BlockRef() : latches[0];
  for (uint32_t steps = 0; at && steps < loop.blocks.size(); ++steps) {
    BlockRef block = at;
    at = block == loop.header ? BlockRef() : dominance.idom(block);
    InstRef branch = module_.terminator(block);
    if (module_.opcode(branch) != spv::Op::OpBranchConditional) continue;
    // In an inner loop it might be made several times in an iteration.
    if (loops.innermost(block) != &loop) continue;
    auto dominatesIt = [&](BlockRef latch) { return dominance.dominates(block, latch); };
    if (!std::all_of(latches.begin(), latches.end(), dominatesIt)) continue;
    BlockRef onTrue = module_.blockOfLabel(module_.idAt(branch, 2));
    BlockRef onFalse = module_.blockOfLabel(module_.idAt(branch, 3));
    bool trueStays = loops.contains(loop, onTrue);
    if (trueStays == loops.contains(loop, onFalse)) continue;
    Test test{module_.idAt(branch, 1), trueStays, trueStays ? onTrue : onFalse, BlockRef()};
    bool onlyFromTest = test.next != loop.header;
    for (BlockRef from : cfg.predecessors(test.next))
      if (cfg.isReachable(from) && from != block && !dominance.dominates(test.next, from))
        onlyFromTest = false;
    if (onlyFromTest) test.stay = test.next;
    tests.push_back(test);
  }
  return tests;
}

/// The last iteration, counted from 0, in which the test may let the loop go on.
std::optional<uint32_t> AffineWalk::mostIterations(const Loop& loop, const Test& test,
                                                   bool& isLiteral) {
  InstRef compare = module_.def(test.condition);
  if (!compare || module_.wordCount(compare) != 5) return std::nullopt;
  Id left = module_.idAt(compare, 3), right = module_.idAt(compare, 4);
  bool swap = known(left).has_value();
  if (swap) std::swap(left, right);
  auto bound = known(right);
  auto comparison = comparisonOf(module_.opcode(compare), swap, !test.staysOnTrue);
  if (!bound || !comparison) return std::nullopt;
  for (const InductionVariable& v : loop.inductions) {
    Id next;
    for (const Incoming& i : incomingOf(v.phi))
      if (analyses_.get<Loops>().contains(loop, i.from)) next = i.value;
    bool isNext = left == next;
    if (!isNext && left != module_.resultId(v.phi)) continue;
    const AffineExpr* init = get(v.init);
    if (!init) return std::nullopt;
    std::optional<SignedRange> start;
    if (comparison->isSigned)
      start = table_.signedRangeOf(*init);
    else if (auto r = table_.rangeOf(*init))
      start = SignedRange{r->first, r->second};
    if (!start) return std::nullopt;
    isLiteral = bound->isLiteral && !init->dependsOnSpec && v.stepIsLiteral;
    int64_t first = isNext ? v.step : 0;
    return countWhile(*comparison, start->first + first, start->second + first, v.step,
                      bound->value);
  }
  return std::nullopt;
}

/// The term "iterations of this loop before this one".
std::optional<uint32_t> AffineWalk::iterationTerm(const Loop& loop) {
  auto known = iterationTerms_.find(loop.header);
  if (known != iterationTerms_.end()) return known->second;
  AffineTermFacts f;
  f.term.kind = AffineTerm::Kind::Induction;
  f.term.id = module_.labelId(loop.header);
  f.uniform = uniformity().exitsTogether(loop.header);
  std::optional<uint32_t> best;
  for (const Test& test : testsOf(loop)) {
    bool isLiteral = true;
    auto last = mostIterations(loop, test, isLiteral);
    if (!last || (best && *last >= *best)) continue;
    best = last;
    // All iterations before this one went on, so this one's number is at most one more.
    f.range = UnsignedRange{0, *last + 1};
    AffineValues values;
    values.stay = test.stay;
    if (test.stay) values.stayRange = UnsignedRange{0, *last};
    values.isOnce = true; // it counts
    f.values = std::make_shared<const AffineValues>(std::move(values));
    f.dependsOnSpec = !isLiteral;
  }
  if (!missing_.empty()) return std::nullopt;
  uint32_t term = table_.intern(std::move(f));
  iterationTerms_.emplace(loop.header, term);
  return term;
}

AffineWalk::Form AffineWalk::inductionForm(const InductionVariable& induction, const Loop& loop) {
  if (!induction.stepIsLiteral) {
    // Is the step assumed, or only a default?
    for (const Incoming& i : incomingOf(induction.phi)) {
      InstRef next = module_.def(i.value);
      if (!analyses_.get<Loops>().contains(loop, i.from) || !next) continue;
      for (uint32_t n = 3; n < module_.wordCount(next); ++n)
        if (analyses_.get<Constants>().isUnassumedSpec(module_.idAt(next, n))) return std::nullopt;
    }
    dependsOnSpec_ = true;
  }
  const AffineExpr* init = get(induction.init);
  auto iteration = iterationTerm(loop);
  if (!init || !iteration) return std::nullopt;
  dependsOnSpec_ = dependsOnSpec_ || table_.facts(*iteration).dependsOnSpec;
  Form grown = table_.scale(table_.ofTerm(*iteration), uint32_t(induction.step));
  return grown ? table_.add(*init, *grown) : std::nullopt;
}

/// What a phi where the two sides of a branch meet takes, when `phi` has the given value.
Id AffineWalk::sideWith(InstRef join, Id phi, uint32_t phiValue, uint32_t depth,
                        bool& isLiteral) const {
  const Dominance& dominance = analyses_.get<Dominance>();
  const BlockRef block = module_.blockOf(join), above = dominance.idom(block);
  const InstRef branch = above ? module_.terminator(above) : InstRef();
  // The phi of another loop's header has other values round that loop.
  const Loop* loop = analyses_.get<Loops>().innermost(block);
  if (loop && loop->header == block) return {};
  const std::vector<Incoming> incoming = incomingOf(join);
  if (!branch || module_.opcode(branch) != spv::Op::OpBranchConditional || incoming.size() != 2 ||
      widthOf(Place{module_.resultId(join), 0, {}}) != 32)
    return {};
  const Id label = module_.idAt(branch, 2), other = module_.idAt(branch, 3);
  const auto condition =
      label != other ? evaluateWith(module_.idAt(branch, 1), phi, phiValue, depth, isLiteral)
                     : std::nullopt;
  if (!condition) return {};
  const BlockRef side = module_.blockOfLabel(*condition != 0 ? label : other);
  Id found;
  for (const Incoming& i : incoming) {
    const bool isFrom = side == block ? i.from == above
                                      : analyses_.get<Cfg>().predecessors(side).size() == 1 &&
                                            dominance.dominates(side, i.from);
    if (!isFrom) continue;
    if (found) return {};
    found = i.value;
  }
  return found;
}

/// The value of `value` when `phi` has the given one and everything else on the way is constant.
std::optional<uint32_t> AffineWalk::evaluateWith(Id value, Id phi, uint32_t phiValue,
                                                 uint32_t depth, bool& isLiteral) const {
  if (value == phi) return phiValue;
  if (auto constant = known(value)) {
    isLiteral = isLiteral && constant->isLiteral;
    return constant->value;
  }
  InstRef def = module_.def(value);
  if (depth == 0 || !def || module_.facts(def).opClass != OpClass::Value) return std::nullopt;
  if (module_.opcode(def) == spv::Op::OpPhi) {
    const Id side = sideWith(def, phi, phiValue, depth - 1, isLiteral);
    return side ? evaluateWith(side, phi, phiValue, depth - 1, isLiteral) : std::nullopt;
  }
  if (!module_.facts(def).onlyIds) return std::nullopt;
  if (module_.opcode(def) == spv::Op::OpSelect) {
    if (widthOf(Place{module_.idAt(def, 3), 0, {}}) != 1 || widthOf(Place{value, 0, {}}) != 32)
      return std::nullopt;
    const auto condition = evaluateWith(module_.idAt(def, 3), phi, phiValue, depth - 1, isLiteral);
    if (!condition) return std::nullopt;
    const Id side = module_.idAt(def, *condition != 0 ? 4 : 5);
    return evaluateWith(side, phi, phiValue, depth - 1, isLiteral);
  }
  std::array<uint32_t, 2> v{};
  uint32_t count = module_.wordCount(def) - 3;
  if (count < 1 || count > v.size()) return std::nullopt;
  for (uint32_t n = 0; n < count; ++n) {
    Id from = module_.idAt(def, 3 + n);
    if (widthOf(Place{from, 0, {}}) != 32) return std::nullopt;
    auto operand = evaluateWith(from, phi, phiValue, depth - 1, isLiteral);
    if (!operand) return std::nullopt;
    v[n] = *operand;
  }
  return AffineTable::fold(module_.opcode(def), 0, {v.data(), count});
}

/// A phi whose next value is computed from itself and constants: all its values, if they are few.
AffineWalk::Form AffineWalk::recurrenceForm(InstRef phi, const Loop& loop,
                                            std::span<const Incoming> incoming) {
  Id id = module_.resultId(phi), init, next;
  for (const Incoming& i : incoming) {
    Id& seen = analyses_.get<Loops>().contains(loop, i.from) ? next : init;
    if (seen && seen != i.value) return std::nullopt;
    seen = i.value;
  }
  auto start = init ? known(init) : std::nullopt;
  if (!start || !next) return std::nullopt;

  bool isLiteral = start->isLiteral;
  std::optional<Test> test;
  for (const Test& t : testsOf(loop))
    if (!test && evaluateWith(t.condition, id, start->value, kMaxStepDepth, isLiteral)) test = t;

  std::vector<uint32_t> all, staying;
  uint32_t value = start->value;
  std::optional<uint32_t> repeat;
  bool goesRound = false;
  for (;;) {
    auto earlier = std::find(all.begin(), all.end(), value);
    if (earlier != all.end()) {
      repeat = uint32_t(earlier - all.begin());
      goesRound = true;
      break;
    }
    if (all.size() == kMaxValues) return std::nullopt;
    all.push_back(value);
    if (test) {
      auto holds = evaluateWith(test->condition, id, value, kMaxStepDepth, isLiteral);
      if (!holds) return std::nullopt;
      if ((*holds != 0) != test->staysOnTrue) break;
    }
    staying.push_back(value);
    auto following = evaluateWith(next, id, value, kMaxStepDepth, isLiteral);
    if (!following) return std::nullopt;
    value = *following;
  }

  AffineTermFacts f;
  f.term.kind = AffineTerm::Kind::Induction;
  f.term.id = id;
  f.uniform = uniformity().isUniform(id);
  f.dependsOnSpec = !isLiteral;
  auto rangeOf = [](const std::vector<uint32_t>& v) {
    auto [least, most] = std::minmax_element(v.begin(), v.end());
    return UnsignedRange{*least, *most};
  };
  f.range = rangeOf(all);
  f.possibleBits = 0;
  for (uint32_t v : all) f.possibleBits |= v;
  AffineValues values;
  values.samples = values.sequence = all;
  values.sequenceRepeat = repeat;
  if (test && test->stay && !staying.empty()) {
    values.stay = test->stay;
    values.stayRange = rangeOf(staying);
    values.samples = staying;
    values.isOnce = !goesRound;
  }
  std::sort(values.samples.begin(), values.samples.end());
  f.values = std::make_shared<const AffineValues>(std::move(values));
  dependsOnSpec_ = dependsOnSpec_ || f.dependsOnSpec;
  return table_.ofTerm(table_.intern(std::move(f)));
}

} // namespace lanewise
