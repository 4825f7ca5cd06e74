#include "canonical/support/block_order.h"

#include <vector>

namespace lanewise {
namespace {

std::vector<BlockRef> orderOf(const Module& module, const Cfg& cfg, FunctionRef f) {
  const uint32_t first = module.firstBlock(f).value, count = module.blockCount(f);
  std::vector<uint8_t> isDone(count), isWaiting(count);
  std::vector<BlockRef> order, ready;
  for (uint32_t n = first; n < first + count; ++n) {
    if (isDone[n - first]) continue;
    bool isLedTo = n == first || !cfg.isReachable(BlockRef(n));
    for (BlockRef p : cfg.predecessors(BlockRef(n)))
      isLedTo = isLedTo || (isDone[p.value - first] && cfg.isReachable(p));
    if (!isLedTo) {
      isWaiting[n - first] = 1;
      continue;
    }
    ready.push_back(BlockRef(n));
    while (!ready.empty()) {
      const BlockRef b = ready.back();
      ready.pop_back();
      if (isDone[b.value - first]) continue;
      isDone[b.value - first] = 1;
      order.push_back(b);
      if (!cfg.isReachable(b)) continue; // dominates nothing
      for (BlockRef s : cfg.successors(b))
        if (isWaiting[s.value - first]) ready.push_back(s);
    }
  }
  return order;
}

} // namespace

void orderBlocks(const Module& module, const Cfg& cfg, FunctionRef f, Rewriter& rewriter) {
  const InstRef begin = module.blockInsts(module.firstBlock(f)).first;
  const InstRef end(module.functionInsts(f).last.value - 1); // OpFunctionEnd
  for (BlockRef b : orderOf(module, cfg, f))
    for (InstRef i : module.blockInsts(b)) rewriter.insertBefore(end, Inst(module.inst(i)));
  for (InstRef i = begin; i < end; i = InstRef(i.value + 1)) rewriter.erase(i);
}

} // namespace lanewise
