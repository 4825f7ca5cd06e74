// Races within a workgroup, and between those that speak to one another: each access is checked
// against what the shadow keeps of the earlier ones.
#include "verify/interpreter/run/execute.h"

#include <algorithm>

namespace lanewise::driver::interpreter {
namespace {

/// Of a granule, that are kept when the table is full.
constexpr size_t kLeastRuns = 4;

bool isAtomic(AccessKind kind) {
  return kind == AccessKind::AtomicWrite || kind == AccessKind::AtomicLoad;
}

bool isWrite(AccessKind kind) {
  return kind == AccessKind::Write || kind == AccessKind::AtomicWrite;
}

// Kinds of access in the order of AccessKind, [first, last].
struct Kinds {
  AccessKind first, last;
};

// Those that conflict with nothing that one of this kind does not conflict with.
Kinds noStrongerThan(AccessKind kind) {
  return {kind, isAtomic(kind) ? AccessKind::AtomicLoad : AccessKind::Read};
}

size_t firstOf(const History& history, AccessKind kind) {
  auto at = std::partition_point(history.begin(), history.end(),
                                 [=](const AccessRun& run) { return run.kind < kind; });
  return size_t(at - history.begin());
}

FindingKind kindOf(AccessKind x, AccessKind y) {
  return isWrite(x) && isWrite(y) ? FindingKind::RaceWriteWrite : FindingKind::RaceReadWrite;
}

} // namespace

void WorkgroupRunner::reportRace(FindingKind kind, const Participant& at, const Participant& other,
                                 const Object& object, uint64_t granule, std::string_view detail) {
  Finding finding;
  finding.kind = kind;
  finding.at = at;
  finding.other = other;
  finding.offset = granule << granuleShift_;
  if (log_.count(kind, at, other, finding.offset)) return;
  finding.bytes = 1u << granuleShift_;
  finding.variable = program_.variableName(at.site);
  if (finding.variable.empty()) finding.variable = object.name;
  finding.detail = detail;
  log_.add(std::move(finding));
}

// ----- ordered by barriers of the workgroup -----

// The first two lanes that did it since the barrier. The place that was taken, 2 if none.
size_t WorkgroupRunner::keepAccess(Access (&slots)[2], const Lane& lane, uint32_t site,
                                   uint32_t classAt) const {
  size_t at = 0;
  while (at < 2 && slots[at].tick >= lane.base[classAt] && slots[at].lane() != lane.index) ++at;
  if (at < 2) slots[at] = Access::make(lane.tick, lane.index, site);
  return at;
}

void WorkgroupRunner::noteRead(const Lane& lane, Object& object, uint64_t offset, uint32_t bytes,
                               uint32_t site) {
  const uint32_t at = classIndex(object.memoryClass);
  const bool isChecked = object.tracking == Tracking::Barriers;
  for (uint64_t g = offset >> granuleShift_; g <= (offset + bytes - 1) >> granuleShift_; ++g) {
    if (!isChecked) noteHistory(lane, object, g, {AccessKind::Read, 0, 0, 0, 0, site, 0});
    if (!isChecked && !object.isCommitted) continue;
    ShadowTable::Page& page = object.shadow.pageOf(g, happensBefore_.startTick());
    Granule& s = page.granules[g & (kShadowPage - 1)];
    auto check = [&](Access other) {
      if (isChecked && races(lane, other, at))
        reportRace(FindingKind::RaceReadWrite, {workgroup_, lane.index, site},
                   {workgroup_, other.lane(), other.site()}, object, g);
    };
    for (Access other : s.write) check(other);
    if (page.atomics)
      for (Access other : page.atomics[g & (kShadowPage - 1)].write) check(other);
    keepAccess(s.read, lane, site, at);
  }
}

void WorkgroupRunner::noteWrite(const Lane& lane, Object& object, uint64_t offset, uint32_t bytes,
                                uint32_t site, uint64_t value) {
  const uint32_t at = classIndex(object.memoryClass);
  const uint32_t granuleBits = 8u << granuleShift_;
  const uint64_t address = addressOf(uint32_t(&object - objects_.data()));
  const bool isChecked = object.tracking == Tracking::Barriers;
  for (uint64_t g = offset >> granuleShift_; g <= (offset + bytes - 1) >> granuleShift_; ++g) {
    const uint32_t part = uint32_t(value & ((uint64_t(1) << granuleBits) - 1));
    value >>= granuleBits;
    happensBefore_.overwrite(address + (g << granuleShift_), object.memoryClass);
    if (!isChecked) noteHistory(lane, object, g, {AccessKind::Write, 0, 0, 0, 0, site, part});
    if (!isChecked && !object.isCommitted) continue;
    ShadowTable::Page& page = object.shadow.pageOf(g, happensBefore_.startTick());
    Granule& s = page.granules[g & (kShadowPage - 1)];
    auto check = [&](FindingKind kind, Access other) {
      if (isChecked && races(lane, other, at))
        reportRace(kind, {workgroup_, lane.index, site}, {workgroup_, other.lane(), other.site()},
                   object, g);
    };
    for (size_t n = 0; n < 2; ++n)
      check(s.value[n] == part ? FindingKind::RaceSameValue : FindingKind::RaceWriteWrite,
            s.write[n]);
    for (Access other : s.read) check(FindingKind::RaceReadWrite, other);
    if (page.atomics) {
      const AtomicGranule& atomics = page.atomics[g & (kShadowPage - 1)];
      for (Access other : atomics.write) check(FindingKind::RaceWriteWrite, other);
      for (Access other : atomics.load) check(FindingKind::RaceReadWrite, other);
    }
    if (size_t kept = keepAccess(s.write, lane, site, at); kept < 2) s.value[kept] = part;
  }
}

void WorkgroupRunner::noteAtomic(const Lane& lane, Object& object, uint64_t offset, uint32_t bytes,
                                 uint32_t site, bool writes) {
  const uint32_t at = classIndex(object.memoryClass);
  const AccessKind kind = writes ? AccessKind::AtomicWrite : AccessKind::AtomicLoad;
  const bool isChecked = object.tracking == Tracking::Barriers;
  for (uint64_t g = offset >> granuleShift_; g <= (offset + bytes - 1) >> granuleShift_; ++g) {
    if (!isChecked) noteHistory(lane, object, g, {kind, 0, 0, 0, 0, site, lane.subgroup});
    if (!isChecked && !object.isCommitted) continue;
    ShadowTable::Page& page = object.shadow.pageOf(g, happensBefore_.startTick());
    if (!page.atomics) page.atomics = std::make_unique<AtomicGranule[]>(kShadowPage);
    Granule& s = page.granules[g & (kShadowPage - 1)];
    AtomicGranule& atomics = page.atomics[g & (kShadowPage - 1)];
    auto check = [&](AccessKind other, Access earlier) {
      if (isChecked && races(lane, earlier, at))
        reportRace(kindOf(kind, other), {workgroup_, lane.index, site},
                   {workgroup_, earlier.lane(), earlier.site()}, object, g);
    };
    for (Access other : s.write) check(AccessKind::Write, other);
    if (writes)
      for (Access other : s.read) check(AccessKind::Read, other);
    keepAccess(writes ? atomics.write : atomics.load, lane, site, at);
  }
}

// ----- ordered lane by lane -----

// "Mutually-ordered": "They access the same set of memory locations", and each is in the other's
// scope. Two that are not "must be synchronized against the other as if they were non-atomic".
bool WorkgroupRunner::areMutuallyOrdered(const AccessRun& access, const AccessRun& earlier) const {
  const Site &a = program_.sites[access.site], &b = program_.sites[earlier.site];
  const Level between = earlier.workgroup != access.workgroup     ? Level::Device
                        : earlier.subgroup() != access.subgroup() ? Level::Workgroup
                                                                  : Level::Subgroup;
  return a.atomicBytes == b.atomicBytes && std::min(a.atomicScope, b.atomicScope) >= between;
}

Sharing WorkgroupRunner::sharingOf(const AccessRun& run) const {
  const Site& site = program_.sites[run.site];
  return isWrite(run.kind) ? site.store : site.load;
}

// "Location-Ordered": what has to be known of `earlier` for an access that writes or not.
HappensBefore::Need WorkgroupRunner::needOf(const AccessRun& earlier, bool writes,
                                            Sharing now) const {
  using Need = HappensBefore::Need;
  if (!program_.isVulkanModel) return Need::Happens;
  const Sharing before = sharingOf(earlier);
  if (before.isPrivate || now.isPrivate) return Need::Never;
  if (!isWrite(earlier.kind)) return Need::Happens;
  if (writes || now.isPublished) return before.isPublished ? Need::Happens : Need::Available;
  return before.isPublished ? Need::VisibleHappens : Need::Visible;
}

// Whether a plain access comes behind an atomic write in the order in which all see what is written
// to the location ("scoped modification order"), and has come there for what it was told of that
// order: the last atomic write happens before it, and a branch on what that one gave led here. So
// does the last workgroup set the counter back by which it knows that it is the last.
bool WorkgroupRunner::isBehindLastAtomic(const Lane& lane, const HistoryTable& table,
                                         uint64_t granule, const AccessRun& access,
                                         const AccessRun& earlier, uint32_t classAt) const {
  const auto found = table.lastAtomics.find(granule);
  if (isAtomic(access.kind) || earlier.kind != AccessKind::AtomicWrite ||
      found == table.lastAtomics.end())
    return false;
  const AccessRun& last = found->second;
  // Of other atomics on the place nobody counts how many are still to come.
  if (earlier.site != last.site) return false;
  const BlockRef block = program_.module().blockOf(program_.sites[access.site].inst);
  if (!areMutuallyOrdered(last, earlier) || !program_.tickets ||
      !program_.tickets->decides(program_.sites[last.site].inst, block))
    return false;
  const HappensBefore::Need need = needOf(last, isWrite(access.kind), sharingOf(access));
  return happensBefore_.relate(lane, last, classAt, need).verdict != HappensBefore::Verdict::Race;
}

void WorkgroupRunner::checkHistory(const Lane& lane, const Object& object,
                                   const HistoryTable& table, uint64_t granule,
                                   const AccessRun& access, const AccessRun& earlier) {
  const bool areAtomic = isAtomic(access.kind) && isAtomic(earlier.kind);
  if (areAtomic && areMutuallyOrdered(access, earlier)) return;
  const HappensBefore::Need need = needOf(earlier, isWrite(access.kind), sharingOf(access));
  const uint32_t classAt = classIndex(object.memoryClass);
  const auto [verdict, other] = happensBefore_.relate(lane, earlier, classAt, need);
  if (verdict == HappensBefore::Verdict::Ordered) return;
  FindingKind kind = kindOf(earlier.kind, access.kind);
  std::string_view detail;
  if (earlier.kind == AccessKind::Write && access.kind == AccessKind::Write &&
      earlier.value == access.value) {
    kind = FindingKind::RaceSameValue;
  } else if (areAtomic || verdict == HappensBefore::Verdict::ByTheLetter) {
    kind = FindingKind::RaceIncomplete;
    if (areAtomic) detail = "atomics with mismatched scopes or sizes";
    if (need == HappensBefore::Need::Never) detail = "one of the accesses is private";
  } else if (isBehindLastAtomic(lane, table, granule, access, earlier, classAt)) {
    kind = FindingKind::RaceIncomplete;
    detail = "only a later atomic on the same place orders them";
  }
  reportRace(kind, {workgroup_, lane.index, access.site}, {earlier.workgroup, other, earlier.site},
             object, granule, detail);
}

// Whether nothing conflicts with `earlier` that does not conflict with `access`, or is ordered
// behind `access` alone.
bool WorkgroupRunner::isCoveredBy(const AccessRun& earlier, const AccessRun& access,
                                  uint32_t classAt) const {
  if (program_.isVulkanModel) {
    const Sharing before = sharingOf(earlier), now = sharingOf(access);
    if (before.isPrivate && !now.isPrivate) return false;
    if (!before.isPublished && now.isPublished) return false;
  }
  const bool areAtomic = isAtomic(earlier.kind) && isAtomic(access.kind);
  if (!areAtomic || !program_.hasUnlikeAtomics[classAt]) return true;
  const Site &a = program_.sites[earlier.site], &b = program_.sites[access.site];
  return a.atomicBytes == b.atomicBytes && a.atomicScope >= b.atomicScope &&
         earlier.subgroup() == access.subgroup();
}

// Drops what is ordered before `access` and covered by it: whatever comes later is behind both, or
// races with `access`.
void WorkgroupRunner::forgetOrdered(const Lane& lane, History& history, const AccessRun& access,
                                    uint32_t classAt) {
  auto isOrdered = [&](const AccessRun& run) {
    // What the lane itself does there next may ask for more: a visibility operation, or for nobody
    // else at all.
    const bool mayBePrivate = program_.privateClasses >> classAt & 1;
    if (mayBePrivate || !isCoveredBy(run, access, classAt)) return false;
    const HappensBefore::Need need = needOf(run, false, {false, false});
    return happensBefore_.relate(lane, run, classAt, need).verdict ==
           HappensBefore::Verdict::Ordered;
  };
  const Kinds kinds = noStrongerThan(access.kind);
  for (uint8_t k = uint8_t(kinds.first); k <= uint8_t(kinds.last); ++k) {
    RunRange range = runsOf(history, AccessKind{k}, workgroup_);
    for (size_t n = range.begin; n < range.end;)
      if (history[n].has(lane.index) && isCoveredBy(history[n], access, classAt)) {
        const size_t left = removeLane(history, n, lane.index);
        range.end += left - 1;
        n += left;
      } else {
        ++n;
      }
    const auto begin = history.begin() + ptrdiff_t(range.begin);
    const auto end = history.begin() + ptrdiff_t(range.end);
    history.erase(std::remove_if(begin, end, isOrdered), end);
  }
  if (access.kind == AccessKind::Write) std::erase_if(history, isOrdered);
}

void WorkgroupRunner::noteHistory(const Lane& lane, Object& object, uint64_t granule,
                                  AccessRun access) {
  using Kind = AccessKind;
  const uint32_t at = classIndex(object.memoryClass);
  access.workgroup = workgroup_;
  access.first = access.last = uint16_t(lane.index);
  access.tick = lane.tick;
  HistoryTable& table = object.dispatchHistory ? *object.dispatchHistory : object.history;
  History& history = table.at(granule);
  const size_t atomics = firstOf(history, Kind::AtomicWrite), end = history.size();
  const size_t reads = firstOf(history, Kind::Read);
  auto check = [&](size_t begin, size_t end) {
    for (size_t n = begin; n < end; ++n)
      checkHistory(lane, object, table, granule, access, history[n]);
  };
  check(0, atomics);
  const bool conflictsWithAtomics = !isAtomic(access.kind) || program_.hasUnlikeAtomics[at];
  if (conflictsWithAtomics)
    check(atomics, isWrite(access.kind) ? reads : firstOf(history, Kind::AtomicLoad));
  if (isWrite(access.kind)) check(reads, end);
  forgetOrdered(lane, history, access, at);
  if (table.runs < dispatch_.mostRuns || history.size() < kLeastRuns) addAccess(history, access);
  table.runs += history.size() - end; // may wrap, and back
  if (access.kind == Kind::AtomicWrite) table.lastAtomics.insert_or_assign(granule, access);
}

} // namespace lanewise::driver::interpreter
