// Arithmetic, logic, comparisons, bits, selections and conversions (SPIR-V 3.42.11 to 3.42.16).

#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/instructions/operand_rules.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace lanewise::validity {

namespace {

using spv::Op;

constexpr uint16_t kFloatAll = kFloats | kCoopFloat, kIntAll = kInts | kCoopInt;
constexpr OperandRule kFloatSame{kFloatAll, kResultType}, kBoolSame{kBools, kResultType},
    kIntLike{kIntAll, kCount | kWidth}, kUnsignedSame{kUnsigneds, kResultType},
    kBitLike{kInts, kCount | kWidth}, kIntScalar{kIntS, kFree}, kIntSame{kInts, kResultType};

constexpr OperationRule kFloatUnary{kFloatAll, 1, {kFloatSame}};
constexpr OperationRule kFloatBinary{kFloatAll, 2, {kFloatSame, kFloatSame}};
constexpr OperationRule kIntUnary{kIntAll, 1, {kIntLike}};
constexpr OperationRule kIntBinary{kIntAll, 2, {kIntLike, kIntLike}};
constexpr OperationRule kUnsignedBinary{kUnsigneds, 2, {kUnsignedSame, kUnsignedSame}};
constexpr OperationRule kFloatTest{kBools, 1, {{kFloats, kCount}}};
constexpr OperationRule kFloatCompare{
    kBools, 2, {{kFloats, kCount}, {kFloats, kCount | kFirstType}}};
constexpr OperationRule kIntCompare{kBools, 2, {{kInts, kCount}, {kInts, kCount | kFirstWidth}}};
constexpr OperationRule kLogic{kBools, 2, {kBoolSame, kBoolSame}};
constexpr OperationRule kShift{kInts, 2, {kBitLike, {kInts, kCount}}};
constexpr OperationRule kBitwise{kInts, 2, {kBitLike, kBitLike}};
constexpr OperationRule kBitExtract{kInts, 3, {kIntSame, kIntScalar, kIntScalar}};
constexpr OperationRule kReduceBools{kBoolS, 1, {{kBoolV, kFree}}};
constexpr OperationRule kDerivative{kFloats, 1, {{kFloats, kResultType}}};
constexpr OperationRule kFromFloat{kIntAll, 1, {{kFloatAll, kCount}}};
constexpr OperationRule kFromInt{kFloatAll, 1, {{kIntAll, kCount}}};
constexpr OperationRule kDot{kFloatS, 2, {{kFloatV, kFree}, {kFloatV, kFirstType}}};
constexpr OperationRule kSaturating{kInts, 1, {{kInts, kCount}}};

struct Row {
  Op op;
  OperationRule rule;
};

constexpr Row kRows[] = {
    {Op::OpConvertFToU, {kUnsigneds, 1, {{kFloatAll, kCount}}}},
    {Op::OpConvertFToS, kFromFloat},
    {Op::OpConvertSToF, kFromInt},
    {Op::OpConvertUToF, kFromInt},
    {Op::OpUConvert, {kUnsigneds, 1, {{kIntAll, kCount | kOtherWidth}}}},
    {Op::OpSConvert, {kIntAll, 1, {{kIntAll, kCount | kOtherWidth}}}},
    {Op::OpFConvert, {kFloatAll, 1, {{kFloatAll, kCount}}}},
    {Op::OpQuantizeToF16, {kFloats, 1, {{kFloats, kResultType}}}},
    {Op::OpSatConvertSToU, kSaturating},
    {Op::OpSatConvertUToS, kSaturating},
    {Op::OpSNegate, kIntUnary},
    {Op::OpFNegate, kFloatUnary},
    {Op::OpIAdd, kIntBinary},
    {Op::OpFAdd, kFloatBinary},
    {Op::OpISub, kIntBinary},
    {Op::OpFSub, kFloatBinary},
    {Op::OpIMul, kIntBinary},
    {Op::OpFMul, kFloatBinary},
    {Op::OpUDiv, kUnsignedBinary},
    {Op::OpSDiv, kIntBinary},
    {Op::OpFDiv, kFloatBinary},
    {Op::OpUMod, kUnsignedBinary},
    {Op::OpSRem, kIntBinary},
    {Op::OpSMod, kIntBinary},
    {Op::OpFRem, kFloatBinary},
    {Op::OpFMod, kFloatBinary},
    {Op::OpVectorTimesScalar, {kFloatV, 2, {{kFloatV, kResultType}, {kFloatS, kComponent}}}},
    {Op::OpDot, kDot},
    {Op::OpAny, kReduceBools},
    {Op::OpAll, kReduceBools},
    {Op::OpIsNan, kFloatTest},
    {Op::OpIsInf, kFloatTest},
    {Op::OpIsFinite, kFloatTest},
    {Op::OpIsNormal, kFloatTest},
    {Op::OpSignBitSet, kFloatTest},
    {Op::OpLessOrGreater, kFloatCompare},
    {Op::OpOrdered, kFloatCompare},
    {Op::OpUnordered, kFloatCompare},
    {Op::OpLogicalEqual, kLogic},
    {Op::OpLogicalNotEqual, kLogic},
    {Op::OpLogicalOr, kLogic},
    {Op::OpLogicalAnd, kLogic},
    {Op::OpLogicalNot, {kBools, 1, {kBoolSame}}},
    {Op::OpIEqual, kIntCompare},
    {Op::OpINotEqual, kIntCompare},
    {Op::OpUGreaterThan, kIntCompare},
    {Op::OpSGreaterThan, kIntCompare},
    {Op::OpUGreaterThanEqual, kIntCompare},
    {Op::OpSGreaterThanEqual, kIntCompare},
    {Op::OpULessThan, kIntCompare},
    {Op::OpSLessThan, kIntCompare},
    {Op::OpULessThanEqual, kIntCompare},
    {Op::OpSLessThanEqual, kIntCompare},
    {Op::OpFOrdEqual, kFloatCompare},
    {Op::OpFUnordEqual, kFloatCompare},
    {Op::OpFOrdNotEqual, kFloatCompare},
    {Op::OpFUnordNotEqual, kFloatCompare},
    {Op::OpFOrdLessThan, kFloatCompare},
    {Op::OpFUnordLessThan, kFloatCompare},
    {Op::OpFOrdGreaterThan, kFloatCompare},
    {Op::OpFUnordGreaterThan, kFloatCompare},
    {Op::OpFOrdLessThanEqual, kFloatCompare},
    {Op::OpFUnordLessThanEqual, kFloatCompare},
    {Op::OpFOrdGreaterThanEqual, kFloatCompare},
    {Op::OpFUnordGreaterThanEqual, kFloatCompare},
    {Op::OpShiftRightLogical, kShift},
    {Op::OpShiftRightArithmetic, kShift},
    {Op::OpShiftLeftLogical, kShift},
    {Op::OpBitwiseOr, kBitwise},
    {Op::OpBitwiseXor, kBitwise},
    {Op::OpBitwiseAnd, kBitwise},
    {Op::OpNot, {kInts, 1, {kBitLike}}},
    {Op::OpBitFieldInsert, {kInts, 4, {kIntSame, kIntSame, kIntScalar, kIntScalar}}},
    {Op::OpBitFieldSExtract, kBitExtract},
    {Op::OpBitFieldUExtract, kBitExtract},
    {Op::OpBitReverse, {kInts, 1, {kIntSame}}},
    {Op::OpBitCount, {kInts, 1, {{kInts, kCount}}}},
    {Op::OpDPdx, kDerivative},
    {Op::OpDPdy, kDerivative},
    {Op::OpFwidth, kDerivative},
    {Op::OpDPdxFine, kDerivative},
    {Op::OpDPdyFine, kDerivative},
    {Op::OpFwidthFine, kDerivative},
    {Op::OpDPdxCoarse, kDerivative},
    {Op::OpDPdyCoarse, kDerivative},
    {Op::OpFwidthCoarse, kDerivative},
};
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const Row& a, const Row& b) { return a.op < b.op; }));

