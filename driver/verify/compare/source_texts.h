// The lines of source that locations speak of.
#pragma once

#include "ir/module.h"
#include "lanewise/remarks.h"
#include "support/source_quote.h"

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
  /// Without the space around it; empty if it is not known.
  std::string line(const SourceLocation& at);
  /// As it stands in the file.
  const std::string& wholeLine(const SourceLocation& at);
  /// Below a message about `subject`, a variable of the source or "": the line and what of it is
  /// spoken of, as quoted() shows them. Empty if the line is not known.
  std::string quote(const SourceLocation& at, std::string_view subject, uint32_t columns = 0);
  /// All lines of a file; none if they are not known.
  const NumberedLines& lines(const std::string& file);

private:
  std::map<std::string, NumberedLines> files_;
};

} // namespace lanewise::driver
