#include "verify/compare/compare.h"

#include "verify/compare/compare_images.h"
#include "verify/compare/patterns.h"
#include "verify/formats/scalars.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace lanewise::driver {
namespace {

bool isAll(const uint8_t* from, uint32_t size, uint8_t byte) {
  for (uint32_t i = 0; i < size; ++i)
    if (from[i] != byte) return false;
  return true;
}

uint64_t loadBits(ScalarType type, const uint8_t* from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, byteSize(type));
  return bits;
}

bool isNan(ScalarType type, const uint8_t* from) {
  return isFloat(type) && std::isnan(decodeScalar(type, from));
}

// Two scalars under one rule, and the sentence for when they differ.
class ScalarRule {
public:
  ScalarRule(const ScenarioBuffer& buffer, std::optional<uint8_t> poisonA,
             std::optional<uint8_t> poisonB)
      : poisonA_(poisonA), poisonB_(poisonB) {
    if (const auto* ulp = std::get_if<CompareUlp>(&buffer.compare)) ulp_ = ulp;
    tolerance_ = std::get_if<CompareTolerance>(&buffer.compare);
    const auto* exact = std::get_if<CompareExact>(&buffer.compare);
    anyNan_ = exact && exact->anyNan;
  }

  bool areEqual(ScalarType type, const uint8_t* a, const uint8_t* b) const {
    uint32_t size = byteSize(type);
    if (std::memcmp(a, b, size) == 0) return true;
    if (isUntouched(a, size, poisonA_) || isUntouched(b, size, poisonB_))
      return isUntouched(a, size, poisonA_) && isUntouched(b, size, poisonB_);
    if (anyNan_) return isNan(type, a) && isNan(type, b);
    if (ulp_ && isFloat(type)) {
      if (isNan(type, a) || isNan(type, b)) return isNan(type, a) && isNan(type, b);
      return ulpDistance(type, a, b) <= ulp_->ulps;
    }
    if (tolerance_) {
      double x = decodeScalar(type, a), y = decodeScalar(type, b);
      if (!isFloat(type)) return allows(*tolerance_, x, y, integersApart(type, a, b));
      if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
      if (std::isinf(x) || std::isinf(y)) return x == y;
      return std::fabs(x - y) <= allowedBy(*tolerance_, x, y);
    }
    return false;
  }

  // Of two that differ.
  uint8_t traits(ScalarType type, const uint8_t* a, const uint8_t* b) const {
    uint32_t size = byteSize(type);
    uint8_t traits = 0;
    if (isUntouched(a, size, poisonA_)) traits |= kUnwrittenByOriginal;
    if (isUntouched(b, size, poisonB_)) traits |= kUnwrittenByTransformed;
    if (traits) return traits;
    if (isFloat(type) && isNan(type, a)) traits |= kOriginalNan;
    if (isFloat(type) && isNan(type, b)) traits |= kTransformedNan;
    if (isNegative(type, a)) traits |= kNegative;
    return traits;
  }
  // Whether a scalar that the original left has the trait.
  bool hasTrait(uint8_t trait, ScalarType type, const uint8_t* a) const {
    if (isUntouched(a, byteSize(type), poisonA_)) return false;
    return trait == kNegative ? isNegative(type, a) : isFloat(type) && isNan(type, a);
  }

  std::string explain(ScalarType type, const uint8_t* a, const uint8_t* b) const {
    uint32_t size = byteSize(type);
    if (isUntouched(b, size, poisonB_)) return "the second run left it unwritten";
    if (isUntouched(a, size, poisonA_)) return "the first run left it unwritten";
    if ((isNan(type, a) || isNan(type, b)) && (ulp_ || tolerance_ || anyNan_))
      return "only one is a NaN";
    if (ulp_ && isFloat(type)) {
      uint64_t distance = ulpDistance(type, a, b);
      return distance == std::numeric_limits<uint64_t>::max()
                 ? std::string("an infinity equals only itself")
                 : fmt::format("{} ulp apart, {} allowed", distance, ulp_->ulps);
    }
    if (tolerance_) {
      double x = decodeScalar(type, a), y = decodeScalar(type, b);
      const double apart = isFloat(type) ? std::fabs(x - y) : double(integersApart(type, a, b));
      return fmt::format("{:.6g} apart, {:.6g} allowed", apart, allowedBy(*tolerance_, x, y));
    }
    return "bitwise";
  }

private:
  static bool isUntouched(const uint8_t* from, uint32_t size, std::optional<uint8_t> poison) {
    return poison && isAll(from, size, *poison);
  }
  static bool isNegative(ScalarType type, const uint8_t* from) {
    return decodeScalar(type, from) < 0;
  }
  static uint64_t integersApart(ScalarType type, const uint8_t* a, const uint8_t* b) {
    return integerDistance(isSignedInteger(type), decodeInteger(type, a), decodeInteger(type, b));
  }

