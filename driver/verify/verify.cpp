// The order of a verification: does the original agree with itself, do the others agree with it,
// and how long does each take.
#include "verify/verify.h"

#include "support/failure.h"
#include "support/progress_line.h"
#include "verify/compare/compare.h"
#include "verify/compare/run_findings.h"
#include "verify/compare/short_buffers.h"
#include "verify/compare/timing_statistics.h"
#include "verify/device/device_host.h"
#include "verify/inputs/contents.h"
#include "verify/interpreter_check.h"
#include "verify/program/bind_program.h"
#include "verify/program/interfaces.h"
#include "verify/program/marshal.h"
#include "verify/program/runner.h"
#include "verify/program/stated_inputs.h"
#include "verify/run_rounds.h"
#include "verify/writers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace lanewise::driver {
namespace {

constexpr double kSampleMicroseconds = 200; // a timed sample lasts this long at least
constexpr uint32_t kMaxRepetitions = 256;   // of the sequence in one sample
constexpr double kTimingBudgetMicroseconds = 20e6;
constexpr uint32_t kLeastRounds = 6;              // fewer give no 95% interval
constexpr double kEnoughWarmupMicroseconds = 2e6; // once round, whatever was asked for
constexpr char kNoTime[] = "no time was left for it";

// Puts them into the report: with a program that differs as what to look at first, else only the
// workgroup sizes and specialization constants as notes, one of each for all programs.
void tell(const std::vector<std::vector<InterfaceDifference>>& differences, VerifyReport& report) {
  using Kind = InterfaceDifference::Kind;
  struct Note {
    std::string text;
    std::vector<std::string> others;
  };
  std::map<Kind, Note> notes;
  for (size_t p = 1; p < differences.size(); ++p) {
    VariantReport& row = report.variants[p - 1];
    for (const InterfaceDifference& one : differences[p]) {
      const bool isNote = one.kind == Kind::WorkgroupSize || one.kind == Kind::Constants;
      if (row.state == VerifyState::Differs)
        row.interfaceDifferences.push_back(one.text());
      else if (row.state == VerifyState::Equal && isNote && notes[one.kind].text.empty())
        notes[one.kind].text = one.text();
      else if (row.state == VerifyState::Equal && isNote)
        notes[one.kind].others.push_back(row.name);
    }
  }
  for (auto& [kind, note] : notes) {
    if (!note.others.empty())
      note.text += fmt::format("; the same of {}", fmt::join(note.others, ", "));
    report.notes.push_back(note.text);
  }
}

// One verification.
class Session {
public:
  /// `programs` are those of the marshalling, fitted.
  Session(Runner& runner, const VerifyOptions& options, const Marshalling& marshalling,
          const Scenario& scenario, std::span<const ProgramVariant> variants,
          std::vector<Program> programs, VerifyReport& report)
      : runner_(runner), options_(options), scenario_(marshalling.scenario), given_(scenario),
        variants_(variants), programs_(std::move(programs)), report_(report),
        contents_(marshalling, programs_, options.seed, caches_) {
    report_.comparedBytes = contents_.comparedBytes();
    for (uint32_t b : contents_.compared())
      report_.compared.push_back(describeCompared(scenario_.buffers[b]));
    report_.areInputsGenerated = contents_.isGenerated();
    report_.originalName = programs_[0].name;
    exercised_.resize(programs_.size());
    for (size_t p = 1; p < programs_.size(); ++p) {
      VariantReport row;
      row.name = programs_[p].name;
      row.isCompared = marshalling.programs[p].compare;
      report_.variants.push_back(std::move(row));
    }
  }

  /// Inputs to use in place of the given ones, with which the original is at fault; null: none, or
  /// not asked for. Where there are some, run() has done nothing else.
  const std::optional<Scenario>& soundInputs() const { return soundInputs_; }

  Status run(bool mayUseOthers) {
    Status files = contents_.readFiles();
    if (!files) return files;
    Status fits = contents_.checkRanges();
    if (!fits) return fits;
    // First, as it says what depends on the order of invocations, which a device shows by luck.
    std::optional<InterpreterCheckResult> seen = checkWithInterpreter();
    mayDependOnOrder_ = seen && seen->report.comparesOutputs() && seen->report.hasAtomics;
    if (mayUseOthers && findSoundInputs(seen)) return ok();
    bool isPrepared = prepare();
    for (const InputSet& inputs : contents_.inputSets())
      if (!isPrepared || !compareAll(inputs)) break;
    if (seen) hearAll(std::move(*seen));
    tryRounds();
    reportCoverage();
    if (isPrepared && isOriginalSound_ && runner_.isUsable() && options_.timing) {
      if (runner_.device().isInterpreter)
        report_.notes.push_back("not timed: the interpreter says nothing about speed");
      else
        timeAll();
    }
    traceQueues();
    conclude();
    requireComparison();
    requireWholeLoops();
    requireSoundness();
    report_.shortBuffers = shortBuffersOf(given_, report_.findings);
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
      if (!mayCompile(p)) {
        settle(p, VerifyState::NotRun, kNoTime);
        continue;
      }
      RunStatus failed = runner_.addProgram(programs_[p]);
      if (!failed) slots_[p] = added++;
      bool isRejected = takeValidationErrors(p);
      if (p == 0 && (failed || isRejected)) return failed ? stopAtOriginal(*failed) : false;
      if (failed && !isRejected) blame(p, *failed);
      if (!failed) storeStatistics(p);
      if (RunStatus lost = runner_.loss()) return loseDevice(p, *lost);
    }
    return true;
  }

