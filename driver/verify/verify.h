// Verification by dispatch: run the original and the transformed modules on the same inputs,
// compare what they wrote, and time them side by side. This header is what the rest of the driver
// sees; Vulkan stays behind it.
#pragma once

#include "analysis/assumptions.h"
#include "analysis/buffer_layout.h"
#include "remarks.h"
#include "result.h"
#include "verify/coverage.h"
#include "verify/scenario.h"

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

using Words = std::vector<uint32_t>;

/// What of a verification the interpreter does.
struct InterpreterOptions {
  bool isSecondWitness = true; ///< beside a Vulkan device
  double budgetSeconds = 3;    ///< as second witness, of a nominal core (witness.h); above 0
  uint32_t subgroupSize = 32;  ///< 4 to 128, a power of two
};

/// Device names as `--device` takes them: "" (a GPU if present, else a CPU device), "cpu",
/// "interpreter", or an index of `lanewise devices`.
struct VerifyOptions {
  std::string device;
  bool validationLayer =
      false;          ///< `--validation-layer`: switch the Khronos layer on and fail on its errors
  bool timing = true; ///< measure; off where only equality is asked for
  uint32_t warmups = 3;
  uint32_t repeats = 20; ///< pairs of timed runs
  uint64_t seed = 1;
  double timeoutSeconds = 60; ///< for one submission; a program that takes longer counts as hung
  /// Equal outputs count only where the interpreter has exercised all code of all programs.
  bool requiresCoverage = false;
  InterpreterOptions interpreter;
};

