#include "planning/buffer_groups.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

namespace lanewise {
namespace {

/// Of an array whose length is not known: long enough for every sample, and no round number.
constexpr uint64_t kManyElements = (uint64_t(1) << 35) + 32;

/// BufferLayout::addressAfter() with everything that does not depend on the element done once.
class Addresses {
public:
  explicit Addresses(const BufferLayout& layout) : layout_(layout) {
    elements_ = layout.tile == 0 ? std::max(kManyElements, layout.count.value_or(0)) : layout.tile;
    stride_ = layout.tileStride(elements_);
    const std::vector<uint64_t> groups = layout.groupOffsets(elements_);
    for (const LayoutField& field : layout.fields)
      start_.push_back(layout.arrayOffsetAfter + groups[field.group] + field.offsetInGroup);
  }
  uint64_t operator()(uint32_t leaf, const LanePlace& place) const {
    const LayoutField& field = layout_.fields[leaf];
    return start_[leaf] + place.element / elements_ * stride_ +
           place.element % elements_ * layout_.groups[field.group].stride + place.inner;
  }

private:
  const BufferLayout& layout_;
  uint64_t elements_ = 1, stride_ = 0;
  std::vector<uint64_t> start_; ///< by leaf
};

class AddressesBefore {
public:
  explicit AddressesBefore(const BufferView& view) : view_(view) {}
  uint64_t operator()(uint32_t leaf, const LanePlace& place) const {
    return view_.arrayOffset + place.element * view_.stride + view_.leaves[leaf].offset +
           place.inner;
  }

private:
  const BufferView& view_;
};

void addSectors(std::vector<uint64_t>& sectors, uint64_t at, uint32_t bytes, uint32_t sector) {
  for (uint64_t s = at / sector; s <= (at + bytes - 1) / sector; ++s) sectors.push_back(s);
}

constexpr uint32_t kNoWord = BufferCost::kNoWord;

/// By leaf: which of `words` holds it.
std::vector<uint32_t> wordOfEach(size_t leaves, const PackedWords& words) {
  std::vector<uint32_t> word(leaves, kNoWord);
  for (size_t w = 0; w < words.size(); ++w)
    for (const NarrowLeaf& n : words[w]) word[n.leaf] = uint32_t(w);
  return word;
}

/// One element's part of a group.
struct PlacedGroup {
  std::vector<uint32_t> offsets; ///< of each leaf, in bytes
  uint32_t stride = 0, align = 1;
};

PlacedGroup placeGroup(const BufferView& view, std::span<const uint32_t> leaves,
                       std::span<const uint32_t> wordOf) {
  PlacedGroup group;
  std::map<uint32_t, uint32_t> placed; // word, offset
  uint32_t end = 0;
  for (uint32_t n : leaves) {
    const ElementLeaf& leaf = view.leaves[n];
    const auto at = uint32_t(alignUp(end, leaf.align));
    group.align = std::max(group.align, leaf.align);
    if (wordOf[n] != kNoWord) {
      const auto [known, isNew] = placed.try_emplace(wordOf[n], at);
      group.offsets.push_back(known->second);
      if (isNew) end = at + leaf.size;
      continue;
    }
    group.offsets.push_back(at);
    end = at + leaf.size;
  }
  group.stride = uint32_t(alignUp(end, group.align));
  return group;
}

void setBits(BufferLayout& layout, const BufferView& view, const PackedWords& words) {
  for (const std::vector<NarrowLeaf>& word : words) {
    uint32_t at = 0;
    for (const NarrowLeaf& n : word) {
      LayoutField& field = layout.fields[n.leaf];
      field.bits = n.bits;
      field.firstBit = at;
      field.isSigned = view.leaves[n.leaf].type.starts_with("i");
      at += n.bits;
    }
  }
}

double countDistinct(std::vector<uint64_t>& sectors) {
  std::sort(sectors.begin(), sectors.end());
  return double(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
}

} // namespace

BufferCost::BufferCost(const BufferView& view, uint32_t sectorBytes)
    : view_(view), sector_(sectorBytes), samplesOf_(view.leaves.size()) {
  uint32_t align = 4;
  for (const ElementLeaf& leaf : view.leaves) align = std::max(align, leaf.align);
  start_ = alignUp(view.arrayOffset, align);
}

void BufferCost::add(BufferTraffic traffic) {
  isKnown_ = isKnown_ && traffic.isKnown;
  for (TrafficCluster& cluster : traffic.clusters) {
    for (size_t n = 0; n < cluster.samples.size(); ++n)
      samplesOf_[cluster.samples[n].leaf].push_back({clusters_.size(), n});
    clusters_.push_back(std::move(cluster));
  }
}

template <class Address>
TrafficCost BufferCost::count(const TrafficCluster& cluster, Address&& address) const {
  TrafficCost cost;
  std::vector<uint64_t> all, one;
  const size_t executions = cluster.samples.empty() ? 0 : cluster.samples.front().executions.size();
  for (size_t e = 0; e < executions; ++e) {
    all.clear();
    for (const TrafficSample& sample : cluster.samples) {
      one.clear();
      for (const LanePlace& place : sample.executions[e])
        addSectors(one, address(sample.leaf, place), sample.bytes, sector_);
      all.insert(all.end(), one.begin(), one.end());
      cost.requested += countDistinct(one) * cluster.weight / double(executions);
    }
    cost.fetched += countDistinct(all) * cluster.weight / double(executions);
  }
  return cost;
}

template <class Address>
TrafficCost BufferCost::countAll(Address&& address) const {
  TrafficCost sum;
  for (const TrafficCluster& cluster : clusters_) {
    const TrafficCost cost = count(cluster, address);
    sum.fetched += cost.fetched;
    sum.requested += cost.requested;
  }
  return sum;
}

TrafficCost BufferCost::before() const {
  return countAll(AddressesBefore(view_));
}
TrafficCost BufferCost::after(const BufferLayout& layout) const {
  return countAll(Addresses(layout));
}
TrafficCost BufferCost::cautiousAfter(const BufferLayout& layout) const {
  TrafficCost sum;
  for (const TrafficCluster& cluster : clusters_) {
    TrafficCost cost = count(cluster, Addresses(layout));
    if (cluster.isRandom) {
      const TrafficCost before = count(cluster, AddressesBefore(view_));
      cost.fetched = std::max(cost.fetched, before.fetched);
      cost.requested = std::max(cost.requested, before.requested);
    }
    sum.fetched += cost.fetched;
    sum.requested += cost.requested;
  }
  return sum;
}

template <class Address>
double BufferCost::average(uint32_t leaf, Address&& address) const {
  double sectors = 0, weight = 0;
  std::vector<uint64_t> one;
  for (const SampleOf& at : samplesOf_[leaf]) {
    const TrafficCluster& cluster = clusters_[at.cluster];
    const TrafficSample& sample = cluster.samples[at.sample];
    for (const std::vector<LanePlace>& places : sample.executions) {
      one.clear();
      for (const LanePlace& place : places)
        addSectors(one, address(leaf, place), sample.bytes, sector_);
      sectors += countDistinct(one) * cluster.weight;
      weight += cluster.weight;
    }
  }
  return weight == 0 ? 0 : sectors / weight;
}

double BufferCost::sectorsBefore(uint32_t leaf) const {
  return average(leaf, AddressesBefore(view_));
}
std::vector<double> BufferCost::sectorsAfter(const BufferLayout& layout) const {
  const Addresses addresses(layout);
  std::vector<double> sectors;
  for (uint32_t leaf = 0; leaf < samplesOf_.size(); ++leaf)
    sectors.push_back(average(leaf, addresses));
  return sectors;
}

std::vector<size_t> BufferCost::clustersOf(uint32_t leaf) const {
  std::vector<size_t> clusters;
  for (const SampleOf& at : samplesOf_[leaf])
    if (clusters.empty() || clusters.back() != at.cluster) clusters.push_back(at.cluster);
  return clusters;
}

double BufferCost::costTogether(std::span<const uint32_t> leaves, uint32_t tile,
                                std::span<const uint32_t> wordOf) const {
  struct Placed {
    SampleOf at;
    uint32_t offset;
  };
  const PlacedGroup group = placeGroup(view_, leaves, wordOf);
  std::vector<Placed> samples;
  for (size_t n = 0; n < leaves.size(); ++n)
    for (const SampleOf& at : samplesOf_[leaves[n]]) samples.push_back({at, group.offsets[n]});
  std::sort(samples.begin(), samples.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.at.cluster, a.at.sample) < std::pair(b.at.cluster, b.at.sample);
  });
  const uint64_t elements = tile == 0 ? kManyElements : tile;
  const uint64_t tileStride = alignUp(elements * group.stride, group.align);
  TrafficCost cost;
  std::vector<uint64_t> all, one;
  for (auto first = samples.begin(); first != samples.end();) {
    const TrafficCluster& cluster = clusters_[first->at.cluster];
    const auto last = std::find_if(
        first, samples.end(), [&](const Placed& p) { return p.at.cluster != first->at.cluster; });
    const size_t executions = cluster.samples.front().executions.size();
    for (size_t e = 0; e < executions; ++e) {
      all.clear();
      for (auto p = first; p != last; ++p) {
        const TrafficSample& sample = cluster.samples[p->at.sample];
        one.clear();
        for (const LanePlace& place : sample.executions[e])
          addSectors(one,
                     start_ + place.element / elements * tileStride +
                         place.element % elements * group.stride + p->offset + place.inner,
                     sample.bytes, sector_);
        placesCounted_ += sample.executions[e].size();
        all.insert(all.end(), one.begin(), one.end());
        cost.requested += countDistinct(one) * cluster.weight / double(executions);
      }
      cost.fetched += countDistinct(all) * cluster.weight / double(executions);
    }
    first = last;
  }
  return cost.total();
}

