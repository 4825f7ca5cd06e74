#include "tuning/race.h"

#include <algorithm>

namespace lanewise::driver {

Race::Race(size_t programs, RaceOptions options)
    : options_(std::move(options)), isOut_(programs, true), samples_(programs) {}

std::vector<size_t> Race::next(const std::vector<size_t>& equal) {
  if (rounds_ == 0)
    for (size_t p : equal) isOut_[p] = false;
  else if (!options_.isFinal)
    dropLosers();
  std::vector<size_t> order{0};
  for (size_t p : equal)
    if (p != 0 && !isOut_[p]) order.push_back(p);
  const bool mayEnd = rounds_ >= options_.leastRounds || order.size() == 1;
  const bool isOver = options_.isOver && options_.isOver();
  if (rounds_ >= options_.mostRounds ||
      (mayEnd && (isOver || (!options_.isFinal && isDecided(order)))))
    return {};
  // ABBA: a drift of the clocks then weighs on all alike.
  if (rounds_++ % 2 == 1) std::ranges::reverse(order);
  return order;
}

void Race::add(size_t program, double microseconds) {
  samples_[program].push_back(microseconds);
}

/// Whether at most one is left, and that beats the original or is beaten by it.
bool Race::isDecided(const std::vector<size_t>& left) const {
  if (left.size() == 1) return true;
  if (left.size() > 2) return false;
  const MedianInterval ratio = ratioOf(samples_[left[1]], samples_[0]);
  return ratio.high < 1 || ratio.low > 1;
}

size_t Race::best() const {
  size_t best = 0;
  double ratio = 1;
  for (size_t p = 1; p < samples_.size(); ++p) {
    if (isOut_[p] || samples_[p].empty()) continue;
    const double own = ratioOf(samples_[p], samples_[0]).median;
    if (own < ratio) best = p, ratio = own;
  }
  return best;
}

void Race::dropLosers() {
  const size_t best = this->best();
  for (size_t p = 1; p < samples_.size(); ++p) {
    if (isOut_[p] || p == best) continue;
    const bool isHopeless =
        rounds_ >= 2 &&
        std::ranges::min(samples_[p]) > options_.hopeless * std::ranges::max(samples_[best]);
    isOut_[p] = isHopeless || ratioOf(samples_[p], samples_[best]).low > 1;
  }
}

MedianInterval ratioOf(std::span<const double> a, std::span<const double> b) {
  std::vector<double> ratios;
  for (size_t n = 0; n < std::min(a.size(), b.size()); ++n)
    ratios.push_back(b[n] > 0 ? a[n] / b[n] : 1);
  MedianInterval interval = medianInterval(ratios);
  interval.median = spreadOf(ratios).median;
  return interval;
}

size_t chooseWinner(const std::vector<std::vector<double>>& samples, std::span<const size_t> rank) {
  size_t best = 0;
  double ratio = 1;
  for (size_t p = 1; p < samples.size(); ++p) {
    const MedianInterval own = ratioOf(samples[p], samples[0]);
    if (!samples[p].empty() && own.median < ratio) best = p, ratio = own.median;
  }
  size_t winner = best;
  for (size_t p = 0; p < samples.size(); ++p) {
    // Ties are not transitive: one of the best may be one of the original too, or slower.
    const bool isGain = p == 0 || ratioOf(samples[p], samples[0]).high < 1;
    const bool isTie = samples[p].size() >= kLeastForInterval && isGain &&
                       ratioOf(samples[p], samples[best]).low <= kSmallestGain;
    if (isTie && rank[p] < rank[winner]) winner = p;
  }
  return winner;
}

} // namespace lanewise::driver
