// A line of source below the message that speaks of it, as compilers show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lanewise::driver {

std::string_view withoutSpaceAround(std::string_view text);

using NumberedLines = std::map<uint32_t, std::string>;

/// The lines of a source by the numbers that compilers give them, without what ends them; "#line
/// 12" is followed.
NumberedLines numberedLines(std::string_view text);

/// Whether some of the text is said to be another file's: "#line 12 "b.glsl"".
bool hasForeignLines(std::string_view text);

/// Bytes of a line, from 0; `end` is behind the last one.
struct LineSpan {
  size_t begin = 0, end = 0;
  bool operator==(const LineSpan&) const = default;
};

/// The token that a compiler's column (from 1, in bytes) says. Nothing where it says nothing: 0,
/// and a column at which no token begins, such as the 1 that glslang writes for every line.
std::optional<LineSpan> tokenAt(std::string_view line, uint32_t column);

/// Where the line mentions a variable, if it does so once: with two mentions nobody knows which one
/// is meant. Comments, and members of that name, do not count.
std::optional<LineSpan> onlyMention(std::string_view line, std::string_view name);

/// What is known of the place: the column's token, else the only mention of `subject`.
std::optional<LineSpan> rangeIn(std::string_view line, uint32_t column, std::string_view subject);

/// UTF-16 code units before a byte of a line, which is how SARIF and LSP count columns.
size_t utf16Units(std::string_view line, size_t byte);

/// Lines as a terminal can show them: '?' for what is no text, but for ends of lines and tabs.
std::string withoutControls(std::string_view text);

/// What fits into a terminal's line, as it can be shown there; with "..." where that is not all.
std::string clipped(std::string_view line, uint32_t columns);

/// The line, four columns in, without the space around it; and carets below the range, if there is
/// one. Tabs become spaces, bytes that are no text '?'. Longer than `columns` (0: any length is
/// right) it is cut with "...", so that the range stays in sight. Empty for a blank line.
std::string quoted(std::string_view line, std::optional<LineSpan> range, uint32_t columns = 0);

} // namespace lanewise::driver
