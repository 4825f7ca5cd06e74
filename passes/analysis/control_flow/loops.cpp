#include "analysis/control_flow/loops.h"

#include "analysis/module/comparison.h"

#include <algorithm>

namespace lanewise {

namespace {

constexpr int64_t kWrap = int64_t(1) << 32;
/// A loop with more back edges than this is not searched for its exit condition: the search takes
/// edges times exits. Structured loops have one.
constexpr size_t kMostLatches = 16;

/// Values of a counter over `count` iterations, as unsigned, when they do not wrap.
std::optional<std::pair<int64_t, int64_t>> valuesOf(uint32_t init, int64_t step, uint64_t count) {
  // `count` comes from countWhile: no more than one turn of 2^32, so nothing overflows here.
  const int64_t first = init;
  const int64_t last = first + int64_t(count - 1) * step;
  if (last < 0 || last >= kWrap) return std::nullopt;
  return std::pair(std::min(first, last), std::max(first, last));
}

} // namespace

bool Loop::operator==(const Loop& o) const {
  return header == o.header && parent == o.parent && depth == o.depth &&
         std::equal(blocks.begin(), blocks.end(), o.blocks.begin(), o.blocks.end()) &&
         inductions == o.inductions && tripCount == o.tripCount &&
         tripCountIsLiteral == o.tripCountIsLiteral && conditionBlock == o.conditionBlock &&
         entersBody == o.entersBody && bodyEntry == o.bodyEntry;
}

class LoopBuilder {
public:
  LoopBuilder(const Module& module, const Cfg& cfg, const Dominance& dominance,
              const Constants& constants, Loops& out)
      : module_(module), cfg_(cfg), dominance_(dominance), constants_(constants), out_(out) {}
  void run();

private:
  /// An exit test: the loop goes on `count` times.
  struct Test {
    BlockRef block;
    BlockRef next; ///< where it goes on
    uint64_t count;
    bool isLiteral;
  };

  void findLoops(FunctionRef f);
  void claimBlocks(uint32_t loop);
  uint32_t outermost(uint32_t loop);
  void finishFunction(uint32_t firstLoop);
  void layOutBlocks();
  void countExits();

  void findInductions(Loop& loop);
  std::optional<InductionVariable> inductionOf(const Loop& loop, InstRef phi, Id& next) const;
  std::optional<std::pair<int64_t, bool>> stepOf(Id next, Id phi) const;
  void findTests(Loop& loop, uint32_t exits);
  std::optional<Test> testOf(const Loop& loop, BlockRef block) const;
  std::optional<std::pair<uint64_t, bool>> countOf(const Loop& loop, Id condition,
                                                   bool onTrue) const;
  void apply(Loop& loop, const Test& test) const;

  const Module& module_;
  const Cfg& cfg_;
  const Dominance& dominance_;
  const Constants& constants_;
  Loops& out_;
  std::vector<BlockRef> work_;
  std::vector<uint32_t>
      outer_; ///< by loop: a loop round it, or itself; compressed as it is searched
  std::vector<uint32_t> exits_; ///< by loop: edges that leave it
  std::vector<Id> nexts_;       ///< phi + step of each induction of the loop at hand
};

void LoopBuilder::run() {
  out_.innermost_.assign(size_t(module_.blockCount()) + 1, -1);
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) findLoops(FunctionRef(f));
  if (out_.loops_.empty()) return;
  layOutBlocks();
  countExits();
  for (uint32_t n = 0; n < out_.loops_.size(); ++n) {
    Loop& loop = out_.loops_[n];
    findInductions(loop);
    if (!loop.inductions.empty()) findTests(loop, exits_[n]);
    for (uint32_t k = 0; k < loop.inductions.size(); ++k)
      out_.phis_.push_back({loop.inductions[k].phi, n, k});
  }
  std::sort(out_.phis_.begin(), out_.phis_.end(),
            [](const auto& a, const auto& b) { return a.phi < b.phi; });
}

