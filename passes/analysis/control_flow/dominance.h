// Dominance and post-dominance over reachable blocks. Exact. Post-dominance is dominance over the
// reversed graph with one virtual exit behind every block without successors. Holds BlockRefs only.
//
// Algorithm: T. Lengauer, R. Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph"
// (1979), the simple version with path compression: O(edges * log blocks) for every graph, where
// the iterative algorithm of Cooper, Harvey and Kennedy needs quadratic time for a long chain of
// early exits.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/module/analyses.h"

#include <string_view>
#include <vector>

namespace lanewise {

class Dominance {
public:
  static constexpr std::string_view kAnalysisName = "Dominance";

  explicit Dominance(Analyses& analyses);

  /// Immediate dominator, null for an entry block and for unreachable blocks.
  BlockRef idom(BlockRef b) const { return idom_[b.value]; }
  /// True if every path from the entry to `b` passes `a`; a block dominates itself. False when
  /// either is unreachable or they belong to different functions.
  bool dominates(BlockRef a, BlockRef b) const {
    return pre_[a.value] != 0 && pre_[a.value] <= pre_[b.value] && post_[b.value] <= post_[a.value];
  }
  /// The block farthest down the tree that dominates both; null when either is unreachable or they
  /// belong to different functions. Linear in the shorter of the ways up from the two.
  BlockRef commonDominator(BlockRef a, BlockRef b) const;
  /// Number of the block in a walk down its function's dominator tree: behind that of its
  /// dominators, and what it dominates follows before anything else. From 1 to the blocks of the
  /// module, those of a function behind those of the functions before it. 0 for unreachable blocks.
  uint32_t preorder(BlockRef b) const { return pre_[b.value]; }
  /// The last number that it, or a block that it dominates, has there.
  uint32_t lastPreorder(BlockRef b) const { return post_[b.value]; }
  /// Immediate post-dominator; null when it is the virtual exit, or when no exit can be reached.
  BlockRef ipdom(BlockRef b) const { return ipdom_[b.value]; }
  /// True if every path from `b` to an exit passes `a`; a block post-dominates itself. False when
  /// an exit cannot be reached from `a` or `b` (an endless loop), or either is unreachable. A path
  /// that never ends does not count: behind a loop that may be endless, blocks still post-dominate
  /// it.
  bool postDominates(BlockRef a, BlockRef b) const {
    return ppre_[a.value] != 0 && ppre_[a.value] <= ppre_[b.value] &&
           ppost_[b.value] <= ppost_[a.value];
  }
  /// True if the instruction `a` is executed before `b` on every path to `b` (both in blocks). An
  /// instruction does not come before itself. False when either is unreachable.
  bool dominates(const Module& module, InstRef a, InstRef b) const;

  bool operator==(const Dominance&) const = default;

private:
  std::vector<BlockRef> idom_, ipdom_; ///< by BlockRef
  std::vector<uint32_t> pre_, post_;   ///< interval of the dominator tree, 0 for unreachable
  std::vector<uint32_t> ppre_, ppost_; ///< of the post-dominator tree
};

} // namespace lanewise
