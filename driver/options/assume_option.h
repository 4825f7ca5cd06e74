// --assume: what the user promises of the inputs of a shader.
#pragma once

#include "lanewise/assumptions.h"
#include "lanewise/result.h"
#include "options/command_line.h"

#include <string>

namespace lanewise::driver {

/// "push.n % 64 == 0", "push.16 <= 4", "groups.x <= 4096", "buffer A.length >= 1024": a subject, a
/// remainder or not, a comparison, a number.
Result<StatedFact> parseStatedFact(const std::string& text);

/// --assume, which may be given several times.
void addAssumeOption(CommandLine& line, Assumptions& assumptions, std::string help);

} // namespace lanewise::driver
