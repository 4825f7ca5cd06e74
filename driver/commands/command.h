// A subcommand of `lanewise`: what it takes and what it does. main.cpp declares, parses, prints
// --help and errors for all of them alike.
#pragma once

#include "lanewise/target_profile.h"
#include "options/command_line.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

class Command {
public:
  virtual ~Command() = default;
  /// Options, examples, what it is about. What they set lives in the command.
  virtual void declare(CommandLine& line) = 0;
  /// Is called once, when `line` is parsed and checked. The exit code.
  virtual int run(const CommandLine& line) = 0;
};

using DescribeAll = std::function<std::vector<CommandDescription>()>;

/// One row of the table of commands (commands.cpp).
struct CommandEntry {
  std::string_view name; ///< "opt", "layout pack"
  std::string_view summary;
  /// `describeAll` tells of all commands, for those that speak of them.
  std::unique_ptr<Command> (*make)(const DescribeAll& describeAll);
};
std::span<const CommandEntry> allCommands();

/// What the command declares, and what all of them have.
void declare(Command& command, CommandLine& line);

/// What the commands declare, in the order of the table.
std::vector<CommandDescription> describeCommands();

/// What --target names, "device" being the one that --device names. Prints the error; the exit
/// code, kDone when `target` is set.
int openTarget(const std::string& name, const std::string& device, TargetProfile& target);

} // namespace lanewise::driver
