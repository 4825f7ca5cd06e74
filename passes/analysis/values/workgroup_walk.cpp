#include "analysis/values/workgroup_walk.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/module/constants.h"
#include "analysis/module/types.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace lanewise {
namespace {

/// Values of terms for lanes, some ten milliseconds for a million.
constexpr uint64_t kMostValues = uint64_t(1) << 25;
constexpr uint64_t kMostBlocks = uint64_t(1) << 17;
constexpr uint32_t kMostCalls = 64;
constexpr uint32_t kMostDetourRounds = 8;
/// How far what the loops tell is beside the truth, at most: real modules, where the walk comes to
/// its end, execute 0.15 to 1.4 times as many blocks. Else there is no use in beginning, or in
/// going on round a loop that does not end.
constexpr uint64_t kMostTooHigh = 4, kMostTooLow = 16, kFewBlocks = 4096;
/// Of a loop that is known to go round more often only the first rounds are run, each for several.
constexpr uint64_t kLongLoop = 64, kRoundsOfLongLoop = 32;
constexpr uint32_t kUnordered = UINT32_MAX;
constexpr int32_t kNoSlot = -1, kNotLookedAt = -2;

bool isLong(const Loop& loop) {
  return loop.tripCount && *loop.tripCount > kLongLoop;
}

} // namespace

WorkgroupWalk::WorkgroupWalk(Analyses& analyses, Affine& affine, const EntryPoint& entry,
                             std::array<uint32_t, 3> size, uint32_t subgroupSize)
    : analyses_(analyses), module_(analyses.module()), affine_(affine), entry_(entry),
      loops_(analyses.get<Loops>()), size_(size), subgroupSize_(subgroupSize),
      lanes_(size[0] * size[1] * size[2]), all_(LaneMask::all(lanes_)),
      values_(affine, size, subgroupSize, this) {}

const LaneColumn* WorkgroupWalk::of(uint32_t term) const {
  if (term >= slotOfTerm_.size() || slotOfTerm_[term] < 0) return nullptr;
  return &slots_[size_t(slotOfTerm_[term])];
}

// ---- prepare ----

/// Blocks so that all of a loop stands before its merge block, and all arms of a selection before
/// theirs: what is executed first stands first.
void WorkgroupWalk::orderBlocks(FunctionRef function) {
  const Cfg& cfg = analyses_.get<Cfg>();
  const auto blocks = cfg.reversePostOrder(function);
  if (blocks.empty()) return;
  struct Frame {
    BlockRef block;
    std::vector<BlockRef> next;
    size_t at = 0;
  };
  auto frameOf = [&](BlockRef b) {
    Frame frame{b, {}};
    // What is finished first stands last.
    if (const Construct* construct = cfg.constructAt(b)) {
      frame.next.push_back(construct->merge);
      if (construct->continueTarget) frame.next.push_back(construct->continueTarget);
    }
    for (BlockRef s : cfg.successors(b)) frame.next.push_back(s);
    return frame;
  };
  std::set<BlockRef> seen{blocks.front()};
  std::vector<BlockRef> finished;
  std::vector<Frame> stack{frameOf(blocks.front())};
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.at == top.next.size()) {
      finished.push_back(top.block);
      stack.pop_back();
      continue;
    }
    const BlockRef next = top.next[top.at++];
    if (next && cfg.isReachable(next) && seen.insert(next).second) stack.push_back(frameOf(next));
  }
  for (size_t n = 0; n < finished.size(); ++n)
    order_[finished[n].value] = uint32_t(finished.size() - n);
}

