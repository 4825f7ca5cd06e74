// The lines of source that locations speak of.
#pragma once

#include "ir/module.h"
#include "lanewise/remarks.h"

#include <map>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// Takes the text that a module carries (OpSource, DebugSource of
/// NonSemantic.Shader.DebugInfo.100), which is what was compiled; where it carries none, the file,
/// if it is there. Files are read when they are asked for.
class SourceTexts {
public:
  void add(const Module& module);
  using Lines = std::map<uint32_t, std::string>;
  /// Without the space around it; empty if it is not known.
  std::string line(const SourceLocation& at);
  /// All lines of a file by their numbers, without what ends them; none if they are not known.
  const Lines& lines(const std::string& file);

private:
  static Lines split(std::string_view text);
  std::map<std::string, Lines> files_;
};

} // namespace lanewise::driver
