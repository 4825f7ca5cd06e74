// The subcommands of `lanewise`. Each takes the arguments behind its name and gives back the exit
// code; beside it, what it declares, for man pages and completion.
#pragma once

#include "options/command_description.h"
#include "support/exit_codes.h"

#include <span>

namespace lanewise::driver {

int optCommand(std::span<char*> args);       ///< opt_command.cpp
int batchCommand(std::span<char*> args);     ///< commands/batch_command.cpp
int verifyCommand(std::span<char*> args);    ///< verify_command.cpp
int profileCommand(std::span<char*> args);   ///< profile_command.cpp
int devicesCommand(std::span<char*> args);   ///< verify_command.cpp
int passesCommand(std::span<char*> args);    ///< passes_command.cpp
int lintCommand(std::span<char*> args);      ///< lint_command.cpp
int transpileCommand(std::span<char*> args); ///< transpile_command.cpp
int layoutCommand(std::span<char*> args);    ///< layout_command.cpp
int embedCommand(std::span<char*> args);     ///< embed_command.cpp

/// These speak of all commands (manual_commands.cpp). The last is what the scripts of `completion`
/// call, and no command for people.
int manCommand(std::span<char*> args, const std::vector<CommandDescription>& commands);
int completionCommand(std::span<char*> args);
int completeCommand(std::span<char*> args, const std::vector<CommandDescription>& commands);

std::vector<CommandDescription> describeVerify();
std::vector<CommandDescription> describeProfile();
std::vector<CommandDescription> describeEmbed();
std::vector<CommandDescription> describeDevices();
std::vector<CommandDescription> describePassesCommand();
std::vector<CommandDescription> describeLint();
std::vector<CommandDescription> describeLayout();
std::vector<CommandDescription> describeMan();
std::vector<CommandDescription> describeCompletion();

} // namespace lanewise::driver
