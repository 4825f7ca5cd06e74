// What the race detector is built of, clocks and histories of runs, against maps and sets that keep
// every invocation for itself.
#include "verify/interpreter/run/clock.h"
#include "verify/interpreter/run/history.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <tuple>

namespace lanewise::driver::interpreter {
namespace {

constexpr uint32_t kWorkgroups = 3, kLanes = 6, kTicks = 5;

// By workgroup and lane: the tick up to which it is known.
using Known = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;

struct Pair {
  ClockPtr clock;
  Known known;
};

void learn(Known& to, const Known& from) {
  for (const auto& [lane, tick] : from) to[lane] = std::max(to[lane], tick);
}

void expectSame(const Pair& pair) {
  for (uint32_t workgroup = 0; workgroup < kWorkgroups; ++workgroup)
    for (uint32_t tick = 1; tick < kTicks; ++tick)
      for (uint32_t first = 0; first < kLanes; ++first)
        for (uint32_t self = 0; self <= kLanes; ++self) {
          uint32_t expected = UINT32_MAX;
          for (uint32_t lane = kLanes; lane-- > first;) {
            auto at = pair.known.find({workgroup, lane});
            if (lane != self && (at == pair.known.end() || at->second < tick)) expected = lane;
          }
          ASSERT_EQ(firstUnknown(pair.clock, workgroup, first, kLanes - 1, tick, self), expected);
        }
  if (!pair.clock) return;
  // Sorted, without repeats, and of a lane only what is above the tick of all lanes.
  const Clock& clock = *pair.clock;
  std::map<uint32_t, uint32_t> all;
  for (size_t n = 0; n < clock.size(); ++n) {
    const ClockEntry& e = clock[n];
    ASSERT_TRUE(n == 0 || std::tie(clock[n - 1].workgroup, clock[n - 1].lane) <
                              std::tie(e.workgroup, e.lane));
    ASSERT_GT(e.tick, all[e.workgroup]);
    if (e.lane == ClockEntry::kAll) all[e.workgroup] = e.tick;
  }
}

TEST(InterpreterClock, JoinsKnowWhatTheirPartsKnow) {
  std::mt19937 random(1);
  auto below = [&](uint32_t end) { return uint32_t(random() % end); };
  std::vector<Pair> pairs(1);
  for (uint32_t n = 0; n < 2000; ++n) {
    Pair made;
    ClockJoin join;
    for (uint32_t parts = below(5); parts-- > 0;)
      if (below(2)) {
        const Pair& part = pairs[below(uint32_t(pairs.size()))];
        join.add(part.clock);
        learn(made.known, part.known);
      } else {
        // As one workgroup adds its own: all of its lanes, and some of them.
        ClockEntry entry{below(kWorkgroups), below(kLanes + 1), below(kTicks)};
        join.add(entry);
        for (uint32_t lane = 0; lane < kLanes; ++lane)
          if (entry.lane == ClockEntry::kAll || entry.lane == ClockEntry::ofLane(lane))
            learn(made.known, {{{entry.workgroup, lane}, entry.tick}});
      }
    made.clock = join.take();
    expectSame(made);
    if (HasFatalFailure()) return;
    pairs[pairs.size() < 20 ? pairs.size() - 1 : below(20)] = std::move(made);
    if (pairs.size() < 20) pairs.emplace_back();
  }
}

// A barrier teaches all lanes one clock, and they go on sharing it.
TEST(InterpreterClock, KnowingNoMoreIsTheSameClock) {
  ClockJoin join, less;
  join.add(ClockEntry{1, ClockEntry::kAll, 3});
  join.add(ClockEntry{1, ClockEntry::ofLane(2), 5});
  less.add(ClockEntry{1, ClockEntry::ofLane(1), 2});
  less.add(ClockEntry{1, ClockEntry::ofLane(2), 4});
  const ClockPtr more = join.take(), part = less.take();
  EXPECT_EQ(joined(more, part), more);
  EXPECT_EQ(joined(part, more), more);
}

// One access of one lane.
using Single = std::tuple<AccessKind, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;

std::set<Single> singlesOf(const History& history) {
  std::set<Single> all;
  for (const AccessRun& run : history)
    for (uint32_t lane = run.first; lane <= run.last; ++lane)
      all.insert({run.kind, run.workgroup, lane, run.tick, run.site, run.value});
  return all;
}

TEST(InterpreterHistory, RunsStandForTheirLanes) {
  std::mt19937 random(1);
  auto below = [&](uint32_t end) { return uint32_t(random() % end); };
  for (uint32_t round = 0; round < 300; ++round) {
    History history;
    std::set<Single> expected;
    const uint32_t ticks = 1 + below(2), sites = 1 + below(2), values = 1 + below(2);
    for (uint32_t n = 0; n < 60; ++n) {
      AccessRun access;
      access.kind = AccessKind(below(4));
      access.workgroup = below(kWorkgroups);
      access.first = access.last = uint16_t(below(kLanes));
      access.tick = 1 + below(ticks), access.site = below(sites), access.value = below(values);
      const uint32_t lane = access.first;
      // A lane's access takes the place of its last one of the kind.
      const RunRange range = runsOf(history, access.kind, access.workgroup);
      for (size_t at = range.begin; at < range.end; ++at) {
        EXPECT_EQ(history[at].kind, access.kind);
        EXPECT_EQ(history[at].workgroup, access.workgroup);
        if (!history[at].has(lane)) continue;
        const size_t before = history.size(), left = removeLane(history, at, lane);
        EXPECT_EQ(history.size(), before + left - 1);
        break;
      }
      std::erase_if(expected, [&](const Single& s) {
        return std::tuple(std::get<0>(s), std::get<1>(s), std::get<2>(s)) ==
               std::tuple(access.kind, access.workgroup, lane);
      });
      addAccess(history, access);
      expected.insert(
          {access.kind, access.workgroup, lane, access.tick, access.site, access.value});
      ASSERT_EQ(singlesOf(history), expected);
      for (size_t at = 1; at < history.size(); ++at) {
        const AccessRun &x = history[at - 1], &y = history[at];
        ASSERT_LT(std::tuple(x.kind, x.workgroup, x.last),
                  std::tuple(y.kind, y.workgroup, y.first));
        ASSERT_FALSE(x.isSame(y) && x.last + 1 == y.first) << "two runs that are one";
      }
    }
  }
}

} // namespace
} // namespace lanewise::driver::interpreter
