#include "verify/formats/float_bits.h"

#include <algorithm>
#include <cfenv>
#include <cmath>

namespace lanewise::driver {
namespace {

// Places of the parts of an IEEE 754 binary interchange format.
struct Format {
  uint32_t fractionBits;
  uint64_t exponentMask; // shifted to its place
  uint64_t fractionMask;
};

constexpr Format formatOf(uint32_t width) {
  switch (width) {
  case 16:
    return {10, 0x7C00, 0x3FF};
  case 32:
    return {23, 0x7F800000, 0x7FFFFF};
  default:
    return {52, 0x7FF0000000000000, 0xFFFFFFFFFFFFF};
  }
}

constexpr uint64_t kDoubleSign = uint64_t(1) << 63;
constexpr uint64_t kDoubleInfinity = formatOf(64).exponentMask;

double decodeHalf(uint64_t bits) {
  uint64_t sign = (bits & 0x8000) << 48;
  int exponent = int(bits >> 10 & 31);
  uint64_t fraction = bits & 0x3FF;
  if (exponent == 31) {
    uint64_t quiet = fraction ? uint64_t(1) << 51 : 0;
    return doubleOf(sign | kDoubleInfinity | quiet | fraction << 42);
  }
  if (exponent == 0) {
    double magnitude = double(fraction) * 0x1p-24;
    return sign ? -magnitude : magnitude;
  }
  return doubleOf(sign | uint64_t(exponent - 15 + 1023) << 52 | fraction << 42);
}

uint64_t encodeHalf(double value, Rounding rounding) {
  uint64_t bits = bitsOf(value), sign = bits >> 48 & 0x8000, magnitude = bits & ~kDoubleSign;
  if (magnitude > kDoubleInfinity) return sign | 0x7E00 | (magnitude >> 42 & 0x3FF);
  if (magnitude == kDoubleInfinity) return sign | 0x7C00;
  int exponent = int(magnitude >> 52) - 1023;
  if (exponent > 15) return sign | (rounding == Rounding::NearestEven ? 0x7C00 : 0x7BFF);
  if (exponent < -25) return sign; // less than half of the smallest value
  uint64_t significand = (magnitude & formatOf(64).fractionMask) | uint64_t(1) << 52;
  // Normal values keep 11 bits of the 53; below 2^-14 the unit stays 2^-24.
  int shift = 42 + std::max(0, -14 - exponent);
  uint64_t kept = significand >> shift, rest = lowBits(significand, uint32_t(shift));
  uint64_t half = uint64_t(1) << (shift - 1);
  if (rounding == Rounding::NearestEven && (rest > half || (rest == half && (kept & 1)))) ++kept;
  // A carry out of the significand moves into the exponent, and from the largest value to infinity.
  return sign | (exponent < -14 ? kept : kept + (uint64_t(exponent + 14) << 10));
}

uint64_t encodeSingle(double value, Rounding rounding) {
  float nearest = float(value);
  if (rounding == Rounding::TowardZero && std::fabs(double(nearest)) > std::fabs(value))
    nearest = std::nextafter(nearest, 0.0f);
  return bitsOf(nearest);
}

// The host rounds toward zero while this lives. What is computed meanwhile goes through volatile
// variables, because compilers take the rounding mode for constant.
class HostTowardZero {
public:
  HostTowardZero() : before_(std::fegetround()) { std::fesetround(FE_TOWARDZERO); }
  ~HostTowardZero() { std::fesetround(before_); }
  HostTowardZero(const HostTowardZero&) = delete;
  HostTowardZero& operator=(const HostTowardZero&) = delete;

private:
  int before_;
};

double arithmeticTowardZero(FloatOperation operation, double a, double b) {
  HostTowardZero towardZero;
  volatile double x = a, y = b, result = 0;
  switch (operation) {
  case FloatOperation::Add:
    result = x + y;
    break;
  case FloatOperation::Sub:
    result = x - y;
    break;
  case FloatOperation::Mul:
    result = x * y;
    break;
  case FloatOperation::Div:
    result = x / y;
    break;
  }
  return result;
}

template <class T>
T arithmetic(FloatOperation operation, T a, T b) {
  switch (operation) {
  case FloatOperation::Add:
    return a + b;
  case FloatOperation::Sub:
    return a - b;
  case FloatOperation::Mul:
    return a * b;
  case FloatOperation::Div:
    break;
  }
  return a / b;
}

double mulAddTowardZero(double a, double b, double c) {
  HostTowardZero towardZero;
  volatile double x = a, y = b, z = c, result = std::fma(x, y, z);
  return result;
}

double squareRootTowardZero(double a) {
  HostTowardZero towardZero;
  volatile double x = a, result = std::sqrt(x);
  return result;
}

uint64_t flushIf(FloatMode mode, uint32_t width, uint64_t bits) {
  return mode.flushDenormals ? flushDenormal(width, bits) : bits;
}

// What OpFRem and OpFMod share: x - y * whole(x / y).
template <class Whole>
FloatResult remainderBy(uint32_t width, uint64_t x, uint64_t y, FloatMode mode, Whole&& whole) {
  if (mode.flushDenormals) x = flushDenormal(width, x), y = flushDenormal(width, y);
  uint64_t quotient = floatArithmetic(FloatOperation::Div, width, x, y, mode);
  uint64_t multiple = encodeFloat(width, whole(decodeFloat(width, quotient)));
  uint64_t product = floatArithmetic(FloatOperation::Mul, width, y, multiple, mode);
  return {floatArithmetic(FloatOperation::Sub, width, x, product, mode),
          decodeFloat(width, y) != 0};
}

} // namespace

double decodeFloat(uint32_t width, uint64_t bits) {
  if (width == 32) return double(floatOf(bits));
  return width == 16 ? decodeHalf(bits) : doubleOf(bits);
}

uint64_t encodeFloat(uint32_t width, double value, Rounding rounding) {
  if (width == 32) return encodeSingle(value, rounding);
  return width == 16 ? encodeHalf(value, rounding) : bitsOf(value);
}

bool isNan(uint32_t width, uint64_t bits) {
  Format format = formatOf(width);
  return (bits & format.exponentMask) == format.exponentMask && (bits & format.fractionMask);
}

bool isInfinite(uint32_t width, uint64_t bits) {
  Format format = formatOf(width);
  return (bits & (format.exponentMask | format.fractionMask)) == format.exponentMask;
}

bool isDenormal(uint32_t width, uint64_t bits) {
  Format format = formatOf(width);
  return (bits & format.exponentMask) == 0 && (bits & format.fractionMask);
}

uint64_t flushDenormal(uint32_t width, uint64_t bits) {
  return isDenormal(width, bits) ? bits & ~formatOf(width).fractionMask : bits;
}

uint64_t convertFloat(uint32_t fromWidth, uint64_t bits, uint32_t toWidth, Rounding rounding) {
  if (fromWidth == toWidth) return bits;
  return encodeFloat(toWidth, decodeFloat(fromWidth, bits), rounding);
}

FloatResult floatToUnsigned(uint32_t floatWidth, uint64_t bits, uint32_t integerWidth) {
  double value = std::trunc(decodeFloat(floatWidth, bits));
  if (std::isnan(value) || value < 0) return {0, false};
  if (value >= std::ldexp(1.0, int(integerWidth)))
    return {lowBits(~uint64_t(0), integerWidth), false};
  return {uint64_t(value), true};
}

FloatResult floatToSigned(uint32_t floatWidth, uint64_t bits, uint32_t integerWidth) {
  double value = std::trunc(decodeFloat(floatWidth, bits));
  double limit = std::ldexp(1.0, int(integerWidth) - 1);
  uint64_t signBit = uint64_t(1) << (integerWidth - 1);
  if (std::isnan(value)) return {0, false};
  if (value < -limit) return {signBit, false};
  if (value >= limit) return {signBit - 1, false};
  return {lowBits(uint64_t(int64_t(value)), integerWidth), true};
}

uint64_t unsignedToFloat(uint64_t value, uint32_t floatWidth, Rounding rounding) {
  if (rounding == Rounding::TowardZero) {
    // Drops the bits that the significand cannot hold, so that nothing is left to round.
    int spare = std::bit_width(value) - int(formatOf(floatWidth).fractionBits) - 1;
    if (spare > 0) value = value >> spare << spare;
    return encodeFloat(floatWidth, double(value), rounding);
  }
  if (floatWidth == 32) return bitsOf(float(value));
  // As a half, what a double cannot hold is infinite anyway.
  return encodeFloat(floatWidth, double(value), rounding);
}

uint64_t signedToFloat(int64_t value, uint32_t floatWidth, Rounding rounding) {
  if (value >= 0) return unsignedToFloat(uint64_t(value), floatWidth, rounding);
  uint64_t sign = uint64_t(1) << (floatWidth - 1);
  return sign | unsignedToFloat(uint64_t(0) - uint64_t(value), floatWidth, rounding);
}

uint64_t floatArithmetic(FloatOperation operation, uint32_t width, uint64_t a, uint64_t b,
                         FloatMode mode) {
  a = flushIf(mode, width, a), b = flushIf(mode, width, b);
  uint64_t result;
  if (mode.rounding == Rounding::TowardZero)
    result = encodeFloat(
        width, arithmeticTowardZero(operation, decodeFloat(width, a), decodeFloat(width, b)),
        Rounding::TowardZero);
  else if (width == 32)
    result = bitsOf(arithmetic(operation, floatOf(a), floatOf(b)));
  else // A double has more than twice the bits of a half, so rounding twice does no harm.
    result =
        encodeFloat(width, arithmetic(operation, decodeFloat(width, a), decodeFloat(width, b)));
  return flushIf(mode, width, result);
}

uint64_t floatMulAdd(uint32_t width, uint64_t a, uint64_t b, uint64_t c, FloatMode mode) {
  a = flushIf(mode, width, a), b = flushIf(mode, width, b), c = flushIf(mode, width, c);
  double x = decodeFloat(width, a), y = decodeFloat(width, b), z = decodeFloat(width, c);
  uint64_t result;
  if (mode.rounding == Rounding::TowardZero)
    result = encodeFloat(width, mulAddTowardZero(x, y, z), Rounding::TowardZero);
  else if (width == 32)
    result = bitsOf(std::fma(floatOf(a), floatOf(b), floatOf(c)));
  else // Of halves, a double holds every sum that is not next to a half or beyond all of them.
    result = encodeFloat(width, std::fma(x, y, z));
  return flushIf(mode, width, result);
}

uint64_t floatSquareRoot(uint32_t width, uint64_t a, FloatMode mode) {
  a = flushIf(mode, width, a);
  double x = decodeFloat(width, a);
  bool isToZero = mode.rounding == Rounding::TowardZero;
  double root = isToZero ? squareRootTowardZero(x) : std::sqrt(x);
  return flushIf(mode, width, encodeFloat(width, root, mode.rounding));
}

FloatResult floatRemainder(uint32_t width, uint64_t x, uint64_t y, FloatMode mode) {
  return remainderBy(width, x, y, mode, [](double quotient) { return std::trunc(quotient); });
}

FloatResult floatModulo(uint32_t width, uint64_t x, uint64_t y, FloatMode mode) {
  return remainderBy(width, x, y, mode, [](double quotient) { return std::floor(quotient); });
}

} // namespace lanewise::driver
