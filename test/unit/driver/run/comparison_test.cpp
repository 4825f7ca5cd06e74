// What rounds with and without optimized modules say of each pipeline.
#include "run/comparison.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lanewise::driver {
namespace {

PipelineTimes timesOf(const std::string& module, double nanoseconds, bool isOptimized) {
  PipelineTimes pipeline;
  pipeline.module = module;
  pipeline.entry = "main";
  pipeline.created = 1;
  pipeline.optimized = isOptimized ? 1 : 0;
  SizeTimes size;
  size.groups = std::array<uint32_t, 3>{1, 1, 1};
  size.dispatches = size.timed = 10;
  size.total = 10 * nanoseconds;
  pipeline.sizes.push_back(size);
  return pipeline;
}

LayerRun runOf(double seconds, std::vector<PipelineTimes> pipelines) {
  LayerRun run;
  run.seconds = seconds;
  run.data.pipelines = std::move(pipelines);
  return run;
}

/// One pipeline that wins, one that loses, one within what runs differ by, one that stays as it is.
Comparison compared(size_t rounds) {
  std::vector<LayerRun> without, with;
  for (size_t n = 0; n < rounds; ++n) {
    const double noise = 1 + 0.01 * double(n % 3);
    without.push_back(runOf(1 * noise, {timesOf("aaaaaaaaaaaaaaaa", 100, false),
                                        timesOf("bbbbbbbbbbbbbbbb", 200, false),
                                        timesOf("cccccccccccccccc", 50 * noise, false),
                                        timesOf("dddddddddddddddd", 10, false)}));
    with.push_back(runOf(1, {timesOf("aaaaaaaaaaaaaaaa", 80 * noise, true),
                             timesOf("bbbbbbbbbbbbbbbb", 220 * noise, true),
                             timesOf("cccccccccccccccc", 50.5, true),
                             timesOf("dddddddddddddddd", 20, false)}));
  }
  return compareRuns(without, with);
}

TEST(Comparison, TellsWinnersFromLosers) {
  const Comparison c = compared(8);
  ASSERT_EQ(c.pipelines.size(), 4u);
  EXPECT_EQ(c.pipelines[0].pipeline.module, "bbbbbbbbbbbbbbbb"); // the dearest first
  EXPECT_TRUE(c.pipelines[0].isSlower());
  EXPECT_TRUE(c.pipelines[1].isFaster());
  EXPECT_FALSE(c.pipelines[2].isFaster() || c.pipelines[2].isSlower());
  // It was the program's module both times: whatever happened, nobody optimized it.
  EXPECT_FALSE(c.pipelines[3].isOptimized || c.pipelines[3].isSlower());
  EXPECT_NEAR(c.pipelines[1].ratio.median, 0.808, 0.001);
  EXPECT_EQ(c.created, 4u);
  EXPECT_EQ(c.optimized, 3u);
  EXPECT_FALSE(c.isProgramSlower());
}

TEST(Comparison, FewRoundsSayNothing) {
  const Comparison c = compared(5);
  for (const PipelineComparison& one : c.pipelines) EXPECT_FALSE(one.isFaster() || one.isSlower());
  const std::string text = comparisonAsText(c, {});
  EXPECT_NE(text.find("5 rounds are too few to call one of 3 kernels faster or slower; 7 are"),
            std::string::npos);
  EXPECT_EQ(comparisonAsJson(c, {})["pipelines"][0]["ratio"].count("low"),
            0u); // JSON has no infinity
}

/// `count` kernels that differ by noise, of which one is slower by it in each round, and one that
/// loses.
Comparison comparedMany(size_t count, size_t rounds) {
  std::vector<LayerRun> without, with;
  for (size_t n = 0; n < rounds; ++n) {
    std::vector<PipelineTimes> before, after;
    for (size_t k = 0; k < count; ++k) {
      const bool isUp = k == 1 || (n + k) % 2 == 0;
      before.push_back(timesOf("noise" + std::to_string(k), 100, false));
      after.push_back(timesOf("noise" + std::to_string(k), isUp ? 101 : 99, true));
    }
    // One round in which the machine did something else is no reason to be called slower.
    if (n == 6) after[1] = timesOf("noise1", 99, true);
    before.push_back(timesOf("loser", 100, false));
    after.push_back(timesOf("loser", 120, true));
    without.push_back(runOf(1, std::move(before)));
    with.push_back(runOf(1, std::move(after)));
  }
  return compareRuns(without, with);
}

TEST(Comparison, AmongManyKernelsChanceIsNoVerdict) {
  const Comparison few = comparedMany(63, 6);
  EXPECT_EQ(few.kernels, 64u);
  EXPECT_EQ(few.roundsNeeded, 12u);
  for (const PipelineComparison& one : few.pipelines)
    EXPECT_FALSE(one.isFaster() || one.isSlower()) << one.pipeline.module;
  EXPECT_NE(comparisonAsText(few, {}).find(
                "6 rounds are too few to call one of 64 kernels faster or slower; 12 are "
                "enough.\n"),
            std::string::npos);

  const Comparison enough = comparedMany(63, 12);
  for (const PipelineComparison& one : enough.pipelines) {
    EXPECT_FALSE(one.isFaster()) << one.pipeline.module;
    EXPECT_EQ(one.isSlower(), one.pipeline.module == "loser") << one.pipeline.module;
    EXPECT_EQ(one.seemsSlower(), one.isSlower() || one.pipeline.module == "noise1");
  }
  EXPECT_NE(comparisonAsText(enough, {})
                .find("1 more differs by its own interval only, which is not enough among 64 "
                      "kernels.\n"),
            std::string::npos);
}

TEST(Comparison, PipelinesThatARunDoesNotTimeAreCounted) {
  std::vector<LayerRun> without{runOf(1, {timesOf("aaaaaaaaaaaaaaaa", 100, false)}), runOf(1, {})};
  const std::vector<LayerRun> with{runOf(1, {timesOf("aaaaaaaaaaaaaaaa", 80, true)}), runOf(1, {})};
  const Comparison c = compareRuns(without, with);
  EXPECT_TRUE(c.pipelines.empty());
  EXPECT_EQ(c.untimed, 1u);
}

TEST(Comparison, SaysWhatLeavesLosersOut) {
  const Comparison c = compared(8);
  Remedy skip{"--optimize='-O --skip=pad-shared-memory:*'", {"bbbbbbbbbbbbbbbb"}, {c.pipelines[2]}};
  const std::string text = comparisonAsText(c, {skip, {"--leave-out=bbbbbbbbbbbb", {}, {}}});
  EXPECT_NE(text.find("SLOWER"), std::string::npos);
  EXPECT_NE(
      text.find("To leave out what lost: --optimize='-O --skip=pad-shared-memory:*'\n  then main"),
      std::string::npos);
  EXPECT_NE(text.find("To leave out what lost: --leave-out=bbbbbbbbbbbb"), std::string::npos);
}

} // namespace
} // namespace lanewise::driver
