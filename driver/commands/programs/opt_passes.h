// Passes of `opt` as an option of commands that optimize what running programs load.
#pragma once

#include "lanewise/result.h"
#include "options/command_line.h"

#include <string>
#include <vector>

namespace lanewise::driver {

/// Whether `opt` takes these: what is wrong with them is said before any program starts.
Status checkOptPasses(const std::string& option, const std::vector<std::string>& passes);

/// Of what the files say that these name: a target, and flags.
std::string digestOfPassFiles(const std::vector<std::string>& passes);

/// For --leave-out: first digits of SHA-256, with commas between them.
OptionSetter leftOutModules(std::vector<std::string>& hashes);

} // namespace lanewise::driver
