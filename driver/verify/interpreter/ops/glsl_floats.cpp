#include "verify/interpreter/ops/float_kit.h"
#include "verify/interpreter/ops/glsl_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise::driver {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

// Operands of one component, as bits and as values.
struct Operands {
  FloatKit kit;
  std::array<uint64_t, 3> bits{};
  std::array<double, 3> value{};
  bool hasNan = false;
};

Operands operandsOf(const GlslCall& call, uint32_t at) {
  Operands operands;
  uint32_t width = call.operands[0].width;
  operands.kit = {width, call.modes.of(width)};
  for (size_t i = 0; i < call.operands.size(); ++i) {
    if (call.instruction == GLSLstd450Ldexp && i == 1) break; // an integer
    uint64_t bits = call.operands[i].cells[at];
    operands.bits[i] = operands.kit.mode.flushDenormals ? flushDenormal(width, bits) : bits;
    operands.value[i] = operands.kit.value(operands.bits[i]);
    operands.hasNan |= std::isnan(operands.value[i]);
  }
  return operands;
}

GlslComponent outside(GlslComponent component, bool isOutside, const char* why) {
  return isOutside ? component.undefined(why) : component;
}

// Functions of one operand that are computed as double and rounded once.
GlslComponent transcendental(uint32_t instruction, const FloatKit& kit, double x) {
  auto of = [&](double result) { return GlslComponent{kit.rounded(result)}; };
  switch (instruction) {
  case GLSLstd450Sin:
    return of(std::sin(x));
  case GLSLstd450Cos:
    return of(std::cos(x));
  case GLSLstd450Tan:
    return of(std::tan(x));
  case GLSLstd450Asin:
    return outside(of(std::asin(x)), std::fabs(x) > 1, "asin of a number outside [-1, 1]");
  case GLSLstd450Acos:
    return outside(of(std::acos(x)), std::fabs(x) > 1, "acos of a number outside [-1, 1]");
  case GLSLstd450Atan:
    return of(std::atan(x));
  case GLSLstd450Sinh:
    return of(std::sinh(x));
  case GLSLstd450Cosh:
    return of(std::cosh(x));
  case GLSLstd450Tanh:
    return of(std::tanh(x));
  case GLSLstd450Asinh:
    return of(std::asinh(x));
  case GLSLstd450Acosh:
    return outside(of(std::acosh(x)), x < 1, "acosh of a number below 1");
  case GLSLstd450Atanh:
    return outside(of(std::atanh(x)), std::fabs(x) >= 1, "atanh of a number outside (-1, 1)");
  case GLSLstd450Exp:
    return of(std::exp(x));
  case GLSLstd450Exp2:
    return of(std::exp2(x));
  case GLSLstd450Log:
    return outside(of(std::log(x)), x <= 0, "log of a number that is not positive");
  case GLSLstd450Log2:
    return outside(of(std::log2(x)), x <= 0, "log2 of a number that is not positive");
  default: // InverseSqrt
    return outside(of(1 / std::sqrt(x)), x <= 0, "inversesqrt of a number that is not positive");
  }
}

// Whole numbers and signs: exact in every mode.
GlslComponent exactFunction(uint32_t instruction, const Operands& operands) {
  const FloatKit& kit = operands.kit;
  double x = operands.value[0];
  switch (instruction) {
  case GLSLstd450Round: // which way a half goes is the implementation's choice
  case GLSLstd450RoundEven:
    return {kit.constant(std::nearbyint(x))};
  case GLSLstd450Trunc:
    return {kit.constant(std::trunc(x))};
  case GLSLstd450Floor:
    return {kit.constant(std::floor(x))};
  case GLSLstd450Ceil:
    return {kit.constant(std::ceil(x))};
  case GLSLstd450FAbs:
    return {kit.absolute(operands.bits[0])};
  case GLSLstd450FSign: {
    GlslComponent result{kit.constant(x > 0 ? 1 : x < 0 ? -1 : 0)};
    return operands.hasNan ? result.unspecified("sign of a NaN") : result;
  }
  default: // Step
    return {kit.constant(operands.value[1] < x ? 0 : 1)};
  }
}

// The smaller or larger of two, the other operand beside a NaN.
uint64_t pick(const FloatKit& kit, uint64_t a, uint64_t b, bool wantsSmaller) {
  double x = kit.value(a), y = kit.value(b);
  if (std::isnan(x)) return b;
  if (std::isnan(y)) return a;
  return (wantsSmaller ? y < x : x < y) ? b : a;
}

GlslComponent minMaxClamp(uint32_t instruction, const Operands& operands) {
  const FloatKit& kit = operands.kit;
  const auto& bits = operands.bits;
  GlslComponent result;
  switch (instruction) {
  case GLSLstd450FMin:
  case GLSLstd450NMin:
    result.bits = pick(kit, bits[0], bits[1], true);
    break;
  case GLSLstd450FMax:
  case GLSLstd450NMax:
    result.bits = pick(kit, bits[0], bits[1], false);
    break;
  default: // FClamp, NClamp
    result.bits = pick(kit, pick(kit, bits[0], bits[1], false), bits[2], true);
    if (operands.value[1] > operands.value[2])
      return result.undefined("clamp with its minimum above its maximum");
  }
  bool choosesFreely = instruction == GLSLstd450FMin || instruction == GLSLstd450FMax ||
                       instruction == GLSLstd450FClamp;
  return choosesFreely && operands.hasNan ? result.unspecified("min, max or clamp of a NaN")
                                          : result;
}

