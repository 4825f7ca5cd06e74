// Ranges of all integers and Booleans of a module, and what branches add to them where they lead.
//
//   for (uint i = t; i < 64u; i += 32u)   i: 0 to 95, in the body 0 to 63
//     x = i >> 5;                         in the body 0 to 1
//
// Conservative: a value never leaves its range, for any input (that agrees with what the user
// states, if that is to count), specialization constants included. Only what comparisons, choices,
// clamps, divisions and the like depend on is looked at; of addresses, for example, nothing is
// known. Undefined results may be anything. Memory is not followed: what is loaded may be anything,
// each time.
//
// Algorithm: P. Cousot, R. Cousot, "Abstract interpretation" (1977): loops are gone round until
// nothing grows, with widening, and twice more to narrow; W. Harrison, "Compiler Analysis of the
// Value Ranges for Variables" (1977) for what branches say.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/analyses.h"
#include "analysis/ranges/branch_facts.h"
#include "analysis/ranges/integer_range.h"
#include "analysis/ranges/range_table.h"
#include "analysis/ranges/value_slots.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanewise {

/// Holds references; valid until the module changes.
class ValueRanges {
public:
  /// `usesStated`: what the user states of the inputs (Assumptions::stated) counts as known.
  ValueRanges(Analyses& analyses, bool usesStated);

  const ValueSlots& slots() const { return slots_; }
  const BranchFacts& facts() const { return facts_; }

  /// What the value can be wherever it is used.
  IntegerRange of(Slot slot) const;
  /// What it can be where `block` uses it: what branches say of it, and of what it is computed
  /// from, counts. Empty where the block is never reached.
  IntegerRange at(Slot slot, BlockRef block) const;
  /// What is left of a value's range where the facts hold.
  IntegerRange refined(IntegerRange range, Slot slot, std::span<const Fact> facts) const;

private:
  void solve(FunctionRef function);
  void solveRegion(std::span<const BlockRef> blocks);
  bool growBlock(BlockRef block, uint32_t round);
  bool isStale(Slot slot);
  void set(Slot slot, const IntegerRange& range);
  bool narrowBlock(BlockRef block);
  void collectAsked();
  void ask(Slot slot, std::vector<Slot>& work);
  void collectRefinable(BlockRef block);
  void listAsked();
  std::span<const Slot> askedIn(BlockRef block) const {
    return {asked_.data() + askedStart_[block.value - 1], asked_.data() + askedStart_[block.value]};
  }
  bool isLoopPhi(InstRef def) const;
  uint32_t placeOf(Slot slot) const {
    return slot.value < place_.size() ? place_[slot.value] : kNowhere;
  }
  uint32_t changedAt(Slot slot) const {
    const uint32_t place = placeOf(slot);
    return place == kNowhere ? 0 : changedAt_[place];
  }

  static constexpr uint32_t kNowhere = UINT32_MAX;

  IntegerRange known(Slot slot, BlockRef block) const;
  IntegerRange refinedBy(IntegerRange range, const Fact& fact) const;
  IntegerRange evaluated(Slot slot, BlockRef block, uint32_t depth) const;
  IntegerRange evaluatedExactly(Slot slot, BlockRef block, uint32_t depth) const;
  IntegerRange valueAt(Slot slot, BlockRef block, uint32_t depth) const;
  IntegerRange inputRange(Slot slot) const;
  IntegerRange evaluatedPhi(Slot slot, InstRef phi) const;
  IntegerRange evaluatedSelect(Slot slot, BlockRef block, uint32_t depth) const;
  Slot operand(Slot slot, uint32_t word) const;

  Analyses& analyses_;
  const Module& module_;
  const bool usesStated_;
  const Cfg& cfg_;
  ValueSlots slots_;
  BranchFacts facts_;
  /// By Slot: branches say something of it, or of what it is computed from.
  std::vector<bool> isRefinable_;
  std::vector<bool> isAsked_; ///< by Slot: what anything of interest depends on
  /// These, as far as blocks compute them: by block, in the order of their instructions.
  std::vector<Slot> asked_;
  std::vector<uint32_t> askedStart_;
  std::vector<uint32_t> place_; ///< by Slot: where in asked_; kNowhere if it is not
  // By place in asked_. Of other values the range is what their width or the literal says.
  RangeTable ranges_; ///< where its definition stands
  /// When its range changed, and when its instruction was looked at.
  std::vector<uint32_t> changedAt_, evaluatedAt_;
  uint32_t now_ = 0;
};

} // namespace lanewise
