// Names of the outputs where an input has several.
#pragma once

#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// "blur.comp" becomes "blur.comp.PART.spv", "blur.spv" becomes "blur.PART.spv"; without a part
/// "blur.comp.spv" and "blur.spv".
inline std::string outputName(const std::string& input, std::string_view part, bool asText) {
  std::filesystem::path name = std::filesystem::path(input).filename();
  if (name.extension() == ".spv" || name.extension() == ".spvasm") name.replace_extension();
  return fmt::format("{}{}{}{}", name.string(), part.empty() ? "" : ".", part,
                     asText ? ".spvasm" : ".spv");
}

} // namespace lanewise::driver
