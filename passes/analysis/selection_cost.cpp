#include "analysis/selection_cost.h"

#include "analysis/divergence.h"
#include "analysis/entry_points.h"
#include "analysis/operation_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lanewise {
namespace {

/// Neighbouring lanes often agree: a subgroup whose lanes follow data behaves as if this many lanes
/// decided on their own.
constexpr double kIndependentLanes = 4;
/// Cost of a branch at which no lanes part, beside one at which they do.
constexpr double kTogether = 0.25;

double anyOf(double probability) {
  return 1 - std::pow(1 - probability, kIndependentLanes);
}

/// Probability of the true side by the weights that may stand behind the targets (SPIR-V 3.42.17).
std::optional<double> weightOfTrue(const Module& module, InstRef branch) {
  if (module.opcode(branch) != spv::Op::OpBranchConditional || module.wordCount(branch) < 6)
    return std::nullopt;
  const double yes = module.word(branch, 4), no = module.word(branch, 5);
  if (yes + no == 0) return std::nullopt;
  return yes / (yes + no);
}

} // namespace

SelectionOdds::SelectionOdds(Analyses& analyses, const TargetProfile& target)
    : analyses_(analyses), target_(target) {
  for (const EntryPoint& entry : analyses.entryPoints().all())
    if (entry.workgroupSize)
      kernels_.push_back({&entry, std::make_unique<Affine>(analyses, entry.workgroupSize->size,
                                                           target.subgroupSize)});
}

/// The entry point that runs the block, where there is only one.
const SelectionOdds::Kernel* SelectionOdds::kernelOf(BlockRef block) const {
  const FunctionRef function = analyses_.module().functionOf(block);
  const Kernel* found = nullptr;
  for (const Kernel& kernel : kernels_) {
    const auto& runs = kernel.entry->functions;
    if (!std::binary_search(runs.begin(), runs.end(), function)) continue;
    if (found) return nullptr;
    found = &kernel;
  }
  return found;
}

BranchOdds SelectionOdds::of(const Selection& s) {
  BranchOdds odds;
  const size_t arms = s.arms.size();
  if (!s.isSwitch && arms == 2) {
    const Kernel* kernel = kernelOf(s.header);
    const auto splits = kernel ? countSplits(*kernel->affine, kernel->entry->workgroupSize->size,
                                             target_.subgroupSize, s.condition, s.header)
                               : std::nullopt;
    if (splits && splits->subgroups > 0) {
      const double all = splits->subgroups;
      return {{splits->anyTrue / all, splits->anyFalse / all},
              splits->splitting / all,
              "counted lane by lane"};
    }
    if (const auto yes = weightOfTrue(analyses_.module(), s.branch)) {
      odds.anyLane = {anyOf(*yes), anyOf(1 - *yes)};
      odds.source = "branch weights";
    }
  }
  if (odds.anyLane.empty())
    odds.anyLane.assign(arms, anyOf(1.0 / double(std::max<size_t>(arms, 1))));
  // All lanes agree when all but one arm stay empty.
  const double sum = std::accumulate(odds.anyLane.begin(), odds.anyLane.end(), 0.0);
  odds.parting = std::clamp(sum - 1, 0.0, 1.0);
  return odds;
}

double SelectionCost::all() const {
  return std::accumulate(arms.begin(), arms.end(), 0.0);
}

double SelectionCost::asBranch(const TargetProfile& target, const BranchOdds& odds) const {
  double cost = target.branchCost * (odds.parting + kTogether * (1 - odds.parting));
  for (size_t a = 0; a < arms.size(); ++a) cost += odds.anyLane[a] * arms[a];
  if (all() <= target.predicatedArms) cost = std::min(cost, asStraightCode());
  return cost;
}

double selectCost(Analyses& analyses, Id type) {
  return registersOf(analyses, type);
}

} // namespace lanewise
