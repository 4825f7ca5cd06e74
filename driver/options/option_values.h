// What CLI11 does not see or say well, and values that commands share.
#pragma once

#include "lanewise/result.h"
#include "support/isolate.h"
#include "verify/verify.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace lanewise::driver {

/// Finds an option of `app` whose value is missing, empty, or looks like the next option. CLI11
/// would take the next argument, whatever it is: "--scenario= -o out.spv", as an unset variable in
/// a script leaves it, must not read a scenario named "-o".
Status checkOptionValues(const CLI::App& app, std::span<const std::string> args);

/// Where -x, -I, -D and --entry go.
struct SourceOptions {
  std::string& kind;
  std::vector<std::string>& includeDirs;
  std::vector<std::string>& defines;
  std::string& entry;
};
/// `entryHelp` says what the entry point is to the command.
void declareSourceOptions(CLI::App& app, const char* group, SourceOptions options,
                          const std::string& entryHelp);

/// What --subgroup-size takes, as help shows it: the sizes of isSubgroupSize().
inline constexpr const char* kSubgroupSizes = "4|8|16|32|64|128";

/// Where and how to dispatch: --device, --validation-layer, --timeout, and those of the
/// interpreter.
void declareDeviceOptions(CLI::App& app, const char* group, VerifyOptions& options);

/// --isolation-timeout and --no-isolation.
struct IsolationOptions {
  double timeoutSeconds = 120;
  bool isOff = false;
};
void declareIsolationOptions(CLI::App& app, const char* group, IsolationOptions& options);
Result<IsolationLimits> isolationLimitsOf(const IsolationOptions& options);

/// --require-coverage, which implies --require-verified (the caller sees to that).
void declareCoverageOption(CLI::App& app, const char* group, bool& requiresCoverage);

/// What --interpreter-budget and --subgroup-size may be.
Status checkInterpreterOptions(const InterpreterOptions& options);

/// Finds an option that `app` does not have; `command` is its name for messages. CLI11's messages
/// do not suggest anything.
Status checkOptionNames(const CLI::App& app, std::span<const std::string> args,
                        std::string_view command);

/// Parses what stands behind `command` into what `app` declares, both checks above first. True when
/// --help was asked for: nothing else has been looked at then. The error is one line.
Result<bool> parseArguments(CLI::App& app, std::span<char* const> args, std::string_view command);

} // namespace lanewise::driver