/// What there is to do in each block: the instructions asked for, and calls that lead to some.
void WorkgroupWalk::collectEvents(std::span<const InstRef> insts) {
  std::map<FunctionRef, std::vector<InstRef>> calls; // by callee
  for (FunctionRef f : entry_.functions)
    for (InstRef i : module_.functionInsts(f))
      if (module_.opcode(i) == spv::Op::OpFunctionCall)
        calls[module_.functionOfId(module_.idAt(i, 3))].push_back(i);
  std::vector<FunctionRef> work;
  for (size_t n = 0; n < insts.size(); ++n) {
    const BlockRef block = module_.blockOf(insts[n]);
    events_[block].push_back({insts[n], n, {}});
    work.push_back(module_.functionOf(block));
  }
  std::set<FunctionRef> seen;
  while (!work.empty()) {
    const FunctionRef f = work.back();
    work.pop_back();
    if (!f || !seen.insert(f).second) continue;
    for (InstRef i : calls[f]) {
      events_[module_.blockOf(i)].push_back({i, 0, f});
      work.push_back(module_.functionOf(module_.blockOf(i)));
    }
  }
  for (auto& [block, events] : events_)
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.inst.value < b.inst.value; });
  std::ranges::set_intersection(seen, entry_.functions, std::back_inserter(functions_));
  for (FunctionRef f : functions_) orderBlocks(f);
}

/// Gives each term of the form whose value an execution decides a slot; `phis` receives new ones.
void WorkgroupWalk::collectSlots(const AffineExpr& e, std::vector<Id>& phis) {
  for (auto [t, coefficient] : e.terms) {
    if (t >= slotOfTerm_.size()) slotOfTerm_.resize(size_t(t) + 1, kNotLookedAt);
    if (slotOfTerm_[t] != kNotLookedAt) continue;
    slotOfTerm_[t] = kNoSlot;
    const AffineTerm& term = affine_.term(t);
    if (term.kind == AffineTerm::Kind::Derived) {
      for (uint32_t a : term.args) collectSlots(affine_.argument(a), phis);
      continue;
    }
    const bool mayHave = term.kind == AffineTerm::Kind::Induction ||
                         term.kind == AffineTerm::Kind::UniformOpaque ||
                         term.kind == AffineTerm::Kind::VaryingOpaque;
    const InstRef def = mayHave ? module_.def(term.id) : InstRef();
    if (!def || !term.args.empty()) continue;
    const spv::Op op = module_.opcode(def);
    if (op != spv::Op::OpPhi && op != spv::Op::OpLabel) continue;
    const auto [at, isNew] = slotOfId_.try_emplace(term.id, uint32_t(slots_.size()));
    slotOfTerm_[t] = int32_t(at->second);
    if (!isNew) continue;
    slots_.emplace_back().fill(lanes_, 0, 0);
    if (op != spv::Op::OpPhi) continue;
    phisOf_[module_.blockOf(def)].push_back(def);
    phis.push_back(term.id);
  }
}

void WorkgroupWalk::prepare(std::span<const InstRef> insts,
                            std::span<const AffineExpr* const> values) {
  order_.assign(module_.blockCount() + 1, kUnordered);
  collectEvents(insts);
  collectSlots(values);
  findDetours();
}

/// Gives a slot to all that the forms depend on.
void WorkgroupWalk::collectSlots(std::span<const AffineExpr* const> forms) {
  std::vector<Id> phis;
  for (const AffineExpr* e : forms) collectSlots(*e, phis);
  while (!phis.empty()) {
    const InstRef phi = module_.def(phis.back());
    phis.pop_back();
    for (uint32_t word = 3; word < module_.wordCount(phi); word += 2)
      collectSlots(affine_.of(module_.idAt(phi, word)), phis);
  }
}

