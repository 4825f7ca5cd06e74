// Man pages, in the macros of man(7), from what the commands declare.
#pragma once

#include "options/command_description.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// The name of a page without its section: "lanewise", "lanewise-opt". Commands of two words share
/// that of the first.
std::string manPageName(std::string_view command);

/// Names of all pages, that of the program first.
std::vector<std::string> manPageNames(std::span<const CommandDescription> commands);

/// The page of this name; "" where there is none.
std::string manPage(std::string_view name, std::span<const CommandDescription> commands);

} // namespace lanewise::driver
