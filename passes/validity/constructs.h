// The constructs of structured control flow as a tree (SPIR-V 2.11.1): which blocks are in which.
#pragma once

#include "validity/flow.h"

#include <cstdint>
#include <vector>

namespace lanewise::validity {

struct ConstructNode {
  enum class Kind : uint8_t { Function, Selection, Switch, Loop, Continue, Case };
  Kind kind = Kind::Function;
  BlockRef entry;          ///< header; of Continue its target, of Case its first block
  BlockRef merge;          ///< Selection, Switch, Loop; of Continue and Case that of their owner
  BlockRef continueTarget; ///< Loop, Continue
  uint32_t parent = 0;     ///< the next larger construct. That of Continue is its loop's
  uint32_t owner = 0;      ///< Continue: its loop; Case: its switch
  uint32_t depth = 0;
};

/// The constructs of one function. Blocks that structural edges do not reach are in none.
class ConstructTree {
public:
  /// `headerOfMerge` and `headerOfContinue` give, by block, the headers that name it, null for
  /// none.
  ConstructTree(const Module& module, const Cfg& cfg, const Dominators& structural,
                FunctionRef function, const std::vector<BlockRef>& headerOfMerge,
                const std::vector<BlockRef>& headerOfContinue);

  /// False when they nest so deeply that checks over them would take long.
  bool isShallow() const { return shallow_; }
  /// The innermost construct of a block; its own, of a header. 0 is the function.
  uint32_t innermost(BlockRef b) const { return innermost_[b.value - first_]; }
  const ConstructNode& node(uint32_t n) const { return nodes_[n]; }
  uint32_t size() const { return uint32_t(nodes_.size()); }
  /// Whether `outer` is `inner` or a larger construct that holds it.
  bool contains(uint32_t outer, uint32_t inner) const {
    while (nodes_[inner].depth > nodes_[outer].depth) inner = nodes_[inner].parent;
    return inner == outer;
  }

private:
  uint32_t add(ConstructNode node);
  /// The construct around that which `header` heads, seen from inside it or its continue construct.
  uint32_t leave(uint32_t from, BlockRef header, bool toParent) const;
  void place(const Cfg& cfg, const Dominators& structural, BlockRef b,
             const std::vector<BlockRef>& headerOfMerge,
             const std::vector<BlockRef>& headerOfContinue);

  uint32_t first_;
  bool shallow_ = true;
  std::vector<ConstructNode> nodes_;
  std::vector<uint32_t> innermost_; ///< by block, from the function's first
};

} // namespace lanewise::validity
