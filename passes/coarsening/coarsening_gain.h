// Does merging invocations pay?
#pragma once

#include "analysis/branches/operation_cost.h"
#include "analysis/module/entry_points.h"
#include "coarsening/copy_variance.h"
#include "coarsening/factors.h"
#include "lanewise/target_profile.h"

#include <array>
#include <optional>
#include <vector>

namespace lanewise {

/// What factors would gain, by the cost of instructions and how often they run. An estimate: it
/// sees neither latencies nor caches, and takes for granted that equal values of copies become one
/// (--gvn).
class CoarseningModel {
public:
  /// All must outlive it. The entry point's size is known.
  CoarseningModel(Analyses& analyses, const TargetProfile& target, const EntryPoint& entry,
                  const ConstructNesting& nesting, const MemoryEffects& effects,
                  const InvocationIds& ids);

  /// Factors that are expected to pay, the best first.
  std::vector<CoarseningFactors> candidates() const;
  /// How many times less work an invocation of the input takes.
  double gain(const CoarseningFactors& factors) const;
  /// Whether loads that a loop repeats are shared: what makes coarsening pay for certain.
  bool sharesLoadsInLoops(const CoarseningFactors& factors) const;
  /// Registers of 32 bits that live values take where they take most.
  uint32_t registers(const CoarseningFactors& factors) const;

private:
  struct Work {
    InstRef inst;
    double cost = 0;
    bool isLoadInLoop = false;
  };
  bool isWorthALook(const CoarseningFactors& factors) const;
  uint32_t versions(InstRef inst, const CoarseningFactors& factors) const;

  Analyses& analyses_;
  const Module& module_;
  const TargetProfile& target_;
  const EntryPoint& entry_;
  std::array<std::optional<CopyVariance>, 3> along_; ///< merging along one dimension alone
  std::vector<Work> work_;
};

} // namespace lanewise
