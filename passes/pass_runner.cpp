#include "pass_runner.h"

#include "planning/layout_exchange.h"
#include "text/format_text.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace lanewise {

namespace {

struct CanonicalStep {
  std::string_view flag;
  std::string_view onlyAfter = {}; ///< PassStep::onlyAfter
};

/// Canonical form: everything inlined, variables in SSA form, constants folded, dead code gone.
/// Ours come next, so that an array index is one expression of the built-ins and every access to a
/// Workgroup variable is seen in the entry point itself.
constexpr CanonicalStep kCanonicalize[] = {
    {"inline"},                // first, so that everything else sees whole functions
    {"globaldce"},             // the functions that are nowhere called any more
    {"sroa"},                  // parts of variables,
    {"mem2reg"},               // which become values,
    {"gvn"},                   // which are folded and numbered
    {"simplifycfg"},           // branches on what was folded
    {"memcpyopt"},             // arrays that are still whole, and only copies
    {"gvn"},                   // phis that lost an operand, and memory across merges that are gone
    {"adce"},                  // what nobody needs now
    {"loop-deletion"},         // loops in which that was all,
    {"adce", "loop-deletion"}, // and what only they needed
    {"simplifycfg"},           // blocks that are empty now
};

/// What goes first of ours, since those behind it find fewer branches and plainer indices then.
constexpr std::string_view kSimplifying = "eliminate-redundant-checks";

/// What ours left behind, where they did something: branches on constants, conditions of flattened
/// branches, indices of arrays that moved.
constexpr std::string_view kCleanUp[] = {"gvn", "adce", "simplifycfg"};

/// Types, constants and variables that are not used any more.
constexpr std::string_view kLast[] = {"globaldce"};

/// What compilers read better than analyses do.
constexpr std::string_view kForCompilers[] = {"licm", "sink", "reg2mem"};

} // namespace

std::vector<PassStep> standardSteps(const std::optional<PassStep>& coarsening) {
  std::vector<PassStep> steps;
  const auto add = [&](const PassInfo* pass, std::vector<const PassInfo*> onlyAfter = {}) {
    std::string_view mode = pass->defaultValue();
    if (pass->flag == "inline") mode = "profitable";
    steps.push_back({pass, std::string(mode), std::move(onlyAfter)});
  };
  for (const auto& [flag, onlyAfter] : kCanonicalize) {
    if (onlyAfter.empty())
      add(findPass(flag));
    else
      add(findPass(flag), {findPass(onlyAfter)});
  }
  if (coarsening) {
    steps.push_back(*coarsening);
    for (std::string_view flag : kCleanUp) add(findPass(flag), {coarsening->pass});
  }
  std::vector<const PassInfo*> rewriting;
  for (const PassInfo& pass : allPasses())
    if (pass.inO && !pass.isCanonical) {
      add(&pass);
      if (pass.flag == kSimplifying)
        for (std::string_view flag : kCleanUp) add(findPass(flag), {&pass});
      else
        rewriting.push_back(&pass);
    }
  for (std::string_view flag : kCleanUp) add(findPass(flag), rewriting);
  for (std::string_view flag : kLast) add(findPass(flag));
  for (const PassInfo* pass : passesForCompilers()) add(pass);
  return steps;
}

std::vector<const PassInfo*> passesForCompilers() {
  std::vector<const PassInfo*> passes;
  std::ranges::transform(kForCompilers, std::back_inserter(passes), findPass);
  return passes;
}

std::vector<PassStep> canonicalSteps() {
  std::vector<PassStep> steps = standardSteps();
  std::erase_if(steps, [](const PassStep& step) {
    return !step.pass->isCanonical ||
           std::ranges::find(kForCompilers, step.pass->flag) != std::end(kForCompilers) ||
           std::ranges::any_of(step.onlyAfter, [](auto* pass) { return !pass->isCanonical; });
  });
  return steps;
}

std::vector<PassStep> sizeSteps() {
  std::vector<PassStep> steps = canonicalSteps();
  for (PassStep& step : steps)
    if (step.pass->flag == "inline") step.mode = "small";
  return steps;
}

