#include "support/wrapped_text.h"

#include <algorithm>

namespace lanewise::driver {

namespace {

constexpr size_t kLeastText = 20; ///< columns right of the indentation; with fewer there is none

/// Where what belongs to a line goes on: at its last column, which two spaces set apart.
size_t indentOf(std::string_view line) {
  const size_t first = std::min(line.find_first_not_of(' '), line.size());
  const size_t gap = line.rfind("  ");
  return gap == line.npos || gap < first ? first : gap + 2;
}

void addWrapped(std::string& out, std::string_view line, size_t columns) {
  const size_t first = std::min(line.find_first_not_of(' '), line.size());
  const size_t found = indentOf(line);
  const bool isCommand =
      first == found && first != 0 && line.substr(first).starts_with("lanewise ");
  if (isCommand) {
    out += line;
    return;
  }
  const size_t indent = found + kLeastText > columns ? first : found;
  size_t taken = 0; // of `columns`, by what stands in front of `line`
  while (taken + line.size() > columns) {
    // A word that is too long stands alone on its line.
    const size_t start = taken == 0 ? found : 0;
    size_t end = line.rfind(' ', columns - taken);
    if (end == line.npos || end <= start) end = line.find(' ', start);
    if (end == line.npos) break;
    out.append(line.substr(0, end)).append("\n").append(indent, ' ');
    line.remove_prefix(end + 1);
    taken = indent;
  }
  out += line;
}

} // namespace

std::string wrapped(std::string_view text, uint32_t columns) {
  if (columns == 0) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    addWrapped(out, text.substr(0, end), columns);
    if (end != text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

} // namespace lanewise::driver
