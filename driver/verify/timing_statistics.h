// What a set of timings says.
#pragma once

#include <cstdint>
#include <span>

namespace lanewise::driver {

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
MedianInterval medianInterval(std::span<const double> values);

} // namespace lanewise::driver