GlslComponent smoothStep(const Operands& operands) {
  const FloatKit& kit = operands.kit;
  const auto& [low, high, x] = operands.bits;
  uint64_t zero = 0, one = kit.constant(1);
  uint64_t part = kit.div(kit.sub(x, low), kit.sub(high, low));
  uint64_t t = pick(kit, pick(kit, part, zero, false), one, true);
  uint64_t slope = kit.sub(kit.constant(3), kit.mul(kit.constant(2), t));
  GlslComponent result{kit.mul(kit.mul(t, t), slope)};
  return outside(result, operands.value[0] >= operands.value[1],
                 "smoothstep with edge0 not below edge1");
}

GlslComponent loadExponent(const GlslCall& call, const Operands& operands, uint32_t at) {
  const GlslOperand& second = call.operands[1];
  int64_t exponent = signedOf(second.cells[at], second.width);
  double x = operands.value[0];
  // Beyond any sum of exponents nothing changes, and int is enough.
  int bounded = int(std::clamp<int64_t>(exponent, -5000, 5000));
  GlslComponent result{operands.kit.rounded(std::ldexp(x, bounded))};
  uint32_t width = operands.kit.width;
  int64_t highest = width == 16 ? 16 : width == 32 ? 128 : 1024;
  if (std::isnan(x) || std::isinf(x) || x == 0) return result;
  if (exponent > highest || isInfinite(width, result.bits))
    return result.undefined("ldexp beyond the largest number");
  return exponent < 2 - highest ? result.unspecified("ldexp below the smallest normal number")
                                : result;
}

GlslComponent derived(const GlslCall& call, const Operands& operands, uint32_t at) {
  const FloatKit& kit = operands.kit;
  const auto& bits = operands.bits;
  double x = operands.value[0], y = operands.value[1];
  switch (call.instruction) {
  case GLSLstd450Fract:
    return {kit.sub(bits[0], kit.constant(std::floor(x)))};
  case GLSLstd450Radians:
    return {kit.mul(bits[0], kit.constant(kDegree))};
  case GLSLstd450Degrees:
    return {kit.mul(bits[0], kit.constant(1 / kDegree))};
  case GLSLstd450Sqrt:
    return outside({floatSquareRoot(kit.width, bits[0], kit.mode)}, x < 0,
                   "sqrt of a negative number");
  case GLSLstd450Atan2:
    return outside({kit.rounded(std::atan2(x, y))}, x == 0 && y == 0, "atan2 of zero and zero");
  case GLSLstd450Pow: {
    GlslComponent result{kit.rounded(std::pow(x, y))};
    if (x < 0) return result.undefined("pow of a negative number");
    return outside(result, x == 0 && y <= 0, "pow of zero with an exponent that is not positive");
  }
  case GLSLstd450FMix:
    return {
        kit.add(kit.mul(bits[0], kit.sub(kit.constant(1), bits[2])), kit.mul(bits[1], bits[2]))};
  case GLSLstd450Fma:
    return {floatMulAdd(kit.width, bits[0], bits[1], bits[2], kit.mode)};
  case GLSLstd450Ldexp:
    return loadExponent(call, operands, at);
  default:
    return smoothStep(operands);
  }
}

GlslComponent computed(const GlslCall& call, const Operands& operands, uint32_t at) {
  switch (call.instruction) {
  case GLSLstd450Round:
  case GLSLstd450RoundEven:
  case GLSLstd450Trunc:
  case GLSLstd450Floor:
  case GLSLstd450Ceil:
  case GLSLstd450FAbs:
  case GLSLstd450FSign:
  case GLSLstd450Step:
    return exactFunction(call.instruction, operands);
  case GLSLstd450FMin:
  case GLSLstd450NMin:
  case GLSLstd450FMax:
  case GLSLstd450NMax:
  case GLSLstd450FClamp:
  case GLSLstd450NClamp:
    return minMaxClamp(call.instruction, operands);
  case GLSLstd450Fract:
  case GLSLstd450Radians:
  case GLSLstd450Degrees:
  case GLSLstd450Sqrt:
  case GLSLstd450Atan2:
  case GLSLstd450Pow:
  case GLSLstd450FMix:
  case GLSLstd450Fma:
  case GLSLstd450Ldexp:
  case GLSLstd450SmoothStep:
    return derived(call, operands, at);
  default:
    return transcendental(call.instruction, operands.kit, operands.value[0]);
  }
}

} // namespace

GlslComponent floatComponent(const GlslCall& call, uint32_t at) {
  Operands operands = operandsOf(call, at);
  GlslComponent result = computed(call, operands, at);
  if (operands.kit.mode.flushDenormals)
    result.bits = flushDenormal(operands.kit.width, result.bits);
  return result;
}

GlslOutcome splitFloats(const GlslCall& call, std::span<uint64_t> result) {
  GlslOutcome outcome;
  uint32_t width = call.operands[0].width;
  bool isModf = call.instruction == GLSLstd450Modf || call.instruction == GLSLstd450ModfStruct;
  for (uint32_t i = 0; i < call.resultCount; ++i) {
    uint64_t bits = call.operands[0].cells[i];
    if (call.modes.of(width).flushDenormals) bits = flushDenormal(width, bits);
    double x = decodeFloat(width, bits);
    uint64_t& second = result[call.resultCount + i];
    if (isModf) {
      double whole;
      result[i] = encodeFloat(width, std::modf(x, &whole));
      second = encodeFloat(width, whole);
      continue;
    }
    int exponent = 0;
    GlslComponent component{encodeFloat(width, std::frexp(x, &exponent))};
    if (!std::isfinite(x)) {
      exponent = 0;
      component = component.undefined("frexp of an infinity or a NaN");
    }
    result[i] = component.bits;
    second = lowBits(uint64_t(int64_t(exponent)), call.secondWidth);
    note(outcome, i, component);
    note(outcome, call.resultCount + i, component);
  }
  return outcome;
}

} // namespace lanewise::driver
