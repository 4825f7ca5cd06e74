// Shadow memory where barriers of whole workgroups are all that orders accesses: who accessed what,
// and when. One granule of it stands for as many bytes as the program's smallest access has, so
// that no two different locations share one. Where more than that orders them: history.h.
//
// A lane's time is a count of ticks, one for each of its releases; a barrier of the workgroup puts
// all lanes to one tick above all that have been. Whether an earlier access is ordered before a
// later one is then a comparison with the tick of the last barrier.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace lanewise::driver::interpreter {

constexpr uint32_t kLaneBits = 11, kSiteBits = 20;
constexpr uint32_t kMaxLanes = 1u << kLaneBits, kMaxSites = 1u << kSiteBits;

/// One access by one lane; tick 0 is none.
struct Access {
  uint32_t tick = 0;
  uint32_t who = 0; ///< lane and site

  static Access make(uint32_t tick, uint32_t lane, uint32_t site) {
    return {tick, lane << kSiteBits | site};
  }
  uint32_t lane() const { return who >> kSiteBits; }
  uint32_t site() const { return who & (kMaxSites - 1); }
};

/// What a workgroup did to one granule since its last barrier. As nothing orders its lanes there,
/// two readers that are different lanes are enough to find a race with any writer, which differs
/// from one of the two; and so for writers.
struct Granule {
  Access write[2];
  Access read[2];
  uint32_t value[2] = {}; ///< written plainly
};

/// The same of atomics that write, and of OpAtomicLoad and the like.
struct AtomicGranule {
  Access write[2];
  Access load[2];
};

constexpr uint32_t kShadowPageBits = 6, kShadowPage = 1u << kShadowPageBits;

/// Granules of one object, allocated where they are touched.
class ShadowTable {
public:
  struct Page {
    Granule granules[kShadowPage];
    std::unique_ptr<AtomicGranule[]> atomics; ///< null: none yet
    uint32_t touchedAt = 0;                   ///< start tick of the workgroup that touched it last
  };

  void resize(uint64_t granules) { pages_.resize((granules >> kShadowPageBits) + 1); }
  /// `start`: first tick of the workgroup.
  Page& pageOf(uint64_t granule, uint32_t start) {
    std::unique_ptr<Page>& page = pages_[granule >> kShadowPageBits];
    if (!page) page = std::make_unique<Page>();
    if (page->touchedAt != start) {
      page->touchedAt = start;
      touched_.push_back(uint32_t(granule >> kShadowPageBits));
    }
    return *page;
  }
  const std::vector<uint32_t>& touched() const { return touched_; }
  const Page& page(uint32_t index) const { return *pages_[index]; }
  void beginWorkgroup() { touched_.clear(); }

private:
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<uint32_t> touched_; ///< pages that the workgroup under way has touched
};

/// An access as other workgroups see it.
struct ForeignAccess {
  Access access;
  uint32_t workgroup = 0;
};

/// What the finished workgroups of a dispatch did to one granule. Nothing orders them, so that one
/// access of each kind is enough; two readers name more lines.
struct ForeignGranule {
  ForeignAccess write;
  ForeignAccess read[2];
  ForeignAccess atomicWrite, atomicLoad;
  uint32_t value = 0;
};

/// The same of one buffer.
class ForeignTable {
public:
  struct Page {
    ForeignGranule granules[kShadowPage];
  };
  void resize(uint64_t granules) { pages_.resize((granules >> kShadowPageBits) + 1); }
  Page& page(uint32_t index) {
    if (!pages_[index]) pages_[index] = std::make_unique<Page>();
    return *pages_[index];
  }

private:
  std::vector<std::unique_ptr<Page>> pages_;
};

} // namespace lanewise::driver::interpreter
