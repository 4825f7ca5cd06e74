#include "validity/constructs.h"

#include <algorithm>

namespace lanewise::validity {

namespace {

/// The nesting of control flow that every consumer takes (2.17); walks up the tree are no longer.
constexpr uint32_t kDeepest = 1023;

} // namespace

ConstructTree::ConstructTree(const Module& module, const Cfg& cfg, const Dominators& structural,
                             FunctionRef function, const std::vector<BlockRef>& headerOfMerge,
                             const std::vector<BlockRef>& headerOfContinue)
    : first_(module.firstBlock(function).value), nodes_(1),
      innermost_(module.blockCount(function)) {
  // A dominator has a lower number in the tree's order than what it dominates.
  std::vector<BlockRef> order(innermost_.size());
  for (uint32_t n = 0; n < innermost_.size(); ++n) {
    const BlockRef b(first_ + n);
    if (structural.isReachable(b)) order[structural.pre[b.value] - first_] = b;
  }
  for (BlockRef b : order) {
    if (!b) break;
    place(cfg, structural, b, headerOfMerge, headerOfContinue);
    if (!shallow_) return;
  }
}

uint32_t ConstructTree::add(ConstructNode node) {
  node.depth = nodes_[node.parent].depth + 1;
  shallow_ &= node.depth <= 4 * kDeepest;
  nodes_.push_back(node);
  return uint32_t(nodes_.size() - 1);
}

uint32_t ConstructTree::leave(uint32_t from, BlockRef header, bool toParent) const {
  using Kind = ConstructNode::Kind;
  for (uint32_t n = from; n != 0; n = nodes_[n].parent) {
    const ConstructNode& c = nodes_[n];
    const bool isHeaded =
        c.kind == Kind::Selection || c.kind == Kind::Switch || c.kind == Kind::Loop;
    if (isHeaded && c.entry == header) return toParent ? c.parent : n;
    if (c.kind == Kind::Continue && nodes_[c.owner].entry == header)
      return toParent ? c.parent : c.owner;
  }
  return UINT32_MAX;
}

void ConstructTree::place(const Cfg& cfg, const Dominators& structural, BlockRef b,
                          const std::vector<BlockRef>& headerOfMerge,
                          const std::vector<BlockRef>& headerOfContinue) {
  using Kind = ConstructNode::Kind;
  const BlockRef dominator = structural.idom[b.value];
  uint32_t in = dominator ? innermost(dominator) : 0;
  if (const BlockRef header = headerOfMerge[b.value])
    if (const uint32_t outer = leave(in, header, true); outer != UINT32_MAX) in = outer;
  if (const BlockRef header = headerOfContinue[b.value]; header && header != b)
    if (const uint32_t loop = leave(in, header, false); loop != UINT32_MAX)
      in = add({Kind::Continue, b, nodes_[loop].merge, b, nodes_[loop].parent, loop, 0});
  // The header names each of its cases, so that it is their immediate dominator.
  const std::span<const BlockRef> from = cfg.predecessors(b);
  if (nodes_[in].kind == Kind::Switch && nodes_[in].entry == dominator &&
      std::binary_search(from.begin(), from.end(), dominator))
    in = add({Kind::Case, b, nodes_[in].merge, {}, in, in, 0});
  if (const Construct* c = cfg.constructAt(b)) {
    const Kind kind = c->kind == Construct::Kind::Loop     ? Kind::Loop
                      : c->kind == Construct::Kind::Switch ? Kind::Switch
                                                           : Kind::Selection;
    in = add({kind, b, c->merge, c->continueTarget, in, 0, 0});
  }
  innermost_[b.value - first_] = in;
}

} // namespace lanewise::validity
