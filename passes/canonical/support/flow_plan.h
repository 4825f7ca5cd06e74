// What simpler control flow a module can have: which branches are decided, which blocks are never
// reached, which constructs are no longer needed, and which blocks run into one another. Decides;
// changes nothing.
//
// Conditions count as decided by literal constants only, never by specialization constants.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "canonical/support/construct_nesting.h"
#include "ir/module.h"
#include "transforms/flatten_selections.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lanewise {

class FlowPlan {
public:
  /// `mayReplace(phi)`: whether a phi with one operand left may be replaced by that.
  template <class MayReplace>
  FlowPlan(const Module& module, const Cfg& cfg, MayReplace&& mayReplace);

  enum class Block : uint8_t {
    Gone,
    Kept,
    EmptyMerge,   ///< never reached, but a header names it: label and OpUnreachable
    EmptyContinue ///< the same of a loop's continue target: label and the branch back
  };
  Block kindOf(BlockRef b) const { return kind_[b.value]; }
  /// True for a header that stays one.
  bool isHeader(BlockRef b) const {
    return kind_[b.value] == Block::Kept && cfg_.constructAt(b) && !isDropped_[b.value];
  }
  /// The only block that a kept block still goes to although its terminator may name others; null
  /// where the terminator stays as it is.
  BlockRef onlyTarget(BlockRef b) const { return target_[b.value]; }
  /// True where control may go from one kept block to another.
  bool isEdge(BlockRef from, BlockRef to) const {
    return isReached(from) && (!target_[from.value] || target_[from.value] == to);
  }
  /// What a phi is replaced by, null if it stays.
  Id instead(Id phi) const { return instead_[phi.value]; }
  const std::vector<Id>& replacedPhis() const { return replaced_; }

  /// The block that is appended to this one, null for none.
  BlockRef appended(BlockRef b) const { return next_[b.value]; }
  bool isAppended(BlockRef b) const { return isAppended_[b.value] != 0; }

  /// The header of the loop whose continue target an EmptyContinue is.
  BlockRef loopOfContinue(BlockRef b) const { return nesting_.headerOfContinue(b); }
  /// Functions whose blocks must be put in order afterwards (block_order.h).
  const std::vector<FunctionRef>& outOfOrder() const { return outOfOrder_; }
  /// False when everything stays as it is.
  bool hasChanges() const;

  /// Functions that stay as they are.
  struct LeftAlone {
    FunctionRef function;
    const char* why = nullptr;
  };
  const std::vector<LeftAlone>& leftAlone() const { return leftAlone_; }

private:
  static constexpr uint32_t kMostRounds = 16;

  void planFunction(FunctionRef f);
  void resetFunction(FunctionRef f);
  void leaveAlone(FunctionRef f, const char* why);
  // Which way control goes.
  void findReached(FunctionRef f);
  bool sweep(FunctionRef f);
  void replacePhis(BlockRef b);
  BlockRef decide(BlockRef b) const;
  BlockRef switchTarget(InstRef branch, Id selector) const;
  Id resolved(Id id) const;
  bool isReached(BlockRef b) const { return kind_[b.value] == Block::Kept; }
  bool isBackEdge(BlockRef from, BlockRef to) const {
    return cfg_.rpoIndex(from) >= cfg_.rpoIndex(to);
  }
  // What structure that needs.
  enum class Verdict : uint8_t { Fine, Again, Hopeless };
  Verdict restructure(FunctionRef f);
  Verdict restructureLoop(const Construct& loop);
  Verdict keepBackEdge(const Construct& loop);
  bool isLeftStraight(const Construct& c, BlockRef target);
  BlockRef constructOf(BlockRef b);
  bool hasOneTarget(BlockRef b) const {
    return target_[b.value] || (module_.opcode(module_.terminator(b)) == spv::Op::OpBranch &&
                                !cfg_.successors(b).empty());
  }
  BlockRef onlySuccessor(BlockRef b) const {
    return target_[b.value] ? target_[b.value] : cfg_.successors(b)[0];
  }
  void keepNamed(FunctionRef f);
  bool cutsContinueConstruct(FunctionRef f) const;
  bool isNamed(BlockRef header) const { return header && isHeader(header); }
  // Selections with nothing in them.
  void collapseSelections(FunctionRef f);
  bool canCollapse(const Construct& c);
  BlockRef endOfEmpty(BlockRef b);
  bool isEmpty(BlockRef b) const;
  bool hasContent(BlockRef b) const;
  // Blocks that run into one another.
  void appendBlocks(FunctionRef f);
  struct Chain {
    BlockRef head, tail;
    BlockRef header;      ///< the loop header among them
    bool isMerge = false; ///< a header names one of them as its merge block
    bool isEmpty = true;
  };
  bool canAppend(const Chain& chain, BlockRef next) const;
  bool isOrderLost(FunctionRef f);
  bool canAppendMerge(const Chain& chain, BlockRef next) const;

  const Module& module_;
  const Cfg& cfg_;
  const ConstructNesting nesting_;
  std::vector<uint8_t> mayReplace_; ///< by InstRef of a phi
  std::vector<Block> kind_;         ///< by BlockRef, as all that follow
  std::vector<BlockRef> target_;
  std::vector<uint8_t> isDropped_, mustStay_, hasNoBackEdge_; ///< of headers; terminators; loops
  std::vector<BlockRef> outer_;                               ///< shortcut over dropped constructs
  std::vector<BlockRef> emptyEnd_;                            ///< shortcut over empty blocks
  std::vector<uint8_t> isSwitchTarget_;
  std::vector<uint32_t> predecessors_;
  std::vector<BlockRef> next_, head_; ///< of a block that is appended: the first of all
  std::vector<uint8_t> isAppended_;
  mutable std::vector<Id> instead_; ///< by Id
  std::vector<Id> replaced_;
  size_t replacedBefore_ = 0;     ///< those of earlier functions
  std::vector<uint8_t> wasFound_; ///< scratch
  bool isMoreReached_ = false;    ///< than was thought: a decision was taken back
  std::vector<LeftAlone> leftAlone_;
  std::vector<FunctionRef> outOfOrder_;
};

template <class MayReplace>
FlowPlan::FlowPlan(const Module& module, const Cfg& cfg, MayReplace&& mayReplace)
    : module_(module), cfg_(cfg), nesting_(module, cfg), mayReplace_(module.instCount() + 1),
      instead_(module.idBound()) {
  const size_t blocks = size_t(module.blockCount()) + 1;
  kind_.resize(blocks);
  for (auto* flags : {&isDropped_, &mustStay_, &hasNoBackEdge_, &isSwitchTarget_, &isAppended_})
    flags->resize(blocks);
  for (auto* refs : {&target_, &outer_, &emptyEnd_, &next_, &head_}) refs->resize(blocks);
  predecessors_.resize(blocks);
  for (uint32_t b = 1; b < blocks; ++b)
    for (InstRef phi : phisOf(module, BlockRef(b))) mayReplace_[phi.value] = mayReplace(phi);
  for (uint32_t f = 1; f <= module.functionCount(); ++f) planFunction(FunctionRef(f));
}

} // namespace lanewise
