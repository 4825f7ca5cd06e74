// What --inline decides before it copies anything: which calls are inlined, and what becomes of the
// blocks they stand in. Callees are planned before their callers, so each function is looked at
// once however often it is called.
#pragma once

#include "analysis/module/analyses.h"
#include "canonical/support/construct_nesting.h"
#include "canonical/support/early_exits.h"
#include "ir/module.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lanewise {

/// Why a call stays. `name` is for machines, `message` for people.
struct CallRefusal {
  std::string_view name;
  std::string_view message;
};

struct CallSite {
  InstRef inst;
  FunctionRef callee;
  const CallRefusal* refusal = nullptr; ///< null: inlined
  uint32_t rest = 0; ///< local number of the label behind the copy, 0 where the block is not split
};

/// A block that is split by calls, or changes in copies for early returns. Labels are local
/// numbers, 0 for none.
struct BlockSplit {
  uint32_t last = 0; ///< of the piece with the terminator, where calls split it
  uint32_t body = 0; ///< of a loop header: what stands behind OpLoopMerge
  uint32_t tail = 0; ///< of a loop of one block: its new continue target
  uint32_t exit = 0; ///< of a merge block that returns break to: index into exits, from 1 on
  // Only in copies:
  uint32_t returnTo = 0; ///< label that the return branches to, 0: that behind the copy
  bool setsFlag = false; ///< so does the return
  bool endsAnew = false; ///< header whose merge block is `merge` now
  uint32_t merge = 0;    ///< 0: the label behind the copy
  BlockRef detourOf;     ///< branches to this merge block go to `detour` first
  uint32_t detour = 0;   ///< label
};

/// A block that returns come together in: its label, and what it branches to, 0: that behind the
/// copy.
struct ExitBlock {
  uint32_t label = 0, to = 0;
};

/// A merge block that returns break to, in local numbers.
struct ExitPlan {
  uint32_t outer = 0;            ///< label to go on to, 0: that behind the copy
  uint32_t stay = 0;             ///< label for those that do not return
  bool isOnlyWay = false;        ///< there are none
  bool selectsRest = false;      ///< what is behind stands in a selection that `outer` ends
  std::vector<uint32_t> ways;    ///< labels from which returns come
  std::vector<ExitBlock> before; ///< new blocks before this one
};

/// A function as it is copied. Its results have local numbers from 1 on, parameters first; labels
/// that it gets from being split follow.
struct FunctionPlan {
  /// How a copy ends.
  enum class Shape : uint8_t {
    Straight,    ///< one block that is not split: pasted into the caller's
    FallsOut,    ///< several blocks, the last of which returns
    BranchesOut, ///< one return outside all constructs, not in the last block; or none
    ReturnsEarly ///< from inside constructs (early_exits.h)
  };
  FunctionRef function;
  InstRef firstLabel;
  Shape shape = Shape::Straight;
  bool mayTerminate = false; ///< does not always come back: OpKill, OpUnreachable and the like
  bool hasSampledImages = false;
  bool hasFlag = false;   ///< returns break out of constructs that others leave, too
  bool breaksOut = false; ///< returns leave a loop or switch, or a selection that others leave, too
  bool isShared = false;  ///< lanes meet in it: Workgroup memory, barriers, pointers to buffers
  bool isWrapped = false; ///< its copies go into a switch, which early returns break
  uint32_t exitDepth = 0; ///< constructs around one another that early returns add
  InstRef onlyReturn;     ///< null: none or several
  uint32_t parameterCount = 0;
  uint32_t returnCount = 0;
  uint32_t inlinedCalls = 0;
  std::vector<Id> ids;             ///< by local number; null: a label that is new
  std::vector<uint32_t> annotated; ///< local numbers of what has names or decorations to be copied
  std::vector<CallSite> calls;
  std::vector<ExitBlock> exitBlocks; ///< at the end of a copy
  std::vector<uint32_t> localWords;  ///< offsets of words that hold local ids; when first copied
  bool hasLocalWords = false;
  uint64_t words = 0;                      ///< with all calls inlined
  uint64_t newIds = 0;                     ///< that a copy takes
  const CallRefusal* whyNot = nullptr;     ///< no call of it is inlined
  const CallRefusal* whyAsItWas = nullptr; ///< no call in it is inlined where it is written itself
};

