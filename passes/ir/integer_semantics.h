// What the integer and Boolean instructions of SPIR-V compute, for every width from 8 to 64 bits
// (and 1, for Booleans). The one place that says so: constant folding, the affine forms and the
// interpreter all ask here.
//
// Numbers are uint64_t, zero-extended from their width. An instruction that is undefined for its
// operands says how much of the program that concerns (Definedness); what it gives then is the same
// each time, and 0 where nothing else suggests itself. Who folds must refuse it; who executes has
// to go on with something.
//
// The inline functions are for those who know the opcode when they are compiled: then nothing of
// the switch is left. evaluateInteger() is for everybody else.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>

namespace lanewise {

/// `bits` modulo 2^width, for a width of 1 to 64: what a result of that width keeps.
constexpr uint64_t wrapped(uint64_t bits, uint32_t width) {
  return bits << (64 - width) >> (64 - width);
}
/// The low `count` (0 to 64) bits.
constexpr uint64_t lowBits(uint64_t bits, uint32_t count) {
  return count == 0 ? 0 : wrapped(bits, count);
}
/// The two's complement value of an integer of `width` (1 to 64) bits.
constexpr int64_t signedOf(uint64_t bits, uint32_t width) {
  return int64_t(bits << (64 - width)) >> (64 - width);
}

/// What the specification says of a result.
enum class Definedness : uint8_t {
  Defined,
  UndefinedValue,    ///< "the resulting value is undefined": harmless where nobody uses it
  UndefinedBehavior, ///< "behavior is undefined": the instruction must not be reached like this
  NotEvaluated       ///< not one of the instructions that are evaluated here
};

struct IntegerResult {
  uint64_t bits = 0;
  Definedness definedness = Definedness::Defined;

