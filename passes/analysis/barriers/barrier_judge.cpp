#include "analysis/barriers/barrier_judge.h"

#include "analysis/uniformity/uniformity.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Pairs of accesses that are compared for one barrier and class; with more, it stays.
constexpr size_t kMaxPairs = 1 << 16;
constexpr uint32_t kAllClasses = 7;

constexpr uint32_t kVisibilityBits = uint32_t(spv::MemorySemanticsMask::MakeAvailable) |
                                     uint32_t(spv::MemorySemanticsMask::MakeVisible) |
                                     uint32_t(spv::MemorySemanticsMask::Volatile);

} // namespace

BarrierJudge::BarrierJudge(Analyses& analyses, const MemoryEffects& effects,
                           const EntryPoint& entry, const std::vector<JudgedBarrier>& barriers)
    : analyses_(analyses), module_(analyses.module()), effects_(effects), sites_(barriers),
      flow_(analyses, entry), conflicts_(analyses, effects, entry) {
  for (const Barrier& b : flow_.barriers()) {
    auto at =
        std::lower_bound(barriers.begin(), barriers.end(), b.inst,
                         [](const JudgedBarrier& s, InstRef i) { return s.barrier.inst < i; });
    siteOf_.push_back(uint32_t(at - barriers.begin()));
  }
}

// ---- predicates ----

/// A barrier at which invocations wait for one another, at least over `execution`.
bool BarrierJudge::waits(uint32_t barrier, int execution) const {
  const JudgedBarrier& s = site(barrier);
  return s.isAlive() && s.barrier.waitsEverywhere() && s.barrier.isKnown &&
         rankOf(s.barrier.execution) >= execution;
}

bool BarrierJudge::covers(uint32_t barrier, MemoryClass memory, const Strength& strength) const {
  const JudgedBarrier& s = site(barrier);
  // Workgroup memory is nowhere else.
  const int reach = memory == MemoryClass::Workgroup ? std::min(strength.memory, kWorkgroupRank)
                                                     : strength.memory;
  bool isOrdering = s.barrier.orders(memory);
  // What is seen through a buffer and through an image needs both.
  if (effects_.buffersMayAliasImages() && memory != MemoryClass::Workgroup)
    isOrdering = s.barrier.orders(MemoryClass::Buffer) && s.barrier.orders(MemoryClass::Image);
  return waits(barrier, strength.execution) && isOrdering && rankOf(s.barrier.memory) >= reach &&
         (s.barrier.semantics & strength.flags) == strength.flags;
}

bool BarrierJudge::isUniform(uint32_t barrier) const {
  const BlockRef block = module_.blockOf(site(barrier).barrier.inst);
  const bool isSubgroup =
      site(barrier).barrier.isControl && rankOf(site(barrier).barrier.execution) == kSubgroupRank;
  return uniformityOf(analyses_, isSubgroup ? UniformScope::Subgroup : UniformScope::Workgroup)
      .isUniform(block);
}

bool BarrierJudge::areAdjacent(uint32_t first, uint32_t second) const {
  return flow_.areAdjacent(first, second,
                           [&](const Segment& s) { return effects_.in(s.insts).empty(); });
}

/// Whether a fence or an atomic in the region orders the class as well, so that the wait completes
/// it. Raises `strength` to what they do.
bool BarrierJudge::findFences(uint32_t barrier, MemoryClass memory,
                              const BarrierFlow::Region& region, Strength& strength) const {
  bool isFound = false;
  for (uint32_t b : region.passed) {
    const JudgedBarrier& s = site(b);
    if (b == barrier || !s.isAlive()) continue;
    if (s.barrier.isKnown && !s.barrier.touches(memory)) continue;
    isFound = true;
    strength.memory =
        std::max(strength.memory, s.barrier.isKnown ? rankOf(s.barrier.memory) : kWidestRank);
    strength.flags |= s.barrier.semantics & kVisibilityBits;
  }
  for (uint32_t s : region.segments)
    for (const MemoryAccess& a : effects_.in(flow_.segments()[s].insts))
      if ((a.orderedClasses >> uint32_t(memory) & 1) != 0) {
        isFound = true;
        if (a.signalReach > kWorkgroupRank) strength.memory = kWidestRank;
      }
  return isFound;
}

