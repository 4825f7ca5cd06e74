// The static model of bank conflicts against what the interpreter counts for `lanewise profile`:
// what a pattern that is no estimate costs is what every execution of the access costs on the
// average, and its degree is the highest that was met.
#include "analysis/access_pattern.h"
#include "analysis/affine.h"
#include "analysis/source_lines.h"
#include "conflict_kernels.h"
#include "pipeline.h"
#include "profiled.h"
#include "spirv_tools.h"
#include "target_profiles.h"

#include <cmath>
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

std::string lineOf(const std::string& text, uint32_t line) {
  size_t from = 0;
  for (uint32_t n = 1; n < line; ++n) from = text.find('\n', from) + 1;
  return text.substr(from, text.find('\n', from) - from);
}

/// Calls `visit(pattern, static cost, counts, line)` for each access of Workgroup memory.
template <typename Visit>
void visitAccesses(const test::Profiled& run, std::array<uint32_t, 3> size, Visit&& visit) {
  const Module& module = run.program->module();
  std::map<InstRef, const SiteCounts*> byInst;
  for (const auto& [site, found] : run.counts) byInst[run.program->sites[site].inst] = &found;
  Assumptions assumptions;
  Analyses analyses(module, assumptions);
  Affine affine(analyses, size);
  for (const SharedVariable& variable : collectSharedVariables(analyses, run.target))
    for (const SharedAccess& access : variable.accesses) {
      const auto pattern =
          AccessPattern::build(analyses, affine, variable, access, size, run.target);
      AccessCost cost;
      if (pattern)
        cost =
            pattern->cost(run.target, addressForm(variable, SharedLayout(variable), access.node));
      AccessProfile counted;
      if (const auto at = byInst.find(access.inst); at != byInst.end())
        counted = at->second->loads.lanes.count ? at->second->loads : at->second->stores;
      visit(pattern, cost, counted, analyses.sourceLines().at(module, access.inst).line);
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

double cyclesOf(const AccessProfile& counted) {
  return counted.degree.count ? double(counted.cycles) / double(counted.degree.count) : 0;
}

void compareAccess(const std::optional<AccessPattern>& pattern, const AccessCost& cost,
                   const AccessProfile& counted, const std::string& source, Tally& tally) {
  if (!pattern) {
    ++tally.unknown;
    return;
  }
  const bool isEqual =
      cost.degree == counted.degree.most && std::abs(cost.cycles - cyclesOf(counted)) < 1e-9;
  if (pattern->isEstimate()) {
    ++tally.estimate;
    tally.estimateOff += !isEqual;
    return;
  }
  ++tally.exact;
  tally.neverRuns += counted.degree.count == 0;
  tally.conflicting += counted.degree.most > 1;
  tally.masked += source.find("if (") != std::string::npos;
  tally.looped += source.find("for (") != std::string::npos;
  EXPECT_TRUE(isEqual) << source << "\nmodel: degree " << cost.degree << ", " << cost.cycles
                       << " cycles; counted: " << counted.degree.most << ", " << cyclesOf(counted);
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
    test::Profiled run(canonical(text), *target);
    if (HasFailure()) return;
    std::vector<uint8_t> data(4096);
    for (size_t n = 0; n < data.size(); ++n) data[n] = uint8_t(n * 37 >> 3);
    run.dispatch({std::move(data)}, {1, 1, 1}, {5});
    visitAccesses(
        run, kernel.size(),
        [&](const auto& pattern, const AccessCost& cost, const AccessProfile& counted,
            uint32_t line) { compareAccess(pattern, cost, counted, lineOf(text, line), tally); });
  }
  // What this has compared: enough of each kind, and nearly all that there is.
  EXPECT_GE(tally.exact - tally.neverRuns, 1000u);
  EXPECT_GE(tally.conflicting, 500u);
  EXPECT_GE(tally.masked, 400u);
  EXPECT_GE(tally.looped, 400u);
  EXPECT_LE(tally.unknown, tally.exact / 20); // indices from data
  EXPECT_LE(tally.estimate, tally.exact / 4); // a push constant, two loops, a loop too long
  EXPECT_LE(tally.estimateOff, tally.estimate / 5);
}

} // namespace
} // namespace lanewise
