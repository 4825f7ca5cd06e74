// Floating-point values as the interpreter keeps them: the bits of a 16, 32 or 64 bits wide IEEE
// 754 number in the low bits of a uint64_t, the bits above zero. Everything here is correctly
// rounded; where Vulkan allows less ("Precision and Operation of SPIR-V Instructions"), a device
// may differ.
#pragma once

#include "ir/integer_semantics.h"

#include <bit>
#include <cstdint>

namespace lanewise::driver {

/// FPRoundingMode, and the execution modes RoundingModeRTE and RoundingModeRTZ.
enum class Rounding : uint8_t { NearestEven, TowardZero };

/// How a module computes with floats of one width.
struct FloatMode {
  Rounding rounding = Rounding::NearestEven;
  bool flushDenormals = false; ///< execution mode DenormFlushToZero: operands and results
};

inline float floatOf(uint64_t bits) {
  return std::bit_cast<float>(uint32_t(bits));
}
inline double doubleOf(uint64_t bits) {
  return std::bit_cast<double>(bits);
}
inline uint64_t bitsOf(float value) {
  return std::bit_cast<uint32_t>(value);
}
inline uint64_t bitsOf(double value) {
  return std::bit_cast<uint64_t>(value);
}

/// The value of `width` (16, 32 or 64) bits; exact. A NaN becomes quiet and keeps sign and payload.
double decodeFloat(uint32_t width, uint64_t bits);
/// The nearest value of that width, or the nearest one not beyond it. A finite value too large
/// becomes infinite to nearest, and the largest finite one toward zero. A NaN keeps its sign and
/// what fits of its payload.
uint64_t encodeFloat(uint32_t width, double value, Rounding rounding = Rounding::NearestEven);

bool isNan(uint32_t width, uint64_t bits);
bool isInfinite(uint32_t width, uint64_t bits);
bool isDenormal(uint32_t width, uint64_t bits);
/// Zero of the same sign for a denormal, everything else as it is.
uint64_t flushDenormal(uint32_t width, uint64_t bits);

/// A result and whether SPIR-V defines it. Where it does not, the bits are still the same each
/// time.
struct FloatResult {
  uint64_t bits = 0;
  bool isDefined = true;
};

/// OpFConvert. `rounding` is that of the decoration FPRoundingMode, else of the target's width.
uint64_t convertFloat(uint32_t fromWidth, uint64_t bits, uint32_t toWidth,
                      Rounding rounding = Rounding::NearestEven);
/// OpConvertFToU: rounded toward zero. Not defined for a NaN and for what the integer cannot hold
/// (then the nearest end of the range, 0 for a NaN).
FloatResult floatToUnsigned(uint32_t floatWidth, uint64_t bits, uint32_t integerWidth);
/// OpConvertFToS, likewise; the result is cut to `integerWidth` bits.
FloatResult floatToSigned(uint32_t floatWidth, uint64_t bits, uint32_t integerWidth);
/// OpConvertUToF of an integer of any width, zero-extended.
uint64_t unsignedToFloat(uint64_t value, uint32_t floatWidth,
                         Rounding rounding = Rounding::NearestEven);
/// OpConvertSToF of an integer, sign-extended (signedOf).
uint64_t signedToFloat(int64_t value, uint32_t floatWidth,
                       Rounding rounding = Rounding::NearestEven);

enum class FloatOperation : uint8_t { Add, Sub, Mul, Div };

/// OpFAdd, OpFSub, OpFMul, OpFDiv, correctly rounded. A division by zero gives what IEEE 754 says.
uint64_t floatArithmetic(FloatOperation operation, uint32_t width, uint64_t a, uint64_t b,
                         FloatMode mode = {});
/// a * b + c, rounded once.
uint64_t floatMulAdd(uint32_t width, uint64_t a, uint64_t b, uint64_t c, FloatMode mode = {});
/// The square root, correctly rounded; a NaN for what is below zero.
uint64_t floatSquareRoot(uint32_t width, uint64_t a, FloatMode mode = {});

/// OpFRem: x - y * trunc(x / y), each step rounded, as Vulkan derives it; a device may keep more
/// digits. Not defined for y = 0.
FloatResult floatRemainder(uint32_t width, uint64_t x, uint64_t y, FloatMode mode = {});
/// OpFMod: x - y * floor(x / y), likewise.
FloatResult floatModulo(uint32_t width, uint64_t x, uint64_t y, FloatMode mode = {});

} // namespace lanewise::driver