namespace {

/// What a module may say of how instructions compute, which no analysis follows: it stays as it is.
/// All of these are of kernels or of Intel's extensions. Empty where it says nothing of the kind.
std::string_view unfollowedRule(const Module& module) {
  using spv::Capability;
  if (std::ranges::none_of(std::initializer_list<Capability>{Capability::Kernel,
                                                             Capability::RoundToInfinityINTEL,
                                                             Capability::FloatingPointModeINTEL,
                                                             Capability::FunctionFloatControlINTEL},
                           [&](Capability c) { return module.declares(c); }))
    return {};
  for (InstRef i : module.globals()) {
    if (module.opcode(i) == spv::Op::OpExecutionMode) {
      switch (spv::ExecutionMode(module.word(i, 2))) {
      case spv::ExecutionMode::RoundingModeRTPINTEL:
      case spv::ExecutionMode::RoundingModeRTNINTEL:
      case spv::ExecutionMode::FloatingPointModeALTINTEL:
      case spv::ExecutionMode::FloatingPointModeIEEEINTEL:
        return "a rounding mode";
      default:
        break;
      }
    }
    if (module.opcode(i) != spv::Op::OpDecorate) continue;
    switch (spv::Decoration(module.word(i, 2))) {
    case spv::Decoration::SaturatedConversion:
      return "SaturatedConversion";
    case spv::Decoration::FPRoundingMode:
      return "FPRoundingMode";
    case spv::Decoration::FunctionRoundingModeINTEL:
    case spv::Decoration::FunctionDenormModeINTEL:
    case spv::Decoration::FunctionFloatingPointModeINTEL:
      return "a rounding mode of a function";
    case spv::Decoration::FuncParamAttr:
      if (module.word(i, 3) == uint32_t(spv::FunctionParameterAttribute::ByVal))
        return "a parameter that is ByVal";
      break;
    default:
      break;
    }
  }
  return {};
}

} // namespace

struct PassRunner::Subject {
  Module module;
  Analyses analyses;
  Subject(Module read, const Assumptions& assumptions)
      : module(std::move(read)), analyses(module, assumptions) {}
};

PassRunner::PassRunner(Module module, const PassSettings& settings)
    : subject_(std::make_unique<Subject>(std::move(module), settings.assumptions)),
      settings_(settings), unfollowed_(unfollowedRule(subject_->module)) {}
PassRunner::~PassRunner() = default;

const Module& PassRunner::module() const {
  return subject_->module;
}

void PassRunner::goOnWith(Module module) {
  ++version_;
  subject_ = std::make_unique<Subject>(std::move(module), settings_.assumptions);
}

bool PassRunner::hasNews(const PassStep& step) const {
  const auto changedIt = [&](const PassInfo* pass) { return changing_.contains(pass); };
  if (!step.onlyAfter.empty() && std::ranges::none_of(step.onlyAfter, changedIt)) return false;
  const auto left = leftAt_.find(step.pass);
  return !step.pass->isCanonical || left == leftAt_.end() || left->second != version_;
}

Result<PassRunner::Outcome> PassRunner::run(const PassStep& step,
                                            std::function<bool(std::string_view site)> maySite) {
  Outcome outcome;
  if (!unfollowed_.empty() || !hasNews(step)) {
    outcome.isSkipped = true;
    if (!unfollowed_.empty() && !std::exchange(isTold_, true)) {
      Remark& remark = outcome.remarks.emplace_back();
      remark.pass = step.pass->flag;
      remark.name = "unfollowed-rule";
      remark.message = formatText("left as it is, by all passes: none follows {}", unfollowed_);
    }
    return outcome;
  }
  LayoutExchange layouts{.decided = settings_.programLayouts, .narrow = settings_.narrow};
  PassContext context{.module = subject_->module,
                      .analyses = subject_->analyses,
                      .target = settings_.target,
                      .assumptions = settings_.assumptions,
                      .mode = step.mode,
                      .isRobust = settings_.isRobust,
                      .maySite = std::move(maySite),
                      .remarks = outcome.remarks,
                      .layouts = &layouts,
                      .explainsMissed = settings_.explainsMissed,
                      .explainsApplied = settings_.explainsApplied,
                      .keepsLoads = settings_.keepsLoads};
  const PassResult result = runPass(*step.pass, context);
  if (!result) return result.error();
  outcome.changed = result->changed;
  outcome.layouts = std::move(layouts.manifest);
  if (outcome.changed) {
    ++version_;
    changing_.insert(step.pass);
  }
  leftAt_[step.pass] = version_;
  return outcome;
}

Result<Module> canonicalForm(Module module, const PassSettings& settings,
                             std::string_view inlining) {
  PassRunner runner(std::move(module), settings);
  for (PassStep& step : canonicalSteps()) {
    if (step.pass->flag == "inline") step.mode = inlining;
    if (auto outcome = runner.run(step, [](std::string_view) { return true; }); !outcome)
      return outcome.error();
  }
  return runner.module();
}

} // namespace lanewise
