// Differences of two texts: a unified diff (`--diff`), or both side by side.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// In the form of `diff -u` with three lines of context; "" when the texts are equal. Finds a
/// shortest edit script (E. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica
/// 1986); where the texts differ in more lines than is worth the time, the differing middle is
/// shown as one replacement.
std::string unifiedDiff(std::string_view before, std::string_view after,
                        const std::string& beforeName, const std::string& afterName);

/// In the form of `diff -y`: all lines of both in two columns that together are `columns` wide,
/// with `|` between lines that replace one another, `<` behind one that went and `>` before one
/// that came. Long lines are cut.
std::string sideBySide(std::string_view before, std::string_view after, uint32_t columns);

} // namespace lanewise::driver
