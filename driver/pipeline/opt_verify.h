// `opt --verify`: dispatches what the passes make beside the input of the command, and decides what
// stays (always by comparison with the input, so that small errors of several passes cannot add
// up).
#pragma once

#include "input/workload.h"
#include "lanewise/buffer_layout.h"
#include "pipeline/optimize_options.h"
#include "pipeline/pipeline.h"
#include "verify/scenario/scenario.h"
#include "verify/verify.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

/// How the result of one module stands at the end.
struct VerifySummary {
  bool isVerified = false;
  bool foundDifference = false; ///< some pass was taken back because outputs differed: exit code 2
  std::string reason;           ///< why it is not verified
  std::optional<VerifyReport>
      report; ///< of the module that is written; none when it equals the input
};

/// The scenario of a command, and the shader of it that is under optimization.
struct ScenarioFor {
  ScenarioShaders shaders;
  size_t index = 0;

  const Scenario& scenario() const { return shaders.scenario(); }
  const ScenarioShader& shader() const { return scenario().shaders[index]; }
  /// Whether another shader of the scenario is the same file with the same macros: then it is
  /// transformed with it.
  bool isUnderOptimization(const ScenarioShader& shader) const;
};
/// `input` is the file under optimization. The error is one line.
Result<ScenarioFor> readScenarioFor(const OptOptions& options, const std::string& input);

/// The passes that move what memory holds.
inline constexpr std::string_view kSharedLayoutPass = "pad-shared-memory",
                                  kBufferLayoutPass = "aos-to-soa";

/// An access of the original beyond its array, where a pass of this flag changed what stands there:
/// in Workgroup memory, all of which moves with any variable, or in a buffer of `layouts`. Null if
/// there is none. Nobody can compare the outputs of such a program; the pass must not stay.
const RunFinding* findMoved(const VerifyReport& report, std::string_view pass,
                            const LayoutManifest& layouts);
/// What is said of a pass that is undone for it.
Remark movedRemark(std::string_view pass, const RunFinding& found);

/// Whose passes stand between Lanewise's own, which are verified one by one: "canonical", also
/// where there are none, or "spirv-opt". Where both do, nobody knows who is to blame: "canonical
/// and spirv-opt".
std::string_view passesBetween(std::span<const PipelineStep> steps);

/// Verifies modules whose buffers have `layouts`: what is compared is what the host sees.
Result<VerifyReport> verifyLaidOut(Verifier& verifier, const Scenario& scenario,
                                   std::span<const ShaderPair> pairs,
                                   const LayoutManifest& layouts);

/// Verifies the modules of one input. The verifier stays open over all inputs of a command.
class OptVerification {
public:
  /// `input` are the words that the command started from. Loads the scenario's other shaders, or
  /// generates a scenario; a scenario that could not be generated leaves everything unverified. The
  /// error is one line.
  static Result<std::unique_ptr<OptVerification>>
  create(Verifier& verifier, const OptOptions& options, const ScenarioFor* scenario, Words input);

  /// For PipelineOptions::judge.
  Verdict judge(const PassInfo& pass, const Words& before, const Words& after,
                const LayoutManifest& layouts, Remark& remark);

  /// Verifies what the pipeline made. When it differs, `words` and `layouts` go back to the last
  /// module that was found equal, and a remark says so.
  Result<VerifySummary> finish(Words& words, LayoutManifest& layouts, Remarks& remarks);

private:
  OptVerification(Verifier& verifier, const OptOptions& options)
      : verifier_(verifier), options_(options) {}
  /// Runs two modules against each other. The buffers of `transformed` have `layouts`.
  Result<VerifyReport> compare(const Words& original, const Words& transformed,
                               const LayoutManifest& layouts);
  Verdict decide(const PassInfo& pass, const Words& before, const Words& after,
                 const LayoutManifest& layouts, Remark& remark);
  Verdict judgeSpeed(const PassInfo& pass, const Words& before, const Words& after,
                     const LayoutManifest& layouts, const VerifyReport& report, Remark& remark);

  Verifier& verifier_;
  const OptOptions& options_;
  Scenario scenario_;
  std::vector<ShaderPair> others_; ///< the scenario's shaders that take part unchanged
  std::vector<std::string> ours_;  ///< names of the shader under optimization
  std::vector<std::string> notes_; ///< what was generated
  std::string cannotRun_;          ///< why nothing can be verified
  std::string tooLong_;            ///< why the interpreter cannot check the input
  Words input_;
  Words lastEqual_;                        ///< the input, or the last module found equal to it
  LayoutManifest lastLayouts_;             ///< of lastEqual_
  LayoutManifest keptLayouts_;             ///< of the last module that was kept
  std::optional<VerifyReport> lastReport_; ///< of lastEqual_; none while it is the input
  bool foundDifference_ = false;
  std::optional<Error> badScenario_; ///< met while judging; finish() returns it
};

} // namespace lanewise::driver
