// Depfiles for make and Ninja: what a command has read.
#pragma once

#include <span>
#include <string>

namespace lanewise::driver {

/// What -MD, -MF and -MT ask for.
struct DepfileOptions {
  bool isWanted = false;
  std::string path;   ///< -MF; "" for OUT.d
  std::string target; ///< -MT: what it says is made; "" for OUT
  std::string pathFor(const std::string& out) const { return path.empty() ? out + ".d" : path; }
};

/// "OUT: FILE FILE...", in make's syntax, as Ninja reads it too.
std::string depfileText(const std::string& out, std::span<const std::string> filesRead);

} // namespace lanewise::driver
