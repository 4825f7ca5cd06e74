#include "support/depfile.h"

namespace lanewise::driver {

namespace {

std::string escaped(const std::string& path) {
  std::string text;
  for (char c : path) {
    if (c == ' ' || c == '#' || c == '\\') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

} // namespace

std::string depfileText(const std::string& out, std::span<const std::string> filesRead,
                        bool hasPhony) {
  std::string text = escaped(out) + ":";
  for (const std::string& file : filesRead) text += " \\\n  " + escaped(file);
  text += "\n";
  for (size_t i = 1; hasPhony && i < filesRead.size(); ++i) text += escaped(filesRead[i]) + ":\n";
  return text;
}

} // namespace lanewise::driver
