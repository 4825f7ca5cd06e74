#include "coarsening/coarsening_gain.h"

#include "analysis/branches/operation_cost.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"

#include <algorithm>

namespace lanewise {
namespace {

struct Options {
  /// Merged invocations at most, and subgroups that a workgroup keeps at least.
  uint32_t maxCopies = 16, leastSubgroups = 2;
  /// What must be gained at least: the model sees neither latencies nor caches.
  double leastGain = 1.25;
  /// Part of a target's registers that the copies' values may take; the rest is addresses and what
  /// is computed in between.
  double registerShare = 0.75;
};

} // namespace

std::vector<CoarseningFactors> candidateFactors(const std::array<uint32_t, 3>& size,
                                                const TargetProfile& target) {
  const Options options;
  std::vector<CoarseningFactors> all;
  const uint64_t invocations = uint64_t(size[0]) * size[1] * size[2];
  const bool hasSubgroups = size[0] % target.subgroupSize == 0;
  for (uint32_t x = 1; x <= options.maxCopies; x *= 2)
    for (uint32_t y = 1; x * y <= options.maxCopies; y *= 2)
      for (uint32_t z = 1; x * y * z <= options.maxCopies; z *= 2) {
        const CoarseningFactors factors{{x, y, z}};
        const uint32_t copies = factors.copies();
        if (copies == 1 || size[0] % x != 0 || size[1] % y != 0 || size[2] % z != 0) continue;
        if (hasSubgroups && size[0] / x % target.subgroupSize != 0) continue;
        if (invocations / copies < uint64_t(target.subgroupSize) * options.leastSubgroups) continue;
        all.push_back(factors);
      }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.copies() < b.copies(); });
  return all;
}

double coarseningGain(Analyses& analyses, const TargetProfile& target, const EntryPoint& entry,
                      const CopyVariance& variance, const CoarseningFactors& factors) {
  (void)target;
  const Module& module = analyses.module();
  const Loops& loops = analyses.get<Loops>();
  double shared = 0, own = 0;
  const uint32_t first = module.firstBlock(entry.function).value;
  for (uint32_t n = 0; n < module.blockCount(entry.function); ++n) {
    const BlockRef b(first + n);
    const double often = blockFrequency(loops, b);
    for (InstRef i : module.blockInsts(b))
      (variance.isReplicated(i) ? own : shared) += often * operationCost(analyses, target, i);
  }
  const double before = shared + own, after = shared / factors.copies() + own;
  return after > 0 ? before / after : 0;
}

} // namespace lanewise
