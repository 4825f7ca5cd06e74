// Depfiles for make and Ninja: what a command has read.
#pragma once

#include <span>
#include <string>

namespace lanewise::driver {

/// "OUT: FILE FILE...", in make's syntax, as Ninja reads it too.
std::string depfileText(const std::string& out, std::span<const std::string> filesRead);

} // namespace lanewise::driver
