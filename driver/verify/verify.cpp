// The order of a verification: does the original agree with itself, do the others agree with it,
// and how long does each take.
#include "verify/verify.h"

#include "verify/compare.h"
#include "verify/contents.h"
#include "verify/fit.h"
#include "verify/marshal.h"
#include "verify/run_findings.h"
#include "verify/run_rounds.h"
#include "verify/runner.h"
#include "verify/timing_statistics.h"
#include "verify/witness.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

constexpr double kSampleMicroseconds = 200; // a timed sample lasts this long at least
constexpr uint32_t kMaxRepetitions = 256;   // of the sequence in one sample
// An idle GPU raises its clocks only after a while of steady work.
constexpr double kWarmupMicroseconds = 800e3;
constexpr double kTimingBudgetMicroseconds = 20e6;
constexpr uint32_t kLeastRounds = 6; // fewer give no 95% interval

// One verification.
class Session {
public:
  /// `programs` are those of the marshalling, fitted.
  Session(Runner& runner, const VerifyOptions& options, const Marshalling& marshalling,
          const Scenario& scenario, std::span<const ProgramVariant> variants,
          std::vector<Program> programs, VerifyReport& report)
      : runner_(runner), options_(options), scenario_(marshalling.scenario), given_(scenario),
        variants_(variants), programs_(std::move(programs)), report_(report),
        contents_(marshalling, programs_, options.seed) {
    report_.comparedBytes = contents_.comparedBytes();
    for (uint32_t b : contents_.compared())
      report_.compared.push_back(describeCompared(scenario_.buffers[b]));
    report_.areInputsMadeUp = contents_.isMadeUp();
    report_.originalName = programs_[0].name;
    exercised_.resize(programs_.size());
    for (size_t p = 1; p < programs_.size(); ++p) {
      VariantReport row;
      row.name = programs_[p].name;
      row.isCompared = marshalling.programs[p].compare;
      report_.variants.push_back(std::move(row));
    }
  }

  Status run() {
    Status files = contents_.readFiles();
    if (!files) return files;
    Status fits = contents_.checkRanges();
    if (!fits) return fits;
    bool isPrepared = prepare();
    for (const InputSet& inputs : contents_.inputSets())
      if (!isPrepared || !compareAll(inputs)) break;
    askInterpreter();
    tryRounds();
    reportCoverage();
    if (isPrepared && isOriginalSound_ && runner_.isUsable() && options_.timing) {
      if (runner_.device().isInterpreter)
        report_.notes.push_back("not timed: the interpreter says nothing of speed");
      else
        timeAll();
    }
    conclude();
    requireCoverage();
    return ok();
  }

private:
  VariantReport& row(size_t program) { return report_.variants[program - 1]; }

  // ----- preparation -----

  // False when nothing can be compared.
  bool prepare() {
    if (RunStatus failed = runner_.makeResources(contents_.shapes()))
      return stopAtOriginal(*failed);
    uint32_t added = 0;
    slots_.resize(programs_.size());
    for (size_t p = 0; p < programs_.size(); ++p) {
      RunStatus failed = runner_.addProgram(programs_[p]);
      if (!failed) slots_[p] = added++;
      bool isRejected = takeValidationErrors(p);
      if (p == 0 && (failed || isRejected)) return failed ? stopAtOriginal(*failed) : false;
      if (failed && !isRejected) blame(p, *failed);
      if (!failed) storeStatistics(p);
    }
    return true;
  }

  bool stopAtOriginal(const RunFailure& failed) {
    report_.state = VerifyState::NotRun;
    report_.reason = fmt::format("the original did not run: {}", failed.message);
    isOriginalSound_ = false;
    return false;
  }

  // A program that hangs or kills the device where the original did not is wrong; one that asks for
  // more than the device has is only not verified.
  void blame(size_t p, const RunFailure& failed) {
    bool isWrong =
        failed.kind == RunFailure::Kind::DeviceLost || failed.kind == RunFailure::Kind::Timeout;
    settle(p, isWrong ? VerifyState::Differs : VerifyState::NotRun, failed.message);
  }

