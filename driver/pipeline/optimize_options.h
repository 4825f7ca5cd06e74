// What `lanewise opt` is asked for, whoever asks (docs/command-line.md).
#pragma once

#include "input/front_end.h"
#include "pipeline/pipeline.h"
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

  bool writesDepfile = false;   ///< -MD
  std::string depfile;          ///< -MF; "" for OUT.d
  std::string depTarget;        ///< -MT: what it says is made; "" for OUT
  bool writesIfChanged = false; ///< --write-if-changed

  bool verify = false;
  bool requiresVerified = false;
  bool requiresCoverage = false;
  std::string scenario;
  std::string scenarioSize; ///< --size: one of the scenario's [sizes]
  KeepIf keepIf = KeepIf::Equal;
  std::string device;
  bool validationLayer = false;
  bool hasTiming = true; ///< --no-timing: only compare
  InterpreterOptions interpreter;

  IsolationLimits isolation;

  /// Without INPUT: all shaders of the scenario are one program, and `output` names a folder.
  bool isProgram() const { return inputs.empty() && !scenario.empty(); }
};

} // namespace lanewise::driver
