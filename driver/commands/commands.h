// The subcommands, one file each (NAME_command.cpp, programs/NAME_command.cpp).
#pragma once

#include "commands/command.h"

namespace lanewise::driver {

std::unique_ptr<Command> makeOptCommand();
std::unique_ptr<Command> makeBatchCommand();
std::unique_ptr<Command> makeVerifyCommand();
std::unique_ptr<Command> makeTranspileCommand();
std::unique_ptr<Command> makeProfileCommand();
std::unique_ptr<Command> makeLintCommand();
std::unique_ptr<Command> makeReflectCommand();
std::unique_ptr<Command> makeStatsCommand();
std::unique_ptr<Command> makeTuneCommand();
std::unique_ptr<Command> makeRunCommand();
std::unique_ptr<Command> makeCompareCommand();
std::unique_ptr<Command> makeLayoutCommand(std::string_view action); ///< pack, unpack or header
std::unique_ptr<Command> makePipelinesCommand();
std::unique_ptr<Command> makeEmbedCommand();
std::unique_ptr<Command> makeDevicesCommand();
std::unique_ptr<Command> makePassesCommand();

std::unique_ptr<Command> makeManCommand(DescribeAll describeAll);
std::unique_ptr<Command> makeCompletionCommand();

/// What the scripts of `completion` call (manual_commands.cpp), and no command for people: the
/// words that stand behind the program's name, whatever they are.
int completeCommand(std::span<char*> words, const std::vector<CommandDescription>& commands);

} // namespace lanewise::driver
