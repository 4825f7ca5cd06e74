// Text for remarks and errors, by fmt's rules. fmt itself is compiled into one file and no other:
// parsed in each, it would take most of the time that the library takes to compile.
#pragma once

#include <fmt/core.h>
#include <span>
#include <string>
#include <string_view>

namespace lanewise {

/// What formatText() calls.
std::string formatArguments(fmt::string_view text, fmt::format_args arguments);

/// As fmt::format(): the text is checked against the arguments when it is compiled.
template <class... T>
std::string formatText(fmt::format_string<T...> text, T&&... arguments) {
  return formatArguments(text, fmt::make_format_args(arguments...));
}

/// "a, b, c" for a separator of ", ".
std::string joinText(std::span<const std::string> parts, std::string_view separator);

} // namespace lanewise