  constexpr bool isDefined() const { return definedness == Definedness::Defined; }
  /// For folding: nothing unless it is defined.
  constexpr std::optional<uint64_t> value() const {
    return isDefined() ? std::optional(bits) : std::nullopt;
  }
};

// ---- Domains ----

/// Whether a quotient and a remainder exist: not by zero, nor, signed, of the least number by -1
/// (SPIR-V 3.42.13).
constexpr bool isDefinedDivision(bool isSigned, uint32_t width, uint64_t dividend,
                                 uint64_t divisor) {
  const bool overflows =
      isSigned && divisor == wrapped(~uint64_t(0), width) && dividend == uint64_t(1) << (width - 1);
  return divisor != 0 && !overflows;
}
/// Whether they exist for every dividend.
constexpr bool dividesEverything(bool isSigned, uint32_t width, uint64_t divisor) {
  return divisor != 0 && !(isSigned && divisor == wrapped(~uint64_t(0), width));
}
/// A shift moves by less than the width of what it moves; the amount may have a width of its own
/// (SPIR-V 3.42.14).
constexpr bool isDefinedShift(uint32_t width, uint64_t amount) {
  return amount < width;
}
/// "The resulting value is undefined if Count or Offset or their sum is greater than the number of
/// bits in the result" (SPIR-V 3.42.14).
constexpr bool isDefinedBitField(uint32_t width, uint64_t offset, uint64_t count) {
  return offset <= width && count <= width && offset + count <= width;
}

constexpr bool isShift(spv::Op op) {
  return op == spv::Op::OpShiftLeftLogical || op == spv::Op::OpShiftRightLogical ||
         op == spv::Op::OpShiftRightArithmetic;
}

// ---- Instructions ----

/// The smaller and the larger number: GLSL.std.450, atomics and group operations.
constexpr uint64_t smallerOf(bool isSigned, uint32_t width, uint64_t a, uint64_t b) {
  const bool isLess = isSigned ? signedOf(b, width) < signedOf(a, width) : b < a;
  return isLess ? b : a;
}
constexpr uint64_t largerOf(bool isSigned, uint32_t width, uint64_t a, uint64_t b) {
  const bool isMore = isSigned ? signedOf(b, width) > signedOf(a, width) : b > a;
  return isMore ? b : a;
}

/// The quotient or remainder that `op` names. A division that does not exist gives the dividend
/// where the quotient does not fit (that is its low bits), else 0.
[[gnu::always_inline]] constexpr IntegerResult evaluateDivision(spv::Op op, uint32_t width,
                                                                uint64_t a, uint64_t b) {
  const bool isSigned = op != spv::Op::OpUDiv && op != spv::Op::OpUMod;
  if (!isDefinedDivision(isSigned, width, a, b))
    return {b == 0 ? 0 : a, Definedness::UndefinedBehavior};
  const int64_t x = signedOf(a, width), y = signedOf(b, width);
  switch (op) {
  case spv::Op::OpUDiv:
    return {a / b};
  case spv::Op::OpUMod:
    return {a % b};
  case spv::Op::OpSDiv:
    return {wrapped(uint64_t(x / y), width)};
  case spv::Op::OpSRem: // the sign of the dividend
    return {wrapped(uint64_t(x % y), width)};
  case spv::Op::OpSMod: { // the sign of the divisor
    const int64_t rest = x % y;
    return {wrapped(uint64_t(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest), width)};
  }
  default:
    return {0, Definedness::NotEvaluated};
  }
}

[[gnu::always_inline]] constexpr IntegerResult evaluateShift(spv::Op op, uint32_t width, uint64_t a,
                                                             uint64_t amount) {
  if (!isDefinedShift(width, amount)) return {0, Definedness::UndefinedValue};
  switch (op) {
  case spv::Op::OpShiftLeftLogical:
    return {wrapped(a << amount, width)};
  case spv::Op::OpShiftRightLogical:
    return {a >> amount};
  case spv::Op::OpShiftRightArithmetic:
    return {wrapped(uint64_t(signedOf(a, width) >> amount), width)};
  default:
    return {0, Definedness::NotEvaluated};
  }
}

/// An instruction with two operands of `width` bits. Comparisons give 0 or 1, everything else has
/// the width of its operands.
[[gnu::always_inline]] constexpr IntegerResult evaluateBinary(spv::Op op, uint32_t width,
                                                              uint64_t a, uint64_t b) {
  const int64_t x = signedOf(a, width), y = signedOf(b, width);
  switch (op) {
  case spv::Op::OpIAdd:
    return {wrapped(a + b, width)};
  case spv::Op::OpISub:
    return {wrapped(a - b, width)};
  case spv::Op::OpIMul:
    return {wrapped(a * b, width)};
  case spv::Op::OpUDiv:
  case spv::Op::OpUMod:
  case spv::Op::OpSDiv:
  case spv::Op::OpSRem:
  case spv::Op::OpSMod:
    return evaluateDivision(op, width, a, b);
  case spv::Op::OpShiftLeftLogical:
  case spv::Op::OpShiftRightLogical:
  case spv::Op::OpShiftRightArithmetic:
    return evaluateShift(op, width, a, b);
  case spv::Op::OpBitwiseAnd:
  case spv::Op::OpLogicalAnd:
    return {a & b};
  case spv::Op::OpBitwiseOr:
  case spv::Op::OpLogicalOr:
    return {a | b};
  case spv::Op::OpBitwiseXor:
    return {a ^ b};
  case spv::Op::OpIEqual:
  case spv::Op::OpLogicalEqual:
    return {a == b};
  case spv::Op::OpINotEqual:
  case spv::Op::OpLogicalNotEqual:
    return {a != b};
  case spv::Op::OpULessThan:
    return {a < b};
  case spv::Op::OpULessThanEqual:
    return {a <= b};
  case spv::Op::OpUGreaterThan:
    return {a > b};
  case spv::Op::OpUGreaterThanEqual:
    return {a >= b};
  case spv::Op::OpSLessThan:
    return {x < y};
  case spv::Op::OpSLessThanEqual:
    return {x <= y};
  case spv::Op::OpSGreaterThan:
    return {x > y};
  case spv::Op::OpSGreaterThanEqual:
    return {x >= y};
  default:
    return {0, Definedness::NotEvaluated};
  }
}

constexpr uint64_t reverseBits(uint64_t bits, uint32_t width) {
  uint64_t reversed = 0;
  for (uint32_t n = 0; n < width; ++n) reversed |= (bits >> n & 1) << (width - 1 - n);
  return reversed;
}
/// An instruction with one operand. Conversions are convertInteger()'s.
[[gnu::always_inline]] constexpr IntegerResult evaluateUnary(spv::Op op, uint32_t width,
                                                             uint64_t a) {
  switch (op) {
  case spv::Op::OpSNegate:
    return {wrapped(0 - a, width)};
  case spv::Op::OpNot:
    return {wrapped(~a, width)};
  case spv::Op::OpLogicalNot:
    return {a ^ 1};
  case spv::Op::OpBitReverse:
    return {reverseBits(a, width)};
  case spv::Op::OpBitCount:
    return {uint64_t(std::popcount(a))};
  default:
    return {0, Definedness::NotEvaluated};
  }
}

/// OpUConvert, OpSConvert, and OpBitcast of a scalar, from one width to another.
[[gnu::always_inline]] constexpr IntegerResult convertInteger(spv::Op op, uint32_t from,
                                                              uint32_t to, uint64_t a) {
  switch (op) {
  case spv::Op::OpUConvert:
    return {wrapped(a, to)};
  case spv::Op::OpSConvert:
    return {wrapped(uint64_t(signedOf(a, from)), to)};
  case spv::Op::OpBitcast:
    if (from == to) return {a};
    break;
  default:
    break;
  }
  return {0, Definedness::NotEvaluated};
}

/// OpBitFieldInsert: `base` with the low `count` bits of `insert` from `offset` on. What is
/// undefined leaves of the field what lies inside.
constexpr IntegerResult insertBitField(uint32_t width, uint64_t base, uint64_t insert,
                                       uint64_t offset, uint64_t count) {
  const Definedness definedness =
      isDefinedBitField(width, offset, count) ? Definedness::Defined : Definedness::UndefinedValue;
  if (offset >= width || count > width) return {base, definedness};
  const uint64_t mask = lowBits(~uint64_t(0), uint32_t(count));
  return {wrapped((base & ~(mask << offset)) | (insert & mask) << offset, width), definedness};
}
/// OpBitFieldSExtract and OpBitFieldUExtract.
constexpr IntegerResult extractBitField(bool isSigned, uint32_t width, uint64_t base,
                                        uint64_t offset, uint64_t count) {
  const Definedness definedness =
      isDefinedBitField(width, offset, count) ? Definedness::Defined : Definedness::UndefinedValue;
  if (offset >= width || count > width || count == 0) return {0, definedness};
  const uint64_t field = wrapped(base >> offset, uint32_t(count));
  return {isSigned ? wrapped(uint64_t(signedOf(field, uint32_t(count))), width) : field,
          definedness};
}

/// The two members of what OpIAddCarry, OpISubBorrow, OpUMulExtended and OpSMulExtended give.
struct IntegerPair {
  uint64_t low = 0, high = 0;
};
[[gnu::always_inline]] constexpr IntegerPair evaluatePair(spv::Op op, uint32_t width, uint64_t a,
                                                          uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  __extension__ using SignedWide = __int128;
  switch (op) {
  case spv::Op::OpIAddCarry: {
    const uint64_t sum = wrapped(a + b, width);
    return {sum, sum < a};
  }
  case spv::Op::OpISubBorrow:
    return {wrapped(a - b, width), a < b};
  case spv::Op::OpUMulExtended: {
    const Wide product = Wide(a) * b;
    return {wrapped(uint64_t(product), width), wrapped(uint64_t(product >> width), width)};
  }
  default: { // OpSMulExtended
    const SignedWide product = SignedWide(signedOf(a, width)) * signedOf(b, width);
    return {wrapped(uint64_t(product), width), wrapped(uint64_t(product >> width), width)};
  }
  }
}

/// Any of the instructions above that has one result of a scalar and only ids for operands, in
/// their order. Conversions, for which one width is not enough, are NotEvaluated.
IntegerResult evaluateInteger(spv::Op op, uint32_t width, std::span<const uint64_t> operands);

/// The same for GLSL.std.450: absolute value and sign, minima, maxima and clamps, and the places of
/// bits.
IntegerResult evaluateGlslInteger(uint32_t instruction, uint32_t width,
                                  std::span<const uint64_t> operands);

} // namespace lanewise
