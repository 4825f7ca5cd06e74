#include "verify/compare/compare_images.h"

#include "verify/compare/patterns.h"
#include "verify/formats/float_bits.h"
#include "verify/formats/scalars.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

double valueOf(const ImageFormatInfo& info, uint64_t cell) {
  if (info.kind == TexelKind::Unsigned) return double(cell);
  if (info.kind == TexelKind::Signed) return double(signedOf(cell, info.shaderWidth()));
  return decodeFloat(32, cell);
}

// Values of the format between two components; nothing when only one is a NaN or infinite.
std::optional<uint64_t> stepsApart(const ImageFormatInfo& info, uint64_t a, uint64_t b,
                                   uint32_t bits) {
  double x = valueOf(info, a), y = valueOf(info, b);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y) ? std::optional<uint64_t>(0) : std::nullopt;
  if (std::isinf(x) || std::isinf(y)) return x == y ? std::optional<uint64_t>(0) : std::nullopt;
  if (info.isInteger()) return a == b ? std::optional<uint64_t>(0) : std::nullopt;
  if (info.kind == TexelKind::Float && bits >= 16) {
    uint8_t left[8], right[8];
    ScalarType type = bits == 16 ? ScalarType::F16 : ScalarType::F32;
    encodeScalar(type, x, left), encodeScalar(type, y, right);
    return ulpDistance(type, left, right);
  }
  if (info.kind == TexelKind::Float) { // 10 and 11 bits: halves without their last digits
    uint64_t left = encodeFloat(16, x) >> (15 - bits), right = encodeFloat(16, y) >> (15 - bits);
    return left > right ? left - right : right - left;
  }
  uint32_t digits = info.kind == TexelKind::Snorm ? bits - 1 : bits;
  return uint64_t(std::llround(std::fabs(x - y) * double(lowBits(~uint64_t(0), digits))));
}

// Two texels under one rule.
class TexelRule {
public:
  explicit TexelRule(const ScenarioBuffer& buffer)
      : format_(buffer.image->format), info_(infoOf(format_)),
        ulp_(std::get_if<CompareUlp>(&buffer.compare)),
        tolerance_(std::get_if<CompareTolerance>(&buffer.compare)) {
    const auto* exact = std::get_if<CompareExact>(&buffer.compare);
    anyNan_ = exact && exact->anyNan && info_.kind == TexelKind::Float;
  }

  // The first component that differs.
  std::optional<uint32_t> firstDifference(const uint8_t* a, const uint8_t* b) const {
    if (std::memcmp(a, b, info_.bytes) == 0) return std::nullopt;
    if (!ulp_ && !tolerance_ && !anyNan_) return 0;
    Texel left = decodeTexel(format_, a), right = decodeTexel(format_, b);
    for (uint32_t c = 0; c < info_.components(); ++c)
      if (anyNan_ ? !isSameOrNan(left[c], right[c])
          : ulp_  ? !isWithinUlps(left[c], right[c], c)
                  : !isTolerable(left[c], right[c]))
        return c;
    return std::nullopt;
  }

  std::string explain(const uint8_t* a, const uint8_t* b, uint32_t component) const {
    if (!ulp_ && !tolerance_ && !anyNan_) return "bitwise";
    uint64_t left = decodeTexel(format_, a)[component];
    uint64_t right = decodeTexel(format_, b)[component];
    double x = valueOf(info_, left), y = valueOf(info_, right);
    if (std::isnan(x) || std::isnan(y)) return "only one is a NaN";
    if (anyNan_) return "bitwise";
    if (tolerance_) {
      const double apart =
          info_.isInteger() ? double(integersApart(left, right)) : std::fabs(x - y);
      return fmt::format("{:.6g} apart, {:.6g} allowed", apart, allowedBy(*tolerance_, x, y));
    }
    auto steps = stepsApart(info_, left, right, info_.bits[component]);
    return steps ? fmt::format("{} values of the format apart, {} allowed", *steps, ulp_->ulps)
                 : "integers and infinities equal only themselves";
  }

