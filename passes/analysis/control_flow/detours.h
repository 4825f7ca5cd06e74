// What a walk along functions may leave out: arms of a choice, and whole loops, in which nothing
// happens that the walk is about. Most of a large shader has nothing to do with Workgroup memory.
//
// A detour leads from a choice, or from a loop's header, to the first block that all its ways have
// in common. What lies between is entered and left there alone, holds no block that is loud, and no
// value that is needed elsewhere. That a loop between ends is taken for granted.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/analyses.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace lanewise {

/// Which values the walk needs.
struct DetourNeeds {
  /// Whether a phi of the block is needed, wherever that is.
  std::function<bool(BlockRef)> hasPhi;
  /// Whether something that the block computes is needed in a block for which `isInside` does not
  /// hold. Asked of blocks of loops: what an arm computes is seen outside through phis alone.
  std::function<bool(BlockRef, const std::function<bool(BlockRef)>& isInside)> isSeenOutside;
};

class Detours {
public:
  /// `areLoud`: by BlockRef. `analyses` must outlive this.
  Detours(Analyses& analyses, std::span<const FunctionRef> functions,
          const std::vector<bool>& areLoud);

  /// Takes the place of what was found before. Some are missed where functions are so nested that
  /// looking for them takes too long.
  void find(const DetourNeeds& needs);

  /// Where all ways meet again behind the choice at the end of the block; null where that is to be
  /// walked.
  BlockRef pastChoice(BlockRef block) const { return pastChoice_[block.value]; }
  /// What follows the loop that the block heads; null where that is to be walked.
  BlockRef pastLoop(BlockRef block) const { return pastLoop_[block.value]; }
  /// Whether no walk gets there.
  bool isLeftOut(BlockRef block) const { return areLeftOut_[block.value]; }

private:
  BlockRef pastLoopOf(const Loop& loop) const;
  BlockRef skip(BlockRef from, bool isLoop, BlockRef to, const DetourNeeds& needs, uint64_t& left);

  const Module& module_;
  const Cfg& cfg_;
  const Dominance& dominance_;
  const Loops& loops_;
  std::vector<FunctionRef> functions_;
  std::vector<BlockRef> byPreorder_;            ///< of the dominator tree, null in other functions
  std::vector<uint32_t> loudBefore_;            ///< by the same: loud blocks before it
  std::vector<BlockRef> pastChoice_, pastLoop_; ///< by BlockRef
  std::vector<bool> areLeftOut_;                ///< by BlockRef
};

} // namespace lanewise
