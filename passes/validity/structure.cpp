// Structured control flow (SPIR-V 2.11): constructs are entered at their headers and left where the
// specification lets them be left.
//
// Blocks that no structural edge reaches are in no construct, and nothing is asked of them.

#include "text/format_text.h"
#include "validity/constructs.h"
#include "validity/module_rules.h"

#include <algorithm>

namespace lanewise::validity {

namespace {

using spv::Op;
using Kind = ConstructNode::Kind;

class StructureChecker {
public:
  StructureChecker(Subject& s, const Flow& flow)
      : s_(s), m_(s.module), cfg_(flow.cfg), structural_(structuralDominators(m_, cfg_)) {}

  bool run();

private:
  bool collectHeaders();
  bool checkHeaders(FunctionRef f);
  bool walk(FunctionRef f);
  bool checkSelections(FunctionRef f);
  bool checkEdges(const ConstructTree& tree, FunctionRef f);
  bool checkEdge(const ConstructTree& tree, BlockRef from, BlockRef to);
  bool checkLatch(const ConstructTree& tree, BlockRef from, BlockRef to);
  bool mayLeave(const ConstructTree& tree, uint32_t construct, BlockRef from, BlockRef to);
  bool mayBreak(const ConstructTree& tree, uint32_t construct, BlockRef to) const;
  bool checkNesting(const ConstructTree& tree);
  bool checkCases(const ConstructTree& tree);
  bool checkCaseOrder(BlockRef header, const std::vector<BlockRef>& targets);

  uint32_t label(BlockRef b) const { return m_.labelId(b).value; }
  bool fail(BlockRef b, std::string what) { return s_.fail(m_.terminator(b), what, m_.labelId(b)); }
  /// The targets of an OpSwitch in order, the default first.
  std::vector<BlockRef> switchTargets(BlockRef header) const;
  bool isCaseOf(const ConstructNode& node, BlockRef b) const {
    const std::span<const BlockRef> from = cfg_.predecessors(b);
    return b != node.merge && std::binary_search(from.begin(), from.end(), node.entry);
  }

