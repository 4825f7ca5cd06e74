#include "text/format_text.h"
#include "validity/instructions/rules.h"

namespace lanewise::validity {

namespace {

using spv::Capability;
using spv::Op;
using spv::StorageClass;

/// In the Logical addressing model a pointer argument names a whole variable or parameter, or is a
/// variable pointer; and only some storage classes may be passed (2.16.1).
bool checkPointerArgument(Subject& s, InstRef i, uint32_t word) {
  if (s.addressing != spv::AddressingModel::Logical &&
      s.addressing != spv::AddressingModel::PhysicalStorageBuffer64)
    return true;
  const Id argument = s.module.idAt(i, word);
  const Id type = s.typeOf(argument);
  if (!s.shapeOfType(type).isPointer()) return true;
  const StorageClass storage = s.storageOf(type);
  switch (storage) {
  case StorageClass::StorageBuffer:
    if (!s.has(Capability::VariablePointersStorageBuffer))
      return s.fail(i, "passes a pointer to StorageBuffer without variable pointers");
    return true;
  case StorageClass::Workgroup:
    if (s.has(Capability::VariablePointers)) return true;
    break;
  case StorageClass::Function:
  case StorageClass::Private:
    break;
  case StorageClass::Input:
  case StorageClass::Output:
  case StorageClass::Uniform:
  case StorageClass::PushConstant:
    return s.fail(i, formatText("argument %{} points into a storage class that cannot be passed",
                                argument.value));
  default:
    return true;
  }
  const Op from = s.module.opcodeOf(argument);
  return (from != Op::OpAccessChain && from != Op::OpInBoundsAccessChain) ||
         s.fail(i, formatText("argument %{} points into a variable; it must name a whole one",
                              argument.value));
}

} // namespace

bool checkFunction(Subject& s, FunctionRef f) {
  const Module& m = s.module;
  const InstRange insts = m.functionInsts(f);
  const InstRef head = insts.first;
  const InstRef type = m.def(m.idAt(head, 4));
  if (!type) return true;
  if (m.opcode(type) != Op::OpTypeFunction)
    return s.fail(head, formatText("%{} is no function type", m.word(head, 4)));
  if (m.idAt(type, 2) != m.idAt(head, 1))
    return s.fail(head,
                  formatText("has the result type {}, but its function type returns {}",
                             describeType(m, m.idAt(head, 1)), describeType(m, m.idAt(type, 2))));
  const uint32_t parameters = m.wordCount(type) - 3;
  uint32_t found = 0;
  for (InstRef i : insts) {
    if (m.opcode(i) == Op::OpLabel) break;
    if (m.opcode(i) != Op::OpFunctionParameter) continue;
    if (found < parameters && m.idAt(type, 3 + found) != m.idAt(i, 1))
      return s.fail(i, formatText("has type {}, but the function type has {} there",
                                  describeType(m, m.idAt(i, 1)),
                                  describeType(m, m.idAt(type, 3 + found))));
    ++found;
  }
  return found == parameters ||
         s.fail(head, formatText("has {} parameters, but its function type {}", found, parameters));
}

bool checkCall(Subject& s, InstRef i) {
  const Module& m = s.module;
  const Id callee = m.idAt(i, 3);
  const InstRef function = m.def(callee);
  if (!function) return true;
  if (m.opcode(function) != Op::OpFunction)
    return s.fail(i, formatText("calls %{}, which is no function", callee.value));
  if (m.idAt(function, 1) != m.idAt(i, 1))
    return s.fail(i,
                  formatText("has the result type {}, but the function returns {}",
                             describeType(m, m.idAt(i, 1)), describeType(m, m.idAt(function, 1))));
  const InstRef type = m.def(m.idAt(function, 4));
  if (!type || m.opcode(type) != Op::OpTypeFunction) return true;
  const uint32_t given = m.wordCount(i) - 4, taken = m.wordCount(type) - 3;
  if (given != taken)
    return s.fail(i, formatText("passes {} arguments to a function that takes {}", given, taken));
  for (uint32_t n = 0; n < given; ++n) {
    if (s.typeOf(m.idAt(i, 4 + n)) != m.idAt(type, 3 + n) &&
        !s.shapeOfValue(m.idAt(i, 4 + n)).isOpen())
      return s.failOperand(
          i, 4 + n, formatText("but the function takes {}", describeType(m, m.idAt(type, 3 + n))));
    if (!checkPointerArgument(s, i, 4 + n)) return false;
  }
  return true;
}

bool checkReturn(Subject& s, InstRef i, Id returnType) {
  const Module& m = s.module;
  const Shape& shape = s.shapeOfType(returnType);
  if (m.opcode(i) == Op::OpReturn)
    return shape.isOpen() || shape.kind == Kind::Void ||
           s.fail(i, formatText("returns nothing from a function of type {}",
                                describeType(m, returnType)));
  if (m.opcode(i) != Op::OpReturnValue || s.shapeOfValue(m.idAt(i, 1)).isOpen()) return true;
  if (s.typeOf(m.idAt(i, 1)) != returnType || shape.kind == Kind::Void)
    return s.failOperand(i, 1,
                         formatText("but the function returns {}", describeType(m, returnType)));
  return !shape.isPointer() || s.addressing != spv::AddressingModel::Logical ||
         s.has(Capability::VariablePointersStorageBuffer) ||
         s.fail(i, "returns a pointer in the Logical addressing model");
}

} // namespace lanewise::validity