  const CompareUlp* ulp_ = nullptr;
  const CompareTolerance* tolerance_ = nullptr;
  bool anyNan_ = false;
  std::optional<uint8_t> poisonA_, poisonB_;
};

std::string formatElement(std::span<const ScalarType> scalars, const uint8_t* from) {
  std::string text;
  for (ScalarType type : scalars) {
    if (!text.empty()) text += ", ";
    text += formatScalar(type, from);
    from += byteSize(type);
  }
  return scalars.size() == 1 ? text : "(" + text + ")";
}

std::optional<BufferDifference> compareHeader(const ScenarioBuffer& buffer, const uint8_t* a,
                                              const uint8_t* b, const ScalarRule& rule) {
  for (size_t i = 0; i < buffer.header.size(); ++i) {
    ScalarType type = buffer.header[i].type;
    if (!rule.areEqual(type, a, b)) {
      BufferDifference difference{buffer.name, buffer.count, 0, 0, {}, {}, {}};
      difference.original = formatScalar(type, a);
      difference.transformed = formatScalar(type, b);
      difference.detail = fmt::format("value {} of the header: {}", i, rule.explain(type, a, b));
      return difference;
    }
    a += byteSize(type), b += byteSize(type);
  }
  return std::nullopt;
}

// Of all elements, how many have a scalar with the trait.
double shareOf(uint8_t trait, const ScenarioBuffer& buffer, const uint8_t* a,
               const ScalarRule& rule) {
  uint64_t having = 0;
  for (uint64_t i = 0; i < buffer.count; ++i) {
    bool has = false;
    for (ScalarType type : buffer.elements) {
      has |= rule.hasTrait(trait, type, a);
      a += byteSize(type);
    }
    having += has;
  }
  return double(having) / double(buffer.count);
}

std::optional<BufferDifference> compareInOrder(const ScenarioBuffer& buffer, const uint8_t* a,
                                               const uint8_t* b, const ScalarRule& rule) {
  BufferDifference difference{buffer.name, buffer.count, 0, 0, {}, {}, {}};
  DifferenceTally tally(difference);
  const uint8_t* first = a;
  size_t elementBytes = buffer.elementBytes();
  for (uint64_t i = 0; i < buffer.count; ++i, a += elementBytes, b += elementBytes) {
    if (std::memcmp(a, b, elementBytes) == 0) continue;
    size_t at = 0;
    for (ScalarType type : buffer.elements) {
      if (!rule.areEqual(type, a + at, b + at)) {
        if (tally.add({i, uint32_t(at), byteSize(type)}, rule.traits(type, a + at, b + at))) {
          difference.original = formatElement(buffer.elements, a);
          difference.transformed = formatElement(buffer.elements, b);
          difference.detail = rule.explain(type, a + at, b + at);
        }
        break;
      }
      at += byteSize(type);
    }
  }
  if (difference.differing == 0) return std::nullopt;
  tally.finish([&](uint8_t trait) { return shareOf(trait, buffer, first, rule); });
  return difference;
}

using Element = std::vector<uint8_t>;

// As a multiset compares it: unwritten scalars become zero, so that they agree between runs that
// were poisoned differently, and where all NaNs are equal they become one.
void readElement(const ScenarioBuffer& buffer, const uint8_t* from, std::optional<uint8_t> poison,
                 Element& element) {
  const auto* exact = std::get_if<CompareExact>(&std::get<CompareMultiset>(buffer.compare).each);
  const bool isAnyNan = exact && exact->anyNan;
  element.assign(from, from + buffer.elementBytes());
  if (!poison && !isAnyNan) return;
  size_t at = 0;
  for (ScalarType type : buffer.elements) {
    uint32_t size = byteSize(type);
    if (poison && isAll(&element[at], size, *poison)) std::fill_n(&element[at], size, uint8_t(0));
    if (isAnyNan && isNan(type, &element[at])) std::fill_n(&element[at], size, uint8_t(0xFF));
    at += size;
  }
}

