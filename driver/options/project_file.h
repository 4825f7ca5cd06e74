// lanewise.toml: what a project says once to all commands (docs/project-file.md).
#pragma once

#include "options/command_description.h"
#include "options/command_line.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// --project=none: no file is looked for.
constexpr std::string_view kNoProject = "none";

/// The options of the project file are taken before those that are typed. A command without
/// --project has no input that belongs to a project. `describeAll` tells the keys that another
/// command knows from those that none does.
void useProjectFile(CommandLine& line,
                    std::function<std::vector<CommandDescription>()> describeAll);

/// The one in the folder of `input` or the next one above it; "" where there is none.
std::string projectFileAbove(const std::string& input);

} // namespace lanewise::driver
