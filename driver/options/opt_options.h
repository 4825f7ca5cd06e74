// The options of `lanewise opt`, parsed and checked (docs/command-line.md).
#pragma once

#include "lanewise/result.h"
#include "options/command_description.h"
#include "pipeline/optimize_options.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lanewise::driver {

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

std::vector<CommandDescription> describeOpt();

} // namespace lanewise::driver
