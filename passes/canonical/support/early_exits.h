// Returns from inside loops and switches. A branch may only leave the innermost loop or switch, and
// only to its merge block, so such a return breaks step by step: out of the innermost, then, where
// a flag says so, from its merge block out of the next, and at last out of the function's copy.
#pragma once

#include "canonical/support/construct_tree.h"
#include "ir/module.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lanewise {

constexpr bool isReturn(spv::Op op) {
  return op == spv::Op::OpReturn || op == spv::Op::OpReturnValue;
}

/// A merge block of a loop or switch that returns break to.
struct EarlyExit {
  BlockRef merge;
  BlockRef outer; ///< merge block to go on to, null: out of the function
  /// Nothing else came to this block: all that do, return.
  bool isOnlyWay = false;
  std::vector<BlockRef> returns; ///< blocks whose return comes here
  std::vector<BlockRef> inner;   ///< merge blocks that go on to this one
};

/// All of a function, innermost before those around them; nothing where it cannot be done: the flow
/// of control has no room for it (a merge block that is a loop header, a continue construct), or a
/// value that is defined inside is used behind the loop, where it would no longer be defined on
/// every way.
std::optional<std::vector<EarlyExit>> collectEarlyExits(const Module& module, FunctionRef function,
                                                        const ConstructTree& constructs);

} // namespace lanewise
