// The module under examination and what every rule asks of it: shapes of types, what is declared,
// and where the first fault goes.
#pragma once

#include "ir/module.h"
#include "lanewise/result.h"
#include "validity/instructions/shapes.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::validity {

/// What a module declares to use: its capabilities with those that they imply, its extensions.
class Declared {
public:
  explicit Declared(const Module& module);

  bool has(spv::Capability c) const {
    return uint32_t(c) < kMost ? capabilities_[uint32_t(c)] : true;
  }
  bool hasExtension(std::string_view name) const;
  bool hasAnyExtension() const { return !extensions_.empty(); }

private:
  void add(spv::Capability c);

  static constexpr uint32_t kMost = 8192; ///< capabilities from here on count as declared
  std::vector<bool> capabilities_;
  std::vector<std::string_view> extensions_;
};

class Subject {
public:
  explicit Subject(const Module& m);

  const Module& module;
  const Declared declared;
  const Shapes shapes;
  bool isShader = false, isKernel = false;
  spv::AddressingModel addressing = spv::AddressingModel::Logical;
  spv::MemoryModel memoryModel = spv::MemoryModel::Simple;
  std::optional<Error> fault;

  bool has(spv::Capability c) const { return declared.has(c); }
  const Shape& shapeOfType(Id type) const { return shapes.of(type); }
  /// As Module::typeOf(), which looks the definition up each time; but a function is no value.
  Id typeOf(Id value) const { return value.value < types_.size() ? types_[value.value] : Id(); }
  const Shape& shapeOfValue(Id value) const { return shapes.of(typeOf(value)); }
  const Shape& resultShape(InstRef i) const { return shapes.of(module.idAt(i, 1)); }

  /// Blames an instruction ("OpFAdd: ..."); always false, so that a rule may return it.
  bool fail(InstRef i, std::string_view what, Id id = {});
  /// The same with "operand N has type T, ..." in front; `word` is where the operand stands.
  bool failOperand(InstRef i, uint32_t word, std::string_view what);

  /// Value of an OpConstant of an integer type of up to 64 bits, sign-extended where it is signed;
  /// nothing for anything else, specialization constants included.
  std::optional<int64_t> literalInt(Id constant) const;
  /// A constant instruction, specialization constants and OpUndef included.
  bool isConstant(Id id) const;
  bool isSpecConstant(Id id) const;
  /// Storage class of a pointer type.
  spv::StorageClass storageOf(Id pointerType) const {
    return spv::StorageClass(module.word(module.def(pointerType), 2));
  }
  /// What a pointer type points to; null for an untyped one.
  Id pointeeOf(Id pointerType) const {
    return module.opcodeOf(pointerType) == spv::Op::OpTypePointer
               ? module.idAt(module.def(pointerType), 3)
               : Id();
  }
  /// Element of a vector, matrix, array or cooperative matrix type.
  Id elementOf(Id type) const { return module.idAt(module.def(type), 2); }

private:
  std::vector<Id> types_; ///< by Id, of values
};

/// Number of the operand that stands in a word, counted from 1 behind result and result type.
uint32_t operandNumber(const Module& module, InstRef i, uint32_t word);

} // namespace lanewise::validity
