#include "options/response_file.h"

#include "support/failure.h"
#include "support/files.h"

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

namespace lanewise::driver {

namespace {

/// A file that names itself would go on for ever.
constexpr uint32_t kMostNested = 16;

Status expand(const std::string& argument, uint32_t depth, std::vector<std::string>& out) {
  std::error_code ignored;
  const std::string file = argument.starts_with('@') ? argument.substr(1) : "";
  if (file.empty() || !std::filesystem::exists(file, ignored)) {
    out.push_back(argument);
    return ok();
  }
  if (depth == kMostNested)
    return failure(fmt::format("@{}: response files are nested more than {} deep", file, depth));
  Result<std::string> text = readRegularFile(file);
  if (!text) return failure(fmt::format("@{}: {}", file, text.error().message));
  keepFile(file);
  for (const std::string& word : splitResponse(withoutByteOrderMark(*text)))
    if (Status s = expand(word, depth + 1, out); !s) return s;
  return ok();
}

} // namespace

std::vector<std::string> splitResponse(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool isInWord = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      isInWord = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      isInWord = true; // "" is a word
    } else if (std::isspace(uint8_t(c))) {
      if (isInWord) words.push_back(std::move(word));
      word.clear();
      isInWord = false;
    } else {
      word += c;
      isInWord = true;
    }
  }
  if (isInWord) words.push_back(std::move(word));
  return words;
}

Result<std::vector<std::string>> expandResponseFiles(std::span<char* const> arguments) {
  std::vector<std::string> out;
  for (size_t n = 0; n < arguments.size(); ++n) {
    if (std::string_view(arguments[n]) == "--") {
      out.insert(out.end(), arguments.begin() + ptrdiff_t(n), arguments.end());
      break;
    }
    if (Status s = expand(arguments[n], 0, out); !s) return s.error();
  }
  return out;
}

std::vector<std::string> splitConfig(const std::string& text) {
  std::vector<std::string> flags;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    flags.insert(flags.end(), std::istream_iterator<std::string>(words), {});
  }
  return flags;
}

} // namespace lanewise::driver
