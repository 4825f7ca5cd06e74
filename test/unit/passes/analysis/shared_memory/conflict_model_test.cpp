// The static model of bank conflicts against what the interpreter counts for `lanewise profile`:
// what a pattern that is no estimate costs is what every execution of the access costs on the
// average, and its degree is the highest that was met.
#include "analysis/module/source_lines.h"
#include "analysis/shared_memory/access_pattern.h"
#include "analysis/values/affine.h"
#include "canonical.h"
#include "conflict_kernels.h"
#include "input/workload.h"
#include "pipeline/pipeline.h"
#include "profiled.h"
#include "spirv/spirv_tools.h"
#include "targets/target_profiles.h"
#include "verify/profile/profile.h"
#include "verify/program/bind_program.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

namespace lanewise {
namespace {

using driver::AccessProfile;

/// A module in the form in which passes of Lanewise see it under -O.
std::vector<uint32_t> canonical(const std::vector<uint32_t>& module) {
  std::vector<std::string_view> flags;
  for (const driver::PipelineStep& step : driver::standardPipeline()) {
    if (!step.pass->isCanonical) break;
    flags.push_back(step.name());
  }
  return test::runPasses(module, flags);
}

std::string lineOf(const std::string& text, uint32_t line) {
  size_t from = 0;
  for (uint32_t n = 1; n < line; ++n) from = text.find('\n', from) + 1;
  return text.substr(from, text.find('\n', from) - from);
}

using Counts = std::map<InstRef, AccessProfile>;

/// Calls `visit(executed, static cost, counts, line)` for each access of Workgroup memory.
template <typename Visit>
void visitAccesses(const Module& module, const TargetProfile& target, std::array<uint32_t, 3> size,
                   const Assumptions& assumptions, const Counts& counts, Visit&& visit) {
  Analyses analyses(module, assumptions);
  Affine affine(analyses, size);
  const EntryPoint& entry = analyses.get<EntryPoints>().all().front();
  const std::vector<SharedVariable> variables = collectSharedVariables(analyses, target);
  const auto executed =
      AccessPattern::execute(analyses, affine, entry, pointersTo(variables), size, target);
  for (const SharedVariable& variable : variables)
    for (const SharedAccess& access : variable.accesses) {
      const ExecutedAccess& done = executed.at(&access);
      AccessCost cost;
      if (done.pattern)
        cost =
            done.pattern->cost(target, addressForm(variable, SharedLayout(variable), access.node));
      const auto at = counts.find(access.inst);
      visit(done, cost, at != counts.end() ? at->second : AccessProfile(),
            analyses.get<SourceLines>().at(module, access.inst).line);
    }
}

/// How many accesses were which.
struct Tally {
  uint32_t exact = 0;    ///< no estimate: compared
  uint32_t unknown = 0;  ///< no pattern
  uint32_t estimate = 0; ///< and of these, how many are off:
  uint32_t estimateOff = 0;
  uint32_t neverRuns = 0;
  uint32_t masked = 0, looped = 0, conflicting = 0; ///< of the exact ones
};

uint64_t subgroupsOf(std::array<uint32_t, 3> size, const TargetProfile& target) {
  return (uint64_t(size[0]) * size[1] * size[2] + target.subgroupSize - 1) / target.subgroupSize;
}

double cyclesOf(const AccessProfile& counted) {
  return counted.degree.count ? double(counted.cycles) / double(counted.degree.count) : 0;
}

void compareAccess(const ExecutedAccess& executed, uint64_t subgroups, const AccessCost& cost,
                   const AccessProfile& counted, const std::string& source, Tally& tally) {
  const std::optional<AccessPattern>& pattern = executed.pattern;
  if (!pattern) {
    ++tally.unknown;
    return;
  }
  // Workgroups run alike where nothing is an estimate.
  const double executions = executed.weight * double(subgroups);
  if (executed.weight == 0) { // of the workgroups that were looked at
    ++tally.neverRuns;
    return;
  }
  const bool isEqual =
      cost.degree == counted.degree.most && std::abs(cost.cycles - cyclesOf(counted)) < 1e-9 &&
      std::abs(executions - double(counted.degree.count)) < 1e-6 * (1 + executions);
  if (pattern->isEstimate()) {
    ++tally.estimate;
    tally.estimateOff += !isEqual;
    return;
  }
  ++tally.exact;
  tally.conflicting += counted.degree.most > 1;
  tally.masked += source.find("if (") != std::string::npos;
  tally.looped += source.find("for (") != std::string::npos;
  EXPECT_TRUE(isEqual) << source << "\nmodel: degree " << cost.degree << ", " << cost.cycles
                       << " cycles, " << executions
                       << " executions; counted: " << counted.degree.most << ", "
                       << cyclesOf(counted) << ", " << counted.degree.count;
}

TEST(ConflictModel, RandomPatternsCostWhatTheInterpreterCounts) {
  Tally tally;
  const char* targets[] = {"generic", "nvidia", "amd-gcn", "intel-xe", "lavapipe", "mali"};
  for (uint32_t seed = 0; seed < 20; ++seed) {
    test::ConflictKernel kernel(seed, 60);
    Result<TargetProfile> target = driver::loadTarget(targets[seed % std::size(targets)]);
    ASSERT_TRUE(target);
    const std::string text = kernel.text();
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, target->name));
    test::Profiled run(canonical(test::compileGlsl(text)), *target);
    if (HasFailure()) return;
    std::vector<uint8_t> data(4096);
    for (size_t n = 0; n < data.size(); ++n) data[n] = uint8_t(n * 37 >> 3);
    run.dispatch({std::move(data)}, {1, 1, 1}, {5});
    Counts counts;
    for (const auto& [site, found] : run.counts)
      counts[run.program->sites[site].inst] = found.loads.lanes.count ? found.loads : found.stores;
    visitAccesses(run.program->module(), *target, kernel.size(), {}, counts,
                  [&](const ExecutedAccess& executed, const AccessCost& cost,
                      const AccessProfile& counted, uint32_t line) {
                    compareAccess(executed, subgroupsOf(kernel.size(), *target), cost, counted,
                                  lineOf(text, line), tally);
                  });
  }
  // What this has compared: enough of each kind, and nearly all that there is.
  EXPECT_GE(tally.exact, 1000u);
  EXPECT_GE(tally.conflicting, 500u);
  EXPECT_GE(tally.masked, 300u);
  EXPECT_GE(tally.looped, 400u);
  EXPECT_LE(tally.unknown, tally.exact / 20);  // indices from data
  EXPECT_LE(tally.estimate, tally.exact / 20); // a push constant, a loop too long
  EXPECT_LE(tally.estimateOff, tally.estimate / 3);
}

