// The order of a verification: does the original agree with itself, do the others agree with it,
// and how long does each take.
#include "verify/verify.h"

#include "verify/compare.h"
#include "verify/failure.h"
#include "verify/fit.h"
#include "verify/runner.h"
#include "verify/scalars.h"
#include "verify/timing_statistics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace lanewise::driver {
namespace {

constexpr double kSampleMicroseconds = 200; // a timed sample lasts this long at least
constexpr uint32_t kMaxRepetitions = 256;   // of the sequence in one sample
// An idle GPU raises its clocks only after a while of steady work.
constexpr double kWarmupMicroseconds = 800e3;
constexpr double kTimingBudgetMicroseconds = 20e6;
constexpr uint32_t kLeastRounds = 6; // fewer give no 95% interval

// What the buffers start from in one comparison.
struct InputSet {
  uint64_t seed = 0;
  InputStyle style = InputStyle::Seeded;
  std::string name; ///< for findings, empty when there is only one
};

using Outputs = std::vector<std::vector<uint8_t>>;

// One verification.
class Session {
public:
  Session(Runner& runner, const VerifyOptions& options, const Scenario& scenario,
          std::vector<Program> programs, std::span<const ProgramVariant> variants,
          VerifyReport& report)
      : runner_(runner), options_(options), scenario_(scenario), programs_(std::move(programs)),
        report_(report) {
    report_.originalName = programs_[0].name;
    for (size_t p = 1; p < programs_.size(); ++p) {
      VariantReport row;
      row.name = programs_[p].name;
      row.isCompared = variants[p].compare;
      report_.variants.push_back(std::move(row));
    }
    collectBuffers();
  }

  Status run() {
    Status files = readFiles();
    if (!files) return files;
    if (prepare()) {
      for (const InputSet& inputs : inputSets())
        if (!compareAll(inputs)) break;
      if (isOriginalSound_ && runner_.isUsable() && options_.timing) {
        if (runner_.device().isInterpreter)
          report_.notes.push_back("not timed: the interpreter says nothing of speed");
        else
          timeAll();
      }
    }
    conclude();
    return ok();
  }

private:
  VariantReport& row(size_t program) { return report_.variants[program - 1]; }

  bool isPoisoned(size_t b) const {
    return std::holds_alternative<FillPoison>(scenario_.buffers[b].fill);
  }

  void collectBuffers() {
    std::vector<bool> isWritten(scenario_.buffers.size());
    for (const Program& program : programs_)
      for (const ProgramDispatch& dispatch : program.dispatches)
        for (const ProgramDispatch::Binding& bound : dispatch.bindings)
          if (!program.shaders[dispatch.shader]
                   .reflection.findBinding(bound.set, bound.binding)
                   ->isReadOnly)
            isWritten[bound.buffer] = true;
    for (uint32_t b = 0; b < scenario_.buffers.size(); ++b) {
      const ScenarioBuffer& buffer = scenario_.buffers[b];
      bool isCompared = isWritten[b] && !std::holds_alternative<CompareNone>(buffer.compare);
      if (isCompared) compared_.push_back(b), report_.comparedBytes += buffer.bytes();
      if (isPoisoned(b))
        hasPoison_ = true;
      else if (isWritten[b])
        restored_.push_back(b);
    }
  }

  Status readFiles() {
    files_.resize(scenario_.buffers.size());
    for (size_t b = 0; b < files_.size(); ++b) {
      const auto* fill = std::get_if<FillFile>(&scenario_.buffers[b].fill);
      if (!fill) continue;
      std::ifstream file(fill->path, std::ios::binary);
      files_[b].assign(std::istreambuf_iterator<char>(file), {});
      if (!file || files_[b].size() != scenario_.buffers[b].bytes())
        return failure(fmt::format("{}: buffer `{}` needs {} bytes, {} could be read", fill->path,
                                   scenario_.buffers[b].name, scenario_.buffers[b].bytes(),
                                   files_[b].size()));
    }
    return ok();
  }

  // A made-up scenario says little of what a shader expects, so several kinds of input are tried.
  std::vector<InputSet> inputSets() const {
    if (!scenario_.path.empty()) return {{options_.seed, InputStyle::Seeded, ""}};
    return {{options_.seed, InputStyle::Seeded, "first random inputs"},
            {options_.seed + 1, InputStyle::Seeded, "second random inputs"},
            {options_.seed + 2, InputStyle::Boundary, "boundary values"}};
  }

  // ----- preparation -----

