#include "analysis/barriers/barrier_flow.h"

#include "analysis/control_flow/cfg.h"

#include <algorithm>

namespace lanewise {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

} // namespace

bool isSubgroupOperation(const Module& module, InstRef i) {
  return module.isUnknown(i) || has(module.effects(i), Effect::Subgroup);
}

Crossings Crossings::sum(Crossings a, Crossings b) {
  Crossings result;
  if ((a.ways & b.ways & kNone) != 0) result.ways |= kNone;
  if (((a.ways & kOnce) != 0 && (b.ways & kNone) != 0) ||
      ((a.ways & kNone) != 0 && (b.ways & kOnce) != 0))
    result.ways |= kOnce;
  if (((a.ways | b.ways) & kMany) != 0 || (a.ways & b.ways & kOnce) != 0) result.ways |= kMany;
  return result;
}

BarrierFlow::BarrierFlow(Analyses& analyses, const EntryPoint& entry)
    : analyses_(analyses), module_(analyses.module()), entry_(entry),
      firstSegment_(module_.blockCount() + 1, kNone) {
  for (FunctionRef f : entry.functions) cut(f);
  const std::vector<Edge> edges = connect();
  next_.fill(edges, segments_.size(), [](const Edge& e) { return e; });
  previous_.fill(edges, segments_.size(), [](const Edge& e) { return Edge{e.to, e.from}; });
}

template <class Turn>
void BarrierFlow::Neighbours::fill(std::span<const Edge> edges, size_t segments, Turn&& turn) {
  start.assign(segments + 1, 0);
  for (const Edge& e : edges) ++start[turn(e).from + 1];
  for (size_t s = 1; s < start.size(); ++s) start[s] += start[s - 1];
  list.resize(edges.size());
  std::vector<uint32_t> next(start.begin(), start.end() - 1);
  for (const Edge& e : edges) list[next[turn(e).from]++] = turn(e).to;
}

void BarrierFlow::cut(FunctionRef function) {
  for (uint32_t n = 0; n < module_.blockCount(function); ++n) {
    const BlockRef block(module_.firstBlock(function).value + n);
    if (analyses_.get<Cfg>().isReachable(block)) cutBlock(block);
  }
}

void BarrierFlow::cutBlock(BlockRef block) {
  firstSegment_[block.value] = uint32_t(segments_.size());
  const InstRange insts = module_.blockInsts(block);
  Segment segment{block, {insts.first, insts.first}, Segment::End::Block, 0, false};
  for (InstRef i : insts) {
    const spv::Op op = module_.opcode(i);
    const OpcodeFacts& facts = module_.facts(i);
    const bool isValue = facts.opClass == OpClass::Value || facts.opClass == OpClass::Unknown;
    segment.insts.last = InstRef(i.value + 1);
    if (!isValue) continue;
    if (op == spv::Op::OpFunctionCall || isBarrier(op)) {
      // A call stays part of its segment, for what it touches itself: calls of functions without a
      // body.
      segment.end = isBarrier(op) ? Segment::End::Barrier : Segment::End::Call;
      if (isBarrier(op)) {
        segment.insts.last = i;
        segment.barrier = uint32_t(barriers_.size());
        barriers_.push_back(readBarrier(analyses_, i));
        endsWith_.push_back(uint32_t(segments_.size()));
      }
      segments_.push_back(segment);
      segment = {
          block, {InstRef(i.value + 1), InstRef(i.value + 1)}, Segment::End::Block, 0, false};
      continue;
    }
    if (isSubgroupOperation(module_, i)) segment.hasSubgroupOperation = true;
  }
  segments_.push_back(segment);
}

std::vector<BarrierFlow::Edge> BarrierFlow::connect() const {
  const Cfg& cfg = analyses_.get<Cfg>();
  std::vector<Edge> edges;
  const auto addEdge = [&](uint32_t from, uint32_t to) { edges.push_back({from, to}); };
  // Where each function returns to, by the segment of the call.
  std::vector<std::vector<uint32_t>> callers(module_.functionCount() + 1);
  for (uint32_t s = 0; s < segments_.size(); ++s) {
    const Segment& segment = segments_[s];
    if (segment.end == Segment::End::Barrier) addEdge(s, s + 1);
    if (segment.end == Segment::End::Block)
      for (BlockRef to : cfg.successors(segment.block))
        if (firstSegment_[to.value] != kNone) addEdge(s, firstSegment_[to.value]);
    if (segment.end != Segment::End::Call) continue;
    const InstRef call(segment.insts.last.value - 1);
    const FunctionRef callee = module_.functionOfId(module_.idAt(call, 3));
    if (!callee || module_.blockCount(callee) == 0 ||
        firstSegment_[module_.firstBlock(callee).value] == kNone) {
      addEdge(s, s + 1);
      continue;
    }
    addEdge(s, firstSegment_[module_.firstBlock(callee).value]);
    callers[callee.value].push_back(s);
  }
  for (uint32_t s = 0; s < segments_.size(); ++s) {
    const Segment& segment = segments_[s];
    if (segment.end != Segment::End::Block) continue;
    const spv::Op op = module_.opcode(module_.terminator(segment.block));
    if (op != spv::Op::OpReturn && op != spv::Op::OpReturnValue) continue;
    for (uint32_t call : callers[module_.functionOf(segment.block).value]) addEdge(s, call + 1);
  }
  return edges;
}

