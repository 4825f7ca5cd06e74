#include "pipeline/recorded_costs.h"

#include "analysis/branches/operation_cost.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "analysis/shared_memory/conflict_cycles.h"
#include "pass_runner.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <vector>

namespace lanewise::driver {

namespace {

/// Of all functions: what no entry point reaches is gone by then.
double instructionCycles(Analyses& analyses, const TargetProfile& target) {
  const Module& module = analyses.module();
  const Loops& loops = analyses.get<Loops>();
  double sum = 0;
  for (InstRef i : module.insts()) {
    const BlockRef block = module.blockOf(i);
    if (!block) continue;
    const Loop* loop = loops.innermost(block);
    sum +=
        operationCost(analyses, target, i) * std::pow(kCompilersTripCount, loop ? loop->depth : 0);
  }
  return sum * target.arithmeticCost;
}

/// Those of a trial: nobody hears of it, and nothing runs.
PipelineOptions quiet(PipelineOptions options) {
  options.judge = {};
  options.whyDearer = {};
  options.log = nullptr;
  options.printAll = false;
  options.printBefore.clear();
  options.printAfter.clear();
  options.bisectLimit = -1;
  options.hasTimeReport = false;
  options.strict = false;
  return options;
}

/// Cycles of all workgroups of all sets.
double costOver(std::span<const PipelineSet> sets, const Words& words,
                const PipelineOptions& options) {
  double sum = 0;
  for (const PipelineSet& set : sets) {
    PipelineOptions with = options;
    countWith(set, with);
    const Result<Module> module = canonicalForModels(words, with.target, with.assumptions);
    if (!module) continue;
    const auto& size = set.assumptions.workgroupSize;
    sum += estimatedCycles(*module, set.entry, with.assumptions, with.target) * set.workgroups *
           (size ? subgroupsOf(*size, with.target) : 1);
  }
  return sum;
}

} // namespace

Result<Module> canonicalForModels(std::span<const uint32_t> words, const TargetProfile& target,
                                  const Assumptions& assumptions) {
  Result<Module> module = Module::read({words.begin(), words.end()});
  if (!module) return module;
  return canonicalForm(std::move(*module), {target, assumptions}, "profitable");
}

double estimatedCycles(const Module& module, const std::string& entry,
                       const Assumptions& assumptions, const TargetProfile& target) {
  Analyses analyses(module, assumptions);
  double conflicts = 0;
  for (const EntryPoint& point : analyses.get<EntryPoints>().all())
    if (point.function && (entry.empty() || point.name(module) == entry))
      conflicts += conflictCycles(analyses, point, target);
  return conflicts + instructionCycles(analyses, target);
}

double subgroupsOf(const std::array<uint32_t, 3>& workgroupSize, const TargetProfile& target) {
  const auto [x, y, z] = workgroupSize;
  return std::ceil(double(x) * y * z / target.subgroupSize);
}

void countWith(const PipelineSet& set, PipelineOptions& options) {
  options.assumptions = set.assumptions;
  options.target.setSubgroupSize(set.subgroupSize);
}

size_t cheapestSet(const Module& input, std::span<const PipelineStep> steps,
                   const PipelineOptions& options, std::span<const PipelineSet> sets) {
  if (sets.size() < 2) return 0;
  const std::span<const PipelineSet> heaviest = sets.first(std::min(sets.size(), kMostSets));
  const PipelineOptions trial = quiet(options);
  std::vector<std::pair<Words, size_t>> made; // and the first set that makes it
  for (size_t n = 0; n < heaviest.size(); ++n) {
    PipelineOptions with = trial;
    countWith(heaviest[n], with);
    Result<PipelineOutcome> outcome = runPipeline(input, steps, with);
    if (!outcome) continue; // the run that counts says why
    const bool isKnown = std::any_of(made.begin(), made.end(),
                                     [&](const auto& m) { return m.first == outcome->words; });
    if (!isKnown) made.emplace_back(std::move(outcome->words), n);
  }
  if (made.size() < 2) return 0;
  size_t best = 0;
  double least = costOver(heaviest, made[0].first, trial);
  for (size_t n = 1; n < made.size(); ++n)
    if (const double cost = costOver(heaviest, made[n].first, trial); cost < least) {
      least = cost;
      best = n;
    }
  return made[best].second;
}

Remark recordedRemark(std::span<const PipelineSet> sets, size_t chosen, const std::string& file) {
  Remark r;
  r.pass = "pipelines";
  if (sets.empty()) {
    r.name = "no-recorded-pipeline";
    r.message = fmt::format("{} has no pipeline of this module", file);
    return r;
  }
  const PipelineSet& set = sets[chosen];
  const double all = std::accumulate(sets.begin(), sets.end(), 0.0,
                                     [](double sum, const auto& s) { return sum + s.workgroups; });
  r.name = "recorded-pipelines";
  r.message =
      sets.size() == 1
          ? fmt::format("costs are those of the recorded pipeline ({})", set.describe())
          : fmt::format("costs are those of {} recorded pipelines by their workgroups; the passes "
                        "count with {} ({:.0f}% of them)",
                        sets.size(), set.describe(), all > 0 ? 100 * set.workgroups / all : 0);
  r.args = {{"sets", std::to_string(sets.size())}, {"constants", set.describe()}};
  return r;
}

} // namespace lanewise::driver