void LoopBuilder::findLoops(FunctionRef f) {
  // Against the reverse post-order, so that inner headers come before outer ones.
  const std::span<const BlockRef> order = cfg_.reversePostOrder(f);
  const uint32_t firstLoop = uint32_t(out_.loops_.size());
  for (size_t n = order.size(); n-- > 0;) {
    const BlockRef header = order[n];
    work_.clear();
    for (BlockRef p : cfg_.predecessors(header))
      if (dominance_.dominates(header, p)) work_.push_back(p);
    if (work_.empty()) continue;
    const uint32_t index = uint32_t(out_.loops_.size());
    out_.loops_.emplace_back().header = header;
    outer_.push_back(index);
    out_.innermost_[header.value] = int32_t(index);
    claimBlocks(index);
  }
  finishFunction(firstLoop);
}

/// Walks against the edges from the latches in work_ to the header. A loop found earlier is taken
/// whole.
void LoopBuilder::claimBlocks(uint32_t loop) {
  while (!work_.empty()) {
    BlockRef b = work_.back();
    work_.pop_back();
    int32_t& owner = out_.innermost_[b.value];
    if (owner < 0) {
      owner = int32_t(loop);
    } else {
      const uint32_t inner = outermost(uint32_t(owner));
      if (inner == loop) continue;
      out_.loops_[inner].parent = int32_t(loop);
      outer_[inner] = loop;
      b = out_.loops_[inner].header;
    }
    for (BlockRef p : cfg_.predecessors(b))
      if (cfg_.isReachable(p)) work_.push_back(p);
  }
}

uint32_t LoopBuilder::outermost(uint32_t loop) {
  uint32_t root = loop;
  while (outer_[root] != root) root = outer_[root];
  while (outer_[loop] != root) loop = std::exchange(outer_[loop], root);
  return root;
}

/// Turns the order of the function's loops round, so that outer ones come first, and sets their
/// depths.
void LoopBuilder::finishFunction(uint32_t firstLoop) {
  const uint32_t end = uint32_t(out_.loops_.size());
  if (firstLoop == end) return;
  auto turned = [&](int32_t n) { return n < 0 ? n : int32_t(firstLoop + end - 1) - n; };
  std::reverse(out_.loops_.begin() + firstLoop, out_.loops_.end());
  for (uint32_t n = firstLoop; n < end; ++n) {
    Loop& loop = out_.loops_[n];
    loop.parent = turned(loop.parent);
    if (loop.parent >= 0) loop.depth = out_.loops_[size_t(loop.parent)].depth + 1;
  }
  const FunctionRef f = module_.functionOf(out_.loops_[firstLoop].header);
  const uint32_t first = module_.firstBlock(f).value;
  for (uint32_t b = first; b < first + module_.blockCount(f); ++b)
    out_.innermost_[b] = turned(out_.innermost_[b]);
}

/// Writes the blocks of each loop as one stretch: its own, then the stretches of the loops inside.
void LoopBuilder::layOutBlocks() {
  const size_t count = out_.loops_.size();
  std::vector<uint32_t> own(count, 0), all(count), next(count), nextInner(count);
  uint32_t total = 0;
  for (int32_t loop : out_.innermost_)
    if (loop >= 0) ++own[size_t(loop)], ++total;
  all = own;
  for (size_t n = count; n-- > 0;)
    if (out_.loops_[n].parent >= 0) all[size_t(out_.loops_[n].parent)] += all[n];
  out_.loopBlocks_.resize(total);
  uint32_t free = 0;
  for (size_t n = 0; n < count; ++n) {
    Loop& loop = out_.loops_[n];
    uint32_t& slot = loop.parent < 0 ? free : nextInner[size_t(loop.parent)];
    next[n] = slot;
    nextInner[n] = slot + own[n];
    loop.blocks = {out_.loopBlocks_.data() + slot, all[n]};
    slot += all[n];
  }
  out_.position_.assign(out_.innermost_.size(), UINT32_MAX);
  for (uint32_t b = 1; b < out_.innermost_.size(); ++b) {
    if (out_.innermost_[b] < 0) continue;
    const uint32_t at = next[size_t(out_.innermost_[b])]++;
    out_.loopBlocks_[at] = BlockRef(b);
    out_.position_[b] = at;
  }
}

