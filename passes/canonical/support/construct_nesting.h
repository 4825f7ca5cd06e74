// Which structured construct (SPIR-V 2.11) every block stands in, innermost first.
//
// Reads what merge instructions say, so it also places merge blocks and continue targets that no
// branch reaches. Linear in blocks and edges for valid structured control flow; code without merge
// instructions stands in no construct. Holds BlockRefs only.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "ir/module.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanewise {

class ConstructNesting {
public:
  ConstructNesting(const Module& module, const Cfg& cfg);

  /// Header of the innermost construct that holds the block, null for none. A header stands in what
  /// is around its construct; so does the construct's merge block.
  BlockRef enclosing(BlockRef b) const { return enclosing_[b.value]; }
  /// The header that names the block as its merge block, null if none does.
  BlockRef headerOfMerge(BlockRef b) const { return headerOfMerge_[b.value]; }
  /// The loop header that names the block as its continue target, null if none does.
  BlockRef headerOfContinue(BlockRef b) const { return headerOfContinue_[b.value]; }
  /// True in the continue construct of a loop that has one beside its header.
  bool isInContinue(BlockRef b) const { return isInContinue_[b.value] != 0; }
  /// How many constructs hold the block.
  uint32_t depth(BlockRef b) const { return depth_[b.value]; }

  /// Blocks of a function that branches or merge instructions lead to from the entry, each behind
  /// all that lead to it but back edges; those of a construct stand before its merge block.
  std::span<const BlockRef> order(FunctionRef f) const {
    return {order_.data() + orderStart_[f.value], order_.data() + orderStart_[f.value + 1]};
  }
  /// False for a block that order() lacks.
  bool isOrdered(BlockRef b) const { return state_[b.value] != 0; }

private:
  void orderFunction(const Module& module, const Cfg& cfg, FunctionRef f);
  void place(const Cfg& cfg, BlockRef b);
  BlockRef common(BlockRef a, BlockRef b) const;

  std::vector<BlockRef> enclosing_, headerOfMerge_, headerOfContinue_; ///< by BlockRef
  std::vector<uint32_t> depth_;                                        ///< by BlockRef
  std::vector<uint8_t> isInContinue_;                                  ///< by BlockRef
  std::vector<uint8_t> state_; ///< by BlockRef: 0 not found, 1 found, 2 placed
  std::vector<uint32_t> orderStart_;
  std::vector<BlockRef> order_;
};

} // namespace lanewise