  void settle(size_t p, VerifyState state, std::string reason) {
    row(p).state = state;
    row(p).reason = std::move(reason);
    isSettled_.resize(programs_.size());
    isSettled_[p] = true;
  }
  bool isSettled(size_t p) const { return p < isSettled_.size() && isSettled_[p]; }

  // True if the layer had something to say about program `p`.
  bool takeValidationErrors(size_t p) {
    std::vector<std::string> errors = runner_.takeValidationErrors();
    if (errors.empty()) return false;
    for (const std::string& error : errors)
      report_.validationErrors.push_back(fmt::format("{}: {}", programs_[p].name, error));
    std::string reason = fmt::format("the validation layer reports {} error{}: {}", errors.size(),
                                     errors.size() == 1 ? "" : "s", errors[0]);
    if (p == 0) {
      report_.state = VerifyState::OriginalUnsound;
      report_.reason = "for the original " + reason;
      isOriginalSound_ = false;
    } else if (!isSettled(p)) {
      settle(p, VerifyState::Differs, reason);
    }
    return true;
  }

  void storeStatistics(size_t p) {
    std::vector<PipelineStatistics> all = runner_.statistics(slots_[p].value());
    for (size_t s = 0; s < all.size(); ++s) {
      if (all[s].empty()) continue;
      auto& to = p == 0 ? report_.originalStatistics : row(p).statistics;
      to[programs_[p].shaders[s].name] = std::move(all[s]);
    }
  }

  // ----- findings -----

  // Keeps what the original is held against it. False if the original is to blame.
  bool takeOriginalFindings(const InputSet& set) {
    for (RunFinding& found : runner_.takeFindings()) {
      if (isByTheLetter(found)) found.decides = false;
      // Made-up inputs may well send a program where nobody else does.
      bool isExcused = !found.decides || (found.dependsOnInputs && contents_.isMadeUp());
      if (!isExcused && set.isExtra) return passOver(set, found.text);
      if (!isExcused && isOriginalSound_) {
        report_.state = VerifyState::OriginalUnsound;
        report_.reason = found.text + suffixOf(set);
        isOriginalSound_ = false;
      }
      addFindings(report_.findings, {std::move(found)});
    }
    return isOriginalSound_;
  }

  // What only program `p` does makes it wrong.
  void takeFindings(size_t p, const InputSet& set) {
    for (RunFinding& found : runner_.takeFindings()) {
      if (hasDefect(report_.findings, found)) continue;
      if (found.decides && row(p).isCompared && !isSettled(p))
        settle(p, VerifyState::Differs, found.text + suffixOf(set));
      addFindings(row(p).findings, {std::move(found)});
    }
  }

  // ----- comparison -----

  // Gives what the host sees. `reference` is what the original left, null for itself.
  RunStatus runProgram(size_t p, Poison poison, const Outputs* reference, Outputs& outputs,
                       std::vector<BufferDifference>& strays) {
    RunStatus failed =
        runner_.run(slots_[p].value(), contents_.inputs(poison), contents_.comparedOf(p), outputs);
    if (!failed) strays = contents_.unpack(p, poison, reference, outputs);
    return failed;
  }
  RunStatus runFirst(Poison poison, Outputs& outputs) {
    std::vector<BufferDifference> unused;
    return runProgram(0, poison, nullptr, outputs, unused);
  }

  // False when there is no point in going on.
  bool compareAll(const InputSet& set) {
    contents_.fill(set);
    Outputs first, again, poisoned;
    takeExercised(false); // of inputs that did not count
    if (!runOriginal(set, first, again, poisoned)) return false;
    for (size_t p = 1; p < programs_.size(); ++p) {
      if (isSettled(p)) continue;
      // One that is only timed runs all the same, so that a hang is known as its own.
      if (!compareProgram(p, set, first, poisoned)) return false;
    }
    takeExercised(true);
    return true;
  }

