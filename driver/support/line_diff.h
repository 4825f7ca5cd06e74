// A unified diff of two texts (`--diff`).
#pragma once

#include <string>
#include <string_view>

namespace lanewise::driver {

/// In the form of `diff -u` with three lines of context; "" when the texts are equal. Finds a
/// shortest edit script (E. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica
/// 1986); where the texts differ in more lines than is worth the time, the differing middle is
/// shown as one replacement.
std::string unifiedDiff(std::string_view before, std::string_view after,
                        const std::string& beforeName, const std::string& afterName);

} // namespace lanewise::driver
