#include "verify/interpreter/ops/glsl_std_450.h"

#include "verify/interpreter/ops/glsl_parts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise::driver {
namespace {

// How an instruction is computed.
enum class Shape : uint8_t { None, FloatComponents, IntegerComponents, TwoResults, Pack, Vector };

struct Row {
  GlslInstruction instruction{nullptr, 0};
  Shape shape = Shape::None;
};

constexpr std::array<Row, GLSLstd450Count> makeTable() {
  std::array<Row, GLSLstd450Count> table{};
  auto set = [&](GLSLstd450 number, const char* name, uint32_t operands, Shape shape,
                 bool hasPointer = false) {
    table[number] = {{name, operands, hasPointer}, shape};
  };
  using enum Shape;
  set(GLSLstd450Round, "Round", 1, FloatComponents);
  set(GLSLstd450RoundEven, "RoundEven", 1, FloatComponents);
  set(GLSLstd450Trunc, "Trunc", 1, FloatComponents);
  set(GLSLstd450FAbs, "FAbs", 1, FloatComponents);
  set(GLSLstd450SAbs, "SAbs", 1, IntegerComponents);
  set(GLSLstd450FSign, "FSign", 1, FloatComponents);
  set(GLSLstd450SSign, "SSign", 1, IntegerComponents);
  set(GLSLstd450Floor, "Floor", 1, FloatComponents);
  set(GLSLstd450Ceil, "Ceil", 1, FloatComponents);
  set(GLSLstd450Fract, "Fract", 1, FloatComponents);
  set(GLSLstd450Radians, "Radians", 1, FloatComponents);
  set(GLSLstd450Degrees, "Degrees", 1, FloatComponents);
  set(GLSLstd450Sin, "Sin", 1, FloatComponents);
  set(GLSLstd450Cos, "Cos", 1, FloatComponents);
  set(GLSLstd450Tan, "Tan", 1, FloatComponents);
  set(GLSLstd450Asin, "Asin", 1, FloatComponents);
  set(GLSLstd450Acos, "Acos", 1, FloatComponents);
  set(GLSLstd450Atan, "Atan", 1, FloatComponents);
  set(GLSLstd450Sinh, "Sinh", 1, FloatComponents);
  set(GLSLstd450Cosh, "Cosh", 1, FloatComponents);
  set(GLSLstd450Tanh, "Tanh", 1, FloatComponents);
  set(GLSLstd450Asinh, "Asinh", 1, FloatComponents);
  set(GLSLstd450Acosh, "Acosh", 1, FloatComponents);
  set(GLSLstd450Atanh, "Atanh", 1, FloatComponents);
  set(GLSLstd450Atan2, "Atan2", 2, FloatComponents);
  set(GLSLstd450Pow, "Pow", 2, FloatComponents);
  set(GLSLstd450Exp, "Exp", 1, FloatComponents);
  set(GLSLstd450Log, "Log", 1, FloatComponents);
  set(GLSLstd450Exp2, "Exp2", 1, FloatComponents);
  set(GLSLstd450Log2, "Log2", 1, FloatComponents);
  set(GLSLstd450Sqrt, "Sqrt", 1, FloatComponents);
  set(GLSLstd450InverseSqrt, "InverseSqrt", 1, FloatComponents);
  set(GLSLstd450Determinant, "Determinant", 1, Vector);
  set(GLSLstd450MatrixInverse, "MatrixInverse", 1, Vector);
  set(GLSLstd450Modf, "Modf", 2, TwoResults, true);
  set(GLSLstd450ModfStruct, "ModfStruct", 1, TwoResults);
  set(GLSLstd450FMin, "FMin", 2, FloatComponents);
  set(GLSLstd450UMin, "UMin", 2, IntegerComponents);
  set(GLSLstd450SMin, "SMin", 2, IntegerComponents);
  set(GLSLstd450FMax, "FMax", 2, FloatComponents);
  set(GLSLstd450UMax, "UMax", 2, IntegerComponents);
  set(GLSLstd450SMax, "SMax", 2, IntegerComponents);
  set(GLSLstd450FClamp, "FClamp", 3, FloatComponents);
  set(GLSLstd450UClamp, "UClamp", 3, IntegerComponents);
  set(GLSLstd450SClamp, "SClamp", 3, IntegerComponents);
  set(GLSLstd450FMix, "FMix", 3, FloatComponents);
  set(GLSLstd450Step, "Step", 2, FloatComponents);
  set(GLSLstd450SmoothStep, "SmoothStep", 3, FloatComponents);
  set(GLSLstd450Fma, "Fma", 3, FloatComponents);
  set(GLSLstd450Frexp, "Frexp", 2, TwoResults, true);
  set(GLSLstd450FrexpStruct, "FrexpStruct", 1, TwoResults);
  set(GLSLstd450Ldexp, "Ldexp", 2, FloatComponents);
  set(GLSLstd450PackSnorm4x8, "PackSnorm4x8", 1, Pack);
  set(GLSLstd450PackUnorm4x8, "PackUnorm4x8", 1, Pack);
  set(GLSLstd450PackSnorm2x16, "PackSnorm2x16", 1, Pack);
  set(GLSLstd450PackUnorm2x16, "PackUnorm2x16", 1, Pack);
  set(GLSLstd450PackHalf2x16, "PackHalf2x16", 1, Pack);
  set(GLSLstd450PackDouble2x32, "PackDouble2x32", 1, Pack);
  set(GLSLstd450UnpackSnorm2x16, "UnpackSnorm2x16", 1, Pack);
  set(GLSLstd450UnpackUnorm2x16, "UnpackUnorm2x16", 1, Pack);
  set(GLSLstd450UnpackHalf2x16, "UnpackHalf2x16", 1, Pack);
  set(GLSLstd450UnpackSnorm4x8, "UnpackSnorm4x8", 1, Pack);
  set(GLSLstd450UnpackUnorm4x8, "UnpackUnorm4x8", 1, Pack);
  set(GLSLstd450UnpackDouble2x32, "UnpackDouble2x32", 1, Pack);
  set(GLSLstd450Length, "Length", 1, Vector);
  set(GLSLstd450Distance, "Distance", 2, Vector);
  set(GLSLstd450Cross, "Cross", 2, Vector);
  set(GLSLstd450Normalize, "Normalize", 1, Vector);
  set(GLSLstd450FaceForward, "FaceForward", 3, Vector);
  set(GLSLstd450Reflect, "Reflect", 2, Vector);
  set(GLSLstd450Refract, "Refract", 3, Vector);
  set(GLSLstd450FindILsb, "FindILsb", 1, IntegerComponents);
  set(GLSLstd450FindSMsb, "FindSMsb", 1, IntegerComponents);
  set(GLSLstd450FindUMsb, "FindUMsb", 1, IntegerComponents);
  set(GLSLstd450NMin, "NMin", 2, FloatComponents);
  set(GLSLstd450NMax, "NMax", 2, FloatComponents);
  set(GLSLstd450NClamp, "NClamp", 3, FloatComponents);
  return table;
}

constexpr std::array<Row, GLSLstd450Count> kTable = makeTable();

GlslComponent integerComponent(const GlslCall& call, uint32_t at) {
  std::array<uint64_t, 3> bits{};
  for (size_t i = 0; i < call.operands.size(); ++i) bits[i] = call.operands[i].cells[at];
  const IntegerResult result = evaluateGlslInteger(call.instruction, call.operands[0].width, bits);
  const GlslComponent component{result.bits};
  return result.isDefined() ? component
                            : component.undefined("clamp with its minimum above its maximum");
}

} // namespace

