// Instructions of newer extensions: cooperative matrices, integer dot products, replicated
// composites. What is not known of them is accepted.

#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/instructions/operand_rules.h"
#include "validity/instructions/rules.h"

namespace lanewise::validity {

namespace {

using spv::Op;

bool isCooperative(const Shape& s) {
  return s.isOpen() || s.kind == Kind::CooperativeMatrix;
}

bool checkMatrixAccess(Subject& s, InstRef i, bool stores) {
  const Module& m = s.module;
  const uint32_t pointerWord = stores ? 1 : 3;
  const Shape& matrix = stores ? s.shapeOfValue(m.idAt(i, 2)) : s.resultShape(i);
  if (!isCooperative(matrix)) return s.fail(i, "must access a cooperative matrix");
  const Id pointer = s.typeOf(m.idAt(i, pointerWord));
  const Shape& shape = s.shapeOfType(pointer);
  if (shape.isOpen()) return true;
  if (!shape.isPointer()) return s.failOperand(i, pointerWord, "which is no pointer");
  const Shape& pointee = s.shapeOfType(s.pointeeOf(pointer));
  return pointee.isOpen() || (kindsOf(pointee) & (kInts | kFloats)) ||
         s.failOperand(i, pointerWord, "which points to no numbers");
}

bool checkMulAdd(Subject& s, InstRef i) {
  const Module& m = s.module;
  if (!isCooperative(s.resultShape(i)))
    return s.fail(i, "the result type must be a cooperative matrix");
  for (uint32_t word : {3u, 4u, 5u})
    if (!isCooperative(s.shapeOfValue(m.idAt(i, word))))
      return s.failOperand(i, word, "but it must be a cooperative matrix");
  return true;
}

/// Both factors are vectors of integers of one size, or packed into 32 bits.
bool checkIntegerDot(Subject& s, InstRef i, bool accumulates, bool mixed) {
  const Module& m = s.module;
  if (!(kindsOf(s.resultShape(i)) & kIntS)) return s.fail(i, "the result type must be an integer");
  const Shape &a = s.shapeOfValue(m.idAt(i, 3)), &b = s.shapeOfValue(m.idAt(i, 4));
  if (a.isOpen() || b.isOpen()) return true;
  if (!(kindsOf(a) & kInts)) return s.failOperand(i, 3, "but it must hold integers");
  if (!(kindsOf(b) & kInts) || a.count != b.count || a.width != b.width ||
      (!mixed && s.typeOf(m.idAt(i, 3)) != s.typeOf(m.idAt(i, 4))))
    return s.failOperand(i, 4, "which does not go with the first factor");
  if (!accumulates) return true;
  return s.typeOf(m.idAt(i, 5)) == m.idAt(i, 1) || s.shapeOfValue(m.idAt(i, 5)).isOpen() ||
         s.failOperand(i, 5, "but the accumulator must have the result type");
}

bool checkReplicate(Subject& s, InstRef i) {
  const Module& m = s.module;
  const Id result = m.idAt(i, 1), value = s.typeOf(m.idAt(i, 3));
  const Shape& shape = s.shapeOfType(result);
  if (shape.isOpen() || s.shapeOfType(value).isOpen()) return true;
  switch (shape.kind) {
  case Kind::Vector:
  case Kind::Matrix:
  case Kind::Array:
  case Kind::CooperativeMatrix:
    return value == s.elementOf(result) ||
           s.failOperand(i, 3, "which is not that of the constituents of the result type");
  case Kind::Struct:
    return true;
  default:
    return s.fail(i, "the result type is no composite");
  }
}

} // namespace

bool checkNewer(Subject& s, InstRef i) {
  switch (uint32_t(s.module.opcode(i))) {
  case uint32_t(newer::Op::OpCooperativeMatrixLoadKHR):
    return checkMatrixAccess(s, i, false);
  case uint32_t(newer::Op::OpCooperativeMatrixStoreKHR):
    return checkMatrixAccess(s, i, true);
  case uint32_t(newer::Op::OpCooperativeMatrixMulAddKHR):
    return checkMulAdd(s, i);
  case uint32_t(Op::OpSDot):
  case uint32_t(Op::OpUDot):
    return checkIntegerDot(s, i, false, false);
  case uint32_t(Op::OpSUDot):
    return checkIntegerDot(s, i, false, true);
  case uint32_t(Op::OpSDotAccSat):
  case uint32_t(Op::OpUDotAccSat):
    return checkIntegerDot(s, i, true, false);
  case uint32_t(Op::OpSUDotAccSat):
    return checkIntegerDot(s, i, true, true);
  case uint32_t(newer::Op::OpCompositeConstructReplicateEXT):
    return checkReplicate(s, i);
  default:
    return true;
  }
}

} // namespace lanewise::validity
