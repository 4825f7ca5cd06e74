#include "tuning/search.h"

#include "support/failure.h"
#include "support/progress_line.h"
#include "tuning/pace.h"
#include "tuning/trials.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

namespace lanewise::driver {

namespace {

/// A part of the search: until when it may go on, as a share of the budget, and how many of what
/// was found then are compared once more in any case.
struct Stage {
  double share;
  size_t finalists;
};
/// For what the host need not know of, and for all but the last measurement.
constexpr Stage kAlone{0.5, 1}, kWithHost{0.8, 2};
constexpr int kMostSteps = 4;   // from neighbour to neighbour
constexpr double kDrift = 1.05; // of the original, from the first rounds to the last

class MeasuringSearch {
public:
  MeasuringSearch(ProgramBuilder& builder, Measurer& measurer, CompilerSet* compilers,
                  const TuneOptions& options)
      : builder_(builder), measurer_(measurer), options_(options),
        trials_(builder, compilers, options) {}

  Result<TuneResult> run() {
    Status done = tryAlone();
    if (done) done = tryWithHost();
    if (done) done = decide();
    if (!done && result().failure.empty()) return done.error();
    return std::move(result());
  }

private:
  TuneResult& result() { return trials_.result(); }
  std::vector<Tried>& tried() { return trials_.result().tried; }

  /// What the host need not know of: what pays at the first go, then its neighbours.
  Status tryAlone() {
    Result<SpaceFacts> facts = trials_.facts({});
    if (!facts) return facts.error();
    if (Status s = race(firstCandidates(*facts), best_, kAlone); !s) return s;
    for (int step = 0; step < kMostSteps; ++step) {
      const size_t before = best_;
      const BuiltProgram& from = *tried()[best_].program;
      if (Status s = race(neighbours(*facts, from.candidate, from.remarks), best_, kAlone); !s)
        return s;
      if (best_ == before) break;
    }
    return ok();
  }

  Status tryWithHost() {
    if (!options_.mayAskHost) return ok();
    Result<SpaceFacts> facts = trials_.facts({});
    if (!facts) return facts.error();
    isWithHost_ = true;
    size_t best = best_;
    const auto raceOn = [&](std::vector<Candidate> candidates) -> Result<size_t> {
      if (secondsLeft(kWithHost) > 0)
        if (Status s = race(std::move(candidates), best, kWithHost); !s) return s.error();
      return best;
    };
    // With the passes that are best for the scenario's own values.
    Result<std::vector<Parameters>> values = trials_.values(best_, raceOn);
    if (!values) return values.error();
    const Candidate& alone = tried()[best_].program->candidate;
    Status s = race(hostCandidates(*facts, *values, alone), best, kWithHost);
    for (int step = 0; s && step < kMostSteps && best != best_; ++step) {
      const size_t before = best;
      const BuiltProgram& from = *tried()[best].program;
      facts = trials_.facts(from.candidate.values);
      if (!facts) return facts.error();
      std::vector<Candidate> next = neighbours(*facts, from.candidate, from.remarks);
      std::ranges::move(hostNeighbours(*facts, from.candidate), std::back_inserter(next));
      s = race(std::move(next), best, kWithHost);
      if (best == before) break;
    }
    if (best != best_) bestForHost_ = best;
    return s;
  }

  /// `best` is the fastest so far, and afterwards.
  Status race(std::vector<Candidate> candidates, size_t& best, const Stage& stage) {
    if (!tried().empty() && secondsLeft(stage) <= 0) {
      result().leftOut += candidates.size();
      return ok();
    }
    std::vector<size_t> waiting = trials_.add(std::move(candidates), 2 * options_.batch);
    if (!tried()[0].problem.empty())
      return failure(fmt::format("{}: {}", builder_.scenario().path, tried()[0].problem));
    while (!waiting.empty()) {
      std::vector<size_t> runners{0};
      if (best_ != 0) runners.push_back(best_);
      if (best != best_) runners.push_back(best);
      const double left = secondsLeft(stage);
      if (left <= 0 || left < secondsFor(runners.size())) break;
      tell(waiting.size());
      const auto chunk = std::span(waiting).first(std::min(options_.batch, waiting.size()));
      std::ranges::copy(chunk, std::back_inserter(runners));
      if (Status s = raceOnce(runners, best, left); !s) return s;
      const size_t before = waiting.size();
      std::erase_if(waiting,
                    [&](size_t n) { return tried()[n].isMeasured || !tried()[n].problem.empty(); });
      if (waiting.size() == before) break; // none of them fits
    }
    trials_.leaveOut(waiting);
    return ok();
  }

  /// Less what the last comparison will take at least.
  double secondsLeft(const Stage& stage) {
    return std::min(options_.budgetSeconds * stage.share,
                    options_.budgetSeconds - lastComparisonSeconds(stage.finalists)) -
           result().seconds;
  }

