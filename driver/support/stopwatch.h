// Time of what this process computes itself, for limits that a busy machine must not bring about.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace lanewise::driver {

/// Runs from its construction on. Where other processes keep this one waiting, as in a build that
/// starts one for each core, what counts is the time that its own threads were given.
class Stopwatch {
public:
  double seconds() const { return std::min(clockSeconds(), processorSeconds()); }
  /// The same as seconds() > `limit`, for the price of a look at the clock while that is not over.
  bool isBeyond(double limit) const { return clockSeconds() > limit && seconds() > limit; }

private:
  double clockSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double processorSeconds() const {
    return double(std::clock() - processorStart_) / CLOCKS_PER_SEC;
  }

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t processorStart_ = std::clock(); ///< of all threads
};

} // namespace lanewise::driver
