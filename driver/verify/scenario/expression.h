// Integer expressions over the parameters of a scenario, "width*height/32", and comparisons of
// them.
#pragma once

#include "lanewise/result.h"

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

/// Evaluates two such expressions with one of `== != < <= > >=` between them.
Result<bool> evaluateCondition(std::string_view text, const Parameters& parameters);

} // namespace lanewise::driver
