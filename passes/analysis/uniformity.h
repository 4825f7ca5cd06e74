// Which values are the same in every invocation of a workgroup.
//
// Optimistic: everything is uniform until something shows that it may not be. What may not be
// spreads along uses, and from a branch whose condition may differ to the phis at which its paths
// meet again (divergent joins) and to the phis of loops that lanes may leave in different
// iterations. Reference: Karrenberg and Hack, "Improving Performance of OpenCL on CPUs" (2012),
// section on divergence analysis.
//
// Conservative: "uniform" is proved, "not uniform" says nothing. The proof takes for granted what
// the specification makes the program's duty: no data race, and no undefined value (a division of
// uniform values by 0). Contents of Uniform blocks and push constants are taken not to change
// during a dispatch.
#pragma once

#include "analysis/analyses.h"
#include "ir/module.h"

#include <vector>

namespace lanewise {

class Uniformity {
public:
  explicit Uniformity(Analyses& analyses);

  /// True when all invocations of a workgroup that compute `value` at one execution of its
  /// instruction get the same, and also keep the same afterwards: a counter of a loop that lanes
  /// leave in different iterations is not uniform. A pointer is uniform when it names the same
  /// place of each invocation's own or shared memory.
  bool isUniform(Id value) const { return !varying_[value.value]; }
  /// True when all invocations that enter the loop leave it in the same iteration, so that
  /// everything that only depends on the iteration is uniform. `header` is the header of a natural
  /// loop.
  bool exitsTogether(BlockRef header) const { return !divergentLoops_[header.value]; }

  /// True for a built-in input that all invocations of a workgroup share.
  static bool isUniformBuiltIn(spv::BuiltIn builtIn);

  bool operator==(const Uniformity&) const = default;

private:
  friend class UniformityBuilder;
  std::vector<bool> varying_;        ///< by Id
  std::vector<bool> divergentLoops_; ///< by BlockRef of the header
};

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

} // namespace lanewise
