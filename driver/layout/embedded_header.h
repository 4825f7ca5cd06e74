// A file of a shader as a C++17 header: what `lanewise embed` writes.
#pragma once

#include "lanewise/result.h"

#include <string>
#include <string_view>

namespace lanewise::driver {

struct EmbedRequest {
  std::string_view bytes; ///< of the file
  bool isText = false;    ///< a string, not an array of words
  std::string source;     ///< name of the file, for the first line
  std::string name;       ///< of the variable
  std::string space;      ///< its namespace; empty: none
};

/// The header's text. Errors are one sentence: no SPIR-V module, no text, no name that C++ takes.
Result<std::string> embeddedHeader(const EmbedRequest& request);

} // namespace lanewise::driver
