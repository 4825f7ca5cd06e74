#include "verify/interpreter/run/happens_before.h"

#include "verify/interpreter/run/execute.h"

#include <algorithm>
#include <optional>

namespace lanewise::driver::interpreter {
namespace {

constexpr Level kAllLevels[] = {Level::Subgroup, Level::Workgroup, Level::Device};

uint32_t indexOf(Level level) {
  return uint32_t(level) - 1;
}

uint32_t classOf(uint32_t relation) {
  return relation % kMemoryClasses;
}

bool contains(uint8_t classes, uint32_t classAt) {
  return classes >> classAt & 1;
}

// Without touching the counts of what both share.
void assign(ClockPtr& to, const ClockPtr& from) {
  if (to != from) to = from;
}

void learn(ClockPtr& to, const ClockPtr& from) {
  if (from && to != from) to = joined(to, from);
}

// Teaches many lanes the same, most of which know the same before.
class Lesson {
public:
  explicit Lesson(const ClockPtr& clock) : clock_(clock) {}

  void teach(ClockPtr& to) {
    if (hasPupil_ && to == before_) return assign(to, after_);
    hasPupil_ = true;
    before_ = to;
    learn(to, clock_);
    after_ = to;
  }

private:
  const ClockPtr& clock_;
  ClockPtr before_, after_;
  bool hasPupil_ = false;
};

// What lanes of a workgroup bring to a barrier. Where all of them bring their own accesses, up to a
// tick that all have reached, one entry stands for them.
class LanesJoin {
public:
  /// `everybody`: the lanes that the workgroup has.
  LanesJoin(uint32_t workgroup, size_t everybody) : workgroup_(workgroup), everybody_(everybody) {}

