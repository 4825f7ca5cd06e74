// A race that ends in time.
#pragma once

#include "tuning/race.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace lanewise::driver {

/// Seconds since the race was asked for.
using RaceClock = std::function<double()>;

/// A race of which all must fit into so many seconds: compiling, comparing, and as many rounds as
/// an interval takes. Comparing costs as much as it did for the slowest so far, and a round what
/// the slowest run took on the device; whoever does not fit is refused, and all behind it are. A
/// round that does not fit is not begun, unless an interval takes it.
class LimitedRace : public Race {
public:
  /// The programs 1 to `forced` take part whatever they cost.
  LimitedRace(size_t programs, RaceOptions options, double seconds, size_t forced, RaceClock clock);

  bool mayCompile(size_t program) override;
  bool mayCompare(size_t program) override;
  void noteRun(double seconds) override;
  std::vector<size_t> next(const std::vector<size_t>& equal) override;

  bool isRefused(size_t program) const { return isRefused_[program]; }
  /// That comparing and timing one program takes.
  double secondsEach() const;

private:
  bool refuse(size_t program);

  double seconds_;
  size_t forced_;
  RaceClock clock_;
  std::vector<bool> isRefused_;
  size_t admitted_ = 1; ///< to be compared, with the original
  double mark_ = 0;     ///< when the step at hand began
  double compiling_ = 0, comparing_ = 0, running_ = 0, round_ = 0; ///< the longest so far
};

} // namespace lanewise::driver
