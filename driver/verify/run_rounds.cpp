#include "verify/run_rounds.h"

#include "support/progress_line.h"
#include "verify/branch_rounds.h"
#include "verify/program/bind_program.h"
#include "verify/program/marshal.h"
#include "verify/program/stated_inputs.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

namespace lanewise::driver {
namespace {

// What all rounds together and one of them may cost, in instructions of the interpreter. Making up
// bytes costs as well.
constexpr uint64_t kMostCost = uint64_t(1) << 25;
constexpr size_t kMostBranchRounds = 6;
constexpr double kRoundSeconds = 0.04;
constexpr uint64_t kBytesPerInstruction = 4;
constexpr size_t kMostDraws = 16; // for inputs in which an original is sound

class RoundRunner {
public:
  /// `base`: the buffers of what the rounds are made from, null where nobody compares them.
  RoundRunner(const Scenario& given, std::span<const ProgramVariant> variants,
              std::vector<bool> isAsked, std::span<const RunFinding> known,
              const InterpreterOptions& options, uint64_t seed, RunCaches& caches,
              ScenarioContents* base)
      : given_(given), variants_(variants), isAsked_(std::move(isAsked)), known_(known),
        options_(options), seed_(seed), caches_(caches), base_(base) {
    options_.budgetSeconds = std::min(options_.budgetSeconds, kRoundSeconds);
    result_.rows.resize(variants.size());
    result_.exercised.resize(variants.size());
  }

  RoundsResult run(std::span<const Program> programs, std::span<const Exercised> exercised) {
    tried_.push_back({given_, {exercised.begin(), exercised.end()}});
    merge(result_.exercised, exercised);
    const std::vector<RoundAim> aims = planRounds(given_, programs);
    const auto tryAll = [&](bool last) {
      for (const RoundAim& aim : aims)
        if (aim.isLast == last) tryAim(aim);
    };
    tryAll(false);
    tryBranches();
    tryAll(true);
    return std::move(result_);
  }

  std::optional<Scenario> firstSound(const std::vector<RoundAim>& aims) {
    size_t left = kMostDraws;
    for (const RoundAim& aim : aims)
      for (const Scenario& scenario : aim.tries) {
        if (left-- == 0) return std::nullopt;
        if (tryRound(scenario)) return scenario;
      }
    return std::nullopt;
  }

private:
  void tryAim(const RoundAim& aim) {
    for (size_t n = 0; n < aim.tries.size() && !isOver_; ++n) {
      const bool isSound = tryRound(aim.tries[n]);
      if (isSound && (n == 0 || !aim.splits)) return;
    }
  }

  void tryBranches() {
    BranchRounds rounds(variants_, isAsked_, options_.subgroupSize, seed_, caches_);
    for (size_t n = 0; n < kMostBranchRounds && !isOver_ && cost_ <= kMostCost; ++n) {
      const uint64_t before = rounds.cost();
      const std::optional<RoundAim> aim = rounds.next(tried_, result_.exercised);
      cost_ += rounds.cost() - before;
      if (!aim) return;
      tryAim(*aim);
    }
  }

  // A program with dispatches of its own goes along where nothing changes but what is in buffers
  // that the others have as well: it may have the others' push constants in one.
  bool fitsAll(const Scenario& scenario) const {
    if (std::ranges::all_of(variants_, [](const auto& v) { return v.dispatches.empty(); }))
      return true;
    std::set<std::string> shared;
    for (const ScenarioDispatch& dispatch : given_.dispatches)
      for (const ScenarioBinding& bound : dispatch.bindings) shared.insert(bound.buffer);
    const auto isAlike = [&](const ScenarioBuffer& a, const ScenarioBuffer& b) {
      return shared.contains(a.name) || (a.fill == b.fill && a.edits.size() == b.edits.size());
    };
    const auto hasSameConstants = [](const ScenarioShader& a, const ScenarioShader& b) {
      return a.specConstants == b.specConstants;
    };
    return scenario.dispatches == given_.dispatches &&
           std::ranges::equal(scenario.buffers, given_.buffers, isAlike) &&
           std::ranges::equal(scenario.shaders, given_.shaders, hasSameConstants);
  }

