// Names in C++, and in the headers that Lanewise writes.
#pragma once

#include <string>
#include <string_view>

namespace lanewise::driver {

/// A name that C++ takes, made of one that may hold anything: letters and digits stay, each run of
/// anything else becomes one '_'; "n" goes before a digit in front, '_' behind a keyword.
/// `otherwise` where nothing is left.
std::string identifierFor(std::string_view text, std::string_view otherwise);

bool isCppKeyword(std::string_view name);
/// Whether `name` can name a variable.
bool isIdentifier(std::string_view name);
/// Whether `space` can stand behind `namespace`: identifiers with "::" between them.
bool isIdentifierPath(std::string_view space);

} // namespace lanewise::driver
