// Verification by dispatch: run the original and the transformed modules on the same inputs,
// compare what they wrote, and time them side by side. This header is what the rest of the driver
// sees; Vulkan stays behind it.
#pragma once

#include "lanewise/assumptions.h"
#include "lanewise/buffer_layout.h"
#include "lanewise/remarks.h"
#include "lanewise/result.h"
#include "lanewise/target_profile.h"
#include "verify/compare/compare.h"
#include "verify/compare/difference.h"
#include "verify/compare/order_rules.h"
#include "verify/compare/run_findings.h"
#include "verify/compare/short_buffers.h"
#include "verify/compare/timing_statistics.h"
#include "verify/coverage.h"
#include "verify/program/program.h"
#include "verify/program/runner.h"
#include "verify/queue_timing.h"
#include "verify/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// What of a verification the interpreter does.
struct InterpreterOptions {
  bool checksBesideDevice = true; ///< beside a Vulkan device
  double budgetSeconds =
      3; ///< as the interpreter check, of a nominal core (interpreter_check.h); above 0
  uint32_t subgroupSize = kDefaultSubgroupSize; ///< 4 to 128, a power of two
};

/// Decides who still takes part, for want of time or because there is nothing more to learn.
/// `program` is its number, 0 the original, whom nobody refuses.
class TimingSchedule {
public:
  virtual ~TimingSchedule() = default;
  /// Whether there is time to compile a further program, and then to run, compare and time it. One
  /// that is refused is NotRun. Asked in the order of programs, of the original as well.
  virtual bool mayCompile(size_t /*program*/) { return true; }
  virtual bool mayCompare(size_t /*program*/) { return true; }
  /// What its run took for that, without what inputs and outputs took.
  virtual void noteRun(double /*seconds*/) {}
  /// The programs of the next round, of those that agree (`equal`, ascending, with the original);
  /// none: the timing is over. The original is in each round.
  virtual std::vector<size_t> next(const std::vector<size_t>& equal) = 0;
  /// What a program took in it, in microseconds.
  virtual void add(size_t program, double microseconds) = 0;
};

/// Device names as `--device` takes them: "" (a GPU if present, else a CPU device), "cpu",
/// "interpreter", or an index of `lanewise devices`.
struct VerifyOptions {
  std::string device;
  bool validationLayer =
      false;          ///< `--validation-layer`: switch the Khronos layer on and fail on its errors
  bool timing = true; ///< measure; off where only equality is asked for
  uint32_t warmups = 3;               ///< at least, of each program
  double warmupSeconds = 0.8;         ///< of all together: an idle GPU raises its clocks slowly
  uint32_t repeats = 20;              ///< pairs of timed runs
  TimingSchedule* schedule = nullptr; ///< instead of `repeats`; must outlive the verification
  uint64_t seed = 1;
  double timeoutSeconds = 60; ///< for one submission; a program that takes longer counts as hung
  /// Equal outputs count only where the interpreter has exercised all code of all programs.
  bool requiresCoverage = false;
  /// Only where the interpreter has run the original, and found no fault of its own.
  bool requiresSound = false;
  InterpreterOptions interpreter;
  /// Why an earlier verification could not run the same original with the same first inputs on the
  /// interpreter in time (InterpreterReport::reason), which is not tried again.
  std::string tooLong;
};

enum class VerifyState {
  Equal,   ///< outputs agree
  Differs, ///< outputs differ: the transformed module is wrong (or the comparison too strict)
  /// What the original leaves depends on the order in which its invocations run, which nothing
  /// fixes and no race decides: what does not depend on it agrees.
  OrderDependent,
  OriginalUnsound, ///< the original does not agree with itself (race, uninitialized read): nobody
                   ///< is blamed
  NotRun           ///< could not be dispatched or synthesized: `reason` says why
};

/// What the interpreter had to say as the interpreter check.
struct InterpreterReport {
  bool hasRun = false;
  std::string reason;     ///< why it has not: an instruction that it does not know, too much to run
  bool isTooLong = false; ///< the original, or one of the others, did not come to its end in time
  /// Of one repetition of the original's sequence: how many run, of how many.
  uint64_t workgroups = 0, allWorkgroups = 0;
  uint32_t repeats = 0, allRepeats = 0;
  std::vector<std::string> orders;          ///< of invocations, over all input sets
  uint32_t inputSets = 0, allInputSets = 0; ///< of generated inputs some may be left out
  uint32_t subgroupSize = 0;
  uint64_t instructions = 0; ///< of its own code, over all runs
  bool comparesOutputs() const { return hasRun && !isUnsound; }
  bool isUnsound = false; ///< a finding against the original whose outcome is anybody's guess
  /// The original's invocations may hear of one another by atomics.
  bool hasAtomics = false;
};

