// Which values are the same in every invocation of a dispatch, a workgroup or a subgroup, and which
// blocks they reach together.
//
// Optimistic: everything is uniform until something shows that it may not be. What may not be
// spreads along uses, and from a branch whose condition may differ to the phis at which its paths
// meet again (divergent joins) and to the phis of loops that lanes may leave in different
// iterations. A block is uniform when no such branch decides whether, or how often, an invocation
// comes by. Reference: Karrenberg and Hack, "Improving Performance of OpenCL on CPUs" (2012),
// section on divergence analysis.
//
// Conservative: "uniform" is proved, "not uniform" is possible only (isProvedDivergent() of
// analysis/branches/divergence.h proves that it happens). The proof takes for granted what the
// specification makes the program's duty: no undefined value (a division of uniform values by 0),
// barriers that all invocations reach. Contents of Uniform blocks and push constants are taken not
// to change during a dispatch. A load of Workgroup memory is uniform only where nothing can write
// to the variable between the barriers before and after it (analysis/uniformity/shared_writes.h),
// so that no race can change it.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <vector>

namespace lanewise {

/// Over which invocations something is the same, the widest first.
enum class UniformScope : uint8_t { Dispatch, Workgroup, Subgroup, Divergent };

class Uniformity {
public:
  /// What is uniform over `scope`, which is not Divergent. "Workgroup" below stands for it.
  explicit Uniformity(Analyses& analyses, UniformScope scope = UniformScope::Workgroup);

  UniformScope scope() const { return scope_; }

  /// True when all invocations of a workgroup that compute `value` at one execution of its
  /// instruction get the same, and also keep the same afterwards: a counter of a loop that lanes
  /// leave in different iterations is not uniform. A pointer is uniform when it names the same
  /// place of each invocation's own or shared memory.
  bool isUniform(Id value) const { return !varying_[value.value]; }
  /// True when all invocations that enter the loop leave it in the same iteration, so that
  /// everything that only depends on the iteration is uniform. `header` is the header of a natural
  /// loop.
  bool exitsTogether(BlockRef header) const { return !divergentLoops_[header.value]; }

  /// True when all invocations of a workgroup execute the block, and equally often, or none does:
  /// also across calls, and where nothing returned early before. Over a dispatch: all of its
  /// invocations.
  bool isUniform(BlockRef block) const { return !divergentAt_[block.value]; }
  /// A block whose branch keeps invocations away from `block` (for a block of a function that is
  /// called, perhaps one of a caller); null when the block is uniform.
  BlockRef divergenceOf(BlockRef block) const { return divergentAt_[block.value]; }

  /// True for a built-in input that all invocations of a scope share.
  static bool isUniformBuiltIn(const Module& module, spv::BuiltIn builtIn,
                               UniformScope scope = UniformScope::Workgroup);
  /// Whether all subgroups have the size that SubgroupSize says. From SPIR-V 1.6 on each says its
  /// own, and may differ (Vulkan, "SubgroupSize"). Before, only where the pipeline allows it to
  /// vary, which nobody knows here.
  static bool hasOneSubgroupSize(const Module& module) { return module.version() < 0x00010600; }

  bool operator==(const Uniformity&) const = default;

private:
  friend class UniformityBuilder;
  std::vector<bool> varying_;         ///< by Id
  std::vector<bool> divergentLoops_;  ///< by BlockRef of the header
  std::vector<BlockRef> divergentAt_; ///< by BlockRef: the branch to blame
  UniformScope scope_;
};

/// The widest scope over which a value or a block is proved to be uniform; Divergent for none.
UniformScope uniformScopeOf(Analyses& analyses, Id value);
UniformScope uniformScopeOf(Analyses& analyses, BlockRef block);

/// The only call of a function, null when there is none or more than one.
InstRef onlyCallOf(Analyses& analyses, FunctionRef function);
/// Function and position of an OpFunctionParameter.
struct Parameter {
  FunctionRef function;
  uint32_t index = 0;
};
Parameter parameterOf(const Module& module, InstRef parameter);

/// A pointer followed back through access chains, copies and parameters of functions with a single
/// call.
struct PointerOrigin {
  Id variable;             ///< null when it does not lead to one variable
  std::vector<Id> indices; ///< all indices on the way, outermost first
};
PointerOrigin originOf(Analyses& analyses, Id pointer);
/// Its variable alone.
Id originVariableOf(Analyses& analyses, Id pointer);

/// Computed once for each scope (Analyses).
const Uniformity& uniformityOf(Analyses& analyses, UniformScope scope = UniformScope::Workgroup);

} // namespace lanewise
