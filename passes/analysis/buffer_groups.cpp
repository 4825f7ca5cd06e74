#include "analysis/buffer_groups.h"

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
    for (const LayoutField& field : layout.fields)
      start_.push_back(layout.arrayOffsetAfter + layout.groupOffset(field.group, elements_) +
                       field.offsetInGroup);
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

std::optional<size_t> wordOf(const PackedWords& words, uint32_t leaf) {
  for (size_t w = 0; w < words.size(); ++w)
    for (const NarrowLeaf& n : words[w])
      if (n.leaf == leaf) return w;
  return std::nullopt;
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

void BufferCost::add(BufferTraffic traffic) {
  isKnown_ = isKnown_ && traffic.isKnown;
  std::move(traffic.clusters.begin(), traffic.clusters.end(), std::back_inserter(clusters_));
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
  for (const TrafficCluster& cluster : clusters_)
    for (const TrafficSample& sample : cluster.samples)
      for (const std::vector<LanePlace>& places : sample.executions) {
        if (sample.leaf != leaf) continue;
        one.clear();
        for (const LanePlace& place : places)
          addSectors(one, address(leaf, place), sample.bytes, sector_);
        sectors += countDistinct(one) * cluster.weight;
        weight += cluster.weight;
      }
  return weight == 0 ? 0 : sectors / weight;
}

double BufferCost::sectorsBefore(uint32_t leaf) const {
  return average(leaf, AddressesBefore(view_));
}
double BufferCost::sectorsAfter(uint32_t leaf, const BufferLayout& layout) const {
  return average(leaf, Addresses(layout));
}

bool BufferCost::isUsed(uint32_t leaf) const {
  for (const TrafficCluster& cluster : clusters_)
    for (const TrafficSample& sample : cluster.samples)
      if (sample.leaf == leaf) return true;
  return false;
}

bool BufferCost::areTogether(uint32_t a, uint32_t b) const {
  for (const TrafficCluster& cluster : clusters_) {
    size_t usesA = 0, usesB = 0;
    for (const TrafficSample& sample : cluster.samples) {
      usesA += sample.leaf == a;
      usesB += sample.leaf == b;
    }
    if ((usesA != 0) != (usesB != 0)) return false;
  }
  return true;
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
  uint32_t largest = 1;
  for (const std::vector<uint32_t>& leaves : groups) {
    std::map<size_t, uint32_t> placed; // word, offset
    LayoutGroup group;
    uint32_t end = 0, align = 1;
    for (uint32_t n : leaves) {
      const ElementLeaf& leaf = view.leaves[n];
      LayoutField& field = layout.fields[n];
      field.path = leaf.path;
      field.type = leaf.type;
      field.offsetBefore = leaf.offset;
      field.size = leaf.size;
      field.group = uint32_t(layout.groups.size());
      align = std::max(align, leaf.align);
      if (const auto word = wordOf(words, n)) {
        const auto [known, isNew] = placed.try_emplace(*word, alignUp(end, leaf.align));
        field.offsetInGroup = known->second;
        if (isNew) end = field.offsetInGroup + leaf.size;
        continue;
      }
      field.offsetInGroup = alignUp(end, leaf.align);
      end = field.offsetInGroup + leaf.size;
    }
    group.stride = alignUp(end, align);
    group.align = std::max(4u, align);
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

LeafGroups chooseGroups(const BufferView& view, const BufferCost& cost, uint32_t tile,
                        const PackedWords& words) {
  LeafGroups groups;
  std::vector<uint32_t> cold;
  std::vector<std::vector<uint32_t>> units; // what moves as one: a leaf, or the leaves of a word
  for (const std::vector<NarrowLeaf>& word : words) {
    std::vector<uint32_t>& unit = units.emplace_back();
    for (const NarrowLeaf& n : word) unit.push_back(n.leaf);
  }
  for (uint32_t n = 0; n < view.leaves.size(); ++n)
    if (!wordOf(words, n)) units.push_back({n});
  std::sort(units.begin(), units.end());
  for (const std::vector<uint32_t>& unit : units) {
    const bool isUsed =
        std::any_of(unit.begin(), unit.end(), [&](uint32_t n) { return cost.isUsed(n); });
    if (cost.isKnown() && !isUsed)
      cold.insert(cold.end(), unit.begin(), unit.end());
    else
      groups.push_back(unit);
  }
  std::sort(cold.begin(), cold.end());
  auto totalOf = [&](const LeafGroups& some) {
    LeafGroups whole = some;
    if (!cold.empty()) whole.push_back(cold);
    return cost.after(layoutOf(view, whole, tile, words)).total();
  };
  double best = cost.isKnown() ? totalOf(groups) : 0;
  for (size_t g = 0; cost.isKnown() && g < groups.size(); ++g)
    for (size_t h = g + 1; h < groups.size();) {
      if (!cost.areTogether(groups[g].front(), groups[h].front())) {
        ++h;
        continue;
      }
      LeafGroups merged = groups;
      merged[g].insert(merged[g].end(), groups[h].begin(), groups[h].end());
      std::sort(merged[g].begin(), merged[g].end());
      merged.erase(merged.begin() + ptrdiff_t(h));
      const double total = totalOf(merged);
      if (total > best * (1 + 1e-9)) {
        ++h;
        continue;
      }
      best = total;
      groups = std::move(merged);
    }
  if (!cold.empty()) groups.push_back(std::move(cold));
  return groups;
}

} // namespace lanewise
