#include "verify/compare/difference.h"

#include <fmt/format.h>

namespace lanewise::driver {

std::string describe(const BufferDifference& d) {
  if (d.differing == 0) // in the header
    return fmt::format("buffer `{}`, {} against {} ({})", d.buffer, d.original, d.transformed,
                       d.detail);
  return fmt::format("{} `{}`, element {}: {} against {} ({}; {} of {} elements)",
                     d.isImage ? "image" : "buffer", d.buffer, d.firstIndex, d.original,
                     d.transformed, d.detail, d.differing, d.elements);
}

std::string describe(const ElementWriter& writer) {
  const SourceLocation& at = writer.source;
  const std::string place =
      at.line == 0 ? fmt::format("{}{} of `{}` (no source line)", writer.opcode,
                                 writer.id ? fmt::format(" %{}", writer.id) : "", writer.shader)
                   : fmt::format("{}:{}{} ({})", at.file, at.line,
                                 at.column ? fmt::format(":{}", at.column) : "", writer.opcode);
  return fmt::format("{}, invocation {} of workgroup {}", place, writer.invocation,
                     writer.workgroup);
}

std::string patternOf(const BufferDifference& d) {
  return fmt::format("{}{}{}", d.pattern, d.pattern.empty() || d.values.empty() ? "" : "; ",
                     d.values);
}

std::vector<std::string> detailsOf(const BufferDifference& d, std::string_view original,
                                   std::string_view transformed) {
  std::vector<std::string> lines;
  if (std::string pattern = patternOf(d); !pattern.empty()) lines.push_back("pattern: " + pattern);
  auto add = [&](std::string_view name, const std::optional<ElementWriters>& writers) {
    if (!writers) return;
    std::string line = writers->first
                           ? fmt::format("written in {} at {}", name, describe(*writers->first))
                           : fmt::format("not written in {}", name);
    if (!writers->others.empty())
      line += fmt::format("; others differ at {}", describe(writers->others[0]));
    lines.push_back(std::move(line));
  };
  add(original, d.originalWriters);
  add(transformed, d.transformedWriters);
  if (!d.writersUnknown.empty())
    lines.push_back("the line that wrote it is unknown: " + d.writersUnknown);
  return lines;
}

} // namespace lanewise::driver