  bool runOriginal(const InputSet& set, Outputs& first, Outputs& again, Outputs& poisoned) {
    RunStatus failed = runFirst(Poison::Positive, first);
    if (!failed) failed = runFirst(Poison::Positive, again);
    if (!failed && contents_.hasPoison()) failed = runFirst(Poison::Negative, poisoned);
    if (failed && set.isExtra) return passOver(set, failed->message);
    if (failed) return (void)takeOriginalFindings(set), stopAtOriginal(*failed);
    if (takeValidationErrors(0) || !takeOriginalFindings(set)) return false;
    auto differences = contents_.differences(first, Poison::Positive, again, Poison::Positive);
    if (!differences.empty())
      return stopUnsound(set,
                         runner_.device().isInterpreter
                             ? "the original depends on the order of its invocations"
                             : "two runs of the original on the same inputs disagree (a race?)",
                         std::move(differences));
    if (!contents_.hasPoison()) return true;
    differences = contents_.differences(first, Poison::Positive, poisoned, Poison::Negative);
    if (!differences.empty())
      return stopUnsound(set,
                         "the original reads what it or nobody wrote: its outputs depend on the "
                         "contents of buffers that have no `init`",
                         std::move(differences));
    return true;
  }

  // What the original does with inputs that nobody promised it is held against nobody, and takes
  // nothing back of what the others have shown.
  bool passOver(const InputSet& set, std::string_view why) {
    (void)runner_.takeFindings();
    report_.notes.push_back(fmt::format("not compared with {}: {}", set.name, why));
    return false;
  }

  bool stopUnsound(const InputSet& set, std::string_view what,
                   std::vector<BufferDifference> differences) {
    if (set.isExtra) return passOver(set, fmt::format("{}: {}", what, describe(differences[0])));
    report_.state = VerifyState::OriginalUnsound;
    report_.reason = fmt::format("{}: {}{}", what, describe(differences[0]), suffixOf(set));
    report_.differences = std::move(differences);
    isOriginalSound_ = false;
    return false;
  }

  bool compareProgram(size_t p, const InputSet& set, const Outputs& first,
                      const Outputs& poisoned) {
    std::vector<BufferDifference> differences;
    RunStatus failed = compareRun(p, Poison::Positive, first, differences);
    if (!failed && differences.empty() && row(p).isCompared && contents_.hasPoison())
      failed = compareRun(p, Poison::Negative, poisoned, differences);
    takeValidationErrors(p);
    takeFindings(p, set);
    std::optional<std::string> misfit;
    if (row(p).isCompared) misfit = contents_.misfit(p, Poison::Positive, first);
    if (failed && !isSettled(p))
      blame(p, *failed);
    else if (misfit && !isSettled(p))
      settle(p, VerifyState::Differs,
             fmt::format("{} left what a narrowed field does not hold: {}{}", programs_[0].name,
                         *misfit, suffixOf(set)));
    else if (!differences.empty() && !isSettled(p)) {
      settle(p, VerifyState::Differs, describe(differences[0]) + suffixOf(set));
      row(p).differences = std::move(differences);
    } else if (!isSettled(p)) {
      row(p).state = VerifyState::Equal;
    }
    if (runner_.isUsable()) return true;
    for (size_t other = p + 1; other < programs_.size(); ++other)
      if (!isSettled(other))
        settle(other, VerifyState::NotRun, fmt::format("the device was lost by {}", row(p).name));
    return false;
  }

  RunStatus compareRun(size_t p, Poison poison, const Outputs& reference,
                       std::vector<BufferDifference>& differences) {
    Outputs outputs;
    RunStatus failed = runProgram(p, poison, &reference, outputs, differences);
    if (failed || !row(p).isCompared) return differences.clear(), failed;
    if (differences.empty())
      differences = contents_.differences(reference, poison, outputs, poison);
    return failed;
  }

  // ----- the second witness -----

