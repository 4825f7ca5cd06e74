// Depfiles for make and Ninja: what a command has read.
#pragma once

#include "lanewise/result.h"

#include <span>
#include <string>

namespace lanewise::driver {

/// What -MD, -MF, -MT and -MP ask for.
struct DepfileOptions {
  bool isWanted = false;
  std::string path;      ///< -MF; "" for OUT.d
  std::string target;    ///< -MT: what it says is made; "" for OUT
  bool hasPhony = false; ///< -MP: a rule without a recipe for each file but the first
  std::string pathFor(const std::string& out) const { return path.empty() ? out + ".d" : path; }
};

/// "OUT: FILE FILE...", in make's syntax, as Ninja reads it too. With phony rules make goes on
/// where a file is gone that is no longer included. The error: a name has a line break, which that
/// syntax cannot say.
Result<std::string> depfileText(const std::string& out, std::span<const std::string> filesRead,
                                bool hasPhony = false);

} // namespace lanewise::driver
