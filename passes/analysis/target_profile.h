// The facts of a GPU that the cost models need. Data: the profiles are TOML files in
// driver/targets/, read by the driver; the defaults below are those of `generic`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise {

struct TargetProfile {
  std::string name = "generic";

  // Subgroups.
  /// Lanes of a subgroup, as the model counts with. Lanes are consecutive local invocation indices.
  uint32_t subgroupSize = 32;

  // Workgroup (shared) memory.
  /// Number of banks, and bytes that each serves in a cycle.
  uint32_t banks = 32;
  uint32_t bankBytes = 4;
  /// Lanes that the hardware serves together for an access of 4 bytes or less, 8 and 16 bytes; an
  /// access of a subgroup takes subgroupSize / lanes phases.
  uint32_t lanesPerPhase32 = 32;
  uint32_t lanesPerPhase64 = 16;
  uint32_t lanesPerPhase128 = 8;
  /// True when lanes that read one word in one phase are served at once.
  bool broadcast = true;
  /// Most bytes of Workgroup memory that a workgroup may use (Vulkan: maxComputeSharedMemorySize).
  uint32_t maxSharedMemory = 32768;
  /// Bytes of Workgroup memory that the workgroups resident on one core share; 0 when not known.
  uint32_t sharedMemoryPerCore = 0;
  /// Subgroups that a core holds at most; 0 when not known.
  uint32_t maxSubgroupsPerCore = 0;
  /// Bytes between consecutive 3-component vectors of 32-bit elements in Workgroup memory (12 or
  /// 16).
  uint32_t vec3Stride = 16;

  // Global memory.
  /// Bytes fetched at once from device memory.
  uint32_t sectorBytes = 32;

  // Costs, in cycles of a subgroup.
  double branchCost = 20;
  double barrierCost = 30;
  double sharedAccessCost = 20; ///< of a conflict-free access
  /// Of one instruction on 32-bit integers, in cycles of the Workgroup memory: a core that starts
  /// four of them while its banks serve one access has 0.25.
  double arithmeticCost = 0.25;
};

} // namespace lanewise
