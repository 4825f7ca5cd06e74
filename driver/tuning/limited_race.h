// A race that ends in time.
#pragma once

#include "tuning/pace.h"
#include "tuning/race.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace lanewise::driver {

/// Seconds since the race was asked for.
using RaceClock = std::function<double()>;

/// A race of which all must fit into so many seconds: compiling, comparing, and as many rounds as
/// an interval takes. What a step costs is judged by the last ones (Pace): one that stalled does
/// not end the race. Whoever does not fit is refused, and all behind it are. A round that does not
/// fit is not begun, unless an interval takes it.
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
  enum class Step : uint8_t { None, Original, Candidate };

  bool refuse(size_t program);
  double originalsRun(double now) const;

  double seconds_;
  size_t forced_;
  RaceClock clock_;
  std::vector<bool> isRefused_;
  size_t admitted_ = 1; ///< to be compared, with the original
  Step step_ = Step::None;
  double mark_ = 0; ///< when it began
  Pace compiling_, comparing_, running_, round_;
  // Of the original, which runs several times before others are compared:
  size_t runs_ = 0;
  double ranAt_ = 0, longestRun_ = 0;
};

} // namespace lanewise::driver
