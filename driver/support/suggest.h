// "did you mean": the nearest of a list of names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// Least number of insertions, deletions, replacements and swaps of neighbours from `a` to `b`.
size_t editDistance(std::string_view a, std::string_view b);

/// The candidate nearest to `word` but for upper and lower case, the first of equals; else the only
/// one that begins with it. "" when none is near enough to be meant (more than a third of its
/// letters differ).
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// What ends a message about an unknown `word`: "; did you mean 'NAME'?", or "; OTHERWISE" where
/// nothing is near enough, or nothing where that is empty.
std::string didYouMean(std::string_view word, std::span<const std::string> candidates,
                       std::string_view otherwise = {});

} // namespace lanewise::driver
