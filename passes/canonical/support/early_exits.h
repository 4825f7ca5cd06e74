// Early returns of a function that takes the place of a call: how they become branches out of its
// body, which has one way out.
//
// - A return in a selection that one way leads out of, to its merge block: all that is behind moves
//   into the selection, on that way, and the selection ends in a new block, where returns go. Costs
//   nothing.
// - A return in a loop or switch, or in a selection that several ways lead out of, breaks that: it
//   sets a flag and branches to the merge block. There a branch on the flag goes on outwards: to
//   the merge block of the next loop or switch around it, or, where there is none, over all that
//   is behind, which that branch selects.
//
// This is what drivers' compilers do when they inline a call. Where selections cannot be changed in
// this way, the body goes into the only case of a switch, whose merge block returns branch to.
#pragma once

#include "canonical/support/construct_nesting.h"
#include "ir/module.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lanewise {

constexpr bool isReturn(spv::Op op) {
  return op == spv::Op::OpReturn || op == spv::Op::OpReturnValue;
}

/// Where returns come together on their way out.
struct ExitTarget {
  BlockRef merge; ///< of the construct that returns break; null: a block that is new
  /// Of a new block: the header that names it instead of its merge block. Null: the branch on the
  /// flag does, in the merge block of what was broken.
  BlockRef header;
  uint32_t outer = 0; ///< index of the target to go on to, 0: out of the function
  /// Of a new block: the target whose merge block it must stand before, 0: it may stand last.
  uint32_t before = 0;
  /// Of what is broken: the new block that ends the selection of what is behind; 0: there is none.
  uint32_t rest = 0;
  uint32_t depth = 0;            ///< new blocks from here outwards
  bool isOnlyWay = false;        ///< of what is broken: all that come to its merge block return
  bool needsFlag = false;        ///< who comes here to return must have set it
  std::vector<BlockRef> returns; ///< blocks whose return goes here
  std::vector<uint32_t> inner;   ///< targets that go on to this one
};

/// A branch to the merge block of a selection that goes to a new block first.
struct ExitDetour {
  BlockRef from, merge;
  uint32_t to = 0; ///< target
};

struct EarlyExits {
  std::vector<ExitTarget> targets; ///< outer ones first; [0]: out of the function
  std::vector<ExitDetour> detours;
  bool isWrapped = false; ///< the body needs a switch around it
};

/// Nothing where it cannot be done: the flow of control has no room for it (a merge block that is a
/// loop header, a continue construct, a merge block that nothing reaches and that does not end
/// there), or a value from inside of a loop or switch that would be
/// broken is used behind it, where it would no longer be defined on every way. At most `maxDepth`
/// new constructs around one another hold what is behind returns.
std::optional<EarlyExits> collectEarlyExits(const Module& module, const Cfg& cfg,
                                            const ConstructNesting& nesting, FunctionRef function,
                                            uint32_t maxDepth);

} // namespace lanewise
