// Target profiles by name or file (docs/command-line.md, "Targets").
#pragma once

#include "lanewise/result.h"
#include "lanewise/target_profile.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// Names of the profiles that are built in, in alphabetical order.
std::vector<std::string> builtInTargets();

/// A built-in profile by name, or the profile of a file when `target` ends in ".toml". Errors name
/// the file, its line and the key.
Result<TargetProfile> loadTarget(const std::string& target);

/// Reads the text of a profile. Keys that it leaves out keep the values of `generic`. `name` is the
/// file's for messages.
Result<TargetProfile> parseTarget(std::string_view text, const std::string& name);

} // namespace lanewise::driver