  static bool hasOwnFault(const VariantReport& variant) {
    return std::any_of(variant.findings.begin(), variant.findings.end(),
                       [](const RunFinding& found) { return found.decides; });
  }

  void askInterpreter() {
    bool isAsked = options_.interpreter.isSecondWitness && !runner_.device().isInterpreter;
    // What took the device down would only be slow here.
    if (!isAsked || !runner_.isUsable()) return;
    std::vector<bool> isCompared(programs_.size(), true);
    for (size_t p = 1; p < programs_.size(); ++p) isCompared[p] = row(p).isCompared;
    WitnessResult seen =
        driver::askInterpreter(contents_, scenario_, programs_, isCompared, options_.interpreter);
    report_.findings = std::move(seen.originalFindings);
    report_.interpreter = std::move(seen.report);
    merge(exercised_, seen.exercised);
    for (size_t p = 1; p < programs_.size(); ++p) hear(p, std::move(seen.rows[p]));
    excuse();
  }

  // Other inputs than those that everything else was seen with.
  void tryRounds() {
    const bool isInterpreted =
        options_.interpreter.isSecondWitness || runner_.device().isInterpreter;
    if (!contents_.isMadeUp() || !isOriginalSound_ || !isInterpreted ||
        scenario_.shaders.size() != 1)
      return;
    std::vector<bool> isCompared(programs_.size(), true);
    for (size_t p = 1; p < programs_.size(); ++p)
      isCompared[p] = row(p).isCompared && row(p).state == VerifyState::Equal;
    if (std::count(isCompared.begin() + 1, isCompared.end(), true) == 0) return;
    RoundsResult seen = runRounds(given_, variants_, programs_, exercised_, isCompared,
                                  options_.interpreter, options_.seed);
    report_.rounds = std::move(seen.report);
    merge(exercised_, seen.exercised);
    for (size_t p = 1; p < programs_.size(); ++p) {
      settleBy(p, seen.rows[p], true);
      if (!seen.rows[p].differences.empty())
        row(p).differences = std::move(seen.rows[p].differences);
    }
  }

  void hear(size_t p, WitnessRow seen) {
    if (!seen.reason.empty() && report_.interpreter->hasRun)
      report_.notes.push_back(
          fmt::format("the interpreter has not checked {}: {}", row(p).name, seen.reason));
    if (!seen.rounding.empty() && report_.interpreter->comparesOutputs())
      report_.notes.push_back(
          fmt::format("on the interpreter {} differs from {} by rounding, which is held against "
                      "nobody: {}",
                      row(p).name, report_.originalName, seen.rounding));
    settleBy(p, seen, report_.interpreter->comparesOutputs());
  }

  // What only program `p` does decides, whatever the device made of it; then what it leaves.
  void settleBy(size_t p, const WitnessRow& seen, bool comparesOutputs) {
    addFindings(row(p).findings, seen.findings);
    if (!row(p).isCompared) return;
    for (const RunFinding& found : seen.findings)
      if (found.decides) return settle(p, VerifyState::Differs, found.text + seen.suffix);
    if (!comparesOutputs || seen.differences.empty() || row(p).state == VerifyState::Differs)
      return;
    settle(
        p, VerifyState::Differs,
        fmt::format("on the interpreter, {}: {}", seen.differsIn, describe(seen.differences[0])));
    row(p).differences = seen.differences;
  }