/// A shader of the scenario in its two forms. When both are the same module it takes part
/// unchanged.
struct ShaderPair {
  std::string name; ///< the scenario's name for it, or the entry point without a scenario
  Words original, transformed;
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

/// An element that differs, and where in it the first scalar is that does.
struct DifferingElement {
  uint64_t index = 0;
  uint32_t offset = 0, bytes = 0;
};

/// The instruction that was the last to store to an element, and the invocation that ran it.
struct ElementWriter {
  std::string shader;
  SourceLocation source;                  ///< line 0 where the module has no lines
  std::string opcode;                     ///< "OpStore"
  uint32_t id = 0;                        ///< in a listing: its pointer or result; 0 if it has none
  uint32_t workgroup = 0, invocation = 0; ///< linear; of the first element that it wrote
  uint64_t elements = 0;                  ///< of those that differ, how many it wrote
};

/// What the interpreter saw of one program that wrote to elements that differ.
struct ElementWriters {
  std::optional<ElementWriter> first; ///< of the first of them; null: nobody wrote it
  std::vector<ElementWriter> others; ///< other instructions that wrote some, those of most in front
};

/// The first differing element and how many there are, for one buffer.
struct BufferDifference {
  std::string buffer;
  uint64_t elements = 0, differing = 0;
  uint64_t firstIndex = 0;
  std::string original, transformed; ///< the first differing values as text
  std::string detail;                ///< one sentence: which comparison failed, by how much
  bool isImage = false;              ///< elements are texels; `detail` says where the first one is
  /// All that differ, ascending, until verify/writers.h has looked at them. Empty where there are
  /// too many, where elements have no place (a multiset), or where none is to blame.
  std::vector<DifferingElement> listed = {};
  /// What all of them have in common, in words: what they hold, and where they are. Empty: nothing
  /// that says something.
  std::string values = {}, pattern = {};
  std::optional<ElementWriters> originalWriters = {}, transformedWriters = {};
  std::string writersUnknown = {}; ///< why these are not known, where that can be mended
};

/// One line without its end: "buffer `out`, element 3: 1 against 2 (bitwise; 1 of 64 elements)".
std::string describe(const BufferDifference& difference);
/// One line without its end: "a.comp:7 (OpStore), invocation 3 of workgroup 0".
std::string describe(const ElementWriter& writer);
/// What that leaves out, as far as it is known, one line each: the pattern of all that differ, and
/// who wrote the first in the original and in the other program, by their names.
std::vector<std::string> detailsOf(const BufferDifference& difference, std::string_view original,
                                   std::string_view transformed);
/// What all that differ have in common, in words; empty: nothing that says something.
std::string patternOf(const BufferDifference& difference);

/// A buffer or an image that is compared.
struct ComparedResource {
  std::string name, type; ///< type: that of an element, such as "u32x2"; of an image its texel's
  uint64_t elements = 0, bytes = 0;
  std::string rule; ///< by which it is compared: "bitwise", "4 ulps"
  bool isImage = false;
};

/// Which memory an access goes to, where modules have no names.
struct MemoryPlace {
  enum class Kind : uint8_t { Other, Workgroup, Buffer };
  Kind kind = Kind::Other;
  uint32_t set = 0, binding = 0; ///< of a buffer, in the module itself
  /// The scenario's buffers that are bound there, or a storage class: "buffer 2", "Workgroup".
  /// Empty: not known.
  std::string resource;
  uint64_t layout = 0; ///< a hash of the resource's type: members of one layout can be compared
  /// Indices of struct members, "0.2.": all that begins with it is accessed. Null: not known.
  std::optional<std::string> member;
};

/// An access beyond the end of a buffer of the scenario.
struct RangeMiss {
  uint32_t buffer = 0; ///< of the scenario
  /// In bytes from its begin; below 0 for an index that was. `furthest`: over all invocations.
  int64_t offset = 0, furthest = 0;
  uint32_t bytes = 0; ///< that are accessed
  bool isWrite = false;
};

/// Something that a program must not do, seen by a device that watches for it (the interpreter).
struct RunFinding {
  std::string kind; ///< for programs: "race-read-write", "out-of-range", ...
  std::string text; ///< one line: kind, variable, invocations, source lines
  std::string shader;
  std::string place; ///< what tells two findings of a kind apart: shader, lines, variable
  std::string file, variable;
  MemoryPlace memory; ///< that the access goes to
  uint32_t line = 0;
  /// The other access of a race; where an undefined value comes from. Line 0: nothing is known.
  std::string otherFile;
  uint32_t otherLine = 0;
  bool decides = true;          ///< false: formally wrong and harmless
  bool dependsOnInputs = false; ///< may be due to what the buffers held, where that was made up
  bool isAfterPart = false;     ///< seen after only a part of an earlier dispatch had run
  std::optional<RangeMiss> miss = {};
};

/// A buffer whose `count` in the scenario does not hold what the original accesses.
struct ShortBuffer {
  std::string buffer, scenario; ///< names
  uint64_t count = 0;
  int64_t element = 0;                ///< that is accessed; below 0 for an index that is
  std::optional<uint64_t> leastCount; ///< that holds all accesses; null where no count does
  bool isWrite = false;
  RunFinding finding;
};

/// One line without its end: which buffer, element and line, and how to mend it.
std::string describe(const ShortBuffer& shortBuffer);

/// What the interpreter had to say as the second witness.
struct InterpreterReport {
  bool hasRun = false;
  std::string reason; ///< why it has not: an instruction that it does not know, too much to run
  /// Of one repetition of the original's sequence: how many run, of how many.
  uint64_t workgroups = 0, allWorkgroups = 0;
  uint32_t repeats = 0, allRepeats = 0;
  std::vector<std::string> orders;          ///< of invocations, over all input sets
  uint32_t inputSets = 0, allInputSets = 0; ///< of made-up inputs some may be left out
  uint32_t subgroupSize = 0;
  uint64_t instructions = 0; ///< of its own code, over all runs
  bool comparesOutputs() const { return hasRun && !isUnsound; }
  bool isUnsound = false; ///< a finding against the original whose outcome is anybody's guess
};

/// How outputs are compared that depend on the order in which invocations run: by the first of
/// these by which the original agrees with itself in all orders that were tried.
enum class OrderRule : uint8_t {
  InPlace,  ///< they do not: by the scenario's rule
  Multiset, ///< the same elements in any order
  Rounding, ///< floats up to what another order of their operations may do
  Ignored   ///< not compared
};
/// "compared as a multiset" and so on, as reports say it.
std::string_view nameOf(OrderRule rule);

/// An output of the original that depends on the order in which its invocations run.
struct OrderDependence {
  std::string buffer;
  OrderRule rule = OrderRule::Multiset;
  std::string example; ///< what two orders left, in one line
};

/// What was tried beside the first inputs (verify/rounds.h), where these were made up.
struct RoundsReport {
  std::vector<std::string> sound;   ///< what was tried, where the original is without fault with it
  uint32_t unsound = 0;             ///< others, which say nothing
  std::vector<std::string> dropped; ///< for what they would have cost
};

/// Timing in microseconds of the whole dispatch sequence.
struct TimingResult {
  double originalMedian = 0, originalMin = 0, originalMax = 0;
  double transformedMedian = 0, transformedMin = 0, transformedMax = 0;
  /// Median over pairs of transformed / original, and the bounds of its 95% confidence interval.
  double ratio = 1, ratioLow = 1, ratioHigh = 1;
  uint32_t pairs = 0;
  /// What the figures above are of, in the order of the rounds: entry n of both is one pair.
  std::vector<double> originalSamples = {}, transformedSamples = {};
  bool isFaster() const { return ratioHigh < 1; }
  bool isSlower() const { return ratioLow > 1; }
};

/// A whole program: a module for each of the scenario's shaders that its dispatches name.
struct ProgramVariant {
  std::string name;                     ///< its row in the report
  std::map<std::string, Words> modules; ///< by the scenario's name of the shader
  /// Empty: the scenario's dispatches. A rival may have dispatches of its own.
  std::vector<ScenarioDispatch> dispatches;
  bool compare = true; ///< false: only timed, such as a copy of the same bytes
  /// How its modules see buffers that the scenario lays out otherwise; empty: as the scenario does.
  /// Inputs are packed and outputs unpacked, so that what is compared is what the host sees.
  LayoutManifest layouts = {};
  /// Above 0: the host waits for the device after so many dispatches, and what is timed is the
  /// host's time. 0: all is recorded at once.
  uint32_t submitEvery = 0;
};

/// What the driver tells of one pipeline (VK_KHR_pipeline_executable_properties): name -> value as
/// text.
using PipelineStatistics = std::vector<std::pair<std::string, std::string>>;

/// One program beside the original.
struct VariantReport {
  std::string name;
  bool isCompared = true;
  VerifyState state = VerifyState::NotRun;
  std::string reason;
  std::vector<BufferDifference> differences;
  std::vector<RunFinding> findings;              ///< that the original does not have
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
  bool areInputsMadeUp = false;   ///< for want of a scenario
  std::vector<std::string> notes; ///< what was assumed or could not be synthesized, one line each
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
  std::string timingMethod;            ///< "GPU timestamps", "host time"; empty without timing
  uint32_t repetitions = 0;            ///< of the sequence in one timed sample
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

/// How large a made-up scenario is.
struct SynthesisLimits {
  uint32_t groups = 4; ///< workgroups in a direction, as far as these have more than one
  /// The largest integer handed out as a size or a count, unless a row of a workgroup is longer.
  /// Runtime arrays have its square of elements at least.
  uint32_t integer = 256;
  /// What the interpreter can afford. Two workgroups are enough to see that they race.
  static SynthesisLimits forInterpreter() { return {2, 64}; }
};

/// A scenario made up from what the modules declare, for when there is none
/// (verify/synthesize.cpp): buffer sizes, inputs and one dispatch. What could not be made up is an
/// Error with the reason.
Result<Scenario> synthesizeScenario(std::span<const ShaderPair> shaders,
                                    const Assumptions& assumptions, uint64_t seed,
                                    std::vector<std::string>& notes,
                                    const SynthesisLimits& limits = {});

/// Text for people and JSON for programs.
std::string formatReport(const VerifyReport& report);
std::string reportToJson(const VerifyReport& report);

} // namespace lanewise::driver
