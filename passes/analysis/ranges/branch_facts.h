// What branches say of integers: relations between two values that hold in a block because every
// way to it goes over an edge that is taken only when they do.
//
//   if (i < n && n <= 64u) { ... }     in the arm:  i < n,  n <= 64
//
// They hold for the values that the two ids have there: what a condition is computed from dominates
// it, so none of it can take a new value without the branch being taken anew.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/analyses.h"
#include "analysis/module/comparison.h"
#include "analysis/ranges/value_slots.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace lanewise {

/// `a` stands in the relation to `b`.
struct Fact {
  Slot a, b;
  Relation relation{};
  bool isSigned = false;
  InstRef source; ///< the comparison, or what defines the Boolean that was tested

  Fact mirrored() const { return {b, a, lanewise::mirrored(relation), isSigned, source}; }
};

class BranchFacts {
public:
  /// Adds literals to `slots`; those of conditions are never undefined values.
  BranchFacts(Analyses& analyses, ValueSlots& slots);

  /// Whether something is known of the value anywhere.
  bool has(Slot slot) const {
    return slot.value + 1 < start_.size() && start_[slot.value] != start_[slot.value + 1];
  }
  /// Calls `visit(const Fact&)`, the value as `a`, for what is known of it in a block: of the last
  /// kMostNear tests that lead there, the outermost first. Of literals nothing more is known.
  template <class Visit>
  void forEach(Slot slot, BlockRef at, Visit&& visit) const {
    if (!has(slot)) return;
    std::array<uint32_t, kMostNear> near;
    uint32_t count = 0;
    for (uint32_t n = nearest(slot, at); n != kNone && count < kMostNear; n = links_[n].outer)
      near[count++] = links_[n].fact;
    while (count > 0) {
      const Fact& fact = facts_[near[--count]].fact;
      visit(fact.a == slot ? fact : fact.mirrored());
    }
  }
  /// The same for all blocks together.
  template <class Visit>
  void forEachAnywhere(Slot slot, Visit&& visit) const {
    if (!has(slot)) return;
    for (uint32_t n = start_[slot.value]; n < start_[slot.value + 1]; ++n) {
      const Fact& fact = facts_[links_[n].fact].fact;
      visit(fact.a == slot ? fact : fact.mirrored());
    }
  }
  /// What holds on the way from one block to the next, beside what holds at the end of the first.
  std::span<const Fact> onEdge(BlockRef from, BlockRef to) const;
  /// What follows from the value of a condition, where that is used.
  std::vector<Fact> of(Slot condition, bool isTrue) const;

private:
  struct Placed {
    Fact fact;
    BlockRef place;
  };
  /// A fact in the list of one of its values.
  struct Link {
    uint32_t fact = 0;      ///< into facts_
    uint32_t outer = kNone; ///< the one that holds wherever this one does; into links_
  };
  /// From this place of the walk down the dominator tree on, until the next one of the value.
  struct Reach {
    uint32_t preorder = UINT32_MAX; ///< nowhere
    uint32_t link = kNone;          ///< the innermost fact that holds there; into links_
  };
  struct Edge {
    BlockRef to, from;
    uint32_t first = 0, count = 0; ///< into edgeFacts_
    auto operator<=>(const Edge&) const = default;
  };
  /// The least and the most literal of a switch that lead to one block.
  struct Cases {
    uint64_t least = 0, most = 0;
  };

  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint32_t kMostNear = 32;

  void collect();
  void collectEdges(BlockRef to);
  void sortByValue();
  void nest(uint32_t first, uint32_t last);
  uint32_t nearest(Slot slot, BlockRef at) const;
  void collectCases(InstRef branch);
  void add(std::vector<Fact>& facts, const Fact& fact) const;
  void decompose(Slot condition, bool isTrue, uint32_t depth, std::vector<Fact>& facts) const;
  void decomposePhi(Slot phi, bool isTrue, uint32_t depth, std::vector<Fact>& facts) const;
  bool isImpossible(Slot incoming, bool isTrue, BlockRef from, BlockRef to) const;
  std::vector<Fact> ofEdge(BlockRef from, BlockRef to, uint32_t depth) const;
  void ofSwitch(InstRef branch, BlockRef to, std::vector<Fact>& facts) const;
  BlockRef entryEdge(BlockRef block) const;
  bool isDefinedAbove(Slot slot, BlockRef block) const;
  Slot truth(bool isTrue) const { return isTrue ? true_ : false_; }
  Slot operand(Slot result, uint32_t word) const;

  const Module& module_;
  const Cfg& cfg_;
  const Dominance& dominance_;
  ValueSlots& slots_;
  Slot true_, false_;
  std::vector<Placed> facts_;
  std::vector<uint32_t> start_; ///< by Slot, into links_
  std::vector<Link> links_;
  std::vector<Reach> reaches_; ///< two for each of links_, as far as there are so many
  std::vector<Edge> edges_;    ///< into blocks with phis, sorted
  std::vector<Fact> edgeFacts_;
  std::map<std::pair<InstRef, Id>, Cases> cases_; ///< by switch and label
};

} // namespace lanewise
