#include "support/source_quote.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace lanewise::driver {

namespace {

constexpr std::string_view kSpace = " \t\r\f\v";

/// What stands behind the "line" of such a directive; nothing if the line is none.
std::optional<std::string_view> lineDirective(std::string_view line) {
  line = withoutSpaceAround(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = withoutSpaceAround(line.substr(1));
  if (!line.starts_with("line")) return std::nullopt;
  return withoutSpaceAround(line.substr(4));
}

std::optional<uint32_t> numberIn(std::string_view text) {
  uint32_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool isWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

size_t wordEnd(std::string_view line, size_t at) {
  while (at < line.size() && isWord(line[at])) ++at;
  return at;
}

/// The line with spaces in the place of its comments.
std::string withoutComments(std::string_view line) {
  std::string code(line);
  for (size_t at = code.find('/'); at != code.npos; at = code.find('/', at + 1)) {
    const char next = at + 1 < code.size() ? code[at + 1] : '\0';
    if (next != '/' && next != '*') continue;
    const size_t close = next == '*' ? code.find("*/", at + 2) : code.npos;
    const size_t end = close == code.npos ? code.size() : close + 2;
    std::fill(code.begin() + ptrdiff_t(at), code.begin() + ptrdiff_t(end), ' ');
  }
  return code;
}

// ---- characters ----

struct Character {
  uint32_t code = 0;
  size_t bytes = 1;
  bool isText = false; ///< well-formed UTF-8 (RFC 3629)
};

Character decode(std::string_view text) {
  const auto lead = uint8_t(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  uint32_t code = lead & (0x7F >> bytes);
  for (size_t n = 1; n < bytes; ++n) {
    if ((uint8_t(text[n]) & 0xC0) != 0x80) return {};
    code = code << 6 | (uint8_t(text[n]) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, bytes, true};
}

struct CodeRange {
  uint32_t first, last;
};
/// Combining marks and format characters, which take no column, in the scripts that comments of
/// shaders have been seen in; and what East Asian Width (Unicode annex 11) calls wide.
constexpr CodeRange kZeroWidth[] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},   {0x64B, 0x65F},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x206F},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
constexpr CodeRange kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <size_t n>
bool isIn(const CodeRange (&ranges)[n], uint32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [=](CodeRange r) { return code >= r.first && code <= r.last; });
}

/// One character as it is shown: what is written, and how many columns that takes.
struct Cell {
  std::string text;
  size_t columns = 1;
  size_t byte = 0; ///< of the line
};

/// Codes that steer terminals are no text, as little as bytes that are no UTF-8.
bool isShown(const Character& c) {
  return c.isText && c.code >= 0x20 && (c.code < 0x7F || c.code >= 0xA0);
}

std::vector<Cell> cellsOf(std::string_view line, size_t first) {
  constexpr size_t kTab = 4;
  std::vector<Cell> cells;
  size_t column = 0;
  for (size_t at = first; at < line.size();) {
    const Character c = decode(line.substr(at));
    Cell cell{"?", 1, at};
    if (line[at] == '\t')
      cell = {std::string(kTab - column % kTab, ' '), kTab - column % kTab, at};
    else if (isShown(c))
      cell = {std::string(line.substr(at, c.bytes)),
              isIn(kZeroWidth, c.code) ? size_t(0)
              : isIn(kWide, c.code)    ? size_t(2)
                                       : size_t(1),
              at};
    column += cell.columns;
    cells.push_back(std::move(cell));
    at += c.bytes;
  }
  return cells;
}

size_t columnsOf(const std::vector<Cell>& cells, size_t begin, size_t end) {
  size_t columns = 0;
  for (size_t n = begin; n < end; ++n) columns += cells[n].columns;
  return columns;
}

constexpr std::string_view kCut = "...";

/// The cells that fit, with room for "..." where something is left out.
struct Window {
  size_t begin = 0, end = 0;
};

Window windowOf(const std::vector<Cell>& cells, Window wanted, size_t room) {
  if (columnsOf(cells, 0, cells.size()) <= room) return {0, cells.size()};
  auto fits = [&](Window w) {
    const size_t cuts = size_t(w.begin != 0) + size_t(w.end != cells.size());
    return columnsOf(cells, w.begin, w.end) + cuts * kCut.size() <= room;
  };
  // A range at the front needs nothing cut there; else what stands around it, as much behind as
  // before.
  Window w{0, 0};
  if (!fits({0, wanted.end}) && columnsOf(cells, 0, wanted.begin) > room / 2)
    w = {wanted.begin, wanted.begin};
  while (w.end < wanted.end && fits({w.begin, w.end + 1})) ++w.end;
  for (bool grows = true; grows;) {
    grows = false;
    if (w.end < cells.size() && fits({w.begin, w.end + 1})) ++w.end, grows = true;
    if (w.begin > 0 && fits({w.begin - 1, w.end})) --w.begin, grows = true;
  }
  return w;
}

} // namespace

std::string_view withoutSpaceAround(std::string_view text) {
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

NumberedLines numberedLines(std::string_view text) {
  NumberedLines lines;
  uint32_t number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    // What compilers put before the text ends with such a directive (glslang: "#line 1").
    const auto directive = lineDirective(line);
    if (auto next = directive ? numberIn(*directive) : std::nullopt)
      number = *next - 1;
    else
      lines[number] = line;
    at = end + 1;
  }
  return lines;
}

bool hasForeignLines(std::string_view text) {
  for (size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    const auto directive = lineDirective(text.substr(at, text.find('\n', at) - at));
    if (directive && !numberIn(*directive)) return true;
  }
  return false;
}

std::optional<LineSpan> tokenAt(std::string_view line, uint32_t column) {
  if (column == 0 || column > line.size()) return std::nullopt;
  const size_t at = column - 1;
  if (kSpace.find(line[at]) != kSpace.npos) return std::nullopt;
  if (!isWord(line[at])) return LineSpan{at, at + decode(line.substr(at)).bytes};
  if (at > 0 && isWord(line[at - 1])) return std::nullopt; // in the midst of a word
  return LineSpan{at, wordEnd(line, at)};
}

std::optional<LineSpan> onlyMention(std::string_view line, std::string_view name) {
  if (name.empty() || wordEnd(name, 0) != name.size()) return std::nullopt;
  const std::string code = withoutComments(line);
  std::optional<LineSpan> found;
  for (size_t at = code.find(name); at != code.npos; at = code.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at > 0 && (isWord(code[at - 1]) || code[at - 1] == '.')) || wordEnd(code, at) != end)
      continue;
    if (found) return std::nullopt;
    found = {at, end};
  }
  return found;
}