std::optional<BufferDifference> compareMultiset(const ScenarioBuffer& buffer, const uint8_t* a,
                                                const uint8_t* b, std::optional<uint8_t> poisonA,
                                                std::optional<uint8_t> poisonB) {
  if (poisonA == poisonB) poisonA = poisonB = std::nullopt; // as they are: unwritten looks the same
  // What is the same at the same place adds the same to both sides.
  std::vector<Element> left, right;
  Element one, other;
  const size_t elementBytes = buffer.elementBytes();
  for (uint64_t i = 0; i < buffer.count; ++i) {
    const uint8_t *x = a + i * elementBytes, *y = b + i * elementBytes;
    if (poisonA == poisonB && std::memcmp(x, y, elementBytes) == 0) continue;
    readElement(buffer, x, poisonA, one);
    readElement(buffer, y, poisonB, other);
    if (one == other) continue;
    left.push_back(one);
    right.push_back(other);
  }
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  std::vector<Element> onlyLeft, onlyRight;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(),
                      std::back_inserter(onlyLeft));
  if (onlyLeft.empty()) return std::nullopt;
  std::set_difference(right.begin(), right.end(), left.begin(), left.end(),
                      std::back_inserter(onlyRight));
  BufferDifference difference{buffer.name, buffer.count, onlyLeft.size(),         0, {},
                              {},          {},           buffer.image.has_value()};
  // Where the first run has it; an unwritten element is not found and counts as index 0.
  for (uint64_t i = 0; i < buffer.count; ++i)
    if (std::memcmp(a + i * elementBytes, onlyLeft[0].data(), elementBytes) == 0) {
      difference.firstIndex = i;
      break;
    }
  difference.original = formatElement(buffer.elements, onlyLeft[0].data());
  difference.transformed = formatElement(buffer.elements, onlyRight[0].data());
  difference.detail =
      "as a multiset: the first value occurs only in the first run, the second only in the second";
  return difference;
}

// The numbers of the elements, ascending by value; NaNs and what was not written last.
std::vector<uint64_t> orderByValue(const ScenarioBuffer& buffer, const uint8_t* from,
                                   std::optional<uint8_t> poison) {
  const size_t scalars = buffer.elements.size();
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; i < buffer.count; ++i)
    for (ScalarType type : buffer.elements) {
      const bool isLast = poison && isAll(from, byteSize(type), *poison);
      keys.push_back(isLast ? ~uint64_t(0) : orderKey(type, from));
      from += byteSize(type);
    }
  std::vector<uint64_t> order(buffer.count);
  std::iota(order.begin(), order.end(), uint64_t(0));
  std::stable_sort(order.begin(), order.end(), [&](uint64_t x, uint64_t y) {
    const uint64_t* at = keys.data();
    return std::lexicographical_compare(at + x * scalars, at + (x + 1) * scalars, at + y * scalars,
                                        at + (y + 1) * scalars);
  });
  return order;
}

// The same where elements need not be equal bit by bit: the n-th by value of both.
std::optional<BufferDifference> compareByValue(const ScenarioBuffer& buffer, const uint8_t* a,
                                               const uint8_t* b, std::optional<uint8_t> poisonA,
                                               std::optional<uint8_t> poisonB) {
  ScenarioBuffer sorted = buffer;
  sorted.header.clear();
  std::visit([&](auto each) { sorted.compare = each; },
             std::get<CompareMultiset>(buffer.compare).each);
  const size_t size = buffer.elementBytes();
  const std::vector<uint64_t> orderA = orderByValue(buffer, a, poisonA),
                              orderB = orderByValue(buffer, b, poisonB);
  std::vector<uint8_t> left, right;
  for (uint64_t i = 0; i < buffer.count; ++i) {
    left.insert(left.end(), a + orderA[i] * size, a + (orderA[i] + 1) * size);
    right.insert(right.end(), b + orderB[i] * size, b + (orderB[i] + 1) * size);
  }
  auto difference =
      compareInOrder(sorted, left.data(), right.data(), ScalarRule(sorted, poisonA, poisonB));
  if (!difference) return difference;
  difference->firstIndex = orderA[difference->firstIndex];
  difference->listed.clear(), difference->pattern.clear(); // places in the sorted elements
  difference->detail = "as a multiset: " + difference->detail;
  difference->isImage = buffer.image.has_value();
  return difference;
}

