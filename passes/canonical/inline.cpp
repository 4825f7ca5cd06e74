// --inline
//
// What         Replaces calls by the bodies of what they call, everywhere that entry points and
//              exported functions reach, innermost calls included. The functions themselves stay:
//              --globaldce removes those that nobody calls any more.
// Legal when   The callee has a body, does not say DontInline (or OptNone), and does not call
//              itself. A callee that may end the invocation is not inlined into a continue
//              construct, which must come to its back edge. What a parameter's decoration says of
//              accesses must be said of the argument, too.
// Before       %r = OpFunctionCall %float %f %a
// After        the body of %f, its parameter being %a and its returned value %r. Where it returns
//              from inside a selection, what is behind that moves into the arm that goes on, and
//              a return becomes a branch to the new end of the selection:
//                if (c) return a; b        =>  if (c) v = a; else { b }
//              From inside a loop or a switch, or where several arms go on, it sets a flag and
//              branches to the merge block, where a branch on the flag goes on outwards:
//                for (..) if (c) return a; b  =>  for (..) if (c) { v = a; f = true; break; }
//                                                 if (!f) { b }
//              Variables go to the first block of the caller; initializers become stores. Names of
//              variables, decorations of everything, lines and scopes (DebugInlinedAt) are copied.
// Pays when    Other passes see more of the program: drivers' compilers inline all calls
//              themselves. Returns that break loops and switches they inline better, since they
//              need not keep the constructs of SPIR-V, so --inline=profitable leaves those
//              functions alone unless lanes meet in them; with --inline=small all where the module
//              would become larger.
//              Where phis or values used behind a selection forbid that, the copy goes into the
//              only case of an OpSwitch, whose merge block the returns branch to.
// Not handled  Returns from inside a loop out of which values are used behind it (front ends keep
//              those in variables), and more than 200 selections around one another that hold what
//              is behind returns. Calls in loop headers that are selections themselves. The
//              module grows to 16 times its size and 1 MB at most.
// Reference    SPIR-V specification, 2.11 (structured control flow); LLVM's AlwaysInliner.
#include "analysis/module/source_lines.h"
#include "canonical/support/block_order.h"
#include "canonical/support/early_exits.h"
#include "canonical/support/inline_copier.h"
#include "canonical/support/inline_plan.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"

#include <algorithm>
#include <vector>

namespace lanewise {

namespace {

constexpr uint64_t kGrowthFactor = 16, kGrowthWords = (1u << 20) / sizeof(uint32_t);

bool hasCalls(const Module& module) {
  if (module.functionCount() < 2) return false;
  const InstRange all{module.globals().last, module.insts().last};
  return std::any_of(all.begin(), all.end(),
                     [&](InstRef i) { return module.opcode(i) == spv::Op::OpFunctionCall; });
}

InlineMode modeOf(std::string_view mode) {
  return mode == "small"        ? InlineMode::Small
         : mode == "profitable" ? InlineMode::Profitable
                                : InlineMode::All;
}

/// Entry points and what is exported, in module order.
std::vector<FunctionRef> collectRoots(const Module& module) {
  std::vector<FunctionRef> roots;
  const auto add = [&](Id id) {
    if (const FunctionRef f = module.functionOfId(id); f && module.blockCount(f))
      roots.push_back(f);
  };
  for (InstRef i : module.globals()) {
    const spv::Op op = module.opcode(i);
    if (op == spv::Op::OpEntryPoint) add(module.idAt(i, 2));
    if (op == spv::Op::OpDecorate &&
        spv::Decoration(module.word(i, 2)) == spv::Decoration::LinkageAttributes)
      add(module.idAt(i, 1));
  }
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  return roots;
}

void addRemarks(PassContext& context, InlinePlan& plan) {
  const Module& module = context.module;
  for (uint32_t f = 1; f <= module.functionCount(); ++f) {
    if (!plan.isPlanned(FunctionRef(f))) continue;
    for (const CallSite& call : plan.of(FunctionRef(f)).calls) {
      const CallRefusal* refusal = call.refusal ? call.refusal : plan.of(FunctionRef(f)).whyAsItWas;
      if (!refusal) continue;
      Remark remark;
      remark.kind = Remark::Kind::Missed;
      remark.pass = "inline";
      remark.name = refusal->name;
      remark.location = context.analyses.get<SourceLines>().at(module, call.inst);
      remark.message = formatText("call not inlined: {}", refusal->message);
      context.remarks.push_back(std::move(remark));
    }
  }
}

/// Writes the roots anew, and what they still call.
void rewrite(std::vector<FunctionRef> roots, const Module& module, InlinePlan& plan,
             InlineCopier& copier) {
  std::vector<bool> isDone(module.functionCount() + 1);
  std::reverse(roots.begin(), roots.end()); // taken from the back
  while (!roots.empty()) {
    const FunctionRef f = roots.back();
    roots.pop_back();
    if (isDone[f.value] || !plan.isPlanned(f)) continue;
    isDone[f.value] = true;
    copier.rewrite(f);
    const std::vector<FunctionRef> called = copier.takeCalled();
    roots.insert(roots.end(), called.rbegin(), called.rend());
  }
  copier.finish();
}

/// Where a function that never returns is inlined, nothing reaches what is behind: blocks that were
/// reached from there have other dominators, which may stand behind them.
bool mayMoveDominators(PassContext& context) {
  const Module& module = context.module;
  const Cfg& cfg = context.analyses.get<Cfg>();
  for (uint32_t f = 1; f <= module.functionCount(); ++f) {
    const auto blocks = cfg.reversePostOrder(FunctionRef(f));
    if (!blocks.empty() && std::ranges::none_of(blocks, [&](BlockRef b) {
          return isReturn(module.opcode(module.terminator(b)));
        }))
      return true;
  }
  return false;
}

} // namespace

PassResult runInline(PassContext& context) {
  const Module& module = context.module;
  if (!hasCalls(module)) return PassOutcome{};
  Rewriter rewriter(context.module);
  const bool mayMove = mayMoveDominators(context);
  {
    const Annotations annotations(module);
    const InlineLimits limits{module.words().size() * kGrowthFactor + kGrowthWords,
                              Module::kMaxIdBound - module.idBound(), modeOf(context.mode)};
    InlinePlan plan(context.analyses, annotations, limits);
    const std::vector<FunctionRef> roots = collectRoots(module);
    for (FunctionRef root : roots) plan.add(root);
    InlineCopier copier(context.analyses, annotations, plan, rewriter);
    rewrite(roots, module, plan, copier);
    addRemarks(context, plan);
  }
  PassResult outcome = commitEdits(context, rewriter, PreservedAnalyses::none());
  if (!outcome || !mayMove) return outcome;
  const Cfg cfg(module);
  for (uint32_t f = 1; f <= module.functionCount(); ++f)
    if (module.blockCount(FunctionRef(f)) > 0) orderBlocks(module, cfg, FunctionRef(f), rewriter);
  if (auto ordered = rewriter.commit(); !ordered) return ordered.error();
  return outcome;
}

} // namespace lanewise
