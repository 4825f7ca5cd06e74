#include "run/comparison.h"

#include "recorded/pipeline_sets.h"
#include "run/optimize_service.h"
#include "support/files.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>

namespace lanewise::driver {

namespace {

using Key =
    std::tuple<std::string, std::string, std::string, uint32_t, std::map<uint32_t, uint64_t>>;

Key keyOf(const PipelineTimes& p) {
  return {p.module, p.entry, p.name, p.subgroupSize, p.constants};
}

/// Nanoseconds of a dispatch. Of dispatches that all overlapped others their median is what there
/// is.
std::optional<double> timeOf(const PipelineTimes& p) {
  if (p.timed() > 0) return p.total() / double(p.timed());
  return p.median();
}

const PipelineTimes* find(const LayerRun& run, const Key& key) {
  for (const PipelineTimes& p : run.data.pipelines)
    if (keyOf(p) == key) return &p;
  return nullptr;
}

bool isAllOptimized(const PipelineTimes& p) {
  return p.created > 0 && p.optimized == p.created;
}

/// Of one pipeline; nothing where some run has no time of it.
std::optional<PipelineComparison> compareOne(const PipelineTimes& pipeline,
                                             std::span<const LayerRun> without,
                                             std::span<const LayerRun> with) {
  PipelineComparison one;
  one.pipeline = pipeline;
  one.isOptimized = true;
  std::vector<double> before, after;
  for (size_t n = 0; n < without.size(); ++n) {
    const PipelineTimes* own = find(without[n], keyOf(pipeline));
    const PipelineTimes* made = find(with[n], keyOf(pipeline));
    const std::optional<double> first = own ? timeOf(*own) : std::nullopt;
    const std::optional<double> second = made ? timeOf(*made) : std::nullopt;
    if (!first || !second || *first <= 0) return std::nullopt;
    one.isOptimized = one.isOptimized && isAllOptimized(*made);
    before.push_back(*first);
    after.push_back(*second);
    one.ratios.push_back(*second / *first);
  }
  one.without = spreadOf(before).median;
  one.with = spreadOf(after).median;
  one.ratio = medianInterval(one.ratios);
  return one;
}

/// What the intervals are when all kernels are looked at together.
void judgeTogether(Comparison& c) {
  c.kernels = uint64_t(std::ranges::count_if(c.pipelines, &PipelineComparison::isOptimized));
  c.roundsNeeded = roundsFor(c.kernels);
  for (PipelineComparison& one : c.pipelines)
    one.ratioOfAll = medianInterval(one.ratios, c.kernels);
}

} // namespace

uint64_t roundsFor(uint64_t kernels) {
  return leastForInterval(kernels);
}

uint64_t optimizedKernels(const LayerRun& run) {
  return uint64_t(std::ranges::count_if(run.data.pipelines, [](const PipelineTimes& p) {
    return p.dispatches() > 0 && isAllOptimized(p);
  }));
}

Comparison compareRuns(std::span<const LayerRun> without, std::span<const LayerRun> with) {
  Comparison c;
  c.rounds = without.size();
  std::vector<double> before, after, ratios;
  for (size_t n = 0; n < without.size(); ++n) {
    before.push_back(without[n].seconds);
    after.push_back(with[n].seconds);
    ratios.push_back(with[n].seconds / without[n].seconds);
  }
  c.secondsWithout = spreadOf(before).median;
  c.secondsWith = spreadOf(after).median;
  c.seconds = medianInterval(ratios);
  if (without.empty()) return c;
  c.isOnCpu = without[0].data.isOnCpu();
  const double all = without[0].data.total();
  for (const PipelineTimes& p : without[0].data.pipelines) {
    if (p.dispatches() == 0) continue;
    std::optional<PipelineComparison> one = compareOne(p, without, with);
    if (!one) {
      ++c.untimed;
      continue;
    }
    one->share = all > 0 ? p.total() / all : 0;
    c.pipelines.push_back(std::move(*one));
  }
  for (const PipelineTimes& p : with[0].data.pipelines) {
    c.created += p.created;
    c.optimized += p.optimized;
  }
  judgeTogether(c);
  std::stable_sort(c.pipelines.begin(), c.pipelines.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return c;
}

std::vector<std::string> appliedPasses(const PipelineTimes& pipeline,
                                       const std::vector<std::string>& passes,
                                       const std::string& folder) {
  Result<std::string> bytes = readRegularFile(fmt::format("{}/{}.spv", folder, pipeline.module));
  if (!bytes) return {};
  const Result<Module> module = Module::read(wordsOf(*bytes));
  if (!module) return {};
  PipelineSet set;
  set.assumptions.specConstants = pipeline.constants;
  Result<std::vector<uint32_t>> frozen = frozenFor(set, *module);
  if (!frozen) return {};
  const std::string in = folder + "/loser.in.spv", remarks = folder + "/loser.remarks.json";
  OutputFiles input;
  input.add(in, bytesOf(*frozen));
  if (Status s = input.commit(); !s) return {};
  std::vector<std::string> command{"lanewise",
                                   "opt",
                                   in,
                                   "-o",
                                   "/dev/null",
                                   "-q",
                                   "--format=json",
                                   "--remarks=applied",
                                   "--project=none",
                                   "--remarks-file=" + remarks};
  command.insert(command.end(), passes.begin(), passes.end());
  if (const Result<int> done = runOurselves(std::move(command)); !done || *done != 0) return {};
  const Result<std::string> told = readRegularFile(remarks);
  std::istringstream lines(told ? *told : std::string());
  std::vector<std::string> applied;
  for (std::string line; std::getline(lines, line);) {
    const auto remark = nlohmann::json::parse(line, nullptr, false);
    if (!remark.is_object() || remark.value("kind", "") != "applied") continue;
    const std::string pass = remark.value("pass", "");
    if (std::find(applied.begin(), applied.end(), pass) == applied.end()) applied.push_back(pass);
  }
  return applied;
}

} // namespace lanewise::driver
