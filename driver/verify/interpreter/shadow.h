// Shadow memory: who accessed what, and when. One granule of it stands for as many bytes as the
// program's smallest access has, so that no two different locations share one.
//
// Time within a workgroup is a count of ticks, one for each barrier or fence. Whether an earlier
// access is ordered before a later one is a comparison of ticks (Runner::isOrdered).
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
  uint32_t who = 0; ///< lane, whether it is an atomic load, site

  static Access make(uint32_t tick, uint32_t lane, uint32_t site, bool isLoad = false) {
    return {tick, lane << (kSiteBits + 1) | uint32_t(isLoad) << kSiteBits | site};
  }
  uint32_t lane() const { return who >> (kSiteBits + 1); }
  uint32_t site() const { return who & (kMaxSites - 1); }
  bool isAtomicLoad() const { return who >> kSiteBits & 1; }
};

/// What a workgroup did to one granule. Two readers that are different lanes are enough to find a
/// race with any writer, and likewise for atomics: a third cannot be needed (any writer differs
/// from one of the two).
struct Granule {
  Access write;
  Access read[2];
  Access atomic[2];
  uint32_t value = 0; ///< last written plainly
};

/// Granules of one object, allocated where they are touched.
class ShadowTable {
public:
  static constexpr uint32_t kPageBits = 6;
  struct Page {
    Granule granules[1u << kPageBits];
    uint32_t touchedAt = 0; ///< start tick of the workgroup that touched it last
  };

  void resize(uint64_t granules) { pages_.resize((granules >> kPageBits) + 1); }
  /// `start`: first tick of the workgroup.
  Granule& at(uint64_t granule, uint32_t start) {
    std::unique_ptr<Page>& page = pages_[granule >> kPageBits];
    if (!page) page = std::make_unique<Page>();
    if (page->touchedAt != start) {
      page->touchedAt = start;
      touched_.push_back(uint32_t(granule >> kPageBits));
    }
    return page->granules[granule & ((1u << kPageBits) - 1)];
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

struct ForeignGranule {
  ForeignAccess write;
  ForeignAccess read[2];
  ForeignAccess atomic[2];
  uint32_t value = 0;
};

/// What the finished workgroups of a dispatch did to one buffer.
class ForeignTable {
public:
  struct Page {
    ForeignGranule granules[1u << ShadowTable::kPageBits];
  };
  void resize(uint64_t granules) { pages_.resize((granules >> ShadowTable::kPageBits) + 1); }
  Page& page(uint32_t index) {
    if (!pages_[index]) pages_[index] = std::make_unique<Page>();
    return *pages_[index];
  }

private:
  std::vector<std::unique_ptr<Page>> pages_;
};

} // namespace lanewise::driver::interpreter
