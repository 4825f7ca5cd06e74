#include "options/option_values.h"

#include "support/failure.h"
#include "support/suggest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

namespace lanewise::driver {

namespace {

/// "-" is a value (a standard stream), and so is a negative number.
bool looksLikeOption(const std::string& arg) {
  return arg.size() > 1 && arg[0] == '-' && arg[1] != '.' && !std::isdigit(uint8_t(arg[1]));
}

Error missing(std::string_view option, std::string_view next) {
  // The name that the user wrote, not the one that CLI11 sees.
  if (option == "--dependency-file") option = "-MF";
  std::string why = next.empty() ? "" : fmt::format(", but '{}' follows", next);
  return {fmt::format("{} needs a value{}", option, why), {}, 0, {}};
}

} // namespace

Status checkOptionValues(const CLI::App& app, std::span<const std::string> args) {
  for (size_t i = 0; i < args.size() && args[i] != "--"; ++i) {
    const std::string& arg = args[i];
    if (arg.size() < 2 || arg[0] != '-') continue;
    bool isLong = arg[1] == '-';
    std::string name = isLong ? arg.substr(0, arg.find('=')) : arg.substr(0, 2);
    const CLI::Option* option = app.get_option_no_throw(name);
    if (!option || option->get_items_expected_min() == 0) continue;
    if (arg.size() > name.size()) {
      if (isLong && arg.size() == name.size() + 1) return missing(name, "");
      continue;
    }
    if (++i == args.size() || args[i].empty()) return missing(name, "");
    if (looksLikeOption(args[i])) return missing(name, args[i]);
  }
  return ok();
}

void declareSourceOptions(CLI::App& app, const char* group, SourceOptions options,
                          const std::string& entryHelp) {
  app.add_option("-x", options.kind, "kind of the input")
      ->type_name("spv|spvasm|glsl|hlsl")
      ->group(group);
  app.add_option("-I", options.includeDirs, "folder to search for #include")
      ->type_name("FOLDER")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("-D", options.defines, "define a macro")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--entry", options.entry, entryHelp)->type_name("NAME")->group(group);
}

void declareCoverageOption(CLI::App& app, const char* group, bool& requiresCoverage) {
  app.add_flag("--require-coverage", requiresCoverage,
               "count as verified only what was exercised in full: every block, every branch both "
               "ways; implies --require-verified")
      ->group(group);
}

void declareDeviceOptions(CLI::App& app, const char* group, VerifyOptions& options) {
  app.add_option("--device", options.device, "a number of `lanewise devices`, cpu, or interpreter")
      ->type_name("DEVICE")
      ->group(group);
  app.add_flag("--validation-layer", options.validationLayer,
               "run under the Khronos validation layer; its errors are findings")
      ->group(group);
  app.add_option("--timeout", options.timeoutSeconds,
                 "seconds after which a submission counts as hung")
      ->type_name("SECONDS")
      ->group(group);
  app.add_flag("!--no-interpreter", options.interpreter.checksBesideDevice,
               "do not look for races and undefined operations with the interpreter as well")
      ->group(group);
  app.add_option("--interpreter-budget", options.interpreter.budgetSeconds,
                 "about how many seconds the interpreter may take (default 3); decides how many "
                 "workgroups it runs")
      ->type_name("SECONDS")
      ->group(group);
  app.add_option("--subgroup-size", options.interpreter.subgroupSize,
                 "lanes of a subgroup in the interpreter (default 32)")
      ->type_name(kSubgroupSizes)
      ->group(group);
}

void declareIsolationOptions(CLI::App& app, const char* group, IsolationOptions& options) {
  app.add_option("--isolation-timeout", options.timeoutSeconds,
                 "seconds after which a third-party step is given up (0: never)")
      ->type_name("SECONDS")
      ->group(group);
  app.add_flag("--no-isolation", options.isOff,
               "run third-party steps and drivers in this process (for debuggers)")
      ->group(group);
}

Result<IsolationLimits> isolationLimitsOf(const IsolationOptions& options) {
  constexpr double kMostSeconds = 1e6;
  if (!(options.timeoutSeconds >= 0 && options.timeoutSeconds <= kMostSeconds)) // NaN, too
    return failure("--isolation-timeout must lie between 0 and 1000000 seconds");
  IsolationLimits limits;
  // Rounded up: 0 means no limit, and must not come from a small number.
  limits.time = std::chrono::milliseconds(int64_t(std::ceil(options.timeoutSeconds * 1000)));
  limits.fork = limits.forksForDrivers = !options.isOff;
  return limits;
}

Status checkInterpreterOptions(const InterpreterOptions& options) {
  if (!(options.budgetSeconds > 0 && options.budgetSeconds <= 1e6))
    return Error{"--interpreter-budget must be above 0 and at most 1000000 seconds; "
                 "--no-interpreter leaves it out",
                 {},
                 0,
                 {}};
  if (!isSubgroupSize(options.subgroupSize))
    return Error{"--subgroup-size must be 4, 8, 16, 32, 64 or 128", {}, 0, {}};
  return ok();
}

Status checkOptionNames(const CLI::App& app, std::span<const std::string> args,
                        std::string_view command) {
  for (const std::string& arg : args) {
    if (arg.size() < 3 || arg.compare(0, 2, "--") != 0) continue;
    std::string name = arg.substr(0, arg.find('='));
    if (app.get_option_no_throw(name)) continue;
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options())
      for (const std::string& longName : option->get_lnames()) known.push_back("--" + longName);
    std::string near = nearest(name, known);
    return Error{fmt::format("unknown option '{}'; {}", name,
                             near.empty() ? fmt::format("see 'lanewise {} --help'", command)
                                          : fmt::format("did you mean '{}'?", near)),
                 {},
                 0,
                 {}};
  }
  return ok();
}

Result<bool> parseArguments(CLI::App& app, std::span<char* const> args, std::string_view command) {
  std::vector<std::string> arguments(args.begin(), args.end());
  if (Status s = checkOptionNames(app, arguments, command); !s) return s.error();
  if (Status s = checkOptionValues(app, arguments); !s) return s.error();
  std::reverse(arguments.begin(), arguments.end()); // as CLI11 takes them
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return true;
  } catch (const CLI::ParseError& error) {
    return Error{fmt::format("{}: {}", command, error.what()), {}, 0, {}};
  }
  return false;
}

} // namespace lanewise::driver
