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
             options.isOver = [this] { return clock_() + round_ > seconds_; };
             return std::move(options);
           }()),
      seconds_(seconds), forced_(forced), clock_(std::move(clock)), isRefused_(programs) {}

bool LimitedRace::refuse(size_t program) {
  isRefused_[program] = true;
  return false;
}

bool LimitedRace::mayCompile(size_t program) {
  const double now = clock_();
  if (program >= 1) compiling_ = std::max(compiling_, now - mark_);
  mark_ = now;
  // Without one that is ready, nobody would know whether the original runs at all.
  if (program <= std::max<size_t>(forced_, 1)) return true;
  const bool fits = !isRefused_[program - 1] && now + compiling_ <= seconds_ * kCompilingShare;
  return fits || refuse(program);
}

bool LimitedRace::mayCompare(size_t program) {
  const double now = clock_();
  // The original has run twice at least.
  if (program >= 1) comparing_ = std::max(comparing_, (now - mark_) / (program == 1 ? 2 : 1));
  mark_ = now;
  if (program == 0) return true;
  // Buffers are sent once more to time them.
  const double needed = 2 * comparing_ + double(admitted_ + 1) * kRounds * running_;
  const bool fits = !isRefused_[program - 1] && now + needed <= seconds_;
  if (!fits && program > forced_) return refuse(program);
  ++admitted_;
  return true;
}

void LimitedRace::noteRun(double seconds) {
  running_ = std::max(running_, seconds);
}

std::vector<size_t> LimitedRace::next(const std::vector<size_t>& equal) {
  const double now = clock_();
  if (!samples()[0].empty()) round_ = std::max(round_, now - mark_);
  mark_ = now;
  return Race::next(equal);
}

double LimitedRace::secondsEach() const {
  return comparing_ + kRounds * running_;
}

} // namespace lanewise::driver