std::optional<LineSpan> rangeIn(std::string_view line, uint32_t column, std::string_view subject) {
  // Where all code is said to stand at column 1 it says nothing of a line that begins there.
  const bool isTold = column > 1;
  if (auto token = isTold ? tokenAt(line, column) : std::nullopt) return token;
  return onlyMention(line, subject);
}

size_t utf16Units(std::string_view line, size_t byte) {
  size_t units = 0;
  for (size_t at = 0; at < std::min(byte, line.size());) {
    const Character c = decode(line.substr(at));
    units += c.code > 0xFFFF ? 2 : 1;
    at += c.bytes;
  }
  return units;
}

std::string withoutControls(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "\r\n") ++at; // one end of a line
    const Character c = decode(text.substr(at));
    if (isShown(c) || text[at] == '\n' || text[at] == '\t')
      shown += text.substr(at, c.bytes);
    else
      shown += '?';
    at += c.bytes;
  }
  return shown;
}

std::string clipped(std::string_view line, uint32_t columns) {
  const std::vector<Cell> cells = cellsOf(line, 0);
  const Window shown = windowOf(cells, {}, std::max<size_t>(columns, kCut.size() + 1) - 1);
  std::string text;
  for (size_t n = 0; n < shown.end; ++n) text += cells[n].text;
  if (shown.end != cells.size()) text += kCut;
  return text;
}

std::string quoted(std::string_view line, std::optional<LineSpan> range, uint32_t columns) {
  constexpr size_t kIndent = 4, kLeastRoom = 16;
  const size_t first = std::min(line.find_first_not_of(kSpace), line.size());
  line = line.substr(0, line.find_last_not_of(kSpace) + 1);
  const std::vector<Cell> cells = cellsOf(line, first);
  if (cells.empty()) return {};
  auto cellAt = [&](size_t byte) {
    return size_t(std::lower_bound(cells.begin(), cells.end(), byte,
                                   [](const Cell& cell, size_t at) { return cell.byte < at; }) -
                  cells.begin());
  };
  Window wanted;
  if (range) wanted = {cellAt(range->begin), cellAt(range->end)};
  // The last column stays free: some terminals go to the next line when it is written.
  const size_t room = columns == 0
                          ? columnsOf(cells, 0, cells.size())
                          : std::max<size_t>(columns, kIndent + 1 + kLeastRoom) - kIndent - 1;
  const Window shown = windowOf(cells, wanted, room);
  const std::string indent(kIndent, ' ');
  std::string text = indent, carets = indent;
  if (shown.begin != 0) text += kCut, carets += "   ";
  for (size_t n = shown.begin; n < shown.end; ++n) {
    text += cells[n].text;
    const bool isMeant = n >= wanted.begin && n < wanted.end;
    carets += std::string(cells[n].columns, isMeant ? '~' : ' ');
  }
  if (shown.end != cells.size()) text += kCut;
  text += '\n';
  const size_t caret = carets.find('~');
  if (caret == carets.npos) return text;
  carets[caret] = '^';
  return text + carets.substr(0, carets.find_last_not_of(' ') + 1) + "\n";
}

} // namespace lanewise::driver
