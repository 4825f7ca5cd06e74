// Internal to passes/transforms: clones functions until each parameter that points into a chosen
// variable has one binding: one variable, one path of struct members, one list of index types.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/rewriter.h"
#include "transforms/shared_pointers.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace lanewise {

/// One index of a path from a variable to what a pointer points at.
struct PathStep {
  Id index;
  Id indexType; ///< null for a struct member: then `index` is an OpConstant and part of the binding
  uint32_t member = 0;
};
/// The step that operand `word` of an access chain takes from `type`; `type` becomes what it leads
/// to.
PathStep stepOf(Analyses& analyses, InstRef chain, uint32_t word, Id& type);

/// Where a pointer points, but for the values of array indices.
struct Binding {
  Id variable; ///< null: not bound
  std::vector<PathStep> steps;
  /// Equal bindings have equal keys: index ids do not count.
  std::vector<uint32_t> key() const;
};

class CalleeSpecializer {
public:
  /// `uses` are those of the variables to be normalized, without refusals.
  CalleeSpecializer(Analyses& analyses, const SharedUses& uses, const SharedUsesOptions& options);

  /// Which variables cannot be followed through the calls, and why: one refusal each. With any, the
  /// plan is void.
  std::vector<UseRefusal> plan();
  /// Records the clones and what they change in callers.
  void emit(Rewriter& rewriter);

private:
  /// A function with what its parameters are bound to.
  struct Instance {
    FunctionRef function;
    std::vector<Binding> bindings;                   ///< by parameter; empty: none is bound
    std::vector<std::pair<InstRef, size_t>> targets; ///< calls, in order, and the instance called
    Id id;                                           ///< of the OpFunction, once emitted
  };
  struct FunctionFacts {
    std::vector<InstRef> calls;
    std::vector<size_t> pointers; ///< into uses_.pointers
    std::vector<size_t> instances;
    bool isRoot = false; ///< called from elsewhere, or not at all
    bool isCalled = false;
  };

  void collectFunctions();
  bool isNamedElsewhere(Id function) const;
  std::map<Id, Binding> bindingsIn(const Instance& instance);
  bool expand(size_t instance);
  std::optional<size_t> instanceFor(FunctionRef callee, std::vector<Binding> bindings,
                                    InstRef call);
  void refuse(const Instance& instance, InstRef call, std::string_view name, std::string reason);
  void emitClone(Instance& instance, Rewriter& rewriter);
  void emitNames(Rewriter& rewriter);

  Analyses& analyses_;
  const Module& module_;
  const SharedUses& uses_;
  const SharedUsesOptions& options_;
  std::vector<FunctionFacts> functions_; ///< by FunctionRef
  std::vector<Instance> instances_;
  std::map<std::vector<uint32_t>, size_t> known_; ///< function and keys of its bindings
  uint64_t clonedWords_ = 0;
  std::vector<UseRefusal> refusals_;
  /// Ids that were cloned, with their clones in order. All ids of a function have as many.
  std::map<Id, std::vector<Id>> clones_;
};

} // namespace lanewise
