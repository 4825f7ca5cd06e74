#include "verify/compare/timing_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lanewise::driver {
namespace {

double medianOfSorted(std::span<const double> sorted) {
  size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

std::vector<double> sortedCopy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// Of an interval among so many.
double missOnOneSide(size_t family) {
  return 0.025 / double(std::max<size_t>(family, 1));
}

} // namespace

Spread spreadOf(std::span<const double> values) {
  if (values.empty()) return {};
  std::vector<double> sorted = sortedCopy(values);
  return {medianOfSorted(sorted), sorted.front(), sorted.back()};
}

MedianInterval medianInterval(std::span<const double> values, size_t family) {
  MedianInterval interval{0, 0, std::numeric_limits<double>::infinity()};
  size_t n = values.size();
  if (n == 0) return interval;
  std::vector<double> sorted = sortedCopy(values);
  interval.median = medianOfSorted(sorted);
  // Sum P(Binomial(n, 1/2) = i) from i = 0 in logarithms: 2^-n underflows beyond a thousand values.
  double below = 0, logTerm = -double(n) * std::log(2.0);
  size_t k = 0;
  for (; k < n / 2; ++k) {
    below += std::exp(logTerm);
    if (below > missOnOneSide(family)) break;
    logTerm += std::log(double(n - k)) - std::log(double(k + 1));
  }
  if (k == 0) return interval;
  interval.low = sorted[k - 1];
  interval.high = sorted[n - k];
  return interval;
}

size_t leastForInterval(size_t family) {
  size_t n = 1;
  // The widest interval is from the least to the greatest: all n values lie on one side.
  while (std::exp(-double(n) * std::log(2.0)) > missOnOneSide(family)) ++n;
  return n;
}

} // namespace lanewise::driver
