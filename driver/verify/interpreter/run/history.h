// Shadow memory where lanes or workgroups may be ordered one by one: every access that is not
// ordered before a later one of its kind, as runs of lanes that did the same at the same tick. One
// run is an epoch; a run for each lane is a full vector (FastTrack; Flanagan and Freund, PLDI
// 2009).
#pragma once

#include "verify/interpreter/run/shadow.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace lanewise::driver::interpreter {

/// In the order in which a granule lists them: what conflicts with most comes first.
enum class AccessKind : uint8_t { Write, AtomicWrite, AtomicLoad, Read };

/// Lanes [first, last] of a workgroup that did one thing at one tick.
struct AccessRun {
  AccessKind kind{};
  uint32_t workgroup = 0;
  uint16_t first = 0, last = 0;
  uint32_t tick = 0;
  uint32_t site = 0;
  /// Written plainly. Of an atomic its subgroup, which decides who it is atomic with.
  uint32_t value = 0;

  uint32_t subgroup() const { return value; }
  bool has(uint32_t lane) const { return first <= lane && lane <= last; }
  bool isSame(const AccessRun& o) const {
    return kind == o.kind && workgroup == o.workgroup && tick == o.tick && site == o.site &&
           value == o.value;
  }
};

/// Sorted by kind, workgroup and lane.
using History = std::vector<AccessRun>;

/// The runs of one kind and workgroup, as indices [begin, end) into the history.
struct RunRange {
  size_t begin = 0, end = 0;
};
RunRange runsOf(const History& history, AccessKind kind, uint32_t workgroup);

/// Takes a lane out of the run at `at`, which it is in; the number of runs that are left of it.
size_t removeLane(History& history, size_t at, uint32_t lane);

/// Adds an access by one lane, which no run of its kind has.
void addAccess(History& history, const AccessRun& access);

/// Histories of one object, allocated where they are touched.
class HistoryTable {
public:
  void resize(uint64_t granules) { pages_.resize((granules >> kShadowPageBits) + 1); }
  History& at(uint64_t granule) {
    std::unique_ptr<History[]>& page = pages_[granule >> kShadowPageBits];
    if (!page) {
      page = std::make_unique<History[]>(kShadowPage);
      touched_.push_back(uint32_t(granule >> kShadowPageBits));
    }
    return page[granule & (kShadowPage - 1)];
  }
  void clear() {
    for (uint32_t index : touched_) pages_[index].reset();
    touched_.clear();
    runs = 0;
    lastAtomics.clear();
  }
  uint64_t runs = 0; ///< in all histories
  /// The last atomic write to each granule, also where the history has forgotten it.
  std::unordered_map<uint64_t, AccessRun> lastAtomics;

private:
  std::vector<std::unique_ptr<History[]>> pages_;
  std::vector<uint32_t> touched_; ///< pages that are there
};

} // namespace lanewise::driver::interpreter