void LoopBuilder::countExits() {
  // An edge leaves the loops from its source's innermost outward, up to the first that holds its
  // target. Adding at the one and subtracting at the other makes the sum over inner loops right.
  std::vector<int64_t> sum(out_.loops_.size(), 0);
  for (BlockRef b : out_.loopBlocks_) {
    for (BlockRef s : cfg_.successors(b)) {
      ++sum[size_t(out_.innermost_[b.value])];
      const Loop* stays = out_.innermost(s);
      // A loop is entered through its header only: where the edge enters one, it stays in the
      // parent.
      if (stays && !out_.contains(*stays, b)) stays = out_.parent(*stays);
      if (stays) --sum[size_t(stays - out_.loops_.data())];
    }
  }
  exits_.resize(sum.size());
  for (size_t n = sum.size(); n-- > 0;) {
    exits_[n] = uint32_t(sum[n]);
    if (out_.loops_[n].parent >= 0) sum[size_t(out_.loops_[n].parent)] += sum[n];
  }
}

void LoopBuilder::findInductions(Loop& loop) {
  nexts_.clear();
  for (InstRef i : module_.blockInsts(loop.header)) {
    if (module_.opcode(i) != spv::Op::OpPhi) {
      const OpClass c = module_.facts(i).opClass;
      if (c == OpClass::Label || c == OpClass::Line) continue;
      break; // phis come first (2.16.1)
    }
    Id next;
    if (auto induction = inductionOf(loop, i, next)) {
      loop.inductions.push_back(*induction);
      nexts_.push_back(next);
    }
  }
}

std::optional<InductionVariable> LoopBuilder::inductionOf(const Loop& loop, InstRef phi,
                                                          Id& next) const {
  const InstRef type = module_.def(module_.resultType(phi));
  if (!type || module_.opcode(type) != spv::Op::OpTypeInt || module_.word(type, 2) != 32)
    return std::nullopt;
  InductionVariable v;
  v.phi = phi;
  const std::span<const uint32_t> w = module_.inst(phi);
  for (size_t n = 3; n + 1 < w.size(); n += 2) {
    const BlockRef from = module_.blockOfLabel(Id(w[n + 1]));
    if (!from || !cfg_.isReachable(from)) continue; // never comes from there
    Id& seen = out_.contains(loop, from) ? next : v.init;
    if (seen && seen != Id(w[n])) return std::nullopt;
    seen = Id(w[n]);
  }
  if (!v.init || !next) return std::nullopt;
  const auto step = stepOf(next, module_.resultId(phi));
  if (!step) return std::nullopt;
  v.step = step->first;
  v.stepIsLiteral = step->second;
  return v;
}

/// (step, is it literal) when `next` is `phi` plus or minus a constant that is not 0; behind casts,
/// a literal.
std::optional<std::pair<int64_t, bool>> LoopBuilder::stepOf(Id next, Id phi) const {
  const Id sum = withoutSignCast(module_, next);
  const InstRef def = module_.def(sum);
  if (!def) return std::nullopt;
  const spv::Op op = module_.opcode(def);
  if (op != spv::Op::OpIAdd && op != spv::Op::OpISub) return std::nullopt;
  Id base = module_.idAt(def, 3), by = module_.idAt(def, 4);
  const auto isPhi = [&](Id id) { return withoutSignCast(module_, id) == phi; };
  if (op == spv::Op::OpIAdd && !isPhi(base)) std::swap(base, by);
  if (!isPhi(base)) return std::nullopt;
  const auto constant = constants_.folded(module_, by);
  if (!constant || (!constant->isLiteral && (sum != next || base != phi))) return std::nullopt;
  const uint32_t bits = uint32_t(constant->bits); // as wide as the phi in every valid module
  if (bits == 0) return std::nullopt;
  const int32_t step = int32_t(op == spv::Op::OpISub ? 0 - bits : bits);
  return std::pair(int64_t(step), constant->isLiteral);
}

