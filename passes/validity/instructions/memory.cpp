// Variables, loads, stores and copies (SPIR-V 3.42.8), memory operands (3.26).

#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/instructions/rules.h"

namespace lanewise::validity {

namespace {

using spv::Capability;
using spv::Op;
using spv::StorageClass;

bool isLogical(const Subject& s) {
  return s.addressing == spv::AddressingModel::Logical;
}

bool hasVariablePointers(const Subject& s) {
  return s.has(Capability::VariablePointers) || s.has(Capability::VariablePointersStorageBuffer);
}

/// Instructions that may give a pointer in the Logical addressing model (2.16.1).
bool givesLogicalPointer(const Subject& s, Id pointer) {
  switch (uint32_t(s.module.opcodeOf(pointer))) {
  case uint32_t(Op::OpLoad):
  case uint32_t(Op::OpPhi):
  case uint32_t(Op::OpSelect):
  case uint32_t(Op::OpFunctionCall):
  case uint32_t(Op::OpConstantNull):
  case uint32_t(Op::OpPtrAccessChain):
  case uint32_t(Op::OpInBoundsPtrAccessChain):
    return hasVariablePointers(s);
  case uint32_t(Op::OpUndef):
  case uint32_t(Op::OpBitcast):
  case uint32_t(Op::OpConvertUToPtr):
    return false;
  default:
    return true;
  }
}

/// The pointer that an instruction goes through. Null if it is open; reported if it is none.
bool checkPointer(Subject& s, InstRef i, uint32_t word, Id& type) {
  const Id pointer = s.module.idAt(i, word);
  type = s.typeOf(pointer);
  const Shape& shape = s.shapeOfType(type);
  if (shape.isOpen()) {
    type = {};
    return true;
  }
  if (!shape.isPointer()) return s.failOperand(i, word, "which is no pointer");
  if (isLogical(s) && !givesLogicalPointer(s, pointer) &&
      s.storageOf(type) != StorageClass::PhysicalStorageBuffer)
    return s.fail(
        i, formatText("operand {} is a pointer from {}, which the Logical addressing model "
                      "does not have",
                      operandNumber(s.module, i, word), factsOf(s.module.opcodeOf(pointer)).name));
  return true;
}

/// What memory operands may say of each kind of access.
bool checkMemoryOperands(Subject& s, InstRef i, uint32_t word, bool reads, bool writes,
                         bool physical) {
  const Module& m = s.module;
  using Mask = spv::MemoryAccessMask;
  const uint32_t mask = word < m.wordCount(i) ? m.word(i, word) : 0;
  const auto has = [&](Mask bit) { return (mask & uint32_t(bit)) != 0; };
  if (physical && !has(Mask::Aligned))
    return s.fail(i, "accesses PhysicalStorageBuffer without an alignment");
  if (has(Mask::MakePointerAvailable) && !writes)
    return s.fail(i, "makes a pointer available, but writes nothing");
  if (has(Mask::MakePointerVisible) && !reads)
    return s.fail(i, "makes a pointer visible, but reads nothing");
  if ((has(Mask::MakePointerAvailable) || has(Mask::MakePointerVisible)) &&
      !has(Mask::NonPrivatePointer))
    return s.fail(i, "makes a pointer available or visible without NonPrivatePointer");
  uint32_t scope = word + 1 + has(Mask::Aligned);
  for (Mask bit : {Mask::MakePointerAvailable, Mask::MakePointerVisible})
    if (has(bit) && !checkScope(s, i, scope++)) return false;
  return true;
}

bool isPhysical(const Subject& s, Id pointerType) {
  return pointerType && s.storageOf(pointerType) == StorageClass::PhysicalStorageBuffer;
}

bool checkLoad(Subject& s, InstRef i) {
  const Module& m = s.module;
  Id type;
  if (!checkPointer(s, i, 3, type)) return false;
  if (!type) return true;
  const Id pointee = s.pointeeOf(type), result = m.idAt(i, 1);
  if (pointee && pointee != result)
    return s.fail(i, formatText("operand 1 points to {}, but the result type is {}",
                                describeType(m, pointee), describeType(m, result)));
  const Shape& shape = s.shapeOfType(result);
  if (shape.kind == Kind::Void || shape.inside & holds::kRuntimeArray)
    return s.fail(i, formatText("{} cannot be loaded", describeType(m, result)));
  if (s.isShader && shape.inside & holds::kNarrow && !shape.isScalarOrVector() &&
      shape.kind != Kind::Matrix)
    return s.fail(i, "8- or 16-bit numbers need a capability to be loaded in a composite");
  return checkMemoryOperands(s, i, 4, true, false, isPhysical(s, type));
}

bool isReadOnly(StorageClass storage) {
  return storage == StorageClass::UniformConstant || storage == StorageClass::Input ||
         storage == StorageClass::PushConstant || storage == StorageClass::ShaderRecordBufferKHR;
}

bool checkStore(Subject& s, InstRef i) {
  const Module& m = s.module;
  Id type;
  if (!checkPointer(s, i, 1, type)) return false;
  if (!type) return true;
  if (isReadOnly(s.storageOf(type))) return s.fail(i, "operand 1 points into read-only memory");
  const Id pointee = s.pointeeOf(type), object = s.typeOf(m.idAt(i, 2));
  if (s.shapeOfType(object).kind == Kind::Void) return s.failOperand(i, 2, "which has no values");
  if (pointee && object && pointee != object)
    return s.failOperand(i, 2, formatText("but operand 1 points to {}", describeType(m, pointee)));
  return checkMemoryOperands(s, i, 3, false, true, isPhysical(s, type));
}

bool checkCopyMemory(Subject& s, InstRef i) {
  const Module& m = s.module;
  const bool sized = m.opcode(i) == Op::OpCopyMemorySized;
  Id target, source;
  if (!checkPointer(s, i, 1, target) || !checkPointer(s, i, 2, source)) return false;
  if (!target || !source) return true;
  const Id to = s.pointeeOf(target), from = s.pointeeOf(source);
  if (!sized && to && from && to != from)
    return s.fail(i, formatText("operand 1 points to {}, but operand 2 to {}", describeType(m, to),
                                describeType(m, from)));
  if (sized && !s.shapeOfValue(m.idAt(i, 3)).isOpen() && !s.shapeOfValue(m.idAt(i, 3)).isInt())
    return s.failOperand(i, 3, "but a size must be an integer scalar");
  if (to && s.isShader && s.shapeOfType(to).inside & holds::kNarrow)
    return s.fail(i, "8- or 16-bit numbers need a capability to be copied in memory");
  const uint32_t word = sized ? 4 : 3;
  const bool physical = isPhysical(s, target) || isPhysical(s, source);
  return checkMemoryOperands(s, i, word, true, true, physical);
}

/// Pointers that a variable holds need variable pointers, or to be physical (2.16.1).
bool checkHeldPointer(Subject& s, InstRef i, Id pointee, StorageClass storage) {
  if (s.addressing != spv::AddressingModel::Logical &&
      s.addressing != spv::AddressingModel::PhysicalStorageBuffer64)
    return true;
  // Behind arrays; pointers in structures are left to whoever uses them.
  while (s.shapeOfType(pointee).kind == Kind::Array) pointee = s.elementOf(pointee);
  if (!s.shapeOfType(pointee).isPointer()) return true;
  const StorageClass held = s.storageOf(pointee);
  if (held != StorageClass::StorageBuffer && held != StorageClass::Workgroup) return true;
  const bool allowed = held == StorageClass::StorageBuffer
                           ? s.has(Capability::VariablePointersStorageBuffer)
                           : s.has(Capability::VariablePointers);
  if (!allowed) return s.fail(i, "holds a pointer that needs capability VariablePointers or more");
  return storage == StorageClass::Function || storage == StorageClass::Private ||
         s.fail(i, "holds a pointer, but is in neither Function nor Private");
}

/// Numbers that may only be stored may be so in certain places.
bool checkNarrowVariable(Subject& s, InstRef i, StorageClass storage) {
  switch (storage) {
  case StorageClass::Function:
  case StorageClass::Private:
  case StorageClass::CrossWorkgroup:
    return s.fail(i, "8- or 16-bit numbers need a capability to be in Function or Private memory");
  case StorageClass::Workgroup:
    return s.has(Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR) ||
           s.has(Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR) ||
           s.fail(i, "8- or 16-bit numbers need a capability to be in Workgroup memory");
  case StorageClass::Input:
  case StorageClass::Output:
    return s.has(Capability::StorageInputOutput16) ||
           s.fail(i, "16-bit numbers need capability StorageInputOutput16 in the interface");
  case StorageClass::PushConstant:
    return s.has(Capability::StoragePushConstant8) || s.has(Capability::StoragePushConstant16) ||
           s.fail(i, "8- or 16-bit numbers need a capability to be push constants");
  case StorageClass::StorageBuffer:
  case StorageClass::Uniform:
    return s.has(Capability::StorageBuffer8BitAccess) ||
           s.has(Capability::StorageBuffer16BitAccess) ||
           s.fail(i, "8- or 16-bit numbers need a capability to be in a buffer");
  default:
    return true;
  }
}

bool checkInitializer(Subject& s, InstRef i, Id pointee) {
  const Module& m = s.module;
  if (m.opcode(i) != Op::OpVariable || m.wordCount(i) < 5) return true;
  const Id value = m.idAt(i, 4);
  const InstRef d = m.def(value);
  if (!d) return true;
  const bool isGlobal = m.opcode(d) == Op::OpVariable && !m.blockOf(d);
  if (!s.isConstant(value) && !isGlobal)
    return s.fail(i, formatText("has the initializer %{}, which is neither constant nor global",
                                value.value));
  const auto storage = StorageClass(m.word(i, 3));
  if (storage == StorageClass::Input) return s.fail(i, "has an initializer, but is in Input");
  return s.typeOf(value) == pointee || !pointee || s.shapeOfValue(value).isOpen() ||
         s.failOperand(i, 4, formatText("but the variable holds {}", describeType(m, pointee)));
}

bool checkVariable(Subject& s, InstRef i) {
  const Module& m = s.module;
  const Id type = m.idAt(i, 1);
  const bool untyped = m.opcode(i) == newer::Op::OpUntypedVariableKHR;
  const Shape& shape = s.shapeOfType(type);
  if (shape.isOpen()) return true;
  if (shape.kind != (untyped ? Kind::UntypedPointer : Kind::Pointer))
    return s.fail(i, formatText("the result type {} is no pointer", describeType(m, type)));
  const auto storage = StorageClass(m.word(i, 3));
  if (storage != s.storageOf(type))
    return s.fail(i, "is in another storage class than its type points to");
  if (bool(m.blockOf(i)) != (storage == StorageClass::Function))
    return s.fail(i, m.blockOf(i) ? "in a function must be in storage class Function"
                                  : "outside functions cannot be in storage class Function");
  if (storage == StorageClass::Generic || storage == StorageClass::PhysicalStorageBuffer)
    return s.fail(i, "cannot be in storage class Generic or PhysicalStorageBuffer");
  if (untyped) return true;
  const Id pointee = s.pointeeOf(type);
  if (!checkInitializer(s, i, pointee) || !checkHeldPointer(s, i, pointee, storage)) return false;
  const uint8_t inside = s.shapeOfType(pointee).inside;
  const bool isBuffer = storage == StorageClass::StorageBuffer ||
                        storage == StorageClass::Uniform || storage == StorageClass::PushConstant;
  if (s.isShader && isBuffer && inside & holds::kBool)
    return s.fail(i, "holds Booleans, which buffers cannot");
  return !s.isShader || !(inside & holds::kNarrow) || checkNarrowVariable(s, i, storage);
}

} // namespace

bool checkMemory(Subject& s, InstRef i) {
  switch (uint32_t(s.module.opcode(i))) {
  case uint32_t(Op::OpVariable):
  case uint32_t(newer::Op::OpUntypedVariableKHR):
    return checkVariable(s, i);
  case uint32_t(Op::OpLoad):
    return checkLoad(s, i);
  case uint32_t(Op::OpStore):
    return checkStore(s, i);
  case uint32_t(Op::OpCopyMemory):
  case uint32_t(Op::OpCopyMemorySized):
    return checkCopyMemory(s, i);
  default:
    return true;
  }
}

} // namespace lanewise::validity
