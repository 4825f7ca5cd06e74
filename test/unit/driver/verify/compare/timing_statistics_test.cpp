#include "verify/compare/timing_statistics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace lanewise::driver {
namespace {

std::vector<double> oneTo(int n) {
  std::vector<double> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(TimingStatistics, SpreadOfOddAndEvenCounts) {
  std::vector<double> odd{3, 1, 2}, even{4, 1, 3, 2};
  EXPECT_EQ(spreadOf(odd).median, 2);
  EXPECT_EQ(spreadOf(even).median, 2.5);
  EXPECT_EQ(spreadOf(even).min, 1);
  EXPECT_EQ(spreadOf(even).max, 4);
  EXPECT_EQ(spreadOf({}).median, 0);
}

// Ranks from published tables of the sign test at 5%, two-sided.
TEST(TimingStatistics, IntervalRanksMatchTheSignTestTable) {
  struct Row {
    int n, low, high;
  };
  for (Row row : {Row{6, 1, 6}, Row{8, 1, 8}, Row{9, 2, 8}, Row{12, 3, 10}, Row{20, 6, 15},
                  Row{25, 8, 18}, Row{100, 40, 61}}) {
    MedianInterval interval = medianInterval(oneTo(row.n));
    EXPECT_EQ(interval.low, row.low) << "n = " << row.n;
    EXPECT_EQ(interval.high, row.high) << "n = " << row.n;
  }
}

TEST(TimingStatistics, FewerThanSixValuesSayNothing) {
  for (int n = 0; n < 6; ++n) {
    MedianInterval interval = medianInterval(oneTo(n));
    EXPECT_EQ(interval.low, 0);
    EXPECT_TRUE(std::isinf(interval.high));
  }
}

// Among 64, each may miss with 5% / 64 = 0.00078: 2 * 2^-12 = 0.00049 is below, 2 * 2^-11 is not.
TEST(TimingStatistics, OneOfManyIntervalsTakesMoreValues) {
  EXPECT_EQ(leastForInterval(), 6u);
  EXPECT_EQ(leastForInterval(0), 6u);
  EXPECT_EQ(leastForInterval(2), 7u);
  EXPECT_EQ(leastForInterval(64), 12u);
  EXPECT_TRUE(std::isinf(medianInterval(oneTo(11), 64).high));
  EXPECT_EQ(medianInterval(oneTo(12), 64).low, 1);
  EXPECT_EQ(medianInterval(oneTo(12), 64).high, 12);
  EXPECT_EQ(medianInterval(oneTo(12), 64).median, medianInterval(oneTo(12)).median);
  // P(Binomial(20, 1/2) <= 3) = 0.0013, <= 2 is 0.0002: less than 2.5% / 64 = 0.0004.
  EXPECT_EQ(medianInterval(oneTo(20), 64).low, 3);
}

TEST(TimingStatistics, ManyValuesDoNotUnderflow) {
  MedianInterval interval = medianInterval(oneTo(5000));
  EXPECT_EQ(interval.median, 2500.5);
  EXPECT_NEAR(interval.low, 2500 - 1.96 * std::sqrt(5000) / 2, 2);
  EXPECT_NEAR(interval.high, 2501 + 1.96 * std::sqrt(5000) / 2, 2);
}

TEST(TimingStatistics, OrderDoesNotMatter) {
  std::vector<double> values{9, 2, 7, 4, 5, 6, 3, 8, 1};
  EXPECT_EQ(medianInterval(values).low, medianInterval(oneTo(9)).low);
}

} // namespace
} // namespace lanewise::driver