/// The more is walked, the more values decide where lanes go; the more of them are needed, the more
/// is walked.
void WorkgroupWalk::findDetours() {
  const auto hasPhi = [&](BlockRef block) { return phisOf_.contains(block); };
  const auto isSeenOutside = [&](BlockRef block, const auto&) {
    return hasPhi(block) || slotOfId_.contains(module_.labelId(block));
  };
  std::vector<bool> areLoud(module_.blockCount() + 1);
  for (const auto& [block, events] : events_) areLoud[block.value] = true;
  detours_.emplace(analyses_, functions_, areLoud);
  for (uint32_t round = 1;; ++round) {
    const bool isLast = round == kMostDetourRounds;
    detours_->find({[&](BlockRef block) { return isLast || hasPhi(block); }, isSeenOutside});
    const size_t before = slots_.size();
    collectConditions();
    if (slots_.size() == before || isLast) return;
  }
}

void WorkgroupWalk::collectConditions() {
  std::vector<const AffineExpr*> forms;
  for (FunctionRef function : functions_)
    for (BlockRef block : analyses_.get<Cfg>().reversePostOrder(function)) {
      if (detours_->isLeftOut(block) || detours_->pastChoice(block)) continue;
      const InstRef end = module_.terminator(block);
      const spv::Op op = module_.opcode(end);
      if (op != spv::Op::OpBranchConditional && op != spv::Op::OpSwitch) continue;
      const auto [at, isNew] = conditions_.try_emplace(block);
      if (!isNew) continue;
      at->second = &affine_.of(module_.idAt(end, 1));
      forms.push_back(at->second);
    }
  collectSlots(forms);
}

/// Blocks that a walk of what is prepared executes, as far as the loops tell.
double WorkgroupWalk::estimatedBlocks() const {
  double blocks = 0;
  for (FunctionRef function : functions_)
    for (BlockRef b : analyses_.get<Cfg>().reversePostOrder(function)) {
      double rounds = detours_->isLeftOut(b) ? 0 : 1;
      for (const Loop* loop = loops_.innermost(b); loop; loop = loops_.parent(*loop))
        rounds *= isLong(*loop) ? double(kRoundsOfLongLoop)
                                : double(loop->tripCount.value_or(uint64_t(kUnknownTripCount)));
      blocks += rounds;
    }
  return blocks;
}

// ---- run ----

bool WorkgroupWalk::run(std::span<const InstRef> insts, std::span<const AffineExpr* const> values,
                        const std::function<void(const Visit&)>& visit) {
  visit_ = &visit;
  prepare(insts, values);
  const double blocks = estimatedBlocks();
  isOver_ = blocks > double(kMostTooHigh * kMostBlocks) ||
            blocks * lanes_ > double(kMostTooHigh * kMostValues);
  mostBlocks_ = uint64_t(std::min(double(kMostBlocks), kMostTooLow * blocks + kFewBlocks));
  if (entry_.function && !isOver_) call(entry_.function, all_, 1, true);
  return !isOver_;
}

void WorkgroupWalk::call(FunctionRef function, const LaneMask& lanes, double weight,
                         bool isCertain) {
  const BlockRef first = module_.firstBlock(function);
  if (module_.blockCount(function) == 0 || order_[first.value] == kUnordered) return;
  if (callDepth_ == kMostCalls) {
    isOver_ = true;
    return;
  }
  ++callDepth_;
  Pending pending;
  pending[order_[first.value]] = {first, lanes, 0};
  while (!pending.empty() && !isOver_) {
    Arrival next = std::move(pending.begin()->second);
    pending.erase(pending.begin());
    execute(std::move(next), pending, weight, isCertain);
  }
  --callDepth_;
}

/// Rounds that one stands for in the loops around the block.
double WorkgroupWalk::weightOf(BlockRef block) const {
  double weight = 1;
  for (const Loop* loop = loops_.innermost(block); loop; loop = loops_.parent(*loop))
    if (isLong(*loop)) weight *= double(*loop->tripCount) / double(kRoundsOfLongLoop);
  return weight;
}