BarrierJudge::Sides BarrierJudge::search(uint32_t barrier, const BarrierFlow::Stops& stops) const {
  return {flow_.search(barrier, Direction::Backward, stops),
          flow_.search(barrier, Direction::Forward, stops)};
}

/// `waiting`: up to the nearest barriers that wait as the barrier does.
BarrierJudge::View BarrierJudge::view(uint32_t barrier, MemoryClass memory,
                                      const Sides& waiting) const {
  const Barrier& b = site(barrier).barrier;
  View view;
  view.memory = memory;
  view.strength = {b.isControl ? rankOf(b.execution) : kWorkgroupRank, rankOf(b.memory),
                   b.semantics & kVisibilityBits};
  view.isOrdered = b.touches(memory);
  if (b.isControl) {
    const bool isBefore = findFences(barrier, memory, waiting.before, view.strength);
    const bool isBehind = findFences(barrier, memory, waiting.behind, view.strength);
    view.isOrdered = view.isOrdered || isBefore || isBehind;
  }
  if (view.isOrdered)
    view.stops = [this, memory, strength = view.strength](uint32_t other) {
      return covers(other, memory, strength);
    };
  else
    view.stops = [this, execution = view.strength.execution](uint32_t other) {
      return waits(other, execution);
    };
  view.sides = search(barrier, view.stops);
  return view;
}

/// The accesses of the class in a region.
std::vector<BarrierJudge::Touch> BarrierJudge::touches(MemoryClass memory,
                                                       const BarrierFlow::Region& region) const {
  std::vector<Touch> found;
  const bool meetsOthers = effects_.buffersMayAliasImages() && memory != MemoryClass::Workgroup;
  for (uint32_t s : region.segments)
    for (const MemoryAccess& a : effects_.in(flow_.segments()[s].insts))
      if (a.memory == memory || (meetsOthers && a.memory != MemoryClass::Workgroup))
        found.push_back({&a, s});
  return found;
}

Crossings BarrierJudge::crossingsOf(uint32_t barrier, View& view, const Touch& x, const Touch& y,
                                    const Loop& loop) {
  auto at = [&](bool isBehind, uint32_t segment) {
    auto [found, isNew] = view.crossings.try_emplace({&loop, isBehind});
    if (isNew)
      found->second = flow_.crossings(barrier, isBehind ? Direction::Forward : Direction::Backward,
                                      view.stops, loop);
    return found->second[segment];
  };
  return Crossings::sum(at(false, x.segment), at(true, y.segment));
}

// ---- judge ----

/// Looks for two accesses of one class that the barrier keeps apart.
void BarrierJudge::judgeClass(uint32_t barrier, View& view, BarrierVerdict& verdict) {
  const std::vector<Touch> before = touches(view.memory, view.sides.before);
  const std::vector<Touch> behind = touches(view.memory, view.sides.behind);
  if (view.isOrdered) {
    verdict.touchesBefore = verdict.touchesBefore || !before.empty();
    verdict.touchesBehind = verdict.touchesBehind || !behind.empty();
  }
  for (uint32_t b : view.sides.before.stoppedBy) verdict.neighboursBefore.push_back(siteOf_[b]);
  for (uint32_t b : view.sides.behind.stoppedBy) verdict.neighboursBehind.push_back(siteOf_[b]);
  auto need = [&](BarrierNeed reason, const Touch& x, const Touch& y) {
    // What counts on the wait may count on all that comes with it.
    verdict.neededClasses |= view.isOrdered ? 1u << uint32_t(view.memory) : kAllClasses;
    if (verdict.need != BarrierNeed::None) return;
    verdict.need = reason;
    verdict.before = x.access;
    verdict.behind = y.access;
  };
  size_t pairs = 0;
  for (const Touch& x : before)
    for (const Touch& y : behind) {
      if (!x.access->isWrite && !y.access->isWrite) continue;
      if (++pairs > kMaxPairs) return need(BarrierNeed::TooLarge, x, y);
      const AccessConflict conflict =
          conflicts_.conflictOf(*x.access, *y.access, [&](const Loop& loop) {
            return crossingsOf(barrier, view, x, y, loop);
          });
      if (conflict == AccessConflict::OwnElements) ++verdict.ownPairs;
      if (conflict == AccessConflict::Disjoint) ++verdict.disjointPairs;
      if (!isConflict(conflict)) continue;
      // The wait alone orders nothing by the rules. What is one variable may still count on it, as
      // much code does; that two bindings might be one buffer is no reason.
      const bool areTwoVariables =
          x.access->variable && y.access->variable && x.access->variable != y.access->variable;
      const bool isCertain =
          !areTwoVariables ||
          effects_.aliasing(x.access->variable, y.access->variable) == Aliasing::Same;
      if (!view.isOrdered && !isCertain) continue;
      return need(conflict == AccessConflict::MayConflict ? BarrierNeed::Conflict
                                                          : BarrierNeed::Aliased,
                  x, y);
    }
}

