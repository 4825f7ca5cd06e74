// What of the function bodies is needed: instructions, stores to private variables, parts of
// composites, and selections. Everything else may go.
//
// Optimistic: starts from what has an effect and follows operands, phis, stores of what is read,
// and the branches that decide over all these. Reference: R. Cytron et al., "Efficiently Computing
// Static Single Assignment Form and the Control Dependence Graph" (1991), section 7.1; control
// dependence is read off the structured constructs (SPIR-V 2.11).
#pragma once

#include "analysis/control_flow/cfg.h"
#include "canonical/support/construct_nesting.h"
#include "canonical/support/removable_accesses.h"
#include "ir/module.h"

#include <cstdint>
#include <vector>

namespace lanewise {

class Liveness {
public:
  explicit Liveness(Analyses& analyses);

  /// For anything but labels, merge instructions, terminators and debug information.
  bool isLive(InstRef i) const { return isLive_[i.value] != 0; }
  /// False for a selection that decides over nothing: its header may go straight to the merge block
  /// and the blocks inside may go. True for a loop, and for a header that is itself in a construct
  /// that may go.
  bool isConstructLive(BlockRef header) const {
    return isConstructLive_[header.value] != 0 || !isOptional_[header.value];
  }
  /// True for a block inside a selection that may go.
  bool isRemovable(BlockRef b) const { return isRemovable_[b.value] != 0; }
  /// False when the part that an OpCompositeInsert writes is never looked at.
  bool isInsertNeeded(InstRef insert) const {
    return demand_.empty() || (demand_[insert.value] & partOf(insert)) != 0;
  }

private:
  uint64_t partOf(InstRef insert) const { return bitOf(module_.word(insert, 5)); }
  static uint64_t bitOf(uint32_t index) { return 1ull << (index < 63 ? index : 63); }

  void collect();
  void collectBlock(BlockRef b);
  void indexCalls();
  void hasEffect(FunctionRef f);
  bool isLeaving(InstRef terminator) const;
  void collectControl();
  void collectExits(BlockRef b);

  void need(Id id, uint64_t parts = kAll);
  void mark(InstRef i, uint64_t parts = kAll);
  void requeue(InstRef i);
  void keepBlock(BlockRef b);
  void keepConstruct(BlockRef header);
  void keepTerminator(BlockRef b);
  void keepWayOut(BlockRef b);
  void propagate();
  void visit(InstRef i);
  void visitVariable(InstRef variable);
  void visitCall(InstRef call);
  void visitPhi(InstRef phi, uint64_t parts);
  void visitParts(InstRef i);
  void visitConstruct(BlockRef header);
  void markRemovableBlocks();

  static constexpr uint64_t kAll = ~0ull;

  const Module& module_;
  const Cfg& cfg_;
  ConstructNesting nesting_;
  RemovableAccesses accesses_;
  std::vector<uint8_t> isLive_, isQueued_;            ///< by InstRef
  std::vector<uint64_t> demand_;                      ///< by InstRef; empty: always everything
  std::vector<InstRef> firstStore_, nextStore_;       ///< by InstRef: variable; store
  std::vector<uint8_t> isConstructLive_, isOptional_; ///< by BlockRef of the header
  std::vector<uint8_t> isRemovable_;                  ///< by BlockRef
  std::vector<BlockRef> firstInside_, nextInside_;    ///< by BlockRef: header; block directly in it
  std::vector<uint8_t> hasEffect_;          ///< by FunctionRef: a call of it is needed for itself
  std::vector<uint32_t> callStart_;         ///< by FunctionRef: into calls_
  std::vector<InstRef> foundCalls_, calls_; ///< in module order; by callee
  std::vector<InstRef> work_;
  std::vector<BlockRef> constructWork_;
};

} // namespace lanewise