/// What was tried beside the first inputs (verify/inputs/rounds.h), where these were generated.
struct RoundsReport {
  std::vector<std::string> sound; ///< what was tried, where the original is without fault with it
  uint32_t unsound = 0;           ///< others, which say nothing
  /// Of the original with one of those, and not with the first inputs; "" where none was seen.
  std::string firstFault;
  std::vector<std::string> dropped; ///< for what they would have cost
};

/// One program beside the original.
struct VariantReport {
  std::string name;
  bool isCompared = true;
  VerifyState state = VerifyState::NotRun;
  std::string reason;
  std::vector<BufferDifference> differences;
  std::vector<RunFinding> findings;              ///< that the original does not have
  bool isDecidedByFinding = false;               ///< Differs for what it does, whatever it wrote
  std::vector<std::string> interfaceDifferences; ///< from the original's, one line each
  std::optional<Coverage> coverage;   ///< none where the interpreter has not run it to the end
  std::optional<TimingResult> timing; ///< "transformed" is this program
  std::map<std::string, PipelineStatistics> statistics; ///< by shader
};

/// The state of the whole is Differs if any compared program differs, else that of the first one
/// beside the original; `reason`, `differences`, `timing` and `transformedStatistics` are those of
/// the program that decided.
struct VerifyReport {
  VerifyState state = VerifyState::NotRun;
  std::string reason; ///< for everything but Equal: one sentence
  std::string device, driverInfo;
  bool isCpuDevice = false;
  bool areInputsGenerated = false; ///< for want of a scenario
  std::vector<std::string> notes;  ///< what was assumed or could not be synthesized, one line each
  std::vector<BufferDifference> differences;
  std::vector<RunFinding> findings;      ///< of the original; those of the others are in `variants`
  std::vector<ShortBuffer> shortBuffers; ///< of the scenario, from `findings`
  std::optional<InterpreterReport> interpreter; ///< where it was asked beside the device
  std::optional<RoundsReport> rounds;
  std::optional<Coverage> coverage; ///< of the original, over all inputs in which it is sound
  uint64_t comparedBytes = 0;
  std::vector<ComparedResource> compared; ///< in the scenario's order
  /// With OrderDependent: those of them that are compared otherwise.
  std::vector<OrderDependence> orderDependences;
  uint32_t dispatches = 0; ///< in one run of the sequence
  std::optional<TimingResult> timing;
  std::map<std::string, PipelineStatistics> originalStatistics,
      transformedStatistics;           ///< by shader
  std::string originalName;            ///< row name of the original
  std::vector<VariantReport> variants; ///< the programs beside the original, in order
  std::optional<QueueTiming> queues;   ///< of the original, where it ran on queues of a device
  /// What nothing orders on the scenario's queues, one sentence: equal outputs were luck then.
  std::string hazards;
  std::string timingMethod; ///< "GPU timestamps", "host time"; empty without timing
  uint32_t repetitions = 0; ///< of the sequence in one timed sample
  std::vector<std::string> validationErrors; ///< any of them makes the state a finding

  /// Whether all outputs were compared and agree.
  bool isVerified() const;
};

/// Keeps a device open between verifications. Not thread-safe.
class Verifier {
public:
  /// Fails when no usable device is there (exit code 3).
  static Result<std::unique_ptr<Verifier>> create(const VerifyOptions& options);
  virtual ~Verifier() = default;
  virtual std::string deviceName() const = 0;
  /// What counts from the next verification on; the device stays the one that it was made for.
  virtual VerifyOptions& options() = 0;
  /// Opens the device for such a scenario, which a verification does where nobody did.
  virtual Status open(const Scenario& scenario) = 0;

  /// With a scenario: every shader that the scenario names must be among `shaders`. An error is bad
  /// input (a scenario that does not fit the shaders); everything else is told in the report.
  /// [[variant]]s of the scenario take no part.
  virtual Result<VerifyReport> verify(const Scenario& scenario,
                                      std::span<const ShaderPair> shaders) = 0;

  /// The same for any number of programs; the first is the original, and there must be one more at
  /// least. All are timed interleaved in one run.
  virtual Result<VerifyReport> verifyPrograms(const Scenario& scenario,
                                              std::span<const ProgramVariant> programs) = 0;
};

} // namespace lanewise::driver