  // A difference on the device says nothing where the original may do this or that.
  void excuse() {
    const InterpreterReport& seen = *report_.interpreter;
    const RunFinding* found = nullptr;
    for (const RunFinding& finding : report_.findings)
      if (finding.decides && (!found || (isUnpredictable(finding) && !isUnpredictable(*found))))
        found = &finding;
    bool isExcuse = found && (isUnpredictable(*found) || contents_.isMadeUp());
    std::string why =
        found ? found->text
              : "its outputs depend on the order of its invocations: " + seen.orderDependence;
    if (!found && seen.orderDependence.empty()) return;
    if (!isOriginalSound_ && report_.state == VerifyState::OriginalUnsound)
      report_.reason += "; the interpreter found: " + why;
    for (size_t p = 1; p < programs_.size(); ++p) {
      if (row(p).state != VerifyState::Differs || row(p).differences.empty() || hasOwnFault(row(p)))
        continue;
      if (!isExcuse && seen.orderDependence.empty()) {
        row(p).reason += "; the original itself is not without fault, which may be why: " + why;
        continue;
      }
      if (isOriginalSound_) {
        report_.state = VerifyState::OriginalUnsound;
        report_.reason =
            fmt::format("{}; that may be why {} differs: {}", why, row(p).name, row(p).reason);
        report_.differences = row(p).differences;
      }
      isOriginalSound_ = false;
      settle(p, VerifyState::NotRun, "the original is unsound");
    }
  }

  // ----- coverage -----

  void takeExercised(bool counts) {
    for (size_t p = 0; p < programs_.size() && runner_.isUsable(); ++p)
      if (Exercised taken = slots_[p] ? runner_.takeExercised(*slots_[p]) : Exercised(); counts)
        merge(exercised_[p], taken);
  }

  void reportCoverage() {
    for (size_t p = 0; p < programs_.size(); ++p) {
      if (exercised_[p].empty() || (p != 0 && !row(p).isCompared)) continue;
      (p == 0 ? report_.coverage : row(p).coverage) = coverageOf(exercised_[p]);
    }
  }

  // Why it is not known that all code was exercised; empty where it is.
  std::string whyNotCovered() const {
    if (!report_.coverage && !report_.interpreter)
      return "coverage is unknown without the interpreter";
    if (!report_.coverage)
      return "coverage is unknown, the interpreter did not run: " + report_.interpreter->reason;
    std::string why = whyNotCovered(report_.originalName, report_.coverage);
    for (const VariantReport& variant : report_.variants)
      if (why.empty() && variant.isCompared) why = whyNotCovered(variant.name, variant.coverage);
    return why;
  }
  static std::string whyNotCovered(const std::string& name, const std::optional<Coverage>& seen) {
    if (!seen) return fmt::format("coverage is unknown, the interpreter did not run {}", name);
    if (seen->isComplete()) return {};
    return fmt::format("not exercised: {}: {}", name, describe(*seen)[0]);
  }

  void requireCoverage() {
    if (!options_.requiresCoverage || report_.state != VerifyState::Equal) return;
    std::string why = whyNotCovered();
    if (why.empty()) return;
    report_.state = VerifyState::NotRun;
    report_.reason = std::move(why);
  }

  // ----- timing -----

  void timeAll() {
    std::vector<size_t> timed{0};
    for (size_t p = 1; p < programs_.size(); ++p)
      if (row(p).state == VerifyState::Equal) timed.push_back(p);
    if (timed.size() == 1) return;
    contents_.fill(contents_.inputSets()[0]);
    std::vector<std::vector<double>> samples(programs_.size());
    RunStatus failed =
        runner_.beginTiming(contents_.inputs(Poison::Positive), contents_.restored());
    if (!failed) failed = sampleAll(timed, samples);
    if (failed) {
      report_.notes.push_back(fmt::format("not timed: {}", failed->message));
      return;
    }
    report_.timingMethod = runner_.device().hasTimestamps ? "GPU timestamps" : "host time";
    for (size_t p : timed) {
      if (p == 0) continue;
      row(p).timing = timingOf(samples[0], samples[p]);
      if (programs_[p].submitEvery != 0)
        report_.notes.push_back(fmt::format(
            "{}: host time, from its first submission to the end of its last wait", row(p).name));
    }
  }