void WorkgroupWalk::execute(Arrival here, Pending& pending, double weight, bool isCertain) {
  isOver_ = isOver_ || values_.computed() > kMostValues || ++blocks_ > mostBlocks_;
  while (here.uncertainTo != 0 && order_[here.block.value] >= here.uncertainTo) {
    const auto left = pending.left.find(here.uncertainTo);
    here.uncertainTo = left != pending.left.end() ? left->second : 0;
    if (left != pending.left.end()) pending.left.erase(left);
  }
  const bool isCertainHere = isCertain && here.uncertainTo == 0;
  if (const auto events = events_.find(here.block); events != events_.end()) {
    const double each = weight * weightOf(here.block);
    const bool isAll = isCertainHere && each == 1;
    for (const Event& event : events->second) {
      if (isOver_) return;
      if (event.callee)
        call(event.callee, here.lanes, each, isAll);
      else
        (*visit_)({event.index, &here.lanes, each, isAll});
    }
  }
  if (const BlockRef past = detours_->pastChoice(here.block))
    return go(here, past, here.lanes, here.uncertainTo, pending);
  const InstRef terminator = module_.terminator(here.block);
  switch (module_.opcode(terminator)) {
  case spv::Op::OpBranch:
    return go(here, module_.blockOfLabel(module_.idAt(terminator, 1)), here.lanes, here.uncertainTo,
              pending);
  case spv::Op::OpBranchConditional:
    return branch(std::move(here), terminator, pending);
  case spv::Op::OpSwitch:
    return choose(here, terminator, pending);
  default: // returns
    if (here.uncertainTo != 0) pending.left[here.uncertainTo] = kUnordered;
    return;
  }
}

WorkgroupWalk::Ways WorkgroupWalk::waysOf(const AffineExpr& condition, const LaneMask& lanes) {
  const LaneColumn& values = values_.of(condition);
  if (affine_.isWorkgroupUniform(condition)) {
    Ways ways{LaneMask(lanes_), LaneMask(lanes_), LaneMask(lanes_)};
    const uint32_t first = lanes.first();
    const auto value = values.value(first);
    ways.isSampled = values.is(first, LaneColumn::IsSampled);
    (!value || ways.isSampled ? ways.open : *value != 0 ? ways.yes : ways.no) = lanes;
    return ways;
  }
  const uint8_t* const facts = values.facts.data();
  uint8_t any = 0, all = 0xff; // of those that are not here as well
  for (uint32_t n = 0; n < lanes_; ++n) any |= facts[n];
  for (uint32_t n = 0; n < lanes_; ++n) all &= facts[n];
  const auto lanesWith = [&](LaneColumn::Fact fact) {
    if ((all & fact) != 0) return lanes;
    if ((any & fact) == 0) return LaneMask(lanes_);
    return LaneMask::of(lanes, lanes_,
                        [facts, fact](uint32_t n) { return (facts[n] & fact) != 0; });
  };
  const LaneMask known = lanesWith(LaneColumn::HasValue);
  Ways ways;
  ways.yes = LaneMask::of(known, lanes_,
                          [data = values.values.data()](uint32_t n) { return data[n] != 0; });
  ways.no = known.without(ways.yes);
  ways.open = lanes.without(known);
  ways.isSampled = !lanesWith(LaneColumn::IsSampled).isEmpty();
  return ways;
}

uint32_t WorkgroupWalk::orderOfMerge(BlockRef header) const {
  const Construct* construct = analyses_.get<Cfg>().constructAt(header);
  return construct && construct->merge ? order_[construct->merge.value] : kUnordered;
}

