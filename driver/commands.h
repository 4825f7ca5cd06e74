// The subcommands of `lanewise`. Each takes the arguments behind its name and gives back the exit
// code.
#pragma once

#include "exit_codes.h"

#include <span>

namespace lanewise::driver {

int optCommand(std::span<char*> args);       ///< opt_command.cpp
int batchCommand(std::span<char*> args);     ///< batch/batch_command.cpp
int verifyCommand(std::span<char*> args);    ///< verify_command.cpp
int profileCommand(std::span<char*> args);   ///< profile_command.cpp
int devicesCommand(std::span<char*> args);   ///< verify_command.cpp
int passesCommand(std::span<char*> args);    ///< passes_command.cpp
int lintCommand(std::span<char*> args);      ///< lint_command.cpp
int transpileCommand(std::span<char*> args); ///< transpile_command.cpp
int layoutCommand(std::span<char*> args);    ///< layout_command.cpp
int embedCommand(std::span<char*> args);     ///< embed_command.cpp

} // namespace lanewise::driver