void LoopBuilder::findTests(Loop& loop, uint32_t exits) {
  size_t latches = 0;
  for (BlockRef p : cfg_.predecessors(loop.header)) latches += out_.contains(loop, p);
  if (latches > kMostLatches) return;
  std::optional<Test> best; // of the literal ones, the one that fails first
  for (BlockRef b : loop.blocks) {
    // A test in an inner loop may be made several times in an iteration.
    if (out_.innermost(b) != &loop) break; // own blocks come first
    const auto test = testOf(loop, b);
    if (!test) continue;
    if (exits == 1) {
      loop.tripCount = test->count + (test->next == loop.header ? 1 : 0);
      loop.tripCountIsLiteral = test->isLiteral;
    }
    if (test->isLiteral && (!best || test->count < best->count)) best = test;
  }
  if (best) apply(loop, *best);
}

std::optional<LoopBuilder::Test> LoopBuilder::testOf(const Loop& loop, BlockRef block) const {
  const InstRef branch = module_.terminator(block);
  if (module_.opcode(branch) != spv::Op::OpBranchConditional) return std::nullopt;
  const BlockRef onTrue = module_.blockOfLabel(module_.idAt(branch, 2));
  const BlockRef onFalse = module_.blockOfLabel(module_.idAt(branch, 3));
  const bool trueStays = out_.contains(loop, onTrue), falseStays = out_.contains(loop, onFalse);
  if (trueStays == falseStays) return std::nullopt;
  // The test must be made in every iteration that comes to an end.
  for (BlockRef latch : cfg_.predecessors(loop.header))
    if (out_.contains(loop, latch) && !dominance_.dominates(block, latch)) return std::nullopt;
  const auto count = countOf(loop, module_.idAt(branch, 1), trueStays);
  if (!count) return std::nullopt;
  return Test{block, trueStays ? onTrue : onFalse, count->first, count->second};
}

/// How often in a row the condition lets the loop go on, and whether that is literal.
std::optional<std::pair<uint64_t, bool>> LoopBuilder::countOf(const Loop& loop, Id condition,
                                                              bool onTrue) const {
  InstRef def = module_.def(condition);
  constexpr int kMostNots = 4; // more would be odd, and a broken module may have a cycle of them
  for (int n = 0; n < kMostNots && def && module_.opcode(def) == spv::Op::OpLogicalNot; ++n) {
    def = module_.def(module_.idAt(def, 3));
    onTrue = !onTrue;
  }
  if (!def) return std::nullopt;
  std::optional<Comparison> comparison = comparisonOf(module_.opcode(def));
  if (!comparison) return std::nullopt;
  Id left = module_.idAt(def, 3), right = module_.idAt(def, 4);
  if (constants_.folded(module_, left)) {
    std::swap(left, right);
    comparison->relation = mirrored(comparison->relation);
  }
  const auto bound = constants_.folded(module_, right);
  if (!bound || bound->width != 32) return std::nullopt;
  if (!onTrue) comparison->relation = negated(comparison->relation);

  for (size_t n = 0; n < loop.inductions.size(); ++n) {
    const InductionVariable& v = loop.inductions[n];
    const bool isNext = left == nexts_[n];
    if (!isNext && left != module_.resultId(v.phi)) continue;
    const auto init = constants_.folded(module_, v.init);
    if (!init || init->width != 32) return std::nullopt;
    const uint32_t start = uint32_t(init->bits) + (isNext ? uint32_t(v.step) : 0);
    const auto count = countWhile(*comparison, start, v.step, uint32_t(bound->bits));
    if (!count) return std::nullopt;
    return std::pair(*count, init->isLiteral && v.stepIsLiteral && bound->isLiteral);
  }
  return std::nullopt;
}

