#include "analysis/control_flow/detours.h"

namespace lanewise {
namespace {

/// Blocks that are looked at.
constexpr uint64_t kMostBlocks = 1 << 22;

} // namespace

Detours::Detours(Analyses& analyses, std::span<const FunctionRef> functions,
                 const std::vector<bool>& areLoud)
    : module_(analyses.module()), cfg_(analyses.get<Cfg>()), dominance_(analyses.get<Dominance>()),
      loops_(analyses.get<Loops>()), functions_(functions.begin(), functions.end()),
      byPreorder_(module_.blockCount() + 1), loudBefore_(module_.blockCount() + 2),
      pastChoice_(module_.blockCount() + 1), pastLoop_(module_.blockCount() + 1),
      areLeftOut_(module_.blockCount() + 1) {
  for (FunctionRef function : functions_)
    for (BlockRef block : cfg_.reversePostOrder(function))
      byPreorder_[dominance_.preorder(block)] = block;
  for (size_t n = 1; n < byPreorder_.size(); ++n)
    loudBefore_[n + 1] = loudBefore_[n] + (byPreorder_[n] && areLoud[byPreorder_[n].value] ? 1 : 0);
}

void Detours::find(const DetourNeeds& needs) {
  pastChoice_.assign(module_.blockCount() + 1, {});
  pastLoop_.assign(module_.blockCount() + 1, {});
  areLeftOut_.assign(module_.blockCount() + 1, false);
  uint64_t left = kMostBlocks;
  for (FunctionRef function : functions_)
    for (BlockRef block : cfg_.reversePostOrder(function)) { // outer ones first
      if (areLeftOut_[block.value]) continue;
      const Loop* loop = loops_.innermost(block);
      if (loop && loop->header == block)
        pastLoop_[block.value] = skip(block, true, pastLoopOf(*loop), needs, left);
      if (!pastLoop_[block.value] && cfg_.successors(block).size() > 1)
        pastChoice_[block.value] = skip(block, false, dominance_.ipdom(block), needs, left);
    }
}

/// The first block outside of it that all its exits lead to; may be null.
BlockRef Detours::pastLoopOf(const Loop& loop) const {
  BlockRef past = dominance_.ipdom(loop.header);
  while (past && loops_.contains(loop, past)) past = dominance_.ipdom(past);
  return past;
}

/// `to`, where what lies between it and the choice at the end of `from`, or the loop of that
/// header, can be left out. Null otherwise. No block between a choice and `to` dominates `to`,
/// which is the first that all its ways have in common.
BlockRef Detours::skip(BlockRef from, bool isLoop, BlockRef to, const DetourNeeds& needs,
                       uint64_t& left) {
  if (!to || needs.hasPhi(to)) return {};
  const uint32_t first = dominance_.preorder(from) + (isLoop ? 0 : 1);
  const uint32_t last = dominance_.lastPreorder(from);
  const auto loudFrom = [&](uint32_t begin, uint32_t end) {
    return loudBefore_[end + 1] - loudBefore_[begin];
  };
  const uint32_t loudBehind = dominance_.dominates(from, to)
                                  ? loudFrom(dominance_.preorder(to), dominance_.lastPreorder(to))
                                  : 0;
  if (first > last || loudFrom(first, last) != loudBehind) return {};
  const auto isBetween = [&](BlockRef block) {
    return (block != from || isLoop) && dominance_.dominates(from, block) &&
           !dominance_.dominates(to, block);
  };
  std::vector<BlockRef> between;
  for (uint32_t n = first; n <= last; ++n) {
    const BlockRef block = byPreorder_[n];
    if (block == to) {
      n = dominance_.lastPreorder(to);
      continue;
    }
    if (left == 0) return {};
    --left;
    between.push_back(block);
    for (BlockRef next : cfg_.successors(block))
      if (next != to && !isBetween(next)) return {};
    // What is no natural loop may lead back into it.
    for (BlockRef before : cfg_.predecessors(block))
      if (block != from && before != from && cfg_.isReachable(before) && !isBetween(before))
        return {};
    if (isLoop && needs.isSeenOutside(block, isBetween)) return {};
  }
  for (BlockRef block : between) areLeftOut_[block.value] = true;
  return to;
}

} // namespace lanewise
