// redundant-barrier: a barrier that provably orders nothing
//
// What: what --eliminate-redundant-barriers would delete, with its proof, so that it can go from
// the source.
//
// Decided by: analysis/barriers/barrier_judgement.h, as that pass. A line whose code stands in the
// module several times (by inlining) is reported only when every copy would go.
//
// Silent: memory barriers that stand beside a control barrier, which is how GLSL is written;
// barriers that only lose some of their semantics.
//
// Reference: docs/design/barriers.md; docs/lint/redundant-barrier.md.

#include "analysis/barriers/barrier_explanation.h"
#include "analysis/barriers/barrier_judgement.h"
#include "lint/context.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Whether only memory barriers stand between the instruction and a control barrier of its block.
bool isBesideControlBarrier(const Module& module, InstRef barrier) {
  const InstRange block = module.blockInsts(module.blockOf(barrier));
  for (int step : {-1, 1})
    for (InstRef i(barrier.value + uint32_t(step)); i.value >= block.first.value && i < block.last;
         i = InstRef(i.value + uint32_t(step))) {
      const spv::Op op = module.opcode(i);
      if (op == spv::Op::OpControlBarrier) return true;
      const OpClass opClass = module.facts(i).opClass;
      if (op != spv::Op::OpMemoryBarrier && opClass != OpClass::Line) break;
    }
  return false;
}

} // namespace

void lintRedundantBarrier(LintContext& context, LintFindings& findings) {
  const Module& module = context.module();
  const bool hasBarriers = std::any_of(module.insts().begin(), module.insts().end(),
                                       [&](InstRef i) { return isBarrier(module.opcode(i)); });
  if (!hasBarriers) return;
  BarrierJudgement judgement(context.analyses());
  judgement.decide([](std::string_view) { return true; });
  const auto barriers = judgement.barriers();
  for (const JudgedBarrier& barrier : barriers) {
    const InstRef inst = barrier.barrier.inst;
    const bool isControl = barrier.barrier.isControl;
    if (barrier.isAlive() || (!isControl && isBesideControlBarrier(module, inst))) continue;
    // Of one line of the source, all copies must go.
    const SourceLocation place = context.locate(inst);
    const bool isNeeded = std::any_of(barriers.begin(), barriers.end(), [&](auto& other) {
      return place.line != 0 && other.isAlive() && context.locate(other.barrier.inst) == place;
    });
    if (isNeeded) continue;
    findings.push_back(
        context.findingAt(inst, Severity::Warning,
                          formatText("redundant {}: {}", isControl ? "barrier" : "memory barrier",
                                     proofOf(judgement, barrier))));
    findings.back().args.push_back(
        {"verdict", barrier.fate == JudgedBarrier::Fate::Merged ? "merged" : "removed"});
  }
}

} // namespace lanewise
