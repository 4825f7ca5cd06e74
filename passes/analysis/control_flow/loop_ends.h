// Whether a loop ends, whatever its inputs are: a test that every iteration comes to compares a
// counter with something that does not change, or a number that is divided in each iteration with a
// literal, and fails at some time.
//
// Conservative: true is proved for every specialization; false may only mean that no proof was
// found. Integers of SPIR-V wrap around, so a counter takes all values of its residue class modulo
// the largest power of two in its step, again and again: the test fails when one of them fails it.
// So a 32-bit counter bounds the iterations by 2^32.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/analyses.h"
#include "analysis/module/comparison.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "ir/module.h"

#include <cstdint>
#include <optional>

namespace lanewise {

/// Whether `x relation bound` fails for an x of start, start + step, ... modulo 2^width: for every
/// start, or every bound, where that is not known. Exact. `step` is not 0 modulo 2^width.
bool failsAtSomeTime(const Comparison& comparison, uint32_t width, std::optional<uint64_t> start,
                     uint64_t step, std::optional<uint64_t> bound);

/// A test that ends a loop.
struct LoopEnd {
  BlockRef test;
  /// How often it lets the loop go on, at most, each time that the loop is entered: less than 2^32.
  /// Exact where all is literal and it is not often.
  uint64_t most = 0;
};

class LoopEnds {
public:
  explicit LoopEnds(Analyses& analyses)
      : analyses_(analyses), module_(analyses.module()), cfg_(analyses.get<Cfg>()),
        dominance_(analyses.get<Dominance>()), constants_(analyses.get<Constants>()),
        loops_(analyses.get<Loops>()), decorations_(analyses.get<Decorations>()) {}

  /// Of several the one that ends it first. Nothing: no proof was found. Loops inside may run for
  /// ever.
  std::optional<LoopEnd> endOf(const Loop& loop) const;

private:
  /// A counter plus a literal.
  struct Counter {
    const InductionVariable* induction;
    uint32_t offset;
  };

  /// What a number must be for the loop to go on: inclusive, 1 or more. Read as signed, and as
  /// unsigned for comparisons of these.
  struct Staying {
    int64_t least, most;
    int64_t limit; ///< the largest number that the comparison knows
  };
  /// Of such a number p: (p + add) / divisor, rounded down.
  struct Quotient {
    int64_t add = 0, divisor = 1;
    int64_t of(int64_t p) const;
  };

  bool isInEveryIteration(const Loop& loop, BlockRef b) const;
  using Count = std::optional<uint64_t>; ///< LoopEnd::most
  Count countOf(const Loop& loop, Id condition, bool staysOn, uint32_t depth) const;
  Count countOfComparison(const Loop& loop, InstRef comparison, bool staysOn) const;
  Count countOfQuotients(const Loop& loop, const Comparison& comparison, Id value, Id bound) const;
  std::optional<Quotient> quotientOf(Id value, Id phi, const Staying& staying,
                                     uint32_t depth) const;
  bool isExact(InstRef phi) const;
  std::optional<Counter> counterOf(const Loop& loop, Id value) const;
  bool isMinOrMax(InstRef i) const;
  bool isInvariant(const Loop& loop, Id value, uint32_t depth = 0) const;
  bool isUnchangingLoad(const Loop& loop, InstRef load, uint32_t depth) const;

  Analyses& analyses_;
  const Module& module_;
  const Cfg& cfg_;
  const Dominance& dominance_;
  const Constants& constants_;
  const Loops& loops_;
  const Decorations& decorations_;
};

} // namespace lanewise
