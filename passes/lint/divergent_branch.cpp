// divergent-branch: a divergent branch with two costly sides
//
// What: where lanes of one subgroup go different ways, the subgroup runs both, one after the other.
//
// Decided by: the condition is computed for all lanes. It counts where at least half of the
// subgroups split, both sides cost more than the branch itself, and the cheaper one is no small
// change beside the dearer one (what one side does is not saved by going the same way).
//
// Example:
//
//     if ((gl_LocalInvocationIndex & 1) == 0) { ...; } else { ...; }
//
// Silent: conditions that depend on data; branches with one side, which lanes skip rightly; tails
// (`if (lid == 0)`), because few subgroups split.
//
// Reference: docs/lint/divergent-branch.md.

#include "analysis/branches/divergence.h"
#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "lint/context.h"
#include "text/format_text.h"

#include <algorithm>
#include <set>

namespace lanewise {
namespace {

/// Share of the subgroups that must split.
constexpr double kLeastSplit = 0.5;
/// Cycles of an access of memory beside those of an operation (1).
constexpr double kMemoryCost = 8;
/// Operations that the cheaper side must have; below, the branch is what costs.
constexpr double kLeastCost = 20;
/// The cheaper side must have at least this share of the dearer one.
constexpr double kLeastBalance = 0.25;

/// What one side of a branch costs, up to where the sides meet.
double costOfSide(LintContext& context, BlockRef side, BlockRef reconvergence) {
  const Module& module = context.module();
  std::vector<BlockRef> pending;
  std::set<BlockRef> seen;
  if (side != reconvergence) pending.push_back(side), seen.insert(side);
  double cost = 0;
  const double base = blockFrequency(context.analyses().get<Loops>(), side);
  while (!pending.empty()) {
    const BlockRef b = pending.back();
    pending.pop_back();
    double inBlock = 0;
    for (InstRef i : module.blockInsts(b)) {
      const OpcodeFacts& facts = module.facts(i);
      if (facts.opClass != OpClass::Value) continue;
      if (has(module.effects(i), Effect::Barrier)) return 0; // another rule's matter
      const bool isMemory =
          has(module.effects(i), Effect::ReadsMemory) || has(facts.effects, Effect::WritesMemory);
      inBlock += isMemory ? kMemoryCost : module.opcode(i) == spv::Op::OpPhi ? 0 : 1;
    }
    cost += inBlock * blockFrequency(context.analyses().get<Loops>(), b) / std::max(base, 1e-9);
    for (BlockRef to : context.analyses().get<Cfg>().successors(b))
      if (to != reconvergence && seen.insert(to).second) pending.push_back(to);
  }
  return cost;
}

} // namespace

void lintDivergentBranch(LintContext& context, LintFindings& findings) {
  const Module& module = context.module();
  const Cfg& cfg = context.analyses().get<Cfg>();
  for (Kernel& kernel : context.kernels()) {
    if (!kernel.size) continue;
    for (BlockRef b : cfg.reversePostOrder(kernel.entry->function)) {
      const InstRef end = module.terminator(b);
      const auto sides = cfg.successors(b);
      const Construct* construct = cfg.constructAt(b);
      if (module.opcode(end) != spv::Op::OpBranchConditional || sides.size() != 2 || !construct ||
          construct->kind != Construct::Kind::Selection)
        continue;
      const BlockRef reconvergence = context.analyses().get<Dominance>().ipdom(b);
      if (!reconvergence || sides[0] == reconvergence || sides[1] == reconvergence) continue;
      const double costs[] = {costOfSide(context, sides[0], reconvergence),
                              costOfSide(context, sides[1], reconvergence)};
      const double least = std::min(costs[0], costs[1]), most = std::max(costs[0], costs[1]);
      if (least < kLeastCost || least < kLeastBalance * most) continue;
      const Id condition = module.idAt(end, 1);
      // What is the same for the workgroup splits nothing; the count would say so of one workgroup.
      const auto split = kernel.affine->isWorkgroupUniform(kernel.affine->of(condition))
                             ? std::nullopt
                             : countSplits(*kernel.affine, *kernel.size,
                                           context.target().subgroupSize, condition, b);
      if (!split || split->splitting == 0 || split->splitting < kLeastSplit * split->subgroups)
        continue;
      const InstRef def = module.def(condition);
      const InstRef place = def && context.locate(def).line != 0 ? def : end;
      LintFinding finding =
          context.findingAt(place, Severity::Warning,
                            formatText("divergent branch: {} of {} subgroups of {} lanes execute "
                                       "both sides, about {:.0f} + {:.0f} operations",
                                       split->splitting, split->subgroups,
                                       context.target().subgroupSize, costs[0], costs[1]));
      finding.args = {{"subgroups", formatText("{}", split->subgroups)},
                      {"splitting", formatText("{}", split->splitting)},
                      {"target", context.target().name}};
      findings.push_back(std::move(finding));
    }
  }
}

} // namespace lanewise
