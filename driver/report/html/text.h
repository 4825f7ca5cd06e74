// Pieces of HTML text that all parts of the report page use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// As text of an element or inside a quoted attribute. What is not UTF-8, and control characters
/// other than tab and newline, become U+FFFD: names in a module may be any bytes.
std::string escaped(std::string_view text);

/// A section with its title, which is HTML; "" for an empty body.
std::string section(const std::string& title, const std::string& body);

/// "512 bytes", "1.5 KiB".
std::string sizeText(uint64_t bytes);
/// "1 element", "2 elements".
std::string countText(uint64_t count, std::string_view noun);
/// Thousands are set apart by narrow spaces from five digits on.
std::string groupedDigits(uint64_t number);

/// The unit in which times of this many microseconds read best.
struct TimeUnit {
  const char* name;    ///< "µs"
  double microseconds; ///< of one
};
TimeUnit unitFor(double microseconds);
/// "6.61 ms".
std::string timeText(double microseconds);
/// With three significant digits, as a person would write it: "0.466", "12.3", "1230".
std::string shortNumber(double value);

} // namespace lanewise::driver