BufferLayout layoutOf(const BufferView& view, const LeafGroups& groups, uint32_t tile,
                      const PackedWords& words) {
  BufferLayout layout;
  layout.structName = view.structName;
  layout.arrayOffsetBefore = view.arrayOffset;
  layout.strideBefore = view.stride;
  layout.tile = tile;
  layout.count = view.count;
  layout.fields.resize(view.leaves.size());
  setBits(layout, view, words);
  const std::vector<uint32_t> wordOf = wordOfEach(view.leaves.size(), words);
  uint32_t largest = 1;
  for (const std::vector<uint32_t>& leaves : groups) {
    const PlacedGroup placed = placeGroup(view, leaves, wordOf);
    for (size_t n = 0; n < leaves.size(); ++n) {
      const ElementLeaf& leaf = view.leaves[leaves[n]];
      LayoutField& field = layout.fields[leaves[n]];
      field.path = leaf.path;
      field.type = leaf.type;
      field.offsetBefore = leaf.offset;
      field.size = leaf.size;
      field.group = uint32_t(layout.groups.size());
      field.offsetInGroup = placed.offsets[n];
    }
    const LayoutGroup group{placed.stride, std::max(4u, placed.align)};
    largest = std::max(largest, group.align);
    layout.groups.push_back(group);
  }
  layout.arrayOffsetAfter = alignUp(view.arrayOffset, largest);
  return layout;
}

