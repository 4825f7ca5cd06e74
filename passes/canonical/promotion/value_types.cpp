#include "canonical/promotion/value_types.h"

#include "ir/newer_enumerants.h"

#include <algorithm>

namespace lanewise {

/// Of arrays and structs: what they are without their elements.
ValueTypes::Kind ValueTypes::kindOfOne(InstRef def) const {
  const spv::Op op = module_.opcode(def);
  if (op == newer::Op::OpTypeCooperativeMatrixKHR || op == newer::Op::OpTypeCooperativeMatrixNV ||
      op == newer::Op::OpTypeCooperativeVectorNV)
    return Kind::Data;
  switch (op) {
  case spv::Op::OpTypeBool:
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
  case spv::Op::OpTypeVector:
  case spv::Op::OpTypeMatrix:
  case spv::Op::OpTypeArray:
  case spv::Op::OpTypeStruct:
    return Kind::Data;
  case spv::Op::OpTypePointer:
    break;
  default:
    return Kind::Fixed;
  }
  switch (spv::StorageClass(module_.word(def, 2))) {
  case spv::StorageClass::PhysicalStorageBuffer:
    return Kind::Data;
  case spv::StorageClass::StorageBuffer:
    return module_.declares(spv::Capability::VariablePointersStorageBuffer) ||
                   module_.declares(spv::Capability::VariablePointers)
               ? Kind::Pointer
               : Kind::Fixed;
  case spv::StorageClass::Workgroup:
    return module_.declares(spv::Capability::VariablePointers) ? Kind::Pointer : Kind::Fixed;
  default:
    return Kind::Fixed;
  }
}

ValueTypes::Kind ValueTypes::kindOf(Id type) {
  if (kinds_.empty()) kinds_.assign(module_.idBound(), Kind::NotKnown);
  // Elements first; what a type is made of is declared before it, so this ends.
  stack_.assign(1, type);
  while (!stack_.empty()) {
    const Id t = stack_.back();
    const InstRef def = module_.def(t);
    const spv::Op op = module_.opcode(def);
    Kind kind = kindOfOne(def);
    const uint32_t last = op == spv::Op::OpTypeArray    ? 3
                          : op == spv::Op::OpTypeStruct ? module_.wordCount(def)
                                                        : 2;
    const size_t before = stack_.size();
    for (uint32_t n = 2; n < last; ++n) {
      const Id element = module_.idAt(def, n);
      if (kinds_[element.value] == Kind::NotKnown)
        stack_.push_back(element);
      else
        kind = std::min(kind, kinds_[element.value]);
    }
    if (stack_.size() != before) continue;
    kinds_[t.value] = kind;
    stack_.pop_back();
  }
  return kinds_[type.value];
}

} // namespace lanewise
