// The one file that has fmt's code, so that who links the library needs no libfmt.
#define FMT_HEADER_ONLY 1
#include "text/format_text.h"

#include <fmt/format.h>

namespace lanewise {

std::string formatArguments(fmt::string_view text, fmt::format_args arguments) {
  return fmt::vformat(text, arguments);
}

std::string joinText(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (size_t n = 0; n < parts.size(); ++n) {
    if (n > 0) text += separator;
    text += parts[n];
  }
  return text;
}

} // namespace lanewise
