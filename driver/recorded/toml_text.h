// Text as TOML has it.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// A basic string of TOML 1.0, with its quotes.
inline std::string tomlText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (uint8_t(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", uint8_t(c));
    else
      out += c;
  return out + '"';
}

} // namespace lanewise::driver
