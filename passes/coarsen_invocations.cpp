// --coarsen-invocations
//
// What         An invocation of the output does the work of several of the input: the workgroup
//              gets smaller, its tile and the host's dispatch stay. What the merged invocations
//              (the copies) have in common is computed and loaded once; the rest stands once for
//              each copy, instruction by instruction where all go the same way, and construct by
//              construct where they may not.
// Legal when   The copies may run in that order: each keeps its own, an instruction that they share
//              is one that all of them come to with the same operands, and only loops that wait for
//              another invocation could tell the difference. Barriers are reached by all together.
//              Nothing depends on how invocations form subgroups. The size is literal.
// Pays when    What is shared outweighs the registers that the copies' values take
//              (coarsening/coarsening_gain.h). With X,Y,Z that question is not asked.
// Before       OpExecutionMode %main LocalSize 8 8 1
//              %y = component 1 of LocalInvocationId
//              %a = load tile[%i]
//              store out[%y], %a
// After        OpExecutionMode %main LocalSize 8 4 1
//              %y = component 1 of LocalInvocationId
//              %y_1 = OpIAdd %uint %y %uint_4
//              %a = load tile[%i]
//              store out[%y], %a
//              store out[%y_1], %a
// Not handled  Calls (--inline first), sizes by specialization constants (--freeze-spec-const),
//              subgroup operations, and what docs/passes/coarsen-invocations.md lists.
// Reference    A. Magni, C. Dubach, M. O'Boyle, "A Large-Scale Cross-Architecture Evaluation of
//              Thread-Coarsening" (2013); docs/design/coarsening.md.
#include "analysis/module/decorations.h"
#include "analysis/module/source_lines.h"
#include "coarsening/coarsen_check.h"
#include "coarsening/coarsening_gain.h"
#include "coarsening/copied_ids.h"
#include "coarsening/invocation_copier.h"
#include "coarsening/nest_returns.h"
#include "coarsening/waiting_loops.h"
#include "coarsening/workgroup_resize.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace lanewise {

namespace {

constexpr std::string_view kPass = "coarsen-invocations";

/// The factors of "2,4,1"; nothing for "auto".
std::optional<CoarseningFactors> factorsOf(std::string_view mode) {
  CoarseningFactors factors;
  for (uint32_t& factor : factors.merged) {
    const auto [end, error] = std::from_chars(mode.data(), mode.data() + mode.size(), factor);
    if (error != std::errc()) return {};
    mode.remove_prefix(std::min<size_t>(size_t(end - mode.data()) + 1, mode.size()));
  }
  return factors;
}

std::string sizeText(const std::array<uint32_t, 3>& size) {
  return formatText("{}x{}x{}", size[0], size[1], size[2]);
}

/// One entry point of the module as it is now.
class Site {
public:
  Site(PassContext& context, const EntryPoint& entry)
      : context_(context), analyses_(context.analyses), module_(context.module), entry_(entry),
        nesting_(module_, analyses_.get<Cfg>()), effects_(analyses_), ids_(analyses_, entry_) {}

  std::string_view name() const { return entry_.name(module_); }

  /// Whether anything can be done, and by which factors.
  std::optional<CoarsenRefusal> judge(const std::optional<CoarseningFactors>& given) {
    if (auto why = whyNotCoarsened(analyses_, entry_, ids_, effects_)) return why;
    if (const InstRef place = WaitingLoops(analyses_, nesting_, effects_).find(entry_.function))
      return CoarsenRefusal{"waiting-loop", "a loop may wait for what another invocation writes",
                            place};
    if (given) return judgeFactors(*given);
    return choose();
  }

  Result<bool> rewrite();
  Remark remark(const std::optional<CoarsenRefusal>& why) const;

private:
  std::optional<CoarsenRefusal> judgeFactors(const CoarseningFactors& factors) {
    if (auto why = whyNotBy(entry_, factors)) return why;
    factors_ = factors;
    variance_.emplace(analyses_, nesting_, effects_, ids_, entry_.function, factors);
    return whyNotSplit(analyses_, entry_, nesting_, *variance_);
  }
  std::optional<CoarsenRefusal> choose();

