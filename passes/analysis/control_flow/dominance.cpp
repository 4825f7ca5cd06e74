#include "analysis/control_flow/dominance.h"

#include "analysis/control_flow/dominator_tree.h"

namespace lanewise {

Dominance::Dominance(Analyses& analyses) {
  const Module& module = analyses.module();
  const Cfg& cfg = analyses.get<Cfg>();
  const size_t blocks = size_t(module.blockCount()) + 1;
  idom_.assign(blocks, BlockRef());
  ipdom_.assign(blocks, BlockRef());
  for (auto* interval : {&pre_, &post_, &ppre_, &ppost_}) interval->assign(blocks, 0);

  DominatorTree tree;
  for (uint32_t f = 1; f <= module.functionCount(); ++f) {
    const FunctionRef function(f);
    const uint32_t n = module.blockCount(function);
    if (n == 0) continue;
    const uint32_t first = module.firstBlock(function).value;
    // Intervals of different functions do not meet: each starts behind those of the blocks before
    // it.
    const uint32_t base = first - 1;

    auto successors = [&](uint32_t b, auto&& visit) {
      for (BlockRef s : cfg.successors(BlockRef(first + b))) visit(s.value - first);
    };
    auto predecessors = [&](uint32_t b, auto&& visit) {
      for (BlockRef p : cfg.predecessors(BlockRef(first + b)))
        if (cfg.isReachable(p)) visit(p.value - first);
    };
    tree.compute(n, 0, successors, predecessors);
    for (uint32_t v = 1; v <= tree.reached(); ++v) {
      const uint32_t b = first + tree.node(v);
      if (v > 1) idom_[b] = BlockRef(first + tree.node(tree.idom(v)));
      pre_[b] = base + tree.pre(v);
      post_[b] = base + tree.post(v);
    }

    // The reversed graph. Its root, the virtual exit, is node n.
    const std::span<const BlockRef> reachable = cfg.reversePostOrder(function);
    tree.compute(
        n + 1, n,
        [&](uint32_t b, auto&& visit) {
          if (b != n) return predecessors(b, visit);
          for (BlockRef r : reachable)
            if (cfg.successors(r).empty()) visit(r.value - first);
        },
        [&](uint32_t b, auto&& visit) {
          if (b == n) return;
          successors(b, visit);
          if (cfg.successors(BlockRef(first + b)).empty()) visit(n);
        });
    for (uint32_t v = 2; v <= tree.reached(); ++v) {
      const uint32_t b = first + tree.node(v);
      if (tree.idom(v) != 1) ipdom_[b] = BlockRef(first + tree.node(tree.idom(v)));
      // The virtual exit took 1, so blocks have from 2 to n + 1.
      ppre_[b] = base + tree.pre(v) - 1;
      ppost_[b] = base + tree.post(v) - 1;
    }
  }
}

BlockRef Dominance::commonDominator(BlockRef a, BlockRef b) const {
  // From both at once: one of them may be far down.
  for (; a && b; a = idom_[a.value], b = idom_[b.value]) {
    if (dominates(a, b)) return a;
    if (dominates(b, a)) return b;
  }
  return {};
}

bool Dominance::dominates(const Module& module, InstRef a, InstRef b) const {
  const BlockRef blockA = module.blockOf(a), blockB = module.blockOf(b);
  return dominates(blockA, blockB) && (blockA != blockB || a < b);
}

} // namespace lanewise