  Subject& s_;
  const Module& m_;
  const Cfg& cfg_;
  const Dominators structural_;
  std::vector<BlockRef> headerOfMerge_, headerOfContinue_; ///< by block
  std::vector<BlockRef> latch_;                            ///< by loop header
  std::vector<BlockRef> fallsTo_;                          ///< by first block of a case
  std::vector<BlockRef> postorder_;
  std::vector<uint8_t> state_; ///< by block: 0 not met, 1 on the walk's path, 2 done
};

bool StructureChecker::collectHeaders() {
  const size_t blocks = size_t(m_.blockCount()) + 1;
  headerOfMerge_.resize(blocks);
  headerOfContinue_.resize(blocks);
  latch_.resize(blocks);
  fallsTo_.resize(blocks);
  state_.resize(blocks);
  for (const Construct& c : cfg_.constructs()) {
    if (!c.merge) continue;
    if (const BlockRef other = headerOfMerge_[c.merge.value])
      return s_.fail(m_.mergeInst(c.header),
                     formatText("names merge block %{}, which is that of block %{}", label(c.merge),
                                label(other)),
                     m_.labelId(c.merge));
    headerOfMerge_[c.merge.value] = c.header;
    if (c.continueTarget && structural_.isReachable(c.header))
      headerOfContinue_[c.continueTarget.value] = c.header;
  }
  return true;
}

/// Depth-first along structural edges, for the order of blocks and the back edges.
bool StructureChecker::walk(FunctionRef f) {
  struct Visit {
    BlockRef block;
    std::vector<BlockRef>::size_type first, next;
  };
  std::vector<Visit> path;
  std::vector<BlockRef> pending; // successors of the blocks on the path
  const auto open = [&](BlockRef b) {
    state_[b.value] = 1;
    const auto first = pending.size();
    forEachStructuralSuccessor(cfg_, b, [&](BlockRef s) { pending.push_back(s); });
    path.push_back({b, first, first});
  };
  postorder_.clear();
  open(m_.firstBlock(f));
  while (!path.empty()) {
    Visit& top = path.back();
    if (top.next == pending.size()) {
      pending.resize(top.first);
      state_[top.block.value] = 2;
      postorder_.push_back(top.block);
      path.pop_back();
      continue;
    }
    const BlockRef from = top.block, to = pending[top.next++];
    if (state_[to.value] == 0) {
      open(to);
    } else if (state_[to.value] == 1) {
      const std::span<const BlockRef> real = cfg_.successors(from);
      if (std::find(real.begin(), real.end(), to) == real.end()) continue;
      const Construct* c = cfg_.constructAt(to);
      if (!c || c->kind != Construct::Kind::Loop)
        return fail(from,
                    formatText("branches back to block %{}, which is no loop header", label(to)));
      if (latch_[to.value] && latch_[to.value] != from)
        return fail(from, formatText("is a second branch back to loop header %{}", label(to)));
      latch_[to.value] = from;
    }
  }
  return true;
}

bool StructureChecker::checkHeaders(FunctionRef f) {
  const uint32_t first = m_.firstBlock(f).value;
  for (uint32_t b = first; b < first + m_.blockCount(f); ++b) {
    const Construct* c = cfg_.constructAt(BlockRef(b));
    if (!c || !structural_.isReachable(c->header) || !c->merge) continue;
    if (c->header == c->merge || !structural_.dominates(c->header, c->merge))
      return s_.fail(m_.mergeInst(c->header),
                     formatText("heads a construct, but does not dominate its merge block %{}",
                                label(c->merge)),
                     m_.labelId(c->header));
    if (c->kind != Construct::Kind::Loop || !c->continueTarget) continue;
    if (!structural_.dominates(c->header, c->continueTarget))
      return s_.fail(m_.mergeInst(c->header),
                     formatText("heads a loop, but does not dominate its continue target %{}",
                                label(c->continueTarget)),
                     m_.labelId(c->header));
    const BlockRef latch = latch_[b];
    if (!latch)
      return s_.fail(m_.mergeInst(c->header), "heads a loop that no block branches back to",
                     m_.labelId(c->header));
    // The edge to the merge block leaves a larger continue construct that begins with the header.
    if (c->continueTarget == c->header && latch != c->header)
      return s_.fail(m_.mergeInst(c->header),
                     "heads a loop of more than one block and is its continue target",
                     m_.labelId(c->header));
    if (!structural_.dominates(c->continueTarget, latch))
      return s_.fail(m_.mergeInst(c->header),
                     formatText("has the continue target %{}, which does not dominate block %{} "
                                "that branches back",
                                label(c->continueTarget), label(latch)),
                     m_.labelId(c->header));
  }
  return true;
}

/// A conditional branch without a selection merge leads to at most one block that nothing before it
/// has led to; a switch always has a merge.
bool StructureChecker::checkSelections(FunctionRef) {
  std::vector<uint8_t>& seen = state_; // 2 for all that was walked: 3 for seen
  const auto see = [&](BlockRef b) {
    const bool isNew = b && seen[b.value] != 3;
    if (b) seen[b.value] = 3;
    return isNew;
  };
  for (auto it = postorder_.rbegin(); it != postorder_.rend(); ++it) {
    const BlockRef b = *it;
    const Construct* c = cfg_.constructAt(b);
    if (c) see(c->merge), see(c->continueTarget);
    const InstRef terminator = m_.terminator(b);
    if (m_.opcode(terminator) == Op::OpBranchConditional) {
      const bool isFirst = see(m_.blockOfLabel(m_.idAt(terminator, 2)));
      const bool isSecond = see(m_.blockOfLabel(m_.idAt(terminator, 3)));
      if (!c && isFirst && isSecond)
        return fail(b, "chooses between two new blocks without OpSelectionMerge");
    } else if (m_.opcode(terminator) == Op::OpSwitch) {
      if (!c) return fail(b, "has no OpSelectionMerge before it");
      for (BlockRef s : cfg_.successors(b)) see(s);
    }
  }
  return true;
}

/// Out of a selection or case, past what is around it: to the merge block of the innermost switch,
/// or the merge block or continue target of the innermost loop.
bool StructureChecker::mayBreak(const ConstructTree& tree, uint32_t construct, BlockRef to) const {
  bool seenSwitch = tree.node(construct).kind != Kind::Selection;
  for (uint32_t n = tree.node(construct).parent; n != 0; n = tree.node(n).parent) {
    const ConstructNode& c = tree.node(n);
    if (c.kind == Kind::Loop || c.kind == Kind::Continue)
      return to == c.merge || to == c.continueTarget;
    if (c.kind != Kind::Switch) continue;
    if (!seenSwitch && to == c.merge) return true;
    seenSwitch = true;
  }
  return false;
}

bool StructureChecker::mayLeave(const ConstructTree& tree, uint32_t construct, BlockRef from,
                                BlockRef to) {
  const ConstructNode& c = tree.node(construct);
  switch (c.kind) {
  case Kind::Selection:
  case Kind::Switch:
    return to == c.merge || mayBreak(tree, construct, to);
  case Kind::Loop:
    return to == c.merge || to == c.continueTarget;
  case Kind::Continue: // only behind the block that branches back may nothing else follow
    return to == tree.node(c.owner).entry ||
           (to == c.merge && from == latch_[tree.node(c.owner).entry.value]);
  case Kind::Case: {
    if (to == c.merge) return true;
    if (!isCaseOf(tree.node(c.owner), to)) return mayBreak(tree, c.owner, to);
    BlockRef& next = fallsTo_[c.entry.value];
    if (next && next != to) return false;
    next = to;
    return true;
  }
  case Kind::Function:
    break;
  }
  return false;
}

/// Into a continue construct from its loop only, or from the end of a loop that it starts with.
bool StructureChecker::checkLatch(const ConstructTree& tree, BlockRef from, BlockRef to) {
  const BlockRef header = headerOfContinue_[to.value];
  if (!header || header == to || latch_[to.value] == from) return true;
  const uint32_t loop = tree.innermost(header);
  return tree.contains(loop, tree.innermost(from)) ||
         fail(from, formatText("branches to %{}, the continue target of a loop that it is not in",
                               label(to)));
}

bool StructureChecker::checkEdge(const ConstructTree& tree, BlockRef from, BlockRef to) {
  uint32_t out = tree.innermost(from), in = tree.innermost(to);
  while (out != in) {
    if (tree.node(out).depth >= tree.node(in).depth) {
      if (!mayLeave(tree, out, from, to))
        return fail(from, formatText("leaves the construct of block %{} by branching to %{}",
                                     label(tree.node(out).entry), label(to)));
      out = tree.node(out).parent;
    } else {
      if (tree.node(in).entry != to)
        return fail(from, formatText("branches to %{}, in the middle of the construct of block %{}",
                                     label(to), label(tree.node(in).entry)));
      in = tree.node(in).parent;
    }
  }
  return checkLatch(tree, from, to);
}

bool StructureChecker::checkEdges(const ConstructTree& tree, FunctionRef f) {
  const uint32_t first = m_.firstBlock(f).value;
  for (uint32_t b = first; b < first + m_.blockCount(f); ++b) {
    const BlockRef block(b);
    if (!structural_.isReachable(block)) continue;
    for (BlockRef s : cfg_.successors(block))
      if (!checkEdge(tree, block, s)) return false;
    if (!cfg_.successors(block).empty()) continue;
    for (uint32_t n = tree.innermost(block); n != 0; n = tree.node(n).parent)
      if (tree.node(n).kind == Kind::Continue)
        return fail(block, formatText("ends the function in the continue construct of block %{}",
                                      label(tree.node(n).entry)));
  }
  return true;
}

/// Where a header is, its merge block is, too.
bool StructureChecker::checkNesting(const ConstructTree& tree) {
  for (uint32_t n = 1; n < tree.size(); ++n) {
    const ConstructNode& c = tree.node(n);
    if (c.kind != Kind::Selection && c.kind != Kind::Switch && c.kind != Kind::Loop) continue;
    uint32_t around = c.parent;
    while (around != 0 &&
           (tree.node(around).kind == Kind::Case || tree.node(around).entry == c.entry))
      around = tree.node(around).parent;
    if (around != 0 && !tree.contains(around, tree.innermost(c.merge)))
      return fail(c.entry,
                  formatText("is in the construct of block %{}, but its merge block %{} is "
                             "not",
                             label(tree.node(around).entry), label(c.merge)));
  }
  return true;
}

std::vector<BlockRef> StructureChecker::switchTargets(BlockRef header) const {
  std::vector<BlockRef> targets;
  m_.forEachIdOperand(m_.terminator(header), [&](uint32_t word, Id id) {
    if (word > 1) targets.push_back(m_.blockOfLabel(id));
  });
  return targets;
}

/// A case that falls into another stands right before it in the list of targets.
bool StructureChecker::checkCaseOrder(BlockRef header, const std::vector<BlockRef>& targets) {
  const BlockRef standard = targets.front(), merge = cfg_.constructAt(header)->merge;
  const bool standardIsCase =
      std::find(targets.begin() + 1, targets.end(), standard) != targets.end();
  for (size_t n = 1; n < targets.size(); ++n) {
    if (targets[n] == standard || targets[n] == merge) continue;
    BlockRef next = fallsTo_[targets[n].value];
    if (next == standard && !standardIsCase) next = fallsTo_[standard.value];
    if (!next) continue;
    size_t last = n;
    while (last + 1 < targets.size() && targets[last + 1] == targets[n]) ++last;
    if (last + 1 >= targets.size() || targets[last + 1] != next)
      return fail(header,
                  formatText("lists case %{} not right before case %{}, into which it falls",
                             label(targets[n]), label(next)));
    n = last;
  }
  return true;
}

bool StructureChecker::checkCases(const ConstructTree& tree) {
  for (uint32_t n = 1; n < tree.size(); ++n) {
    const ConstructNode& c = tree.node(n);
    if (c.kind != Kind::Switch) continue;
    for (BlockRef target : cfg_.successors(c.entry))
      if (target != c.merge && !structural_.dominates(c.entry, target))
        return fail(c.entry, formatText("does not dominate case %{}", label(target)));
    std::vector<BlockRef> targets = switchTargets(c.entry);
    std::vector<BlockRef> into;
    for (BlockRef target : cfg_.successors(c.entry))
      if (target != c.merge && fallsTo_[target.value]) into.push_back(fallsTo_[target.value]);
    if (into.empty()) continue;
    std::sort(into.begin(), into.end());
    if (const auto twice = std::adjacent_find(into.begin(), into.end()); twice != into.end())
      return fail(*twice, "is a case that two others fall into");
    if (!checkCaseOrder(c.entry, targets)) return false;
  }
  return true;
}

bool StructureChecker::run() {
  if (!collectHeaders()) return false;
  for (uint32_t f = 1; f <= m_.functionCount(); ++f) {
    const FunctionRef function(f);
    if (m_.blockCount(function) <= 1) continue;
    if (!walk(function) || !checkHeaders(function) || !checkSelections(function)) return false;
    const ConstructTree tree(m_, cfg_, structural_, function, headerOfMerge_, headerOfContinue_);
    if (!tree.isShallow()) continue;
    if (!checkEdges(tree, function) || !checkNesting(tree) || !checkCases(tree)) return false;
  }
  return true;
}

} // namespace

bool checkStructure(Subject& s, const Flow& flow) {
  return !s.isShader || s.module.hasUnknown() || StructureChecker(s, flow).run();
}

} // namespace lanewise::validity
