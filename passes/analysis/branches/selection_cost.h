// What a selection costs a subgroup as a branch, and what it would cost as flattened code. An
// estimate for comparing the two; docs/passes/branch-to-predication.md has the model beside
// measurements.
//
// - As a branch: branchCost, as far as it parts the lanes, and each arm times the probability that
//   some lane goes there.
// - As predicated code, which the driver makes of a branch with arms of predicatedArm or less: all
//   arms.
// - As flattened code: all arms and the OpSelects, less what the arms have in common.
#pragma once

#include "analysis/control_flow/selections.h"
#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "analysis/values/affine.h"
#include "lanewise/target_profile.h"

#include <map>
#include <memory>
#include <vector>

namespace lanewise {

/// How likely it is that a subgroup does what.
struct BranchOdds {
  std::vector<double> anyLane;      ///< by arm: some lane of the subgroup goes there
  double divergenceProbability = 1; ///< lanes go different ways
  /// Where it comes from: "counted lane by lane", "same address" (the condition is read from where
  /// all lanes of a subgroup read), "branch weights", "condition" (its form), "unknown".
  const char* source = "unknown";
};

class SelectionOdds {
public:
  SelectionOdds(Analyses& analyses, const TargetProfile& target);
  BranchOdds of(const Selection& selection);

private:
  struct Kernel {
    const EntryPoint* entry;
    std::unique_ptr<Affine> affine;
  };
  const Kernel* kernelOf(BlockRef block) const;
  std::optional<double> probabilityOfTrue(Id condition, const Kernel* kernel, uint32_t depth = 0);
  bool isSameForSubgroup(Id value, const Kernel& kernel, std::vector<Id>& pending);
  bool readsSharedAddress(Id value, const Kernel& kernel, std::vector<Id>& seen);

  Analyses& analyses_;
  const TargetProfile& target_;
  std::vector<Kernel> kernels_; ///< with a workgroup size, literal or assumed
};

struct SelectionCost {
  std::vector<double> arms;
  double selects = 0; ///< the OpSelects, and the comparisons of a switch
  /// Moves that the phis take as a branch as well: of values that no arm computes.
  double moves = 0;
  double common = 0; ///< what is done once instead of in each arm
  /// Of `selects`, what compilers make the predicate of the operation that computes the value: one.
  /// With more values to choose they do not (measured).
  double folded = 0;
  /// The arms are plain code in the module as it is, with no selection in them.
  bool isLeaf = true;

  double all() const;
  double asBranch(const TargetProfile& target, const BranchOdds& odds) const;
  double asFlattened() const { return all() - common + selects - folded; }
};

/// Cost of choosing a value of the type.
double selectCost(Analyses& analyses, Id type);
/// Whether choosing what `inst` computes is free: it is one instruction for each component, which
/// can be predicated, and nobody else wants the value. A product and the sum behind it are one
/// instruction whose predicate costs a move.
bool foldsSelect(Analyses& analyses, InstRef inst);

} // namespace lanewise
