// The pipeline of one module: spirv-opt's passes and ours in the order of the command line.
#pragma once

#include "lanewise/assumptions.h"
#include "lanewise/buffer_layout.h"
#include "lanewise/remarks.h"
#include "lanewise/result.h"
#include "lanewise/target_profile.h"
#include "pass_runner.h"
#include "spirv/validation.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise::driver {

struct PipelineStep {
  std::string flag;               ///< as typed or as -O lists it: "--scalar-replacement=100"
  const PassInfo* pass = nullptr; ///< ours; null for one of spirv-opt's
  std::string mode;               ///< value of one of ours
  /// Keep unused bindings and specialization constants: true for the steps of -O
  /// (docs/command-line.md).
  bool keepInterface = false;
  std::vector<const PassInfo*> onlyAfter = {}; ///< PassStep::onlyAfter, of one of ours

  /// Name as --print-after and the reports take it: "pad-shared-memory", "scalar-replacement",
  /// "Os".
  std::string_view name() const;
};

/// Whose passes bring a module into canonical form.
enum class Canonical : uint8_t {
  Lanewise, ///< `-O`
  SpirvOpt  ///< `-O=spirv-opt`
};
/// What `-O` stands for.
std::vector<PipelineStep> standardPipeline(Canonical whose = Canonical::Lanewise);
/// What `-Os` and `-Os=spirv-opt` stand for.
std::vector<PipelineStep> sizePipeline(Canonical whose = Canonical::Lanewise);

/// The step of one argument: a flag of ours, or one that the installed SPIRV-Tools accepts. Nothing
/// when it is neither; an Error when it is one of ours with a value that it does not take. `-O` and
/// `-Os` are no steps.
Result<std::optional<PipelineStep>> parseStep(const std::string& argument);
/// The same for `-O` and `-Os` as well, with or without `=spirv-opt`: none where it is neither.
Result<std::vector<PipelineStep>> parseSteps(const std::string& argument);
/// Puts the steps of one flag behind those of others. `-O` and --coarsen-invocations side by side,
/// in whichever order, become one, with that pass where it belongs (standardSteps()). Beside a pass
/// of ours that is not in -O, which takes kernels as a whole, -O inlines all. What -O has last for
/// compilers stays behind our passes that follow, which read values.
void appendSteps(std::vector<PipelineStep>& steps, std::vector<PipelineStep> more);

/// PASS:GLOB of --only and --skip.
struct SiteFilter {
  std::string pass, glob;
};
/// Shell-like: '*' for any run of characters, '?' for one, all else for itself.
bool matchesGlob(std::string_view glob, std::string_view text);

struct PipelineOptions;
/// Whether --only and --skip let `pass` rewrite `site`.
bool isSelected(const PipelineOptions& options, std::string_view pass, std::string_view site);
/// Whether --only, --skip and --bisect-limit let `pass` rewrite `site`, which is counted in
/// `rewrites` and told to the log where there is a limit.
bool maySite(const PipelineOptions& options, std::string_view pass, std::string_view site,
             int64_t& rewrites);

/// Runs spirv-opt flags; replaced in tests.
using SpirvOptRunner = std::function<Result<Words>(
    std::span<const uint32_t> words, std::span<const std::string> flags, const SpirvOptOptions&)>;
/// validateWords() of spirv/validation.h; replaced in tests.
using Validator = std::function<Result<Validated>(std::span<const uint32_t> words,
                                                  std::optional<spv_target_env>)>;
/// unknownToParser() of spirv/tools_grammar.h; replaced in tests.
using ToolsQuestion = std::function<Result<std::string>(const Module&)>;

/// What to do with the module that a pass of ours made.
enum class Verdict { Keep, Undo, InputDiffers };
/// Called after each pass of ours that changed something and passed validation. `before` is what
/// the pass started from. Undo takes the pass back; InputDiffers says that `before` itself is not
/// equal to the input, so the spirv-opt passes since the last good module are to blame: they are
/// dropped and the pass runs again. `remark` may be filled with the reason.
///
/// `layouts` says how `after` lays out its buffers anew, the host's side of it included in what is
/// compared; empty where they lie as in the input.
using PassJudge = std::function<Verdict(const PassInfo&, const Words& before, const Words& after,
                                        const LayoutManifest& layouts, Remark& remark)>;

