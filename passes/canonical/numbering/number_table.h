// Internal to --gvn: a hash table from the words of an instruction to the value that has them.
#pragma once

#include "ir/handles.h"
#include "ir/index_table.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace lanewise {

/// Keys are word sequences, kept in one pool. Nothing is ever removed but all.
class NumberTable {
public:
  struct Entry {
    Id value; ///< null: new
    BlockRef block;
  };

  /// The entry of the key, a new one where there is none. Valid until the next call.
  Entry& at(std::span<const uint32_t> key) {
    const uint32_t hash = hashOf(key);
    const uint32_t known = table_.find(hash, [&](uint32_t n) {
      return entries_[n].hash == hash && std::ranges::equal(key, keyOf(n));
    });
    if (known != IndexTable::kNone) return entries_[known].entry;
    entries_.push_back({hash, uint32_t(pool_.size()), {}});
    pool_.insert(pool_.end(), key.begin(), key.end());
    table_.insert(hash, uint32_t(entries_.size() - 1),
                  [&](uint32_t n) { return entries_[n].hash; });
    return entries_.back().entry;
  }

  void clear() {
    table_.clear(uint32_t(entries_.size()), [&](uint32_t n) { return entries_[n].hash; });
    entries_.clear();
    pool_.clear();
  }

private:
  struct Keyed {
    uint32_t hash = 0;
    uint32_t begin = 0; ///< of the key, into pool_; the next one's begins where it ends
    Entry entry;
  };

  std::span<const uint32_t> keyOf(uint32_t n) const {
    const size_t end = n + 1 < entries_.size() ? entries_[n + 1].begin : pool_.size();
    return std::span(pool_).subspan(entries_[n].begin, end - entries_[n].begin);
  }
  static uint32_t hashOf(std::span<const uint32_t> key) {
    uint64_t hash = key.size();
    for (uint32_t word : key) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return uint32_t(hash >> 32 ^ hash);
  }

  IndexTable table_; ///< into entries_
  std::vector<Keyed> entries_;
  std::vector<uint32_t> pool_;
};

} // namespace lanewise