/// Decides who leaves the loop by this branch. Where that is not known: nobody while another end is
/// in sight, else all after as many rounds as any other such loop has.
void WorkgroupWalk::leave(const Loop& loop, Arrival& arrival, Ways& ways, bool yesLeaves) {
  Round& round = rounds_[loop.header];
  LaneMask& leaving = yesLeaves ? ways.yes : ways.no;
  LaneMask& staying = yesLeaves ? ways.no : ways.yes;
  const uint64_t rounds = round.number + (arrival.block == loop.header ? 0u : 1u);
  const bool isKnown = ways.open.isEmpty() && !ways.isSampled;
  if (isKnown && !isLong(loop)) {
    round.hasKnownEnd = true;
    return;
  }
  // From here on nobody knows how often the loop goes round, nor who is still in it.
  arrival.uncertainTo = std::max(arrival.uncertainTo, orderOfMerge(loop.header));
  const bool isEnd = isLong(loop) ? rounds >= kRoundsOfLongLoop
                                  : !round.hasKnownEnd && rounds >= kUnknownTripCount;
  if (isEnd) {
    leaving = arrival.lanes;
    staying = LaneMask(lanes_);
  } else {
    // What stands behind runs once, whoever it is.
    LaneMask open = ways.open;
    if (ways.isSampled) open |= leaving;
    staying |= open;
    leaving = round.wasLeft ? LaneMask(lanes_) : open;
    round.wasLeft = true;
  }
}

void WorkgroupWalk::branch(Arrival here, InstRef terminator, Pending& pending) {
  const BlockRef onTrue = module_.blockOfLabel(module_.idAt(terminator, 2));
  const BlockRef onFalse = module_.blockOfLabel(module_.idAt(terminator, 3));
  if (onTrue == onFalse) return go(here, onTrue, here.lanes, here.uncertainTo, pending);
  Ways ways = waysOf(*conditions_.at(here.block), here.lanes);
  const Loop* loop = loops_.innermost(here.block);
  const bool trueStays = loop && loops_.contains(*loop, onTrue);
  const bool falseStays = loop && loops_.contains(*loop, onFalse);
  if (loop && trueStays != falseStays) {
    leave(*loop, here, ways, falseStays);
  } else if (!ways.open.isEmpty() || ways.isSampled) {
    here.uncertainTo = std::max(here.uncertainTo, orderOfMerge(here.block));
    ways.yes |= ways.open;
    ways.no |= ways.open;
  }
  if (!ways.yes.isEmpty()) go(here, onTrue, ways.yes, here.uncertainTo, pending);
  if (!ways.no.isEmpty()) go(here, onFalse, ways.no, here.uncertainTo, pending);
}

/// A switch: each lane takes its case; where the selector is not known, every one.
void WorkgroupWalk::choose(const Arrival& arrival, InstRef terminator, Pending& pending) {
  const LaneColumn& selector = values_.of(*conditions_.at(arrival.block));
  const BlockRef otherwise = module_.blockOfLabel(module_.idAt(terminator, 2));
  const bool isNarrow = module_.wordCount(terminator) % 2 == 1; // a literal is one word
  const LaneMask open = LaneMask::of(arrival.lanes, lanes_, [&](uint32_t n) {
    return !isNarrow || !selector.is(n, LaneColumn::HasValue) ||
           selector.is(n, LaneColumn::IsSampled);
  });
  std::map<BlockRef, LaneMask> ways;
  uint32_t uncertainTo = arrival.uncertainTo;
  if (!open.isEmpty()) {
    uncertainTo = std::max(uncertainTo, orderOfMerge(arrival.block));
    for (BlockRef to : analyses_.get<Cfg>().successors(arrival.block)) ways.try_emplace(to, open);
  }
  arrival.lanes.without(open).forEach([&](uint32_t n) {
    BlockRef to = otherwise;
    for (uint32_t word = 3; word + 1 < module_.wordCount(terminator); word += 2)
      if (module_.word(terminator, word) == selector.values[n])
        to = module_.blockOfLabel(module_.idAt(terminator, word + 1));
    ways.try_emplace(to, LaneMask(lanes_)).first->second.set(n);
  });
  for (const auto& [to, lanes] : ways) go(arrival, to, lanes, uncertainTo, pending);
}

