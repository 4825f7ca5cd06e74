// A hash table of indices into a list that somebody else keeps: 8 to 16 bytes for each, and nothing
// is allocated one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanewise {

/// Open addressing. Hashes are not kept: who calls computes them again when the table grows.
class IndexTable {
public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// The index, of those that may have this hash, for which `isSame(index)`; kNone if there is
  /// none.
  template <class IsSame>
  uint32_t find(size_t hash, IsSame&& isSame) const {
    if (places_.empty()) return kNone;
    for (size_t at = home(hash); places_[at] != kNone; at = behind(at))
      if (isSame(places_[at])) return places_[at];
    return kNone;
  }
  /// Adds an index that find() did not find. `hashOf(index)` gives the hash of any that is in.
  template <class HashOf>
  void insert(size_t hash, uint32_t index, HashOf&& hashOf) {
    if ((count_ + 1) * 2 > places_.size()) grow(hashOf);
    put(hash, index);
    ++count_;
  }
  /// Takes out all from 0 to `count` - 1, which are those that are in, in time of their number.
  template <class HashOf>
  void clear(uint32_t count, HashOf&& hashOf) {
    for (uint32_t n = 0; n < count; ++n) {
      size_t at = home(hashOf(n));
      while (places_[at] != n) at = behind(at);
      places_[at] = kGone;
    }
    // What was looked for behind others is found all the same, so that these stay until now.
    for (uint32_t n = 0; n < count; ++n) {
      size_t at = home(hashOf(n));
      while (places_[at] == kGone) places_[at] = kNone, at = behind(at);
    }
    count_ = 0;
  }

private:
  static constexpr uint32_t kGone = UINT32_MAX - 1;
  static constexpr size_t kLeast = 64;

  size_t home(size_t hash) const { return hash & (places_.size() - 1); }
  size_t behind(size_t place) const { return (place + 1) & (places_.size() - 1); }
  void put(size_t hash, uint32_t index) {
    size_t at = home(hash);
    while (places_[at] != kNone) at = behind(at);
    places_[at] = index;
  }
  template <class HashOf>
  void grow(HashOf&& hashOf) {
    std::vector<uint32_t> old(std::max(places_.size() * 2, kLeast), kNone);
    old.swap(places_);
    for (uint32_t index : old)
      if (index != kNone) put(hashOf(index), index);
  }

  std::vector<uint32_t> places_; ///< kNone: free
  size_t count_ = 0;
};

} // namespace lanewise
