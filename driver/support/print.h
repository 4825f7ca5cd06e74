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

template <typename... Args>
void printTo(std::FILE* stream, fmt::format_string<Args...> format, Args&&... args) {
  std::string text = fmt::format(format, std::forward<Args>(args)...);
  // The stream remembers an error (ferror).
  (void)!std::fwrite(text.data(), 1, text.size(), stream);
}

template <typename... Args>
void printOut(fmt::format_string<Args...> format, Args&&... args) {
  printTo(stdout, format, std::forward<Args>(args)...);
}

template <typename... Args>
void printError(fmt::format_string<Args...> format, Args&&... args) {
  printTo(stderr, format, std::forward<Args>(args)...);
}

/// A message as it is printed: each line with the program's name, but for those of compilers, which
/// keep the form that editors jump to ("FILE:LINE: error: ...").
std::string asErrorLines(std::string_view message);

/// Prints it on standard error, and gives back the exit code.
int fail(std::string_view message, int exitCode = kBadUsageOrInput);

/// Opens standard input, output and error where the caller closed them, so that no file gets their
/// number and with it what is printed. Writing to one opened here fails.
void openStandardStreams();

/// To be called last, with the exit code: what is still buffered is written, and when any output
/// was lost, says so and gives kBadUsageOrInput instead of kDone.
int finishOutput(int exitCode);

} // namespace lanewise::driver
