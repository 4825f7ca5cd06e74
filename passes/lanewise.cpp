#include "lanewise/lanewise.h"

#include "pass_runner.h"
#include "text/format_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace lanewise {

namespace {

/// The only pass that changes what the host sees.
constexpr std::string_view kLayoutPass = "aos-to-soa";
/// Its value for `--narrow-fields` alone.
constexpr std::string_view kNarrowOnly = "keep";

Error wrongOption(std::string message) {
  return {std::move(message), {}, 0, {}};
}

Status checkTarget(const TargetProfile& t) {
  for (const TargetFigure& f : targetFigures()) {
    const double value = f.get(t), most = f.isLanesOfPhase() ? t.subgroupSize : f.most;
    if (!(value >= f.least && value <= most)) // NaN, too
      return wrongOption(formatText("target: {} is {}; it must be between {} and {}", f.name, value,
                                    f.least, most));
  }
  return ok();
}

Status checkAssumptions(const Assumptions& assumptions) {
  if (!assumptions.workgroupSize) return ok();
  for (uint32_t size : *assumptions.workgroupSize)
    if (size < 1 || size > kMaxWorkgroupSize)
      return wrongOption(
          formatText("assumptions: {} in the workgroup size; it must be between 1 and {}", size,
                     kMaxWorkgroupSize));
  return ok();
}

Status checkNarrowing(std::span<const NarrowRequest> requests) {
  for (const NarrowRequest& r : requests) {
    if (r.bits < 1 || r.bits > 31)
      return wrongOption(
          formatText("narrow: {}.{} has {} bits; it must be 1 to 31", r.buffer, r.field, r.bits));
    if (std::count_if(requests.begin(), requests.end(), [&](const NarrowRequest& other) {
          return other.buffer == r.buffer && other.field == r.field;
        }) > 1)
      return wrongOption(formatText("narrow: {}.{} is given twice", r.buffer, r.field));
  }
  return ok();
}

Result<const PassInfo*> passNamed(const std::string& name) {
  const PassInfo* pass = findPass(name);
  if (!pass) {
    std::string known;
    for (const PassInfo& p : allPasses()) {
      if (!known.empty()) known += ", ";
      known += p.flag;
    }
    return wrongOption(formatText("unknown pass '{}'; known passes: {}", name, known));
  }
  return pass;
}

Result<PassStep> stepOf(const PassRequest& request) {
  const Result<const PassInfo*> found = passNamed(request.name);
  if (!found) return found.error();
  const PassInfo* pass = *found;
  PassStep step{pass, std::string(pass->defaultValue())};
  for (const std::string& name : request.onlyAfter) {
    const Result<const PassInfo*> behind = passNamed(name);
    if (!behind) return behind.error();
    step.onlyAfter.push_back(*behind);
  }
  if (request.value.empty()) return step;
  if (!pass->acceptsValue(request.value))
    return wrongOption(pass->values.empty() ? formatText("{} takes no value", pass->flag)
                                            : formatText("{} does not accept '{}'; it takes {}",
                                                         pass->flag, request.value, pass->values));
  step.mode = request.value;
  return step;
}

Result<std::vector<PassStep>> stepsOf(const OptimizeOptions& options) {
  std::vector<PassStep> steps;
  uint32_t layoutSteps = 0;
  for (const PassRequest& request : options.passes) {
    Result<PassStep> step = stepOf(request);
    if (!step) return step.error();
    layoutSteps += step->pass->flag == kLayoutPass ? 1 : 0;
    steps.push_back(std::move(*step));
  }
  if (layoutSteps > 1) return wrongOption(formatText("{} may be given only once", kLayoutPass));
  if (!options.narrow.empty() && layoutSteps == 0)
    steps.push_back({findPass(kLayoutPass), std::string(kNarrowOnly)});
  return steps;
}

} // namespace

std::string_view version() {
  return LANEWISE_VERSION;
}

std::vector<PassDescription> listPasses() {
  std::vector<PassDescription> all;
  for (const PassInfo& p : allPasses())
    all.push_back({p.flag, p.values, p.summary, p.flag == kLayoutPass});
  return all;
}

std::vector<PassRequest> standardPasses() {
  std::vector<PassRequest> requests;
  for (const PassStep& step : standardSteps()) {
    requests.push_back({std::string(step.pass->flag), step.mode, {}});
    for (const PassInfo* pass : step.onlyAfter) requests.back().onlyAfter.emplace_back(pass->flag);
  }
  return requests;
}

Result<Optimized> optimize(std::span<const uint32_t> words, const OptimizeOptions& options) {
  if (Status s = checkTarget(options.target); !s) return s.error();
  if (Status s = checkAssumptions(options.assumptions); !s) return s.error();
  if (Status s = checkNarrowing(options.narrow); !s) return s.error();
  Result<std::vector<PassStep>> steps = stepsOf(options);
  if (!steps) return steps.error();
  Result<Module> module = Module::read(std::vector<uint32_t>(words.begin(), words.end()));
  if (!module) return module.error();
  Optimized result;
  if (!steps->empty())
    if (auto remark = whyUntouchable(*module, steps->front().pass->flag)) {
      result.remarks.push_back(std::move(*remark));
      steps->clear();
    }
  PassRunner runner(std::move(*module),
                    {options.target, options.assumptions, options.isRobust, options.narrow});
  for (const PassStep& step : *steps) {
    Result<PassRunner::Outcome> outcome = runner.run(step, [&](std::string_view site) {
      return !options.maySite || options.maySite(step.pass->flag, site);
    });
    if (!outcome) return outcome.error();
    result.changed = result.changed || outcome->changed;
    std::ranges::move(outcome->remarks, std::back_inserter(result.remarks));
    if (!outcome->layouts.buffers.empty()) result.layouts = std::move(outcome->layouts);
  }
  const std::span<const uint32_t> after = runner.module().words();
  result.words.assign(after.begin(), after.end());
  return result;
}

} // namespace lanewise
