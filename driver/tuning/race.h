// Who of several programs is fastest, in as few rounds as that takes.
#pragma once

#include "verify/compare/timing_statistics.h"
#include "verify/verify.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace lanewise::driver {

struct RaceOptions {
  uint32_t leastRounds = 6; ///< before an interval says anything
  uint32_t mostRounds = 20;
  /// A program is out after two rounds where its fastest is so many times the slowest of the best.
  double hopeless = 1.5;
  bool isFinal = false;         ///< all run in all rounds: nobody is out, and it does not end early
  std::function<bool()> isOver; ///< time is up, after `leastRounds`; empty: never
};

/// A race in interleaved rounds. Program 0 is the original and runs in each; another one is out as
/// soon as the 95% interval of its time over that of the best lies above 1. It ends when one is
/// left, or nothing more is to be learned. A matter of the samples alone.
class Race : public TimingSchedule {
public:
  Race(size_t programs, RaceOptions options);

  std::vector<size_t> next(const std::vector<size_t>& equal) override;
  void add(size_t program, double microseconds) override;

  /// By program, in microseconds: sample n of each is of round n.
  const std::vector<std::vector<double>>& samples() const { return samples_; }

private:
  void dropLosers();
  size_t best() const;
  bool isDecided(const std::vector<size_t>& left) const;

  RaceOptions options_;
  uint32_t rounds_ = 0;
  std::vector<bool> isOut_;
  std::vector<std::vector<double>> samples_;
};

/// Samples below which medianInterval() says nothing.
inline constexpr size_t kLeastForInterval = 6;

/// The median of a / b over the rounds that both ran in, and its interval.
MedianInterval ratioOf(std::span<const double> a, std::span<const double> b);

/// Nobody changes a build for less.
inline constexpr double kSmallestGain = 1.01;

/// The fastest of those with samples, by the median ratio to the original ([0]). Of those whose
/// intervals do not show that they are slower by more than kSmallestGain, and do show that they are
/// faster than the original or are it, the one with the least `rank`: the simpler, of those the
/// earlier.
size_t chooseWinner(const std::vector<std::vector<double>>& samples, std::span<const size_t> rank);

} // namespace lanewise::driver
