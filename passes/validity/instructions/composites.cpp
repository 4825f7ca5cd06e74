// Composites and vectors (SPIR-V 3.42.12), and the walk along indices that access chains share.

#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/instructions/operand_rules.h"
#include "validity/instructions/rules.h"

namespace lanewise::validity {

namespace {

using spv::Op;

/// Number of the member or component that the index in a word picks; nothing where it is no
/// literal.
std::optional<int64_t> indexAt(const Subject& s, InstRef i, uint32_t word, bool isId) {
  if (!isId) return s.module.word(i, word);
  return s.literalInt(s.module.idAt(i, word));
}

bool checkMemberIndex(Subject& s, InstRef i, uint32_t word, Id type, std::optional<int64_t> index) {
  const uint32_t members = s.shapeOfType(type).count;
  if (!index)
    return s.fail(i, formatText("operand {} picks a member of structure %{}, but is no OpConstant",
                                operandNumber(s.module, i, word), type.value));
  return (*index >= 0 && *index < int64_t(members)) ||
         s.fail(i, formatText("operand {} picks member {} of structure %{}, which has {}",
                              operandNumber(s.module, i, word), *index, type.value, members));
}

/// A literal index into what has a known number of elements; ids are not looked at, for what they
/// give may never be executed.
bool checkElementIndex(Subject& s, InstRef i, uint32_t word, Id type, int64_t index) {
  const Shape& shape = s.shapeOfType(type);
  uint64_t count = shape.count;
  if (shape.kind == Kind::Array) {
    const auto length = s.literalInt(s.module.idAt(s.module.def(type), 3));
    if (!length) return true;
    count = uint64_t(*length);
  }
  return uint64_t(index) < count ||
         s.fail(i, formatText("operand {} picks element {} of {}, which has {}",
                              operandNumber(s.module, i, word), index, describeType(s.module, type),
                              count));
}

} // namespace

std::optional<Walked> walkIndices(Subject& s, InstRef i, Id type, uint32_t word, bool areIds) {
  const Module& m = s.module;
  for (; word < m.wordCount(i); ++word) {
    const Shape& shape = s.shapeOfType(type);
    if (shape.isOpen()) return Walked{Id(), false};
    if (areIds && !(kindsOf(s.shapeOfValue(m.idAt(i, word))) & kIntS)) {
      s.failOperand(i, word, "but an index must be an integer scalar");
      return {};
    }
    switch (shape.kind) {
    case Kind::Struct: {
      const auto index = indexAt(s, i, word, areIds);
      if (areIds && !m.def(m.idAt(i, word))) return Walked{Id(), false};
      if (!checkMemberIndex(s, i, word, type, index)) return {};
      type = m.idAt(m.def(type), uint32_t(*index) + 2);
      break;
    }
    case Kind::Vector:
    case Kind::Matrix:
    case Kind::Array:
      if (!areIds && m.opcode(i) != Op::OpSpecConstantOp &&
          !checkElementIndex(s, i, word, type, m.word(i, word)))
        return {};
      type = s.elementOf(type);
      break;
    case Kind::RuntimeArray:
    case Kind::CooperativeMatrix:
      type = s.elementOf(type);
      break;
    default:
      s.fail(i, formatText("operand {} indexes into {}, which is no composite",
                           operandNumber(m, i, word), describeType(m, type)));
      return {};
    }
  }
  return Walked{type, true};
}

namespace {

bool checkExtract(Subject& s, InstRef i, uint32_t first) {
  const Module& m = s.module;
  if (first + 1 >= m.wordCount(i)) return s.fail(i, "has no index");
  const auto to = walkIndices(s, i, s.typeOf(m.idAt(i, first)), first + 1, false);
  if (!to) return false;
  if (to->known && to->type != m.idAt(i, 1))
    return s.fail(i, formatText("the indices lead to {}, but the result type is {}",
                                describeType(m, to->type), describeType(m, m.idAt(i, 1))));
  return true;
}

bool checkInsert(Subject& s, InstRef i, uint32_t first) {
  const Module& m = s.module;
  const Id object = m.idAt(i, first), composite = m.idAt(i, first + 1);
  if (first + 2 >= m.wordCount(i)) return s.fail(i, "has no index");
  if (s.typeOf(composite) != m.idAt(i, 1) && !s.shapeOfValue(composite).isOpen())
    return s.failOperand(i, first + 1,
                         formatText("but the result type is {}", describeType(m, m.idAt(i, 1))));
  const auto to = walkIndices(s, i, m.idAt(i, 1), first + 2, false);
  if (!to) return false;
  if (to->known && to->type != s.typeOf(object) && !s.shapeOfValue(object).isOpen())
    return s.failOperand(i, first,
                         formatText("but the indices lead to {}", describeType(m, to->type)));
  return true;
}

/// A vector is made of scalars and vectors of its component type, as many components as it has.
bool checkVectorParts(Subject& s, InstRef i, uint32_t first) {
  const Module& m = s.module;
  const Id result = m.idAt(i, 1), component = s.elementOf(result);
  uint64_t given = 0;
  for (uint32_t word = first; word < m.wordCount(i); ++word) {
    const Id type = s.typeOf(m.idAt(i, word));
    const Shape& shape = s.shapeOfType(type);
    if (shape.isOpen()) return true;
    if (type != component && !(shape.kind == Kind::Vector && s.elementOf(type) == component))
      return s.failOperand(
          i, word,
          formatText("which gives no component of the result type {}", describeType(m, result)));
    given += shape.count;
  }
  const uint32_t needed = s.shapeOfType(result).count;
  if (given != needed)
    return s.fail(i, formatText("the operands have {} components, but the result type {} has {}",
                                given, describeType(m, result), needed));
  return m.wordCount(i) - first >= 2 || s.has(newer::Capability::LongVectorEXT) ||
         s.fail(i, "makes a vector of a single operand");
}

bool checkConstruct(Subject& s, InstRef i, uint32_t first) {
  const Module& m = s.module;
  const Id result = m.idAt(i, 1);
  const Shape& shape = s.shapeOfType(result);
  const uint32_t given = m.wordCount(i) - first;
  if (shape.isOpen()) return true;
  std::optional<uint64_t> needed;
  switch (shape.kind) {
  case Kind::Vector:
    return checkVectorParts(s, i, first);
  case Kind::Matrix:
  case Kind::Struct:
    needed = shape.count;
    break;
  case Kind::CooperativeMatrix:
    needed = 1;
    break;
  case Kind::Array:
    if (auto n = s.literalInt(m.idAt(m.def(result), 3))) needed = uint64_t(*n);
    break;
  default:
    return s.fail(i, formatText("the result type {} is no composite", describeType(m, result)));
  }
  if (needed && *needed != given)
    return s.fail(i, formatText("has {} constituents, but the result type {} has {}", given,
                                describeType(m, result), *needed));
  for (uint32_t n = 0; n < given; ++n) {
    const Id part = shape.kind == Kind::Struct ? m.idAt(m.def(result), 2 + n) : s.elementOf(result);
    if (s.typeOf(m.idAt(i, first + n)) != part && !s.shapeOfValue(m.idAt(i, first + n)).isOpen())
      return s.failOperand(
          i, first + n,
          formatText("but that constituent of the result type has type {}", describeType(m, part)));
  }
  return true;
}

bool checkShuffle(Subject& s, InstRef i, uint32_t first) {
  const Module& m = s.module;
  const Id result = m.idAt(i, 1);
  const Shape& shape = s.shapeOfType(result);
  if (shape.isOpen()) return true;
  if (shape.kind != Kind::Vector)
    return s.fail(i, formatText("the result type {} is no vector", describeType(m, result)));
  uint64_t components = 0;
  for (uint32_t word : {first, first + 1}) {
    const Id type = s.typeOf(m.idAt(i, word));
    const Shape& operand = s.shapeOfType(type);
    if (operand.isOpen()) return true;
    if (operand.kind != Kind::Vector || s.elementOf(type) != s.elementOf(result))
      return s.failOperand(i, word,
                           formatText("which is no vector of the components of the result type {}",
                                      describeType(m, result)));
    components += operand.count;
  }
  if (m.wordCount(i) - first - 2 != shape.count)
    return s.fail(i, formatText("has {} component literals, but the result type {} has {}",
                                m.wordCount(i) - first - 2, describeType(m, result), shape.count));
  for (uint32_t word = first + 2; word < m.wordCount(i); ++word)
    if (m.word(i, word) != UINT32_MAX && m.word(i, word) >= components)
      return s.fail(i, formatText("picks component {}, but both vectors together have {}",
                                  m.word(i, word), components));
  return true;
}

bool checkVectorDynamic(Subject& s, InstRef i, Op op, uint32_t first) {
  const Module& m = s.module;
  const Id vector = s.typeOf(m.idAt(i, first));
  const Shape& shape = s.shapeOfType(vector);
  if (shape.isOpen()) return true;
  if (shape.kind != Kind::Vector) return s.failOperand(i, first, "which is no vector");
  const bool insert = op == Op::OpVectorInsertDynamic;
  const Id part = insert ? s.typeOf(m.idAt(i, first + 1)) : m.idAt(i, 1);
  if (part != s.elementOf(vector))
    return s.failOperand(i, first,
                         formatText("which has no components of type {}", describeType(m, part)));
  if (insert && m.idAt(i, 1) != vector)
    return s.failOperand(i, first,
                         formatText("but the result type is {}", describeType(m, m.idAt(i, 1))));
  const uint32_t index = first + 1 + insert;
  return (kindsOf(s.shapeOfValue(m.idAt(i, index))) & kIntS) ||
         s.failOperand(i, index, "but an index must be an integer scalar");
}

bool checkCopy(Subject& s, InstRef i) {
  const Module& m = s.module;
  if (s.resultShape(i).kind == Kind::Void) return s.fail(i, "the result type is void");
  return s.typeOf(m.idAt(i, 3)) == m.idAt(i, 1) || s.shapeOfValue(m.idAt(i, 3)).isOpen() ||
         s.failOperand(i, 3,
                       formatText("but the result type is {}", describeType(m, m.idAt(i, 1))));
}

/// OpCopyLogical: both are aggregates of one shape, and not one type.
bool checkCopyLogical(Subject& s, InstRef i) {
  const Module& m = s.module;
  const Shape &to = s.resultShape(i), &from = s.shapeOfValue(m.idAt(i, 3));
  if (to.isOpen() || from.isOpen()) return true;
  if (s.typeOf(m.idAt(i, 3)) == m.idAt(i, 1)) return s.fail(i, "copies between equal types");
  return (to.kind == from.kind && to.count == from.count &&
          (to.kind == Kind::Struct || to.kind == Kind::Array)) ||
         s.failOperand(
             i, 3,
             formatText("which does not match the result type {}", describeType(m, m.idAt(i, 1))));
}

bool checkShape(Subject& s, InstRef i, Op op, uint32_t first) {
  switch (uint32_t(op)) {
  case uint32_t(Op::OpCompositeExtract):
    return checkExtract(s, i, first);
  case uint32_t(Op::OpCompositeInsert):
    return checkInsert(s, i, first);
  case uint32_t(Op::OpCompositeConstruct):
    return checkConstruct(s, i, first);
  case uint32_t(Op::OpVectorShuffle):
    return checkShuffle(s, i, first);
  case uint32_t(Op::OpVectorExtractDynamic):
  case uint32_t(Op::OpVectorInsertDynamic):
    return checkVectorDynamic(s, i, op, first);
  case uint32_t(Op::OpCopyObject):
    return checkCopy(s, i);
  case uint32_t(Op::OpCopyLogical):
    return checkCopyLogical(s, i);
  default:
    return true;
  }
}

} // namespace

bool checkComposite(Subject& s, InstRef i, Op op, uint32_t first) {
  if (!checkShape(s, i, op, first)) return false;
  switch (op) {
  case Op::OpCompositeExtract:
  case Op::OpCompositeInsert:
  case Op::OpCompositeConstruct:
  case Op::OpVectorShuffle:
  case Op::OpVectorExtractDynamic:
  case Op::OpVectorInsertDynamic:
  case Op::OpCopyLogical:
    return !s.isShader || !(s.resultShape(i).inside & holds::kNarrow) ||
           s.fail(i, "8- or 16-bit numbers need a capability to be part of a new composite");
  default:
    return true;
  }
}

} // namespace lanewise::validity