/// Gives ranges to all inductions: they move in step with the one that is tested.
void LoopBuilder::apply(Loop& loop, const Test& test) const {
  loop.conditionBlock = test.block;
  loop.bodyEntry = loop.header;
  loop.entersBody = test.count > 0;
  if (test.next != loop.header) {
    // Behind the test means: no way there but from the test, or round an inner loop from there
    // itself.
    bool onlyFromTest = true;
    for (BlockRef p : cfg_.predecessors(test.next))
      if (cfg_.isReachable(p) && p != test.block && !dominance_.dominates(test.next, p))
        onlyFromTest = false;
    if (onlyFromTest) loop.bodyEntry = test.next;
  }
  for (InductionVariable& v : loop.inductions) {
    const auto init = constants_.folded(module_, v.init);
    if (!init || !init->isLiteral || !v.stepIsLiteral) continue;
    const uint32_t start = uint32_t(init->bits);
    v.wholeRange = valuesOf(start, v.step, test.count + 1);
    // With no iteration at all, anything holds in the body.
    const bool sameInBody = loop.bodyEntry == loop.header || test.count == 0;
    v.range = sameInBody ? v.wholeRange : valuesOf(start, v.step, test.count);
  }
}

Id withoutSignCast(const Module& module, Id id) {
  const auto isWord = [&](Id type) {
    const InstRef def = module.def(type);
    return def && module.opcode(def) == spv::Op::OpTypeInt && module.word(def, 2) == 32;
  };
  const InstRef def = module.def(id);
  if (!def || module.opcode(def) != spv::Op::OpBitcast) return id;
  const Id from = module.idAt(def, 3);
  return isWord(module.resultType(def)) && isWord(module.typeOf(from)) ? from : id;
}

Loops::Loops(Analyses& analyses) {
  LoopBuilder(analyses.module(), analyses.get<Cfg>(), analyses.get<Dominance>(),
              analyses.get<Constants>(), *this)
      .run();
}

bool Loops::contains(const Loop& loop, BlockRef b) const {
  if (b.value >= position_.size() || position_[b.value] == UINT32_MAX) return false;
  const size_t start = size_t(loop.blocks.data() - loopBlocks_.data());
  return position_[b.value] >= start && position_[b.value] < start + loop.blocks.size();
}

const InductionVariable* Loops::inductionOf(InstRef phi, const Loop** loop) const {
  const auto at = std::lower_bound(phis_.begin(), phis_.end(), phi,
                                   [](const PhiPlace& p, InstRef i) { return p.phi < i; });
  if (at == phis_.end() || at->phi != phi) return nullptr;
  if (loop) *loop = &loops_[at->loop];
  return &loops_[at->loop].inductions[at->induction];
}

std::optional<std::pair<int64_t, int64_t>> Loops::rangeAt(InstRef phi, BlockRef block,
                                                          const Dominance& dominance) const {
  const Loop* loop = nullptr;
  const InductionVariable* v = inductionOf(phi, &loop);
  if (!v) return std::nullopt;
  const bool inBody = contains(*loop, block) && dominance.dominates(loop->bodyEntry, block);
  return inBody ? v->range : v->wholeRange;
}

bool isReducible(Analyses& analyses, FunctionRef function) {
  const Cfg& cfg = analyses.get<Cfg>();
  const Dominance& dominance = analyses.get<Dominance>();
  for (BlockRef b : cfg.reversePostOrder(function))
    for (BlockRef to : cfg.successors(b))
      if (cfg.rpoIndex(to) <= cfg.rpoIndex(b) && !dominance.dominates(to, b)) return false;
  return true;
}

double blockFrequency(const Loops& loops, BlockRef block) {
  double frequency = 1;
  for (const Loop* loop = loops.innermost(block); loop; loop = loops.parent(*loop))
    frequency *= loop->tripCount ? double(*loop->tripCount) : kUnknownTripCount;
  return frequency;
}

} // namespace lanewise
