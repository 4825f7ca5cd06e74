// What a set of timings says.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lanewise::driver {

/// Timing in microseconds of the whole dispatch sequence.
struct TimingResult {
  double originalMedian = 0, originalMin = 0, originalMax = 0;
  double transformedMedian = 0, transformedMin = 0, transformedMax = 0;
  /// Median over pairs of transformed / original, and the bounds of its 95% confidence interval.
  double ratio = 1, ratioLow = 1, ratioHigh = 1;
  uint32_t pairs = 0;
  /// What the figures above are of, in the order of the rounds: entry n of both is one pair.
  std::vector<double> originalSamples = {}, transformedSamples = {};
  bool isFaster() const { return ratioHigh < 1; }
  bool isSlower() const { return ratioLow > 1; }
};

struct Spread {
  double median = 0, min = 0, max = 0;
};
/// All zero for no values.
Spread spreadOf(std::span<const double> values);

struct MedianInterval {
  double median = 0, low = 0, high = 0;
};

/// Median with the order-statistics confidence interval of at least 95%: [x(k), x(n+1-k)] of the
/// sorted values, k the greatest for which a Binomial(n, 1/2) lies below k with probability at
/// most 2.5%. Assumes no distribution, only independent values. Fewer than 6 values cannot give
/// 95%: then the interval is [0, infinity), which says nothing. Reference: Conover, Practical
/// Nonparametric Statistics, 3.2.
///
/// Of one of `family` intervals that are looked at together, such that all of them hold their
/// medians with at least 95%: each misses with a probability of 5% / family (Bonferroni).
MedianInterval medianInterval(std::span<const double> values, size_t family = 1);

/// Values below which medianInterval() of the family says nothing.
size_t leastForInterval(size_t family = 1);

} // namespace lanewise::driver
