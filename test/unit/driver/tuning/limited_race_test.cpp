// A race that has to end in time, by a clock that is told what each step takes.
#include "tuning/limited_race.h"

#include <gtest/gtest.h>
#include <limits>

namespace lanewise::driver {
namespace {

// Does with a race what a verification does.
class PacedDevice {
public:
  double fill = 0, compile = 0, compare = 0, run = 0; ///< seconds
  size_t stallsAt = SIZE_MAX; ///< the comparison, those of the original first
  double stall = 0;           ///< seconds
  size_t compared = 0;
  double now = 0;

  RaceClock clock() {
    return [this] { return now; };
  }

  /// Who was compared.
  std::vector<size_t> verify(LimitedRace& race, size_t programs) {
    std::vector<bool> isReady(programs);
    for (size_t p = 0; p < programs; ++p)
      if ((isReady[p] = race.mayCompile(p))) now += compile;
    now += fill;
    race.mayCompare(0);
    for (int n = 0; n < 2; ++n) compareOne(race);
    std::vector<size_t> equal{0};
    for (size_t p = 1; p < programs; ++p) {
      if (!isReady[p] || !race.mayCompare(p)) continue;
      compareOne(race);
      equal.push_back(p);
    }
    if (equal.size() == 1) return equal;
    now += compare + double(equal.size()) * run; // sends buffers, warms up
    for (std::vector<size_t> order = race.next(equal); !order.empty(); order = race.next(equal))
      for (size_t p : order) now += run, race.add(p, run);
    return equal;
  }

  void compareOne(LimitedRace& race) {
    const double stalled = compared++ == stallsAt ? stall : 0;
    now += compare + stalled;
    race.noteRun(run + stalled);
  }
};

LimitedRace raceOf(PacedDevice& device, size_t programs, double seconds, size_t forced = 0) {
  return LimitedRace(programs, {}, seconds, forced, device.clock());
}

TEST(LimitedRace, TakesAllWhereThereIsTime) {
  PacedDevice device{.fill = 1, .compile = 0.1, .compare = 0.5, .run = 0.01};
  LimitedRace race = raceOf(device, 8, 100);
  EXPECT_EQ(8u, device.verify(race, 8).size());
  EXPECT_EQ(20u, race.samples()[0].size());
  for (size_t p = 0; p < 8; ++p) EXPECT_FALSE(race.isRefused(p)) << p;
}

TEST(LimitedRace, BeginsNoComparisonThatDoesNotFit) {
  for (double seconds : {8, 10, 15, 30, 60}) {
    PacedDevice device{.fill = 2, .compile = 0, .compare = 3, .run = 0.004};
    LimitedRace race = raceOf(device, 16, seconds);
    const std::vector<size_t> compared = device.verify(race, 16);
    // The original alone takes 8.
    EXPECT_LE(device.now, std::max(seconds, 8.0) + 0.1) << seconds;
    EXPECT_EQ(seconds < 14, compared.size() == 1) << seconds;
    for (size_t p = 1; p < 16; ++p) EXPECT_EQ(p >= compared.size(), race.isRefused(p)) << p;
  }
}

TEST(LimitedRace, LeavesTimeForTheRoundsOfAllThatAreCompared) {
  PacedDevice device{.fill = 0, .compile = 0, .compare = 5.5, .run = 5};
  LimitedRace race = raceOf(device, 8, 200);
  EXPECT_EQ(4u, device.verify(race, 8).size());
  EXPECT_LE(device.now, 200);
  EXPECT_GE(race.samples()[1].size(), kLeastForInterval);
}

TEST(LimitedRace, BeginsNoRoundThatDoesNotFit) {
  PacedDevice device{.fill = 0, .compile = 0, .compare = 1, .run = 1};
  LimitedRace race = raceOf(device, 2, 25);
  device.verify(race, 2);
  EXPECT_LE(device.now, 25);
  EXPECT_GT(race.samples()[0].size(), kLeastForInterval);
  EXPECT_LT(race.samples()[0].size(), 20u);
}

TEST(LimitedRace, CompilesForHalfOfTheTimeAtMost) {
  PacedDevice device{.fill = 0, .compile = 1, .compare = 0.1, .run = 0.001};
  LimitedRace race = raceOf(device, 16, 10);
  EXPECT_EQ(5u, device.verify(race, 16).size());
  EXPECT_LE(device.now, 10);
}

TEST(LimitedRace, TakesTheFirstInAnyCaseWhereItMust) {
  PacedDevice device{.fill = 2, .compile = 0.1, .compare = 3, .run = 0.5};
  LimitedRace race = raceOf(device, 4, 1, 1);
  EXPECT_EQ((std::vector<size_t>{0, 1}), device.verify(race, 4));
  EXPECT_EQ(kLeastForInterval, race.samples()[1].size());
}

TEST(LimitedRace, OneStallDoesNotEndIt) {
  for (size_t at : {0, 1, 2, 3, 7}) {
    PacedDevice device{.compile = 0.01, .compare = 0.5, .run = 0.01, .stallsAt = at, .stall = 20};
    LimitedRace race = raceOf(device, 8, 30);
    EXPECT_EQ(8u, device.verify(race, 8).size()) << at;
    EXPECT_NEAR(0.5 + 7 * 0.01, race.secondsEach(), 1e-9) << at;
    EXPECT_LE(device.now, 30) << at;
  }
}

TEST(LimitedRace, WhatIsSlowThroughoutEndsIt) {
  PacedDevice device{.compare = 4, .run = 0.01};
  LimitedRace race = raceOf(device, 8, 30);
  EXPECT_EQ(5u, device.verify(race, 8).size());
  EXPECT_LE(device.now, 30);
}

// Who is refused costs nothing, which says nothing of the others.
TEST(LimitedRace, CountsNoneThatWereRefused) {
  PacedDevice device{.compare = 3, .run = 0.01};
  LimitedRace race = raceOf(device, 64, 20);
  device.verify(race, 64);
  EXPECT_NEAR(3 + 7 * 0.01, race.secondsEach(), 1e-9);
}

TEST(Pace, IsThatOfTheLastSteps) {
  Pace pace;
  EXPECT_FALSE(pace.isKnown());
  EXPECT_EQ(0, pace.seconds());
  pace.add(50);
  EXPECT_EQ(50, pace.seconds());
  pace.add(1);
  EXPECT_EQ(1, pace.seconds());
  for (int n = 0; n < 14; ++n) pace.add(1);
  EXPECT_EQ(1, pace.seconds());
  for (int n = 0; n < 5; ++n) pace.add(3);
  EXPECT_EQ(3, pace.seconds());
  for (int n = 0; n < 16; ++n) pace.add(0.5);
  EXPECT_EQ(0.5, pace.seconds());
}

TEST(LimitedRace, SaysWhatOneProgramMoreTakes) {
  PacedDevice device{.fill = 2, .compile = 0, .compare = 3, .run = 0.5};
  LimitedRace race = raceOf(device, 4, std::numeric_limits<double>::infinity());
  device.verify(race, 4);
  EXPECT_NEAR(3 + 7 * 0.5, race.secondsEach(), 1e-9);
}

} // namespace
} // namespace lanewise::driver
