#include "ir/integer_semantics.h"

#include <bit>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise {

IntegerResult evaluateInteger(spv::Op op, uint32_t width, std::span<const uint64_t> v) {
  switch (v.size()) {
  case 1:
    return evaluateUnary(op, width, v[0]);
  case 2:
    return evaluateBinary(op, width, v[0], v[1]);
  case 3:
    if (op == spv::Op::OpBitFieldSExtract || op == spv::Op::OpBitFieldUExtract)
      return extractBitField(op == spv::Op::OpBitFieldSExtract, width, v[0], v[1], v[2]);
    break;
  case 4:
    if (op == spv::Op::OpBitFieldInsert) return insertBitField(width, v[0], v[1], v[2], v[3]);
    break;
  default:
    break;
  }
  return {0, Definedness::NotEvaluated};
}

IntegerResult evaluateGlslInteger(uint32_t instruction, uint32_t width,
                                  std::span<const uint64_t> v) {
  auto clamped = [&](bool isSigned) -> IntegerResult {
    const uint64_t bits = smallerOf(isSigned, width, largerOf(isSigned, width, v[0], v[1]), v[2]);
    const bool areOrdered = smallerOf(isSigned, width, v[1], v[2]) == v[1];
    return {bits, areOrdered ? Definedness::Defined : Definedness::UndefinedValue};
  };
  // -1 where there is no such bit.
  auto bitAt = [&](int place) -> IntegerResult {
    return {wrapped(uint64_t(int64_t(place)), width)};
  };
  switch (instruction) {
  case GLSLstd450SAbs: // the least number is its own absolute value
    return {signedOf(v[0], width) < 0 ? wrapped(0 - v[0], width) : v[0]};
  case GLSLstd450SSign: {
    const int64_t x = signedOf(v[0], width);
    return {wrapped(uint64_t(int64_t(x > 0) - int64_t(x < 0)), width)};
  }
  case GLSLstd450UMin:
  case GLSLstd450SMin:
    return {smallerOf(instruction == GLSLstd450SMin, width, v[0], v[1])};
  case GLSLstd450UMax:
  case GLSLstd450SMax:
    return {largerOf(instruction == GLSLstd450SMax, width, v[0], v[1])};
  case GLSLstd450UClamp:
  case GLSLstd450SClamp:
    return clamped(instruction == GLSLstd450SClamp);
  case GLSLstd450FindILsb:
    return bitAt(v[0] == 0 ? -1 : std::countr_zero(v[0]));
  case GLSLstd450FindUMsb:
    return bitAt(int(std::bit_width(v[0])) - 1);
  case GLSLstd450FindSMsb: { // the highest bit that differs from the sign
    const int64_t x = signedOf(v[0], width);
    return bitAt(int(std::bit_width(uint64_t(x ^ x >> 63))) - 1);
  }
  default:
    return {0, Definedness::NotEvaluated};
  }
}

} // namespace lanewise
