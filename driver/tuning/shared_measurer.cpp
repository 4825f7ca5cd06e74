#include "tuning/shared_measurer.h"

#include "support/isolate.h"
#include "tuning/journal.h"
#include "verify/compare/timing_statistics.h"

#include <algorithm>
#include <future>

namespace lanewise::driver {

namespace {

/// What one device measures: indices of programs, the original's first.
using Share = std::vector<size_t>;

std::vector<Share> sharesOf(size_t programs, size_t devices) {
  std::vector<Share> shares(std::min(devices, programs - 1), Share{0});
  for (size_t n = 1; n < programs; ++n) shares[(n - 1) % shares.size()].push_back(n);
  return shares;
}

/// In a process of its own, since drivers and their workers are for one thread.
Result<Measurement> measureApart(Measurer& device, std::span<const BuiltProgram* const> programs,
                                 double seconds) {
  IsolationLimits limits = defaultIsolation();
  limits.time = {}; // races have an end of their own
  const Result<std::string> bytes = isolate(
      [&]() -> Result<std::string> {
        Result<Measurement> measured = device.measure(programs, Rigour::Race, seconds);
        if (!measured) return measured.error();
        return pack(*measured);
      },
      limits);
  if (!bytes) return bytes.error();
  return unpackMeasurement(*bytes);
}

/// A device, which this process then does not know of.
bool mayHaveLost(const Measurement& measured) {
  return !measured.failure.empty() || !std::ranges::all_of(measured.programs, [](const auto& p) {
    return p.isLeftOut || (p.isEqual && !p.samples.empty());
  });
}

void merge(const Share& share, const Measurement& from, double originalTime, Measurement& to) {
  const std::vector<double>& original = from.programs[0].samples;
  for (size_t n = 0; n < share.size(); ++n) {
    MeasuredProgram program = from.programs[n];
    program.samples.resize(std::min(program.samples.size(), original.size()));
    for (size_t round = 0; round < program.samples.size(); ++round)
      program.samples[round] *= originalTime / original[round];
    MeasuredProgram& known = to.programs[share[n]];
    // The original has as many rounds as the longest race.
    if (share[n] != 0 || program.samples.size() >= known.samples.size()) known = std::move(program);
  }
  to.seconds = std::max(to.seconds, from.seconds);
  to.secondsEach = std::max(to.secondsEach, from.secondsEach);
  if (to.failure.empty()) to.failure = from.failure;
}

} // namespace

Result<Measurement> SharedMeasurer::measure(std::span<const BuiltProgram* const> programs,
                                            Rigour rigour, double seconds) {
  if (rigour != Rigour::Race || devices_.size() == 1 || programs.size() < 3)
    return devices_[0]->measure(programs, rigour, seconds);
  const std::vector<Share> shares = sharesOf(programs.size(), devices_.size());
  // Here and not in the children, which would open them for each race anew.
  for (size_t d = 0; d < shares.size(); ++d)
    if (Status s = devices_[d]->open(); !s) return s.error();
  std::vector<std::future<Result<Measurement>>> races;
  for (size_t d = 0; d < shares.size(); ++d)
    races.push_back(std::async(std::launch::async, [&, d]() {
      std::vector<const BuiltProgram*> own;
      for (size_t n : shares[d]) own.push_back(programs[n]);
      return measureApart(*devices_[d], own, seconds);
    }));
  std::vector<Result<Measurement>> done;
  for (auto& race : races) done.push_back(race.get());
  for (size_t d = 0; d < done.size(); ++d)
    if (!done[d] || mayHaveLost(*done[d])) devices_[d]->close();
  Measurement all;
  all.programs.resize(programs.size());
  double originalTime = 1;
  for (size_t d = 0; d < done.size(); ++d) {
    if (!done[d]) return done[d].error();
    if (d == 0 && !done[d]->programs[0].samples.empty())
      originalTime = spreadOf(done[d]->programs[0].samples).median;
    merge(shares[d], *done[d], originalTime, all);
  }
  return all;
}

} // namespace lanewise::driver
