// Lowers what the memory model reads: scopes, semantics, memory operands; and decides how much of
// the accesses to each class of memory has to be remembered.
#include "analysis/module/memory_operands.h"
#include "verify/interpreter/lower/lowering.h"

#include <algorithm>

namespace lanewise::driver::interpreter {
namespace {

bool has(uint32_t mask, spv::MemorySemanticsMask bit) {
  return (mask & uint32_t(bit)) != 0;
}

} // namespace

Level ModuleLowering::levelOf(Id scope) const {
  switch (spv::Scope(constantOr(scope, uint32_t(spv::Scope::Device)))) {
  case spv::Scope::Invocation:
    return Level::Invocation;
  case spv::Scope::Subgroup:
    return Level::Subgroup;
  case spv::Scope::Workgroup:
    return Level::Workgroup;
  default:
    return Level::Device;
  }
}

Ordering ModuleLowering::orderingOf(Id scope, Id semantics) const {
  using Mask = spv::MemorySemanticsMask;
  const uint32_t bits = constantOr(semantics, ~0u);
  const bool isBoth = has(bits, Mask::AcquireRelease) || has(bits, Mask::SequentiallyConsistent);
  Ordering ordering;
  ordering.level = levelOf(scope);
  ordering.acquires = isBoth || has(bits, Mask::Acquire);
  ordering.releases = isBoth || has(bits, Mask::Release);
  if (has(bits, Mask::UniformMemory)) ordering.classes |= kStorageClass;
  if (has(bits, Mask::WorkgroupMemory)) ordering.classes |= kWorkgroupClass;
  if (has(bits, Mask::ImageMemory)) ordering.classes |= kImageClass;
  if (program_->isVulkanModel) {
    ordering.makesAvailable = has(bits, Mask::MakeAvailable);
    ordering.makesVisible = has(bits, Mask::MakeVisible);
  }
  return ordering;
}

// Of the memory operands from word `w` on, if there are any (SPIR-V 3.26); `w` moves behind them.
Sharing ModuleLowering::sharingOf(InstRef i, uint32_t& w, bool isWrite) const {
  if (!program_->isVulkanModel) return {};
  const auto operands = readMemoryOperands(*module_, i, w);
  if (!operands) return {};
  const bool isPrivate = (operands->mask & uint32_t(spv::MemoryAccessMask::NonPrivatePointer)) == 0;
  return {isPrivate, bool(isWrite ? operands->available : operands->visible)};
}

void ModuleLowering::noteSharing(uint32_t site, MemoryClass memoryClass, Sharing sharing,
                                 bool isWrite) {
  (isWrite ? program_->sites[site].store : program_->sites[site].load) = sharing;
  if (sharing.isPrivate) privateAccesses_.emplace_back(program_->sites[site].variable, memoryClass);
}

void ModuleLowering::decideTracking() {
  // Of what nobody writes everybody may have a copy of his own.
  for (const auto& [variable, memoryClass] : privateAccesses_)
    if (auto known = std::find_if(program_->variables.begin(), program_->variables.end(),
                                  [&, id = variable](const VariableInfo& v) { return v.id == id; });
        known == program_->variables.end() || known->isWritten)
      program_->privateClasses |= memoryClass;
  for (uint32_t c = 0; c < kMemoryClasses; ++c) {
    const Level whole = 1u << c == kWorkgroupClass ? Level::Workgroup : Level::Device;
    const AtomicInfo* first = nullptr;
    for (const AtomicInfo& atomic : program_->atomics) {
      if (classIndex(atomic.memoryClass) != c) continue;
      if (!first) first = &atomic;
      program_->hasUnlikeAtomics[c] |=
          atomic.ordering.level < whole || atomic.bytes != first->bytes;
    }
    program_->tracking[c] = trackingOf(c);
  }
}

// Barriers that all of a workgroup pass, and that order the class both ways, leave nothing to be
// known of single lanes. Everything else does: a barrier that orders one way or not at all where
// there are fences, one of a subgroup, an atomic or a fence that a lane may meet another by.
Tracking ModuleLowering::trackingOf(uint32_t c) const {
  const bool isShared = 1u << c == kWorkgroupClass;
  bool isOrdered = false, isPartial = false, meetsUnordered = false, reachesDevice = false;
  uint8_t fencedWith = 0; // classes that fences name beside this one
  for (const BarrierInfo& barrier : program_->barriers) {
    const Ordering& memory = barrier.memory;
    const bool isNamed = memory.names(c) && memory.level != Level::Invocation;
    const bool isWhole = isNamed && memory.isFull() && memory.level >= Level::Workgroup;
    isOrdered |= isNamed;
    reachesDevice |= isNamed && memory.releases && memory.level == Level::Device;
    if (!barrier.execution && isNamed) fencedWith |= memory.classes;
    if (barrier.execution && (barrier.execution != Level::Workgroup || !isWhole))
      (isNamed ? isPartial : meetsUnordered) = true;
  }
  bool isPublished = false;
  for (const AtomicInfo& atomic : program_->atomics) {
    isPartial |= atomic.ordering.names(c) || atomic.unequal.names(c);
    reachesDevice |= atomic.ordering.names(c) && atomic.ordering.releases &&
                     atomic.ordering.level == Level::Device;
    // Who publishes buffers or images may leave the class of the flag away; not so shared memory.
    isPublished |= fencedWith != 0 && (!isShared || (fencedWith & atomic.memoryClass) != 0);
  }
  const bool hasUnlikeAtomics = program_->hasUnlikeAtomics[c];
  if (!isShared && program_->hasStorageAtomics && (reachesDevice || hasUnlikeAtomics))
    return Tracking::Workgroups;
  const bool mayBePrivate = (program_->privateClasses >> c & 1) != 0;
  if (isPartial || isPublished || hasUnlikeAtomics || (fencedWith != 0 && meetsUnordered) ||
      (isOrdered && mayBePrivate))
    return Tracking::Lanes;
  return Tracking::Barriers;
}

} // namespace lanewise::driver::interpreter
