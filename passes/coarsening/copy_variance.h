// What the copies that one invocation does the work of have in common.
//
// A value is shared where every copy would compute the same: then it is computed once. Everything
// is taken to be shared until something shows that it may not be; that spreads along uses, through
// the variables that an invocation has for itself, and from a branch on it to the whole construct
// that the branch decides on. Such a construct is split: it stands once for each copy, one behind
// the other, and everything in it belongs to one copy. Every other construct is gone through by all
// copies together, instruction by instruction.
//
// A load through a shared pointer is shared: the copies stand next to one another there, and an
// invocation may always run so that they do. What another invocation could learn something by or
// from (atomics; accesses that are volatile, coherent or non-private) is done by each copy itself.
#pragma once

#include "analysis/barriers/memory_effects.h"
#include "analysis/control_flow/cfg.h"
#include "canonical/support/construct_nesting.h"
#include "coarsening/factors.h"
#include "coarsening/invocation_ids.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lanewise {

class CopyVariance {
public:
  /// All must outlive it.
  CopyVariance(Analyses& analyses, const ConstructNesting& nesting, const MemoryEffects& effects,
               const InvocationIds& ids, FunctionRef function, const CoarseningFactors& factors);

  /// True where each copy has a value of its own. Of a Function or Private variable: each copy has
  /// one.
  bool isVarying(Id value) const { return varying_[value.value]; }
  /// True for an instruction that stands once for each copy.
  bool isReplicated(InstRef inst) const;
  /// True for the header of a construct that stands once for each copy. (One inside such a
  /// construct need not be.)
  bool isSplit(BlockRef header) const { return isSplit_[header.value]; }
  /// The same, and no construct around it is one.
  bool isOutermostSplit(BlockRef header) const;
  /// True in a block that stands once for each copy.
  bool isInSplit(BlockRef b) const { return isInSplit_[b.value]; }
  /// The blocks of the construct that `header` heads, in ConstructNesting::order(); the header is
  /// one of a loop.
  std::vector<BlockRef> blocksOf(BlockRef header) const;
  /// Whether the construct of `header` holds the block.
  bool isInside(BlockRef b, BlockRef header) const;
  /// Private variables of which each copy has one, ascending.
  std::vector<Id> privateVariables() const;

  /// Why the function cannot be split as it would have to be.
  enum class Obstacle : uint8_t {
    None,
    Return,      ///< the function is left from inside a construct that would be split
    Unstructured ///< a branch that no construct explains
  };
  Obstacle obstacle() const { return obstacle_; }
  InstRef obstaclePlace() const { return obstaclePlace_; }
  /// A pointer to memory of the invocation's own that leads to no variable; null if there is none.
  InstRef unknownPointer() const { return unknownPointer_; }

private:
  void run();
  void mark(Id value);
  void spread(InstRef user, uint32_t word);
  bool isSourceOfVariance(InstRef i) const;
  bool isVaryingLoad(InstRef i) const;
  bool maybeShared(InstRef i) const;
  bool isSignal(InstRef i) const;
  void markWritten(InstRef i);
  Id ownVariable(Id pointer);
  void branchVaries(BlockRef b);
  void split(BlockRef header);
  void splitBlock(BlockRef b, BlockRef header);
  void splitExits(BlockRef b, BlockRef header);
  template <class Visitor>
  void forEachExit(BlockRef from, Visitor&& visit) const;
  void refuse(Obstacle obstacle, InstRef place);

  Analyses& analyses_;
  const Module& module_;
  const Cfg& cfg_;
  const ConstructNesting& nesting_;
  const MemoryEffects& effects_;
  const InvocationIds& ids_;
  const FunctionRef function_;
  const CoarseningFactors factors_;
  std::vector<bool> varying_;                   ///< by Id
  std::vector<bool> isSplit_, isInSplit_;       ///< by BlockRef
  std::vector<std::vector<BlockRef>> children_; ///< by BlockRef of a header: blocks right in it
  std::vector<uint32_t> position_;              ///< by BlockRef, in ConstructNesting::order()
  std::vector<Id> work_;
  std::vector<BlockRef> toSplit_;
  Obstacle obstacle_ = Obstacle::None;
  InstRef obstaclePlace_, unknownPointer_;
};

} // namespace lanewise
