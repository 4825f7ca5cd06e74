#include "tuning/limited_race.h"

#include <algorithm>

namespace lanewise::driver {

namespace {

/// Compiling leaves the rest for comparing.
constexpr double kCompilingShare = 0.5;
constexpr double kRounds = kLeastForInterval + 1; // and one to warm up

} // namespace

LimitedRace::LimitedRace(size_t programs, RaceOptions options, double seconds, size_t forced,
                         RaceClock clock)
    : Race(programs,
           [&] {
             options.isOver = [this] { return clock_() + round_.seconds() > seconds_; };
             return std::move(options);
           }()),
      seconds_(seconds), forced_(forced), clock_(std::move(clock)), isRefused_(programs) {}

bool LimitedRace::refuse(size_t program) {
  isRefused_[program] = true;
  step_ = Step::None;
  return false;
}

bool LimitedRace::mayCompile(size_t program) {
  const double now = clock_();
  if (program >= 1 && step_ != Step::None) compiling_.add(now - mark_);
  mark_ = now;
  step_ = Step::Candidate;
  // Without one that is ready, nobody would know whether the original runs at all.
  if (program <= std::max<size_t>(forced_, 1)) return true;
  const bool fits =
      !isRefused_[program - 1] && now + compiling_.seconds() <= seconds_ * kCompilingShare;
  return fits || refuse(program);
}

bool LimitedRace::mayCompare(size_t program) {
  const double now = clock_();
  if (program >= 1 && step_ != Step::None)
    comparing_.add(step_ == Step::Original ? originalsRun(now) : now - mark_);
  mark_ = now;
  if (program == 0) {
    step_ = Step::Original;
    runs_ = 0, ranAt_ = now, longestRun_ = 0;
    return true;
  }
  // Buffers are sent once more to time them.
  const double needed =
      2 * comparing_.seconds() + double(admitted_ + 1) * kRounds * running_.seconds();
  const bool fits = !isRefused_[program - 1] && now + needed <= seconds_;
  if (!fits && program > forced_) return refuse(program);
  step_ = Step::Candidate;
  ++admitted_;
  return true;
}

void LimitedRace::noteRun(double seconds) {
  running_.add(seconds);
  if (step_ != Step::Original) return;
  const double now = clock_();
  longestRun_ = std::max(longestRun_, now - ranAt_);
  ranAt_ = now;
  ++runs_;
}

/// What comparing takes, by the original: without the longest of its runs, which may have stalled.
double LimitedRace::originalsRun(double now) const {
  const double all = now - mark_;
  return runs_ < 2 ? all : (all - longestRun_) / double(runs_ - 1);
}

std::vector<size_t> LimitedRace::next(const std::vector<size_t>& equal) {
  const double now = clock_();
  if (!samples()[0].empty()) round_.add(now - mark_);
  mark_ = now;
  return Race::next(equal);
}

double LimitedRace::secondsEach() const {
  return comparing_.seconds() + kRounds * running_.seconds();
}

} // namespace lanewise::driver
