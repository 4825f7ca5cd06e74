#include "analysis/ranges/branch_facts.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Conditions inside one another that are looked into.
constexpr uint32_t kMaxConditions = 6;
/// Facts about one value, cases of a switch, and incoming values of a phi that are looked at.
constexpr uint32_t kMaxFactsOfOne = 64, kMaxCases = 16, kMaxIncoming = 8;

} // namespace

BranchFacts::BranchFacts(Analyses& analyses, ValueSlots& slots)
    : module_(analyses.module()), cfg_(analyses.get<Cfg>()), dominance_(analyses.get<Dominance>()),
      slots_(slots), true_(slots.literal(1, 1)), false_(slots.literal(1, 0)) {
  collect();
  facts_.shrink_to_fit();
  sortByValue();
}

void BranchFacts::collect() {
  for (uint32_t b = 1; b <= module_.blockCount(); ++b)
    if (cfg_.isReachable(BlockRef(b))) collectCases(module_.terminator(BlockRef(b)));
  for (uint32_t b = 1; b <= module_.blockCount(); ++b) {
    const BlockRef block(b);
    if (!cfg_.isReachable(block)) continue;
    if (const BlockRef from = entryEdge(block))
      for (const Fact& fact : ofEdge(from, block, 0)) facts_.push_back({fact, block});
    if (module_.opcode(InstRef(module_.blockInsts(block).first.value + 1)) != spv::Op::OpPhi &&
        cfg_.predecessors(block).size() < 2)
      continue;
    collectEdges(block);
  }
}

/// Blocks come one behind the other, so that only the edges of one are to be sorted.
void BranchFacts::collectEdges(BlockRef to) {
  const size_t first = edges_.size();
  for (BlockRef from : cfg_.predecessors(to)) {
    if (!cfg_.isReachable(from)) continue;
    const std::vector<Fact> facts = ofEdge(from, to, 0);
    if (facts.empty()) continue;
    edges_.push_back({to, from, uint32_t(edgeFacts_.size()), uint32_t(facts.size())});
    edgeFacts_.insert(edgeFacts_.end(), facts.begin(), facts.end());
  }
  std::sort(edges_.begin() + ptrdiff_t(first), edges_.end());
}

// ---- by value ----

/// Lists by value, each in the order of a walk down the dominator tree.
void BranchFacts::sortByValue() {
  start_.assign(slots_.count() + 1, 0);
  const auto forEachValue = [&](auto&& visit) {
    for (uint32_t n = 0; n < facts_.size(); ++n)
      for (Slot slot : {facts_[n].fact.a, facts_[n].fact.b})
        if (!slots_.info(slot).literal) visit(slot, n);
  };
  forEachValue([&](Slot slot, uint32_t) { ++start_[slot.value + 1]; });
  for (size_t n = 1; n < start_.size(); ++n) start_[n] += start_[n - 1];
  links_.resize(start_.back());
  std::vector<uint32_t> next(start_.begin(), start_.end() - 1);
  forEachValue([&](Slot slot, uint32_t n) { links_[next[slot.value]++].fact = n; });
  std::vector<uint32_t>().swap(next);
  reaches_.resize(2 * links_.size());
  for (uint32_t slot = 0; slot + 1 < start_.size(); ++slot) {
    const std::span<Link> ofOne(links_.data() + start_[slot], links_.data() + start_[slot + 1]);
    const auto preorderOf = [&](const Link& link) {
      return dominance_.preorder(facts_[link.fact].place);
    };
    if (ofOne.size() > 1)
      std::stable_sort(ofOne.begin(), ofOne.end(),
                       [&](const Link& a, const Link& b) { return preorderOf(a) < preorderOf(b); });
    if (!ofOne.empty()) nest(start_[slot], start_[slot + 1]);
  }
}

/// Links the facts of one value, and says which of them is the innermost from where on. A fact
/// holds in what its place dominates: an interval of the walk, inside those of the facts around it.
void BranchFacts::nest(uint32_t first, uint32_t last) {
  std::vector<uint32_t> around; // links of facts that hold
  Reach* next = reaches_.data() + 2 * size_t(first);
  const auto placeOf = [&](uint32_t link) { return facts_[links_[link].fact].place; };
  const auto leaveBefore = [&](uint32_t preorder) {
    while (!around.empty() && dominance_.lastPreorder(placeOf(around.back())) < preorder) {
      const uint32_t behind = dominance_.lastPreorder(placeOf(around.back())) + 1;
      around.pop_back();
      *next++ = {behind, around.empty() ? kNone : around.back()};
    }
  };
  for (uint32_t link = first; link < last; ++link) {
    const uint32_t here = dominance_.preorder(placeOf(link));
    leaveBefore(here);
    links_[link].outer = around.empty() ? kNone : around.back();
    around.push_back(link);
    *next++ = {here, link};
  }
  leaveBefore(UINT32_MAX);
}