/// Runs the scenario's own dispatches, or those of a variant, with canonical modules.
void compareScenario(const driver::ScenarioShaders& shaders, const driver::ScenarioVariant* variant,
                     const TargetProfile& target, Tally& tally) {
  const driver::Scenario& scenario = shaders.scenario();
  driver::ProgramVariant modules;
  if (variant) modules.dispatches = variant->dispatches;
  for (const driver::ScenarioDispatch& dispatch :
       variant ? variant->dispatches : scenario.dispatches) {
    const driver::ScenarioShader& shader = *scenario.findShader(dispatch.shader);
    Result<driver::LoadedModule> module = shaders.load(shader);
    ASSERT_TRUE(module) << module.error().str();
    modules.modules[shader.name] = canonical(module->words());
  }
  std::vector<std::string> notes;
  Result<driver::Program> program = driver::bindProgram(scenario, modules, notes);
  ASSERT_TRUE(program) << program.error().str();
  driver::ProfileOptions options;
  options.target = target;
  Result<driver::Profile> profile = driver::profileProgram(scenario, *program, options);
  ASSERT_TRUE(profile) << profile.error().str();
  ASSERT_EQ(profile->incomplete, "");
  for (const driver::ShaderProfile& shader : profile->shaders) {
    Result<Module> module = Module::read(modules.modules.at(shader.name));
    ASSERT_TRUE(module);
    Counts counts;
    for (const AccessProfile& access : profile->workgroup)
      if (access.place.shader == shader.name) counts[access.place.inst] = access;
    visitAccesses(*module, target, shader.workgroupSize,
                  {scenario.findShader(shader.name)->specConstants, {}, {}}, counts,
                  [&](const ExecutedAccess& executed, const AccessCost& cost,
                      const AccessProfile& counted, uint32_t line) {
                    compareAccess(
                        executed, shader.workgroups * subgroupsOf(shader.workgroupSize, target),
                        cost, counted, fmt::format("{} line {}", shader.name, line), tally);
                  });
  }
}

TEST(ConflictModel, SamplesCostWhatTheInterpreterCounts) {
  Tally tally;
  const std::filesystem::path samples = std::filesystem::path(LANEWISE_SOURCE_DIR) / "samples";
  for (const auto& sample : std::filesystem::directory_iterator(samples)) {
    const std::string path = sample.path() / "scenario.toml";
    if (!std::filesystem::exists(path)) continue;
    SCOPED_TRACE(path);
    Result<driver::ScenarioShaders> shaders =
        driver::ScenarioShaders::read({path, "small", {}}, {});
    ASSERT_TRUE(shaders) << shaders.error().str() << " (samples have [sizes.small] for tests)";
    for (const char* name : {"generic", "lavapipe", "amd-gcn"}) {
      Result<TargetProfile> target = driver::loadTarget(name);
      ASSERT_TRUE(target);
      compareScenario(*shaders, nullptr, *target, tally);
      for (const driver::ScenarioVariant& variant : shaders->scenario().variants)
        compareScenario(*shaders, &variant, *target, tally);
    }
  }
  EXPECT_GE(tally.exact, 12u); // two accesses in each of two shaders of one sample, three targets
  EXPECT_GE(tally.conflicting, 3u);
}

} // namespace
} // namespace lanewise
