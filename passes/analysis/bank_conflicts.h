// What the banks of Workgroup memory make of one access by a subgroup: counted, not estimated.
//
// A bank serves one word a cycle. Lanes that are served together (a phase) and ask one bank for
// different words wait for one another; lanes that ask for the same word are served at once where
// the target broadcasts. The degree of an access is the number of distinct words that the busiest
// bank serves in its worst phase: 1 is free of conflicts. DESIGN 5.2; NVIDIA CUDA C++ Programming
// Guide, "Shared Memory".
#pragma once

#include "analysis/target_profile.h"

#include <cstdint>
#include <optional>
#include <span>

namespace lanewise {

struct BankConflicts {
  uint32_t degree =
      0; ///< distinct words of the busiest bank in the worst phase; 0 when no lane is active
  uint32_t phases = 0; ///< phases with an active lane
  uint32_t cycles = 0; ///< sum of the degrees of all phases: what the access costs
  bool operator==(const BankConflicts&) const = default;
};

/// Counts for one subgroup. `addresses[lane]` is the byte address that the lane accesses, nothing
/// for an inactive lane; at most profile.subgroupSize entries. `accessBytes` is the size of one
/// lane's access; an access of more than 16 bytes is served as several of 16.
BankConflicts countBankConflicts(const TargetProfile& profile,
                                 std::span<const std::optional<uint64_t>> addresses,
                                 uint32_t accessBytes);

} // namespace lanewise
