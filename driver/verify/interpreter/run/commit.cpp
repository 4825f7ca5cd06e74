// Races between workgroups that nothing orders. A workgroup's accesses are checked against those of
// the workgroups that came before it once it has ended, in the order of workgroups, so that the
// findings are the same with any number of threads.
#include "verify/interpreter/run/execute.h"

namespace lanewise::driver::interpreter {

void WorkgroupRunner::commit() {
  for (uint32_t n = 1; n < dispatch_.objects.size(); ++n)
    if (objects_[n].isCommitted) commitObject(n);
}

void WorkgroupRunner::commitObject(uint32_t index) {
  const ShadowTable& shadow = objects_[index].shadow;
  const AtomicGranule none;
  for (uint32_t p : shadow.touched()) {
    const ShadowTable::Page& mine = shadow.page(p);
    ForeignTable::Page& others = dispatch_.foreign[index].page(p);
    for (uint32_t n = 0; n < kShadowPage; ++n)
      commitGranule(objects_[index], uint64_t(p) * kShadowPage + n, mine.granules[n],
                    mine.atomics ? mine.atomics[n] : none, others.granules[n]);
  }
}

void WorkgroupRunner::commitGranule(const Object& object, uint64_t at, const Granule& mine,
                                    const AtomicGranule& atomics, ForeignGranule& others) {
  auto isMine = [&](Access a) { return a.tick >= happensBefore_.startTick(); };
  auto check = [&](FindingKind kind, Access a, const ForeignAccess& other) {
    if (isMine(a) && other.access.tick != 0)
      reportRace(kind, {workgroup_, a.lane(), a.site()},
                 {other.workgroup, other.access.lane(), other.access.site()}, object, at);
  };
  using Kind = FindingKind;
  for (size_t n = 0; n < 2; ++n) {
    check(mine.value[n] == others.value ? Kind::RaceSameValue : Kind::RaceWriteWrite, mine.write[n],
          others.write);
    for (const ForeignAccess& read : others.read) check(Kind::RaceReadWrite, mine.write[n], read);
    check(Kind::RaceWriteWrite, mine.write[n], others.atomicWrite);
    check(Kind::RaceReadWrite, mine.write[n], others.atomicLoad);
  }
  for (Access read : mine.read) {
    check(Kind::RaceReadWrite, read, others.write);
    check(Kind::RaceReadWrite, read, others.atomicWrite);
  }
  for (Access atomic : atomics.write) {
    check(Kind::RaceWriteWrite, atomic, others.write);
    for (const ForeignAccess& read : others.read) check(Kind::RaceReadWrite, atomic, read);
  }
  for (Access atomic : atomics.load) check(Kind::RaceReadWrite, atomic, others.write);
  if (isMine(mine.write[0])) {
    others.write = {mine.write[0], workgroup_};
    others.value = mine.value[0];
  }
  auto keep = [&](Access a, ForeignAccess& slot) {
    if (isMine(a) && slot.access.tick == 0) slot = {a, workgroup_};
  };
  for (Access read : mine.read) {
    keep(read, others.read[0]);
    if (others.read[0].access.site() != read.site()) keep(read, others.read[1]);
  }
  keep(atomics.write[0], others.atomicWrite);
  keep(atomics.load[0], others.atomicLoad);
}

} // namespace lanewise::driver::interpreter
