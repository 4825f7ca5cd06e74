// Whether a loop ends, whatever its inputs are: a test that every iteration comes to compares a
// counter with something that does not change, or with a literal a number that each iteration
// divides or makes of literals, and fails at some time.
//
// Conservative: true is proved for every specialization; false may only mean that no proof was
// found.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/counter_bound.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/analyses.h"
#include "analysis/module/comparison.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "ir/module.h"

#include <cstdint>
#include <optional>

namespace lanewise {

class LoopEnds {
public:
  explicit LoopEnds(Analyses& analyses)
      : analyses_(analyses), module_(analyses.module()), cfg_(analyses.get<Cfg>()),
        dominance_(analyses.get<Dominance>()), constants_(analyses.get<Constants>()),
        loops_(analyses.get<Loops>()), decorations_(analyses.get<Decorations>()),
        types_(analyses.get<Types>()) {}

  /// Loops inside may run for ever.
  bool ends(const Loop& loop) const;

private:
  /// A counter plus a literal.
  struct Counter {
    const InductionVariable* induction;
    uint32_t offset;
  };

  /// What a number must be for the loop to go on: inclusive, 1 or more. Read as signed, and as
  /// unsigned for comparisons of these.
  struct Staying {
    int64_t least, most; ///< `most` is the largest number that the comparison knows
  };
  /// Of such a number p: (p + add) / divisor, rounded down.
  struct Quotient {
    int64_t add = 0, divisor = 1;
    int64_t of(int64_t p) const;
  };

  bool isInEveryIteration(const Loop& loop, BlockRef b) const;
  bool fails(const Loop& loop, Id condition, bool staysOn, uint32_t depth) const;
  bool comparisonFails(const Loop& loop, InstRef comparison, bool staysOn) const;
  bool counterFails(const Loop& loop, const Comparison& comparison, Id value, Id bound) const;
  struct Recurrence { ///< a 32-bit phi of the header
    Id phi, init, next;
  };
  std::optional<Recurrence> recurrenceOf(const Loop& loop, Id value) const;
  bool quotientFails(const Comparison& comparison, const Recurrence& of, Id bound) const;
  std::optional<Quotient> quotientOf(Id value, Id phi, const Staying& staying,
                                     uint32_t depth) const;
  bool literalsFail(InstRef comparison, bool staysOn, const Recurrence& of) const;
  std::optional<uint64_t> valueWith(Id value, Id phi, uint64_t ofPhi, uint32_t depth) const;
  bool isRelaxed(Id value) const;
  Id withoutCast(Id value) const;
  bool isExact(InstRef phi) const;
  std::optional<Counter> counterOf(const Loop& loop, Id value) const;
  KnownNumber knownNumber(Id value, uint32_t depth = 0) const;
  uint64_t mostElements(InstRef arrayLength) const;
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
  const Types& types_;
};

} // namespace lanewise