  // Whether the original is sound in it.
  bool tryRound(const Scenario& scenario) {
    if (!fitsAll(scenario)) return false;
    if (cost_ > kMostCost) return result_.report.dropped.push_back(scenario.round), false;
    ProgressLine::tell(ProgressLine::Level::Detail, "further inputs: " + scenario.round);
    Result<Marshalling> marshalling = marshal(scenario, variants_);
    if (!marshalling) return false;
    std::vector<std::string> unused;
    Result<std::vector<Program>> programs =
        bindPrograms(*marshalling, variants_, unused, caches_.reflections);
    if (!programs || !checkStated(scenario, programs->front())) return false;
    ScenarioContents contents(*marshalling, *programs, seed_, caches_);
    if (!contents.readFiles()) return false;
    if (base_) contents.weakenAs(*base_);
    InterpreterOptions options = options_;
    if (scenario.subgroupSize != 0) options.subgroupSize = scenario.subgroupSize;
    InterpreterCheckResult seen =
        checkWithInterpreter(contents, marshalling->scenario, *programs, isAsked_, options);
    cost_ += seen.report.instructions;
    for (const ScenarioBuffer& buffer : scenario.buffers)
      cost_ += buffer.bytes() / kBytesPerInstruction;
    if (!isSound(seen) || (scenario.dispatches != given_.dispatches && hasNewRace(seen))) {
      ++result_.report.unsound;
      noteFault(scenario.round, seen.originalFindings);
      return false;
    }
    result_.report.sound.push_back(scenario.round);
    if (base_) base_->weakenAs(contents);
    merge(result_.exercised, seen.exercised);
    tried_.push_back({scenario, std::move(seen.exercised)});
    for (size_t p = 1; p < seen.rows.size(); ++p) take(p, std::move(seen.rows[p]));
    return true;
  }

  static bool isFault(const RunFinding& found) { return found.decides || found.dependsOnInputs; }

  static bool isSound(const InterpreterCheckResult& seen) {
    return seen.report.comparesOutputs() && std::ranges::none_of(seen.originalFindings, isFault);
  }

  void noteFault(const std::string& round, const std::vector<RunFinding>& findings) {
    const auto fault = std::ranges::find_if(findings, [&](const RunFinding& found) {
      return isFault(found) && !hasDefect(known_, found);
    });
    if (result_.report.firstFault.empty() && fault != findings.end())
      result_.report.firstFault = fmt::format("{}: {}", round, fault->text);
  }

  // Of another grid: invocations that write the same there, and nowhere else, say that the original
  // is not for such a grid. Another program may as well race there.
  bool hasNewRace(const InterpreterCheckResult& seen) const {
    return std::ranges::any_of(seen.originalFindings, [&](const RunFinding& found) {
      return found.kind == "race-same-value" && !hasDefect(known_, found);
    });
  }

  void take(size_t p, InterpreterCheckRow row) {
    const bool isShown = !row.differences.empty() ||
                         std::any_of(row.findings.begin(), row.findings.end(),
                                     [](const RunFinding& found) { return found.decides; });
    if (!isShown) return;
    result_.rows[p] = std::move(row);
    isAsked_[p] = false;
    isOver_ = std::find(isAsked_.begin() + 1, isAsked_.end(), true) == isAsked_.end();
  }

  const Scenario& given_;
  std::span<const ProgramVariant> variants_;
  std::vector<bool> isAsked_; ///< by program: not [0], and none that is known to be wrong
  const std::span<const RunFinding> known_; ///< of the original
  InterpreterOptions options_;
  const uint64_t seed_;
  RunCaches& caches_;
  ScenarioContents* const base_;
  RoundsResult result_;
  std::vector<SoundInputs> tried_;
  uint64_t cost_ = 0;
  bool isOver_ = false; ///< nobody is left to be asked
};

} // namespace

RoundsResult runRounds(const Scenario& base, std::span<const ProgramVariant> variants,
                       std::span<const Program> programs, std::span<const Exercised> exercised,
                       const std::vector<bool>& isAsked, std::span<const RunFinding> known,
                       const InterpreterOptions& options, ScenarioContents& contents) {
  return RoundRunner(base, variants, isAsked, known, options, contents.seed(), contents.caches(),
                     &contents)
      .run(programs, exercised);
}

std::optional<Scenario> findSoundInputs(const Scenario& base,
                                        std::span<const ProgramVariant> variants,
                                        std::span<const Program> programs,
                                        const InterpreterOptions& options,
                                        const ScenarioContents& contents) {
  std::vector<bool> isAsked(programs.size(), false);
  isAsked[0] = true;
  return RoundRunner(base, variants, std::move(isAsked), {}, options, contents.seed(),
                     contents.caches(), nullptr)
      .firstSound(planSoundInputs(base, programs));
}

} // namespace lanewise::driver
