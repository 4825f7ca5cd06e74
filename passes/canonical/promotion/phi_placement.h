// Phis for one variable after the other: where paths on which it was stored differently meet, and
// somebody loads what they bring.
//
// A variable that lives in few blocks is followed over these, from its loads up to its stores; one
// that lives long by SparsePhis. Both take about as long as the variable has accesses.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/module/analyses.h"
#include "canonical/promotion/phi_candidates.h"
#include "canonical/promotion/sparse_phis.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanewise {

/// What a variable holds at some place of a block.
struct BlockValue {
  BlockRef block;
  HeldValue value;
};

class PhiPlacement {
public:
  /// Candidates are added to `phis`.
  PhiPlacement(Analyses& analyses, PhiCandidates& phis) : analyses_(analyses), phis_(phis) {}

  struct Variable {
    uint32_t number; ///< not 0, another one for each variable
    FunctionRef function;
    HeldValue initial;
  };
  /// `stores`: what it holds at the end of each block that stores to it; `loads`: the blocks at
  /// whose beginning somebody wants to know. All are reachable. False if that would take too long.
  /// Only with `mayAddNeedless` there may be candidates that simplify() finds to be needless.
  bool place(const Variable& variable, std::span<const BlockValue> stores,
             std::span<const BlockRef> loads, bool mayAddNeedless);
  /// Of the last variable, for a block of `loads`.
  HeldValue atBeginning(BlockRef b) const { return atBeginning_[b.value]; }
  /// True if a load may see what the last variable held before any store.
  bool seesInitial() const { return seesInitial_; }

private:
  bool isStored(BlockRef b) const { return storeMark_[b.value] == variable_.number; }
  void prepare();
  bool collectLive(std::span<const BlockRef> loads, size_t most);
  bool placeByWalk(std::span<const BlockRef> loads, size_t most);
  HeldValue valueAtBeginning(BlockRef b);
  bool placeSparsely(std::span<const BlockValue> stores, std::span<const BlockRef> loads);
  HeldValue sparseValue(BlockRef b);
  HeldValue sparseValueAtEnd(BlockRef b);
  HeldValue addPhi(BlockRef b);

  Analyses& analyses_;
  PhiCandidates& phis_;
  const Cfg* cfg_ = nullptr; ///< once it is needed
  Variable variable_{};
  bool seesInitial_ = false;
  // By BlockRef. Stores and sparse phis count where the mark names the variable.
  std::vector<uint32_t> storeMark_, liveMark_, sparseMark_;
  std::vector<HeldValue> atEnd_, atBeginning_;
  std::vector<BlockRef> live_;
  uint32_t walk_ = 0; ///< for which liveMark_ counts
  std::optional<SparsePhis> sparse_;
  std::vector<BlockRef> storeBlocks_;
  /// That may be walked over for all variables together of functions with so many nested loops that
  /// there is no better way.
  size_t blocksLeft_ = size_t(1) << 25;
};

} // namespace lanewise