  PassContext& context_;
  Analyses& analyses_;
  Module& module_;
  const EntryPoint entry_;
  ConstructNesting nesting_;
  MemoryEffects effects_;
  InvocationIds ids_;
  CoarseningFactors factors_;
  std::optional<CopyVariance> variance_;
  double gain_ = 0; ///< by the model, where it chose
  uint32_t shared_ = 0, replicated_ = 0;
};

/// The factors that gain most by the model, of those that are legal.
std::optional<CoarsenRefusal> Site::choose() {
  const CoarseningModel model(analyses_, context_.target, entry_, nesting_, effects_, ids_);
  std::optional<CoarsenRefusal> first;
  for (const CoarseningFactors& factors : model.candidates()) {
    std::optional<CoarsenRefusal> why = judgeFactors(factors);
    if (!why) {
      gain_ = model.gain(factors);
      return {};
    }
    if (!first) first = std::move(why);
  }
  if (first) return first;
  return CoarsenRefusal{
      "no-gain",
      "invocations share too few of the loads that loops repeat, for what else they do "
      "and for what their values would take in registers",
      {}};
}

Result<bool> Site::rewrite() {
  Rewriter rewriter(module_);
  const std::array<uint32_t, 3> size = entry_.workgroupSize->size;
  CopiedIds copiedIds(analyses_, ids_, rewriter, factors_, size);
  InvocationCopier copier(analyses_, nesting_, ids_, *variance_, copiedIds, factors_, rewriter);
  copier.rewrite(entry_.function);
  shared_ = copier.shared();
  replicated_ = copier.replicated();
  resizeWorkgroup(analyses_, entry_, factors_.reduced(size), rewriter);
  extendInterface(analyses_, entry_, copiedIds.added(), copier.added(), rewriter);
  return rewriter.commit();
}

Remark Site::remark(const std::optional<CoarsenRefusal>& why) const {
  Remark remark;
  remark.pass = kPass;
  remark.function = entry_.name(module_);
  if (why) {
    remark.kind = Remark::Kind::Missed;
    remark.name = why->name;
    remark.message = "workgroup kept: " + why->message;
    if (why->place) remark.location = analyses_.get<SourceLines>().at(module_, why->place);
    return remark;
  }
  const std::array<uint32_t, 3> size = entry_.workgroupSize->size;
  remark.kind = Remark::Kind::Applied;
  remark.name = "coarsened";
  remark.message = formatText(
      "workgroup of {} now {}: an invocation does the work of {}, and {} of {} instructions are "
      "done once for all of them",
      sizeText(size), sizeText(factors_.reduced(size)), factors_.copies(), shared_,
      shared_ + replicated_);
  remark.args = {{"size-before", sizeText(size)},
                 {"size-after", sizeText(factors_.reduced(size))},
                 {"factors", sizeText(factors_.merged)},
                 {"shared", formatText("{}", shared_)},
                 {"replicated", formatText("{}", replicated_)}};
  const uint32_t lanes = context_.target.subgroupSize;
  if (size[0] % lanes == 0 && size[0] / factors_.merged[0] % lanes != 0)
    remark.message += formatText("; no pipeline may require full subgroups, since x is no multiple "
                                 "of {} any more",
                                 lanes);
  if (gain_ > 0) remark.args.emplace_back("gain", formatText("{:.2f}", gain_));
  return remark;
}

/// Early returns of an entry point, nested. True if the module changed.
Result<bool> nestReturns(PassContext& context, const EntryPoint& entry) {
  Rewriter rewriter(context.module);
  wrapInCall(context.analyses, entry, rewriter);
  if (auto committed = rewriter.commit(); !committed) return committed;
  context.analyses.invalidateExcept(PreservedAnalyses::none());
  Remarks ignored;
  for (std::string_view flag : {"inline", "globaldce"}) {
    const PassInfo* pass = findPass(flag);
    PassContext inner{.module = context.module,
                      .analyses = context.analyses,
                      .target = context.target,
                      .assumptions = context.assumptions,
                      .mode = pass->defaultValue(),
                      .isRobust = context.isRobust,
                      .maySite = {},
                      .remarks = ignored};
    if (const PassResult done = runPass(*pass, inner); !done) return done.error();
  }
  return true;
}

/// Puts the module back as it was.
void restore(PassContext& context, const std::vector<uint32_t>& words) {
  if (auto module = Module::read(words)) context.module = std::move(*module);
  context.analyses.invalidateExcept(PreservedAnalyses::none());
}

const EntryPoint& entryAt(PassContext& context, size_t n) {
  return context.analyses.get<EntryPoints>().all()[n];
}

/// True if the entry point was rewritten; on an error the module is as it was.
Result<bool> coarsen(PassContext& context, size_t n,
                     const std::optional<CoarseningFactors>& factors) {
  std::vector<uint32_t> before;
  auto site = std::make_unique<Site>(context, entryAt(context, n));
  std::optional<CoarsenRefusal> why = site->judge(factors);
  const std::optional<Remark> firstRemark = why ? std::optional(site->remark(why)) : std::nullopt;
  if (why && why->name == kEarlyReturn) {
    before.assign(context.module.words().begin(), context.module.words().end());
    if (auto nested = nestReturns(context, entryAt(context, n)); !nested) {
      restore(context, before);
      return nested;
    }
    site = std::make_unique<Site>(context, entryAt(context, n));
    why = site->judge(factors);
  }
  const bool isRefused = why || !context.maySite(std::string(site->name()));
  // Where returns are nested, a barrier may stand behind a branch that they make.
  const bool isForReturns =
      why && (why->name == kEarlyReturn || (!before.empty() && why->name == kDivergentBarrier));
  if (why) context.remarks.push_back(isForReturns ? *firstRemark : site->remark(why));
  Result<bool> done = isRefused ? Result<bool>(false) : site->rewrite();
  if (done && *done) context.remarks.push_back(site->remark({}));
  site.reset();
  if ((!done || !*done) && !before.empty()) restore(context, before);
  context.analyses.invalidateExcept(PreservedAnalyses::none());
  return done;
}

} // namespace

PassResult runCoarsenInvocations(PassContext& context) {
  const std::optional<CoarseningFactors> factors = factorsOf(context.mode);
  if (factors && factors->copies() == 1) return PassOutcome{};
  bool changed = false;
  const size_t count = context.analyses.get<EntryPoints>().all().size();
  for (size_t n = 0; n < count; ++n) {
    const Result<bool> done = coarsen(context, n, factors);
    if (!done) return done.error();
    changed = changed || *done;
  }
  return PassOutcome{changed, PreservedAnalyses::none()};
}

} // namespace lanewise
