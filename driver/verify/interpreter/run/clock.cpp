#include "verify/interpreter/run/clock.h"

#include <algorithm>
#include <tuple>

namespace lanewise::driver::interpreter {
namespace {

bool isBefore(const ClockEntry& x, const ClockEntry& y) {
  return std::tie(x.workgroup, x.lane) < std::tie(y.workgroup, y.lane);
}

using Entries = Clock::const_iterator;

Entries find(const Clock& clock, uint32_t workgroup, uint32_t lane) {
  return std::lower_bound(clock.begin(), clock.end(), ClockEntry{workgroup, lane, 0}, isBefore);
}

// The tick of all lanes of the workgroup at `at`, and a step beyond it.
uint32_t takeAll(Entries& at, Entries end, uint32_t workgroup) {
  const bool isThere = at != end && at->workgroup == workgroup && at->lane == ClockEntry::kAll;
  return isThere ? (at++)->tick : 0;
}

bool covers(const Clock& clock, const Clock& other) {
  Entries at = clock.begin();
  for (Entries o = other.begin(); o != other.end();) {
    const uint32_t workgroup = o->workgroup;
    while (at != clock.end() && at->workgroup < workgroup) ++at;
    const uint32_t all = takeAll(at, clock.end(), workgroup);
    for (; o != other.end() && o->workgroup == workgroup; ++o) {
      if (o->tick <= all) continue;
      while (at != clock.end() && isBefore(*at, *o)) ++at;
      if (at == clock.end() || isBefore(*o, *at) || at->tick < o->tick) return false;
    }
  }
  return true;
}

Clock merged(const Clock& x, const Clock& y) {
  Clock result;
  result.reserve(x.size() + y.size());
  Entries a = x.begin(), b = y.begin();
  while (a != x.end() || b != y.end()) {
    const uint32_t workgroup = a == x.end()   ? b->workgroup
                               : b == y.end() ? a->workgroup
                                              : std::min(a->workgroup, b->workgroup);
    const uint32_t all = std::max(takeAll(a, x.end(), workgroup), takeAll(b, y.end(), workgroup));
    if (all != 0) result.push_back({workgroup, ClockEntry::kAll, all});
    for (;;) {
      const bool hasA = a != x.end() && a->workgroup == workgroup;
      const bool hasB = b != y.end() && b->workgroup == workgroup;
      if (!hasA && !hasB) break;
      ClockEntry next = hasA && (!hasB || !isBefore(*b, *a)) ? *a : *b;
      if (hasA && a->lane == next.lane) ++a;
      if (hasB && b->lane == next.lane) next.tick = std::max(next.tick, (b++)->tick);
      if (next.tick > all) result.push_back(next);
    }
  }
  return result;
}

} // namespace

uint32_t firstUnknown(const ClockPtr& clock, uint32_t workgroup, uint32_t first, uint32_t last,
                      uint32_t tick, uint32_t self) {
  auto after = [&](uint32_t lane) { return lane == self ? lane + 1 : lane; };
  uint32_t lane = after(first);
  if (lane > last) return UINT32_MAX;
  if (!clock) return lane;
  Entries at = find(*clock, workgroup, ClockEntry::kAll);
  if (takeAll(at, clock->end(), workgroup) >= tick) return UINT32_MAX;
  for (; lane <= last; lane = after(lane + 1)) {
    at = std::lower_bound(at, clock->end(), ClockEntry{workgroup, ClockEntry::ofLane(lane), 0},
                          isBefore);
    const bool isThere =
        at != clock->end() && at->workgroup == workgroup && at->lane == ClockEntry::ofLane(lane);
    if (!isThere || at->tick < tick) return lane;
  }
  return UINT32_MAX;
}

ClockPtr joined(const ClockPtr& a, const ClockPtr& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  if (covers(*a, *b)) return a;
  if (covers(*b, *a)) return b;
  return std::make_shared<const Clock>(merged(*a, *b));
}

void ClockJoin::add(const ClockEntry& entry) {
  const bool isLane = entry.lane != ClockEntry::kAll;
  const uint32_t lane = entry.lane - ClockEntry::ofLane(0);
  const bool isKnown =
      isLane && firstUnknown(clock_, entry.workgroup, lane, lane, entry.tick) == UINT32_MAX;
  if (entry.tick != 0 && !isKnown) entries_.push_back(entry);
}

ClockPtr ClockJoin::take() {
  if (entries_.empty()) return clock_;
  std::sort(entries_.begin(), entries_.end(), [](const ClockEntry& x, const ClockEntry& y) {
    return std::tie(x.workgroup, x.lane, y.tick) < std::tie(y.workgroup, y.lane, x.tick);
  });
  entries_.erase(std::unique(entries_.begin(), entries_.end(),
                             [](const ClockEntry& x, const ClockEntry& y) {
                               return x.workgroup == y.workgroup && x.lane == y.lane;
                             }),
                 entries_.end());
  // Drops what the tick of all lanes covers.
  return joined(clock_, std::make_shared<const Clock>(merged(entries_, {})));
}

} // namespace lanewise::driver::interpreter
