// Control flow as validity asks for it: edges with and without those of merge instructions, and
// what dominates what in both graphs (SPIR-V 2.11: structural dominance).
#pragma once

#include "analysis/control_flow/cfg.h"

#include <cstdint>
#include <vector>

namespace lanewise::validity {

/// Immediate dominators and intervals of the dominator tree of each function. Blocks that its entry
/// does not reach have none.
class Dominators {
public:
  explicit Dominators(uint32_t blocks) : idom(blocks + 1), pre(blocks + 1), post(blocks + 1) {}

  bool isReachable(BlockRef b) const { return pre[b.value] != 0; }
  /// A block dominates itself. False when either is unreachable.
  bool dominates(BlockRef a, BlockRef b) const {
    return pre[a.value] != 0 && pre[a.value] <= pre[b.value] && post[b.value] <= post[a.value];
  }

  std::vector<BlockRef> idom; ///< null for entry blocks
  std::vector<uint32_t> pre, post;
};

class Flow {
public:
  explicit Flow(const Module& module);

  const Cfg cfg;
  const Dominators dominators;
};

/// Dominators over the edges of branches and those from headers to merge blocks and continue
/// targets.
Dominators structuralDominators(const Module& module, const Cfg& cfg);

/// Successors with the structural ones first: merge block, continue target, targets of the branch.
template <class Visitor>
void forEachStructuralSuccessor(const Cfg& cfg, BlockRef b, Visitor&& visit) {
  if (const Construct* c = cfg.constructAt(b)) {
    if (c->merge) visit(c->merge);
    if (c->continueTarget) visit(c->continueTarget);
  }
  for (BlockRef s : cfg.successors(b)) visit(s);
}

} // namespace lanewise::validity
