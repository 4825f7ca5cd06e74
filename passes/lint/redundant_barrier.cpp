// redundant-barrier: a barrier that is proved to order nothing
//
// What: what --eliminate-redundant-barriers would delete, with its proof, so that it can go from
// the source.
//
// Decided by: running that pass on a copy of the module. A line whose code stands in the module
// several times (by inlining) is reported only when every copy would go.
//
// Silent: memory barriers that stand beside a control barrier, which is how GLSL is written;
// barriers that only lose some of their semantics.
//
// Reference: passes/eliminate_redundant_barriers.cpp; docs/lint/redundant-barrier.md.

#include "analysis/barriers.h"
#include "analysis/source_lines.h"
#include "lint/context.h"
#include "pass.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "eliminate-redundant-barriers";

/// The barriers of the module, by the number that the pass gives them ("barrier1" is the first).
std::vector<InstRef> collectBarriers(const Module& module) {
  std::vector<InstRef> found;
  for (InstRef i : module.insts())
    if (isBarrier(module.opcode(i)) && module.blockOf(i)) found.push_back(i);
  return found;
}

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

std::string_view argOf(const Remark& remark, std::string_view key) {
  for (const auto& [name, value] : remark.args)
    if (name == key) return value;
  return {};
}

/// Runs the pass on a copy; what it says of each barrier, by the barrier's name.
std::map<std::string, Remark, std::less<>> judge(LintContext& context) {
  const std::span<const uint32_t> words = context.module().words();
  Result<Module> copy = Module::read({words.begin(), words.end()});
  const PassInfo* pass = findPass(kPass);
  std::map<std::string, Remark, std::less<>> verdicts;
  if (!copy || !pass) return verdicts;
  const Assumptions& assumptions = context.analyses().assumptions();
  Analyses analyses(*copy, assumptions);
  Remarks remarks;
  PassContext run{.module = *copy,
                  .analyses = analyses,
                  .target = context.target(),
                  .assumptions = assumptions,
                  .mode = pass->defaultValue(),
                  .maySite = [](std::string_view) { return true; },
                  .remarks = remarks};
  if (!runPass(*pass, run)) return verdicts;
  for (Remark& r : remarks)
    if (r.name == "removed" || r.name == "merged")
      verdicts.insert({std::string(argOf(r, "barrier")), std::move(r)});
  return verdicts;
}

} // namespace

void lintRedundantBarrier(LintContext& context, LintFindings& findings) {
  const Module& module = context.module();
  const std::vector<InstRef> barriers = collectBarriers(module);
  if (barriers.empty()) return;
  const auto verdicts = judge(context);
  auto verdictOf = [&](size_t n) {
    auto at = verdicts.find(fmt::format("barrier{}", n + 1));
    return at == verdicts.end() ? nullptr : &at->second;
  };
  for (size_t n = 0; n < barriers.size(); ++n) {
    const Remark* verdict = verdictOf(n);
    const bool isControl = module.opcode(barriers[n]) == spv::Op::OpControlBarrier;
    if (!verdict || (!isControl && isBesideControlBarrier(module, barriers[n]))) continue;
    // Of one line of the source, all copies must go.
    const SourceLocation place = context.locate(barriers[n]);
    bool isNeeded = false;
    for (size_t other = 0; other < barriers.size(); ++other)
      isNeeded = isNeeded ||
                 (place.line != 0 && !verdictOf(other) && context.locate(barriers[other]) == place);
    if (isNeeded) continue;
    const std::string_view kind = isControl ? "barrier" : "memory barrier";
    const size_t colon = verdict->message.find(": ");
    findings.push_back(context.findingAt(barriers[n], Severity::Warning,
                                         fmt::format("the {} is not needed: {}", kind,
                                                     colon == std::string::npos
                                                         ? verdict->message
                                                         : verdict->message.substr(colon + 2))));
    findings.back().args.push_back({"verdict", verdict->name});
  }
}

} // namespace lanewise
