// What `lanewise opt` is asked for, whoever asks (docs/command-line.md).
#pragma once

#include "input/front_end.h"
#include "input/workload.h"
#include "pipeline/pipeline.h"
#include "support/depfile.h"
#include "support/isolate.h"
#include "verify/verify.h"

#include <string>
#include <vector>

namespace lanewise::driver {

enum class RemarkFormat { Text, Json, Warnings, None };
enum class KeepIf { Equal, Faster };

struct OptOptions {
  std::vector<std::string> inputs;
  std::string output;     ///< -o; "" when not given
  bool asText = false;    ///< -S
  bool keepLines = false; ///< -g
  LoadOptions load;
  std::vector<PipelineStep> steps;

  std::string targetName = "generic";
  /// Everything of the pipeline but its target, environment, judge and log.
  PipelineOptions pipeline;

  bool wantsDiff = false;
  bool hasStats = false;

  RemarkFormat remarks = RemarkFormat::Text;
  std::string remarksFile; ///< "" for standard error
  std::string html;        ///< --html; "" when not given
  /// --layout-manifest; "" when not given
  std::string layoutManifest;

  DepfileOptions depfile;
  bool writesIfChanged = false; ///< --write-if-changed

  bool verify = false;
  bool requiresVerified = false;
  ScenarioChoice scenario;
  KeepIf keepIf = KeepIf::Equal;
  VerifyOptions verification; ///< its device is that of --target=device as well

  IsolationLimits isolation;

  /// Without INPUT: all shaders of the scenario are one program, and `output` names a folder.
  bool isProgram() const { return inputs.empty() && scenario.isGiven(); }
};

} // namespace lanewise::driver
