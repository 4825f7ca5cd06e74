// Whether everything that is read of a Workgroup variable was written before, for certain.
//
// Every invocation of the workgroup is run on its own over the code of the entry point, with what
// is known: its ids, constants, counters. What comes from memory is not known. Where a condition is
// not known both ways are taken, and behind them only what both wrote is written for certain; a
// loop whose number of iterations is not known is walked once, with counters that are not known. So
// at each place there is a set of cells that the invocation wrote for certain on every path that
// leads there. Behind a barrier that all invocations reach together, what each of them had written
// in front of it is written for all.
//
// Choices and loops in which nothing of this happens are passed by: most of a large shader has
// nothing to do with its Workgroup memory.
//
// Nothing takes back that a cell is written, so the set in front of a loop holds in each of its
// iterations, and the set at the first time that a barrier is reached holds at every other.
//
// Conservative: "written" is proved, in 32-bit arithmetic with its wrap-around.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "analysis/shared_memory/shared_cells.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace lanewise {

/// Answers for one entry point. Holds references; valid until the module changes.
class DefiniteWrites {
public:
  /// The workgroup size of `entry` is literal, of at most kMaxCountedInvocations. Nothing but the
  /// entry point's own function accesses the variables that are asked for.
  DefiniteWrites(Analyses& analyses, const EntryPoint& entry);
  ~DefiniteWrites();

  struct Verdict {
    std::string_view
        obstacle;   ///< empty: yes; else stable: "not-overwritten", "unproved-index", ...
    InstRef access; ///< the one to blame; null where it is none
  };
  /// Whether each read comes behind a write of all that it may read, other than the stores
  /// `without` (ascending) and the initializer; and whether the indices of reads and of `without`
  /// are in range in every invocation.
  Verdict areReadsCovered(const CellVariable& variable, std::span<const InstRef> without);

private:
  class Walk;
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace lanewise
