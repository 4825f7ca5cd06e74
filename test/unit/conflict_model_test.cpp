// The static model of bank conflicts against what the interpreter counts for `lanewise profile`: what
// a pattern that is no estimate costs is what every execution of the access costs on the average,
// and its degree is the highest that was met.
#include "analysis/access_pattern.h"
#include "analysis/affine.h"
#include "analysis/source_lines.h"
#include "conflict_kernels.h"
#include "interpreted.h"
#include "pipeline.h"
#include "spirv_tools.h"
#include "target_profiles.h"
#include "verify/profile_observer.h"

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

/// A module, what its accesses cost by count, and what the model makes of them.
class ConflictSubject {
public:
  ConflictSubject(std::vector<uint32_t> words, const TargetProfile& target,
                  std::array<uint32_t, 3> size)
      : target_(target), size_(size) {
    Result<std::shared_ptr<const test::interp::Program>> lowered =
        test::interp::Program::lower(std::move(words), {"", {}, target.vec3Stride});
    if (!lowered)
      ADD_FAILURE() << lowered.error().message;
    else
      program_ = std::move(*lowered);
  }

  /// Counts one dispatch; binding n of set 0 is buffer n.
  void count(std::vector<std::vector<uint8_t>> buffers, std::array<uint32_t, 3> groups,
             std::vector<uint32_t> pushConstants) {
    std::vector<test::interp::BufferMemory> memory;
    std::vector<test::interp::BufferBinding> bindings;
    for (uint32_t b = 0; b < buffers.size(); ++b) {
      memory.push_back({buffers[b], "buffer", {}});
      bindings.push_back({0, b, 0, b});
    }
    driver::ProfileObserver observer(*program_, target_, std::vector<bool>(buffers.size(), true),
                                     counts_);
    test::interp::MachineOptions options;
    options.subgroupSize = target_.subgroupSize;
    options.observer = &observer;
    auto push = reinterpret_cast<const uint8_t*>(pushConstants.data());
    auto done = test::interp::dispatch(
        {program_.get(), groups, bindings, {push, pushConstants.size() * 4}}, memory, options);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_TRUE(done->ended);
  }

  /// Calls `visit(pattern, static cost, counts, line)` for each access of Workgroup memory.
  template <typename Visit> void compare(Visit&& visit) {
    const Module& module = program_->module();
    std::map<InstRef, const SiteCounts*> byInst;
    for (const auto& [site, found] : counts_) byInst[program_->sites[site].inst] = &found;
    Assumptions assumptions;
    Analyses analyses(module, assumptions);
    Affine affine(analyses, size_);
    for (const SharedVariable& variable : collectSharedVariables(analyses, target_))
      for (const SharedAccess& access : variable.accesses) {
        const auto pattern =
            AccessPattern::build(analyses, affine, variable, access, size_, target_);
        AccessCost cost;
        if (pattern)
          cost = pattern->cost(target_,
                               addressForm(variable, SharedLayout(variable), access.node));
        AccessProfile counted;
        if (const auto at = byInst.find(access.inst); at != byInst.end())
          counted = at->second->loads.lanes.count ? at->second->loads : at->second->stores;
        visit(pattern, cost, counted, analyses.sourceLines().at(module, access.inst).line);
      }
  }

private:
  const TargetProfile& target_;
  std::array<uint32_t, 3> size_;
  std::shared_ptr<const test::interp::Program> program_;
  std::map<uint32_t, SiteCounts> counts_;
};

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
  const bool isEqual = cost.degree == counted.degree.most &&
                       std::abs(cost.cycles - cyclesOf(counted)) < 1e-9;
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
  for (uint32_t seed = 0; seed < 60; ++seed) {
    test::ConflictKernel kernel(seed, 40);
    Result<TargetProfile> target = driver::loadTarget(targets[seed % std::size(targets)]);
    ASSERT_TRUE(target);
    const std::string text = kernel.text();
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, target->name));
    ConflictSubject subject(canonical(text), *target, kernel.size());
    if (HasFailure()) return;
    std::vector<uint8_t> data(4096);
    for (size_t n = 0; n < data.size(); ++n) data[n] = uint8_t(n * 37 >> 3);
    subject.count({std::move(data)}, {1, 1, 1}, {5});
    subject.compare([&](const auto& pattern, const AccessCost& cost, const AccessProfile& counted,
                        uint32_t line) {
      compareAccess(pattern, cost, counted, lineOf(text, line), tally);
    });
  }
  fmt::print("exact {} unknown {} estimate {} off {} neverRuns {} masked {} looped {} conflicting {}\n", tally.exact, tally.unknown, tally.estimate,
             tally.estimateOff, tally.neverRuns, tally.masked, tally.looped, tally.conflicting);
}

} // namespace
} // namespace lanewise
