// Why a value differs from invocation to invocation: followed back to a built-in id, to memory read
// at an address of the invocation's own, or to an atomic.
//
// uniformity.h says "not proved to be uniform", which is also true of a flag that every invocation
// reads from one place of a buffer. A rule that names mistakes needs more: a cause. A value whose
// cause is not found has none here, whatever it is.
#pragma once

#include "lint/context.h"

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace lanewise {

struct DivergenceCause {
  std::string what;            ///< "gl_LocalInvocationID", "an atomic on 'counter'"
  std::vector<LintNote> steps; ///< how it comes to the value, the last step first
};

class DivergenceCauses {
public:
  DivergenceCauses(LintContext& context, Kernel& kernel);

  /// Why `value` differs among invocations of a workgroup; nothing when it is uniform, or when the
  /// reason is not known.
  std::optional<DivergenceCause> of(Id value);
  /// The condition or selector of a block's terminator, null when it has none.
  Id conditionOf(BlockRef block) const;
  /// Blocks whose branch decides whether, or how often, an invocation comes to `block`, with a
  /// condition that is not proved to be uniform; in module order. Of the block's function only.
  std::vector<BlockRef> branchesOver(BlockRef block);
  /// Whether the branch of `from` decides over `block`.
  bool decidesOver(BlockRef from, BlockRef block) const;
  /// Whether some path leads from `from` to `block`.
  bool reaches(BlockRef from, BlockRef block) const { return isBetween(from, block, {}); }

private:
  using Cause = std::optional<DivergenceCause>;
  Cause trace(Id value);
  Cause traceDef(InstRef def);
  Cause traceOperands(InstRef def, uint32_t firstWord);
  Cause traceLoad(InstRef load);
  Cause traceBuiltIn(InstRef load, Id variable);
  Cause traceAddress(InstRef access, std::span<const Id> indices, Id variable);
  Cause traceExtract(InstRef extract);
  Cause tracePhi(InstRef phi);
  Cause traceAtomic(InstRef atomic);
  struct Counter {
    Id start;
    Id step; ///< null where it is no counter
  };
  Counter counterOf(Id value);
  bool isShared(const AffineExpr& e) const;
  AffineExpr takeVarying(AffineExpr& e) const;
  bool isSharedMultiple(const AffineExpr& e, uint32_t power) const;
  std::optional<uint32_t> rowOf(const AffineExpr& e) const;
  bool comparesShared(Id condition);
  bool isKnownUniform(Id value);
  bool choosesWayTo(BlockRef from, BlockRef block) const;
  bool isBetween(BlockRef from, BlockRef block, BlockRef end) const;

  LintContext& context_;
  Kernel& kernel_;
  Analyses& analyses_;
  const Module& module_;
  std::unordered_set<Id> seen_; ///< of one search; looked up only
};

} // namespace lanewise
