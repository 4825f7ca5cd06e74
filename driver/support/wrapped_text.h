// Help for terminals narrower than its lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// The text with lines broken between words, so that none has more than `columns` (0: any length is
/// right) where that can be had. A line goes on below its second column ("  --flag   what it
/// does"), else below its first word. Commands of examples stay whole, so that they can be copied.
std::string wrapped(std::string_view text, uint32_t columns);

} // namespace lanewise::driver
