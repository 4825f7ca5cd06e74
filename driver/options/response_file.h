// Arguments that stand in a file: "@FILE", as GCC and Clang take them.
#pragma once

#include "lanewise/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// The arguments with each "@FILE" replaced by what the file holds: separated by white space, which
/// quotes keep together and a backslash makes part of a word; "@FILE" may stand there too. Where
/// there is no such file, the argument stays as it is, and so do all behind "--". The error is one
/// line.
Result<std::vector<std::string>> expandResponseFiles(std::span<char* const> arguments);

/// The words of a response file.
std::vector<std::string> splitResponse(std::string_view text);
/// The flags of a file that spirv-opt's -Oconfig names: separated by white space; a '#' makes a
/// comment of the rest of its line.
std::vector<std::string> splitConfig(const std::string& text);

} // namespace lanewise::driver
