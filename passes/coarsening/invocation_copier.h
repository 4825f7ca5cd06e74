// Writes a function anew in which one invocation does the work of several.
#pragma once

#include "analysis/module/decorations.h"
#include "coarsening/copied_ids.h"
#include "coarsening/copy_variance.h"
#include "ir/rewriter.h"

#include <cstdint>
#include <vector>

namespace lanewise {

/// The first copy keeps the names of values, and all that the copies share keeps its own. Of a
/// construct that stands once for each copy, the last keeps the label of the merge block, and that
/// of a loop's header names a block in front of the first:
///
///     %h: ... OpSelectionMerge %m        %h: ... OpSelectionMerge %m0
///         branch on %c              =>       branch on %c
///     %m: phis                           %m0: phis of the first copy
///                                            OpSelectionMerge %m, branch on %c1
///                                        %m: phis of the second copy
class InvocationCopier {
public:
  InvocationCopier(Analyses& analyses, const ConstructNesting& nesting, const InvocationIds& ids,
                   const CopyVariance& variance, CopiedIds& copiedIds,
                   const CoarseningFactors& factors, Rewriter& rewriter);

  /// Records the edits: the function's code, names and decorations of what is new, variables of the
  /// invocation's own.
  void rewrite(FunctionRef function);
  /// New variables outside of functions.
  const std::vector<Id>& added() const { return added_; }
  /// Instructions that stand once for all copies, and once for each: of those that compute.
  uint32_t shared() const { return shared_; }
  uint32_t replicated() const { return replicated_; }

private:
  void writeFrom(BlockRef b);
  BlockRef writeBody(BlockRef b);
  void writeShared(InstRef i);
  void writeOne(InstRef i, uint32_t copy);
  void writeHead(InstRef next);
  BlockRef writeSplitSelection(BlockRef header, InstRef merge);
  BlockRef writeSplitLoop(BlockRef header);
  void writePreheader(BlockRef header);
  void writeLoopPhi(InstRef phi, uint32_t copy, Id from);
  void writeInCopy(InstRef i, uint32_t copy);
  void writeClone(BlockRef b, uint32_t copy);
  void writeMergePhis(BlockRef merge, uint32_t copy);
  void beginCopy(const Construct& c, std::span<const BlockRef> blocks, uint32_t copy, Id header,
                 Id merge);
  void endCopies();
  void count(InstRef i);
  Id mapped(Id id, uint32_t copy);
  Id copyOf(Id id, uint32_t copy);
  void append(InstRef i, uint32_t copy);
  void emit(Inst inst);
  void nameCopies();
  void dropUniformity(FunctionRef function);

  Analyses& analyses_;
  const Module& module_;
  const Cfg& cfg_;
  const ConstructNesting& nesting_;
  const InvocationIds& ids_;
  const CopyVariance& variance_;
  CopiedIds& copiedIds_;
  const uint32_t copies_;
  Rewriter& rewriter_;

  std::vector<uint32_t> out_;
  std::vector<Id> names_;       ///< by Id * (copies - 1): what a value of the function is called
  std::vector<bool> isWritten_; ///< by BlockRef
  bool hasHead_ = false;
  bool isSplit_ = false;                  ///< labels go by labels_
  std::vector<Id> labels_;                ///< by Id: in the current copy of a construct
  std::vector<Id> relabelled_;            ///< those that labels_ holds
  std::vector<std::vector<Id>> entering_; ///< by phi of a loop's header, then copy: from outside
  std::vector<Id> added_;
  uint32_t shared_ = 0, replicated_ = 0;
};

} // namespace lanewise
