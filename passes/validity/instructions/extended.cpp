// Instructions of GLSL.std.450. Those of other sets are taken as they are.

#include "text/format_text.h"
#include "validity/instructions/operand_rules.h"
#include "validity/instructions/rules.h"

#include <array>
#include <iterator>

namespace lanewise::validity {

namespace {

constexpr uint32_t kFirst = 5; ///< word of the first operand

/// Instructions whose operands are all alike: of the result type, or integers as wide.
struct AlikeRow {
  uint8_t instruction;
  uint8_t operands;
  enum : uint8_t { Floats, ShortFloats, Ints } of;
};

constexpr AlikeRow kAlikeRows[] = {
    {1, 1, AlikeRow::Floats},       // Round
    {2, 1, AlikeRow::Floats},       // RoundEven
    {3, 1, AlikeRow::Floats},       // Trunc
    {4, 1, AlikeRow::Floats},       // FAbs
    {5, 1, AlikeRow::Ints},         // SAbs
    {6, 1, AlikeRow::Floats},       // FSign
    {7, 1, AlikeRow::Ints},         // SSign
    {8, 1, AlikeRow::Floats},       // Floor
    {9, 1, AlikeRow::Floats},       // Ceil
    {10, 1, AlikeRow::Floats},      // Fract
    {11, 1, AlikeRow::ShortFloats}, // Radians
    {12, 1, AlikeRow::ShortFloats}, // Degrees
    {13, 1, AlikeRow::ShortFloats}, // Sin
    {14, 1, AlikeRow::ShortFloats}, // Cos
    {15, 1, AlikeRow::ShortFloats}, // Tan
    {16, 1, AlikeRow::ShortFloats}, // Asin
    {17, 1, AlikeRow::ShortFloats}, // Acos
    {18, 1, AlikeRow::ShortFloats}, // Atan
    {19, 1, AlikeRow::ShortFloats}, // Sinh
    {20, 1, AlikeRow::ShortFloats}, // Cosh
    {21, 1, AlikeRow::ShortFloats}, // Tanh
    {22, 1, AlikeRow::ShortFloats}, // Asinh
    {23, 1, AlikeRow::ShortFloats}, // Acosh
    {24, 1, AlikeRow::ShortFloats}, // Atanh
    {25, 2, AlikeRow::ShortFloats}, // Atan2
    {26, 2, AlikeRow::ShortFloats}, // Pow
    {27, 1, AlikeRow::ShortFloats}, // Exp
    {28, 1, AlikeRow::ShortFloats}, // Log
    {29, 1, AlikeRow::ShortFloats}, // Exp2
    {30, 1, AlikeRow::ShortFloats}, // Log2
    {31, 1, AlikeRow::Floats},      // Sqrt
    {32, 1, AlikeRow::Floats},      // InverseSqrt
    {37, 2, AlikeRow::Floats},      // FMin
    {38, 2, AlikeRow::Ints},        // UMin
    {39, 2, AlikeRow::Ints},        // SMin
    {40, 2, AlikeRow::Floats},      // FMax
    {41, 2, AlikeRow::Ints},        // UMax
    {42, 2, AlikeRow::Ints},        // SMax
    {43, 3, AlikeRow::Floats},      // FClamp
    {44, 3, AlikeRow::Ints},        // UClamp
    {45, 3, AlikeRow::Ints},        // SClamp
    {46, 3, AlikeRow::Floats},      // FMix
    {48, 2, AlikeRow::Floats},      // Step
    {49, 3, AlikeRow::Floats},      // SmoothStep
    {50, 3, AlikeRow::Floats},      // Fma
    {69, 1, AlikeRow::Floats},      // Normalize
    {70, 3, AlikeRow::Floats},      // FaceForward
    {71, 2, AlikeRow::Floats},      // Reflect
    {73, 1, AlikeRow::Ints},        // FindILsb
    {74, 1, AlikeRow::Ints},        // FindSMsb
    {75, 1, AlikeRow::Ints},        // FindUMsb
    {79, 2, AlikeRow::Floats},      // NMin
    {80, 2, AlikeRow::Floats},      // NMax
    {81, 3, AlikeRow::Floats},      // NClamp
};

constexpr auto kAlikeRowOf = [] {
  std::array<uint8_t, 96> rows{};
  for (size_t n = 0; n < std::size(kAlikeRows); ++n)
    rows[kAlikeRows[n].instruction] = uint8_t(n + 1);
  return rows;
}();

constexpr OperandRule kSameFloats{kFloats, kResultType}, kLikeInts{kInts, kCount | kWidth};
constexpr OperationRule kAllFloats{kFloats, 3, {kSameFloats, kSameFloats, kSameFloats}},
    kAllInts{kInts, 3, {kLikeInts, kLikeInts, kLikeInts}};

enum Instruction : uint32_t {
  Determinant = 33,
  MatrixInverse = 34,
  Modf = 35,
  ModfStruct = 36,
  Frexp = 51,
  FrexpStruct = 52,
  Ldexp = 53,
  PackSnorm4x8 = 54,
  PackUnorm4x8 = 55,
  PackSnorm2x16 = 56,
  PackUnorm2x16 = 57,
  PackHalf2x16 = 58,
  PackDouble2x32 = 59,
  UnpackSnorm2x16 = 60,
  UnpackUnorm2x16 = 61,
  UnpackHalf2x16 = 62,
  UnpackSnorm4x8 = 63,
  UnpackUnorm4x8 = 64,
  UnpackDouble2x32 = 65,
  Length = 66,
  Distance = 67,
  Cross = 68,
  Refract = 72,
  InterpolateAtCentroid = 76,
  InterpolateAtOffset = 78
};

bool isVectorOf(const Shape& s, Scalar scalar, uint32_t count, uint16_t width) {
  const bool number = scalar == Scalar::Float
                          ? s.scalar == Scalar::Float
                          : s.scalar == Scalar::Signed || s.scalar == Scalar::Unsigned;
  return s.kind == Kind::Vector && number && s.count == count && s.width == width;
}
bool isInt32(const Shape& s) {
  return s.isInt() && s.width == 32;
}

/// Packing takes a vector to the bits of a scalar, unpacking takes it back.
bool fitsPacking(uint32_t instruction, const Shape& result, const Shape& operand) {
  const bool unpacks = instruction >= UnpackSnorm2x16;
  const Shape &vector = unpacks ? result : operand, &scalar = unpacks ? operand : result;
  switch (instruction) {
  case PackSnorm4x8:
  case PackUnorm4x8:
  case UnpackSnorm4x8:
  case UnpackUnorm4x8:
    return isInt32(scalar) && isVectorOf(vector, Scalar::Float, 4, 32);
  case PackDouble2x32:
  case UnpackDouble2x32:
    return scalar.kind == Kind::Float && scalar.width == 64 &&
           isVectorOf(vector, Scalar::Unsigned, 2, 32);
  default:
    return isInt32(scalar) && isVectorOf(vector, Scalar::Float, 2, 32);
  }
}

/// Length and Distance: the operands' components have the result type.
bool checkLength(Subject& s, InstRef i, uint32_t operands) {
  const Module& m = s.module;
  for (uint32_t n = 0; n < operands; ++n) {
    const Id type = s.typeOf(m.idAt(i, kFirst + n));
    const Shape& shape = s.shapeOfType(type);
    if (shape.isOpen()) return true;
    const bool fits = (kindsOf(shape) & kFloats) &&
                      (shape.kind == Kind::Vector ? s.elementOf(type) : type) == m.idAt(i, 1);
    if (!fits) return s.failOperand(i, kFirst + n, "whose components are not of the result type");
  }
  return true;
}

/// Modf and Frexp store their second result through a pointer.
bool checkOutPointer(Subject& s, InstRef i, uint32_t instruction) {
  const Module& m = s.module;
  if (!checkRule(s, i, kFirst, {kFloats, 1, {kSameFloats}})) return false;
  const Id type = s.typeOf(m.idAt(i, kFirst + 1));
  const Shape& shape = s.shapeOfType(type);
  if (shape.isOpen() || shape.kind == Kind::UntypedPointer) return true;
  if (shape.kind != Kind::Pointer) return s.failOperand(i, kFirst + 1, "but it must be a pointer");
  const Id pointee = s.pointeeOf(type);
  const Shape& out = s.shapeOfType(pointee);
  const bool fits = instruction == Modf
                        ? pointee == m.idAt(i, 1)
                        : (kindsOf(out) & kInts) && out.count == s.resultShape(i).count;
  return fits || out.isOpen() ||
         s.failOperand(i, kFirst + 1, "which does not point to what the result needs");
}

/// ModfStruct and FrexpStruct give both results in a structure.
bool checkOutStruct(Subject& s, InstRef i, uint32_t instruction) {
  const Module& m = s.module;
  const InstRef d = m.def(m.idAt(i, 1));
  if (s.resultShape(i).isOpen()) return true;
  if (m.opcode(d) != spv::Op::OpTypeStruct || m.wordCount(d) != 4)
    return s.fail(i, "the result type must be a structure of two members");
  const Id first = m.idAt(d, 2), second = m.idAt(d, 3);
  const Shape &a = s.shapeOfType(first), &b = s.shapeOfType(second);
  const bool fits =
      (kindsOf(a) & kFloats) &&
      (instruction == ModfStruct ? first == second : (kindsOf(b) & kInts) && a.count == b.count);
  if (!fits) return s.fail(i, "the members of the result type do not fit the results");
  return s.typeOf(m.idAt(i, kFirst)) == first || s.shapeOfValue(m.idAt(i, kFirst)).isOpen() ||
         s.failOperand(i, kFirst, "which is not that of the first member of the result type");
}

bool checkMatrix(Subject& s, InstRef i, uint32_t instruction) {
  const Module& m = s.module;
  const Id matrix = s.typeOf(m.idAt(i, kFirst));
  const Shape& shape = s.shapeOfType(matrix);
  if (shape.isOpen() || s.resultShape(i).isOpen()) return true;
  const bool square =
      shape.kind == Kind::Matrix && shape.count == s.shapeOfType(s.elementOf(matrix)).count;
  if (!square) return s.failOperand(i, kFirst, "but it must be a square matrix");
  const Id wanted = instruction == Determinant ? s.elementOf(s.elementOf(matrix)) : matrix;
  return wanted == m.idAt(i, 1) ||
         s.failOperand(
             i, kFirst,
             formatText("which does not give the result type {}", describeType(m, m.idAt(i, 1))));
}

bool checkInterpolation(Subject& s, InstRef i) {
  const Module& m = s.module;
  if (!s.has(spv::Capability::InterpolationFunction))
    return s.fail(i, "needs capability InterpolationFunction");
  const Id pointer = s.typeOf(m.idAt(i, kFirst));
  const Shape& shape = s.shapeOfType(pointer);
  if (shape.isOpen() || shape.kind == Kind::UntypedPointer) return true;
  const bool fits = shape.kind == Kind::Pointer && s.pointeeOf(pointer) == m.idAt(i, 1) &&
                    s.storageOf(pointer) == spv::StorageClass::Input;
  return fits || s.failOperand(i, kFirst, "but it must point to an input of the result type");
}

bool checkOther(Subject& s, InstRef i, uint32_t instruction) {
  const Shape &result = s.resultShape(i), &operand = s.shapeOfValue(s.module.idAt(i, kFirst));
  switch (instruction) {
  case Determinant:
  case MatrixInverse:
    return checkMatrix(s, i, instruction);
  case Modf:
  case Frexp:
    return checkOutPointer(s, i, instruction);
  case ModfStruct:
  case FrexpStruct:
    return checkOutStruct(s, i, instruction);
  case Ldexp:
    return checkRule(s, i, kFirst, {kFloats, 2, {kSameFloats, {kInts, kCount}}});
  case Length:
    return checkRule(s, i, kFirst, {kFloatS, 0, {}}) && checkLength(s, i, 1);
  case Distance:
    return checkRule(s, i, kFirst, {kFloatS, 2, {{kFloats, kFree}, {kFloats, kFirstType}}}) &&
           checkLength(s, i, 2);
  case Cross:
    return checkRule(s, i, kFirst, {kFloatV, 2, {kSameFloats, kSameFloats}}) &&
           (result.isOpen() || result.count == 3 || s.fail(i, "gives a vector of 3 floats"));
  case Refract:
    return checkRule(s, i, kFirst, {kFloats, 3, {kSameFloats, kSameFloats, {kFloatS, kFree}}});
  default:
    if (instruction >= PackSnorm4x8 && instruction <= UnpackDouble2x32)
      return result.isOpen() || operand.isOpen() || fitsPacking(instruction, result, operand) ||
             s.failOperand(i, kFirst,
                           formatText("which does not go with the result type {}",
                                      describeType(s.module, s.module.idAt(i, 1))));
    if (instruction >= InterpolateAtCentroid && instruction <= InterpolateAtOffset)
      return checkInterpolation(s, i);
    return true;
  }
}

} // namespace

bool checkExtended(Subject& s, InstRef i) {
  const Module& m = s.module;
  if (m.extInstSet(m.idAt(i, 3)) != ExtInstSet::GlslStd450) return true;
  const uint32_t instruction = m.word(i, 4);
  if (instruction >= kAlikeRowOf.size()) return true;
  if (kAlikeRowOf[instruction] == 0) return checkOther(s, i, instruction);
  const AlikeRow& row = kAlikeRows[kAlikeRowOf[instruction] - 1];
  if (!checkRule(s, i, kFirst, row.of == AlikeRow::Ints ? kAllInts : kAllFloats)) return false;
  return row.of != AlikeRow::ShortFloats || s.resultShape(i).width <= 32 ||
         s.fail(i, "takes no 64-bit floats");
}

} // namespace lanewise::validity