/// Why the module must not be kept as it is `after`: it is dearer than `before`. Nothing where it
/// may.
using CostQuestion = std::function<std::optional<std::string>(
    const Words& before, const Words& after, const Assumptions&)>;

/// Of a rewrite that --only and --skip are asked about, by the name of its site.
using SiteListener = std::function<void(std::string_view pass, std::string_view site)>;

struct PipelineOptions {
  spv_target_env env = SPV_ENV_VULKAN_1_2; ///< that the module is valid in, or probably is
  bool isEnvGiven = false;                 ///< by the user: no other one will do
  /// Whether the input was validated. Otherwise one validation, of the output, is enough where it
  /// finds nothing; the input's follows where it does, to say whose fault it is.
  bool isInputValid = true;
  TargetProfile target;
  Assumptions assumptions;
  bool isRobust = false;       ///< PassContext::isRobust
  bool explainsMissed = true;  ///< PassContext::explainsMissed
  bool explainsApplied = true; ///< PassContext::explainsApplied
  std::vector<NarrowRequest> narrow;
  std::vector<SiteFilter> only, skip;
  SiteListener onSite; ///< may be empty
  int64_t bisectLimit =
      -1; ///< rewrites allowed over all passes; -1: no limit, and nothing is printed
  int64_t rewritesBefore = 0; ///< rewrites that count for the limit and were made elsewhere
  bool strict = false;
  bool preserveBindings = false,
       preserveSpecConstants = false; ///< for the steps outside -O as well
  bool validateAfterAll = false;
  bool printAll = false;
  std::vector<std::string> printBefore, printAfter; ///< pass names
  bool hasTimeReport = false;
  PassJudge judge; ///< empty: keep everything that is valid
  /// Asked of each rewrite of ours, before the judge; empty: nobody asks what it costs.
  CostQuestion whyDearer;
  /// LayoutExchange::decided
  const std::map<BindingNumber, BufferLayout>* programLayouts = nullptr;
  SpirvOptRunner runSpirvOpt;
  Validator validate;
  ToolsQuestion unknownToSpirvOpt; ///< empty: it knows all
  /// Where printing and bisecting go (standard error).
  std::ostream* log = nullptr;
};

struct StepTime {
  std::string what;
  double milliseconds = 0;
};

struct PipelineOutcome {
  Words words; ///< valid
  Remarks remarks;
  std::vector<StepTime> times; ///< with PipelineOptions::hasTimeReport
  /// Passes of ours that changed the module and stayed.
  uint32_t keptPasses = 0;
  bool ranSpirvOpt = false; ///< any of its passes
  /// How the host must lay out its buffers; empty: as before.
  LayoutManifest layouts;
  int64_t rewrites = 0; ///< counted for --bisect-limit, those before it included
};

/// The note that SPIRV-Tools could not validate a module (Validated::unknown).
Remark notValidatedRemark(const std::string& unknown);

/// Runs the steps over a module. Errors only when the input is not valid, with `strict` (a pass
/// crashed, wrote an invalid module, failed or was left out) or when text to print could not be
/// made. A module that has something beyond the grammar (ir/beyond_grammar.h) stays as it is, and
/// spirv-opt's steps are left out of one that it cannot read, each with a note.
///
/// Consecutive spirv-opt steps run as one isolated call. When it crashes, or when its result turns
/// out not to be valid, the steps are run again one at a time to find the culprits; those are
/// dropped, each with a remark. Of a validated input results are validated before a pass of ours
/// rewrites them, after it did, and at the end. Of another one the steps run without that first,
/// and are run again with it when something went wrong and the input is not to blame.
Result<PipelineOutcome> runPipeline(Module input, std::span<const PipelineStep> steps,
                                    const PipelineOptions& options);
/// The same of a module that nobody has read yet. An Error also where it cannot be read.
Result<PipelineOutcome> runPipeline(Words input, std::span<const PipelineStep> steps,
                                    const PipelineOptions& options);

} // namespace lanewise::driver
