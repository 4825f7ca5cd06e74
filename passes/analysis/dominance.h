// Dominance and post-dominance over reachable blocks. Exact. Algorithm: K. Cooper, T. Harvey, K. Kennedy,
// "A Simple, Fast Dominance Algorithm" (2001); post-dominance over the reversed graph with one virtual exit
// behind every block without successors.
#pragma once

#include "analysis/cfg.h"

#include <vector>

namespace lanewise {

class Dominance {
public:
  Dominance(const Module& module, const Cfg& cfg);

  /// Immediate dominator, null for an entry block and for unreachable blocks.
  BlockRef idom(BlockRef b) const { return idom_[b.value]; }
  /// True if every path from the entry to `b` passes `a`; a block dominates itself. False when either is
  /// unreachable or they belong to different functions.
  bool dominates(BlockRef a, BlockRef b) const;
  /// Immediate post-dominator; null when it is the virtual exit, or when no exit can be reached.
  BlockRef ipdom(BlockRef b) const { return ipdom_[b.value]; }
  /// True if every path from `b` to an exit passes `a`. False when an exit cannot be reached from `b`.
  bool postDominates(BlockRef a, BlockRef b) const;
  /// True if the instruction `a` is executed before `b` on every path to `b` (both in blocks).
  bool dominates(const Module& module, InstRef a, InstRef b) const;

  bool operator==(const Dominance&) const = default;

private:
  std::vector<BlockRef> idom_, ipdom_;
  std::vector<uint32_t> pre_, post_;   ///< interval of the dominator tree, 0 for unreachable
  std::vector<uint32_t> ppre_, ppost_; ///< of the post-dominator tree
};

} // namespace lanewise
