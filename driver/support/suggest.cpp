#include "support/suggest.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <vector>

namespace lanewise::driver {

size_t editDistance(std::string_view a, std::string_view b) {
  // Rows of the usual table: the last two are needed for swaps.
  std::vector<size_t> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
    std::swap(beforeLast, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

namespace {

std::string inLowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = char(std::tolower(uint8_t(c)));
  return lower;
}

} // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string lower = inLowerCase(word);
  std::string best;
  size_t bestDistance = SIZE_MAX;
  for (const std::string& c : candidates) {
    size_t distance = editDistance(lower, inLowerCase(c));
    if (distance < bestDistance) bestDistance = distance, best = c;
  }
  if (bestDistance * 3 <= word.size()) return best;
  // The beginning of one name alone: "--pad-shared".
  constexpr size_t kLeastBeginning = 5;
  auto begins = [&](const std::string& c) { return c.starts_with(lower); };
  auto found = std::find_if(candidates.begin(), candidates.end(), begins);
  bool isOnly = found != candidates.end() && std::none_of(found + 1, candidates.end(), begins);
  return word.size() >= kLeastBeginning && isOnly ? *found : std::string();
}

std::string didYouMean(std::string_view word, std::span<const std::string> candidates,
                       std::string_view otherwise) {
  const std::string near = nearest(word, candidates);
  if (!near.empty()) return fmt::format("; did you mean '{}'?", near);
  return otherwise.empty() ? std::string() : fmt::format("; {}", otherwise);
}

} // namespace lanewise::driver
