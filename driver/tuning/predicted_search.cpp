// The search without a device of that kind: what a compiler finds cheapest.
#include "support/failure.h"
#include "support/progress_line.h"
#include "tuning/trials.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

namespace lanewise::driver {

namespace {

constexpr int kMostComparisons = 8; // of outputs, from the cheapest on

class PredictedSearch {
public:
  PredictedSearch(ProgramBuilder& builder, Measurer& measurer, CompilerSet& compilers,
                  std::string compiler, const TuneOptions& options)
      : builder_(builder), measurer_(measurer), compiler_(std::move(compiler)),
        trials_(builder, &compilers, options) {}

  Result<TuneResult> run() {
    Result<SpaceFacts> facts = trials_.facts({});
    if (!facts) return facts.error();
    // Outputs are compared on another device, with its own subgroups.
    if (facts->hasSubgroupOperations) facts->subgroupSizes.clear();
    std::vector<Candidate> candidates = firstCandidates(*facts);
    add(std::move(candidates));
    if (!tried()[0].predicted)
      return failure(fmt::format("{}: {} has no figures for the shaders as they are",
                                 builder_.scenario().path, compiler_));
    const size_t first = cheapest(false, {});
    add(neighbours(*facts, tried()[first].program->candidate, tried()[first].program->remarks));
    if (Status s = addWithHost(*facts); !s) return s.error();
    size_t any = 0;
    Status done = choose(false, result().best);
    if (done) done = choose(true, any);
    if (!done && result().failure.empty()) return done.error();
    if (tried()[any].program->isForHost()) result().bestForHost = any;
    return std::move(result());
  }

private:
  TuneResult& result() { return trials_.result(); }
  std::vector<Tried>& tried() { return trials_.result().tried; }

  Status addWithHost(const SpaceFacts& facts) {
    if (!facts.mayAskHost) return ok();
    const size_t alone = cheapest(false, {});
    const auto addAll = [&](std::vector<Candidate> candidates) -> Result<size_t> {
      add(std::move(candidates));
      return cheapest(true, {});
    };
    Result<std::vector<Parameters>> values = trials_.values(alone, addAll);
    if (!values) return values.error();
    add(hostCandidates(facts, *values, tried()[alone].program->candidate));
    return ok();
  }

  void add(std::vector<Candidate> candidates) {
    const size_t count = candidates.size();
    const bool isFirst = tried().empty();
    std::vector<size_t> made = trials_.add(std::move(candidates), count);
    if (isFirst) made.insert(made.begin(), 0);
    for (size_t n : made) {
      trials_.predictBy(compiler_, n);
      Tried& one = tried()[n];
      if (!one.predicted && one.problem.empty())
        one.problem = fmt::format("{} has no figures for it", compiler_);
      if (!one.predicted || !tried()[0].predicted) continue;
      const double ratio = one.predicted->cost / tried()[0].predicted->cost;
      one.ratio = {ratio, ratio, ratio};
    }
  }

  bool isFit(size_t n, bool mayAskHost) {
    const Tried& one = tried()[n];
    return one.problem.empty() && one.predicted && (mayAskHost || !one.program->isForHost());
  }

  /// Of those that are about as cheap the one with the least complexity.
  size_t cheapest(bool mayAskHost, const std::vector<size_t>& but) {
    double least = tried()[0].predicted->cost;
    const auto isLeft = [&](size_t n) {
      return isFit(n, mayAskHost) && std::ranges::find(but, n) == but.end();
    };
    for (size_t n = 0; n < tried().size(); ++n)
      if (isLeft(n)) least = std::min(least, tried()[n].predicted->cost);
    size_t chosen = 0;
    bool isAny = tried()[0].predicted->cost <= least * kNoCostDifference;
    for (size_t n = 0; n < tried().size(); ++n) {
      if (!isLeft(n) || tried()[n].predicted->cost > least * kNoCostDifference) continue;
      const bool isSimpler = tried()[n].program->candidate.complexity() <
                             tried()[chosen].program->candidate.complexity();
      if (!isAny || isSimpler) chosen = n, isAny = true;
    }
    return chosen;
  }

  /// The cheapest whose outputs are the original's.
  Status choose(bool mayAskHost, size_t& to) {
    std::vector<size_t> wrong;
    for (int n = 0; n < kMostComparisons; ++n) {
      to = cheapest(mayAskHost, wrong);
      if (to == 0 || tried()[to].isMeasured) return ok();
      const std::array<const BuiltProgram*, 2> both{tried()[0].program.get(),
                                                    tried()[to].program.get()};
      ProgressLine::tell(ProgressLine::Level::Task,
                         "comparing " + both[1]->candidate.name() + " with the original");
      Result<Measurement> compared = measurer_.measure(both, Rigour::Outputs, kNoLimit);
      if (!compared) return compared.error();
      result().seconds += compared->seconds;
      result().failure = compared->failure;
      if (!compared->failure.empty()) return failure(compared->failure);
      Tried& one = tried()[to];
      one.isMeasured = compared->programs[1].isEqual;
      if (one.isMeasured) return ok();
      one.problem = compared->programs[1].reason;
      wrong.push_back(to);
    }
    to = 0;
    return ok();
  }

  ProgramBuilder& builder_;
  Measurer& measurer_;
  std::string compiler_;
  Trials trials_;
};

} // namespace

Result<TuneResult> searchByPredicting(ProgramBuilder& builder, Measurer& measurer,
                                      CompilerSet& compilers, const std::string& compiler,
                                      const TuneOptions& options) {
  return PredictedSearch(builder, measurer, compilers, compiler, options).run();
}

} // namespace lanewise::driver
