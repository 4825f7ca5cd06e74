#include "options/shell_text.h"

namespace lanewise::driver {

std::string shellWord(std::string_view word) {
  if (!word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?[]{}`~#!") == word.npos)
    return std::string(word);
  std::string quoted = "'";
  for (const char c : word)
    if (c == '\'')
      quoted += "'\\''"; // no escape inside: out, an escaped one, in again
    else
      quoted += c;
  return quoted + "'";
}

std::string shellCommand(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shellWord(word);
  return text;
}

} // namespace lanewise::driver