  // False when nothing can be compared.
  bool prepare() {
    std::vector<ResourceShape> shapes;
    for (const ScenarioBuffer& buffer : scenario_.buffers)
      shapes.push_back({buffer.bytes(), buffer.image});
    if (RunStatus failed = runner_.makeResources(shapes)) return stopAtOriginal(*failed);
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
      bool isKnown = hasFinding(report_.findings, found);
      // Made-up inputs may well send a program where nobody else does.
      bool isExcused = !found.decides || (found.dependsOnInputs && scenario_.path.empty());
      if (!isExcused && isOriginalSound_) {
        report_.state = VerifyState::OriginalUnsound;
        report_.reason = found.text + suffixOf(set);
        isOriginalSound_ = false;
      }
      if (!isKnown) report_.findings.push_back(std::move(found));
    }
    return isOriginalSound_;
  }

  // What only program `p` does makes it wrong.
  void takeFindings(size_t p, const InputSet& set) {
    for (RunFinding& found : runner_.takeFindings()) {
      if (hasFinding(report_.findings, found) || hasFinding(row(p).findings, found)) continue;
      if (found.decides && row(p).isCompared && !isSettled(p))
        settle(p, VerifyState::Differs, found.text + suffixOf(set));
      row(p).findings.push_back(std::move(found));
    }
  }

  static bool hasFinding(const std::vector<RunFinding>& all, const RunFinding& one) {
    return std::any_of(all.begin(), all.end(), [&](const RunFinding& other) {
      return other.kind == one.kind && other.place == one.place;
    });
  }

  // ----- comparison -----

  void fillInputs(const InputSet& set) {
    bytes_.resize(scenario_.buffers.size());
    for (size_t b = 0; b < bytes_.size(); ++b)
      if (!isPoisoned(b))
        bytes_[b] =
            initialBytes(scenario_.buffers[b], set.seed, set.style, Poison::Positive, files_[b]);
  }

  std::vector<BufferInput> inputsFor(Poison poison) {
    std::vector<BufferInput> inputs(scenario_.buffers.size());
    for (size_t b = 0; b < inputs.size(); ++b) {
      const ScenarioBuffer& buffer = scenario_.buffers[b];
      if (isPoisoned(b) && buffer.header.empty()) {
        inputs[b].fill = poisonByte(poison);
        continue;
      }
      if (isPoisoned(b)) bytes_[b] = initialBytes(buffer, 0, InputStyle::Seeded, poison, {});
      inputs[b].bytes = bytes_[b];
    }
    return inputs;
  }

  RunStatus runProgram(size_t p, Poison poison, Outputs& outputs) {
    return runner_.run(slots_[p].value(), inputsFor(poison), compared_, outputs);
  }

  // All differences between two runs, buffer by buffer.
  std::vector<BufferDifference> differencesOf(const Outputs& a, Poison poisonA, const Outputs& b,
                                              Poison poisonB) const {
    std::vector<BufferDifference> all;
    for (uint32_t index : compared_) {
      BufferContents left{a[index], {}}, right{b[index], {}};
      if (isPoisoned(index)) left.poison = poisonByte(poisonA), right.poison = poisonByte(poisonB);
      if (auto difference = compareContents(scenario_.buffers[index], left, right))
        all.push_back(std::move(*difference));
    }
    return all;
  }

  // False when there is no point in going on.
  bool compareAll(const InputSet& set) {
    fillInputs(set);
    Outputs first, again, poisoned;
    if (!runOriginal(set, first, again, poisoned)) return false;
    for (size_t p = 1; p < programs_.size(); ++p) {
      if (isSettled(p)) continue;
      // One that is only timed runs all the same, so that a hang is known as its own.
      if (!compareProgram(p, set, first, poisoned)) return false;
    }
    return true;
  }

  bool runOriginal(const InputSet& set, Outputs& first, Outputs& again, Outputs& poisoned) {
    RunStatus failed = runProgram(0, Poison::Positive, first);
    if (!failed) failed = runProgram(0, Poison::Positive, again);
    if (!failed && hasPoison_) failed = runProgram(0, Poison::Negative, poisoned);
    if (failed) return (void)takeOriginalFindings(set), stopAtOriginal(*failed);
    if (takeValidationErrors(0) || !takeOriginalFindings(set)) return false;
    auto differences = differencesOf(first, Poison::Positive, again, Poison::Positive);
    if (!differences.empty())
      return stopUnsound(set,
                         runner_.device().isInterpreter
                             ? "the original depends on the order of its invocations"
                             : "two runs of the original on the same inputs disagree (a race?)",
                         std::move(differences));
    if (!hasPoison_) return true;
    differences = differencesOf(first, Poison::Positive, poisoned, Poison::Negative);
    if (!differences.empty())
      return stopUnsound(set,
                         "the original reads what it or nobody wrote: its outputs depend on the "
                         "contents of buffers that have no `init`",
                         std::move(differences));
    return true;
  }

