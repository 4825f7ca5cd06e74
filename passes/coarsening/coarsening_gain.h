// Does merging invocations pay?
#pragma once

#include "analysis/branches/operation_cost.h"
#include "analysis/module/entry_points.h"
#include "analysis/values/affine.h"
#include "coarsening/copy_variance.h"
#include "coarsening/factors.h"
#include "lanewise/target_profile.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace lanewise {

/// What factors would gain, by the cost of instructions and how often they run. Arithmetic and
/// accesses go on at the same time, so mostly the one that takes longer counts: sharing loads gains
/// little for a kernel that computes all the while. An estimate: it sees neither latencies nor
/// caches, and takes for granted that equal values of copies become one (--gvn).
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
    bool isAccess = false; ///< of memory that invocations share
    bool isLoadInLoop = false;
  };
  /// What an invocation of the input keeps the two busy for.
  struct Load {
    double arithmetic = 0, accesses = 0;
    double time() const {
      constexpr double kNotHidden = 0.3; // of the one that takes less
      return std::max(arithmetic, accesses) + kNotHidden * std::min(arithmetic, accesses);
    }
  };
  Load loadOf(const CoarseningFactors& factors) const;
  double arithmeticCost(InstRef inst);
  double accessCost(InstRef load);
  bool isWide(InstRef load);
  bool isWorthALook(const CoarseningFactors& factors) const;
  uint32_t versions(InstRef inst, const CoarseningFactors& factors) const;

  Analyses& analyses_;
  const Module& module_;
  const TargetProfile& target_;
  const EntryPoint& entry_;
  Affine affine_;
  std::array<std::optional<CopyVariance>, 3> along_; ///< merging along one dimension alone
  std::vector<Work> work_;
};

} // namespace lanewise
