// Structured selections (OpSelectionMerge, SPIR-V 2.11) whose arms go straight from the header to
// the merge block. Exact.
//
// An arm is a chain of blocks with one way in and one way on. A selection inside an arm is a link
// of the chain when the caller says that it can be passed through (it will be flattened, inside
// out); otherwise it is an obstacle.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace lanewise {

/// Why an arm is not a straight way to the merge block.
struct ArmObstacle {
  enum class Kind : uint8_t {
    None,
    Loop,       ///< a loop stands in the arm
    Selection,  ///< an inner selection that is not passed through
    Leaves,     ///< a branch out of the selection, a return, a kill
    SharedBlock ///< a block with other ways in: fall-through of a switch, or a block of another arm
  };
  Kind kind = Kind::None;
  InstRef place; ///< the instruction to blame
};

/// One way from the header to the merge block.
struct Arm {
  /// In order; where a block heads an inner selection, the next one is its merge block. Empty where
  /// the header branches to the merge block. With an obstacle: as far as it goes.
  std::vector<BlockRef> blocks;
  /// Switch: words of the branch where the literals stand that lead here; the default has none.
  std::vector<uint32_t> literalWords;
  bool isDefault = false; ///< Switch; it may have literals as well
  ArmObstacle obstacle;

  /// The block that branches to the merge block.
  BlockRef last(BlockRef header) const { return blocks.empty() ? header : blocks.back(); }
};

struct Selection {
  BlockRef header, merge;
  InstRef mergeInst; ///< OpSelectionMerge
  InstRef branch;    ///< OpBranchConditional or OpSwitch
  bool isSwitch = false;
  Id condition; ///< or selector
  /// One for each different target. A conditional branch: the true one, then the false one (one
  /// alone where both targets are the same). A switch: the default, then the others as they come.
  std::vector<Arm> arms;
  /// True when no other block than the arms' leads to the merge block.
  bool ownsMerge = false;
};

/// Whether an inner selection is a link of the arm. May only say yes where the inner selection is
/// straight and owns its merge block.
using PassesThrough = std::function<bool(BlockRef innerHeader)>;

class Selections {
public:
  explicit Selections(Analyses& analyses);

  /// Headers of reachable selections of a function whose merge block is reachable, in module order.
  std::vector<BlockRef> headers(FunctionRef function) const;
  /// The selection that `header`, one of headers(), heads. Time linear in the length of its arms.
  Selection read(BlockRef header, const PassesThrough& passesThrough) const;

private:
  Arm walk(const Selection& s, BlockRef target, const PassesThrough& passesThrough) const;

  const Module& module_;
  const Cfg& cfg_;
  /// By BlockRef: a construct names the block as where to leave it, a merge block or a continue
  /// target.
  std::vector<bool> isExit_;
};

} // namespace lanewise
