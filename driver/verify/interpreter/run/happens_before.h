// Which accesses happen before which, by the Vulkan memory model (Vulkan specification, appendix
// Memory Model), for the lanes of one workgroup at a time. docs/design/interpreter.md has the
// rules.
//
// Two relations are kept. The strict one is the model's. The lenient one holds as well what
// programs rely on that were written for GLSL's rules: a release counts for whoever hears of it
// afterwards, whether or not an acquire stands there. What only the lenient one orders is a race by
// the letter, and on no known device more than that.
#pragma once

#include "verify/interpreter/code/program.h"
#include "verify/interpreter/run/clock.h"
#include "verify/interpreter/run/history.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanewise::driver::interpreter {

struct Lane;

/// What is kept by class of memory: what happens before, and, from kMemoryClasses on, what of that
/// has been made available ("Availability and Visibility"). In a module of the GLSL450 memory model
/// both are the same, and only the first half is used.
constexpr uint32_t kRelations = 2 * kMemoryClasses;
using Clocks = std::array<ClockPtr, kRelations>;
constexpr uint32_t kLevels = 3; ///< Level::Subgroup to Level::Device

/// What one atomic location tells those who read it: the release sequence that its value is of.
struct Published {
  Clocks strict;
  std::array<ClockPtr, kMemoryClasses> lenient;
};

/// By whom it can be heard: everywhere, in the workgroup that released last, in its subgroups.
struct AtomicLocation {
  /// Scope, size and subgroup of the last write: whoever that is not atomic with reads nothing that
  /// was released. Invocation: a plain write.
  Level lastScope{};
  uint8_t lastBytes = 0;
  uint32_t lastSubgroup = 0;
  Published device;
  uint32_t workgroup = UINT32_MAX;
  Published ofWorkgroup;
  std::vector<std::pair<uint32_t, Published>> ofSubgroups;
};
using AtomicLocations = std::unordered_map<uint64_t, AtomicLocation>; ///< by address

class HappensBefore {
public:
  /// What an access has to be to another one, so that they do not race.
  enum class Need : uint8_t { Happens, Available, VisibleHappens, Visible, Never };
  enum class Verdict : uint8_t { Ordered, ByTheLetter, Race };
  struct Relation {
    Verdict verdict = Verdict::Ordered;
    uint32_t lane = 0; ///< of the earlier access, where it is not ordered
  };

  HappensBefore(const Program& program, std::span<Lane> lanes, AtomicLocations& shared);

  void begin(uint32_t workgroup);
  uint32_t startTick() const { return startTick_; }
  bool tracksLanes() const { return !orders_.empty(); }

  void fence(Lane& lane, const Ordering& ordering);
  /// An atomic, by halves: with what it acquires, its own access is ordered as well.
  void readAtomic(const Lane& lane, uint64_t address, const AtomicInfo& info, bool writes);
  void writeAtomic(Lane& lane, uint64_t address, const AtomicInfo& info);
  /// A plain write to an atomic location.
  void overwrite(uint64_t address, MemoryClass memoryClass);
  /// A control barrier of the workgroup or of a subgroup.
  void meet(std::span<Lane* const> lanes, const Ordering& memory, Level level);

  Relation relate(const Lane& lane, const AccessRun& earlier, uint32_t classAt, Need need) const;

private:
  /// What an operation releases: the accesses of its lane up to a tick, and what that knows.
  struct Release {
    Level level{};
    uint8_t classes = 0;
    std::array<uint32_t, kRelations> ticks{};
    Clocks known;
  };
  /// What a lane has read at atomics and not acquired, by class of the atomic and level.
  using Pending = std::array<std::array<Clocks, kLevels>, kMemoryClasses>;
  struct LaneOrder {
    // Strict.
    Clocks known;
    Clocks visible; ///< what was known at its last visibility operation; Vulkan memory model only
    std::array<Clocks, 2> met; ///< at barriers of its subgroup and workgroup, not acquired
    std::vector<Release> fences;
    std::unique_ptr<Pending> pending;
    std::array<uint32_t, kMemoryClasses> available{}; ///< tick of its last availability operation
    // Lenient, by level of the releases.
    std::array<std::array<ClockPtr, kMemoryClasses>, kLevels> heard;
    std::array<std::array<uint32_t, kMemoryClasses>, kLevels> released{};
    bool speaks = false; ///< what it writes by atomics may tell something
  };

  LaneOrder& orderOf(const Lane& lane);
  const LaneOrder& orderOf(const Lane& lane) const;
  ClockEntry ownEntry(const Lane& lane, uint32_t tick) const;
  /// Whether anything that the semantics name is tracked.
  bool concerns(const Ordering& ordering) const {
    return (ordering.classes & tracked_) != 0 && ordering.level != Level::Invocation;
  }
  void markReleased(const Lane& lane, const Ordering& ordering);
  void fill(Release& release, const Lane& lane, const Ordering& ordering) const;
  void pushFence(const Lane& lane, const Ordering& ordering);
  void acquireEarlier(LaneOrder& order, const Ordering& ordering, uint32_t classAt) const;
  void afterAcquire(LaneOrder& order, const Ordering& ordering, uint32_t classAt) const;
  void addRelease(ClockJoin& join, const Lane& lane, const Release& release,
                  uint32_t relation) const;
  Published& publishedAt(AtomicLocation& location, const Lane& lane, Level level) const;
  AtomicLocations& locationsOf(MemoryClass memoryClass);
  void hear(LaneOrder& order, const Published& from, uint32_t atomicClass, Level level,
            const Ordering& ordering) const;
  void publish(const Lane& lane, Published& to, const AtomicInfo& info, Level level,
               const Release* own) const;
  void meetClass(std::span<Lane* const> lanes, const Ordering& memory, Level level,
                 uint32_t classAt);
  void joinKnown(std::span<Lane* const> lanes, const Ordering& memory, Level level,
                 uint32_t relation);
  void joinHeard(std::span<Lane* const> lanes, Level level, uint32_t classAt);

  const Program& program_;
  std::span<Lane> lanes_;
  AtomicLocations& shared_;
  AtomicLocations own_;           ///< of Workgroup memory
  std::vector<LaneOrder> orders_; ///< by lane; empty where barriers are all there is
  uint32_t relations_ = kMemoryClasses;
  uint8_t tracked_ = 0; ///< classes of memory
  bool hasSubgroupLevel_ = false;

  // Of the workgroup under way.
  uint32_t workgroup_ = 0;
  uint32_t startTick_ = 1, highTick_ = 0;
};

} // namespace lanewise::driver::interpreter