std::vector<uint32_t> BarrierFlow::starts(uint32_t barrier, Direction direction) const {
  const uint32_t before = endsWith_[barrier];
  return {direction == Direction::Backward ? before : before + 1};
}

BarrierFlow::Region BarrierFlow::search(uint32_t barrier, Direction direction,
                                        const Stops& stops) const {
  Region region;
  region.direction = direction;
  const bool isForward = direction == Direction::Forward;
  std::vector<bool> seen(segments_.size()), met(barriers_.size());
  region.segments = starts(barrier, direction);
  for (uint32_t s : region.segments) seen[s] = true;
  auto mayPass = [&](uint32_t b) {
    if (b == barrier) return true;
    const bool isStop = stops(b);
    if (!met[b]) (isStop ? region.stoppedBy : region.passed).push_back(b);
    met[b] = true;
    return !isStop;
  };
  for (size_t n = 0; n < region.segments.size(); ++n) {
    const uint32_t s = region.segments[n];
    if (isForward && segments_[s].end == Segment::End::Barrier && !mayPass(segments_[s].barrier))
      continue;
    const std::span<const uint32_t> edges = (isForward ? next_ : previous_).of(s);
    if (edges.empty()) region.reachesEnd = true;
    for (uint32_t to : edges) {
      if (seen[to]) continue;
      if (!isForward && segments_[to].end == Segment::End::Barrier &&
          !mayPass(segments_[to].barrier))
        continue;
      seen[to] = true;
      region.segments.push_back(to);
    }
  }
  std::sort(region.passed.begin(), region.passed.end());
  std::sort(region.stoppedBy.begin(), region.stoppedBy.end());
  return region;
}

std::vector<Crossings> BarrierFlow::crossings(uint32_t barrier, Direction direction,
                                              const Stops& stops, const Loop& loop) const {
  const bool isForward = direction == Direction::Forward;
  const Loops& loops = analyses_.get<Loops>();
  std::vector<Crossings> result(segments_.size());
  using Item = std::pair<uint32_t, uint8_t>;
  std::vector<Item> pending;
  auto reach = [&](uint32_t s, uint8_t way) {
    if ((result[s].ways & way) != 0) return;
    result[s].ways |= way;
    pending.push_back({s, way});
  };
  for (uint32_t s : starts(barrier, direction)) reach(s, Crossings::kNone);
  while (!pending.empty()) {
    const auto [s, way] = pending.back();
    pending.pop_back();
    auto isStopped = [&](uint32_t segment) {
      return segments_[segment].end == Segment::End::Barrier &&
             segments_[segment].barrier != barrier && stops(segments_[segment].barrier);
    };
    if (isForward && isStopped(s)) continue;
    for (uint32_t to : (isForward ? next_ : previous_).of(s)) {
      if (!isForward && isStopped(to)) continue;
      const uint32_t source = isForward ? s : to, target = isForward ? to : s;
      uint8_t after = way;
      const bool isHeader = segments_[source].end == Segment::End::Block &&
                            segments_[target].block == loop.header &&
                            target == firstSegment_[loop.header.value];
      if (isHeader) {
        const bool isRound = loops.contains(loop, segments_[source].block);
        after = isRound && way == Crossings::kNone ? Crossings::kOnce : Crossings::kMany;
      }
      reach(to, after);
    }
  }
  return result;
}

bool BarrierFlow::areAdjacent(uint32_t first, uint32_t second,
                              const std::function<bool(const Segment&)>& isEmpty) const {
  const uint32_t from = endsWith_[first] + 1, to = endsWith_[second];
  if (to < from) return false;
  for (uint32_t s = from; s <= to; ++s) {
    const Segment& segment = segments_[s];
    if (segment.block != segments_[endsWith_[first]].block) return false;
    if (segment.end == Segment::End::Call || segment.hasSubgroupOperation || !isEmpty(segment))
      return false;
  }
  return true;
}

} // namespace lanewise