  /// The interpreter takes as long as it may for large programs alone.
  double lastComparisonSeconds(size_t candidates) {
    return std::min(options_.checkSeconds, options_.budgetSeconds * (1 - kWithHost.share)) +
           secondsFor(candidates);
  }

  /// To race so many candidates beside the original, which runs twice; their buffers are sent once
  /// more. 0 where nothing is known yet.
  double secondsFor(size_t candidates) { return double(candidates + 2) * secondsEach(); }

  /// What the host must follow has other buffers, which may take much longer to compare.
  double secondsEach() const { return (withHost_.isKnown() ? withHost_ : alone_).seconds(); }

  Status raceOnce(const std::vector<size_t>& runners, size_t& best, double seconds) {
    Result<Measurement> measured = measurer_.measure(programsOf(runners), Rigour::Race, seconds);
    if (!measured) return measured.error();
    if (Status s = take(runners, *measured); !s) return s;
    std::vector<std::vector<double>> samples;
    std::vector<size_t> ranks;
    for (size_t n = 0; n < runners.size(); ++n) {
      const MeasuredProgram& row = measured->programs[n];
      samples.push_back(row.isEqual ? row.samples : std::vector<double>());
      ranks.push_back(rankOf(runners[n]));
    }
    const auto from = std::ranges::find(runners, best);
    const size_t was = size_t(from - runners.begin());
    if (samples[0].empty() || measured->programs[was].isLeftOut) return ok();
    for (size_t n = 0; n < runners.size(); ++n)
      noteSite(runners[n], samples[n], best, samples[was]);
    best = runners[chooseWinner(samples, ranks)];
    return ok();
  }

  /// Of ties the simpler is kept, of those the one that was proposed first, and of values of
  /// parameters the fastest: none is simpler than another.
  size_t rankOf(size_t n) {
    constexpr size_t kMostTried = 1000000;
    const Candidate& candidate = tried()[n].program->candidate;
    return candidate.complexity() * kMostTried + (candidate.values.empty() ? n : 0);
  }

  /// What a rewrite is worth that one candidate does without and `with` does not.
  void noteSite(size_t without, const std::vector<double>& a, size_t with,
                const std::vector<double>& b) {
    const Candidate& less = tried()[without].program->candidate;
    const Candidate& more = tried()[with].program->candidate;
    if (less.skip.size() != more.skip.size() + 1 || less.passes != more.passes || a.empty() ||
        !std::equal(more.skip.begin(), more.skip.end(), less.skip.begin()))
      return;
    result().sites.push_back({less.skip.back(), ratioOf(a, b)});
  }

  Status take(const std::vector<size_t>& runners, const Measurement& measured) {
    result().seconds += measured.seconds;
    if (measured.secondsEach > 0) (isWithHost_ ? withHost_ : alone_).add(measured.secondsEach);
    result().failure = measured.failure;
    if (!measured.failure.empty()) return failure(measured.failure);
    for (size_t n = 0; n < runners.size(); ++n) {
      Tried& one = tried()[runners[n]];
      const MeasuredProgram& row = measured.programs[n];
      // What was known of it counts; and an original with nobody beside it is not timed.
      if (row.isLeftOut || (n == 0 && !hasEqual(measured))) continue;
      one.problem = row.isEqual ? "" : row.reason;
      one.isMeasured = row.isEqual && !row.samples.empty();
      one.isJudged |= one.isMeasured || !row.isEqual;
      one.samples = row.samples;
      one.originalSamples = measured.programs[0].samples;
      if (one.isMeasured) one.ratio = ratioOf(row.samples, measured.programs[0].samples);
      if (row.isEqual && !one.isMeasured) one.problem = "the device could not time it";
    }
    return ok();
  }

  /// Another program than the original.
  static bool hasEqual(const Measurement& measured) {
    return std::any_of(measured.programs.begin() + 1, measured.programs.end(),
                       [](const MeasuredProgram& p) { return p.isEqual; });
  }

  std::vector<const BuiltProgram*> programsOf(const std::vector<size_t>& indices) {
    std::vector<const BuiltProgram*> programs;
    for (size_t n : indices) programs.push_back(tried()[n].program.get());
    return programs;
  }

  void tell(size_t left) {
    const Tried& best = tried()[bestForHost_.value_or(best_)];
    ProgressLine::tell(ProgressLine::Level::Task,
                       fmt::format("best {:.3f} ({}), {} tried, {} left, {:.0f} of {:.0f} s",
                                   best.isMeasured ? best.ratio.median : 1.0,
                                   best.program->candidate.name(), tried().size() - left, left,
                                   result().seconds, options_.budgetSeconds));
  }

  // ---- the last measurement ----

