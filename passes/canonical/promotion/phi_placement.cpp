#include "canonical/promotion/phi_placement.h"

#include "analysis/control_flow/dominance.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Blocks that are walked over for a variable: some, and some more for each access.
constexpr size_t kMinLiveBlocks = 64, kLiveBlocksOfAccess = 8;

} // namespace

void PhiPlacement::prepare() {
  if (cfg_) return;
  cfg_ = &analyses_.get<Cfg>();
  const size_t blocks = size_t(analyses_.module().blockCount()) + 1;
  for (auto* byBlock : {&storeMark_, &liveMark_, &sparseMark_}) byBlock->assign(blocks, 0);
  atEnd_.resize(blocks);
  atBeginning_.resize(blocks);
}

/// A candidate, whose operands will be known later.
HeldValue PhiPlacement::addPhi(BlockRef b) {
  const HeldValue phi = HeldValue::ofPhi(phis_.add(b, variable_.number));
  for (BlockRef p : cfg_->predecessors(b))
    if (cfg_->isReachable(p)) phis_.addOperand(p, HeldValue());
  return phi;
}

// ---- by a walk over the blocks where it lives ----

/// The blocks at whose beginning the variable holds what somebody will load, in reverse post-order.
/// False if there are more than `most`.
bool PhiPlacement::collectLive(std::span<const BlockRef> loads, size_t most) {
  live_.clear();
  ++walk_;
  const auto visit = [&](BlockRef b) {
    if (liveMark_[b.value] == walk_ || !cfg_->isReachable(b)) return;
    liveMark_[b.value] = walk_;
    live_.push_back(b);
  };
  for (BlockRef b : loads) visit(b);
  for (size_t at = 0; at < live_.size(); ++at) {
    for (BlockRef p : cfg_->predecessors(live_[at]))
      if (!isStored(p)) visit(p);
    if (live_.size() > most) return false;
  }
  std::sort(live_.begin(), live_.end(),
            [&](BlockRef a, BlockRef b) { return cfg_->rpoIndex(a) < cfg_->rpoIndex(b); });
  return true;
}

/// What the predecessors agree on, or a candidate.
HeldValue PhiPlacement::valueAtBeginning(BlockRef b) {
  if (cfg_->rpoIndex(b) == 0) {
    seesInitial_ = true;
    return variable_.initial;
  }
  std::optional<HeldValue> one;
  for (BlockRef p : cfg_->predecessors(b)) {
    if (!cfg_->isReachable(p)) continue;
    // What comes around a loop is not known by now.
    if (!isStored(p) && cfg_->rpoIndex(p) >= cfg_->rpoIndex(b)) return addPhi(b);
    const HeldValue v = isStored(p) ? atEnd_[p.value] : atBeginning_[p.value];
    if (one && v != *one) return addPhi(b);
    one = v;
  }
  return *one;
}

/// False if the variable lives in more blocks than `most`.
bool PhiPlacement::placeByWalk(std::span<const BlockRef> loads, size_t most) {
  if (!collectLive(loads, most)) return false;
  const uint32_t first = phis_.size();
  for (BlockRef b : live_) atBeginning_[b.value] = valueAtBeginning(b);
  for (uint32_t phi = first; phi < phis_.size(); ++phi)
    for (PhiCandidates::Operand& o : phis_.operands(phi))
      o.value = isStored(o.from) ? atEnd_[o.from.value] : atBeginning_[o.from.value];
  return true;
}

// ---- by dominance frontiers ----

HeldValue PhiPlacement::sparseValueAtEnd(BlockRef b) {
  return isStored(b) ? atEnd_[b.value] : sparseValue(b);
}

/// What the variable holds at the beginning of a block of which the SparsePhis know.
HeldValue PhiPlacement::sparseValue(BlockRef b) {
  if (sparse_->isMeeting(b)) {
    if (sparseMark_[b.value] != variable_.number) {
      sparseMark_[b.value] = variable_.number;
      atBeginning_[b.value] = addPhi(b);
    }
    return atBeginning_[b.value];
  }
  if (const BlockRef above = sparse_->nearest(b)) return sparseValueAtEnd(above);
  seesInitial_ = true;
  return variable_.initial;
}

/// From the loads up, as far as their values come from. False if the frontiers are too large.
bool PhiPlacement::placeSparsely(std::span<const BlockValue> stores,
                                 std::span<const BlockRef> loads) {
  if (!sparse_) sparse_.emplace(analyses_.module(), *cfg_, analyses_.get<Dominance>());
  storeBlocks_.clear();
  for (const BlockValue& s : stores) storeBlocks_.push_back(s.block);
  if (!sparse_->compute(variable_.function, storeBlocks_, loads)) return false;
  const uint32_t first = phis_.size();
  for (BlockRef b : loads) atBeginning_[b.value] = sparseValue(b);
  for (uint32_t phi = first; phi < phis_.size(); ++phi) // new ones come behind
    for (size_t n = 0; n < phis_.operands(phi).size(); ++n) {
      const HeldValue v = sparseValueAtEnd(phis_.operands(phi)[n].from);
      phis_.operands(phi)[n].value = v; // the operands may have moved
    }
  return true;
}

bool PhiPlacement::place(const Variable& variable, std::span<const BlockValue> stores,
                         std::span<const BlockRef> loads, bool mayAddNeedless) {
  prepare();
  variable_ = variable;
  seesInitial_ = false;
  for (const BlockValue& s : stores) {
    storeMark_[s.block.value] = variable.number;
    atEnd_[s.block.value] = s.value;
  }
  const size_t few = kMinLiveBlocks + kLiveBlocksOfAccess * (stores.size() + loads.size());
  if ((mayAddNeedless && placeByWalk(loads, few)) || placeSparsely(stores, loads)) return true;
  if (!placeByWalk(loads, blocksLeft_)) return false;
  blocksLeft_ -= live_.size();
  return true;
}

} // namespace lanewise