/// The scope within which nobody passes the barrier before all others have come to it.
int BarrierJudge::waitRankOf(uint32_t barrier) const {
  const Barrier& b = site(barrier).barrier;
  return b.isControl ? rankOf(b.execution) : 0;
}

/// Whether a fence that reaches further than the workgroup stands there.
bool BarrierJudge::hasFarFence(uint32_t barrier, const BarrierFlow::Region& region) const {
  return std::any_of(region.passed.begin(), region.passed.end(), [&](uint32_t n) {
    const Barrier& other = site(n).barrier;
    if (!site(n).isAlive() || n == barrier) return false;
    return !other.isKnown ||
           (rankOf(other.memory) > kWorkgroupRank &&
            (other.touches(MemoryClass::Buffer) || other.touches(MemoryClass::Image)));
  });
}

BarrierJudge::Signs BarrierJudge::signsOf(uint32_t barrier, const View& view,
                                          const BarrierFlow::Region& region) const {
  Signs signs;
  auto note = [](const MemoryAccess*& first, const MemoryAccess& a, bool applies) {
    if (applies && !first) first = &a;
  };
  for (const Touch& t : touches(view.memory, region)) {
    const MemoryAccess& a = *t.access;
    note(signs.access, a, true);
    note(signs.write, a, a.isWrite);
    // A non-private read is ordered before whoever writes next, be it another dispatch, however far
    // it sees: location-ordered asks for no visibility of a read.
    note(signs.exposed, a, a.isWrite || a.signalReach > 0 || effects_.mayBeWrittenByOthers(a));
  }
  const int waitRank = waitRankOf(barrier);
  for (uint32_t s : region.segments)
    for (const MemoryAccess& a : effects_.in(flow_.segments()[s].insts)) {
      if (a.signalReach <= waitRank) continue;
      // By the rules, what nothing orders announces nothing. Code counts on atomics all the same.
      if (!view.isOrdered && !a.isAtomic && a.orderedClasses == 0) continue;
      note(signs.given, a, a.isWrite);
      note(signs.seen, a, a.isRead);
      signs.signalClasses |= 1u << uint32_t(a.memory);
      signs.isReleased = signs.isReleased || (a.orderedClasses >> uint32_t(view.memory) & 1) != 0;
    }
  signs.isReleased = view.isOrdered && (signs.isReleased || view.strength.memory > waitRank ||
                                        hasFarFence(barrier, region));
  return signs;
}

