// Racing on made-up samples: who is found, who ties, when it ends.
#include "tuning/race.h"

#include <gtest/gtest.h>
#include <random>

namespace lanewise::driver {
namespace {

// Times around `means`, with noise of so much of them; the drift of a round is everybody's.
class Track {
public:
  Track(std::vector<double> means, double noise, uint32_t seed = 1)
      : means_(std::move(means)), noise_(noise), random_(seed) {}

  // Rounds that were run.
  uint32_t run(Race& race) {
    std::vector<size_t> equal;
    for (size_t p = 0; p < means_.size(); ++p) equal.push_back(p);
    uint32_t rounds = 0;
    for (;; ++rounds) {
      const std::vector<size_t> order = race.next(equal);
      if (order.empty()) return rounds;
      const double drift = 1 + 0.05 * rounds;
      for (size_t p : order) race.add(p, means_[p] * drift * (1 + noise_ * draw_(random_)));
    }
  }

private:
  std::vector<double> means_;
  double noise_;
  std::mt19937 random_;
  std::normal_distribution<double> draw_{0, 1};
};

TEST(Race, FindsTheBestOfMany) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    Race race(5, {});
    Track({100, 90, 60, 63, 110}, 0.005, seed).run(race);
    EXPECT_EQ(2u, chooseWinner(race.samples(), std::vector<size_t>{0, 1, 2, 1, 1})) << seed;
  }
}

TEST(Race, KeepsTheSimplerOfTwoThatNoIntervalTellsApart) {
  int simpler = 0;
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    Race race(3, {});
    Track({100, 60, 60}, 0.01, seed).run(race);
    simpler += chooseWinner(race.samples(), std::vector<size_t>{0, 5, 1}) == 2;
  }
  // At 95 % some pairs of equals are told apart by luck.
  EXPECT_GE(simpler, 42);
}

TEST(Race, ChangesNothingForHalfAPerCent) {
  Race race(2, {});
  Track({100, 99.5}, 0.0001).run(race);
  EXPECT_LT(ratioOf(race.samples()[1], race.samples()[0]).high, 1);
  EXPECT_EQ(0u, chooseWinner(race.samples(), std::vector<size_t>{0, 1}));
}

TEST(Race, DoesNotTakeATieOfTheBestThatIsNotFasterThanTheOriginal) {
  std::vector<std::vector<double>> samples{std::vector<double>(20, 100), {}, {}};
  for (int n = 0; n < 20; ++n) {
    samples[1].push_back(n % 2 == 0 ? 70 : 98);
    samples[2].push_back(n % 2 == 0 ? 70 : 130);
  }
  EXPECT_LE(ratioOf(samples[2], samples[1]).low, 1);
  EXPECT_EQ(1u, chooseWinner(samples, std::vector<size_t>{0, 5, 1}));
}

TEST(Race, StaysWithTheOriginalWhereNothingIsFaster) {
  int original = 0;
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    Race race(4, {});
    Track({100, 100, 100, 102}, 0.01, seed).run(race);
    original += chooseWinner(race.samples(), std::vector<size_t>{0, 1, 1, 1}) == 0;
  }
  EXPECT_GE(original, 42);
}

TEST(Race, EndsWhenOneIsLeftThatBeatsTheOriginal) {
  Race race(3, {});
  EXPECT_EQ(6u, Track({100, 50, 60}, 0.001).run(race));
}

TEST(Race, DropsTheHopelessAfterTwoRounds) {
  Race race(3, {});
  Track({100, 50, 400}, 0.001).run(race);
  EXPECT_EQ(2u, race.samples()[2].size());
  // It has too few samples for an interval, which must not make it a tie.
  EXPECT_EQ(1u, chooseWinner(race.samples(), std::vector<size_t>{0, 5, 1}));
}

TEST(Race, GoesOnToTheEndWhereTwoAreEqual) {
  Race race(3, {});
  EXPECT_EQ(20u, Track({100, 50, 50}, 0).run(race));
}

TEST(Race, EndsWithItsTimeButNotBeforeAnIntervalIsKnown) {
  RaceOptions options;
  options.isOver = [] { return true; };
  Race race(3, options);
  EXPECT_EQ(6u, Track({100, 50, 50}, 0).run(race));
}

TEST(Race, DropsNobodyFromAFinal) {
  RaceOptions options;
  options.isFinal = true;
  Race race(3, options);
  EXPECT_EQ(20u, Track({100, 50, 400}, 0.001).run(race));
  EXPECT_EQ(20u, race.samples()[2].size());
}

TEST(Race, RunsNobodyWhoseOutputsDiffer) {
  Race race(3, {});
  EXPECT_EQ((std::vector<size_t>{0, 2}), race.next({0, 2}));
}

TEST(Race, TurnsTheOrderRoundByRound) {
  Race race(2, {});
  EXPECT_EQ((std::vector<size_t>{0, 1}), race.next({0, 1}));
  race.add(0, 1), race.add(1, 1);
  EXPECT_EQ((std::vector<size_t>{1, 0}), race.next({0, 1}));
}

} // namespace
} // namespace lanewise::driver
