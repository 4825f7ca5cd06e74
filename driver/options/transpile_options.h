// The options of `lanewise transpile`, parsed and checked (docs/transpile.md).
#pragma once

#include "input/front_end.h"
#include "lanewise/result.h"
#include "options/command_description.h"
#include "support/isolate.h"
#include "transpile/bindings.h"
#include "transpile/target_language.h"
#include "verify/verify.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
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
  std::map<uint32_t, uint64_t> fixedConstants; ///< --spec-const
  bool fixesAll = false;                       ///< --fix-spec-consts

  std::string layoutManifest; ///< --layout-manifest: of the input
  std::string newManifest;    ///< --write-layout-manifest

  bool writesIfChanged = false; ///< --write-if-changed
  bool writesDepfile = false;   ///< -MD
  std::string depfile;          ///< -MF; "" for OUT.d

  bool verify = false;
  bool requiresVerified = false;
  VerifyOptions verification;
  std::string scenario, scenarioSize, shader;
  std::optional<std::array<uint32_t, 3>> workgroupSize;
  std::string json;

  IsolationLimits isolation;
};

/// Options, or text to print for --help, or an Error for one line.
struct ParsedTranspileOptions {
  std::optional<TranspileOptions> options;
  std::string help;
};
Result<ParsedTranspileOptions> parseTranspileOptions(std::span<char*> args);

std::vector<CommandDescription> describeTranspile();

} // namespace lanewise::driver
