// What `lanewise opt` is asked for, whoever asks (docs/command-line.md).
#pragma once

#include "input/constant_use.h"
#include "input/front_end.h"
#include "input/workload.h"
#include "pipeline/pipeline.h"
#include "recorded/recorded_pipelines.h"
#include "recorded/tuning_file.h"
#include "support/depfile.h"
#include "support/isolate.h"
#include "verify/verify.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::driver {

/// Which remarks are printed.
enum class RemarkFilter : uint8_t {
  Summary, ///< a line for each rewrite and warning, and how many were not made
  All,     ///< with their details
  Applied,
  Missed,
  Warnings,
  None
};
enum class ReportFormat : uint8_t { Text, Json };
enum class KeepIf { Equal, Faster, Cheaper };

struct OptOptions {
  std::vector<std::string> inputs;
  std::string output;     ///< -o; "" when not given
  bool asText = false;    ///< -S
  bool hasRawIds = false; ///< --raw-id: text has the numbers of ids
  bool keepLines = false; ///< -g
  LoadOptions load;
  std::vector<PipelineStep> steps;

  std::string targetName = "generic";
  /// Everything of the pipeline but its target, environment, judge and log, and of its assumptions
  /// but `constants`, which each module has in types of its own.
  PipelineOptions pipeline;
  GivenConstants constants;   ///< --spec-const
  PipelinesChoice pipelines;  ///< --pipelines: what modules are used with
  bool isPerPipeline = false; ///< --per-pipeline: an output for each of them
  bool isPerDevice = false;   ///< --per-device: an output for each device of `tuning`
  TuningChoice tuning;        ///< --tuning: what was measured to be fastest, in place of `steps`
  /// Of each input; `output` names a folder.
  bool hasSeveralOutputs() const { return isPerPipeline || isPerDevice; }

  /// --only and --skip as they were typed, each with its option: what fits nothing is a mistake. A
  /// project file speaks of many modules.
  std::vector<std::pair<std::string, std::string>> typed;

  bool wantsDiff = false;
  bool hasStats = false;
  std::string compilerStats; ///< --compiler-stats: which compilers; "" when not given

  RemarkFilter remarks = RemarkFilter::Summary;
  ReportFormat format = ReportFormat::Text; ///< of remarks and of what a verification found
  bool quotesSource = false;                ///< below every remark, not only below warnings
  uint32_t columns = 0;                     ///< that lines of source are cut at; 0: never
  bool isQuiet = false;                     ///< -q: warnings, errors and differences only
  std::string remarksFile;                  ///< "" for standard error
  std::string html;                         ///< --html; "" when not given
  /// --layout-manifest; "" when not given
  std::string layoutManifest;

  DepfileOptions depfile;
  bool writesIfChanged = false; ///< --write-if-changed

  bool verify = false;
  bool requiresVerified = false;
  ScenarioChoice scenario;
  KeepIf keepIf = KeepIf::Equal;
  std::string gateCompilers;  ///< of --keep-if=cheaper; "" when not given
  VerifyOptions verification; ///< its device is that of --target=device as well

  ValidationOptions validation;
  IsolationLimits isolation;

  /// Without INPUT: all shaders of the scenario are one program, and `output` names a folder.
  bool isProgram() const { return inputs.empty() && scenario.isGiven(); }
};

} // namespace lanewise::driver
