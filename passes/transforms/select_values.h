// OpSelect between values of any type that it can choose, taken apart where the module's version of
// SPIR-V asks for it.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/rewriter.h"

#include <functional>
#include <map>
#include <span>

namespace lanewise {

/// Whether values of the type can be chosen by OpSelect, whole or in parts: numbers, Booleans,
/// vectors, matrices, arrays and structs of up to 64 scalars and vectors; 8- and 16-bit numbers
/// where the module may compute with them; pointers where it may choose between them (variable
/// pointers, physical ones).
bool canSelect(Analyses& analyses, Id type);

/// Makes OpSelect instructions of types for which canSelect() is true. Instructions are handed to
/// `emit` in their order.
class Selector {
public:
  using Emit = std::function<void(Inst)>;
  Selector(Analyses& analyses, Rewriter& rewriter, Emit emit);

  /// `result` = condition ? a : b. Before SPIR-V 1.4 OpSelect takes scalars, vectors with a vector
  /// of conditions, and pointers (SPIR-V 3.42.15); what else there is is chosen part by part.
  void select(Id type, Id result, Id condition, Id a, Id b);
  /// A Boolean: selector is one of the literals (numbers of the selector's type, 32 bits or fewer).
  Id isOneOf(Id selector, std::span<const uint32_t> literals);
  /// Forgets vectors of conditions: what follows stands elsewhere.
  void startBlock() { conditionVectors_.clear(); }

private:
  Id boolType();
  Id boolVectorType(uint32_t count);
  Id findOrDeclareType(spv::Op op, std::span<const uint32_t> operands);
  Id conditionVector(Id condition, uint32_t count);

  Analyses& analyses_;
  const Module& module_;
  Rewriter& rewriter_;
  Emit emit_;
  std::map<std::vector<uint32_t>, Id> types_;              ///< opcode and operands
  std::map<std::pair<Id, uint32_t>, Id> conditionVectors_; ///< of the block that is written
};

} // namespace lanewise
