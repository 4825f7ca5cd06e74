// The little JSON that the layer writes.
#pragma once

#include <string>
#include <string_view>

namespace lanewise::layer {

/// With its quotes. Bytes that are no UTF-8 become question marks.
std::string jsonString(std::string_view text);
/// Two digits a byte.
std::string hexOf(std::string_view bytes);

} // namespace lanewise::layer