  // Some component that a shader reads is a NaN.
  bool isNan(const uint8_t* from) const {
    if (info_.kind != TexelKind::Float) return false;
    Texel texel = decodeTexel(format_, from);
    for (uint32_t c = 0; c < info_.components(); ++c)
      if (std::isnan(valueOf(info_, texel[c]))) return true;
    return false;
  }

private:
  bool isSameOrNan(uint64_t a, uint64_t b) const {
    return a == b || (std::isnan(valueOf(info_, a)) && std::isnan(valueOf(info_, b)));
  }
  bool isWithinUlps(uint64_t a, uint64_t b, uint32_t component) const {
    auto steps = stepsApart(info_, a, b, info_.bits[component]);
    return steps && *steps <= ulp_->ulps;
  }
  bool isTolerable(uint64_t a, uint64_t b) const {
    double x = valueOf(info_, a), y = valueOf(info_, b);
    if (info_.isInteger()) return allows(*tolerance_, x, y, integersApart(a, b));
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    if (std::isinf(x) || std::isinf(y)) return x == y;
    return std::fabs(x - y) <= allowedBy(*tolerance_, x, y);
  }
  uint64_t integersApart(uint64_t a, uint64_t b) const {
    const uint32_t width = info_.shaderWidth();
    if (info_.kind == TexelKind::Unsigned) return integerDistance(false, a, b);
    return integerDistance(true, uint64_t(signedOf(a, width)), uint64_t(signedOf(b, width)));
  }

  ImageFormat format_;
  const ImageFormatInfo& info_;
  const CompareUlp* ulp_;
  const CompareTolerance* tolerance_;
  bool anyNan_ = false;
};

bool isUntouched(const uint8_t* from, uint32_t size, std::optional<uint8_t> poison) {
  return poison && std::all_of(from, from + size, [&](uint8_t byte) { return byte == *poison; });
}

} // namespace

std::string formatTexel(ImageFormat format, const uint8_t* from) {
  const ImageFormatInfo& info = infoOf(format);
  Texel texel = decodeTexel(format, from);
  std::string text;
  for (uint32_t c = 0; c < info.components(); ++c) {
    if (c) text += ", ";
    if (info.kind == TexelKind::Unsigned)
      text += fmt::format("{}", texel[c]);
    else if (info.kind == TexelKind::Signed)
      text += fmt::format("{}", signedOf(texel[c], info.shaderWidth()));
    else
      text += fmt::format("{}", floatOf(texel[c]));
  }
  return info.components() == 1 ? text : "(" + text + ")";
}

std::string placeOfTexel(const ImageShape& image, uint64_t index) {
  uint32_t level = 0;
  while (index >= image.levelTexels(level)) index -= image.levelTexels(level++);
  auto [width, height, depth] = image.extent(level);
  uint64_t x = index % width, y = index / width % height, z = index / width / height % depth;
  std::string place;
  switch (image.dimension) {
  case ImageDimension::Dim1D:
  case ImageDimension::Buffer:
    place = fmt::format("texel {}", x);
    break;
  case ImageDimension::Dim3D:
    place = fmt::format("texel ({}, {}, {})", x, y, z);
    break;
  default:
    place = fmt::format("texel ({}, {})", x, y);
  }
  if (image.faces() > 1)
    place += fmt::format(", layer {}", index / (uint64_t(width) * height * depth));
  if (image.levels > 1) place += fmt::format(", level {}", level);
  return place;
}

std::optional<BufferDifference> compareTexels(const ScenarioBuffer& buffer, BufferContents original,
                                              BufferContents transformed) {
  const ImageShape& image = *buffer.image;
  uint32_t size = infoOf(image.format).bytes;
  TexelRule rule(buffer);
  BufferDifference difference{buffer.name, buffer.count, 0, 0, {}, {}, {}, true};
  DifferenceTally tally(difference);
  const uint8_t *a = original.bytes.data(), *b = transformed.bytes.data();
  for (uint64_t i = 0; i < buffer.count; ++i, a += size, b += size) {
    bool isLeft = isUntouched(a, size, original.poison);
    bool isRight = isUntouched(b, size, transformed.poison);
    if (isLeft && isRight) continue;
    std::optional<uint32_t> component = rule.firstDifference(a, b);
    if (isLeft == isRight && !component) continue;
    // Equal bits are a lucky value rather than an unwritten texel: the two patterns tell.
    if (isLeft != isRight && std::memcmp(a, b, size) == 0) continue;
    uint8_t traits = isRight ? kUnwrittenByTransformed : isLeft ? kUnwrittenByOriginal : 0;
    if (!traits)
      traits = uint8_t((rule.isNan(a) ? kOriginalNan : 0) | (rule.isNan(b) ? kTransformedNan : 0));
    if (!tally.add({i, 0, size}, traits)) continue;
    difference.original = formatTexel(image.format, a);
    difference.transformed = formatTexel(image.format, b);
    difference.detail = placeOfTexel(image, i) + ": " +
                        (isRight  ? "the second run left it unwritten"
                         : isLeft ? "the first run left it unwritten"
                                  : rule.explain(a, b, *component));
  }
  if (difference.differing == 0) return std::nullopt;
  tally.finish([&](uint8_t) {
    uint64_t having = 0;
    for (uint64_t i = 0; i < buffer.count; ++i)
      having += rule.isNan(original.bytes.data() + i * size);
    return double(having) / double(buffer.count);
  });
  return difference;
}

} // namespace lanewise::driver
