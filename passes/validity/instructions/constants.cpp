#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/instructions/operand_rules.h"
#include "validity/instructions/rules.h"

namespace lanewise::validity {

namespace {

using spv::Op;

/// The type of constituent `n` of a composite type; null where it has no such constituent or
/// nothing is known of it.
Id constituentType(const Subject& s, Id type, uint32_t n) {
  const InstRef d = s.module.def(type);
  if (s.shapeOfType(type).kind == Kind::Struct)
    return n + 2 < s.module.wordCount(d) ? s.module.idAt(d, n + 2) : Id();
  return s.module.idAt(d, 2);
}

/// How many constituents a composite type has; nothing where that is no literal.
std::optional<uint64_t> constituentCount(const Subject& s, Id type) {
  const Shape& shape = s.shapeOfType(type);
  switch (shape.kind) {
  case Kind::Vector:
  case Kind::Matrix:
  case Kind::Struct:
    return shape.count;
  case Kind::CooperativeMatrix:
    return 1;
  case Kind::Array:
    if (auto length = s.literalInt(s.module.idAt(s.module.def(type), 3))) return uint64_t(*length);
    return {};
  default:
    return {};
  }
}

/// Whether a constant may be a constituent. Components of vectors may differ in their sign: some
/// compilers write vectors of unsigned integers so.
bool isConstituent(const Subject& s, Id type, const Shape& composite, Id element) {
  if (type == element) return true;
  const Shape &a = s.shapeOfType(type), &b = s.shapeOfType(element);
  return a.isOpen() ||
         (composite.kind == Kind::Vector && a.isInt() && b.isInt() && a.width == b.width);
}

/// Bits beyond the width of a number repeat its sign or are zero (2.2.1).
bool checkNumber(Subject& s, InstRef i) {
  const Shape& shape = s.resultShape(i);
  if (shape.width >= 32 || shape.width == 0 || s.module.wordCount(i) < 4) return true;
  const uint32_t word = s.module.word(i, 3), high = word >> shape.width;
  const bool negative = shape.scalar == Scalar::Signed && (word >> (shape.width - 1) & 1);
  return high == (negative ? UINT32_MAX >> shape.width : 0) ||
         s.fail(i, formatText("has bits beyond the {} of its type", shape.width));
}

bool checkConstantComposite(Subject& s, InstRef i) {
  const Module& m = s.module;
  const Id type = m.idAt(i, 1);
  const Shape& shape = s.shapeOfType(type);
  if (shape.isOpen()) return true;
  if (shape.isScalar() || shape.isPointer() || shape.kind == Kind::Void ||
      shape.kind == Kind::RuntimeArray ||
      (shape.inside & holds::kOpaque && shape.kind != Kind::Struct && shape.kind != Kind::Array))
    return s.fail(i, formatText("the result type {} is no composite", describeType(m, type)));
  const uint32_t given = m.wordCount(i) - 3;
  const auto expected = constituentCount(s, type);
  if (expected && *expected != given)
    return s.fail(i, formatText("has {} constituents, but the result type {} has {}", given,
                                describeType(m, type), *expected));
  const bool isSpec = m.opcode(i) == Op::OpSpecConstantComposite;
  for (uint32_t n = 0; n < given; ++n) {
    const Id id = m.idAt(i, 3 + n), element = constituentType(s, type, n);
    if (!m.def(id)) continue;
    if (!isConstituent(s, s.typeOf(id), shape, element))
      return s.failOperand(i, 3 + n,
                           formatText("but that constituent of the result type has type {}",
                                      describeType(m, element)));
    if (!s.isConstant(id))
      return s.fail(i, formatText("holds %{}, which is no constant", id.value));
    if (!isSpec && s.isSpecConstant(id))
      return s.fail(i, formatText("holds %{}, which is a specialization constant", id.value));
  }
  return true;
}

bool checkReplicated(Subject& s, InstRef i) {
  const Id type = s.module.idAt(i, 1), value = s.module.idAt(i, 3);
  const Shape& shape = s.shapeOfType(type);
  if (shape.isOpen() || s.shapeOfValue(value).isOpen()) return true;
  if (shape.isScalar() || shape.isPointer())
    return s.fail(i,
                  formatText("the result type {} is no composite", describeType(s.module, type)));
  if (shape.kind == Kind::Struct && shape.count == 0) return true;
  return s.typeOf(value) == constituentType(s, type, 0) ||
         s.failOperand(i, 3, "which is not that of the constituents of the result type");
}

/// Images, samplers and runtime arrays have no null, nor have pointers into physical buffers.
bool isNullable(const Subject& s, Id type) {
  const Shape& shape = s.shapeOfType(type);
  if (shape.isPointer()) return s.storageOf(type) != spv::StorageClass::PhysicalStorageBuffer;
  if (shape.kind == Kind::Void || shape.kind == Kind::Function) return false;
  return !(shape.inside & (holds::kOpaque | holds::kRuntimeArray));
}

bool checkSpecConstantOp(Subject& s, InstRef i) {
  const Op op = Op(s.module.word(i, 3));
  constexpr uint32_t kFirst = 4;
  switch (op) {
  case Op::OpFAdd:
  case Op::OpFSub:
  case Op::OpFMul:
  case Op::OpFDiv:
  case Op::OpFRem:
  case Op::OpFMod:
  case Op::OpFNegate:
  case Op::OpConvertFToS:
  case Op::OpConvertFToU:
  case Op::OpConvertSToF:
  case Op::OpConvertUToF:
  case Op::OpBitcast:
    if (!s.isKernel)
      return s.fail(i, formatText("holds {}, which needs capability Kernel", factsOf(op).name));
    break;
  default:
    break;
  }
  return checkOperation(s, i, op, kFirst) && checkComposite(s, i, op, kFirst);
}

} // namespace

bool checkConstant(Subject& s, InstRef i) {
  const Module& m = s.module;
  const Id type = m.idAt(i, 1);
  const Shape& shape = s.shapeOfType(type);
  switch (uint32_t(m.opcode(i))) {
  case uint32_t(Op::OpConstantTrue):
  case uint32_t(Op::OpConstantFalse):
  case uint32_t(Op::OpSpecConstantTrue):
  case uint32_t(Op::OpSpecConstantFalse):
    return shape.isOpen() || shape.kind == Kind::Bool ||
           s.fail(i, formatText("the result type is {}, not bool", describeType(m, type)));
  case uint32_t(Op::OpConstantComposite):
  case uint32_t(Op::OpSpecConstantComposite):
    return checkConstantComposite(s, i);
  case uint32_t(newer::Op::OpConstantCompositeReplicateEXT):
  case uint32_t(newer::Op::OpSpecConstantCompositeReplicateEXT):
    return checkReplicated(s, i);
  case uint32_t(Op::OpConstantSampler):
    return shape.isOpen() || shape.kind == Kind::Sampler ||
           s.fail(i, "the result type is no sampler");
  case uint32_t(Op::OpConstantNull):
    return shape.isOpen() || isNullable(s, type) ||
           s.fail(i, formatText("the result type {} has no null value", describeType(m, type)));
  case uint32_t(Op::OpUndef):
    return shape.kind != Kind::Void || s.fail(i, "the result type is void");
  case uint32_t(Op::OpSpecConstantOp):
    return checkSpecConstantOp(s, i);
  case uint32_t(Op::OpConstant):
  case uint32_t(Op::OpSpecConstant):
    return checkNumber(s, i);
  default:
    return true;
  }
}

} // namespace lanewise::validity