/// `sides`: the stretches in which signals count.
void BarrierJudge::judgePublication(uint32_t barrier, const View& view, const Sides& sides,
                                    BarrierVerdict& verdict) const {
  const Signs before = signsOf(barrier, view, sides.before);
  const Signs behind = signsOf(barrier, view, sides.behind);
  const bool isFar = waitRankOf(barrier) > 0 && view.memory != MemoryClass::Workgroup;
  auto need = [&](const MemoryAccess* first, const MemoryAccess* second) {
    // A fence works through a signal only if it names the memory of the signal as well.
    verdict.neededClasses |=
        view.isOrdered ? 1u << uint32_t(view.memory) | before.signalClasses | behind.signalClasses
                       : kAllClasses;
    if (verdict.need != BarrierNeed::None) return;
    verdict.need = BarrierNeed::Publication;
    verdict.before = first;
    verdict.behind = second;
  };
  // Written here and announced there; what is only read must have been read by then, which an
  // announcement tells that is released to those who learn of it.
  if (before.write && behind.given) return need(before.write, behind.given);
  if (before.exposed && behind.given && behind.isReleased)
    return need(before.exposed, behind.given);
  // Learned here and used there.
  if (before.seen && behind.access) return need(before.seen, behind.access);
  // Learned here and passed on there.
  if (before.seen && behind.given && behind.isReleased) return need(before.seen, behind.given);
  // A fence makes way for signals of other kinds.
  if (isFar && before.write && hasFarFence(barrier, view.sides.behind))
    return need(before.write, nullptr);
  if (isFar && behind.access && hasFarFence(barrier, view.sides.before))
    return need(nullptr, behind.access);
}

/// What others than those who wait at the barrier may learn of across it.
void BarrierJudge::judgePublications(uint32_t barrier, const std::vector<View>& views,
                                     BarrierVerdict& verdict) const {
  // A neighbour does the same only if it orders all that the barrier orders: the memory of what is
  // announced, and that of the signal.
  const Sides sides = search(barrier, [&](uint32_t other) {
    return std::all_of(views.begin(), views.end(), [&](const View& v) {
      return !v.isOrdered || covers(other, v.memory, v.strength);
    });
  });
  for (const View& v : views) {
    // Nobody else sees the memory of a workgroup that waits as a whole.
    if (v.memory == MemoryClass::Workgroup && waitRankOf(barrier) >= kWorkgroupRank) continue;
    judgePublication(barrier, v, v.isOrdered ? sides : v.sides, verdict);
  }
}

InstRef BarrierJudge::findSubgroupOperation(const BarrierFlow::Region& region) const {
  for (uint32_t s : region.segments) {
    const Segment& segment = flow_.segments()[s];
    if (!segment.hasSubgroupOperation) continue;
    for (InstRef i : segment.insts)
      if (isSubgroupOperation(module_, i)) return i;
  }
  return {};
}

BarrierVerdict BarrierJudge::judge(uint32_t barrier) {
  BarrierVerdict verdict;
  const Barrier b = site(barrier).barrier;
  auto staysWhole = [&](BarrierNeed need, InstRef place) {
    verdict.need = need;
    verdict.place = place;
    verdict.neededClasses = kAllClasses;
    return verdict;
  };
  if (!b.isKnown) return staysWhole(BarrierNeed::UnknownScope, b.inst);
  if (!isUniform(barrier)) {
    const BlockRef branch = uniformityOf(analyses_).divergenceOf(module_.blockOf(b.inst));
    return staysWhole(BarrierNeed::DivergentFlow, branch ? module_.terminator(branch) : b.inst);
  }
  const int execution = b.isControl ? rankOf(b.execution) : kWorkgroupRank;
  const Sides waiting = search(barrier, [&](uint32_t other) { return waits(other, execution); });
  std::vector<View> views;
  for (MemoryClass memory : kMemoryClasses)
    if (b.isControl || b.touches(memory)) views.push_back(view(barrier, memory, waiting));
  for (View& v : views) judgeClass(barrier, v, verdict);
  judgePublications(barrier, views, verdict);
  if (!b.isControl || verdict.need != BarrierNeed::None) return verdict;
  if (InstRef operation = findSubgroupOperation(waiting.behind)) {
    verdict.need = BarrierNeed::Convergence;
    verdict.place = operation;
  }
  return verdict;
}

} // namespace lanewise