// Close to how scenarios spell it: "f32", "u32x2", "[f32x3, u32]".
std::string elementType(const ScenarioBuffer& buffer) {
  if (buffer.image)
    return fmt::format("{} {}", nameOf(buffer.image->dimension), infoOf(buffer.image->format).name);
  std::vector<std::string> runs;
  const std::vector<ScalarType>& scalars = buffer.elements;
  for (size_t first = 0, end = 0; first < scalars.size(); first = end) {
    while (end < scalars.size() && scalars[end] == scalars[first]) ++end;
    const std::string name(nameOf(scalars[first]));
    runs.push_back(end - first == 1 ? name : fmt::format("{}x{}", name, end - first));
  }
  return runs.size() == 1 ? runs[0] : fmt::format("[{}]", fmt::join(runs, ", "));
}

std::string ruleText(const Compare& compare) {
  if (const auto* ulp = std::get_if<CompareUlp>(&compare))
    return fmt::format("at most {} ulp apart", ulp->ulps);
  if (const auto* tolerance = std::get_if<CompareTolerance>(&compare))
    return fmt::format("tolerance {:g} absolute, {:g} relative", tolerance->absolute,
                       tolerance->relative);
  return std::holds_alternative<CompareMultiset>(compare) ? "bitwise, in any order" : "bitwise";
}

} // namespace

ComparedResource describeCompared(const ScenarioBuffer& buffer) {
  return {buffer.name,    elementType(buffer),      buffer.count,
          buffer.bytes(), ruleText(buffer.compare), buffer.image.has_value()};
}

double allowedBy(const CompareTolerance& tolerance, double a, double b) {
  return std::max(tolerance.absolute, tolerance.relative * std::max(std::fabs(a), std::fabs(b)));
}

bool allows(const CompareTolerance& tolerance, double a, double b, uint64_t apart) {
  const double allowed = allowedBy(tolerance, a, b);
  return allowed >= 0x1p64 || apart <= uint64_t(allowed);
}

uint64_t ulpDistance(ScalarType type, const uint8_t* a, const uint8_t* b) {
  double x = decodeScalar(type, a), y = decodeScalar(type, b);
  if (std::isinf(x) || std::isinf(y)) return x == y ? 0 : std::numeric_limits<uint64_t>::max();
  // Sign and magnitude -> a line of integers on which neighbours are one apart and 0 and -0
  // coincide.
  auto onLine = [type](const uint8_t* from) {
    uint64_t bits = loadBits(type, from);
    uint64_t sign = uint64_t(1) << (8 * byteSize(type) - 1);
    return bits & sign ? -int64_t(bits & ~sign) : int64_t(bits);
  };
  int64_t left = onLine(a), right = onLine(b);
  return left > right ? uint64_t(left) - uint64_t(right) : uint64_t(right) - uint64_t(left);
}

std::optional<BufferDifference>
compareContents(const ScenarioBuffer& buffer, BufferContents original, BufferContents transformed) {
  if (std::holds_alternative<CompareNone>(buffer.compare)) return std::nullopt;
  const uint8_t *a = original.bytes.data(), *b = transformed.bytes.data();
  if (std::equal(a, a + buffer.bytes(), b)) return std::nullopt; // of no bytes, too
  const auto* multiset = std::get_if<CompareMultiset>(&buffer.compare);
  if (buffer.image && !multiset) return compareTexels(buffer, original, transformed);
  ScalarRule rule(buffer, original.poison, transformed.poison);
  if (auto difference = compareHeader(buffer, a, b, rule)) return difference;
  a += buffer.headerBytes(), b += buffer.headerBytes();
  if (multiset)
    return (std::holds_alternative<CompareExact>(multiset->each)
                ? compareMultiset
                : compareByValue)(buffer, a, b, original.poison, transformed.poison);
  return compareInOrder(buffer, a, b, rule);
}

} // namespace lanewise::driver
