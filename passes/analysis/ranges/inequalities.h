// Which of two values is less, where no numbers say so: `i < n` holds behind a branch on it, so
// `min(i, n - 1)` is `i` there, whatever n is.
//
// Conservative: what is proved holds for every input. Values are taken as integers that do not wrap
// around, as unsigned or as signed ones; what an instruction computes is only used where its ranges
// show that it does not wrap, or by how much.
//
// Algorithm: R. Bodik, R. Gupta, V. Sarkar, "ABCD: Eliminating Array Bounds Checks on Demand"
// (2000): a search for a path of differences, here without loops.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/ranges/value_ranges.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lanewise {

/// What a proof rests on.
struct Proof {
  IntegerRange a, b; ///< of the two values
  InstRef test;      ///< a condition that a branch to here depends on; null: none
  /// The two ranges say it. Otherwise, without a test, how the values are computed does.
  bool isByRanges = true;
};

class Inequalities {
public:
  Inequalities(Analyses& analyses, const ValueRanges& ranges)
      : analyses_(analyses), module_(analyses.module()), ranges_(ranges), slots_(ranges.slots()) {}

  /// Whether the relation holds, or never does, where `block` uses both values; nothing where
  /// neither is proved or the block is never reached. `proof` may be null.
  std::optional<bool> decide(Relation relation, bool isSigned, Slot a, Slot b, BlockRef block,
                             Proof* proof = nullptr);

private:
  __extension__ using Wide = __int128;
  /// `to` is at least the value in question, less `distance`: value <= to + distance. Or, from
  /// below, to <= value + distance.
  struct Step {
    Slot to;
    Wide distance;
    InstRef test; ///< null: by its definition
  };
  using Steps = std::vector<Step>;

  bool prove(Slot a, Slot b, Wide distance, uint32_t depth);
  bool isBelowByDefinition(Slot a, Slot b);
  const IntegerRange& rangeOf(Slot slot);
  Wide leastOf(Slot slot);
  Wide mostOf(Slot slot);
  bool agrees(bool isSigned, Slot a, Slot b);

  /// Upper bounds of the value (`isUp`), or lower ones.
  Steps stepsFrom(Slot slot, bool isUp, uint32_t depth);
  void addTests(Slot slot, bool isUp, Steps& steps);
  void addSum(spv::Op op, Slot p, Slot q, bool isUp, uint32_t depth, Steps& steps);
  void addOperation(spv::Op op, Slot p, Slot q, bool isUp, Steps& steps);
  void addGlsl(uint32_t instruction, Slot slot, bool isUp, Steps& steps);
  bool proveByAll(Slot a, Slot b, Wide distance, uint32_t depth);
  Slot operand(Slot slot, uint32_t word) const;

  Analyses& analyses_;
  const Module& module_;
  const ValueRanges& ranges_;
  const ValueSlots& slots_;

  // The question at hand.
  BlockRef block_;
  bool isSigned_ = false;
  uint32_t budget_ = 0;
  InstRef test_;
  std::vector<std::pair<Slot, IntegerRange>> known_;
};

} // namespace lanewise
