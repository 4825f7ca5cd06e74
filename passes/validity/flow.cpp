#include "validity/flow.h"

#include "analysis/control_flow/dominator_tree.h"

namespace lanewise::validity {

namespace {

/// `successors(block, visit)` and `predecessors(block, visit)` are those of the graph.
template <class Successors, class Predecessors>
Dominators dominatorsOf(const Module& module, Successors&& successors,
                        Predecessors&& predecessors) {
  Dominators d(module.blockCount());
  DominatorTree tree;
  for (uint32_t f = 1; f <= module.functionCount(); ++f) {
    const uint32_t n = module.blockCount(FunctionRef(f));
    if (n == 0) continue;
    const uint32_t first = module.firstBlock(FunctionRef(f)).value;
    if (n == 1) {
      d.pre[first] = d.post[first] = first;
      continue;
    }
    tree.compute(
        n, 0,
        [&](uint32_t b, auto&& visit) {
          successors(BlockRef(first + b), [&](BlockRef s) { visit(s.value - first); });
        },
        [&](uint32_t b, auto&& visit) {
          predecessors(BlockRef(first + b), [&](BlockRef p) { visit(p.value - first); });
        });
    // Intervals of different functions do not meet: each starts behind the blocks before it.
    const uint32_t base = first - 1;
    for (uint32_t v = 1; v <= tree.reached(); ++v) {
      const uint32_t b = first + tree.node(v);
      if (v > 1) d.idom[b] = BlockRef(first + tree.node(tree.idom(v)));
      d.pre[b] = base + tree.pre(v);
      d.post[b] = base + tree.post(v);
    }
  }
  return d;
}

Dominators plainDominators(const Module& module, const Cfg& cfg) {
  return dominatorsOf(
      module,
      [&](BlockRef b, auto&& visit) {
        for (BlockRef s : cfg.successors(b)) visit(s);
      },
      [&](BlockRef b, auto&& visit) {
        for (BlockRef p : cfg.predecessors(b)) visit(p);
      });
}

} // namespace

Flow::Flow(const Module& module) : cfg(module), dominators(plainDominators(module, cfg)) {}

Dominators structuralDominators(const Module& module, const Cfg& cfg) {
  // Headers that name a block, by block, as one list in order.
  const uint32_t blocks = module.blockCount();
  std::vector<uint32_t> start(size_t(blocks) + 2, 0);
  const auto forEachEdge = [&](auto&& visit) {
    for (const Construct& c : cfg.constructs()) {
      if (c.merge) visit(c.header, c.merge);
      if (c.continueTarget) visit(c.header, c.continueTarget);
    }
  };
  forEachEdge([&](BlockRef, BlockRef to) { ++start[to.value + 1]; });
  for (size_t b = 1; b < start.size(); ++b) start[b] += start[b - 1];
  std::vector<BlockRef> headers(start.back());
  std::vector<uint32_t> next(start.begin(), start.end() - 1);
  forEachEdge([&](BlockRef from, BlockRef to) { headers[next[to.value]++] = from; });
  return dominatorsOf(
      module, [&](BlockRef b, auto&& visit) { forEachStructuralSuccessor(cfg, b, visit); },
      [&](BlockRef b, auto&& visit) {
        for (BlockRef p : cfg.predecessors(b)) visit(p);
        for (uint32_t n = start[b.value]; n < start[b.value + 1]; ++n) visit(headers[n]);
      });
}

} // namespace lanewise::validity