  RunStatus sampleAll(const std::vector<size_t>& timed, std::vector<std::vector<double>>& samples) {
    double perRound = 0, original = 0, microseconds = 0;
    if (RunStatus failed = warmUp(timed, original, perRound)) return failed;
    uint32_t repetitions = uint32_t(
        std::clamp(std::ceil(kSampleMicroseconds / original), 1.0, double(kMaxRepetitions)));
    double affordable = kTimingBudgetMicroseconds / (perRound * repetitions);
    uint32_t rounds = options_.repeats;
    if (affordable < rounds) {
      rounds = std::min(rounds, std::max(kLeastRounds, uint32_t(affordable)));
      report_.notes.push_back(fmt::format("timed {} rounds instead of {}: one takes {:.1f} s",
                                          rounds, options_.repeats, perRound * repetitions / 1e6));
    }
    report_.repetitions = repetitions;
    for (size_t p : timed) // the command buffers are recorded anew for this many repetitions
      if (RunStatus failed = runner_.time(slots_[p].value(), repetitions, microseconds))
        return failed;
    std::vector<size_t> order = timed;
    for (uint32_t round = 0; round < rounds; ++round) {
      for (size_t p : order) {
        if (RunStatus failed = runner_.time(slots_[p].value(), repetitions, microseconds))
          return failed;
        samples[p].push_back(microseconds);
      }
      // ABBA: a drift of the clocks then weighs on both alike.
      std::reverse(order.begin(), order.end());
    }
    return {};
  }

  // Also finds out how long the original and a whole round take.
  RunStatus warmUp(const std::vector<size_t>& timed, double& original, double& perRound) {
    double spent = 0, microseconds = 0;
    double goal = runner_.device().isCpu ? 0 : kWarmupMicroseconds;
    constexpr uint32_t kMaxWarmups = 10000;
    for (uint32_t i = 0; i < kMaxWarmups; ++i) {
      if (i >= std::max(options_.warmups, 1u) && spent >= goal) break;
      perRound = 0;
      for (size_t p : timed) {
        if (RunStatus failed = runner_.time(slots_[p].value(), 1, microseconds)) return failed;
        if (p == 0) original = std::max(microseconds, 0.1);
        perRound += microseconds;
      }
      spent += perRound;
    }
    return {};
  }

  static TimingResult timingOf(const std::vector<double>& original,
                               const std::vector<double>& other) {
    std::vector<double> ratios;
    for (size_t i = 0; i < original.size(); ++i)
      ratios.push_back(original[i] > 0 ? other[i] / original[i] : 1);
    Spread a = spreadOf(original), b = spreadOf(other);
    MedianInterval ratio = medianInterval(ratios);
    return {a.median, a.min,        a.max,     b.median,   b.min,
            b.max,    ratio.median, ratio.low, ratio.high, uint32_t(ratios.size()),
            original, other};
  }

  // ----- conclusion -----

  void conclude() {
    std::vector<std::string> late = runner_.takeValidationErrors();
    report_.validationErrors.insert(report_.validationErrors.end(), late.begin(), late.end());
    const VariantReport* decided = &report_.variants[0];
    // Where the original is unsound, only what one of the others alone does wrong counts.
    auto counts = [&](const VariantReport& variant) {
      return variant.state == VerifyState::Differs && (isOriginalSound_ || hasOwnFault(variant));
    };
    for (const VariantReport& variant : report_.variants)
      if (counts(variant) && !counts(*decided)) decided = &variant;
    if (!isOriginalSound_ && !counts(*decided)) {
      for (VariantReport& variant : report_.variants) variant.state = VerifyState::NotRun;
      return;
    }
    report_.state = decided->state;
    report_.reason = decided->reason;
    if (decided->state == VerifyState::Differs && report_.variants.size() > 1)
      report_.reason = fmt::format("{}: {}", decided->name, decided->reason);
    report_.differences = decided->differences;
    report_.timing = decided->timing;
    report_.transformedStatistics = decided->statistics;
    if (!late.empty() && report_.state == VerifyState::Equal) {
      report_.state = VerifyState::OriginalUnsound;
      report_.reason = fmt::format("the validation layer reports errors: {}", late[0]);
    }
  }

