#include "verify/interpreter/ops/glsl_parts.h"

#include <algorithm>
#include <cmath>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise::driver {
namespace {

struct Layout {
  uint32_t bits; // of a packed component
  bool isSigned; // snorm
  bool isPacking;
};

Layout layoutOf(uint32_t instruction) {
  switch (instruction) {
  case GLSLstd450PackSnorm4x8:
    return {8, true, true};
  case GLSLstd450PackUnorm4x8:
    return {8, false, true};
  case GLSLstd450PackSnorm2x16:
    return {16, true, true};
  case GLSLstd450PackUnorm2x16:
    return {16, false, true};
  case GLSLstd450UnpackSnorm4x8:
    return {8, true, false};
  case GLSLstd450UnpackUnorm4x8:
    return {8, false, false};
  case GLSLstd450UnpackSnorm2x16:
    return {16, true, false};
  default: // UnpackUnorm2x16
    return {16, false, false};
  }
}

// round(clamp(c, -1 or 0, 1) * largest), both steps as f32; a half rounds to even, which the
// specification leaves open.
GlslOutcome packNormalized(const Layout& layout, const GlslOperand& vector, uint64_t& result) {
  GlslOutcome outcome;
  float largest = float((1 << (layout.bits - (layout.isSigned ? 1 : 0))) - 1);
  result = 0;
  for (uint32_t i = 0; i < vector.count; ++i) {
    float value = floatOf(vector.cells[i]);
    if (std::isnan(value)) {
      note(outcome, 0, GlslComponent{}.undefined("packing of a NaN as a normalized integer"));
      value = 0;
    }
    float scaled = std::clamp(value, layout.isSigned ? -1.0f : 0.0f, 1.0f) * largest;
    uint64_t packed = uint64_t(int64_t(std::nearbyint(scaled)));
    result |= lowBits(packed, layout.bits) << (i * layout.bits);
  }
  return outcome;
}

void unpackNormalized(const Layout& layout, uint64_t packed, std::span<uint64_t> result) {
  for (uint32_t i = 0; i < 32 / layout.bits; ++i) {
    uint64_t bits = lowBits(packed >> (i * layout.bits), layout.bits);
    float value = layout.isSigned
                      ? float(signedOf(bits, layout.bits)) / float((1 << (layout.bits - 1)) - 1)
                      : float(bits) / float((1 << layout.bits) - 1);
    result[i] = bitsOf(std::max(value, -1.0f)); // the least integer would be just below -1
  }
}

} // namespace

GlslOutcome packOrUnpack(const GlslCall& call, std::span<uint64_t> result) {
  const GlslOperand& operand = call.operands[0];
  switch (call.instruction) {
  case GLSLstd450PackHalf2x16: {
    FloatMode half = call.modes.of(16), single = call.modes.of(32);
    result[0] = 0;
    for (uint32_t i = 0; i < 2; ++i) {
      uint64_t bits = operand.cells[i];
      if (single.flushDenormals) bits = flushDenormal(32, bits);
      uint64_t packed = convertFloat(32, bits, 16, half.rounding);
      if (half.flushDenormals) packed = flushDenormal(16, packed);
      result[0] |= packed << (16 * i);
    }
    return {};
  }
  case GLSLstd450UnpackHalf2x16:
    for (uint32_t i = 0; i < 2; ++i) {
      uint64_t bits = lowBits(operand.cells[0] >> (16 * i), 16);
      if (call.modes.of(16).flushDenormals) bits = flushDenormal(16, bits);
      result[i] = convertFloat(16, bits, 32);
    }
    return {};
  case GLSLstd450PackDouble2x32:
    result[0] = operand.cells[0] | operand.cells[1] << 32;
    return {};
  case GLSLstd450UnpackDouble2x32: {
    uint64_t bits = operand.cells[0];
    result[0] = lowBits(bits, 32), result[1] = bits >> 32;
    return {};
  }
  default:
    break;
  }
  Layout layout = layoutOf(call.instruction);
  if (layout.isPacking) return packNormalized(layout, operand, result[0]);
  unpackNormalized(layout, operand.cells[0], result);
  return {};
}

} // namespace lanewise::driver