  void add(const ClockPtr& clock) {
    if (clock && clock != last_) join_.add(last_ = clock);
  }
  void addOwn(const Lane& lane, uint32_t tick) {
    const uint32_t key = ClockEntry::ofLane(lane.index);
    if (!own_.empty() && own_.back().lane == key)
      own_.back().tick = std::max(own_.back().tick, tick);
    else
      own_.push_back({workgroup_, key, tick});
  }
  ClockPtr take() {
    uint32_t all = own_.size() == everybody_ ? UINT32_MAX : 0;
    for (const ClockEntry& entry : own_) all = std::min(all, entry.tick);
    join_.add(ClockEntry{workgroup_, ClockEntry::kAll, all});
    for (const ClockEntry& entry : own_)
      if (entry.tick > all) join_.add(entry);
    return join_.take();
  }

private:
  ClockJoin join_;
  ClockPtr last_;
  uint32_t workgroup_;
  size_t everybody_;
  Clock own_; ///< by lane
};

} // namespace

HappensBefore::HappensBefore(const Program& program, std::span<Lane> lanes, AtomicLocations& shared)
    : program_(program), lanes_(lanes), shared_(shared) {
  for (uint32_t c = 0; c < kMemoryClasses; ++c)
    if (program.tracking[c] != Tracking::Barriers) tracked_ |= uint8_t(1u << c);
  if (tracked_ != 0) orders_.resize(lanes.size());
  if (program.isVulkanModel) relations_ = kRelations;
  for (const BarrierInfo& barrier : program.barriers)
    hasSubgroupLevel_ |= barrier.memory.level == Level::Subgroup;
  for (const AtomicInfo& atomic : program.atomics)
    hasSubgroupLevel_ |= atomic.ordering.level == Level::Subgroup;
}

void HappensBefore::begin(uint32_t workgroup) {
  workgroup_ = workgroup;
  startTick_ = ++highTick_;
  own_.clear();
  for (Lane& lane : lanes_) {
    lane.tick = startTick_;
    lane.base.fill(startTick_);
  }
  for (LaneOrder& order : orders_) order = {};
}

HappensBefore::LaneOrder& HappensBefore::orderOf(const Lane& lane) {
  return orders_[lane.index];
}

const HappensBefore::LaneOrder& HappensBefore::orderOf(const Lane& lane) const {
  return orders_[lane.index];
}

ClockEntry HappensBefore::ownEntry(const Lane& lane, uint32_t tick) const {
  return {workgroup_, ClockEntry::ofLane(lane.index), tick};
}

// ----- releases -----

// "Availability operation [...] program-ordered between the barrier or atomic and all other
// operations program-ordered before".
void HappensBefore::markReleased(const Lane& lane, const Ordering& ordering) {
  LaneOrder& order = orderOf(lane);
  for (uint32_t c = 0; c < kMemoryClasses; ++c) {
    if (!contains(ordering.classes & tracked_, c)) continue;
    if (ordering.makesAvailable) order.available[c] = lane.tick;
    for (uint32_t l = 0; l <= indexOf(ordering.level); ++l) {
      assign(order.heard[l][c], order.heard[0][c]);
      order.released[l][c] = lane.tick;
    }
  }
  order.speaks = true;
}

void HappensBefore::fill(Release& release, const Lane& lane, const Ordering& ordering) const {
  const LaneOrder& order = orderOf(lane);
  release.level = ordering.level;
  release.classes = ordering.classes;
  for (uint32_t r = 0; r < relations_; ++r) {
    if (!contains(ordering.classes & tracked_, classOf(r))) continue;
    assign(release.known[r], order.known[r]);
    release.ticks[r] = r < kMemoryClasses ? lane.tick : order.available[classOf(r)];
  }
}

// A later one tells all that an earlier one does, if it is as wide.
void HappensBefore::pushFence(const Lane& lane, const Ordering& ordering) {
  std::vector<Release>& fences = orderOf(lane).fences;
  auto isOld = [&](const Release& old) {
    return old.level <= ordering.level && (old.classes & ~ordering.classes) == 0;
  };
  std::erase_if(fences, isOld);
  fill(fences.emplace_back(), lane, ordering);
}

void HappensBefore::addRelease(ClockJoin& join, const Lane& lane, const Release& release,
                               uint32_t relation) const {
  join.add(release.known[relation]);
  join.add(ownEntry(lane, release.ticks[relation]));
}

// ----- acquires -----

// What an acquire barrier gets from before itself: what was released at control barriers, and what
// the lane has read at atomics, if the semantics name their storage class ("X's storage class is in
// B's semantics").
void HappensBefore::acquireEarlier(LaneOrder& order, const Ordering& ordering,
                                   uint32_t classAt) const {
  for (uint32_t r = classAt; r < relations_; r += kMemoryClasses)
    for (Level level : {Level::Subgroup, Level::Workgroup})
      if (level <= ordering.level) learn(order.known[r], order.met[indexOf(level)][r]);
  if (!order.pending) return;
  for (uint32_t d = 0; d < kMemoryClasses; ++d) {
    if (!contains(ordering.classes, d)) continue;
    for (Level level : kAllLevels) {
      if (level > ordering.level) break;
      for (uint32_t r = classAt; r < relations_; r += kMemoryClasses)
        learn(order.known[r], (*order.pending)[d][indexOf(level)][r]);
    }
  }
}

void HappensBefore::afterAcquire(LaneOrder& order, const Ordering& ordering,
                                 uint32_t classAt) const {
  learn(order.heard[0][classAt], order.known[classAt]);
  if (!program_.isVulkanModel || !ordering.makesVisible) return;
  for (uint32_t r = classAt; r < relations_; r += kMemoryClasses) order.visible[r] = order.known[r];
}

void HappensBefore::fence(Lane& lane, const Ordering& ordering) {
  if (!concerns(ordering)) return;
  LaneOrder& order = orderOf(lane);
  for (uint32_t c = 0; ordering.acquires && c < kMemoryClasses; ++c) {
    if (!contains(ordering.classes & tracked_, c)) continue;
    acquireEarlier(order, ordering, c);
    afterAcquire(order, ordering, c);
  }
  if (!ordering.releases) return;
  markReleased(lane, ordering);
  pushFence(lane, ordering);
  highTick_ = std::max(highTick_, ++lane.tick);
}

// ----- atomics -----

Published& HappensBefore::publishedAt(AtomicLocation& location, const Lane& lane,
                                      Level level) const {
  if (level == Level::Device) return location.device;
  // A workgroup runs to its end before the next one.
  if (location.workgroup != workgroup_) {
    location.workgroup = workgroup_;
    location.ofWorkgroup = {};
    location.ofSubgroups.clear();
  }
  if (level == Level::Workgroup) return location.ofWorkgroup;
  for (auto& [subgroup, published] : location.ofSubgroups)
    if (subgroup == lane.subgroup) return published;
  return location.ofSubgroups.emplace_back(lane.subgroup, Published()).second;
}

void HappensBefore::hear(LaneOrder& order, const Published& from, uint32_t atomicClass, Level level,
                         const Ordering& ordering) const {
  for (uint32_t r = 0; r < relations_; ++r) {
    const ClockPtr& clock = from.strict[r];
    if (!clock) continue;
    const bool isAcquired = ordering.acquires && contains(ordering.classes, classOf(r));
    if (!isAcquired && !order.pending) order.pending = std::make_unique<Pending>();
    learn(isAcquired ? order.known[r] : (*order.pending)[atomicClass][indexOf(level)][r], clock);
  }
  for (uint32_t c = 0; c < kMemoryClasses; ++c) {
    const bool isOther = ordering.acquires && !contains(ordering.classes, c);
    if (isOther || !from.lenient[c]) continue;
    for (uint32_t l = 0; l <= indexOf(level); ++l) learn(order.heard[l][c], from.lenient[c]);
    order.speaks = true;
  }
}

// What is read there from now on: with a read-modify-write the releases before it as well, which
// head the release sequence that it goes on; with a store only its own.
void HappensBefore::publish(const Lane& lane, Published& to, const AtomicInfo& info, Level level,
                            const Release* own) const {
  const LaneOrder& order = orderOf(lane);
  const uint32_t atomicClass = classIndex(info.memoryClass), l = indexOf(level);
  const bool isStore = info.opcode == spv::Op::OpAtomicStore;
  for (uint32_t r = 0; r < relations_; ++r) {
    const uint32_t c = classOf(r);
    if (!contains(tracked_, c)) continue;
    ClockJoin join;
    if (!isStore) join.add(to.strict[r]);
    if (own) addRelease(join, lane, *own, r);
    for (const Release& fence : order.fences)
      if (fence.level >= level && contains(fence.classes, atomicClass))
        addRelease(join, lane, fence, r);
    to.strict[r] = join.take();
  }
  for (uint32_t c = 0; c < kMemoryClasses; ++c) {
    if (!contains(tracked_, c)) continue;
    ClockJoin join;
    if (!isStore) join.add(to.lenient[c]);
    join.add(order.heard[l][c]);
    join.add(ownEntry(lane, order.released[l][c]));
    to.lenient[c] = join.take();
  }
}

AtomicLocations& HappensBefore::locationsOf(MemoryClass memoryClass) {
  return memoryClass == kWorkgroupClass ? own_ : shared_;
}

void HappensBefore::readAtomic(const Lane& lane, uint64_t address, const AtomicInfo& info,
                               bool writes) {
  if (!tracksLanes() || info.opcode == spv::Op::OpAtomicStore) return;
  const Ordering& ordering = writes ? info.ordering : info.unequal;
  if (ordering.level == Level::Invocation) return;
  LaneOrder& order = orderOf(lane);
  AtomicLocations& locations = locationsOf(info.memoryClass);
  if (auto found = locations.find(address); found != locations.end()) {
    AtomicLocation& location = found->second;
    Level widest = std::min(ordering.level, location.lastScope);
    if (location.lastScope == Level::Subgroup && location.lastSubgroup != lane.subgroup)
      widest = Level::Invocation;
    if (location.lastBytes != info.bytes) widest = Level::Invocation;
    for (Level level : kAllLevels)
      if (level <= widest)
        hear(order, publishedAt(location, lane, level), classIndex(info.memoryClass), level,
             ordering);
  }
  for (uint32_t c = 0; ordering.acquires && c < kMemoryClasses; ++c)
    if (contains(ordering.classes & tracked_, c)) afterAcquire(order, ordering, c);
}

void HappensBefore::writeAtomic(Lane& lane, uint64_t address, const AtomicInfo& info) {
  const Ordering& ordering = info.ordering;
  if (!tracksLanes()) return;
  std::optional<Release> own;
  if (ordering.releases && concerns(ordering)) {
    markReleased(lane, ordering);
    fill(own.emplace(), lane, ordering);
    highTick_ = std::max(highTick_, ++lane.tick);
  }
  AtomicLocations& locations = locationsOf(info.memoryClass);
  auto found = locations.find(address);
  if (found == locations.end() && !orderOf(lane).speaks) return;
  AtomicLocation& location = found != locations.end() ? found->second : locations[address];
  for (Level level : kAllLevels)
    if (level <= ordering.level)
      publish(lane, publishedAt(location, lane, level), info, level, own ? &*own : nullptr);
  // A read-modify-write is taken to go on with what stands there, however narrow its own scope is.
  const bool isModify = info.opcode != spv::Op::OpAtomicStore;
  if (isModify && ordering.level < location.lastScope) return;
  location.lastScope = ordering.level;
  location.lastBytes = info.bytes;
  location.lastSubgroup = lane.subgroup;
}

void HappensBefore::overwrite(uint64_t address, MemoryClass memoryClass) {
  AtomicLocations& locations = locationsOf(memoryClass);
  auto found = locations.find(address);
  if (found != locations.end()) found->second.lastScope = Level::Invocation;
}

// ----- control barriers -----

void HappensBefore::meet(std::span<Lane* const> lanes, const Ordering& memory, Level level) {
  const bool releases = memory.releases && concerns(memory);
  if (releases)
    for (const Lane* lane : lanes) markReleased(*lane, memory);
  // What is of subgroups only meets within each of them.
  if (tracksLanes() && level == Level::Workgroup && hasSubgroupLevel_)
    for (size_t begin = 0, end = 0; begin < lanes.size(); begin = end) {
      while (end < lanes.size() && lanes[end]->subgroup == lanes[begin]->subgroup) ++end;
      for (uint32_t c = 0; c < kMemoryClasses; ++c)
        meetClass(lanes.subspan(begin, end - begin), memory, Level::Subgroup, c);
    }
  for (uint32_t c = 0; c < kMemoryClasses; ++c) meetClass(lanes, memory, level, c);
  // Its lanes know by now what it releases; atomics may tell it to others.
  if (releases)
    for (const Lane* lane : lanes) pushFence(*lane, memory);
  ++highTick_;
  for (Lane* lane : lanes) lane->tick = highTick_;
}

void HappensBefore::meetClass(std::span<Lane* const> lanes, const Ordering& memory, Level level,
                              uint32_t classAt) {
  const bool isNamed = memory.names(classAt) && memory.level >= level;
  if (isNamed && memory.isFull() && level == Level::Workgroup)
    for (Lane* lane : lanes) lane->base[classAt] = highTick_ + 1;
  if (!contains(tracked_, classAt)) return;
  const bool acquires = isNamed && memory.acquires;
  for (const Lane* lane : lanes)
    if (acquires) acquireEarlier(orderOf(*lane), memory, classAt);
  for (uint32_t r = classAt; r < relations_; r += kMemoryClasses)
    joinKnown(lanes, memory, level, r);
  for (const Lane* lane : lanes)
    if (acquires) afterAcquire(orderOf(*lane), memory, classAt);
  // Semantics that name the class say what the barrier does for it. Where they do not, it passes on
  // what was released before.
  if (!isNamed || acquires) joinHeard(lanes, level, classAt);
}

// "If A is a release barrier, B is an acquire barrier, and C is a control barrier (where A can
// equal C, and B can equal C)": here C, to which all lanes bring what they have released.
void HappensBefore::joinKnown(std::span<Lane* const> lanes, const Ordering& memory, Level level,
                              uint32_t relation) {
  const uint32_t c = classOf(relation), l = indexOf(level);
  const bool isNamed = memory.names(c) && memory.level >= level;
  LanesJoin join(workgroup_, lanes_.size());
  for (const Lane* lane : lanes) {
    const LaneOrder& order = orderOf(*lane);
    join.add(order.met[l][relation]);
    if (isNamed && memory.releases) {
      join.add(order.known[relation]);
      join.addOwn(*lane, relation < kMemoryClasses ? lane->tick : order.available[c]);
      continue;
    }
    for (const Release& fence : order.fences) {
      if (fence.level < level) continue;
      join.add(fence.known[relation]);
      join.addOwn(*lane, fence.ticks[relation]);
    }
  }
  const ClockPtr clock = join.take();
  Lesson lesson(clock);
  for (const Lane* lane : lanes) {
    LaneOrder& order = orderOf(*lane);
    assign(order.met[l][relation], clock);
    if (isNamed && memory.acquires) lesson.teach(order.known[relation]);
  }
}

void HappensBefore::joinHeard(std::span<Lane* const> lanes, Level level, uint32_t classAt) {
  for (uint32_t l = kLevels; l-- > indexOf(level);) {
    LanesJoin join(workgroup_, lanes_.size());
    for (const Lane* lane : lanes) {
      const LaneOrder& order = orderOf(*lane);
      join.add(order.heard[l][classAt]);
      join.addOwn(*lane, order.released[l][classAt]);
    }
    const ClockPtr clock = join.take();
    if (!clock) continue;
    for (uint32_t to = l == indexOf(level) ? 0 : l; to <= l; ++to) {
      Lesson lesson(clock);
      for (const Lane* lane : lanes) lesson.teach(orderOf(*lane).heard[to][classAt]);
    }
    for (const Lane* lane : lanes) orderOf(*lane).speaks = true;
  }
}

// ----- the question -----

HappensBefore::Relation HappensBefore::relate(const Lane& lane, const AccessRun& earlier,
                                              uint32_t classAt, Need need) const {
  const bool isOwn = earlier.workgroup == workgroup_;
  const uint32_t self = isOwn ? lane.index : UINT32_MAX;
  const bool isBehindBarrier = isOwn && earlier.tick < lane.base[classAt];
  auto unknown = [&](const ClockPtr& clock) {
    return firstUnknown(clock, earlier.workgroup, earlier.first, earlier.last, earlier.tick, self);
  };
  if (isBehindBarrier && need != Need::Never) return {};
  const LaneOrder& order = orderOf(lane);
  const uint32_t available = classAt + kMemoryClasses;
  const uint32_t other = need == Need::Happens          ? unknown(order.known[classAt])
                         : need == Need::Available      ? unknown(order.known[available])
                         : need == Need::VisibleHappens ? unknown(order.visible[classAt])
                         : need == Need::Visible        ? unknown(order.visible[available])
                                                        : unknown(nullptr);
  if (other == UINT32_MAX) return {};
  const uint32_t unheard = unknown(order.heard[0][classAt]);
  if (unheard == UINT32_MAX) return {Verdict::ByTheLetter, other};
  return {Verdict::Race, unheard};
}

} // namespace lanewise::driver::interpreter
