#include "verify/compare/order_rules.h"

#include "verify/formats/image_formats.h"
#include "verify/formats/scalars.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace lanewise::driver {
namespace {

/// Scalars of a buffer that are told apart: a struct of a long array has as many in its header.
constexpr size_t kMostParts = 64;

/// The scalars of a buffer: those of the header, then those of an element.
size_t partCount(const ScenarioBuffer& buffer) {
  return buffer.header.size() + buffer.elements.size();
}

ScalarType typeOf(const ScenarioBuffer& buffer, uint32_t part) {
  const size_t header = buffer.header.size();
  return part < header ? buffer.header[part].type : buffer.elements[part - header];
}

/// Whether its scalars can be told apart. Components of a fixed-point image are rounded, which only
/// a comparison of texels knows of.
bool hasParts(const ScenarioBuffer& buffer) {
  const size_t count = partCount(buffer);
  if (count < 2 || count > kMostParts) return false;
  if (!buffer.image) return true;
  const ImageFormatInfo& format = infoOf(buffer.image->format);
  return format.kind == TexelKind::Float || format.isInteger();
}

/// One tolerance for all would be that of the halves.
bool hasHalvesBesideOthers(const ScenarioBuffer& buffer) {
  const auto isHalf = [](ScalarType type) { return type == ScalarType::F16; };
  const auto isOther = [](ScalarType type) { return isFloat(type) && type != ScalarType::F16; };
  return std::ranges::any_of(buffer.elements, isHalf) &&
         std::ranges::any_of(buffer.elements, isOther);
}

/// Where the scalar stands in the header or in an element.
uint64_t offsetOf(const ScenarioBuffer& buffer, uint32_t part) {
  uint64_t offset = 0;
  for (uint32_t n = part < buffer.header.size() ? 0 : uint32_t(buffer.header.size()); n < part; ++n)
    offset += byteSize(typeOf(buffer, n));
  return offset;
}

OrderRule weakerThan(OrderRule rule, const Compare& given) {
  if (rule == OrderRule::InPlace && !std::holds_alternative<CompareMultiset>(given))
    return OrderRule::Multiset;
  if (rule < OrderRule::Rounding && std::holds_alternative<CompareExact>(given))
    return OrderRule::Rounding;
  return OrderRule::Ignored;
}

std::string nameOfPart(const OrderDependence& dependence, size_t part) {
  const size_t header = dependence.headerParts;
  return part < header ? fmt::format("value {} of the header", part)
                       : fmt::format("value {} of an element", part - header);
}

} // namespace

OrderRule OrderDependence::ruleOf(std::optional<uint32_t> part) const {
  if (!part) return rule;
  return *part < parts.size() ? parts[*part] : OrderRule::Multiset;
}

bool OrderDependence::leavesOut() const {
  return rule == OrderRule::Ignored ||
         std::find(parts.begin(), parts.end(), OrderRule::Ignored) != parts.end();
}

void OrderDependence::weaken(const ScenarioBuffer& buffer, std::optional<uint32_t> part) {
  if (rule == OrderRule::Parts && part == parts.size()) {
    isJoint = false;
  } else if (rule == OrderRule::Parts && part) {
    parts[*part] = weakerThan(parts[*part], buffer.compare);
    const auto isIgnored = [](OrderRule one) { return one == OrderRule::Ignored; };
    if (std::all_of(parts.begin(), parts.end(), isIgnored)) rule = OrderRule::Ignored;
  } else {
    rule = weakerThan(rule, buffer.compare);
    const bool isLoose = rule == OrderRule::Rounding && hasHalvesBesideOthers(buffer);
    if ((rule == OrderRule::Ignored || isLoose) && hasParts(buffer)) {
      rule = OrderRule::Parts;
      parts.assign(partCount(buffer), OrderRule::InPlace);
      headerParts = buffer.header.size();
      isJoint = true;
    }
  }
  if (rule == OrderRule::Ignored) parts.clear();
}

void OrderDependence::weakenAs(const OrderDependence& other) {
  if (other.rule > rule) {
    rule = other.rule;
    parts = other.parts;
    headerParts = other.headerParts;
    isJoint = other.isJoint;
  } else if (other.rule == rule) {
    isJoint = isJoint && other.isJoint;
    std::transform(parts.begin(), parts.end(), other.parts.begin(), parts.begin(),
                   [](OrderRule a, OrderRule b) { return std::max(a, b); });
  }
}

