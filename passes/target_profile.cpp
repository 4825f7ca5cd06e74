#include "lanewise/target_profile.h"

namespace lanewise {
namespace {

constexpr double kMaxBytes = 1 << 24, kMaxCost = 1e6;

#define LANEWISE_FIGURE(table, key, member, least, most)                                           \
  TargetFigure {                                                                                   \
#member, table, key, least, most,                                                              \
        [](const TargetProfile&                                                                    \
               p) { return double(p.member); }, [](TargetProfile & p,                              \
                                                   double v) { p.member = decltype(p.member)(v); } \
  }
constexpr TargetFigure kFigures[] = {
    LANEWISE_FIGURE("subgroup", "size", subgroupSize, 1, kMaxSubgroupSize),
    LANEWISE_FIGURE("subgroup", "per-core", maxSubgroupsPerCore, 0, 4096),
    LANEWISE_FIGURE("workgroup", "max-invocations", maxWorkgroupInvocations, 1, 1 << 20),
    LANEWISE_FIGURE("shared-memory", "banks", banks, 1, 1024),
    LANEWISE_FIGURE("shared-memory", "bank-bytes", bankBytes, 1, 64),
    LANEWISE_FIGURE("shared-memory", "lanes-per-phase-32", lanesPerPhase32, 1, kMaxSubgroupSize),
    LANEWISE_FIGURE("shared-memory", "lanes-per-phase-64", lanesPerPhase64, 1, kMaxSubgroupSize),
    LANEWISE_FIGURE("shared-memory", "lanes-per-phase-128", lanesPerPhase128, 1, kMaxSubgroupSize),
    LANEWISE_FIGURE("shared-memory", "max-bytes", maxSharedMemory, 0, kMaxBytes),
    LANEWISE_FIGURE("shared-memory", "bytes-per-core", sharedMemoryPerCore, 0, kMaxBytes),
    LANEWISE_FIGURE("shared-memory", "vec3-stride", vec3Stride, 12, 16),
    LANEWISE_FIGURE("shared-memory", "vec3-bytes", vec3Bytes, 12, 16),
    LANEWISE_FIGURE("shared-memory", "vector-alignment", vectorAlignment, 0, 2),
    LANEWISE_FIGURE("global-memory", "sector-bytes", sectorBytes, 1, 4096),
    LANEWISE_FIGURE("global-memory", "max-buffer-bytes", maxStorageBuffer, 1, UINT32_MAX),
    LANEWISE_FIGURE("registers", "per-lane", registersPerLane, 1, 4096),
    LANEWISE_FIGURE("cost", "multiply", multiplyCost, 0, kMaxCost),
    LANEWISE_FIGURE("cost", "convert", convertCost, 0, kMaxCost),
    LANEWISE_FIGURE("cost", "divide", divideCost, 0, kMaxCost),
    LANEWISE_FIGURE("cost", "integer-divide", integerDivideCost, 0, kMaxCost),
    LANEWISE_FIGURE("cost", "special", specialCost, 0, kMaxCost),
    LANEWISE_FIGURE("cost", "load", loadCost, 0, kMaxCost),
    LANEWISE_FIGURE("cost", "double-factor", doubleFactor, 0, kMaxCost),
    LANEWISE_FIGURE("cost", "branch", branchCost, 0, kMaxCost),
    LANEWISE_FIGURE("cost", "predicated-arm", predicatedArm, 0, kMaxCost),
    LANEWISE_FIGURE("cost", "lanes-agree", lanesAgree, 0, 1),
    LANEWISE_FIGURE("cost", "barrier", barrierCost, 0, kMaxCost),
    LANEWISE_FIGURE("cost", "shared-access", sharedAccessCost, 0, kMaxCost),
    LANEWISE_FIGURE("cost", "arithmetic", arithmeticCost, 0, kMaxCost),
};
#undef LANEWISE_FIGURE

} // namespace

SharedMemoryRules boundingSharedMemoryRules() {
  return {16, 12, false};
}

std::span<const SharedMemoryRules> knownSharedMemoryRules() {
  static const SharedMemoryRules kRules[] = {
      {16, 16, false}, {16, 12, false}, {12, 12, false}, {12, 12, true}};
  return kRules;
}

std::span<const TargetFigure> targetFigures() {
  return kFigures;
}

} // namespace lanewise
