// Internal to passes/transforms: the pointers to arrays, rows and structs that are made from chosen
// variables, and everything that uses them.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/memory_operands.h"
#include "ir/module.h"
#include "transforms/shared_memory_uses.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanewise {

/// A pointer to an array or struct inside a chosen variable.
struct SharedPointer {
  Id id;
  InstRef def; ///< OpVariable, an access chain, OpCopyObject or OpFunctionParameter
  Id pointee;
  /// The pointer that it is made from; of a parameter the argument by which it was met first; null
  /// for a variable.
  Id from;
  FunctionRef function; ///< null for a variable
};

struct SharedUses {
  /// Each pointer stands behind the one that it is made from.
  std::vector<SharedPointer> pointers;
  /// What must be rewritten for the pointers to go: access chains down to an element, unless they
  /// start at the variable; loads, stores, copies, calls, debug instructions. In module order.
  std::vector<InstRef> users;
  /// Uses that cannot be rewritten, in module order. Their `variable` is the first of `variables`.
  std::vector<UseRefusal> refusals;
};
SharedUses collectSharedUses(Analyses& analyses, std::span<const Id> variables,
                             const SharedUsesOptions& options);

/// Parameters of a function, in order.
std::vector<InstRef> parametersOf(const Module& module, FunctionRef function);

/// Whether a type is what the normal form takes apart: an array or struct.
bool isAggregate(Analyses& analyses, Id type);

} // namespace lanewise
