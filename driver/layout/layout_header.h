// `lanewise layout header`: a C++17 header that a program includes to fill and read the buffers
// that
// --aos-to-soa has laid out anew. It needs the standard library only.
#pragma once

#include "lanewise/buffer_layout.h"
#include "lanewise/result.h"

#include <span>
#include <string>

namespace lanewise::driver {

/// For layouts that checkLayout() has passed; each gets a namespace of its own within `space`. An
/// error is one sentence: `space` is no name of a namespace.
Result<std::string> layoutHeader(std::span<const BufferLayout> buffers, const std::string& space);

} // namespace lanewise::driver
