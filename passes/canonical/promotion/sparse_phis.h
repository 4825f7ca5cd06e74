// Where a variable needs phis, found from its stores and loads alone: the way for variables that
// live long and are rarely touched, for which a walk over all blocks where they live takes too
// long.
//
// R. Cytron et al., "Efficiently Computing Static Single Assignment Form and the Control Dependence
// Graph" (1991): iterated dominance frontiers. The nearest store or phi that dominates a block is
// found in one sweep over the dominator tree's order.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "ir/module.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanewise {

class SparsePhis {
public:
  SparsePhis(const Module& module, const Cfg& cfg, const Dominance& dominance)
      : module_(module), cfg_(cfg), dominance_(dominance) {}

  /// Finds out for a variable that `stores` write and `loads` read at their beginnings. False if
  /// the frontiers of the function are too large to be kept.
  bool compute(FunctionRef function, std::span<const BlockRef> stores,
               std::span<const BlockRef> loads);
  /// True if paths with different stores may meet at the beginning of the block.
  bool isMeeting(BlockRef b) const { return meetingMark_[b.value] == round_; }
  /// The nearest block that strictly dominates `b` and stores or is a meeting; null for none. For
  /// loads and the predecessors of meetings.
  BlockRef nearest(BlockRef b) const { return nearest_[b.value]; }

private:
  struct Entry {
    BlockRef block;
    uint32_t next;
  };
  bool collectFrontiers(FunctionRef function);
  void collectMeetings(std::span<const BlockRef> stores);
  void ask(BlockRef b);

  const Module& module_;
  const Cfg& cfg_;
  const Dominance& dominance_;
  enum class Frontiers : uint8_t { NotKnown, Known, TooLarge };
  std::vector<Frontiers> state_; ///< by FunctionRef
  std::vector<uint32_t> first_;  ///< by BlockRef: index + 1 into entries_, 0 at the end
  std::vector<Entry> entries_;

  uint32_t round_ = 0; ///< an entry of what follows counts where its mark is this
  std::vector<uint32_t> storeMark_, meetingMark_, askedMark_; ///< by BlockRef
  std::vector<BlockRef> nearest_;                             ///< by BlockRef
  std::vector<BlockRef> work_, asked_, stack_;
};

} // namespace lanewise
