#include "verify/formats/narrow_floats.h"

#include "ir/newer_enumerants.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lanewise::driver {
namespace {

struct NarrowFormat {
  int exponentBits, fractionBits, bias;
  bool hasInfinity, hasNan;
};

constexpr NarrowFormat formatOf(FloatEncoding encoding) {
  switch (encoding) {
  case FloatEncoding::BFloat16:
    return {8, 7, 127, true, true};
  case FloatEncoding::Float8E4M3:
    return {4, 3, 7, false, true};
  case FloatEncoding::Float8E5M2:
    return {5, 2, 15, true, true};
  case FloatEncoding::Float6E2M3:
    return {2, 3, 1, false, false};
  case FloatEncoding::Float6E3M2:
    return {3, 2, 3, false, false};
  default: // Float4E2M1; the others do not come here
    return {2, 1, 1, false, false};
  }
}

/// Its bits without the sign. Of a format without infinities the NaN, if any, is what has all bits.
uint64_t largestOf(const NarrowFormat& f) {
  const uint64_t all = (uint64_t(1) << (f.exponentBits + f.fractionBits)) - 1;
  if (f.hasInfinity) return all - (uint64_t(1) << f.fractionBits);
  return f.hasNan ? all - 1 : all;
}

uint64_t nanOf(const NarrowFormat& f) {
  const uint64_t exponent = ((uint64_t(1) << f.exponentBits) - 1) << f.fractionBits;
  if (f.hasInfinity) return exponent | uint64_t(1) << (f.fractionBits - 1);
  return f.hasNan ? largestOf(f) + 1 : 0;
}

uint64_t encodePowerOfTwo(double value, bool saturates) {
  constexpr uint64_t kNan = 255, kLargest = 254;
  if (std::isnan(value) || value < 0) return kNan;
  if (value < 0x1p-127) return 0;
  if (value > 0x1p127) return saturates ? kLargest : kNan;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent); // in [0.5, 1)
  return uint64_t(exponent - 1 + (fraction > 0.75) + 127);
}

} // namespace

std::optional<FloatEncoding> floatEncodingOf(uint32_t fpEncoding) {
  switch (fpEncoding) {
  case newer::FPEncoding::BFloat16KHR:
    return FloatEncoding::BFloat16;
  case newer::FPEncoding::Float8E4M3EXT:
    return FloatEncoding::Float8E4M3;
  case newer::FPEncoding::Float8E5M2EXT:
    return FloatEncoding::Float8E5M2;
  case newer::FPEncoding::Float6E2M3EXT:
    return FloatEncoding::Float6E2M3;
  case newer::FPEncoding::Float6E3M2EXT:
    return FloatEncoding::Float6E3M2;
  case newer::FPEncoding::Float4E2M1EXT:
    return FloatEncoding::Float4E2M1;
  case newer::FPEncoding::Float8UnsignedE8M0EXT:
    return FloatEncoding::Float8E8M0;
  default:
    return std::nullopt;
  }
}

double decodeNarrow(FloatEncoding encoding, uint32_t width, uint64_t bits) {
  if (encoding == FloatEncoding::Ieee) return decodeFloat(width, bits);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (encoding == FloatEncoding::Float8E8M0)
    return bits == 255 ? kNan : std::ldexp(1.0, int(bits) - 127);
  const NarrowFormat f = formatOf(encoding);
  const int fractionBits = f.fractionBits;
  const uint64_t magnitude = lowBits(bits, uint32_t(f.exponentBits + fractionBits));
  const double sign = bits >> (f.exponentBits + fractionBits) & 1 ? -1.0 : 1.0;
  if (magnitude > largestOf(f))
    return f.hasInfinity && magnitude == largestOf(f) + 1
               ? sign * std::numeric_limits<double>::infinity()
               : std::copysign(kNan, sign);
  const int exponent = int(magnitude >> fractionBits);
  const uint64_t fraction = lowBits(magnitude, uint32_t(fractionBits));
  const uint64_t significand = exponent == 0 ? fraction : fraction | uint64_t(1) << fractionBits;
  const int unit = (exponent == 0 ? 1 : exponent) - f.bias - fractionBits;
  return sign * std::ldexp(double(significand), unit);
}

uint64_t encodeNarrow(FloatEncoding encoding, uint32_t width, double value, bool saturates,
                      Rounding rounding) {
  if (encoding == FloatEncoding::Ieee) return encodeFloat(width, value, rounding);
  if (encoding == FloatEncoding::Float8E8M0) return encodePowerOfTwo(value, saturates);
  const NarrowFormat f = formatOf(encoding);
  const uint64_t sign = uint64_t(std::signbit(value)) << (f.exponentBits + f.fractionBits);
  if (std::isnan(value)) return sign | nanOf(f);
  const double magnitude = std::fabs(value);
  const uint64_t largest = largestOf(f);
  const bool staysFinite = saturates || !f.hasNan;
  const uint64_t beyond = staysFinite ? largest : f.hasInfinity ? largest + 1 : nanOf(f);
  if (std::isinf(value)) return sign | beyond;
  if (magnitude == 0) return sign;
  // In units of the last place the result is a whole number.
  const int exponent = std::max(std::ilogb(magnitude), 1 - f.bias);
  const double scaled = std::ldexp(magnitude, f.fractionBits - exponent);
  const uint64_t whole =
      uint64_t(rounding == Rounding::TowardZero ? std::trunc(scaled) : std::nearbyint(scaled));
  // A carry moves into the exponent, and the bit before the fraction is the exponent's first.
  const uint64_t bits = (uint64_t(exponent + f.bias - 1) << f.fractionBits) + whole;
  if (bits <= largest) return sign | bits;
  return sign | (rounding == Rounding::TowardZero ? largest : beyond);
}

} // namespace lanewise::driver