namespace {

std::string describeRule(const OrderDependence& dependence) {
  switch (dependence.rule) {
  case OrderRule::InPlace:
    return "compared in place";
  case OrderRule::Multiset:
    return "compared as a multiset";
  case OrderRule::Rounding:
    return "compared up to rounding";
  case OrderRule::Parts: {
    std::vector<std::string> without;
    for (size_t n = 0; n < dependence.parts.size(); ++n)
      if (dependence.parts[n] == OrderRule::Ignored) without.push_back(nameOfPart(dependence, n));
    return without.empty() ? "compared value by value"
                           : fmt::format("compared without {}", fmt::join(without, ", "));
  }
  case OrderRule::Ignored:
    break;
  }
  return "not compared";
}

} // namespace

std::string describe(const OrderDependence& dependence) {
  const std::string rule = describeRule(dependence);
  if (dependence.rule != OrderRule::Ignored || dependence.deterministicBytes == 0) return rule;
  return fmt::format("{} but for {} bytes that no order changes", rule,
                     dependence.deterministicBytes);
}

uint64_t bytesLeftOut(const OrderDependence& dependence, const ScenarioBuffer& buffer) {
  if (dependence.rule == OrderRule::Ignored)
    return buffer.bytes() - std::min(buffer.bytes(), dependence.deterministicBytes);
  uint64_t bytes = 0;
  for (uint32_t n = 0; n < dependence.parts.size(); ++n)
    if (dependence.parts[n] == OrderRule::Ignored)
      bytes += byteSize(typeOf(buffer, n)) * (n < buffer.header.size() ? 1 : buffer.count);
  return bytes;
}

std::vector<uint32_t> jointParts(const OrderDependence& dependence) {
  std::vector<uint32_t> together;
  bool hasMultiset = false;
  for (size_t n = dependence.headerParts; n < dependence.parts.size(); ++n) {
    if (dependence.parts[n] == OrderRule::Rounding) return {};
    if (dependence.parts[n] != OrderRule::Ignored) together.push_back(uint32_t(n));
    hasMultiset |= dependence.parts[n] == OrderRule::Multiset;
  }
  if (!dependence.isJoint || !hasMultiset || together.size() < 2) together.clear();
  return together;
}

BufferPart partOf(const ScenarioBuffer& buffer, std::span<const uint32_t> parts,
                  BufferContents original, BufferContents transformed) {
  const bool isHeader = parts[0] < buffer.header.size();
  BufferPart one;
  one.buffer.name = buffer.name;
  one.buffer.elements.clear();
  for (uint32_t part : parts) one.buffer.elements.push_back(typeOf(buffer, part));
  one.buffer.count = isHeader ? 1 : buffer.count;
  one.buffer.compare = buffer.compare;
  const uint64_t first = isHeader ? 0 : buffer.headerBytes();
  std::vector<std::pair<uint64_t, uint32_t>> places; // of an element: offset, bytes
  for (uint32_t part : parts)
    places.emplace_back(first + offsetOf(buffer, part), byteSize(typeOf(buffer, part)));
  const auto gather = [&](std::span<const uint8_t> from, std::vector<uint8_t>& to) {
    to.reserve(one.buffer.bytes());
    for (uint64_t i = 0; i < one.buffer.count; ++i)
      for (const auto& [offset, bytes] : places) {
        const auto at = from.begin() + ptrdiff_t(offset + i * buffer.elementBytes());
        to.insert(to.end(), at, at + bytes);
      }
  };
  gather(original.bytes, one.original);
  gather(transformed.bytes, one.transformed);
  return one;
}

void placePart(BufferDifference& difference, const ScenarioBuffer& buffer, uint32_t part) {
  const size_t header = buffer.header.size();
  difference.part = part;
  difference.elements = buffer.count;
  difference.isImage = buffer.image.has_value();
  if (part == partCount(buffer)) {
    difference.detail = fmt::format("values of an element together: {}", difference.detail);
  } else if (part < header) {
    difference.differing = 0;
    difference.listed.clear(), difference.pattern.clear();
    difference.detail = fmt::format("value {} of the header: {}", part, difference.detail);
  } else {
    for (DifferingElement& one : difference.listed) one.offset += uint32_t(offsetOf(buffer, part));
    if (buffer.elements.size() > 1)
      difference.detail =
          fmt::format("value {} of the element: {}", part - header, difference.detail);
  }
}

} // namespace lanewise::driver
