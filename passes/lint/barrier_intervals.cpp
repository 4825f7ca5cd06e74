#include "lint/barrier_intervals.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"

#include <algorithm>
#include <unordered_set>

namespace lanewise {

BarrierIntervals::BarrierIntervals(Analyses& analyses, FunctionRef function)
    : analyses_(analyses), module_(analyses.module()) {
  for (InstRef i : module_.functionInsts(function)) {
    const OpcodeFacts& facts = module_.facts(i);
    if (!module_.blockOf(i) || facts.opClass == OpClass::Line) continue;
    const spv::Op op = module_.opcode(i);
    // A memory barrier makes nobody wait.
    const bool isWait = has(module_.effects(i), Effect::Barrier) && op != spv::Op::OpMemoryBarrier;
    if (isWait || has(module_.effects(i), Effect::Subgroup) || op == spv::Op::OpFunctionCall ||
        facts.opClass == OpClass::Unknown || module_.isUnknown(i))
      separators_.push_back(i);
  }
}

/// True when `block` is entered from `from` alone, or round a loop that it heads.
bool BarrierIntervals::isOnlyWayTo(BlockRef from, BlockRef block) const {
  const auto sources = analyses_.get<Cfg>().predecessors(block);
  return std::all_of(sources.begin(), sources.end(), [&](BlockRef source) {
    return source == from || !analyses_.get<Cfg>().isReachable(source) ||
           analyses_.get<Dominance>().dominates(block, source);
  });
}

std::optional<std::vector<PathCondition>> BarrierIntervals::conditionsOf(BlockRef block) const {
  const Dominance& dominance = analyses_.get<Dominance>();
  std::vector<PathCondition> conditions;
  if (!analyses_.get<Cfg>().isReachable(block)) return std::nullopt;
  for (BlockRef above = dominance.idom(block); above; above = dominance.idom(above)) {
    if (dominance.postDominates(block, above)) {
      block = above;
      continue;
    }
    const InstRef end = module_.terminator(above);
    if (module_.opcode(end) != spv::Op::OpBranchConditional) return std::nullopt;
    const BlockRef sides[] = {module_.blockOfLabel(module_.idAt(end, 2)),
                              module_.blockOfLabel(module_.idAt(end, 3))};
    if (sides[0] == sides[1]) return std::nullopt;
    int taken = -1;
    for (int n : {0, 1})
      if (dominance.postDominates(block, sides[n])) {
        if (taken >= 0 || !isOnlyWayTo(above, sides[n])) return std::nullopt;
        taken = n;
      }
    if (taken < 0) return std::nullopt;
    conditions.push_back({above, module_.idAt(end, 1), taken == 1});
    block = above;
  }
  return conditions;
}

bool BarrierIntervals::hasSeparator(InstRef first, InstRef last) const {
  auto at = std::lower_bound(separators_.begin(), separators_.end(), first);
  return at != separators_.end() && *at < last;
}

bool BarrierIntervals::isQuiet(BlockRef top, InstRef from, InstRef to) const {
  const BlockRef last = module_.blockOf(to);
  const InstRef start = from ? from : module_.blockInsts(top).first;
  if (last == top) return start.value <= to.value && !hasSeparator(start, to);
  if (hasSeparator(start, module_.blockInsts(top).last) ||
      hasSeparator(module_.blockInsts(last).first, to))
    return false;
  // Backward from `to`: every path begins at `top`.
  const Cfg& cfg = analyses_.get<Cfg>();
  const Loops& loops = analyses_.get<Loops>();
  auto isWayRound = [&](BlockRef source, BlockRef target) {
    const Loop* loop = loops.innermost(target);
    return loop && loop->header == target && loops.contains(*loop, source) &&
           loops.contains(*loop, last);
  };
  std::vector<BlockRef> pending{last};
  std::unordered_set<BlockRef> seen{last};
  while (!pending.empty()) {
    const BlockRef b = pending.back();
    pending.pop_back();
    for (BlockRef source : cfg.predecessors(b)) {
      if (source == top || !cfg.isReachable(source) || isWayRound(source, b)) continue;
      if (!seen.insert(source).second) continue;
      const InstRange insts = module_.blockInsts(source);
      if (hasSeparator(insts.first, insts.last)) return false;
      pending.push_back(source);
    }
  }
  return true;
}

} // namespace lanewise
