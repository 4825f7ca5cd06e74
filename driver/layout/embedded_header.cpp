#include "layout/embedded_header.h"

#include "layout/cpp_names.h"
#include "support/failure.h"
#include "support/files.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace lanewise::driver {
namespace {

constexpr uint32_t kMagic = 0x07230203; // SPIR-V 2.3

std::string wordsAsArray(std::string_view bytes, const std::string& name) {
  std::string text = fmt::format("inline constexpr std::uint32_t {}[] = {{", name);
  const std::vector<uint32_t> words = wordsOf(bytes);
  constexpr size_t kPerLine = 8;
  for (size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}0x{:08x},", i % kPerLine == 0 ? "\n    " : " ", words[i]);
  return text + "\n};\n";
}

/// Raw string literals need a delimiter that does not end them early.
std::string delimiterFor(std::string_view bytes) {
  for (uint32_t n = 0;; ++n) {
    std::string delimiter = n == 0 ? "shader" : fmt::format("shader{}", n);
    if (bytes.find(fmt::format("){}\"", delimiter)) == std::string_view::npos) return delimiter;
  }
}

/// A carriage return would become the end of a line in a raw literal, so it stands in one that is
/// not.
std::string rawLiteral(std::string_view bytes, const std::string& delimiter) {
  std::string text = fmt::format("R\"{}(", delimiter);
  for (char c : bytes) {
    if (c == '\r')
      text += fmt::format("){0}\" \"\\r\" R\"{0}(", delimiter);
    else
      text += c;
  }
  return text + fmt::format("){}\"", delimiter);
}

/// Several literals one behind the other are one: Visual C++ takes no longer ones.
std::string textAsString(std::string_view bytes, const std::string& name) {
  constexpr size_t kMostBytes = 8000;
  const std::string delimiter = delimiterFor(bytes);
  std::string text = fmt::format("inline constexpr char {}[] =", name);
  do {
    size_t size = std::min(bytes.size(), kMostBytes);
    // Whole lines, so that no literal ends within a character of several bytes.
    if (size < bytes.size())
      if (const size_t line = bytes.rfind('\n', size - 1); line != std::string_view::npos)
        size = line + 1;
    text += "\n    " + rawLiteral(bytes.substr(0, size), delimiter);
    bytes.remove_prefix(size);
  } while (!bytes.empty());
  return text + ";\n";
}

Status check(const EmbedRequest& request) {
  if (!isIdentifier(request.name))
    return failure(fmt::format("--name={}: not a valid C++ identifier", request.name));
  if (!request.space.empty() && !isIdentifierPath(request.space))
    return failure(fmt::format("--namespace={}: not a valid C++ namespace name", request.space));
  if (request.isText) {
    if (request.bytes.find('\0') != std::string_view::npos)
      return failure(request.source +
                     ": contains NUL bytes, so it is not text; a module's name must end in .spv");
    return ok();
  }
  const std::vector<uint32_t> words = wordsOf(request.bytes);
  if (request.bytes.size() % 4 != 0 || words.empty() || words[0] != kMagic)
    return failure(request.source + ": not a SPIR-V module");
  return ok();
}

} // namespace

Result<std::string> embeddedHeader(const EmbedRequest& request) {
  if (Status s = check(request); !s) return s.error();
  // In a comment, which a line break would end.
  std::string source = request.source;
  std::ranges::replace_if(
      source, [](char c) { return uint8_t(c) < 0x20 || c == 0x7F; }, '?');
  std::string text = fmt::format("// Written by `lanewise embed` from {}. C++17. Do not edit.\n"
                                 "#pragma once\n\n",
                                 source);
  if (!request.isText) text += "#include <cstdint>\n\n";
  if (!request.space.empty()) text += fmt::format("namespace {} {{\n\n", request.space);
  text += request.isText ? textAsString(request.bytes, request.name)
                         : wordsAsArray(request.bytes, request.name);
  if (!request.space.empty()) text += fmt::format("\n}} // namespace {}\n", request.space);
  return text;
}

} // namespace lanewise::driver