BufferLayout soaLayout(const BufferView& view, LeafGroups groups, const PackedWords& words) {
  if (view.count) return layoutOf(view, groups, 0, words);
  // Powers of two in descending order divide whatever stands before them. One other stride may come
  // first if all that follow divide it.
  const BufferLayout natural = layoutOf(view, groups, 0, words);
  std::vector<std::pair<uint32_t, size_t>> byStride; // stride, group
  for (size_t g = 0; g < groups.size(); ++g) byStride.emplace_back(natural.groups[g].stride, g);
  std::stable_sort(byStride.begin(), byStride.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  const auto odd = std::find_if(byStride.begin(), byStride.end(),
                                [](const auto& g) { return !std::has_single_bit(g.first); });
  if (odd != byStride.end()) {
    const auto first = *odd;
    byStride.erase(odd);
    byStride.insert(byStride.begin(), first);
  }
  uint32_t largest = 1;
  for (size_t n = byStride.size(); n-- > 1;) {
    byStride[n].first = std::bit_ceil(byStride[n].first);
    largest = std::max(largest, byStride[n].first);
  }
  byStride.front().first = alignUp(byStride.front().first, largest);
  std::stable_sort(byStride.begin() + 1, byStride.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  LeafGroups ordered;
  for (const auto& [stride, g] : byStride) ordered.push_back(groups[g]);
  BufferLayout layout = layoutOf(view, ordered, 0, words);
  for (size_t g = 0; g < ordered.size(); ++g) {
    layout.groups[g].stride = byStride[g].first;
    // Never more than what the runs before it keep.
    layout.groups[g].align = std::min(layout.groups[g].align, std::bit_floor(byStride[g].first));
  }
  return layout;
}

namespace {

/// Fields that are used together.
struct Together {
  std::vector<uint32_t> leaves;
  double cost = 0;
};

/// Merges what costs no more together than apart, each with each.
void mergeAll(std::vector<Together>& groups, const BufferCost& cost, uint32_t tile,
              std::span<const uint32_t> wordOf) {
  for (size_t g = 0; g < groups.size(); ++g)
    for (size_t h = g + 1; h < groups.size();) {
      Together both{groups[g].leaves, 0};
      both.leaves.insert(both.leaves.end(), groups[h].leaves.begin(), groups[h].leaves.end());
      std::sort(both.leaves.begin(), both.leaves.end());
      both.cost = cost.costTogether(both.leaves, tile, wordOf);
      if (both.cost > (groups[g].cost + groups[h].cost) * (1 + 1e-9)) {
        ++h;
        continue;
      }
      groups[g] = std::move(both);
      groups.erase(groups.begin() + ptrdiff_t(h));
    }
}

/// Of more groups than this, each with each is tried among neighbours; then, among fewer, again.
constexpr size_t kMostWithEachOther = 64;

void mergeNeighbours(std::vector<Together>& groups, const BufferCost& cost, uint32_t tile,
                     std::span<const uint32_t> wordOf) {
  for (;;) {
    std::vector<Together> merged;
    for (size_t first = 0; first < groups.size(); first += kMostWithEachOther) {
      const size_t last = std::min(first + kMostWithEachOther, groups.size());
      std::vector<Together> some(std::make_move_iterator(groups.begin() + ptrdiff_t(first)),
                                 std::make_move_iterator(groups.begin() + ptrdiff_t(last)));
      mergeAll(some, cost, tile, wordOf);
      std::move(some.begin(), some.end(), std::back_inserter(merged));
    }
    const bool isDone = groups.size() <= kMostWithEachOther || merged.size() == groups.size();
    groups = std::move(merged);
    if (isDone) return;
  }
}

} // namespace

LeafGroups chooseGroups(const BufferView& view, const BufferCost& cost, uint32_t tile,
                        const PackedWords& words) {
  LeafGroups units; // what moves as one: a leaf, or the leaves of a word
  for (const std::vector<NarrowLeaf>& word : words) {
    std::vector<uint32_t>& unit = units.emplace_back();
    for (const NarrowLeaf& n : word) unit.push_back(n.leaf);
  }
  const std::vector<uint32_t> wordOf = wordOfEach(view.leaves.size(), words);
  for (uint32_t n = 0; n < view.leaves.size(); ++n)
    if (wordOf[n] == kNoWord) units.push_back({n});
  std::sort(units.begin(), units.end());
  if (!cost.isKnown()) return units;

  std::vector<uint32_t> cold;
  std::map<std::vector<size_t>, std::vector<Together>> byUse; // the clusters of the first leaf
  for (const std::vector<uint32_t>& unit : units) {
    if (std::any_of(unit.begin(), unit.end(), [&](uint32_t n) { return cost.isUsed(n); }))
      byUse[cost.clustersOf(unit.front())].push_back({unit, cost.costTogether(unit, tile, wordOf)});
    else
      cold.insert(cold.end(), unit.begin(), unit.end());
  }
  LeafGroups groups;
  for (auto& [clusters, together] : byUse) {
    mergeNeighbours(together, cost, tile, wordOf);
    for (Together& group : together) groups.push_back(std::move(group.leaves));
  }
  std::sort(groups.begin(), groups.end()); // by their first leaves
  std::sort(cold.begin(), cold.end());
  if (!cold.empty()) groups.push_back(std::move(cold));
  return groups;
}

} // namespace lanewise
