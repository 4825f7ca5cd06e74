// What of an entry point is more than the target has, and how many of its workgroups a core of the
// target holds at once. Counted, not estimated; registers are not looked at, of which only a
// driver's compiler knows.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "lanewise/target_profile.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanewise {

/// More than the target's pipelines may have (Vulkan: maxComputeWorkGroupInvocations,
/// maxComputeSharedMemorySize).
struct LimitExcess {
  enum class Limit : uint8_t { Invocations, SharedMemory };
  const EntryPoint* entry = nullptr;
  Limit limit = Limit::Invocations;
  uint64_t value = 0, most = 0;
};
/// "36864 bytes of shared memory exceed the 32768 of mali".
std::string describe(const LimitExcess& excess, const TargetProfile& target);

/// Of the compute entry points of the module. Nothing for the target `generic`, which is no GPU;
/// nor for sizes that are not known.
std::vector<LimitExcess> exceededLimits(Analyses& analyses, const TargetProfile& target);

/// Workgroups on a core, as far as workgroup size and shared memory decide.
struct ResidentWorkgroups {
  uint64_t subgroups = 0;          ///< of a workgroup
  uint64_t bySubgroups = 0;        ///< workgroups for which there is room as far as subgroups go
  std::optional<uint64_t> byBytes; ///< and as far as shared memory goes; nothing where none is used
  uint64_t bytes = 0;              ///< of shared memory of a workgroup
  uint64_t count() const { return byBytes ? std::min(bySubgroups, *byBytes) : bySubgroups; }
  /// Subgroups on the core of those that it could hold.
  double occupancy(const TargetProfile& target) const {
    return double(count() * subgroups) / target.maxSubgroupsPerCore;
  }
};
/// For a workgroup of this many invocations with this much shared memory. Precondition: the target
/// says how many subgroups a core holds.
ResidentWorkgroups residentWorkgroups(uint64_t invocations, uint64_t bytes,
                                      const TargetProfile& target);

} // namespace lanewise