  Runner& runner_;
  const VerifyOptions& options_;
  const Scenario& scenario_; ///< as marshalled
  const Scenario& given_;
  std::span<const ProgramVariant> variants_;
  std::vector<Program> programs_;
  VerifyReport& report_;
  ScenarioContents contents_;
  bool isOriginalSound_ = true;
  std::vector<std::optional<uint32_t>> slots_; ///< by program: the Runner's number for it
  std::vector<bool> isSettled_;                ///< by program: Differs or NotRun for good
  std::vector<Exercised> exercised_;           ///< by program
};

class DispatchVerifier final : public Verifier {
public:
  DispatchVerifier(VerifyOptions options, DeviceInfo info)
      : options_(std::move(options)), info_(std::move(info)) {}
  ~DispatchVerifier() override { letGo(); }

  std::string deviceName() const override { return info_.name; }

  Result<VerifyReport> verify(const Scenario& scenario,
                              std::span<const ShaderPair> shaders) override {
    std::array<ProgramVariant, 2> programs;
    programs[0].name = "original";
    programs[1].name = "transformed";
    for (const ShaderPair& pair : shaders) {
      programs[0].modules[pair.name] = pair.original;
      programs[1].modules[pair.name] = pair.transformed;
    }
    return verifyPrograms(scenario, programs);
  }

  Result<VerifyReport> verifyPrograms(const Scenario& scenario,
                                      std::span<const ProgramVariant> variants) override {
    VerifyReport report;
    auto wrong = [&](Error error) {
      if (!scenario.path.empty()) error.message = scenario.path + ": " + error.message;
      return error;
    };
    Result<Marshalling> marshalling = marshal(scenario, variants);
    if (!marshalling) return wrong(marshalling.error());
    report.notes = marshalling->notes;
    Result<std::vector<Program>> fitted = fitPrograms(*marshalling, variants, report.notes);
    if (!fitted) return wrong(fitted.error());
    std::vector<Program> programs = std::move(*fitted);
    report.dispatches = uint32_t(programs[0].dispatches.size()) * programs[0].repeat;
    // Made-up inputs may index out of range: that must not take the device down.
    Status opened = open(scenario.path.empty());
    if (!opened) return opened.error();
    report.device = info_.name;
    report.driverInfo = info_.isInterpreter
                            ? info_.driver
                            : fmt::format("{}, Vulkan {}", info_.driver, info_.apiVersion);
    report.isCpuDevice = info_.isCpu;
    Status done =
        Session(*runner_, options_, *marshalling, scenario, variants, std::move(programs), report)
            .run();
    if (!done) return done.error();
    if (!runner_->isUsable()) letGo();
    return report;
  }

private:
  Status open(bool robustAccess) {
    if (runner_ && isRobust_ == robustAccess) return ok();
    letGo();
    Result<std::unique_ptr<Runner>> runner =
        Runner::open({options_.device, options_.validationLayer, robustAccess,
                      options_.timeoutSeconds, options_.interpreter.subgroupSize});
    if (!runner) return runner.error();
    runner_ = std::move(*runner);
    isRobust_ = robustAccess;
    return ok();
  }

  void letGo() {
    // Destroying what the device still works on is undefined, and would wait for ever.
    if (runner_ && !runner_->isUsable()) (void)runner_.release();
    runner_.reset();
  }

  VerifyOptions options_;
  DeviceInfo info_;
  std::unique_ptr<Runner> runner_;
  bool isRobust_ = false;
};

} // namespace

Result<std::unique_ptr<Verifier>> Verifier::create(const VerifyOptions& options) {
  Result<DeviceInfo> info =
      Runner::probe({options.device, options.validationLayer, false, options.timeoutSeconds,
                     options.interpreter.subgroupSize});
  if (!info) return info.error();
  return std::unique_ptr<Verifier>(std::make_unique<DispatchVerifier>(options, std::move(*info)));
}

} // namespace lanewise::driver
