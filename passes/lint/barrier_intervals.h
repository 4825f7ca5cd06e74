// What certainly happens between two barriers: which conditions make a block run, exactly, and
// which stretches of code no barrier interrupts.
//
// The counterpart of analysis/barriers/barrier_flow.h, which says what *may* happen. Of one
// function.
#pragma once

#include "analysis/control_flow/loops.h"
#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <optional>
#include <vector>

namespace lanewise {

/// The branch at the end of `branch` goes this way.
struct PathCondition {
  BlockRef branch;
  Id condition;
  bool negated = false;
  bool operator==(const PathCondition&) const = default;
};

class BarrierIntervals {
public:
  BarrierIntervals(Analyses& analyses, FunctionRef function);

  /// Conditions that hold just when an invocation that enters the function comes to `block` in the
  /// first iteration of the loops around it; in a later one, the conditions inside these loops hold
  /// with that iteration's values. Innermost first. Nothing when they are not known exactly (a
  /// switch, an irregular flow).
  std::optional<std::vector<PathCondition>> conditionsOf(BlockRef block) const;

  /// True when nothing on any path from behind `from` (null: from the start of `top`) to `to` may
  /// order invocations: no control barrier, call, subgroup operation or unknown instruction. Paths
  /// do not go round the loops that hold `to`, nor through the end of `top`, which dominates `to`
  /// and holds `from`. With `from` behind `to` in one block: false.
  bool isQuiet(BlockRef top, InstRef from, InstRef to) const;

private:
  bool isOnlyWayTo(BlockRef from, BlockRef block) const;
  bool hasSeparator(InstRef first, InstRef last) const;

  Analyses& analyses_;
  const Module& module_;
  std::vector<InstRef> separators_; ///< ascending
};

} // namespace lanewise