/// Row + 1 by opcode, 0 for none: all of these are among the oldest.
constexpr auto kRowOf = [] {
  std::array<uint8_t, 256> rows{};
  for (size_t n = 0; n < std::size(kRows); ++n) rows[size_t(kRows[n].op)] = uint8_t(n + 1);
  return rows;
}();

/// Rows of a matrix: components of a column.
uint32_t rowsOf(const Subject& s, Id matrixType) {
  return s.shapeOfType(s.elementOf(matrixType)).count;
}

/// OpMatrixTimesScalar, OpVectorTimesMatrix, OpMatrixTimesVector, OpMatrixTimesMatrix,
/// OpOuterProduct, OpTranspose: columns and rows must fit together.
bool checkMatrixOperation(Subject& s, InstRef i, Op op, uint32_t first) {
  const Module& m = s.module;
  const Id result = m.idAt(i, 1), left = s.typeOf(m.idAt(i, first)),
           right = op == Op::OpTranspose ? left : s.typeOf(m.idAt(i, first + 1));
  const Shape &r = s.shapeOfType(result), &a = s.shapeOfType(left), &b = s.shapeOfType(right);
  for (const Shape* shape : {&r, &a, &b})
    if (shape->isOpen() || shape->kind == Kind::CooperativeMatrix) return true;
  using enum Kind;
  const auto kinds = [&](Kind kr, Kind ka, Kind kb) {
    return r.kind == kr && a.kind == ka && b.kind == kb && r.scalar == Scalar::Float &&
           a.scalar == Scalar::Float && b.scalar == Scalar::Float && r.width == a.width &&
           r.width == b.width;
  };
  const bool fits = [&] {
    switch (op) {
    case Op::OpMatrixTimesScalar:
      return kinds(Matrix, Matrix, Float) && result == left;
    case Op::OpVectorTimesMatrix:
      return kinds(Vector, Vector, Matrix) && b.count == r.count && rowsOf(s, right) == a.count;
    case Op::OpMatrixTimesVector:
      return kinds(Vector, Matrix, Vector) && s.elementOf(left) == result && a.count == b.count;
    case Op::OpMatrixTimesMatrix:
      return kinds(Matrix, Matrix, Matrix) && s.elementOf(result) == s.elementOf(left) &&
             r.count == b.count && a.count == rowsOf(s, right);
    case Op::OpOuterProduct:
      return kinds(Matrix, Vector, Vector) && s.elementOf(result) == left && r.count == b.count;
    default:
      return kinds(Matrix, Matrix, Matrix) && r.count == rowsOf(s, left) &&
             a.count == rowsOf(s, result);
    }
  }();
  return fits || s.fail(i, formatText("the types of operands ({}, {}) and result ({}) do not fit "
                                      "together",
                                      describeType(m, left), describeType(m, right),
                                      describeType(m, result)));
}

