#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/instructions/operand_rules.h"
#include "validity/instructions/rules.h"

namespace lanewise::validity {

namespace {

using spv::Op;

/// Where the parts of an access chain stand.
struct Chain {
  bool untyped, steps; ///< `steps`: the first index goes over whole elements
  uint32_t base() const { return untyped ? 4 : 3; }
  uint32_t firstIndex() const { return base() + 1 + steps; }
};

std::optional<Chain> chainOf(Op op) {
  switch (uint32_t(op)) {
  case uint32_t(Op::OpAccessChain):
  case uint32_t(Op::OpInBoundsAccessChain):
    return Chain{false, false};
  case uint32_t(Op::OpPtrAccessChain):
  case uint32_t(Op::OpInBoundsPtrAccessChain):
    return Chain{false, true};
  case uint32_t(newer::Op::OpUntypedAccessChainKHR):
  case uint32_t(newer::Op::OpUntypedInBoundsAccessChainKHR):
    return Chain{true, false};
  case uint32_t(newer::Op::OpUntypedPtrAccessChainKHR):
  case uint32_t(newer::Op::OpUntypedInBoundsPtrAccessChainKHR):
    return Chain{true, true};
  default:
    return {};
  }
}

bool checkChain(Subject& s, InstRef i, Chain chain) {
  const Module& m = s.module;
  const Id result = m.idAt(i, 1), base = s.typeOf(m.idAt(i, chain.base()));
  const Shape &resultShape = s.shapeOfType(result), &baseShape = s.shapeOfType(base);
  if (resultShape.isOpen() || baseShape.isOpen()) return true;
  if (resultShape.kind != (chain.untyped ? Kind::UntypedPointer : Kind::Pointer))
    return s.fail(i, formatText("the result type {} is no pointer", describeType(m, result)));
  if (baseShape.kind != Kind::Pointer && !(chain.untyped && baseShape.isPointer()))
    return s.failOperand(i, chain.base(), "which is no pointer");
  if (s.storageOf(result) != s.storageOf(base))
    return s.fail(i, "the result type points into another storage class than the base");
  if (chain.steps && !(kindsOf(s.shapeOfValue(m.idAt(i, chain.base() + 1))) & kIntS))
    return s.failOperand(i, chain.base() + 1, "but an element must be an integer scalar");
  const Id from = chain.untyped ? m.idAt(i, 3) : s.pointeeOf(base);
  const auto to = walkIndices(s, i, from, chain.firstIndex(), true);
  if (!to) return false;
  if (!to->known || chain.untyped || to->type == s.pointeeOf(result)) return true;
  return s.fail(i, formatText("the indices lead to {}, but the result type points to {}",
                              describeType(m, to->type), describeType(m, s.pointeeOf(result))));
}

/// OpArrayLength: a pointer to a structure that ends in a runtime array, and the number of that
/// member.
bool checkArrayLength(Subject& s, InstRef i) {
  const Module& m = s.module;
  const bool untyped = m.opcode(i) == newer::Op::OpUntypedArrayLengthKHR;
  const Shape& result = s.resultShape(i);
  if (result.isOpen()) return true;
  if (result.kind != Kind::Int || result.scalar != Scalar::Unsigned)
    return s.fail(i, "the result type must be an unsigned integer scalar");
  const uint32_t pointerWord = untyped ? 4 : 3;
  const Id pointer = s.typeOf(m.idAt(i, pointerWord));
  if (s.shapeOfType(pointer).isOpen()) return true;
  if (!s.shapeOfType(pointer).isPointer())
    return s.failOperand(i, pointerWord, "which is no pointer");
  const Id structure = untyped ? m.idAt(i, 3) : s.pointeeOf(pointer);
  if (!structure || s.shapeOfType(structure).isOpen()) return true;
  const InstRef d = m.def(structure);
  if (m.opcode(d) != Op::OpTypeStruct)
    return s.fail(i, formatText("operand {} points to {}, which is no structure",
                                operandNumber(m, i, pointerWord), describeType(m, structure)));
  const uint32_t members = m.wordCount(d) - 2, member = m.word(i, pointerWord + 1);
  if (members == 0 || member != members - 1 ||
      m.opcodeOf(m.idAt(d, 2 + member)) != Op::OpTypeRuntimeArray)
    return s.fail(i, formatText("member {} is not the runtime array at the end of structure %{}",
                                member, structure.value));
  return true;
}

} // namespace

bool checkAccessChain(Subject& s, InstRef i) {
  const Op op = s.module.opcode(i);
  if (auto chain = chainOf(op)) return checkChain(s, i, *chain);
  if (op == Op::OpArrayLength || op == newer::Op::OpUntypedArrayLengthKHR)
    return checkArrayLength(s, i);
  return true;
}

} // namespace lanewise::validity
