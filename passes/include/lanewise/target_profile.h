// The facts about a GPU that the cost models need. The profiles are TOML files in
// driver/targets/, read by the driver; the defaults below are those of `generic`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// Lanes of the largest subgroup that there can be: a ballot has four words of 32 bits (SPIR-V
/// OpGroupNonUniformBallot).
inline constexpr uint32_t kMaxSubgroupSize = 128;
/// Lanes of the smallest: a quad.
inline constexpr uint32_t kMinSubgroupSize = 4;
/// Lanes of a subgroup where nobody says anything else.
inline constexpr uint32_t kDefaultSubgroupSize = 32;
/// Whether a device can have such subgroups: powers of two (Vulkan: subgroupSize) that hold a quad.
constexpr bool isSubgroupSize(uint32_t lanes) {
  return lanes >= kMinSubgroupSize && lanes <= kMaxSubgroupSize && (lanes & (lanes - 1)) == 0;
}

/// How a driver lays out Workgroup memory without explicit offsets: SPIR-V leaves that to it.
struct SharedMemoryRules {
  /// Bytes between vectors of three 32-bit components in an array: 12 or 16.
  uint32_t vec3Stride = 16;
  /// Bytes of such a vector; at 12, what follows it in a struct may stand in its fourth component.
  uint32_t vec3Bytes = 16;
  /// Vectors are aligned to their components, and no longer than these.
  bool isScalar = false;

  SharedMemoryRules() = default;
  SharedMemoryRules(uint32_t stride) : vec3Stride(stride), vec3Bytes(stride) {} // NOLINT: by stride
  SharedMemoryRules(uint32_t stride, uint32_t bytes, bool scalar)
      : vec3Stride(stride), vec3Bytes(bytes), isScalar(scalar) {}
};
/// Those by which Vulkan bounds what a workgroup's memory takes (Vulkan, "Shared Memory"): the
/// standard storage buffer layout, with Booleans of 32 bits.
SharedMemoryRules boundingSharedMemoryRules();
/// All rules that drivers are known to have.
std::span<const SharedMemoryRules> knownSharedMemoryRules();

struct TargetProfile {
  std::string name = "generic";

  // Subgroups.
  /// Lanes in a subgroup. The model maps consecutive local invocation indices to lanes.
  uint32_t subgroupSize = kDefaultSubgroupSize;
  /// Sets it; a phase below never has more lanes than there are. 0, where nobody asks for a size,
  /// leaves it as it is.
  void setSubgroupSize(uint32_t lanes) {
    if (lanes == 0) return;
    subgroupSize = lanes;
    for (uint32_t* phase : {&lanesPerPhase32, &lanesPerPhase64, &lanesPerPhase128})
      *phase = std::min(*phase, lanes);
  }

  /// Maximum invocations of a workgroup (Vulkan: maxComputeWorkGroupInvocations).
  uint32_t maxWorkgroupInvocations = 1024;

  // Workgroup (shared) memory.
  /// Number of banks, and bytes each serves per cycle.
  uint32_t banks = 32;
  uint32_t bankBytes = 4;
  /// Workgroup memory is ordinary memory behind a cache, of which one line is served at a time: one
  /// "bank" as wide as a line stands for that.
  bool isSharedMemoryCached() const { return banks == 1 && bankBytes > 4; }
  /// Lanes that the hardware serves together for an access of 4 bytes or less, 8 and 16 bytes; an
  /// access of a subgroup takes subgroupSize / lanes phases.
  uint32_t lanesPerPhase32 = 32;
  uint32_t lanesPerPhase64 = 16;
  uint32_t lanesPerPhase128 = 8;
  /// True when lanes that read the same word in one phase are served at once.
  bool broadcast = true;
  /// Maximum bytes of Workgroup memory per workgroup (Vulkan: maxComputeSharedMemorySize).
  uint32_t maxSharedMemory = 32768;
  /// Bytes of Workgroup memory shared by the workgroups resident on one core; 0: unknown.
  uint32_t sharedMemoryPerCore = 0;
  /// Maximum subgroups resident on a core; 0: unknown.
  uint32_t maxSubgroupsPerCore = 0;
  /// Bytes between consecutive 3-component vectors of 32-bit elements in Workgroup memory (12 or
  /// 16).
  uint32_t vec3Stride = 16;
  /// Bytes of one of them: what follows it in a struct may stand right behind it (12 or 16). No
  /// more than the stride.
  uint32_t vec3Bytes = 16;
  /// What vectors are aligned to in Workgroup memory. Unknown: as Size, but what is decided must
  /// hold for all rules that drivers are known to have.
  enum class VectorAlignment : uint8_t { Unknown, Component, Size };
  VectorAlignment vectorAlignment = VectorAlignment::Unknown;
  SharedMemoryRules sharedRules() const {
    return {vec3Stride, std::min(vec3Bytes, vec3Stride),
            vectorAlignment == VectorAlignment::Component};
  }

  // Global memory.
  /// Bytes fetched at once from device memory.
  uint32_t sectorBytes = 32;
  /// Maximum bytes of a storage buffer binding (Vulkan: maxStorageBufferRange).
  uint32_t maxStorageBuffer = UINT32_MAX;

  // Costs of instructions and branches, in units of one 32-bit integer addition of a subgroup,
  // where there is enough other work to hide latencies.
  double multiplyCost = 2;       ///< of integers, 32 bits
  double convertCost = 4;        ///< between integers and floats; counting bits
  double divideCost = 8;         ///< of floats
  double integerDivideCost = 20; ///< division and remainder
  double specialCost = 6;        ///< square root, exponential, logarithm, sine
  double loadCost = 4;           ///< of 4 bytes that a cache holds, or of Workgroup memory
  /// Cost of a 64-bit float operation relative to its 32-bit form.
  double doubleFactor = 16;
  /// Of a divergent two-armed branch, without its arms: divergence and reconvergence.
  double branchCost = 4;
  /// Cost of an arm up to which the driver's compiler predicates a branch by itself; 0: unknown.
  double predicatedArm = 0;
  /// How likely it is that the lanes of a subgroup take the same arm of a branch although nothing
  /// says so: 0 to 1. High where a driver's compiler counts on it or a scalar branch skips an arm
  /// for little; low where parting lanes is what branches cost.
  double lanesAgree = 0.5;
  /// Live 32-bit values per lane up to which occupancy does not suffer.
  uint32_t registersPerLane = 64;

  // Costs, in cycles of a subgroup.
  double barrierCost = 30;
  double sharedAccessCost = 20; ///< of a conflict-free access
  /// Of one instruction on 32-bit integers, in cycles of the Workgroup memory: a core that issues
  /// two of them while its banks serve one access has 0.5.
  double arithmeticCost = 1;
};

/// A number of a profile: its member, its key in a TOML file, and the range in which the models can
/// count with it. A phase has no more lanes than the profile's subgroups, either.
struct TargetFigure {
  std::string_view name;       ///< of the member
  std::string_view table, key; ///< in a file: `key = value` below `[table]`
  double least, most;
  double (*get)(const TargetProfile&);
  void (*set)(TargetProfile&, double);

  bool isLanesOfPhase() const { return name.starts_with("lanesPerPhase"); }
};
/// All of them, those of one table together.
std::span<const TargetFigure> targetFigures();

} // namespace lanewise