/// The innermost fact of the value that holds in the block; kNone where none does.
uint32_t BranchFacts::nearest(Slot slot, BlockRef at) const {
  const auto begin = reaches_.begin() + 2 * ptrdiff_t(start_[slot.value]);
  const auto end = reaches_.begin() + 2 * ptrdiff_t(start_[slot.value + 1]);
  const auto behind = std::upper_bound(
      begin, end, dominance_.preorder(at),
      [](uint32_t preorder, const Reach& reach) { return preorder < reach.preorder; });
  return behind == begin ? kNone : std::prev(behind)->link;
}

// ---- edges ----

/// Where every way to the block comes from: its only predecessor, but for blocks that lead back to
/// it.
BlockRef BranchFacts::entryEdge(BlockRef block) const {
  BlockRef only;
  for (BlockRef from : cfg_.predecessors(block)) {
    if (!cfg_.isReachable(from) || dominance_.dominates(block, from)) continue;
    if (only) return {};
    only = from;
  }
  return only;
}

std::span<const Fact> BranchFacts::onEdge(BlockRef from, BlockRef to) const {
  const auto found = std::lower_bound(edges_.begin(), edges_.end(), Edge{to, from});
  if (found == edges_.end() || found->to != to || found->from != from) return {};
  return {edgeFacts_.data() + found->first, found->count};
}

std::vector<Fact> BranchFacts::of(Slot condition, bool isTrue) const {
  std::vector<Fact> facts;
  decompose(condition, isTrue, 0, facts);
  return facts;
}

std::vector<Fact> BranchFacts::ofEdge(BlockRef from, BlockRef to, uint32_t depth) const {
  std::vector<Fact> facts;
  const InstRef branch = module_.terminator(from);
  if (module_.opcode(branch) == spv::Op::OpSwitch) {
    ofSwitch(branch, to, facts);
  } else if (module_.opcode(branch) == spv::Op::OpBranchConditional &&
             module_.word(branch, 2) != module_.word(branch, 3)) {
    const bool isTrue = module_.idAt(branch, 2) == module_.labelId(to);
    decompose(slots_.of(module_.idAt(branch, 1), 0), isTrue, depth, facts);
  }
  return facts;
}

void BranchFacts::collectCases(InstRef branch) {
  if (module_.opcode(branch) != spv::Op::OpSwitch) return;
  const Id selector = module_.idAt(branch, 1);
  const Slot slot = slots_.of(selector, 0);
  if (!slot || module_.numberWords(module_.typeOf(selector)) != 1) return;
  for (uint32_t w = 3; w + 1 < module_.wordCount(branch); w += 2) {
    const uint64_t bits = wrapped(module_.word(branch, w), slots_.info(slot).width);
    const auto [at, isNew] =
        cases_.try_emplace({branch, module_.idAt(branch, w + 1)}, Cases{bits, bits});
    Cases& cases = at->second;
    cases = {std::min(cases.least, bits), std::max(cases.most, bits)};
  }
}

void BranchFacts::ofSwitch(InstRef branch, BlockRef to, std::vector<Fact>& facts) const {
  const Id selector = module_.idAt(branch, 1), label = module_.labelId(to);
  const Slot slot = slots_.of(selector, 0);
  if (!slot || slots_.info(slot).isUndef) return;
  if (module_.numberWords(module_.typeOf(selector)) != 1) return;
  const uint32_t width = slots_.info(slot).width;
  const auto fact = [&](Relation relation, uint64_t bits) {
    add(facts, {slot, slots_.literal(width, bits), relation, false, branch});
  };
  if (module_.idAt(branch, 2) != label) {
    const auto found = cases_.find({branch, label});
    if (found == cases_.end()) return;
    fact(Relation::GreaterEqual, found->second.least);
    fact(Relation::LessEqual, found->second.most);
    return;
  }
  std::vector<uint64_t> elsewhere;
  for (uint32_t w = 3; w + 1 < module_.wordCount(branch); w += 2)
    if (module_.idAt(branch, w + 1) != label)
      elsewhere.push_back(wrapped(module_.word(branch, w), width));
  if (elsewhere.size() > kMaxCases) return;
  for (uint64_t bits : elsewhere) fact(Relation::NotEqual, bits);
}

void BranchFacts::add(std::vector<Fact>& facts, const Fact& fact) const {
  if (!fact.a || !fact.b || fact.a == fact.b || facts.size() >= kMaxFactsOfOne) return;
  if (slots_.info(fact.a).isUndef || slots_.info(fact.b).isUndef) return;
  facts.push_back(fact);
}

Slot BranchFacts::operand(Slot result, uint32_t word) const {
  const ValueSlots::Info info = slots_.info(result);
  return slots_.of(module_.idAt(info.def, word), info.component);
}

