#include "canonical/support/construct_nesting.h"

#include <algorithm>

namespace lanewise {

ConstructNesting::ConstructNesting(const Module& module, const Cfg& cfg) {
  const size_t blocks = size_t(module.blockCount()) + 1;
  enclosing_.resize(blocks);
  headerOfMerge_.resize(blocks);
  headerOfContinue_.resize(blocks);
  depth_.resize(blocks);
  isInContinue_.resize(blocks);
  state_.resize(blocks);
  for (const Construct& c : cfg.constructs()) {
    if (c.merge && !headerOfMerge_[c.merge.value]) headerOfMerge_[c.merge.value] = c.header;
    if (c.continueTarget && !headerOfContinue_[c.continueTarget.value])
      headerOfContinue_[c.continueTarget.value] = c.header;
  }
  orderStart_.resize(size_t(module.functionCount()) + 2);
  order_.reserve(blocks);
  for (uint32_t f = 1; f <= module.functionCount(); ++f) {
    orderStart_[f] = uint32_t(order_.size());
    orderFunction(module, cfg, FunctionRef(f));
    for (uint32_t n = orderStart_[f]; n < order_.size(); ++n) place(cfg, order_[n]);
  }
  orderStart_[module.functionCount() + 1] = uint32_t(order_.size());
}

/// Reverse post-order of a walk that takes merge block and continue target for successors, and
/// visits them first: so they come last.
void ConstructNesting::orderFunction(const Module& module, const Cfg& cfg, FunctionRef f) {
  if (module.blockCount(f) == 0) return;
  struct Visit {
    BlockRef block;
    uint32_t left; ///< neighbours not yet looked at: successors first to last, continue, merge
  };
  std::vector<Visit> stack;
  const auto push = [&](BlockRef b) {
    if (!b || module.functionOf(b) != f || state_[b.value] != 0) return;
    state_[b.value] = 1;
    stack.push_back({b, uint32_t(cfg.successors(b).size()) + 2});
  };
  push(module.firstBlock(f));
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.left == 0) {
      order_.push_back(top.block);
      stack.pop_back();
      continue;
    }
    const uint32_t n = --top.left, successors = uint32_t(cfg.successors(top.block).size());
    const Construct* c = cfg.constructAt(top.block);
    if (n < successors)
      push(cfg.successors(top.block)[n]);
    else if (c)
      push(n == successors ? c->continueTarget : c->merge);
  }
  std::reverse(order_.begin() + orderStart_[f.value], order_.end());
}

/// Innermost construct that holds both of two constructs (by header, null for none).
BlockRef ConstructNesting::common(BlockRef a, BlockRef b) const {
  while (a != b) {
    if (!a || !b) return {};
    // The header of a construct stands one level above what is in it.
    if (depth_[a.value] >= depth_[b.value])
      a = enclosing_[a.value];
    else
      b = enclosing_[b.value];
  }
  return a;
}

void ConstructNesting::place(const Cfg& cfg, BlockRef b) {
  BlockRef in;
  if (const BlockRef header = headerOfMerge_[b.value]) {
    in = enclosing_[header.value];
    isInContinue_[b.value] = isInContinue_[header.value];
  } else if (const BlockRef loop = headerOfContinue_[b.value]; loop && loop != b) {
    in = loop;
    isInContinue_[b.value] = 1;
  } else {
    bool isFirst = true;
    for (BlockRef p : cfg.predecessors(b)) {
      if (state_[p.value] != 2) continue; // a back edge, or from nowhere
      const BlockRef from = cfg.constructAt(p) ? p : enclosing_[p.value];
      in = isFirst ? from : common(in, from);
      isInContinue_[b.value] = isInContinue_[p.value];
      isFirst = false;
    }
  }
  enclosing_[b.value] = in;
  depth_[b.value] = in ? depth_[in.value] + 1 : 0;
  state_[b.value] = 2;
}

} // namespace lanewise
