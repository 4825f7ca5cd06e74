// Which fields of an element go together, and what a layout of them costs.
#pragma once

#include "analysis/buffers/buffer_traffic.h"
#include "analysis/buffers/buffer_uses.h"
#include "lanewise/buffer_layout.h"
#include "planning/layout_narrowing.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanewise {

/// Leaves by group, each group ascending.
using LeafGroups = std::vector<std::vector<uint32_t>>;

/// Everything that a program asks of one array of structs.
class BufferCost {
public:
  BufferCost(const BufferView& view, uint32_t sectorBytes);
  void add(BufferTraffic traffic);

  bool isKnown() const { return isKnown_; }
  TrafficCost before() const;
  TrafficCost after(const BufferLayout& layout) const;
  /// The same for a decision: where indices depend on data, a layout may lose but not win. What it
  /// would win there hangs on which elements they are.
  TrafficCost cautiousAfter(const BufferLayout& layout) const;

  /// Average number of sectors that one access of a leaf by a subgroup touches; 0 if nobody does.
  double sectorsBefore(uint32_t leaf) const;
  std::vector<double> sectorsAfter(const BufferLayout& layout) const; ///< of each leaf

  bool isUsed(uint32_t leaf) const { return !samplesOf_[leaf].empty(); }
  /// The clusters that use a leaf, ascending.
  std::vector<size_t> clustersOf(uint32_t leaf) const;
  /// What the accesses of some leaves cost that are one group in tiles of `tile` elements, with
  /// nothing else beside them. `wordOf` tells by leaf which packed word holds it, or kNoWord. O(n
  /// log n) in those accesses.
  double costTogether(std::span<const uint32_t> leaves, uint32_t tile,
                      std::span<const uint32_t> wordOf) const;
  static constexpr uint32_t kNoWord = UINT32_MAX;
  /// Addresses looked at so far by costTogether(): the work behind chooseGroups().
  uint64_t placesCounted() const { return placesCounted_; }

private:
  /// A sample of a leaf: of which cluster, and which one there.
  struct SampleOf {
    size_t cluster, sample;
  };
  template <class Address>
  TrafficCost count(const TrafficCluster& cluster, Address&& address) const;
  template <class Address>
  TrafficCost countAll(Address&& address) const;
  template <class Address>
  double average(uint32_t leaf, Address&& address) const;

  const BufferView& view_;
  const uint32_t sector_;
  uint64_t start_ = 0; ///< where the first run of any new layout begins
  bool isKnown_ = true;
  std::vector<TrafficCluster> clusters_;
  std::vector<std::vector<SampleOf>> samplesOf_; ///< by leaf, in order
  mutable uint64_t placesCounted_ = 0;
};

/// The layout that keeps each of `groups` together. `tile`: 0 for the whole array. Name, bindings
/// and needsWholeTiles are the caller's to fill in.
/// A word of `words` takes one place; its leaves are in one group.
BufferLayout layoutOf(const BufferView& view, const LeafGroups& groups, uint32_t tile,
                      const PackedWords& words = {});

/// One run of the whole array for each group, however many elements there are: groups are ordered
/// and strides are rounded up so that each run starts at a whole number of its own elements.
BufferLayout soaLayout(const BufferView& view, LeafGroups groups, const PackedWords& words = {});

/// Groups for tiles of `tile` elements: fields that are always used together stay together where
/// that costs no more than apart; what nobody uses is one group, the last. Of very many fields that
/// are used together, those that lie near one another are tried first. O(n log n) in the samples.
LeafGroups chooseGroups(const BufferView& view, const BufferCost& cost, uint32_t tile,
                        const PackedWords& words = {});

} // namespace lanewise