  bool stopUnsound(const InputSet& set, std::string_view what,
                   std::vector<BufferDifference> differences) {
    report_.state = VerifyState::OriginalUnsound;
    report_.reason = fmt::format("{}: {}{}", what, describe(differences[0]), suffixOf(set));
    report_.differences = std::move(differences);
    isOriginalSound_ = false;
    return false;
  }

  static std::string suffixOf(const InputSet& set) {
    return set.name.empty() ? ""
                            : fmt::format(" (with {}, made up for want of a scenario)", set.name);
  }

  bool compareProgram(size_t p, const InputSet& set, const Outputs& first,
                      const Outputs& poisoned) {
    Outputs outputs;
    RunStatus failed = runProgram(p, Poison::Positive, outputs);
    std::vector<BufferDifference> differences;
    if (!failed && row(p).isCompared) {
      differences = differencesOf(first, Poison::Positive, outputs, Poison::Positive);
      if (differences.empty() && hasPoison_) {
        failed = runProgram(p, Poison::Negative, outputs);
        if (!failed)
          differences = differencesOf(poisoned, Poison::Negative, outputs, Poison::Negative);
      }
    }
    takeValidationErrors(p);
    takeFindings(p, set);
    if (failed && !isSettled(p))
      blame(p, *failed);
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

  // ----- timing -----

  void timeAll() {
    std::vector<size_t> timed{0};
    for (size_t p = 1; p < programs_.size(); ++p)
      if (row(p).state == VerifyState::Equal) timed.push_back(p);
    if (timed.size() == 1) return;
    fillInputs(inputSets()[0]);
    std::vector<std::vector<double>> samples(programs_.size());
    RunStatus failed = runner_.beginTiming(inputsFor(Poison::Positive), restored_);
    if (!failed) failed = sampleAll(timed, samples);
    if (failed) {
      report_.notes.push_back(fmt::format("not timed: {}", failed->message));
      return;
    }
    report_.timingMethod = runner_.device().hasTimestamps ? "GPU timestamps" : "host time";
    for (size_t p : timed)
      if (p != 0) row(p).timing = timingOf(samples[0], samples[p]);
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
            b.max,    ratio.median, ratio.low, ratio.high, uint32_t(ratios.size())};
  }

  // ----- conclusion -----

  void conclude() {
    std::vector<std::string> late = runner_.takeValidationErrors();
    report_.validationErrors.insert(report_.validationErrors.end(), late.begin(), late.end());
    if (!isOriginalSound_) {
      for (VariantReport& variant : report_.variants) variant.state = VerifyState::NotRun;
      return;
    }
    const VariantReport* decided = &report_.variants[0];
    for (const VariantReport& variant : report_.variants)
      if (variant.state == VerifyState::Differs && decided->state != VerifyState::Differs)
        decided = &variant;
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
  const Scenario& scenario_;
  std::vector<Program> programs_;
  VerifyReport& report_;
  std::vector<uint32_t> compared_, restored_; ///< buffers
  bool hasPoison_ = false, isOriginalSound_ = true;
  std::vector<std::vector<uint8_t>> files_, bytes_; ///< by buffer
  std::vector<std::optional<uint32_t>> slots_;      ///< by program: the Runner's number for it
  std::vector<bool> isSettled_;                     ///< by program: Differs or NotRun for good
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
    std::vector<Program> programs;
    for (const ProgramVariant& variant : variants) {
      // A rewrite may drop a binding or freeze a constant: only what was described for a program's
      // own dispatches is worth a note.
      bool isDescribed = programs.empty() || !variant.dispatches.empty();
      std::vector<std::string> unused;
      Result<Program> program = fitProgram(scenario, variant, isDescribed ? report.notes : unused);
      if (!program) {
        Error error = program.error();
        if (!scenario.path.empty()) error.message = scenario.path + ": " + error.message;
        return error;
      }
      programs.push_back(std::move(*program));
    }
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
        Session(*runner_, options_, scenario, std::move(programs), variants, report).run();
    if (!done) return done.error();
    if (!runner_->isUsable()) letGo();
    return report;
  }

private:
  Status open(bool robustAccess) {
    if (runner_ && isRobust_ == robustAccess) return ok();
    letGo();
    Result<std::unique_ptr<Runner>> runner = Runner::open(
        {options_.device, options_.validationLayer, robustAccess, options_.timeoutSeconds});
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
      Runner::probe({options.device, options.validationLayer, false, options.timeoutSeconds});
  if (!info) return info.error();
  return std::unique_ptr<Verifier>(std::make_unique<DispatchVerifier>(options, std::move(*info)));
}

} // namespace lanewise::driver
