// The static model of bank conflicts against what the interpreter counts.
#include "analysis/access_pattern.h"
#include "analysis/affine.h"
#include "conflict_kernels.h"
#include "interpreted.h"
#include "pipeline.h"
#include "spirv_tools.h"
#include "target_profiles.h"
#include "verify/profile_observer.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

using driver::AccessProfile;
using driver::SiteCounts;

/// GLSL in the form in which passes of Lanewise see it under -O.
std::vector<uint32_t> canonical(const std::string& glsl) {
  std::vector<std::string> flags;
  for (const driver::PipelineStep& step : driver::standardPipeline()) {
    if (step.pass) break;
    flags.push_back(step.flag);
  }
  Result<driver::Words> words = driver::runSpirvOpt(test::compileGlsl(glsl), flags, {});
  if (!words) ADD_FAILURE() << words.error().str();
  return words ? *words : std::vector<uint32_t>();
}

struct Comparison {
  uint32_t compared = 0, unknown = 0, different = 0;
};

void compareSites(const std::string& glsl, std::array<uint32_t, 3> size,
                  const TargetProfile& target, Comparison& total) {
  test::Interpreted run;
  run.buffers = {std::vector<uint32_t>(4096)};
  std::vector<uint32_t> words = canonical(glsl);
  Result<std::shared_ptr<const test::interp::Program>> lowered =
      test::interp::Program::lower(words, {});
  ASSERT_TRUE(lowered) << lowered.error().message;
  std::map<uint32_t, SiteCounts> counts;
  driver::ProfileObserver observer(**lowered, target, {true}, counts);
  run.options.subgroupSize = target.subgroupSize;
  run.options.observer = &observer;
  ASSERT_TRUE(run.run(words));

  std::map<InstRef, const SiteCounts*> byInst;
  for (const auto& [site, found] : counts) byInst[(*lowered)->sites[site].inst] = &found;
  const Module& module = (*lowered)->module();
  Assumptions assumptions;
  Analyses analyses(module, assumptions);
  Affine affine(analyses, size);
  for (const SharedVariable& variable : collectSharedVariables(analyses, target))
    for (const SharedAccess& access : variable.accesses) {
      const auto pattern =
          AccessPattern::build(analyses, affine, variable, access, size, target);
      if (!pattern) {
        ++total.unknown;
        continue;
      }
      const AccessCost cost =
          pattern->cost(target, addressForm(variable, SharedLayout(variable), access.node));
      const auto at = byInst.find(access.inst);
      AccessProfile counted;
      if (at != byInst.end())
        counted = at->second->loads.lanes.count ? at->second->loads : at->second->stores;
      ++total.compared;
      double cycles = counted.degree.count ? double(counted.cycles) / double(counted.degree.count) : 0;
      if (cost.degree == counted.degree.most && std::abs(cost.cycles - cycles) < 1e-9) continue;
      ++total.different;
      const auto line = analyses.sourceLines().at(module, access.inst).line;
      size_t from = 0;
      for (uint32_t n = 1; n < line; ++n) from = glsl.find('\n', from) + 1;
      fmt::print("{}: static {} {:.3f} counted {} {:.3f} : {}\n", target.name, cost.degree, cost.cycles,
                 counted.degree.most, cycles, glsl.substr(from, glsl.find('\n', from) - from));
    }
}

TEST(ConflictModel, RandomPatternsCostWhatTheInterpreterCounts) {
  Comparison total;
  const char* targets[] = {"generic", "nvidia", "amd-gcn", "intel-xe", "lavapipe"};
  for (uint32_t seed = 0; seed < 40; ++seed) {
    test::ConflictKernel kernel(seed, 30);
    Result<TargetProfile> target = driver::loadTarget(targets[seed % 5]);
    ASSERT_TRUE(target);
    SCOPED_TRACE(kernel.text());
    compareSites(kernel.text(), kernel.size(), *target, total);
    if (HasFatalFailure()) return;
  }
  fmt::print("{} compared {} unknown {} different\n", total.compared, total.unknown, total.different);
}

} // namespace
} // namespace lanewise
