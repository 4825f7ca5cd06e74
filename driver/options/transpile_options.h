// The options of `lanewise transpile`, declared and checked (docs/transpile.md).
#pragma once

#include "input/constant_use.h"
#include "input/front_end.h"
#include "input/workload.h"
#include "lanewise/assumptions.h"
#include "options/command_line.h"
#include "support/depfile.h"
#include "support/isolate.h"
#include "transpile/bindings.h"
#include "transpile/target_language.h"
#include "verify/verify.h"

#include <string>
#include <vector>

namespace lanewise::driver {

struct TranspileOptions {
  std::string input;  ///< a module or source; a folder that opt --scenario -o wrote
  std::string output; ///< -o; "" for standard output
  LoadOptions load;
  TargetLanguage target;
  std::string newName; ///< --rename-entry
  std::vector<BindRequest> binds;
  GivenConstants constants; ///< --spec-const, which are fixed
  Assumptions assumptions;  ///< the workgroup size is for --verify
  bool fixesAll = false;    ///< --fix-spec-consts

  std::string layoutManifest; ///< --layout-manifest: of the input
  std::string newManifest;    ///< --write-layout-manifest

  bool writesIfChanged = false; ///< --write-if-changed
  DepfileOptions depfile;

  bool isChecked = true; ///< --no-check: whether GLSL and ESSL are compiled (text_check.h)
  bool verify = false;
  bool requiresVerified = false;
  VerifyOptions verification;
  ScenarioChoice scenario;
  std::string json;

  IsolationLimits isolation;
};

void declareTranspile(CommandLine& line, TranspileOptions& options);

} // namespace lanewise::driver
