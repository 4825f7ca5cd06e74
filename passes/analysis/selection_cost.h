// What a selection costs a subgroup as a branch, and what it would cost as straight code. An
// estimate for comparing the two; docs/passes/branch-to-predication.md has the model beside
// measurements.
//
//   branch    branchCost * P(lanes part) + sum over arms of P(some lane goes there) * cost of the
//   arm straight  cost of all arms + OpSelects - what the arms have in common
//
// Where the arms together cost no more than TargetProfile::predicatedArms, the driver's compiler
// makes straight code of the branch by itself, and the two are the same.
#pragma once

#include "analysis/affine.h"
#include "analysis/analyses.h"
#include "analysis/entry_points.h"
#include "analysis/selections.h"
#include "analysis/target_profile.h"

#include <map>
#include <memory>
#include <vector>

namespace lanewise {

/// How likely it is that a subgroup does what.
struct BranchOdds {
  std::vector<double> anyLane; ///< by arm: some lane of the subgroup goes there
  double parting = 1;          ///< lanes go different ways
  /// "counted lane by lane", "branch weights", "assumed": where it comes from.
  const char* source = "assumed";
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

  Analyses& analyses_;
  const TargetProfile& target_;
  std::vector<Kernel> kernels_; ///< with a workgroup size, literal or assumed
};

struct SelectionCost {
  std::vector<double> arms;
  double selects = 0; ///< the OpSelects, and the comparisons of a switch
  double common = 0;  ///< what is done once instead of in each arm

  double all() const;
  double asBranch(const TargetProfile& target, const BranchOdds& odds) const;
  double asStraightCode() const { return all() - common + selects; }
};

/// Cost of choosing a value of the type.
double selectCost(Analyses& analyses, Id type);

} // namespace lanewise