  /// The original, the best, the best with the host's help; as there is time also -O and the next
  /// best, with the host's help two: what a race found by a hair another may not.
  std::vector<size_t> finalists() {
    std::vector<size_t> all{0};
    const auto add = [&](size_t n) {
      if (std::ranges::find(all, n) == all.end()) all.push_back(n);
    };
    add(best_);
    if (bestForHost_) add(*bestForHost_);
    const size_t least = all.size(); // takes part in any case
    for (size_t n = 0; n < tried().size(); ++n)
      if (tried()[n].program && tried()[n].program->candidate == standardCandidate() &&
          tried()[n].isMeasured)
        add(n);
    for (size_t n : fastest(1, false, all)) add(n);
    if (bestForHost_)
      for (size_t n : fastest(2, true, all)) add(n);
    const double left = options_.budgetSeconds - result().seconds;
    while (all.size() > least && lastComparisonSeconds(all.size() - 1) > left) all.pop_back();
    return all;
  }

  /// Those with the least ratios that the races found, but those of `known`.
  std::vector<size_t> fastest(size_t most, bool isForHost, const std::vector<size_t>& known) {
    std::vector<size_t> found;
    for (size_t n = 1; n < tried().size(); ++n) {
      const Tried& one = tried()[n];
      if (one.isMeasured && one.program->isForHost() == isForHost && one.ratio.median < 1 &&
          std::ranges::find(known, n) == known.end())
        found.push_back(n);
    }
    std::ranges::stable_sort(found, {}, [&](size_t n) { return tried()[n].ratio.median; });
    found.resize(std::min(found.size(), most));
    return found;
  }

  Status decide() {
    const std::vector<size_t> finalists = this->finalists();
    noteLeftOut();
    if (finalists.size() == 1) return ok();
    ProgressLine::tell(ProgressLine::Level::Task, "measuring the best once more");
    const double left = options_.budgetSeconds - result().seconds;
    Result<Measurement> measured = measurer_.measure(programsOf(finalists), Rigour::Final, left);
    if (!measured) return measured.error();
    if (Status s = take(finalists, *measured); !s) return s;
    if (!hasEqual(*measured)) return ok(); // the original stays
    std::vector<std::vector<double>> alone, all;
    std::vector<size_t> ranks;
    for (size_t n = 0; n < finalists.size(); ++n) {
      const Tried& one = tried()[finalists[n]];
      const auto& samples = measured->programs[n].samples;
      all.push_back(one.isMeasured ? samples : std::vector<double>());
      alone.push_back(one.program->isForHost() ? std::vector<double>() : all.back());
      ranks.push_back(rankOf(finalists[n]));
      if (one.isMeasured && !samples.empty()) result().finals.push_back({finalists[n], samples});
    }
    if (all[0].empty()) {
      result().failure = "the device could not time it";
      return failure(result().failure);
    }
    result().best = finalists[chooseWinner(alone, ranks)];
    const size_t any = finalists[chooseWinner(all, ranks)];
    if (tried()[any].program->isForHost()) result().bestForHost = any;
    noteDrift(all[0]);
    return ok();
  }

  void noteLeftOut() {
    result().secondsEach = secondsEach();
    if (const size_t count = result().leftOut)
      result().notes.push_back(fmt::format("{} candidate{} left untried: the time was up ({:.2g} s "
                                           "for each); a longer --budget tries more",
                                           count, count == 1 ? " was" : "s were", secondsEach()));
  }

  /// Clocks that go down, or others at work on the device.
  void noteDrift(const std::vector<double>& original) {
    const size_t third = original.size() / 3;
    if (third < 2) return;
    const std::span<const double> all(original);
    const double ratio = spreadOf(all.last(third)).median / spreadOf(all.first(third)).median;
    if (ratio < kDrift && ratio > 1 / kDrift) return;
    result().notes.push_back(
        fmt::format("the original took {:.3f} times as long at the end as at the beginning: the "
                    "device changed its clocks, or others used it; pairs of measurements allow "
                    "for that, but look at the intervals",
                    ratio));
  }

  ProgramBuilder& builder_;
  Measurer& measurer_;
  const TuneOptions& options_;
  Trials trials_;
  size_t best_ = 0;
  bool isWithHost_ = false; ///< what is tried now
  Pace alone_, withHost_;   ///< to compare and time one program
  std::optional<size_t> bestForHost_;
};

} // namespace

bool TuneResult::isNothingMeasured() const {
  return leftOut > 0 && std::none_of(tried.begin() + 1, tried.end(),
                                     [](const Tried& one) { return one.isJudged; });
}

MedianInterval TuneResult::finalRatio(size_t tried, size_t toTried) const {
  const auto row = [&](size_t n) {
    const auto found = std::ranges::find(finals, n, &FinalRow::tried);
    return found == finals.end() ? std::vector<double>() : found->samples;
  };
  return ratioOf(row(tried), row(toTried));
}

Result<TuneResult> searchByMeasuring(ProgramBuilder& builder, Measurer& measurer,
                                     CompilerSet* compilers, const TuneOptions& options) {
  return MeasuringSearch(builder, measurer, compilers, options).run();
}

} // namespace lanewise::driver
