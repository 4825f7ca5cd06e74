// What -O stands for: ours alone (pass_runner.h), or between spirv-opt's. docs/command-line.md
// tells users; `lanewise passes` prints the lists.
#include "pipeline/pipeline.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace lanewise::driver {

namespace {

/// Canonical form by spirv-opt: the passes of its own -O in their order.
constexpr const char* kSpirvOptCanonicalize[] = {
    "--wrap-opkill",
    "--eliminate-dead-branches",
    "--merge-return",
    "--inline-entry-points-exhaustive",
    "--eliminate-dead-functions",
    "--eliminate-dead-code-aggressive",
    "--private-to-local",
    "--eliminate-local-single-block",
    "--eliminate-local-single-store",
    "--eliminate-dead-code-aggressive",
    "--scalar-replacement=100",
    "--convert-local-access-chains",
    "--eliminate-local-single-block",
    "--eliminate-local-single-store",
    "--eliminate-dead-code-aggressive",
    "--ssa-rewrite",
    "--eliminate-dead-code-aggressive",
    "--ccp",
    "--eliminate-dead-code-aggressive",
    "--loop-unroll",
    "--eliminate-dead-branches",
    "--redundancy-elimination",
    "--combine-access-chains",
    "--simplify-instructions",
    "--scalar-replacement=100",
    "--convert-local-access-chains",
    "--eliminate-local-single-block",
    "--eliminate-local-single-store",
    "--eliminate-dead-code-aggressive",
    "--ssa-rewrite",
    "--eliminate-dead-code-aggressive",
    "--vector-dce",
    "--eliminate-dead-inserts",
    "--eliminate-dead-branches",
    "--simplify-instructions",
};

/// The rest of it. if-conversion stands behind ours, because predication judges the
/// branches that the shader has. Without --copy-propagate-arrays: it moves the read of a buffer to
/// where its copy in a local array is used, past stores, barriers and atomics that come between,
/// and drops the read's memory operands. unsound_steps.h has what is left out of some modules only.
constexpr const char* kSpirvOptCleanUp[] = {
    "--if-conversion", "--reduce-load-size",       "--eliminate-dead-code-aggressive",
    "--merge-blocks",  "--redundancy-elimination", "--eliminate-dead-branches",
    "--merge-blocks",  "--simplify-instructions",
};

PipelineStep stepOfStandard(const PassStep& step) {
  std::string flag = "--" + std::string(step.pass->flag);
  if (step.mode != step.pass->defaultValue()) flag += "=" + step.mode;
  return {std::move(flag), step.pass, step.mode, true, step.onlyAfter};
}

PipelineStep stepOfSpirvOpt(const char* flag) {
  return {flag, nullptr, {}, true, {}};
}

/// `-O` of our own with a step of --coarsen-invocations where it belongs (standardSteps()).
std::vector<PipelineStep> standardPipelineWith(const PipelineStep& coarsening) {
  std::vector<PipelineStep> steps;
  std::ranges::transform(standardSteps(PassStep{coarsening.pass, coarsening.mode, {}}),
                         std::back_inserter(steps), stepOfStandard);
  return steps;
}

bool isCoarsening(const PipelineStep& step) {
  return step.pass && step.pass->flag == "coarsen-invocations";
}

/// Whether the last `steps` are those of -O.
bool endsWithStandard(const std::vector<PipelineStep>& steps) {
  const std::vector<PipelineStep> standard = standardPipeline();
  return steps.size() >= standard.size() &&
         std::equal(standard.rbegin(), standard.rend(), steps.rbegin(),
                    [](const auto& a, const auto& b) {
                      return a.pass ? a.pass == b.pass : a.flag == b.flag;
                    });
}

/// Passes that are not in -O (coarsening, layouts of buffers) take kernels as a whole.
void inlineAllWhereAsked(std::vector<PipelineStep>& steps) {
  if (std::ranges::none_of(steps, [](const PipelineStep& step) {
        return step.pass && !step.pass->inO && !step.pass->isCanonical;
      }))
    return;
  for (PipelineStep& step : steps)
    if (step.flag == "--inline=profitable") {
      step.mode = step.pass->defaultValue();
      step.flag = "--inline";
    }
}

/// Takes what -O has last out of it, which compilers read better and analyses do not.
std::vector<PipelineStep> takeThoseForCompilers(std::vector<PipelineStep>& steps) {
  std::vector<PipelineStep> taken;
  for (const PassInfo* pass : passesForCompilers()) {
    const auto at = std::ranges::find_if(
        steps, [&](const PipelineStep& step) { return step.keepInterface && step.pass == pass; });
    if (at == steps.end()) continue;
    taken.push_back(std::move(*at));
    steps.erase(at);
  }
  return taken;
}

} // namespace

std::vector<PipelineStep> standardPipeline(Canonical whose) {
  std::vector<PipelineStep> steps;
  const bool isOurs = whose == Canonical::Lanewise;
  if (!isOurs)
    std::ranges::transform(kSpirvOptCanonicalize, std::back_inserter(steps), stepOfSpirvOpt);
  for (const PassStep& step : standardSteps())
    if (isOurs || !step.pass->isCanonical) steps.push_back(stepOfStandard(step));
  if (!isOurs) std::ranges::transform(kSpirvOptCleanUp, std::back_inserter(steps), stepOfSpirvOpt);
  return steps;
}

std::vector<PipelineStep> sizePipeline(Canonical whose) {
  if (whose == Canonical::SpirvOpt) return {{"-Os", nullptr, {}, false, {}}};
  std::vector<PipelineStep> steps;
  std::ranges::transform(sizeSteps(), std::back_inserter(steps), stepOfStandard);
  return steps;
}

void appendSteps(std::vector<PipelineStep>& steps, std::vector<PipelineStep> more) {
  const bool joinsBehind = more.size() == 1 && isCoarsening(more[0]) && endsWithStandard(steps);
  const bool joinsBefore = !steps.empty() && isCoarsening(steps.back()) && endsWithStandard(more);
  if (joinsBehind) {
    steps.resize(steps.size() - standardPipeline().size());
    more = standardPipelineWith(more[0]);
  } else if (joinsBefore) {
    more = standardPipelineWith(steps.back());
    steps.pop_back();
  }
  std::vector<PipelineStep> last;
  if (std::ranges::any_of(more, [](const auto& s) { return s.pass && !s.pass->isCanonical; }))
    last = takeThoseForCompilers(steps);
  std::ranges::move(more, std::back_inserter(steps));
  if (!last.empty() && steps.back().pass != last.back().pass)
    std::ranges::move(last, std::back_inserter(steps));
  inlineAllWhereAsked(steps);
}

Result<std::vector<PipelineStep>> parseSteps(const std::string& argument) {
  const Canonical whose =
      argument.ends_with("=spirv-opt") ? Canonical::SpirvOpt : Canonical::Lanewise;
  const std::string_view level = std::string_view(argument).substr(0, argument.find('='));
  const bool hasKnownValue = level == argument || whose == Canonical::SpirvOpt;
  if (level == "-O" && hasKnownValue) return standardPipeline(whose);
  if (level == "-Os" && hasKnownValue) return sizePipeline(whose);
  Result<std::optional<PipelineStep>> step = parseStep(argument);
  if (!step) return step.error();
  std::vector<PipelineStep> steps;
  if (*step) steps.push_back(std::move(**step));
  return steps;
}

} // namespace lanewise::driver
