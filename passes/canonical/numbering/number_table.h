// Internal to --gvn: a hash table from the words of an instruction to the value that has them.
#pragma once

#include "ir/handles.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace lanewise {

/// Keys are word sequences, kept in one pool. Open addressing; nothing is ever removed but all.
class NumberTable {
public:
  struct Entry {
    Id value; ///< null: new
    BlockRef block;
  };

  /// The entry of the key, a new one where there is none. Valid until the next call.
  Entry& at(std::span<const uint32_t> key) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    const uint32_t hash = hashOf(key);
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at].round == round_) {
      Slot& slot = slots_[at];
      if (slot.hash == hash && slot.size == key.size() &&
          std::equal(key.begin(), key.end(), pool_.begin() + slot.begin))
        return slot.entry;
      at = (at + 1) & (slots_.size() - 1);
    }
    ++count_;
    slots_[at] = {hash, uint32_t(pool_.size()), uint32_t(key.size()), round_, {}};
    pool_.insert(pool_.end(), key.begin(), key.end());
    return slots_[at].entry;
  }

  void clear() {
    ++round_;
    count_ = 0;
    pool_.clear();
  }

private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t begin = 0, size = 0; ///< into pool_
    uint32_t round = 0;           ///< of another round: free
    Entry entry;
  };

  static uint32_t hashOf(std::span<const uint32_t> key) {
    uint64_t hash = key.size();
    for (uint32_t word : key) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return uint32_t(hash >> 32 ^ hash);
  }

  void grow() {
    std::vector<Slot> old(std::max<size_t>(slots_.size() * 2, 256));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.round != round_) continue;
      size_t at = slot.hash & (slots_.size() - 1);
      while (slots_[at].round == round_) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<uint32_t> pool_;
  size_t count_ = 0;
  uint32_t round_ = 1;
};

} // namespace lanewise
