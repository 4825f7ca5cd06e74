// Commands as somebody can type them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// One word of a command line for a POSIX shell: as it is where that is plain, else in quotes.
std::string shellWord(std::string_view word);
/// The same for all, with spaces between.
std::string shellCommand(std::span<const std::string> words);

} // namespace lanewise::driver
