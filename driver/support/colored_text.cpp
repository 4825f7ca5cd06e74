#include "support/colored_text.h"

#include <algorithm>

namespace lanewise::driver {

namespace {

// SGR sequences (ECMA-48, 8.3.117).
constexpr std::string_view kReset = "\x1b[0m", kBold = "\x1b[1m", kRed = "\x1b[1;31m",
                           kGreen = "\x1b[1;32m", kBlue = "\x1b[1;34m", kMagenta = "\x1b[1;35m",
                           kCyan = "\x1b[1;36m";

struct Kind {
  std::string_view word, color;
  bool isBold; ///< the message behind it
};
constexpr Kind kKinds[] = {
    {"error", kRed, true},
    {"warning", kMagenta, true},
    {"remark", kBlue, true},
    {"missed", kBlue, true},
    {"note", kCyan, false},
    {"help", kCyan, false},
    // How `verify` begins what it says.
    {"outputs equal", kGreen, false},
    {"outputs differ", kRed, true},
    {"not equal", kRed, true},
    {"original unsound", kRed, true},
    {"order-dependent", kMagenta, true},
    {"unverified", kMagenta, true},
};

void add(std::string& out, std::string_view color, std::string_view text) {
  if (text.empty()) return;
  out.append(color).append(text).append(kReset);
}

/// "KIND: MESSAGE", "KIND:" at the start of `text`; null if it is none.
const Kind* kindAt(std::string_view text) {
  for (const Kind& kind : kKinds)
    if (text.starts_with(kind.word) && text.substr(kind.word.size()).starts_with(": "))
      return &kind;
  return nullptr;
}

void addMessage(std::string& out, const Kind& kind, std::string_view text) {
  add(out, kind.color, text.substr(0, kind.word.size() + 1));
  const std::string_view message = text.substr(kind.word.size() + 1);
  if (kind.isBold)
    add(out, kBold, message);
  else
    out += message;
}

bool isCarets(std::string_view line) {
  return line.find_first_of("^~") != line.npos && line.find_first_not_of(" ^~") == line.npos;
}

void addLine(std::string& out, std::string_view line) {
  if (isCarets(line)) return add(out, kGreen, line);
  if (const Kind* kind = kindAt(line)) return addMessage(out, *kind, line);
  constexpr std::string_view kProgram = "lanewise: ";
  // A place has no ": " of its own, or it cannot be told from what stands behind it.
  const size_t colon = line.starts_with(' ') ? line.npos : line.find(": ");
  const std::string_view rest = colon == line.npos ? std::string_view() : line.substr(colon + 2);
  if (const Kind* kind = kindAt(rest)) {
    add(out, kBold, line.substr(0, colon + 1));
    out += ' ';
    return addMessage(out, *kind, rest);
  }
  if (!line.starts_with(kProgram)) {
    out += line;
    return;
  }
  add(out, kBold, line.substr(0, kProgram.size() - 1));
  out += line.substr(kProgram.size() - 1);
}

} // namespace

std::string colored(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    addLine(out, text.substr(0, end));
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

} // namespace lanewise::driver
