#include "compilers/cost_gate.h"

#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "analysis/shared_memory/conflict_cycles.h"
#include "compilers/pipeline_requests.h"
#include "pipeline/recorded_costs.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

/// Of the entry point with the workgroup size and the subgroups that it is compiled for.
double conflictsOf(const Module& module, const StageRequest& request, Assumptions assumptions,
                   TargetProfile target, uint32_t lanes) {
  assumptions.workgroupSize = request.workgroupSize;
  target.setSubgroupSize(lanes);
  Analyses analyses(module, assumptions);
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all())
    if (entry.function && entry.name(module) == request.entry)
      return conflictCycles(analyses, entry, target);
  return 0;
}

std::string textOf(const EntryCost& cost, const EntryCost& other) {
  const std::string subgroups = cost.subgroups == other.subgroups
                                    ? ""
                                    : fmt::format(" times {:.0f} subgroups", cost.subgroups);
  return fmt::format("{:.0f}{} (inverse throughput {:.0f}, latency {:.0f}, occupancy {:.0f}, bank "
                     "conflicts {:.0f})",
                     cost.total(), subgroups, cost.throughput, cost.latency, cost.occupancy,
                     cost.conflicts);
}

/// RADV's inverse throughput is that of 64 invocations whatever a subgroup has, and its occupancy
/// counts a subgroup of 64 as two.
constexpr double kCounted = 64;

/// Of a workgroup. What a subgroup lacks of being full, RADV counts in its inverse throughput.
double compiledSubgroupsOf(const std::array<uint32_t, 3>& size, uint32_t lanes,
                           const TargetProfile& target) {
  if (lanes == 0) return subgroupsOf(size, target);
  return double(size[0]) * size[1] * size[2] / lanes;
}

} // namespace

double EntryCost::total() const {
  return std::max(throughput + conflicts, (latency + conflicts) / std::max(occupancy, 1.0));
}

std::vector<EntryCost> entryCosts(CompilerSet& compilers, const Words& words,
                                  const Assumptions& assumptions, const std::string& entry,
                                  TargetProfile target, uint32_t subgroupSize) {
  std::vector<EntryCost> costs;
  Result<std::vector<StageRequest>> requests = requestsFor(words, assumptions, entry);
  target.setSubgroupSize(subgroupSize);
  const Result<Module> module = canonicalForModels(words, target, assumptions);
  if (!requests || !module) return costs;
  for (StageRequest& request : *requests)
    if (request.workgroupSize) request.pipeline.subgroupSize = subgroupSize;
  std::map<std::pair<std::string, uint32_t>, double> conflicts; // by entry point and lanes
  for (const CompilerRow& row : compilers.compile(*requests)) {
    const auto throughput = row.figures[Figure::InverseThroughput];
    const auto latency = row.figures[Figure::Latency];
    if (!throughput || !latency) continue;
    const uint32_t lanes = row.figures.subgroupSize;
    const double share = lanes != 0 ? lanes / kCounted : 1;
    const auto [waits, isNew] = conflicts.try_emplace({row.entry, lanes});
    const auto stage = std::ranges::find_if(*requests, [&](const StageRequest& request) {
      return request.workgroupSize && request.entry == row.entry;
    });
    if (isNew && stage != requests->end())
      waits->second = conflictsOf(*module, *stage, assumptions, target, lanes);
    costs.push_back({row.compiler, row.entry, *throughput * share, *latency * share,
                     row.figures[Figure::Occupancy].value_or(1), waits->second,
                     row.workgroupSize ? compiledSubgroupsOf(*row.workgroupSize, lanes, target) : 1,
                     row.figures[Figure::VectorRegisters].value_or(0)});
  }
  return costs;
}

const CostGate::Costs& CostGate::costsOf(const Words& words, const Assumptions& assumptions) {
  constexpr size_t kRemembered = 4;
  if (const auto known = known_.find(words); known != known_.end()) return known->second;
  if (known_.size() >= kRemembered) known_.clear();
  return known_[words] = entryCosts(*compilers_, words, assumptions, entry_, target_);
}

std::optional<std::string> CostGate::operator()(const Words& before, const Words& after,
                                                const Assumptions& assumptions) {
  const Costs was = costsOf(before, assumptions); // a copy: the next call may forget it
  const Costs& is = costsOf(after, assumptions);
  for (const EntryCost& old : was) {
    const auto now = std::ranges::find_if(
        is, [&](const EntryCost& c) { return c.compiler == old.compiler && c.entry == old.entry; });
    if (now == is.end()) return fmt::format("{} cannot compile it any more", old.compiler);
    if (now->ofWorkgroup() > old.ofWorkgroup() * kNoCostDifference)
      return fmt::format("dearer for {}: {} -> {}", old.compiler, textOf(old, *now),
                         textOf(*now, old));
  }
  return std::nullopt;
}

} // namespace lanewise::driver