/// The result is a structure of two members of one type, that of both operands.
bool checkExtendedArithmetic(Subject& s, InstRef i, Op op) {
  const Module& m = s.module;
  const Id result = m.idAt(i, 1);
  if (s.shapeOfType(result).isOpen()) return true;
  const InstRef type = m.def(result);
  if (m.opcode(type) != Op::OpTypeStruct || m.wordCount(type) != 4)
    return s.fail(i, "the result type must be a structure of two members");
  const Id member = m.idAt(type, 2);
  const uint16_t takes = op == Op::OpSMulExtended ? kInts : kUnsignedS | kUnsignedV;
  if (!(kindsOf(s.shapeOfType(member)) & takes) || m.idAt(type, 3) != member)
    return s.fail(i, "the members of the result type must have one integer type");
  for (uint32_t word : {3u, 4u})
    if (s.typeOf(m.idAt(i, word)) != member)
      return s.failOperand(
          i, word,
          formatText("but the members of the result type have type {}", describeType(m, member)));
  return true;
}

bool checkSelect(Subject& s, InstRef i, uint32_t first) {
  const Module& m = s.module;
  const Id result = m.idAt(i, 1);
  const Shape& r = s.shapeOfType(result);
  const Shape& condition = s.shapeOfValue(m.idAt(i, first));
  for (uint32_t word : {first + 1, first + 2})
    if (s.typeOf(m.idAt(i, word)) != result && !s.shapeOfValue(m.idAt(i, word)).isOpen())
      return s.failOperand(i, word,
                           formatText("but the result type is {}", describeType(m, result)));
  if (!(kindsOf(condition) & kBools))
    return s.failOperand(i, first, "but it must be a Boolean scalar or vector");
  if (r.isOpen() || condition.isOpen()) return true;
  constexpr uint32_t kCompositesSince = 0x00010400;
  const bool composites = m.version() >= kCompositesSince;
  const bool isComposite =
      r.kind == Kind::Array || r.kind == Kind::Matrix || r.kind == Kind::Struct;
  if (r.kind == Kind::Void || (isComposite && !composites))
    return s.fail(i, formatText("the result type is {}, which it does not take before SPIR-V 1.4",
                                describeType(m, result)));
  const uint32_t count = r.kind == Kind::Vector ? r.count : 1;
  if (condition.count != count && (!composites || condition.kind == Kind::Vector))
    return s.failOperand(
        i, first,
        formatText("not as many components as the result type {}", describeType(m, result)));
  if (r.isPointer() && s.addressing == spv::AddressingModel::Logical &&
      !s.has(spv::Capability::VariablePointersStorageBuffer))
    return s.fail(i, "selects between pointers without capability VariablePointers");
  return true;
}

/// Bits of a value whose size is known; 0 for others.
uint64_t bitsOf(const Subject& s, Id type) {
  const Shape& shape = s.shapeOfType(type);
  return shape.isScalarOrVector() ? uint64_t(shape.width) * shape.count : 0;
}

