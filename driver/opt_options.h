// The options of `lanewise opt`, parsed and checked (docs/command-line.md).
#pragma once

#include "command_description.h"
#include "front_end.h"
#include "isolate.h"
#include "pipeline.h"
#include "result.h"
#include "verify/verify.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

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

/// What parsing came to: options, or text to print for --help, or an Error for one line.
struct ParsedOptions {
  std::optional<OptOptions> options;
  std::string help;
  /// Every option that was given and may change what becomes of an input, "NAME" and "VALUE" in
  /// turn, in an order that does not depend on the command line's; then the flags of the passes in
  /// theirs. Left out are INPUT, where things are written, and what OptionsOfCommand declares.
  std::vector<std::string> given;
};
Result<ParsedOptions> parseOptOptions(std::span<char*> args);

/// A command that takes opt's options beside its own.
struct OptionsOfCommand {
  std::string command, description; ///< for --help
  std::string input, output;        ///< the same, of INPUT and -o
  /// Declares the command's own options, all in `group`, and lets the values of others be checked
  /// by it: those of opt's that speak of one output are not.
  std::string group;
  std::function<void(CLI::App&)> declare;
};
/// One INPUT and -o are required; what they mean is the command's business.
Result<ParsedOptions> parseOptionsOf(const OptionsOfCommand& command, std::span<char*> args);
/// What such a command declares, or opt where there is none; with the flags of the passes.
CommandDescription describeOptionsOf(const OptionsOfCommand* command,
                                     std::vector<CommandExample> examples);

/// The flags of passes, which CLI11 does not see: -O, -Os, Lanewise's, and those of spirv-opt that
/// the installed SPIRV-Tools knows.
std::vector<OptionDescription> describePasses();

/// "ID:VALUE" of --spec-const: bits of the value. Decimal, hexadecimal (0x), negative, true/false,
/// or with a point or an 'f' a 32-bit float.
Result<std::pair<uint32_t, uint64_t>> parseSpecConstant(const std::string& text);
/// The value of --workgroup-size, "X,Y,Z".
Result<std::array<uint32_t, 3>> parseWorkgroupSize(const std::string& text);

} // namespace lanewise::driver
