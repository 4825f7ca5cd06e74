#include "report/html/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD

/// Bytes of the well-formed UTF-8 sequence at the start (Unicode 15, table 3-7); 0 if there is
/// none.
size_t sequenceLength(std::string_view text) {
  auto byteAt = [&](size_t i) { return i < text.size() ? uint8_t(text[i]) : uint8_t(0); };
  auto isIn = [&](size_t i, uint8_t low, uint8_t high) {
    return byteAt(i) >= low && byteAt(i) <= high;
  };
  const uint8_t lead = byteAt(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return isIn(1, 0x80, 0xBF) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const uint8_t low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
    return isIn(1, low, high) && isIn(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const uint8_t low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
    return isIn(1, low, high) && isIn(2, 0x80, 0xBF) && isIn(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

} // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (size_t at = 0; at < text.size();) {
    const size_t length = sequenceLength(text.substr(at));
    const char c = text[at];
    if (length == 0 || (length == 1 && (uint8_t(c) < 0x20 || c == 0x7F) && c != '\t' && c != '\n'))
      out += kReplacement;
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += text.substr(at, length);
    at += std::max<size_t>(length, 1);
  }
  return out;
}

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? body : fmt::format("<section><h3>{}</h3>{}</section>", title, body);
}

std::string sizeText(uint64_t bytes) {
  if (bytes < 10 * 1024) return fmt::format("{} bytes", groupedDigits(bytes));
  if (bytes < 10 * 1024 * 1024) return fmt::format("{:.1f} KiB", double(bytes) / 1024);
  return fmt::format("{:.1f} MiB", double(bytes) / (1024 * 1024));
}

std::string countText(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", groupedDigits(count), noun, count == 1 ? "" : "s");
}

std::string groupedDigits(uint64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 5) return digits;
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, "\xE2\x80\xAF"); // U+202F
  return digits;
}

TimeUnit unitFor(double microseconds) {
  if (microseconds >= 1e6) return {"s", 1e6};
  if (microseconds >= 1e3) return {"ms", 1e3};
  if (microseconds >= 1) return {"\xC2\xB5s", 1};
  return {"ns", 1e-3};
}

std::string timeText(double microseconds) {
  const TimeUnit unit = unitFor(microseconds);
  return fmt::format("{} {}", shortNumber(microseconds / unit.microseconds), unit.name);
}

std::string shortNumber(double value) {
  if (!std::isfinite(value)) return value > 0 ? "\xE2\x88\x9E" : fmt::format("{}", value);
  const double size = std::fabs(value);
  const int digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return fmt::format("{:.{}f}", value, digits);
}

} // namespace lanewise::driver
