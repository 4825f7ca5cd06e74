// The paths between barriers: which stretches of code lie between a barrier and its neighbours,
// over branches, back edges and calls.
//
// The code of one entry point is cut into segments: runs of instructions without a barrier or call
// inside. A search from a barrier goes forward or backward through segments until barriers that
// the caller names stop it. Calls are entered and left; a function that is called from several
// places is left towards all of them (conservative: there may be paths that no execution takes).
#pragma once

#include "analysis/control_flow/loops.h"
#include "analysis/module/analyses.h"
#include "analysis/module/barriers.h"
#include "analysis/module/entry_points.h"
#include "ir/module.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace lanewise {

enum class Direction : uint8_t { Forward, Backward };

struct Segment {
  enum class End : uint8_t { Block, Barrier, Call };
  BlockRef block;
  InstRange insts; ///< without the barrier or call at its end
  End end = End::Block;
  uint32_t barrier = 0; ///< with End::Barrier: index into BarrierFlow::barriers()
  bool hasSubgroupOperation = false;
};

/// True when the result of the instruction depends on which invocations execute it together.
bool isSubgroupOperation(const Module& module, InstRef inst);

/// How often the header of a loop is passed on a way, as a set of possibilities.
struct Crossings {
  static constexpr uint8_t kNone = 1; ///< never
  static constexpr uint8_t kOnce = 2; ///< once, by an edge from inside the loop: one iteration on
  static constexpr uint8_t kMany = 4; ///< more often, or the loop is entered anew
  uint8_t ways = 0;

  /// The possibilities of one way behind the other.
  static Crossings sum(Crossings a, Crossings b);
};

class BarrierFlow {
public:
  BarrierFlow(Analyses& analyses, const EntryPoint& entry);

  const EntryPoint& entryPoint() const { return entry_; }
  /// Of the functions that the entry point may run, in module order.
  std::span<const Barrier> barriers() const { return barriers_; }
  /// The segment that ends with the barrier.
  uint32_t segmentBefore(uint32_t barrier) const { return endsWith_[barrier]; }
  std::span<const Segment> segments() const { return segments_; }

  /// What a search found.
  struct Region {
    Direction direction{};
    std::vector<uint32_t> segments;  ///< in the order of discovery
    std::vector<uint32_t> passed;    ///< barriers on the way that did not stop it; ascending
    std::vector<uint32_t> stoppedBy; ///< ascending
    bool reachesEnd = false;         ///< of the entry point (Backward: its start)
  };
  using Stops = std::function<bool(uint32_t barrier)>;

  /// Everything from behind the barrier on (Forward) or in front of it (Backward), up to barriers
  /// for which `stops` is true. The barrier itself does not stop the search.
  Region search(uint32_t barrier, Direction direction, const Stops& stops) const;

  /// For each segment, how often a way from the barrier to it (Backward: from it to the barrier)
  /// may pass the header of `loop`, under the same `stops`. Indexed like segments().
  std::vector<Crossings> crossings(uint32_t barrier, Direction direction, const Stops& stops,
                                   const Loop& loop) const;

  /// True when nothing but the given barriers may stand between the two in one block: no access, no
  /// call, no subgroup operation. `second` is the next barrier after `first`.
  bool areAdjacent(uint32_t first, uint32_t second,
                   const std::function<bool(const Segment&)>& isEmpty) const;

private:
  struct Edge {
    uint32_t from, to;
  };
  /// The segments at the other ends of edges, in rows (compressed sparse rows).
  struct Neighbours {
    std::vector<uint32_t> start; ///< by segment, into list
    std::vector<uint32_t> list;

    template <class Turn>
    void fill(std::span<const Edge> edges, size_t segments, Turn&& turn);
    std::span<const uint32_t> of(uint32_t segment) const {
      return {list.data() + start[segment], list.data() + start[segment + 1]};
    }
  };

  void cut(FunctionRef function);
  void cutBlock(BlockRef block);
  std::vector<Edge> connect() const;
  std::vector<uint32_t> starts(uint32_t barrier, Direction direction) const;

  Analyses& analyses_;
  const Module& module_;
  const EntryPoint& entry_;
  std::vector<Segment> segments_;
  std::vector<Barrier> barriers_;
  std::vector<uint32_t> endsWith_;     ///< by barrier
  std::vector<uint32_t> firstSegment_; ///< by BlockRef; kNone for none
  Neighbours next_, previous_;
};

} // namespace lanewise
