#include "analysis/barriers/barrier_explanation.h"

#include "analysis/module/decorations.h"
#include "analysis/module/source_lines.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

uint32_t lineOf(BarrierJudgement& judgement, InstRef i) {
  Analyses& analyses = judgement.analyses();
  return analyses.get<SourceLines>().at(analyses.module(), i).line;
}

std::string placeOf(BarrierJudgement& judgement, InstRef i) {
  const uint32_t line = lineOf(judgement, i);
  return line == 0 ? std::string() : formatText(" at line {}", line);
}

/// "the barrier at line 11", "the barriers at line 3, line 8".
std::string neighboursOf(BarrierJudgement& judgement, std::vector<uint32_t> neighbours) {
  std::sort(neighbours.begin(), neighbours.end());
  neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  std::string list;
  for (uint32_t n : neighbours) {
    const JudgedBarrier& barrier = judgement.barriers()[n];
    const uint32_t line = lineOf(judgement, barrier.barrier.inst);
    if (!list.empty()) list += ", ";
    list += line == 0 ? "'" + barrier.name + "'" : formatText("line {}", line);
  }
  if (list.empty()) return {};
  return formatText(" up to the {} at {}", neighbours.size() == 1 ? "barrier" : "barriers", list);
}

std::string proofOfMerge(BarrierJudgement& judgement, const JudgedBarrier& barrier) {
  const JudgedBarrier& kept = judgement.barriers()[barrier.mergedInto];
  const std::string place = placeOf(judgement, kept.barrier.inst);
  return formatText(
      "no access between it and the {} barrier{}, which now has the scope and semantics of both",
      kindOf(kept), place.empty() ? " '" + kept.name + "'" : place);
}

} // namespace

std::string proofOf(BarrierJudgement& judgement, const JudgedBarrier& barrier) {
  if (barrier.fate == JudgedBarrier::Fate::Merged) return proofOfMerge(judgement, barrier);
  bool touchesBefore = false, touchesBehind = false;
  size_t own = 0, apart = 0;
  std::vector<uint32_t> before, behind;
  for (const BarrierVerdict& v : barrier.verdicts) {
    touchesBefore = touchesBefore || v.touchesBefore;
    touchesBehind = touchesBehind || v.touchesBehind;
    own += v.ownPairs;
    apart += v.disjointPairs;
    before.insert(before.end(), v.neighboursBefore.begin(), v.neighboursBefore.end());
    behind.insert(behind.end(), v.neighboursBehind.begin(), v.neighboursBehind.end());
  }
  if (!touchesBefore)
    return "nothing it orders is accessed before it" + neighboursOf(judgement, std::move(before));
  if (!touchesBehind)
    return "nothing it orders is accessed after it" + neighboursOf(judgement, std::move(behind));
  before.insert(before.end(), behind.begin(), behind.end());
  const std::string upTo = neighboursOf(judgement, std::move(before));
  if (own == 0 && apart == 0) return "memory accessed on both sides of it is only read" + upTo;
  if (own == 0) return "accesses before and after it touch different variables or elements" + upTo;
  return formatText("no two invocations access the same element across it{} ({} {} compared)", upTo,
                    own + apart, own + apart == 1 ? "pair of accesses" : "pairs of accesses");
}

std::string reasonOf(BarrierJudgement& judgement, const JudgedBarrier& barrier) {
  if (barrier.verdicts.empty()) return {};
  const BarrierVerdict& v = barrier.verdicts.front();
  auto text = [&](const MemoryAccess* a) {
    return "the " + describe(judgement.analyses(), *a) + placeOf(judgement, a->inst);
  };
  switch (v.need) {
  case BarrierNeed::UnknownScope:
    return "its scope or semantics is not a literal constant, or other stages, modules or "
           "instructions than calls may execute it";
  case BarrierNeed::DivergentFlow:
    return formatText("it may be in divergent control flow: the branch{} may diverge",
                      placeOf(judgement, v.place));
  case BarrierNeed::Conflict:
    return formatText("{} and {} may access the same location from different invocations",
                      text(v.before), text(v.behind));
  case BarrierNeed::Aliased:
    return formatText("{} and {} may alias", text(v.before), text(v.behind));
  case BarrierNeed::Publication: {
    const bool isWorkgroupWide =
        barrier.barrier.isControl && rankOf(barrier.barrier.execution) >= kWorkgroupRank;
    const std::string_view others = isWorkgroupWide ? "workgroups" : "invocations";
    if (v.before && v.behind)
      return formatText("other {} may rely on {} coming before {}", others, text(v.before),
                        text(v.behind));
    return formatText("a fence orders {} for other {}", text(v.before ? v.before : v.behind),
                      others);
  }
  case BarrierNeed::Convergence:
    return formatText("the subgroup operation{} may rely on it for convergence",
                      placeOf(judgement, v.place));
  case BarrierNeed::TooLarge:
    return "too many accesses around it to compare";
  case BarrierNeed::None:
    break;
  }
  return {};
}

std::vector<RemarkNote> placesOf(BarrierJudgement& judgement, const JudgedBarrier& barrier) {
  std::vector<RemarkNote> notes;
  if (barrier.verdicts.empty()) return notes;
  Analyses& analyses = judgement.analyses();
  const BarrierVerdict& v = barrier.verdicts.front();
  auto add = [&](InstRef i, std::string message, Id variable) {
    SourceLocation at = analyses.get<SourceLines>().at(analyses.module(), i);
    if (at.line == 0) return;
    const auto name = variable ? analyses.get<Decorations>().name(analyses.module(), variable)
                               : std::string_view();
    notes.push_back({std::move(at), std::move(message), std::string(name)});
  };
  if (v.before)
    add(v.before->inst, formatText("the {} before it is here", describe(analyses, *v.before)),
        v.before->variable);
  if (v.behind)
    add(v.behind->inst, formatText("the {} after it is here", describe(analyses, *v.behind)),
        v.behind->variable);
  if (v.need == BarrierNeed::DivergentFlow) add(v.place, "the branch is here", {});
  if (v.need == BarrierNeed::Convergence) add(v.place, "the subgroup operation is here", {});
  return notes;
}

std::string_view nameOf(BarrierNeed need) {
  switch (need) {
  case BarrierNeed::UnknownScope:
    return "unknown-scope";
  case BarrierNeed::DivergentFlow:
    return "divergent-control-flow";
  case BarrierNeed::Conflict:
    return "conflict";
  case BarrierNeed::Aliased:
    return "aliased";
  case BarrierNeed::Publication:
    return "publication";
  case BarrierNeed::Convergence:
    return "convergence";
  case BarrierNeed::TooLarge:
    return "too-large";
  case BarrierNeed::None:
    break;
  }
  return "none";
}

std::string classNames(uint32_t classes) {
  std::string names;
  constexpr std::string_view kNames[] = {"shared", "buffer", "image"};
  for (MemoryClass memory : kMemoryClasses)
    if ((classes >> uint32_t(memory) & 1) != 0)
      names += (names.empty() ? "" : " and ") + std::string(kNames[uint32_t(memory)]);
  return names;
}

std::string_view kindOf(const JudgedBarrier& barrier) {
  return barrier.barrier.isControl ? "control" : "memory";
}

} // namespace lanewise