/// Values that the phis of `to` take for the lanes that come from `from`.
void WorkgroupWalk::crossEdge(BlockRef from, BlockRef to, const LaneMask& lanes,
                              const LaneMask* already) {
  size_t count = 0; // all phis of a block change at once
  const Id label = module_.labelId(from);
  if (const auto phis = phisOf_.find(to); phis != phisOf_.end())
    for (InstRef phi : phis->second) {
      for (uint32_t word = 3; word + 1 < module_.wordCount(phi); word += 2) {
        if (module_.idAt(phi, word + 1) != label) continue;
        const AffineExpr& form = affine_.of(module_.idAt(phi, word));
        if (incoming_.size() == count) incoming_.emplace_back();
        auto& [slot, column] = incoming_[count++];
        slot = slotOfId_.at(module_.resultId(phi));
        column = values_.of(form);
        if (!affine_.isWorkgroupUniform(form)) continue;
        const uint32_t first = lanes.first();
        column.fill(lanes_, column.values[first], column.facts[first]);
      }
    }
  const bool isAll = count != 0 && lanes == all_;
  for (const auto& [number, column] : std::span(incoming_).first(count)) {
    LaneColumn& slot = slots_[number];
    slot.isUniform = column.isUniform && !already && isAll;
    // Lanes that may have come another way as well.
    LaneMask doubtful;
    if (already)
      doubtful = LaneMask::of(lanes, lanes_, [&, &column = column](uint32_t n) {
        return already->test(n) &&
               (!slot.is(n, LaneColumn::HasValue) || slot.values[n] != column.values[n]);
      });
    lanes.forEachRun([values = column.values.data(), facts = column.facts.data(),
                      to = slot.values.data(), known = slot.facts.data()](size_t n, size_t end) {
      for (; n < end; ++n) {
        const bool isKnown =
            (facts[n] & (LaneColumn::HasValue | LaneColumn::IsSampled)) == LaneColumn::HasValue;
        known[n] = isKnown ? LaneColumn::HasValue : 0;
        to[n] = LaneColumn::known(values[n], known[n]);
      }
    });
    doubtful.forEach([&slot](uint32_t n) { slot.facts[n] = 0; });
  }
  if (count != 0) values_.forget();
}

void WorkgroupWalk::go(const Arrival& arrival, BlockRef to, const LaneMask& lanes,
                       uint32_t uncertainTo, Pending& pending) {
  while (to && detours_->pastLoop(to)) to = detours_->pastLoop(to);
  const uint32_t order = to ? order_[to.value] : kUnordered;
  if (order == kUnordered) return;
  if (uncertainTo != 0 && order > uncertainTo) {
    uint32_t& left = pending.left[uncertainTo];
    left = std::max(left, order);
  }
  const auto at = pending.find(order);
  crossEdge(arrival.block, to, lanes, at == pending.end() ? nullptr : &at->second.lanes);
  if (const Loop* loop = loops_.innermost(to); loop && loop->header == to) {
    const bool isBack = loops_.contains(*loop, arrival.block);
    Round& round = rounds_[to];
    round = isBack ? Round{round.number + 1, round.hasKnownEnd, round.wasLeft} : Round{};
    if (const auto slot = slotOfId_.find(module_.labelId(to)); slot != slotOfId_.end()) {
      LaneColumn& iterations = slots_[slot->second];
      iterations.isUniform = (iterations.isUniform || !isBack) && lanes == all_;
      lanes.forEachRun([isBack, values = iterations.values.data(),
                        facts = iterations.facts.data()](size_t n, size_t end) {
        std::fill(facts + n, facts + end, uint8_t(LaneColumn::HasValue));
        if (!isBack) std::fill(values + n, values + end, 0);
        for (; isBack && n < end; ++n) ++values[n];
      });
      values_.forget();
    }
  }
  if (at == pending.end()) {
    pending[order] = {to, lanes, uncertainTo};
    return;
  }
  at->second.lanes |= lanes;
  at->second.uncertainTo = std::max(at->second.uncertainTo, uncertainTo);
}

} // namespace lanewise
