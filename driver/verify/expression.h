// Integer expressions over the parameters of a scenario: "width*height/32".
#pragma once

#include "result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// Name -> value.
using Parameters = std::map<std::string, int64_t, std::less<>>;

/// Evaluates `+ - * / %`, unary minus and parentheses over decimal or hexadecimal (0x) integers and
/// parameter names, in 64-bit signed arithmetic. `/` and `%` truncate towards zero as in C.
/// Overflow and division by zero are errors. The error names the column within `text`, from 1, and
/// for an unknown name the nearest parameter.
Result<int64_t> evaluateExpression(std::string_view text, const Parameters& parameters);

/// The name nearest to `word` by edit distance, empty if none is near enough to be a likely slip.
template <class Names>
std::string nearestName(std::string_view word, const Names& names);

/// Edits (insert, delete, replace, swap of neighbours) from `a` to `b`.
size_t editDistance(std::string_view a, std::string_view b);

template <class Names>
std::string nearestName(std::string_view word, const Names& names) {
  std::string best;
  size_t bestDistance =
      word.size() / 3 + 2; // "x" may be "y", "grops" may be "groups", "foo" not "width"
  for (const auto& name : names) {
    size_t distance = editDistance(word, name);
    if (distance < bestDistance) bestDistance = distance, best = name;
  }
  return best;
}

} // namespace lanewise::driver
