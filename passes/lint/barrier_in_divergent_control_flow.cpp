// barrier-in-divergent-control-flow: a barrier that only some invocations of the workgroup may
// reach
//
// What: all invocations of a workgroup must execute a control barrier, or none; where some stay
// away, those that wait may wait for ever, and what a GPU does then differs from one to the next. A
// memory barrier waits for nobody: in a branch that only some take it orders their accesses alone,
// which is rarely what was meant.
//
// Decided by: analysis/uniformity/uniformity.h says which barriers all invocations are proved to
// reach. For the others, every branch that decides over the barrier is followed back to what makes
// it differ (divergence_cause.h). Only with a cause is it reported.
//
// Example:
//
//     if (gl_LocalInvocationIndex < 32) { ...; barrier(); }    // 64 invocations
//
// Silent: values that are not proved to be uniform but have no known cause either, such as a flag
// that all read from one place of a buffer; barriers over a subgroup; memory barriers in code with
// atomics, and those that do not order shared memory.
//
// Reference: SPIR-V 3.42.20, OpControlBarrier; Vulkan, "Shader Execution", control flow;
// docs/lint/barrier-in-divergent-control-flow.md.

#include "analysis/barriers/memory_effects.h"
#include "analysis/branches/divergence.h"
#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/barriers.h"
#include "analysis/module/def_use.h"
#include "analysis/uniformity/uniformity.h"
#include "lint/context.h"
#include "lint/divergence_cause.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

/// A branch that parts invocations, and why.
struct Culprit {
  BlockRef branch;
  bool isProved = false;
  DivergenceCause cause;
};

class Checker {
public:
  Checker(LintContext& context, Kernel& kernel)
      : context_(context), kernel_(kernel), analyses_(context.analyses()),
        module_(context.module()), causes_(context, kernel), effects_(analyses_) {}

  void run(LintFindings& findings) {
    for (FunctionRef f : kernel_.entry->functions)
      for (InstRef i : module_.functionInsts(f))
        if (isBarrier(module_.opcode(i)) && module_.blockOf(i)) check(i, findings);
  }

private:
  // ---- predicates ----

  /// What all invocations of the workgroup should execute.
  bool isOfInterest(const Barrier& barrier) {
    if (!barrier.isKnown) return false;
    if (barrier.isControl) return rankOf(barrier.execution) >= kWorkgroupRank;
    // Who publishes something by a fence and a signal does so alone, and rightly.
    return barrier.touches(MemoryClass::Workgroup) && !hasSignals();
  }

  bool hasSignals() const {
    return std::any_of(effects_.all().begin(), effects_.all().end(), [&](const MemoryAccess& a) {
      return a.signalReach > 0 || a.orderedClasses != 0;
    });
  }

  /// True when one way behind the branch leaves the function without coming to `block`.
  bool returnsEarly(BlockRef branch, BlockRef block) const {
    if (analyses_.get<Dominance>().ipdom(branch)) return false; // the ways meet again
    const auto sides = analyses_.get<Cfg>().successors(branch);
    return std::any_of(sides.begin(), sides.end(), [&](BlockRef side) {
      return side != block && !causes_.reaches(side, block);
    });
  }

  // ---- check ----

  /// The branch to blame: one that is proved to part invocations, else the first with a cause.
  std::optional<Culprit> findCulprit(BlockRef block, uint32_t depth) {
    std::optional<Culprit> best;
    for (BlockRef b : causes_.branchesOver(block)) {
      const Id condition = causes_.conditionOf(b);
      std::optional<DivergenceCause> cause = causes_.of(condition);
      if (!cause) continue;
      const bool isProved = isProvedDivergent(*kernel_.affine, *kernel_.entry, condition);
      if (!best || (isProved && !best->isProved)) best = Culprit{b, isProved, std::move(*cause)};
    }
    if (best || depth > 8) return best;
    // A function that not all call.
    const Id function = module_.functionId(module_.functionOf(block));
    for (const Use& use : analyses_.get<DefUse>().uses(function))
      if (module_.opcode(use.user) == spv::Op::OpFunctionCall && module_.blockOf(use.user))
        if (auto found = findCulprit(module_.blockOf(use.user), depth + 1)) return found;
    return std::nullopt;
  }

  void check(InstRef inst, LintFindings& findings) {
    const Barrier barrier = readBarrier(analyses_, inst);
    const BlockRef block = module_.blockOf(inst);
    if (uniformityOf(analyses_).isUniform(block) || !isOfInterest(barrier)) return;
    const std::optional<Culprit> culprit = findCulprit(block, 0);
    if (!culprit) return;
    const std::string_view who = culprit->isProved ? "reach" : "may reach";
    const std::string message =
        barrier.isControl
            ? formatText("barrier in divergent control flow: only some invocations of the "
                         "workgroup {} it, but it waits for all of them",
                         who)
            : formatText("memory barrier in divergent control flow: only some invocations of the "
                         "workgroup {} it, and it orders only their accesses",
                         who);
    LintFinding finding =
        context_.findingAt(inst, barrier.isControl ? Severity::Error : Severity::Warning, message);
    addNotes(*culprit, block, finding);
    findings.push_back(std::move(finding));
  }

  void addNotes(const Culprit& culprit, BlockRef block, LintFinding& finding) {
    const std::string_view way = returnsEarly(culprit.branch, block)
                                     ? "some invocations return early here"
                                     : "control flow diverges here";
    const InstRef place = placeOf(culprit.branch);
    finding.notes.push_back(context_.noteAt(
        place, formatText("{}: the condition depends on {}", way, culprit.cause.what)));
    for (const LintNote& step : culprit.cause.steps)
      if (step != finding.notes.back()) finding.notes.push_back(step);
    finding.args.push_back({"proved", culprit.isProved ? "true" : "false"});
    finding.args.push_back({"cause", culprit.cause.what});
  }

  /// Where the branch stands in the source: the branch itself, else its condition.
  InstRef placeOf(BlockRef branch) {
    const InstRef end = module_.terminator(branch);
    const InstRef condition = module_.def(causes_.conditionOf(branch));
    const bool isNamed =
        condition && module_.blockOf(condition) && context_.locate(condition).line != 0;
    return isNamed ? condition : end;
  }

  LintContext& context_;
  Kernel& kernel_;
  Analyses& analyses_;
  const Module& module_;
  DivergenceCauses causes_;
  MemoryEffects effects_;
};

} // namespace

void lintBarrierInDivergentControlFlow(LintContext& context, LintFindings& findings) {
  for (Kernel& kernel : context.kernels()) Checker(context, kernel).run(findings);
}

} // namespace lanewise
