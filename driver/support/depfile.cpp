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

std::string depfileText(const std::string& out, std::span<const std::string> filesRead) {
  std::string text = escaped(out) + ":";
  for (const std::string& file : filesRead) text += " \\\n  " + escaped(file);
  return text + "\n";
}

} // namespace lanewise::driver