bool checkBitcast(Subject& s, InstRef i, uint32_t first) {
  const Module& m = s.module;
  const Id result = m.idAt(i, 1), input = s.typeOf(m.idAt(i, first));
  const Shape &r = s.shapeOfType(result), &a = s.shapeOfType(input);
  const auto takes = [](const Shape& shape) {
    return shape.isOpen() || shape.isPointer() || shape.kind == Kind::CooperativeMatrix ||
           (shape.isScalarOrVector() && shape.scalar != Scalar::Bool);
  };
  if (!takes(r)) return s.fail(i, formatText("the result type is {}", describeType(m, result)));
  if (!takes(a)) return s.failOperand(i, first, "which has no bits to reinterpret");
  const uint64_t to = bitsOf(s, result), from = bitsOf(s, input);
  if (to != 0 && from != 0 && to != from)
    return s.failOperand(
        i, first,
        formatText("which has not as many bits as the result type {}", describeType(m, result)));
  return true;
}

bool checkPointerConversion(Subject& s, InstRef i, bool toPointer, uint32_t first) {
  const Shape &r = s.resultShape(i), &a = s.shapeOfValue(s.module.idAt(i, first));
  if (r.isOpen() || a.isOpen() || s.has(newer::Capability::MaskedGatherScatterINTEL))
    return true; // vectors of pointers
  const Shape &pointer = toPointer ? r : a, &number = toPointer ? a : r;
  if (!pointer.isPointer() || !number.isInt())
    return s.fail(i, "must convert between a pointer and an integer scalar");
  if (s.addressing == spv::AddressingModel::Logical)
    return s.fail(i, "is not allowed in the Logical addressing model");
  return true;
}

bool checkFloatConversion(Subject& s, InstRef i, uint32_t first) {
  const Module& m = s.module;
  const Shape &r = s.resultShape(i), &a = s.shapeOfValue(m.idAt(i, first));
  const bool sameNumbers = r.width == a.width && r.hasEncoding == a.hasEncoding;
  if (!r.isScalarOrVector() || !a.isScalarOrVector() || !sameNumbers || r.hasEncoding) return true;
  return s.failOperand(i, first, "which is as wide as the result type");
}

/// Conversions between integers and floats are computations: numbers that may only be stored are
/// first made wider.
bool checkNarrow(Subject& s, InstRef i, uint32_t first) {
  if (!s.isShader) return true;
  const uint8_t inside = s.resultShape(i).inside | s.shapeOfValue(s.module.idAt(i, first)).inside;
  return !(inside & holds::kNarrow) ||
         s.fail(i, "8- or 16-bit numbers need a capability to be more than stored and made wider");
}

} // namespace

bool checkOperation(Subject& s, InstRef i, Op op, uint32_t first) {
  if (size_t(op) < kRowOf.size() && kRowOf[size_t(op)] != 0) {
    const OperationRule& rule = kRows[kRowOf[size_t(op)] - 1].rule;
    const bool isSpec = s.module.opcode(i) == Op::OpSpecConstantOp;
    if (!checkRule(s, i, first, isSpec ? withoutSigns(rule) : rule)) return false;
    switch (op) {
    case Op::OpDot:
      return s.shapeOfValue(s.module.idAt(i, first)).isOpen() ||
             s.module.idAt(i, 1) == s.elementOf(s.typeOf(s.module.idAt(i, first))) ||
             s.failOperand(i, first, "whose components are not of the result type");
    case Op::OpFConvert:
      return checkFloatConversion(s, i, first);
    case Op::OpConvertFToU:
    case Op::OpConvertFToS:
    case Op::OpConvertSToF:
    case Op::OpConvertUToF:
      return checkNarrow(s, i, first);
    default:
      return true;
    }
  }
  switch (op) {
  case Op::OpSelect:
    return checkSelect(s, i, first);
  case Op::OpBitcast:
    return checkBitcast(s, i, first);
  case Op::OpConvertPtrToU:
    return checkPointerConversion(s, i, false, first);
  case Op::OpConvertUToPtr:
    return checkPointerConversion(s, i, true, first);
  case Op::OpMatrixTimesScalar:
  case Op::OpVectorTimesMatrix:
  case Op::OpMatrixTimesVector:
  case Op::OpMatrixTimesMatrix:
  case Op::OpOuterProduct:
  case Op::OpTranspose:
    return checkMatrixOperation(s, i, op, first);
  case Op::OpIAddCarry:
  case Op::OpISubBorrow:
  case Op::OpUMulExtended:
  case Op::OpSMulExtended:
    return checkExtendedArithmetic(s, i, op);
  default:
    return true;
  }
}

} // namespace lanewise::validity
