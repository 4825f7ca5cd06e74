// Races between workgroups. A workgroup's accesses are checked against those of the workgroups that
// came before it once it has ended, in the order of workgroups, so that the findings are the same
// with any number of threads.
#include "verify/interpreter/execute.h"

namespace lanewise::driver::interpreter {

void WorkgroupRunner::commit() {
  if (dispatch_.workgroupCount() > 1)
    for (uint32_t n = 1; n < dispatch_.objects.size(); ++n)
      if (objects_[n].isShadowed) commitObject(n);
}

void WorkgroupRunner::commitObject(uint32_t index) {
  const ShadowTable& shadow = objects_[index].shadow;
  constexpr uint32_t kPage = 1u << ShadowTable::kPageBits;
  for (uint32_t p : shadow.touched()) {
    const ShadowTable::Page& mine = shadow.page(p);
    ForeignTable::Page& others = dispatch_.foreign[index].page(p);
    for (uint32_t n = 0; n < kPage; ++n)
      commitGranule(index, uint64_t(p) * kPage + n, mine.granules[n], others.granules[n]);
  }
}

// Whether the other workgroup's access happens before mine: through an atomic location at which
// that workgroup had released it before I read there.
bool WorkgroupRunner::isKnown(Access mine, const ForeignAccess& other) const {
  for (const auto& [tick, clock] : known_)
    if (tick <= mine.tick && (*clock)[other.workgroup] >= other.access.tick) return true;
  return false;
}

void WorkgroupRunner::commitGranule(uint32_t object, uint64_t at, const Granule& mine,
                                    ForeignGranule& others) {
  auto isMine = [&](Access a) { return a.tick >= startTick_; };
  auto meets = [&](Access a, const ForeignAccess& other) {
    return isMine(a) && other.access.tick != 0 && !isKnown(a, other);
  };
  auto check = [&](FindingKind kind, Access a, const ForeignAccess& other) {
    if (meets(a, other)) reportForeign(kind, a, other, object, at);
  };
  check(mine.value == others.value ? FindingKind::RaceSameValue : FindingKind::RaceWriteWrite,
        mine.write, others.write);
  for (const ForeignAccess& read : others.read) check(FindingKind::RaceReadWrite, mine.write, read);
  for (const ForeignAccess& atomic : others.atomic)
    check(atomic.access.isAtomicLoad() ? FindingKind::RaceReadWrite : FindingKind::RaceWriteWrite,
          mine.write, atomic);
  for (Access read : mine.read) {
    check(FindingKind::RaceReadWrite, read, others.write);
    for (const ForeignAccess& atomic : others.atomic)
      if (!atomic.access.isAtomicLoad()) check(FindingKind::RaceReadWrite, read, atomic);
  }
  for (Access atomic : mine.atomic) {
    check(atomic.isAtomicLoad() ? FindingKind::RaceReadWrite : FindingKind::RaceWriteWrite, atomic,
          others.write);
    if (!atomic.isAtomicLoad())
      for (const ForeignAccess& read : others.read) check(FindingKind::RaceReadWrite, atomic, read);
  }
  if (isMine(mine.write)) {
    others.write = {mine.write, workgroup_};
    others.value = mine.value;
  }
  // Two of each are enough, of two workgroups.
  auto keep = [&](Access a, ForeignAccess(&slots)[2]) {
    if (!isMine(a)) return;
    if (slots[0].access.tick == 0)
      slots[0] = {a, workgroup_};
    else if (slots[0].workgroup != workgroup_ &&
             (slots[1].access.tick == 0 || slots[1].access.isAtomicLoad()))
      slots[1] = {a, workgroup_};
  };
  keep(mine.read[0], others.read);
  for (Access atomic : mine.atomic) keep(atomic, others.atomic);
}

void WorkgroupRunner::reportForeign(FindingKind kind, Access mine, const ForeignAccess& other,
                                    uint32_t object, uint64_t granule) {
  Finding finding;
  finding.kind = kind;
  finding.at = {workgroup_, mine.lane(), mine.site()};
  finding.other = {other.workgroup, other.access.lane(), other.access.site()};
  finding.offset = granule << granuleShift_;
  if (log_.count(kind, finding.at, finding.other, finding.offset)) return;
  finding.bytes = 1u << granuleShift_;
  finding.variable = program_.variableName(mine.site());
  if (finding.variable.empty()) finding.variable = objects_[object].name;
  log_.add(std::move(finding));
}

} // namespace lanewise::driver::interpreter
