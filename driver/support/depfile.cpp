#include "support/depfile.h"

#include "support/failure.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

/// A backslash stands for itself, except in front of what one quotes, and of the name's end.
std::string escaped(const std::string& path) {
  std::string text;
  size_t backslashes = 0; // just in front
  for (const char c : path) {
    if (c == ' ' || c == '#' || c == ':') text.append(backslashes + 1, '\\');
    if (c == '$') text += '$';
    text += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return text.append(backslashes, '\\');
}

} // namespace

Result<std::string> depfileText(const std::string& out, std::span<const std::string> filesRead,
                                bool hasPhony) {
  auto isBroken = [](const std::string& path) { return path.find_first_of("\r\n") != path.npos; };
  const auto broken = std::ranges::find_if(filesRead, isBroken);
  if (isBroken(out) || broken != filesRead.end()) {
    std::string shown = broken != filesRead.end() ? *broken : out;
    std::ranges::replace_if(
        shown, [](char c) { return c == '\n' || c == '\r'; }, '?');
    return failure(fmt::format("{}: a depfile (-MD) cannot hold a name with a line break", shown));
  }
  std::string text = escaped(out) + ":";
  for (const std::string& file : filesRead) text += " \\\n  " + escaped(file);
  text += "\n";
  for (size_t i = 1; hasPhony && i < filesRead.size(); ++i) text += escaped(filesRead[i]) + ":\n";
  return text;
}

} // namespace lanewise::driver
