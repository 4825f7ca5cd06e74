// What the lanes of a subgroup ask of an array of structs, as samples that can be counted under any
// layout. An estimate: for cost only.
//
// Accesses of one buffer in one basic block are counted together, because what one of them leaves
// of a sector another one finds in the cache. An index that depends on data is taken to lead
// anywhere: each lane gets an element of its own, the same one for every field that it reads there.
#pragma once

#include "analysis/buffers/buffer_uses.h"
#include "lanewise/target_profile.h"

#include <cstdint>
#include <vector>

namespace lanewise {

/// Where one lane goes: an element, and bytes from the start of the leaf.
struct LanePlace {
  uint64_t element = 0;
  uint64_t inner = 0;
};

/// One access of one leaf by the active lanes of some subgroups.
struct TrafficSample {
  uint32_t leaf = 0;
  uint32_t bytes = 0;
  bool isRead = false, isWrite = false;
  std::vector<std::vector<LanePlace>> executions; ///< of each subgroup that was looked at
};

/// What is accessed together.
struct TrafficCluster {
  bool isRandom = false; ///< the indices depend on data
  double weight = 1;     ///< how often a subgroup comes by, over all dispatches
  std::vector<TrafficSample> samples;
};

struct BufferTraffic {
  /// The workgroup size of every entry point with an access is known.
  bool isKnown = true;
  std::vector<TrafficCluster> clusters;
};

/// `workgroups`: how many the dispatches have in all; 1 where that is not known.
BufferTraffic collectTraffic(Analyses& analyses, const BufferView& view,
                             const TargetProfile& target, double workgroups);

/// Sectors that a layout makes a subgroup touch, added up over everything by weight.
struct TrafficCost {
  double fetched = 0;   ///< different sectors of each cluster
  double requested = 0; ///< sectors of each access for itself: what the first cache answers
  /// What the two are worth together. The share of `requested` was fitted to sequential reads of 1,
  /// 4 and 11 of 11 fields on an NVIDIA H200.
  double total() const { return fetched + 0.05 * requested; }
};

} // namespace lanewise