  bool mayCompile(size_t p) {
    return !options_.schedule || options_.schedule->mayCompile(p) || p == 0;
  }
  bool mayCompare(size_t p) {
    return !options_.schedule || options_.schedule->mayCompare(p) || p == 0;
  }

  // Program `p` took the device with it, and nobody else can run on it.
  bool loseDevice(size_t p, const RunFailure& lost) {
    if (p == 0) return stopAtOriginal(lost);
    if (!isSettled(p)) blame(p, lost);
    for (size_t other = 1; other < programs_.size(); ++other)
      if (!isSettled(other) && row(other).state != VerifyState::Equal)
        settle(other, VerifyState::NotRun, fmt::format("the device was lost by {}", row(p).name));
    return false;
  }

  bool stopAtOriginal(const RunFailure& failed) {
    isBeyondDevice_ = failed.kind == RunFailure::Kind::Unsupported;
    report_.state = VerifyState::NotRun;
    report_.reason = fmt::format("the original did not run: {}", failed.message);
    isOriginalSound_ = false;
    return false;
  }

  // A program that hangs or kills the device where the original did not is wrong; one that asks for
  // more than the device has is only not verified.
  void blame(size_t p, const RunFailure& failed) {
    using Kind = RunFailure::Kind;
    bool isWrong = failed.kind == Kind::DeviceLost || failed.kind == Kind::Timeout ||
                   failed.kind == Kind::DriverCrashed;
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
      bool isExcused = !found.decides || (found.dependsOnInputs && contents_.isGenerated());
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
      if (found.decides && row(p).isCompared && !isSettled(p)) {
        row(p).isDecidedByFinding = true;
        settle(p, VerifyState::Differs, found.text + suffixOf(set));
      }
      addFindings(row(p).findings, {std::move(found)});
    }
  }

  // ----- comparison -----

  // Gives what the host sees. `reference` is what the original left, null for itself.
  RunStatus runProgram(size_t p, Poison poison, const Outputs* reference, Outputs& outputs,
                       std::vector<BufferDifference>& strays) {
    RunStatus failed = runner_.run(slots_[p].value(), contents_.inputsOf(std::array{p}, poison),
                                   contents_.comparedOf(p), outputs);
    if (!failed && options_.schedule) options_.schedule->noteRun(runner_.secondsOfRun());
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
    (void)mayCompare(0);
    if (!runOriginal(set, first, again, poisoned)) return false;
    for (size_t p = 1; p < programs_.size(); ++p) {
      if (isSettled(p)) continue;
      if (!mayCompare(p)) {
        settle(p, VerifyState::NotRun, kNoTime);
        continue;
      }
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
    if (!runner_.device().isInterpreter) contents_.checkDeterministic(first, Poison::Positive);
    noteOrders(first, Poison::Positive, again, Poison::Positive);
    auto differences = contents_.differences(first, Poison::Positive, again, Poison::Positive);
    if (!differences.empty())
      return stopUnsound(set,
                         runner_.device().isInterpreter
                             ? "the original depends on the order of its invocations"
                             : "two runs of the original on the same inputs disagree (a race?)",
                         std::move(differences));
    if (!contents_.hasPoison()) return true;
    noteOrders(first, Poison::Positive, poisoned, Poison::Negative);
    differences = contents_.differences(first, Poison::Positive, poisoned, Poison::Negative);
    if (!differences.empty())
      return stopUnsound(set,
                         "the original reads uninitialized data: its outputs depend on the "
                         "contents of buffers that have no `init`",
                         std::move(differences));
    return true;
  }

  // Of two runs of the original. Where the interpreter has seen that it depends on the order of its
  // invocations and does nothing wrong, what a device shows of it may need a weaker rule; also
  // where atomics make that possible, since no order of the interpreter parts what is done between
  // two.
  void noteOrders(const Outputs& a, Poison poisonA, const Outputs& b, Poison poisonB) {
    const bool mayDepend =
        contents_.isOrderDependent() || (mayDependOnOrder_ && poisonA == poisonB) ||
        (runner_.device().isInterpreter &&
         std::none_of(report_.findings.begin(), report_.findings.end(), isUnpredictable));
    if (!mayDepend) return;
    for (uint32_t buffer : contents_.compared())
      while (auto one = contents_.difference(buffer, a, poisonA, b, poisonB))
        contents_.weaken(buffer, *one, "in two runs");
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
    ProgressLine::tell(ProgressLine::Level::Detail,
                       fmt::format("comparing {} on {}", row(p).name, runner_.device().name));
    std::vector<BufferDifference> differences;
    Poison poison = Poison::Positive;
    RunStatus failed = compareRun(p, poison, first, differences);
    if (!failed && differences.empty() && row(p).isCompared && contents_.hasPoison())
      failed = compareRun(p, poison = Poison::Negative, poisoned, differences);
    takeValidationErrors(p);
    takeFindings(p, set);
    if (!failed && !differences.empty() && !isSettled(p) &&
        !agreesInMoreRuns(set, poison, poison == Poison::Positive ? first : poisoned))
      return false;
    std::optional<std::string> misfit;
    if (row(p).isCompared) misfit = contents_.misfit(p, Poison::Positive, first);
    if (failed && !isSettled(p))
      blame(p, *failed);
    else if (misfit && !isSettled(p))
      settle(p, VerifyState::Differs,
             fmt::format("{} wrote a value that does not fit its narrowed field: {}{}",
                         programs_[0].name, *misfit, suffixOf(set)));
    else if (!differences.empty() && !isSettled(p)) {
      settle(p, VerifyState::Differs, describe(differences[0]) + suffixOf(set));
      lookForWriters(p, poison, differences);
      row(p).differences = std::move(differences);
    } else if (!isSettled(p)) {
      row(p).state = VerifyState::Equal;
    }
    RunStatus lost = runner_.loss();
    return lost ? loseDevice(p, *lost) : true;
  }

  static constexpr int kMoreRuns = 8; ///< of the original, before another program is blamed

  // Before another program is blamed: whether the original still leaves what it left. Two runs may
  // hide a race that a third one shows.
  bool agreesInMoreRuns(const InputSet& set, Poison poison, const Outputs& reference) {
    for (int n = 0; n < kMoreRuns && !runner_.device().isInterpreter; ++n) {
      Outputs again;
      if (runFirst(poison, again)) break;
      (void)runner_.takeFindings();
      auto differences = contents_.differences(reference, poison, again, poison);
      if (!differences.empty())
        return stopUnsound(set, "runs of the original on the same inputs disagree (a race?)",
                           std::move(differences));
    }
    return true;
  }

  void lookForWriters(size_t p, Poison poison, std::vector<BufferDifference>& differences) {
    const DeviceInfo& device = runner_.device();
    if (options_.interpreter.checksBesideDevice || device.isInterpreter)
      nameWritersOfDevice(contents_, {p, programs_[0], programs_[p]}, poison, options_.interpreter,
                          device.subgroupSize, differences);
  }

  RunStatus compareRun(size_t p, Poison poison, const Outputs& reference,
                       std::vector<BufferDifference>& differences) {
    Outputs outputs;
    RunStatus failed = runProgram(p, poison, &reference, outputs, differences);
    if (failed || !row(p).isCompared) return differences.clear(), failed;
    if (!differences.empty()) return failed;
    differences = contents_.differences(reference, poison, outputs, poison);
    // More runs of the original may differ in the same way.
    const bool mayDepend = contents_.isOrderDependent() || mayDependOnOrder_;
    for (int n = 0; n < kMoreRuns && mayDepend && !differences.empty(); ++n) {
      Outputs again;
      if (runFirst(poison, again)) break;
      (void)runner_.takeFindings();
      noteOrders(reference, poison, again, poison);
      differences = contents_.differences(reference, poison, outputs, poison);
    }
    return failed;
  }

  // ----- the interpreter check -----

  static bool isAgreement(VerifyState state) {
    return state == VerifyState::Equal || state == VerifyState::OrderDependent;
  }
  static bool hasFault(const std::vector<RunFinding>& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const RunFinding& found) { return found.decides; });
  }
  static bool hasOwnFault(const VariantReport& variant) { return hasFault(variant.findings); }

  std::optional<InterpreterCheckResult> checkWithInterpreter() {
    // Also where the device may be lost: then only it can tell.
    if (!options_.interpreter.checksBesideDevice || runner_.device().isInterpreter)
      return std::nullopt;
    if (!options_.tooLong.empty()) return knownTooLong();
    ProgressLine::tell(ProgressLine::Level::Detail, "checking with the interpreter");
    std::vector<bool> isCompared(programs_.size(), true);
    for (size_t p = 1; p < programs_.size(); ++p) isCompared[p] = row(p).isCompared;
    return driver::checkWithInterpreter(contents_, scenario_, programs_, isCompared,
                                        options_.interpreter);
  }

  InterpreterCheckResult knownTooLong() {
    contents_.forgetOrders();
    InterpreterCheckResult known;
    known.report.reason = options_.tooLong;
    known.report.isTooLong = true;
    known.report.subgroupSize = options_.interpreter.subgroupSize;
    known.rows.resize(programs_.size());
    known.exercised.resize(programs_.size());
    return known;
  }

  void hearAll(InterpreterCheckResult seen) {
    report_.findings = std::move(seen.originalFindings);
    report_.interpreter = std::move(seen.report);
    merge(exercised_, seen.exercised);
    for (size_t p = 1; p < programs_.size(); ++p) hear(p, std::move(seen.rows[p]));
    excuse();
  }

  bool hasRounds() const {
    const bool isInterpreted =
        options_.interpreter.checksBesideDevice || runner_.device().isInterpreter;
    const auto isOriginal = [](const ScenarioShader& shader) { return shader.madeOf.empty(); };
    return contents_.isGenerated() && isInterpreted &&
           std::ranges::count_if(scenario_.shaders, isOriginal) == 1;
  }

  // A fault of the original with generated inputs may be one of the inputs. What only another
  // program does wrong counts all the same.
  bool findSoundInputs(const std::optional<InterpreterCheckResult>& seen) {
    if (!hasRounds() || !seen || !seen->report.isUnsound) return false;
    for (const InterpreterCheckRow& row : seen->rows)
      if (hasFault(row.findings)) return false;
    soundInputs_ =
        driver::findSoundInputs(given_, variants_, programs_, options_.interpreter, contents_);
    if (!soundInputs_) return false;
    for (const RunFinding& found : seen->originalFindings)
      if (found.decides && isUnpredictable(found))
        report_.notes.push_back(fmt::format(
            "{} misbehaves with the first inputs, so all were compared with {} instead: {}",
            report_.originalName, soundInputs_->round, found.text));
    return true;
  }

  // Other inputs than those that everything else was seen with.
  void tryRounds() {
    // An original that is at fault with all inputs that were tried is so with these.
    const bool isAtFault = report_.interpreter && report_.interpreter->isUnsound;
    if (!hasRounds() || !isOriginalSound_ || isAtFault) return;
    std::vector<bool> isCompared(programs_.size(), true);
    for (size_t p = 1; p < programs_.size(); ++p)
      isCompared[p] = row(p).isCompared && row(p).state == VerifyState::Equal;
    if (std::count(isCompared.begin() + 1, isCompared.end(), true) == 0) return;
    RoundsResult seen = runRounds(given_, variants_, programs_, exercised_, isCompared,
                                  report_.findings, options_.interpreter, contents_);
    report_.rounds = std::move(seen.report);
    merge(exercised_, seen.exercised);
    for (size_t p = 1; p < programs_.size(); ++p) {
      if (!isCompared[p]) continue;
      settleBy(p, seen.rows[p], true);
      if (!seen.rows[p].differences.empty())
        row(p).differences = std::move(seen.rows[p].differences);
    }
  }

  void hear(size_t p, InterpreterCheckRow seen) {
    const bool isDecided = std::ranges::any_of(seen.findings, &RunFinding::decides);
    if (!seen.reason.empty() && !isDecided && report_.interpreter->hasRun)
      report_.notes.push_back(
          fmt::format("the interpreter has not checked {}: {}", row(p).name, seen.reason));
    if (!seen.rounding.empty() && report_.interpreter->comparesOutputs())
      report_.notes.push_back(fmt::format(
          "on the interpreter {} differs from {} only by rounding, which is ignored: {}",
          row(p).name, report_.originalName, seen.rounding));
    settleBy(p, seen, report_.interpreter->comparesOutputs());
  }

  // What only program `p` does decides, whatever the device made of it; then what it leaves.
  void settleBy(size_t p, const InterpreterCheckRow& seen, bool comparesOutputs) {
    addFindings(row(p).findings, seen.findings);
    if (!row(p).isCompared) return;
    for (const RunFinding& found : seen.findings) {
      if (!found.decides) continue;
      std::string reason = found.text + seen.suffix;
      // What the device died of is still worth knowing.
      if (row(p).state == VerifyState::Differs && row(p).differences.empty())
        reason += "; on the device: " + row(p).reason;
      row(p).isDecidedByFinding = true;
      return settle(p, VerifyState::Differs, std::move(reason));
    }
    if (!comparesOutputs) return;
    if (row(p).state == VerifyState::Differs) return doubtDriver(p, seen);
    if (seen.differences.empty()) return;
    settle(
        p, VerifyState::Differs,
        fmt::format("on the interpreter, {}: {}", seen.differsIn, describe(seen.differences[0])));
    row(p).differences = seen.differences;
    isSeenToDiffer_ |=
        !report_.interpreter || !report_.interpreter->isUnsound; // none: it is the device
  }

  // What differs on the device alone may be the doing of its compiler.
  void doubtDriver(size_t p, const InterpreterCheckRow& seen) {
    const InterpreterReport& run = *report_.interpreter;
    const bool hasRunAll = run.workgroups == run.allWorkgroups && run.inputSets == run.allInputSets;
    if (row(p).differences.empty() || !hasRunAll || !seen.reason.empty() ||
        !seen.rounding.empty() || !seen.differences.empty() || !seen.findings.empty())
      return;
    report_.notes.push_back(
        fmt::format("on the interpreter {} and {} leave the same: the device may round otherwise, "
                    "or its driver be at fault",
                    report_.originalName, row(p).name));
  }

  // A difference on the device says nothing where the original may do this or that.
  void excuse() {
    const RunFinding* found = nullptr;
    for (const RunFinding& finding : report_.findings)
      if (finding.decides && (!found || (isUnpredictable(finding) && !isUnpredictable(*found))))
        found = &finding;
    if (!found) return;
    const bool isExcuse = isUnpredictable(*found) || contents_.isGenerated();
    const std::string& why = found->text;
    if (!isOriginalSound_ && report_.state == VerifyState::OriginalUnsound)
      report_.reason += "; the interpreter found: " + why;
    for (size_t p = 1; p < programs_.size(); ++p) {
      if (row(p).state != VerifyState::Differs || row(p).differences.empty() || hasOwnFault(row(p)))
        continue;
      if (!isExcuse) {
        row(p).reason += "; the original itself misbehaves, which may be why: " + why;
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

  // A fault of the original goes before what it leaves, and before what another program leaves.
  void requireSoundness() {
    const bool isDifferent = report_.state == VerifyState::Differs;
    const bool isEqual = isAgreement(report_.state);
    if (!options_.requiresSound || (!isEqual && !isDifferent)) return;
    const auto fault = std::ranges::find_if(report_.findings, &RunFinding::decides);
    if (fault == report_.findings.end()) {
      const bool isChecked =
          runner_.device().isInterpreter || (report_.interpreter && report_.interpreter->hasRun);
      if (isEqual && !isChecked)
        unverify("soundness is unknown without the interpreter" +
                 (report_.interpreter ? ": " + report_.interpreter->reason : ""));
      return;
    }
    std::string reason = fault->text;
    if (fault->dependsOnInputs && contents_.isGenerated())
      reason += " (its inputs are generated, which may be why)";
    if (isDifferent) reason += "; that may be why outputs differ: " + report_.reason;
    report_.state = VerifyState::OriginalUnsound;
    report_.reason = std::move(reason);
  }

  void requireCoverage() {
    if (!options_.requiresCoverage || !report_.isVerified()) return;
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
    const std::vector<BufferInput> inputs = contents_.inputsOf(timed, Poison::Positive);
    std::vector<uint32_t> restored = contents_.restored();
    std::erase_if(restored, [&](uint32_t buffer) { return inputs[buffer].isLeftOut(); });
    RunStatus failed = runner_.beginTiming(inputs, restored);
    if (!failed) failed = sampleAll(timed, samples);
    if (failed) {
      report_.notes.push_back(fmt::format("not timed: {}", failed->message));
      return;
    }
    report_.timingMethod = runner_.device().hasTimestamps ? "GPU timestamps" : "host time";
    for (size_t p : timed) {
      if (p == 0 || samples[p].empty()) continue;
      row(p).timing = timingOf(samples[0], samples[p]);
      if (programs_[p].submitEvery != 0)
        report_.notes.push_back(fmt::format(
            "{}: host time, from its first submission to the end of its last wait", row(p).name));
    }
  }

  // What ran when in one more run. What one queue takes, the program of that kind has shown.
  void traceQueues() {
    if (!programs_[0].queues || runner_.device().isInterpreter || !slots_[0] || !options_.timing ||
        !isOriginalSound_ || !runner_.isUsable())
      return;
    contents_.fill(contents_.inputSets()[0]);
    QueueTrace trace;
    Outputs unused;
    RunStatus failed = runner_.run(*slots_[0], contents_.inputs(Poison::Positive), {}, unused);
    if (!failed) failed = runner_.trace(*slots_[0], trace);
    if (failed) {
      report_.notes.push_back(fmt::format("queues not timed: {}", failed->message));
      return;
    }
    report_.queues = queueTimingOf(*programs_[0].queues, trace);
    for (size_t p = 1; p < programs_.size(); ++p)
      if (!programs_[p].queues && row(p).timing)
        report_.queues->oneQueue = row(p).timing->transformedMedian;
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
      const double ofRound = perRound * repetitions; // microseconds
      report_.notes.push_back(fmt::format("timed {} rounds instead of {}: one takes {}", rounds,
                                          options_.repeats,
                                          ofRound < 1e5 ? fmt::format("{:.1f} ms", ofRound / 1e3)
                                                        : fmt::format("{:.1f} s", ofRound / 1e6)));
    }
    report_.repetitions = repetitions;
    for (size_t p : timed) { // the command buffers are recorded anew for this many repetitions
      if (repetitions == 1) break;
      if (RunStatus failed = runner_.time(slots_[p].value(), repetitions, microseconds))
        return failed;
    }
    if (options_.schedule) return sampleBySchedule(timed, repetitions, samples);
    std::vector<size_t> order = timed;
    for (uint32_t round = 0; round < rounds; ++round) {
      ProgressLine::tell(ProgressLine::Level::Detail,
                         fmt::format("timing: round {} of {}", round + 1, rounds));
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

  RunStatus sampleBySchedule(const std::vector<size_t>& timed, uint32_t repetitions,
                             std::vector<std::vector<double>>& samples) {
    double microseconds = 0;
    for (uint32_t round = 1;; ++round) {
      const std::vector<size_t> order = options_.schedule->next(timed);
      if (order.empty()) return {};
      ProgressLine::tell(
          ProgressLine::Level::Detail,
          fmt::format("timing: round {}, {} of {} programs", round, order.size(), timed.size()));
      for (size_t p : order) {
        if (RunStatus failed = runner_.time(slots_[p].value(), repetitions, microseconds))
          return failed;
        samples[p].push_back(microseconds);
        options_.schedule->add(p, microseconds);
      }
    }
  }

  // Also finds out how long the original and a whole round take.
  RunStatus warmUp(const std::vector<size_t>& timed, double& original, double& perRound) {
    double spent = 0, microseconds = 0;
    const double goal = runner_.device().isCpu ? 0 : options_.warmupSeconds * 1e6;
    constexpr uint32_t kMaxWarmups = 10000;
    for (uint32_t i = 0; i < kMaxWarmups; ++i) {
      if (i >= std::max(options_.warmups, 1u) && spent >= goal) break;
      if (i >= 1 && spent >= std::max(goal, kEnoughWarmupMicroseconds)) break;
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
    for (size_t i = 0; i < std::min(original.size(), other.size()); ++i)
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
    // So does what the interpreter has compared, where the device lacks what the original asks for.
    const bool isComparable = isOriginalSound_ || (isBeyondDevice_ && isSeenToDiffer_);
    auto counts = [&](const VariantReport& variant) {
      return variant.state == VerifyState::Differs && (isComparable || hasOwnFault(variant));
    };
    for (const VariantReport& variant : report_.variants)
      if (counts(variant) && !counts(*decided)) decided = &variant;
    if (!isOriginalSound_ && !counts(*decided)) {
      for (VariantReport& variant : report_.variants) variant.state = VerifyState::NotRun;
      return;
    }
    if (contents_.isOrderDependent()) nameOrderDependence();
    report_.state = decided->state;
    report_.reason = decided->reason;
    if (decided->state == VerifyState::Differs && report_.variants.size() > 1)
      report_.reason = fmt::format("{}: {}", decided->name, decided->reason);
    report_.differences = decided->differences;
    report_.timing = decided->timing;
    report_.transformedStatistics = decided->statistics;
    if (!late.empty() && isAgreement(report_.state)) {
      report_.state = VerifyState::OriginalUnsound;
      report_.reason = fmt::format("the validation layer reports errors: {}", late[0]);
    }
  }

  // Programs agree on nothing as well.
  void requireComparison() {
    if (report_.state != VerifyState::Equal) return;
    const std::string why = whyNothingCompared();
    if (why.empty()) return;
    unverify("nothing was compared: " + why);
  }

  // Mesa 22.3's llvmpipe leaves the loops of an invocation after a number of iterations in all,
  // Mesa 25.0's does not; what lies between is taken to.
  static bool cutsLoops(const DeviceInfo& device) {
    constexpr std::string_view kMesa = "Mesa ";
    const size_t at = device.driver.find(kMesa);
    if (!device.name.starts_with("llvmpipe") || at == std::string::npos) return false;
    unsigned version = 0;
    std::from_chars(device.driver.data() + at + kMesa.size(),
                    device.driver.data() + device.driver.size(), version);
    return version < 25;
  }

  // What takes more may agree for having been cut short. The interpreter compares what they come
  // to.
  void requireWholeLoops() {
    const bool isCut =
        cutsLoops(runner_.device()) && std::ranges::any_of(programs_, [](const Program& program) {
          return std::ranges::any_of(program.shaders, hasLoops);
        });
    const InterpreterReport* seen = report_.interpreter ? &*report_.interpreter : nullptr;
    if (!isCut || (seen && seen->hasRun && !seen->isTooLong)) return;
    const std::string limit =
        "this llvmpipe ends the loops of an invocation after 65535 iterations";
    if (report_.state == VerifyState::Differs && seen)
      report_.notes.push_back(limit + ", which may be why outputs differ");
    if (!report_.isVerified()) return;
    if (!seen || !seen->isTooLong) {
      report_.notes.push_back(limit + ", and nothing has shown that none takes more");
      return;
    }
    unverify(limit + ", and on the interpreter they did not end in time; choose smaller inputs, a "
                     "larger --interpreter-budget, or another device");
  }

  static bool hasLoops(const ProgramShader& shader) {
    const Words& words = shader.words;
    for (size_t at = Module::kHeaderWords; at < words.size() && words[at] >> 16 != 0;
         at += words[at] >> 16)
      if (spv::Op(words[at] & 0xFFFF) == spv::Op::OpLoopMerge) return true;
    return false;
  }

  // What seemed equal is not for this reason.
  void unverify(std::string reason) {
    report_.state = VerifyState::NotRun;
    report_.reason = std::move(reason);
    for (VariantReport& variant : report_.variants) {
      if (!variant.isCompared || !isAgreement(variant.state)) continue;
      variant.state = VerifyState::NotRun;
      variant.reason = report_.reason;
    }
  }

  // Empty where something was.
  std::string whyNothingCompared() const {
    const auto isCompared = [](const VariantReport& variant) { return variant.isCompared; };
    if (std::none_of(report_.variants.begin(), report_.variants.end(), isCompared))
      return "`compare = false` stands in each [[variant]]; take it out where outputs must agree";
    const auto isLeftOut = [](const ScenarioBuffer& buffer) {
      return std::holds_alternative<CompareNone>(buffer.compare);
    };
    if (report_.compared.empty())
      return std::ranges::any_of(scenario_.buffers, isLeftOut)
                 ? "all that shaders write has `compare = \"none\"`; give a buffer another rule"
                 : "no shader writes a buffer or an image";
    if (report_.coverage &&
        std::none_of(report_.coverage->shaders.begin(), report_.coverage->shaders.end(),
                     [](const ShaderCoverage& s) { return s.ran != 0; }))
      return "no workgroup was dispatched; give `indirect` buffers counts above 0";
    return {};
  }

  // What agrees does so without what depends on the order.
  void nameOrderDependence() {
    report_.orderDependences = contents_.orderDependences();
    std::vector<std::string> ignored;
    bool arePlural = false;
    for (const OrderDependence& one : report_.orderDependences)
      if (one.leavesOut()) {
        const bool isPart = one.rule == OrderRule::Parts;
        ignored.push_back(fmt::format("{}`{}`", isPart ? "parts of " : "", one.buffer));
        report_.comparedBytes -= bytesLeftOut(one, *scenario_.findBuffer(one.buffer));
        arePlural |= isPart;
      }
    arePlural |= ignored.size() > 1;
    for (VariantReport& variant : report_.variants) {
      if (variant.state != VerifyState::Equal || !variant.isCompared) continue;
      variant.state = VerifyState::OrderDependent;
      if (!ignored.empty())
        variant.reason =
            fmt::format("{} depend{} on the order of invocations and {} not compared",
                        fmt::join(ignored, ", "), arePlural ? "" : "s", arePlural ? "were" : "was");
    }
  }

  Runner& runner_;
  const VerifyOptions& options_;
  const Scenario& scenario_; ///< as marshalled
  const Scenario& given_;
  std::span<const ProgramVariant> variants_;
  std::vector<Program> programs_;
  VerifyReport& report_;
  RunCaches caches_;
  ScenarioContents contents_;
  bool isOriginalSound_ = true;
  bool mayDependOnOrder_ = false; ///< by atomics, as far as the interpreter sees no fault
  bool isBeyondDevice_ = false;   ///< the original asks for more than the device has
  bool isSeenToDiffer_ = false;   ///< on the interpreter, beside a sound original
  std::optional<Scenario> soundInputs_;
  std::vector<std::optional<uint32_t>> slots_; ///< by program: the Runner's number for it
  std::vector<bool> isSettled_;                ///< by program: Differs or NotRun for good
  std::vector<Exercised> exercised_;           ///< by program
};

RunnerOptions runnerOptionsOf(const VerifyOptions& options, bool robustAccess,
                              bool hasQueues = false) {
  return {options.device,
          options.validationLayer,
          robustAccess,
          options.timeoutSeconds,
          options.interpreter.subgroupSize,
          false,
          hasQueues};
}

class DispatchVerifier final : public Verifier {
public:
  DispatchVerifier(VerifyOptions options, DeviceHost host, DeviceInfo info)
      : options_(std::move(options)), host_(std::move(host)), info_(std::move(info)) {}

  VerifyOptions& options() override { return options_; }
  std::string deviceName() const override { return info_.name; }
  // Made-up inputs may index out of range: that must not take the device down.
  Status open(const Scenario& scenario) override {
    return open(scenario.path.empty(), scenario.queues.has_value());
  }

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
    std::optional<Scenario> others;
    Result<VerifyReport> first = verifyWith(scenario, variants, &others);
    if (!first || !others) return first;
    Result<VerifyReport> second = verifyWith(*others, variants, nullptr);
    const bool isVerdict = second && second->state != VerifyState::OriginalUnsound &&
                           second->state != VerifyState::NotRun;
    if (!isVerdict) return verifyWith(scenario, variants, nullptr);
    second->notes.insert(second->notes.end(), first->notes.begin(), first->notes.end());
    return second;
  }

private:
  /// Null `others`: with this scenario and no other. Otherwise, where `others` is given inputs,
  /// they are to be used instead, and all that the report has is why.
  Result<VerifyReport> verifyWith(const Scenario& scenario,
                                  std::span<const ProgramVariant> variants,
                                  std::optional<Scenario>* others) {
    VerifyReport report;
    auto wrong = [&](Error error) {
      if (!scenario.path.empty()) error.message = scenario.path + ": " + error.message;
      return error;
    };
    Result<Marshalling> marshalling = marshal(scenario, variants);
    if (!marshalling) return wrong(marshalling.error());
    report.notes = marshalling->notes;
    ReflectionCache reflections;
    Result<std::vector<Program>> fitted =
        bindPrograms(*marshalling, variants, report.notes, reflections);
    if (!fitted) return wrong(failure(describeMisfit(scenario, variants, fitted.error().message)));
    if (Status agrees = checkStated(marshalling->scenario, fitted->front()); !agrees) {
      if (!scenario.path.empty()) return wrong(agrees.error());
      report.reason = agrees.error().message;
      return report;
    }
    for (std::string& note : explainUnchecked(marshalling->scenario, fitted->front()))
      report.notes.push_back(std::move(note));
    const auto interfaces = compareInterfaces(*fitted, variants);
    std::vector<Program> programs = std::move(*fitted);
    report.dispatches = uint32_t(programs[0].dispatches.size()) * programs[0].repeat;
    ProgressLine::tell(ProgressLine::Level::Detail, "running on " + info_.name);
    Status opened = open(scenario);
    if (!opened) return opened.error();
    report.device = info_.name;
    report.driverInfo = info_.isInterpreter
                            ? info_.driver
                            : fmt::format("{}, Vulkan {}", info_.driver, info_.apiVersion);
    report.isCpuDevice = info_.isCpu;
    Session session(*runner_, options_, *marshalling, scenario, variants, std::move(programs),
                    report);
    Status done = session.run(others != nullptr);
    if (!done) return done.error();
    if (others) *others = session.soundInputs();
    tell(interfaces, report);
    return report;
  }

  Status open(bool robustAccess, bool hasQueues) {
    if (runner_ && runner_->isUsable() && isRobust_ == robustAccess && hasQueues_ == hasQueues)
      return ok();
    runner_.reset();
    Result<std::unique_ptr<Runner>> runner =
        host_.open(runnerOptionsOf(options_, robustAccess, hasQueues));
    if (!runner) return runner.error();
    runner_ = std::move(*runner);
    isRobust_ = robustAccess;
    hasQueues_ = hasQueues;
    return ok();
  }

  VerifyOptions options_;
  DeviceHost host_;
  DeviceInfo info_;
  std::unique_ptr<Runner> runner_;
  bool isRobust_ = false, hasQueues_ = false;
};

} // namespace

Result<std::unique_ptr<Verifier>> Verifier::create(const VerifyOptions& options) {
  DeviceHost host;
  Result<DeviceInfo> info = host.probe(runnerOptionsOf(options, false));
  if (!info) return info.error();
  return std::unique_ptr<Verifier>(
      std::make_unique<DispatchVerifier>(options, std::move(host), std::move(*info)));
}

bool VerifyReport::isVerified() const {
  return state == VerifyState::Equal ||
         (state == VerifyState::OrderDependent &&
          std::none_of(orderDependences.begin(), orderDependences.end(),
                       [](const OrderDependence& one) { return one.leavesOut(); }));
}

} // namespace lanewise::driver
