// `--keep-if=cheaper`: what drivers' compilers and the banks of shared memory make of a rewrite,
// added up by one formula (docs/stats.md).
#pragma once

#include "compilers/compiler_set.h"
#include "lanewise/assumptions.h"
#include "lanewise/target_profile.h"
#include "pipeline/optimize_options.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

/// What one compiler and our model say of an entry point.
struct EntryCost {
  std::string compiler, entry;
  double throughput = 0; ///< T, cycles: Figure::InverseThroughput
  double latency = 0;    ///< L, cycles: Figure::Latency
  double occupancy = 1;  ///< W: Figure::Occupancy
  double conflicts = 0;  ///< X, cycles: conflictCycles()
  double subgroups = 1;  ///< of a workgroup
  double registers = 0;  ///< Figure::VectorRegisters

  /// The time that a subgroup takes of a SIMD: max(T + X, (L + X) / W), in cycles. It is busy for
  /// T + X; with W of them at once each waits L + X.
  double total() const;
  /// That of a workgroup, which is what a dispatch has as many of before and after.
  double ofWorkgroup() const { return total() * subgroups; }
};

/// Of the entry points of a module, or of the one named `entry`, by compiler; none of those whose
/// compilers do not tell. `subgroupSize` is what the pipelines require, 0: nothing.
std::vector<EntryCost> entryCosts(CompilerSet& compilers, const Words& words,
                                  const Assumptions& assumptions, const std::string& entry,
                                  TargetProfile target, uint32_t subgroupSize = 0);

/// Putting the same instructions in another order changes a cost by as much.
inline constexpr double kNoCostDifference = 1.01;

/// A CostQuestion (pipeline/pipeline.h) that asks the compilers. Modules that were asked for are
/// remembered, since one rewrite's result is the next one's input.
class CostGate {
public:
  /// Of the entry points and for the target of `options`. `compilers` must outlive it.
  CostGate(CompilerSet& compilers, const OptOptions& options)
      : compilers_(&compilers), target_(options.pipeline.target), entry_(options.load.entry) {}

  /// Why `after` is not to be kept: some compiler finds an entry point dearer, or cannot compile it
  /// any more. Nothing where none does, or none can tell.
  std::optional<std::string> operator()(const Words& before, const Words& after,
                                        const Assumptions& assumptions);

private:
  using Costs = std::vector<EntryCost>;
  const Costs& costsOf(const Words& words, const Assumptions& assumptions);

  CompilerSet* compilers_;
  TargetProfile target_;
  std::string entry_;
  std::map<Words, Costs> known_; ///< the last few
};

} // namespace lanewise::driver
