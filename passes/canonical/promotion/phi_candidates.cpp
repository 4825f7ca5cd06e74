#include "canonical/promotion/phi_candidates.h"

namespace lanewise {

uint32_t PhiCandidates::add(BlockRef block, uint32_t variable) {
  const uint32_t index = size();
  phis_.push_back({block, variable, uint32_t(operands_.size()), HeldValue::ofPhi(index)});
  return index;
}

void PhiCandidates::truncate(uint32_t first) {
  if (first == size()) return;
  operands_.resize(phis_[first].begin);
  phis_.resize(first);
}

/// One step towards find(); `v` itself at the end.
HeldValue PhiCandidates::next(HeldValue v) const {
  if (v.isUndefined()) return v;
  if (v.isPhi()) return phis_[v.phi()].same;
  if (v.bits >= known_.size() || known_[v.bits].bits == kUnknown) return v;
  return known_[v.bits];
}

HeldValue PhiCandidates::find(HeldValue v) {
  HeldValue last = v;
  for (HeldValue n = next(last); n != last; n = next(last)) last = n;
  while (v != last) { // shortens the path for the next one
    const HeldValue n = next(v);
    (v.isPhi() ? phis_[v.phi()].same : known_[v.bits]) = last;
    v = n;
  }
  return last;
}

void PhiCandidates::watch(HeldValue watched, uint32_t phi) {
  if (!watched.isPhi() || watched.phi() == phi) return;
  uint32_t& head = phis_[watched.phi()].watchers;
  watches_.push_back({phi, head});
  head = uint32_t(watches_.size() - 1);
}

/// Values that were found equal stay equal, so `first` and `next` only ever move on.
void PhiCandidates::check(uint32_t index) {
  if (!isNeeded(index)) return;
  Phi& phi = phis_[index];
  const HeldValue self = HeldValue::ofPhi(index);
  const std::span<const Operand> all = operands(index);
  HeldValue one = self;
  for (; phi.next < all.size(); ++phi.next) {
    one = find(all[phi.first].value);
    if (one == self) { // and so is all that was equal to it
      phi.first = phi.next;
      one = find(all[phi.first].value);
    }
    const HeldValue other = find(all[phi.next].value);
    if (other == one || other == self) continue;
    if (one == self) continue;
    watch(one, index);
    watch(other, index);
    return;
  }
  one = find(all[phi.first].value);
  phi.same = one == self ? HeldValue() : one;
  for (uint32_t w = phi.watchers; w != UINT32_MAX; w = watches_[w].next)
    pending_.push_back(watches_[w].phi);
}

void PhiCandidates::simplify() {
  for (uint32_t phi = 0; phi < size(); ++phi) {
    check(phi);
    while (!pending_.empty()) {
      const uint32_t again = pending_.back();
      pending_.pop_back();
      check(again);
    }
  }
}

} // namespace lanewise
