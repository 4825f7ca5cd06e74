// `lanewise layout pack` and `unpack`: whole files from one layout to the other, in pieces, so that
// any size goes through a few megabytes of memory.
#pragma once

#include "lanewise/buffer_layout.h"
#include "lanewise/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

struct LayoutConversion {
  const BufferLayout& layout; ///< that checkLayout() has passed
  std::string input, output;  ///< "-" for standard input and output
  /// Of unpackFile(): elements, where neither the layout nor what fills up the last tile is to say.
  std::optional<uint64_t> count;
};

struct ConversionOutcome {
  uint64_t elements = 0;
  std::vector<std::string> notes; ///< what the user must know, one line each
};

/// The output is written whole or not at all, unless it is a pipe. An error is one line that names
/// the file.
Result<ConversionOutcome> packFile(const LayoutConversion& conversion);
Result<ConversionOutcome> unpackFile(const LayoutConversion& conversion);

} // namespace lanewise::driver
