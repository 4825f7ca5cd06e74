#include "canonical/promotion/sparse_phis.h"

#include <algorithm>

namespace lanewise {

/// Deep nests of loops have frontiers of quadratic size.
bool SparsePhis::collectFrontiers(FunctionRef function) {
  if (state_.empty()) {
    const size_t blocks = size_t(module_.blockCount()) + 1;
    state_.assign(size_t(module_.functionCount()) + 1, Frontiers::NotKnown);
    for (auto* byBlock : {&first_, &storeMark_, &meetingMark_, &askedMark_})
      byBlock->assign(blocks, 0);
    nearest_.resize(blocks);
  }
  Frontiers& state = state_[function.value];
  if (state != Frontiers::NotKnown) return state == Frontiers::Known;
  state = Frontiers::TooLarge;
  const size_t most = entries_.size() + 1024 + 16 * size_t(module_.blockCount(function));
  for (BlockRef b : cfg_.reversePostOrder(function)) {
    const auto predecessors = cfg_.predecessors(b);
    if (predecessors.size() < 2) continue;
    for (BlockRef p : predecessors) {
      if (!cfg_.isReachable(p)) continue;
      for (BlockRef at = p; at && at != dominance_.idom(b); at = dominance_.idom(at)) {
        uint32_t& first = first_[at.value];
        if (first != 0 && entries_[first - 1].block == b) break; // and so have those above
        entries_.push_back({b, first});
        first = uint32_t(entries_.size());
      }
      if (entries_.size() > most) return false;
    }
  }
  state = Frontiers::Known;
  return true;
}

void SparsePhis::collectMeetings(std::span<const BlockRef> stores) {
  work_.assign(stores.begin(), stores.end());
  for (size_t at = 0; at < work_.size(); ++at) {
    for (uint32_t e = first_[work_[at].value]; e != 0; e = entries_[e - 1].next) {
      const BlockRef b = entries_[e - 1].block;
      if (isMeeting(b)) continue;
      meetingMark_[b.value] = round_;
      if (storeMark_[b.value] != round_) work_.push_back(b);
      ask(b);
      for (BlockRef p : cfg_.predecessors(b))
        if (cfg_.isReachable(p)) ask(p);
    }
  }
}

void SparsePhis::ask(BlockRef b) {
  if (askedMark_[b.value] == round_) return;
  askedMark_[b.value] = round_;
  asked_.push_back(b);
}

bool SparsePhis::compute(FunctionRef function, std::span<const BlockRef> stores,
                         std::span<const BlockRef> loads) {
  if (!collectFrontiers(function)) return false;
  ++round_;
  asked_.clear();
  for (BlockRef b : stores) {
    storeMark_[b.value] = round_;
    ask(b);
  }
  for (BlockRef b : loads) ask(b);
  collectMeetings(stores);
  // Down the dominator tree, with the stores and meetings above the block at hand on the stack.
  std::sort(asked_.begin(), asked_.end(), [&](BlockRef a, BlockRef b) {
    return dominance_.preorder(a) < dominance_.preorder(b);
  });
  stack_.clear();
  for (BlockRef b : asked_) {
    while (!stack_.empty() && !dominance_.dominates(stack_.back(), b)) stack_.pop_back();
    nearest_[b.value] = stack_.empty() ? BlockRef() : stack_.back();
    if (storeMark_[b.value] == round_ || isMeeting(b)) stack_.push_back(b);
  }
  return true;
}

} // namespace lanewise
