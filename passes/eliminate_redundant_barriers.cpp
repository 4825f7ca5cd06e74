// --eliminate-redundant-barriers: remove or merge barriers, and drop semantics, that nothing needs
//
// What: a barrier keeps what one invocation of a workgroup does to memory before it apart from what
// another one does behind it. The pass looks, for each barrier and each class of memory (Workgroup,
// buffers, images), at the stretches of code up to the nearest barriers that do the same, over all
// paths, back edges and calls. Where no two invocations can meet at one location across it, the
// barrier goes; where they cannot meet in one class, that class goes out of its semantics. Barriers
// with nothing between them become one. This is repeated until nothing changes.
//
// Legal when: analysis/barriers/barrier_judgement.h finds no need for it; the needs are the names
// of BarrierNeed. docs/design/barriers.md has the rule and its argument.
//
// Pays when: always. Nothing is moved, split or added, and no execution scope is weakened.
//
// Before => After:
//
//     OpStore %own %x                             OpStore %own %x
//     OpControlBarrier %wg %wg %shared      =>    %y = OpLoad %float %own
//     %y = OpLoad %float %own
//
//     OpMemoryBarrier %device %buffers      =>    OpControlBarrier %wg %device %shared_buffers
//     OpControlBarrier %wg %wg %shared
//
// Not handled: barriers in control flow that is not proved to be uniform are only merged; elements
// of images and what physical pointers reach are not told apart; a workgroup size that is not
// literal proves nothing but that an invocation's own element is its own.
//
// Reference: SPIR-V 3.42.20 (barriers), 3.32 (memory semantics); Vulkan, Memory Model;
// docs/design/barriers.md.

#include "analysis/barriers/barrier_explanation.h"
#include "analysis/barriers/barrier_judgement.h"
#include "analysis/module/decorations.h"
#include "analysis/module/source_lines.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "eliminate-redundant-barriers";

// ---- remarks ----

Remark makeRemark(BarrierJudgement& judgement, const JudgedBarrier& barrier, Remark::Kind kind,
                  std::string_view name, std::string message) {
  Analyses& analyses = judgement.analyses();
  const Module& module = analyses.module();
  Remark remark;
  remark.kind = kind;
  remark.pass = kPass;
  remark.name = name;
  const FunctionRef function = module.functionOf(module.blockOf(barrier.barrier.inst));
  remark.function = analyses.get<Decorations>().name(module, module.functionId(function));
  remark.location = analyses.get<SourceLines>().at(module, barrier.barrier.inst);
  remark.message = std::move(message);
  remark.args.push_back({"barrier", barrier.name});
  return remark;
}

void addRemarks(BarrierJudgement& judgement, Remarks& remarks) {
  auto add = [&](const JudgedBarrier& barrier, Remark::Kind kind, std::string_view name,
                 std::string message) {
    remarks.push_back(makeRemark(judgement, barrier, kind, name, std::move(message)));
  };
  for (const JudgedBarrier& barrier : judgement.barriers()) {
    const std::string_view kind = kindOf(barrier);
    if (!barrier.isAlive()) {
      const std::string_view fate =
          barrier.fate == JudgedBarrier::Fate::Merged ? "merged" : "removed";
      add(barrier, Remark::Kind::Applied, fate,
          formatText("{} a {} barrier: {}", fate, kind, proofOf(judgement, barrier)));
      continue;
    }
    if (barrier.droppedClasses != 0)
      add(barrier, Remark::Kind::Applied, "narrowed",
          formatText("dropped {} memory from the semantics of a {} barrier: no two invocations "
                     "conflict there across it",
                     classNames(barrier.droppedClasses), kind));
    if (barrier.verdicts.empty()) continue;
    add(barrier, Remark::Kind::Missed, nameOf(barrier.verdicts.front().need),
        formatText("kept a {} barrier: {}", kind, reasonOf(judgement, barrier)));
    remarks.back().notes = placesOf(judgement, barrier);
  }
}

// ---- rewrite ----

void rewrite(BarrierJudgement& judgement, Rewriter& rewriter) {
  Analyses& analyses = judgement.analyses();
  const Module& module = analyses.module();
  for (const JudgedBarrier& barrier : judgement.barriers()) {
    const InstRef inst = barrier.barrier.inst;
    if (!barrier.isAlive()) {
      rewriter.erase(inst);
      continue;
    }
    if (barrier.droppedClasses == 0 && !barrier.isWidened) continue;
    const Barrier before = readBarrier(analyses, inst);
    const uint32_t first = before.isControl ? 2 : 1;
    auto set = [&](uint32_t word, uint32_t from, uint32_t to) {
      if (from == to) return;
      const Id type = module.typeOf(module.idAt(inst, word));
      rewriter.setId(inst, word, rewriter.constant(type, to));
    };
    if (before.isControl) set(1, uint32_t(before.execution), uint32_t(barrier.barrier.execution));
    set(first, uint32_t(before.memory), uint32_t(barrier.barrier.memory));
    set(first + 1, before.semantics, barrier.barrier.semantics);
  }
}

} // namespace

PassResult runEliminateRedundantBarriers(PassContext& context) {
  const Module& module = context.module;
  const bool hasBarriers = std::any_of(module.insts().begin(), module.insts().end(),
                                       [&](InstRef i) { return isBarrier(module.opcode(i)); });
  if (!hasBarriers) return PassOutcome{};
  BarrierJudgement judgement(context.analyses);
  judgement.decide(context.maySite);
  addRemarks(judgement, context.remarks);
  if (!judgement.hasChanges()) return PassOutcome{};
  Rewriter rewriter(context.module);
  rewrite(judgement, rewriter);
  Result<bool> changed = rewriter.commit();
  if (!changed) return changed.error();
  // No block is added or removed and no edge changes.
  return PassOutcome{true, PreservedAnalyses::of<Cfg, Dominance>()};
}

} // namespace lanewise
