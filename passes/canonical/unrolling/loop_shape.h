// What a structured loop consists of, and whether its iterations can stand one behind the other.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "canonical/support/construct_nesting.h"
#include "ir/module.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lanewise {

/// Why a loop stays. `name` is for machines, `message` for people.
struct UnrollRefusal {
  std::string_view name;
  std::string_view message;
};

struct LoopShape {
  BlockRef header, merge, continueTarget;
  BlockRef latch;        ///< the only block that branches back
  BlockRef exit;         ///< the only block that branches to `merge`; every iteration comes there
  Id condition;          ///< of the exit's branch
  bool leavesOn = false; ///< the condition's value that leaves
  Id stayTarget;         ///< label of the other way
  std::vector<BlockRef> blocks; ///< of the loop and its continue construct, ascending
  std::vector<bool> isBefore;   ///< by index into blocks: the exit, or what runs before it
  uint32_t instructions = 0;
  /// Branches to the continue target are ways out of a construct: they need one to break once the
  /// loop is gone.
  bool needsConstruct = false;
  /// What is in front of the exit includes the continue target.
  bool exitIsInContinue = false;
  std::vector<InstRef> phis; ///< of the header
};

/// Reads loops.
class LoopReader {
public:
  LoopReader(const Module& module, const Cfg& cfg, const ConstructNesting& nesting)
      : module_(module), cfg_(cfg), nesting_(nesting), mark_(module.blockCount() + 1) {}

  /// The loop that `header` heads, of at most `maxInstructions`. Null, or why it stays: then
  /// `shape` is not complete. Time linear in what the loop holds.
  const UnrollRefusal* read(BlockRef header, uint32_t maxInstructions, LoopShape& shape);

  /// Whether the loop that was read last holds the block.
  bool isInside(BlockRef b) const { return mark_[b.value] >= stamp_; }

private:
  const UnrollRefusal* readBlocks(LoopShape& shape, uint32_t maxInstructions);
  const UnrollRefusal* readExit(LoopShape& shape);
  const UnrollRefusal* readBefore(LoopShape& shape);
  const UnrollRefusal* readContinues(LoopShape& shape);
  template <class Visitor>
  void forEachWay(const LoopShape& shape, BlockRef b, Visitor&& visit) const;
  bool isPlacedDirectly(const LoopShape& shape, BlockRef b) const;
  bool isLoopHeader(BlockRef b) const;

  const Module& module_;
  const Cfg& cfg_;
  const ConstructNesting& nesting_;
  /// By BlockRef: stamp_ for what the loop holds, stamp_ + 1 for what runs before its exit.
  std::vector<uint32_t> mark_;
  uint32_t stamp_ = 0;
};

} // namespace lanewise