/// What is noted of an id's names and decorations.
struct Annotations {
  enum Flag : uint8_t { Copied = 1, Decorated = 2, Coherent = 4, Volatile = 8, NonUniform = 16 };
  explicit Annotations(const Module& module);
  bool has(Id id, uint8_t flags) const { return (flags_[id.value] & flags) != 0; }
  uint8_t of(Id id) const { return flags_[id.value]; }

private:
  std::vector<uint8_t> flags_; ///< by Id
};

enum class InlineMode : uint8_t {
  All,
  Profitable, ///< not what compilers inline better, unless lanes meet in it
  Small       ///< functions that are called once, or that are no longer than a call
};

/// Of all that is written; no function alone exceeds them either.
struct InlineLimits {
  uint64_t words = 0;
  uint64_t newIds = 0;
  InlineMode mode = InlineMode::All;
};

class InlinePlan {
public:
  InlinePlan(Analyses& analyses, const Annotations& annotations, InlineLimits limits);

  /// Plans everything that `root` reaches. What was planned before stays as it is.
  void add(FunctionRef root);

  /// Takes what writing `root` anew needs from the limits; where they do not have it, the function
  /// stays as it was. True if it is to be written.
  bool reserve(FunctionPlan& root);

  bool isPlanned(FunctionRef f) const { return index_[f.value] != 0; }
  FunctionPlan& of(FunctionRef f) { return plans_[index_[f.value]]; }
  const BlockSplit* splitOf(BlockRef b) const {
    return split_[b.value] ? &splits_[split_[b.value]] : nullptr;
  }
  /// Local number of a result in its function, 0 of a global.
  uint32_t localOf(Id id) const { return id.value < local_.size() ? local_[id.value] : 0; }
  const ExitPlan& exit(const BlockSplit& split) const { return exits_[split.exit]; }
  /// What phis name instead of the block `b`; 0 where that is the block itself.
  uint32_t lastPiece(BlockRef b, bool isRoot) const;
  /// Where local ids stand among the words of a function.
  const std::vector<uint32_t>& localWordsOf(FunctionPlan& plan);

private:
  void collect(FunctionPlan& plan);
  void collectInst(FunctionPlan& plan, InstRef i);
  bool isShared(InstRef i) const;
  void finish(FunctionPlan& plan);
  void decideShape(FunctionPlan& plan);
  const ConstructNesting& nesting();
  const CallRefusal* whyNotInlined(const FunctionPlan& caller, const CallSite& call);
  const CallRefusal* whyArgumentsForbid(const CallSite& call, const FunctionPlan& callee) const;
  bool canSplit(BlockRef b) const;
  void countCalls();
  void split(FunctionPlan& plan, CallSite& call);
  uint32_t newLabel(FunctionPlan& plan);
  BlockSplit& splitAt(BlockRef b);
  bool choosesPointer(const EarlyExits& exits) const;
  void planExits(FunctionPlan& plan, const EarlyExits& exits);
  void planExit(FunctionPlan& plan, const EarlyExits& exits, uint32_t target,
                const std::vector<uint32_t>& labels);

  enum class State : uint8_t { Unseen, Active, Done };
  Analyses& analyses_;
  const Module& module_;
  std::optional<ConstructNesting> nesting_;
  const Annotations& annotations_;
  InlineLimits limits_;
  std::vector<uint32_t> index_; ///< by FunctionRef, into plans_
  std::vector<uint32_t> calls_; ///< by FunctionRef, of it; where only small ones are inlined
  std::vector<State> state_;    ///< by FunctionRef
  std::vector<FunctionPlan> plans_;
  std::vector<uint32_t> local_; ///< by Id
  std::vector<uint32_t> split_; ///< by BlockRef, into splits_
  std::vector<BlockSplit> splits_;
  std::vector<ExitPlan> exits_;
};

} // namespace lanewise