const GlslInstruction* findGlslInstruction(uint32_t number) {
  if (number >= kTable.size() || kTable[number].shape == Shape::None) return nullptr;
  return &kTable[number].instruction;
}

void note(GlslOutcome& outcome, uint32_t cell, const GlslComponent& component) {
  if (component.certainty == Certainty::Defined) return;
  outcome.cells |= uint32_t(1) << cell;
  if (component.certainty > outcome.certainty) {
    outcome.certainty = component.certainty;
    outcome.why = component.why;
  }
}

GlslOutcome runGlslInstruction(const GlslCall& call, std::span<uint64_t> result) {
  GlslOutcome outcome;
  Shape shape = kTable[call.instruction].shape;
  switch (shape) {
  case Shape::FloatComponents:
  case Shape::IntegerComponents:
    for (uint32_t i = 0; i < call.resultCount; ++i) {
      GlslComponent component =
          shape == Shape::FloatComponents ? floatComponent(call, i) : integerComponent(call, i);
      result[i] = component.bits;
      note(outcome, i, component);
    }
    break;
  case Shape::TwoResults:
    return splitFloats(call, result);
  case Shape::Pack:
    return packOrUnpack(call, result);
  case Shape::Vector:
    return vectorFunction(call, result);
  case Shape::None:
    break;
  }
  return outcome;
}

} // namespace lanewise::driver
