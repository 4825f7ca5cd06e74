// What a barrier instruction orders: its scopes and its memory semantics, read from the constants
// that it names.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <cstdint>

namespace lanewise {

/// Memory that a barrier's semantics name together, and that is judged together.
enum class MemoryClass : uint8_t {
  Workgroup, ///< Workgroup
  Buffer,    ///< StorageBuffer, Uniform blocks that are written, PhysicalStorageBuffer, and what
             ///  only kernels have
  Image      ///< storage and sampled images, texel buffers among them
};
inline constexpr MemoryClass kMemoryClasses[] = {MemoryClass::Workgroup, MemoryClass::Buffer,
                                                 MemoryClass::Image};

/// The bits of memory semantics that belong to a class (SPIR-V 3.32).
constexpr uint32_t semanticsBitsOf(MemoryClass memory) {
  using Mask = spv::MemorySemanticsMask;
  switch (memory) {
  case MemoryClass::Workgroup:
    return uint32_t(Mask::WorkgroupMemory) | uint32_t(Mask::SubgroupMemory);
  case MemoryClass::Buffer:
    return uint32_t(Mask::UniformMemory) | uint32_t(Mask::CrossWorkgroupMemory) |
           uint32_t(Mask::AtomicCounterMemory);
  case MemoryClass::Image:
    return uint32_t(Mask::ImageMemory);
  }
  return 0;
}

/// Bits of memory semantics that say in which direction they order.
inline constexpr uint32_t kOrderBits = uint32_t(spv::MemorySemanticsMask::Acquire) |
                                       uint32_t(spv::MemorySemanticsMask::Release) |
                                       uint32_t(spv::MemorySemanticsMask::AcquireRelease) |
                                       uint32_t(spv::MemorySemanticsMask::SequentiallyConsistent);
/// Those that order both what is before and what is after.
inline constexpr uint32_t kOrderBothBits =
    uint32_t(spv::MemorySemanticsMask::AcquireRelease) |
    uint32_t(spv::MemorySemanticsMask::SequentiallyConsistent);

/// How far a scope reaches: 0 for Invocation up to 5 for CrossDevice, -1 for any that is not
/// followed (ShaderCall).
int rankOf(spv::Scope scope);
inline constexpr int kSubgroupRank = 1, kWorkgroupRank = 2, kWidestRank = 5;

/// The semantics as a barrier that serves for two: directions and storage classes of both.
uint32_t unionOfSemantics(uint32_t a, uint32_t b);

/// OpControlBarrier or OpMemoryBarrier.
struct Barrier {
  InstRef inst;
  bool isControl = false;
  /// Scopes and semantics are literal and of a kind that is followed. The rest is only valid then.
  bool isKnown = false;
  spv::Scope execution = spv::Scope::Invocation; ///< of a memory barrier: Invocation
  spv::Scope memory = spv::Scope::Invocation;
  uint32_t semantics = 0;

  /// False also for a control barrier at which llvmpipe (Mesa 22.3.6) does not wait.
  bool waitsEverywhere() const { return isControl && memory != spv::Scope::QueueFamily; }
  /// True if it orders accesses of the class in any direction.
  bool touches(MemoryClass memoryClass) const {
    return (semantics & kOrderBits) != 0 && (semantics & semanticsBitsOf(memoryClass)) != 0;
  }
  /// True if it orders all accesses of the class before it with all after it, in the sense of its
  /// scopes.
  bool orders(MemoryClass memoryClass) const;
};

/// `inst` is an OpControlBarrier or OpMemoryBarrier.
Barrier readBarrier(Analyses& analyses, InstRef inst);

/// True for OpControlBarrier and OpMemoryBarrier.
constexpr bool isBarrier(spv::Op op) {
  return op == spv::Op::OpControlBarrier || op == spv::Op::OpMemoryBarrier;
}

} // namespace lanewise
