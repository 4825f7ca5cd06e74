#include "layout/cpp_names.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>

namespace lanewise::driver {
namespace {

constexpr std::string_view kKeywords[] = {"alignas",       "alignof",      "and",
                                          "and_eq",        "asm",          "auto",
                                          "bitand",        "bitor",        "bool",
                                          "break",         "case",         "catch",
                                          "char",          "char16_t",     "char32_t",
                                          "char8_t",       "class",        "co_await",
                                          "co_return",     "co_yield",     "compl",
                                          "concept",       "const",        "const_cast",
                                          "consteval",     "constexpr",    "constinit",
                                          "continue",      "decltype",     "default",
                                          "delete",        "do",           "double",
                                          "dynamic_cast",  "else",         "enum",
                                          "explicit",      "export",       "extern",
                                          "false",         "float",        "for",
                                          "friend",        "goto",         "if",
                                          "inline",        "int",          "long",
                                          "mutable",       "namespace",    "new",
                                          "noexcept",      "not",          "not_eq",
                                          "nullptr",       "operator",     "or",
                                          "or_eq",         "private",      "protected",
                                          "public",        "register",     "reinterpret_cast",
                                          "requires",      "return",       "short",
                                          "signed",        "sizeof",       "static",
                                          "static_assert", "static_cast",  "std",
                                          "struct",        "switch",       "template",
                                          "this",          "thread_local", "throw",
                                          "true",          "try",          "typedef",
                                          "typeid",        "typename",     "union",
                                          "unsigned",      "using",        "virtual",
                                          "void",          "volatile",     "wchar_t",
                                          "while",         "xor",          "xor_eq"};

/// Those without arguments that a shader's names could be: of C, gcc, Windows and X11.
constexpr std::string_view kMacros[] = {
    "NULL",  "EOF",    "errno",   "stdin",  "stdout",    "stderr",   "INFINITY",
    "NAN",   "DOMAIN", "I",       "linux",  "unix",      "near",     "far",
    "small", "hyper",  "IN",      "OUT",    "OPTIONAL",  "TRUE",     "FALSE",
    "ERROR", "DELETE", "CONST",   "VOID",   "interface", "CALLBACK", "OVERFLOW",
    "None",  "Always", "Above",   "Below",  "Bool",      "Status",   "Success",
    "True",  "False",  "Complex", "BUFSIZ", "RAND_MAX",  "UNDERFLOW"};

/// Of ASCII alone, whatever the locale.
bool isLetterOrDigit(char c) {
  return std::isalnum(uint8_t(c)) && uint8_t(c) < 128;
}

} // namespace

bool isCppKeyword(std::string_view name) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords);
}

std::string identifierFor(std::string_view text, std::string_view otherwise) {
  std::string name;
  for (char c : text) {
    if (isLetterOrDigit(c))
      name += c;
    else if (!name.empty() && name.back() != '_') // two in a row are reserved
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) name = otherwise;
  if (std::isdigit(uint8_t(name[0]))) name.insert(0, "n");
  const bool isMacro = std::find(std::begin(kMacros), std::end(kMacros), name) != std::end(kMacros);
  if (isCppKeyword(name) || isMacro) name += "_";
  return name;
}

bool isIdentifier(std::string_view name) {
  const auto isPlain = [](char c) { return isLetterOrDigit(c) || c == '_'; };
  return !name.empty() && !std::isdigit(uint8_t(name[0])) && std::ranges::all_of(name, isPlain) &&
         !isCppKeyword(name);
}

bool isIdentifierPath(std::string_view space) {
  const size_t colons = space.find("::");
  return isIdentifier(space.substr(0, colons)) &&
         (colons == std::string_view::npos || isIdentifierPath(space.substr(colons + 2)));
}

} // namespace lanewise::driver
