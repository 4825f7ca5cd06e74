#include "support/depfile.h"

#include "support/failure.h"

#include <algorithm>

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
  if (isBroken(out) || std::ranges::any_of(filesRead, isBroken))
    return failure("a depfile (-MD) cannot hold the name of a file with a line break");
  std::string text = escaped(out) + ":";
  for (const std::string& file : filesRead) text += " \\\n  " + escaped(file);
  text += "\n";
  for (size_t i = 1; hasPhony && i < filesRead.size(); ++i) text += escaped(filesRead[i]) + ":\n";
  return text;
}

} // namespace lanewise::driver
