// Control flow: edges between blocks, reverse post-order, and the structured constructs that merge
// instructions declare (SPIR-V 2.11). Exact; where the type of a switch selector comes from an
// unknown instruction, conservative (more edges). Holds BlockRefs only: it stays right while blocks
// keep their order and their branches, whatever happens to the instructions between.
#pragma once

#include "ir/module.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lanewise {

/// What a merge instruction declares.
struct Construct {
  enum class Kind : uint8_t { Selection, Switch, Loop };
  Kind kind;
  BlockRef header;
  BlockRef merge;
  BlockRef continueTarget; ///< Loop only
  bool operator==(const Construct&) const = default;
};

class Cfg {
public:
  static constexpr std::string_view kAnalysisName = "Cfg";

  explicit Cfg(const Module& module);

  /// Successors in the order in which the terminator names them, each block once.
  std::span<const BlockRef> successors(BlockRef b) const {
    return {succ_.data() + succStart_[b.value], succ_.data() + succStart_[b.value + 1]};
  }
  /// Predecessors in module order, each block once. Unreachable blocks are among them.
  std::span<const BlockRef> predecessors(BlockRef b) const {
    return {pred_.data() + predStart_[b.value], pred_.data() + predStart_[b.value + 1]};
  }
  /// Blocks reachable from the function's entry, in reverse post-order. Empty for a function
  /// without body.
  std::span<const BlockRef> reversePostOrder(FunctionRef f) const {
    return {rpo_.data() + rpoStart_[f.value], rpo_.data() + rpoStart_[f.value + 1]};
  }
  /// Position in its function's reverse post-order, or UINT32_MAX for an unreachable block.
  uint32_t rpoIndex(BlockRef b) const { return rpoIndex_[b.value]; }
  bool isReachable(BlockRef b) const { return rpoIndex_[b.value] != UINT32_MAX; }

  /// The construct that `header` heads, null if it holds no merge instruction.
  const Construct* constructAt(BlockRef header) const {
    uint32_t at = constructOf_[header.value];
    return at == 0 ? nullptr : &constructs_[at - 1];
  }
  std::span<const Construct> constructs() const { return constructs_; }

  bool operator==(const Cfg&) const = default;

private:
  void collectEdges(const Module& module);
  void collectConstructs(const Module& module);
  void orderBlocks(const Module& module);

  std::vector<uint32_t> succStart_, predStart_; ///< by BlockRef, into succ_ and pred_
  std::vector<BlockRef> succ_, pred_;
  std::vector<uint32_t> rpoStart_; ///< by FunctionRef, into rpo_
  std::vector<BlockRef> rpo_;
  std::vector<uint32_t> rpoIndex_;    ///< by BlockRef
  std::vector<Construct> constructs_; ///< in order of their headers
  std::vector<uint32_t> constructOf_; ///< by BlockRef: index + 1 into constructs_, 0 for none
};

} // namespace lanewise