void BranchFacts::decompose(Slot condition, bool isTrue, uint32_t depth,
                            std::vector<Fact>& facts) const {
  if (!condition || depth > kMaxConditions) return;
  const InstRef def = slots_.info(condition).def;
  if (!def || !module_.blockOf(def)) return;
  add(facts, {condition, truth(isTrue), Relation::Equal, false, def});
  const spv::Op op = module_.opcode(def);
  const auto both = [&](bool each) {
    decompose(operand(condition, 3), each, depth + 1, facts);
    decompose(operand(condition, 4), each, depth + 1, facts);
  };
  if (op == spv::Op::OpLogicalNot) {
    decompose(operand(condition, 3), !isTrue, depth + 1, facts);
  } else if ((op == spv::Op::OpLogicalAnd && isTrue) || (op == spv::Op::OpLogicalOr && !isTrue)) {
    both(isTrue);
  } else if ((op == spv::Op::OpAll && isTrue) || (op == spv::Op::OpAny && !isTrue)) {
    for (Slot part : slots_.of(module_.idAt(def, 3))) decompose(part, isTrue, depth + 1, facts);
  } else if (op == spv::Op::OpSelect) {
    // a ? b : false, which is a && b; and a ? true : b.
    const auto yes = slots_.info(operand(condition, 4)).literal;
    const auto no = slots_.info(operand(condition, 5)).literal;
    if (isTrue ? no == 0u : no == 1u) {
      decompose(operand(condition, 3), true, depth + 1, facts);
      decompose(operand(condition, 4), isTrue, depth + 1, facts);
    } else if (isTrue ? yes == 0u : yes == 1u) {
      decompose(operand(condition, 3), false, depth + 1, facts);
      decompose(operand(condition, 5), isTrue, depth + 1, facts);
    }
  } else if (op == spv::Op::OpPhi) {
    decomposePhi(condition, isTrue, depth, facts);
  } else if (const auto comparison = comparisonOf(op)) {
    add(facts,
        {operand(condition, 3), operand(condition, 4),
         isTrue ? comparison->relation : negated(comparison->relation), comparison->isSigned, def});
  }
}

// ---- phis ----

/// Whether the incoming value is certainly the other one: `a && b` leaves the first test with
/// false.
bool BranchFacts::isImpossible(Slot incoming, bool isTrue, BlockRef from, BlockRef to) const {
  if (!incoming || slots_.info(incoming).isUndef) return false;
  if (const auto literal = slots_.info(incoming).literal) return (*literal != 0) != isTrue;
  const InstRef branch = module_.terminator(from);
  if (module_.opcode(branch) != spv::Op::OpBranchConditional ||
      module_.word(branch, 2) == module_.word(branch, 3))
    return false;
  const bool onTrue = module_.idAt(branch, 2) == module_.labelId(to);
  return slots_.of(module_.idAt(branch, 1), 0) == incoming && onTrue != isTrue;
}

/// The value is of an execution of `block` or before: not newer than the phis of the block.
bool BranchFacts::isDefinedAbove(Slot slot, BlockRef block) const {
  const InstRef def = slots_.info(slot).def;
  const BlockRef where = def ? module_.blockOf(def) : BlockRef();
  return !where || (where != block && dominance_.dominates(where, block));
}

/// Where only one way brings this value, what holds on that way holds behind the phi: of what is
/// defined above it.
void BranchFacts::decomposePhi(Slot phi, bool isTrue, uint32_t depth,
                               std::vector<Fact>& facts) const {
  const InstRef def = slots_.info(phi).def;
  const BlockRef block = module_.blockOf(def);
  if (module_.wordCount(def) > 3 + 2 * kMaxIncoming) return;
  Slot only;
  BlockRef from;
  for (uint32_t w = 3; w + 1 < module_.wordCount(def); w += 2) {
    const BlockRef edge = module_.blockOfLabel(module_.idAt(def, w + 1));
    const Slot incoming = slots_.of(module_.idAt(def, w), slots_.info(phi).component);
    if (!edge || !cfg_.isReachable(edge) || isImpossible(incoming, isTrue, edge, block)) continue;
    if (from) return;
    only = incoming;
    from = edge;
  }
  if (!from) return;
  std::vector<Fact> onWay = ofEdge(from, block, depth + 1);
  decompose(only, isTrue, depth + 1, onWay);
  const BlockRef top = dominance_.idom(block);
  for (BlockRef b = from; b && b != top && b != block && onWay.size() < kMaxFactsOfOne;
       b = dominance_.idom(b))
    if (const BlockRef before = entryEdge(b)) {
      if (depth + 1 > kMaxConditions) break;
      for (const Fact& fact : ofEdge(before, b, depth + 1)) onWay.push_back(fact);
    }
  for (const Fact& fact : onWay)
    if (isDefinedAbove(fact.a, block) && isDefinedAbove(fact.b, block)) add(facts, fact);
}

} // namespace lanewise
