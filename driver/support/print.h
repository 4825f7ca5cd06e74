// Text for standard output and standard error. Unlike fmt::print, nothing here throws when a
// stream is closed or full: a lost message must not take the program down, and lost output is found
// by finishOutput().
#pragma once

#include "support/exit_codes.h"

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

namespace lanewise::driver {

/// As it is: what programs read.
void printPlain(std::FILE* stream, std::string_view text);
/// What people read: in colour where the stream is a terminal that has it (support/terminal.h).
/// Names and messages of compilers may have any bytes; what steers terminals is shown as '?'.
void printDiagnostics(std::FILE* stream, std::string_view text);

/// On standard output, as it is.
template <typename... Args>
void printOut(fmt::format_string<Args...> format, Args&&... args) {
  printPlain(stdout, fmt::format(format, std::forward<Args>(args)...));
}

/// On standard error, for people.
template <typename... Args>
void printError(fmt::format_string<Args...> format, Args&&... args) {
  printDiagnostics(stderr, fmt::format(format, std::forward<Args>(args)...));
}

/// A message as it is printed: each line with the program's name, but for those of compilers, which
/// keep the form that editors jump to ("FILE:LINE: error: ..."), and the lines of source below
/// them.
std::string asErrorLines(std::string_view message);
/// The message without lines of source, which stand four columns in.
std::string withoutSource(std::string_view message);

/// Prints it on standard error, and gives back the exit code.
int fail(std::string_view message, int exitCode = kBadUsageOrInput);

/// Opens standard input, output and error where the caller closed them, so that no file gets their
/// number and with it what is printed. Writing to one opened here fails.
void openStandardStreams();

/// To be called last, with the exit code: what is still buffered is written, and when any output
/// was lost, says so and gives kBadUsageOrInput instead of kDone.
int finishOutput(int exitCode);

} // namespace lanewise::driver
