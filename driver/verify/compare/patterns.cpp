#include "verify/compare/patterns.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <set>

namespace lanewise::driver {
namespace {

constexpr uint64_t kLeast = 3; // elements that are enough for a pattern
constexpr double kChance = 0.05;

// Whether something that holds for such a share of all would seldom hold for `count` by chance.
bool isTelling(double share, uint64_t count) {
  return share < 1 && std::pow(share, double(count)) <= kChance;
}

std::string ordinal(uint64_t n) {
  const uint64_t tens = n % 100;
  const bool isTeen = tens >= 11 && tens <= 13;
  const char* suffix = isTeen        ? "th"
                       : n % 10 == 1 ? "st"
                       : n % 10 == 2 ? "nd"
                       : n % 10 == 3 ? "rd"
                                     : "th";
  return fmt::format("{}{}", n, suffix);
}

// Numbers, ascending and distinct, in a range of all numbers below `end`.
struct Numbers {
  std::vector<uint64_t> all;
  uint64_t end = 0;

  uint64_t first() const { return all.front(); }
  uint64_t last() const { return all.back(); }
  uint64_t span() const { return last() - first() + 1; }
  // The greatest common divisor of the gaps; 0 for a single number.
  uint64_t step() const {
    uint64_t step = 0;
    for (size_t n = 1; n < all.size(); ++n) step = std::gcd(step, all[n] - all[n - 1]);
    return step;
  }
};

Numbers numbersOf(const BufferDifference& difference) {
  Numbers numbers{{}, difference.elements};
  for (const DifferingElement& one : difference.listed) numbers.all.push_back(one.index);
  return numbers;
}

std::string rangeText(const Numbers& numbers) {
  if (numbers.span() == 1) return fmt::format("{}", numbers.first());
  return fmt::format("{}-{}", numbers.first(), numbers.last());
}

// "every 32nd from 31", as far as the numbers have a step.
std::optional<std::string> stepText(const Numbers& numbers, const std::string& noun,
                                    uint64_t evidence) {
  const uint64_t step = numbers.step();
  if (step < 2 || !isTelling(1 / double(step), evidence - 1)) return {};
  const bool isEach = numbers.span() / step + 1 == numbers.all.size();
  const bool isToEnd = numbers.last() + step >= numbers.end;
  const std::string each = fmt::format("every {}{} from {}", ordinal(step), noun, numbers.first());
  if (!isEach) return "only some of " + each;
  return isToEnd ? each : fmt::format("{} to {}", each, numbers.last());
}

// A stretch of elements, of which a few may agree by chance.
std::optional<std::string> stretchText(const Numbers& numbers) {
  const uint64_t count = numbers.all.size(), span = numbers.span();
  const bool isWhole = count == span;
  if (!isWhole && (2 * count < span || 2 * span > numbers.end || count < 8)) return {};
  std::string text = "elements " + rangeText(numbers);
  if (numbers.last() + 1 == numbers.end)
    text += fmt::format(", the last {}", span);
  else if (numbers.first() == 0)
    text += fmt::format(", the first {}", span);
  return isWhole ? text : fmt::format("{} ({} of them)", text, count);
}

std::string valueText(uint8_t traits) {
  if (traits & kUnwrittenByTransformed)
    return "only elements that the transformed module never writes";
  if (traits & kUnwrittenByOriginal) return "only elements that the original never writes";
  if (traits & kOriginalNan && traits & kTransformedNan) return "only NaNs";
  if (traits & kOriginalNan) return "only where the original is NaN";
  if (traits & kTransformedNan) return "only where the transformed module gives NaN";
  return traits & kNegative ? "only negative values" : "";
}

// ----- invocations -----

uint64_t countOf(const std::vector<bool>& flags) {
  return uint64_t(std::count(flags.begin(), flags.end(), true));
}

template <class Of>
Numbers distinct(std::span<const Invocation> writers, uint64_t end, Of of) {
  std::set<uint64_t> seen;
  for (const Invocation& writer : writers) seen.insert(of(writer));
  return {{seen.begin(), seen.end()}, end};
}

std::string ofWorkgroups(const Numbers& groups, const WriterGrid& grid) {
  const uint64_t writing = countOf(grid.wrote);
  if (writing == 1) return "";
  return groups.all.size() == writing ? " of each workgroup" : " of some workgroups";
}

// All in one workgroup, or in one row, column or slice of them.
std::string workgroupText(std::span<const Invocation> writers, const Numbers& groups,
                          const WriterGrid& grid) {
  const uint64_t writing = countOf(grid.wrote), evidence = writers.size() - 1;
  if (writing < 2) return {};
  if (groups.all.size() == 1) {
    if (!isTelling(1 / double(writing), evidence)) return {};
    if (groups.first() + 1 == groups.end) return "only the last workgroup";
    return groups.first() == 0 ? "only the first workgroup"
                               : fmt::format("only workgroup {}", groups.first());
  }
  uint64_t stride = 1;
  for (uint32_t d = 0; d < 3; stride *= grid.groups[d++]) {
    const uint64_t count = grid.groups[d];
    if (count == groups.end || count < 2) continue; // that is all there is
    const Numbers at = distinct(writers, count, [&](const Invocation& writer) {
      return writer.workgroup / stride % count;
    });
    if (at.all.size() != 1 || !isTelling(1 / double(count), evidence)) continue;
    return fmt::format("only workgroups with {} = {}{}", "xyz"[d], at.first(),
                       at.first() + 1 == count ? ", the last" : "");
  }
  return {};
}

std::string laneText(std::span<const Invocation> writers, const Numbers& groups,
                     const WriterGrid& grid) {
  const Numbers lanes =
      distinct(writers, grid.lanes, [](const Invocation& writer) { return writer.lane; });
  const uint64_t writing = countOf(grid.laneWrote), evidence = writers.size() - 1;
  if (lanes.all.size() == 1)
    return isTelling(1 / double(writing), evidence)
               ? fmt::format("only invocation {}{}{}", lanes.first(),
                             lanes.first() + 1 == lanes.end ? ", the last," : "",
                             ofWorkgroups(groups, grid))
               : "";
  if (lanes.all.size() == writing) return {};
  if (auto text = stepText(lanes, " invocation", writers.size()))
    return *text + ofWorkgroups(groups, grid);
  const bool isStretch = lanes.all.size() == lanes.span();
  if (!isStretch || !isTelling(double(lanes.span()) / double(writing), evidence)) return {};
  return fmt::format("only invocations {}{}", rangeText(lanes), ofWorkgroups(groups, grid));
}

} // namespace

bool DifferenceTally::add(const DifferingElement& element, uint8_t traits) {
  const bool isFirst = difference_.differing++ == 0;
  if (isFirst) difference_.firstIndex = element.index;
  common_ &= traits;
  if (difference_.differing <= kMostListed)
    difference_.listed.push_back(element);
  else
    difference_.listed = {};
  return isFirst;
}

void DifferenceTally::finish(const std::function<double(uint8_t trait)>& shareOf) {
  difference_.pattern = indexPattern(difference_);
  if (difference_.differing < kLeast) return;
  uint8_t traits = common_;
  for (uint8_t trait : {uint8_t(kOriginalNan), uint8_t(kNegative)})
    if (traits & trait && !isTelling(shareOf(trait), difference_.differing))
      traits = uint8_t(traits & ~trait);
  difference_.values = valueText(traits);
}

std::string indexPattern(const BufferDifference& difference) {
  const uint64_t count = difference.differing, elements = difference.elements;
  if (elements < 2) return {};
  if (count == elements) return "all";
  if (difference.listed.empty()) return {};
  const Numbers numbers = numbersOf(difference);
  if (count < kLeast) {
    if (numbers.last() + 1 != elements || numbers.span() != count) return {};
    return count == 1 ? "the last element" : fmt::format("the last {} elements", count);
  }
  if (auto text = stepText(numbers, "", count)) return *text;
  return stretchText(numbers).value_or("");
}

std::string invocationPattern(std::span<const Invocation> writers, const WriterGrid& grid) {
  if (writers.size() < kLeast) return {};
  const uint64_t all = uint64_t(grid.groups[0]) * grid.groups[1] * grid.groups[2];
  const Numbers groups =
      distinct(writers, all, [](const Invocation& writer) { return writer.workgroup; });
  const std::string workgroup = workgroupText(writers, groups, grid);
  if (!workgroup.empty()) return workgroup;
  return laneText(writers, groups, grid);
}

std::string withInvocations(const BufferDifference& difference, const std::string& invocations) {
  if (difference.differing == difference.elements) return difference.pattern;
  const Numbers numbers = numbersOf(difference);
  if (numbers.span() != numbers.all.size()) return invocations;
  return fmt::format("elements {}: {}", rangeText(numbers), invocations);
}

} // namespace lanewise::driver
