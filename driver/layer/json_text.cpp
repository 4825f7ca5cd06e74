#include "layer/json_text.h"

#include <cstddef>
#include <cstdint>

namespace lanewise::layer {

namespace {

constexpr char kDigits[] = "0123456789abcdef";

/// How many bytes the character at `at` has, 0 where it is none of UTF-8.
size_t lengthOfCharacter(std::string_view text, size_t at) {
  const uint8_t first = uint8_t(text[at]);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || first > 0xf4 || at + length > text.size()) return 0;
  for (size_t n = 1; n < length; ++n)
    if ((uint8_t(text[at + n]) & 0xc0) != 0x80) return 0;
  const uint8_t second = uint8_t(text[at + 1]);
  // Overlong forms, surrogates, beyond the last character.
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

} // namespace

std::string jsonString(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t length = lengthOfCharacter(text, at);
    const uint8_t c = uint8_t(text[at]);
    if (length == 0) {
      out += '?';
    } else if (c < 0x20) {
      out += {'\\', 'u', '0', '0', kDigits[c >> 4], kDigits[c & 15]};
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return out += '"';
}

std::string hexOf(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += {kDigits[uint8_t(c) >> 4], kDigits[uint8_t(c) & 15]};
  return out;
}

} // namespace lanewise::layer
