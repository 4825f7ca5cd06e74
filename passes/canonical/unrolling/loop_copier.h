// Writes the iterations of loops one behind the other.
#pragma once

#include "analysis/module/decorations.h"
#include "canonical/unrolling/iterations.h"
#include "canonical/unrolling/loop_shape.h"
#include "ir/rewriter.h"
#include "transforms/constant_pool.h"
#include "transforms/value_edits.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanewise {

struct UnrolledLoop {
  LoopShape shape;
  Iterations iterations;
};

/// For loops that have no block in common. What is behind a loop finds the names it knows: the last
/// copy of an instruction keeps the ids, the first copy of the header its label.
class LoopCopier {
public:
  LoopCopier(Analyses& analyses, Rewriter& rewriter);

  /// Records the edits for all loops, in module order; once.
  void rewrite(std::span<const UnrolledLoop> loops);

  /// How many ids the copies of a loop take, at most.
  static uint64_t newIds(const UnrolledLoop& loop) {
    return uint64_t(loop.iterations.count) * (loop.shape.instructions + 2);
  }

private:
  void write(const UnrolledLoop& loop);
  void beginCopy();
  void nameResults();
  bool isReplaced(size_t phi) const;
  void namePhis();
  void writeConstruct(Id first);
  void writePhis();
  void writeBlock(BlockRef b);
  void writeTerminator(BlockRef b, InstRef i);
  uint32_t* append(InstRef i);
  void eraseOriginal();
  void decorate(Id original, Id copy);
  void renameBehind(const UnrolledLoop& loop);

  Id mapped(Id id) const { return map_[id.value] ? map_[id.value] : edits_.resolved(id); }
  bool isLastCopy(bool isBefore) const {
    return iteration_ + (isBefore ? 1 : 2) == loop_->iterations.count;
  }
  bool isLastIteration() const { return iteration_ + 1 == loop_->iterations.count; }
  template <class... Words>
  void emit(spv::Op op, Words... words) {
    out_.push_back(uint32_t(op) | uint32_t(sizeof...(words) + 1) << 16);
    (out_.push_back(words), ...);
  }

  const Module& module_;
  const Decorations& decorations_;
  Rewriter& rewriter_;
  ValueEdits edits_;
  ConstantPool constants_;
  std::vector<Id> map_;         ///< by Id: what an id of the loop is called in the current copy
  std::vector<bool> isWritten_; ///< by BlockRef
  std::vector<Id> exitLabels_;  ///< by Id: what the label of a block that left a loop became

  const UnrolledLoop* loop_ = nullptr;
  uint32_t iteration_ = 0;
  Id entry_, nextEntry_;      ///< labels where this copy, and the next, begin
  bool isWrapped_ = false;    ///< the copy is inside a construct of its own
  std::vector<Id> phiValues_; ///< of this copy; null for a phi that stays one
  std::vector<uint32_t> out_;
};

} // namespace lanewise
