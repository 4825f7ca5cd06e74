#include "canonical/support/early_exits.h"

#include "transforms/flatten_selections.h"

#include <algorithm>

namespace lanewise {
namespace {

using Kind = Construct::Kind;

/// More broken constructs around one another than this are left alone, so that looking for one
/// stays cheap.
constexpr uint32_t kMaxDepth = 32;
/// Ways to one merge block: its phis get as many operands.
constexpr size_t kMaxWays = 1024;

class ExitPlanner {
public:
  /// `maxDepth`: of new blocks around one another. Wrapped: the switch around all is what returns
  /// break last, so that selections stay as they are.
  ExitPlanner(const Module& module, const Cfg& cfg, const ConstructNesting& nesting,
              FunctionRef function, uint32_t maxDepth, bool isWrapped)
      : module_(module), cfg_(cfg), nesting_(nesting), order_(nesting.order(function)),
        first_(module.firstBlock(function)), count_(module.blockCount(function)), notes_(count_),
        maxDepth_(maxDepth), exits_{{{}}, {}, isWrapped} {}

  std::optional<EarlyExits> plan() {
    if (!collectReturns()) return {};
    countWays();
    place(first_, 0);
    while (!work_.empty()) {
      const BlockRef b = work_.back();
      work_.pop_back();
      if (!visit(b)) return {};
    }
    if (!areWithinLimits() || (findBroken() && losesDominance())) return {};
    return std::move(exits_);
  }

private:
  struct Note {
    // Of a block:
    uint32_t target = 0;         ///< of a return here
    bool isPlaced = false;       ///< that is known
    bool isBrokenAround = false; ///< in a loop or switch, which a return breaks first
    // Of the header, of a construct:
    bool returns = false;      ///< from inside
    bool isLeft = false;       ///< its merge block is reached
    uint32_t ways = 0;         ///< to its merge block
    uint32_t targetInside = 0; ///< of returns inside
    BlockRef broken;           ///< it or the next around it that returns break, by its header
    BlockRef last;             ///< in module order, of the blocks inside
  };

  bool collectReturns();
  void countWays();
  void place(BlockRef b, uint32_t target);
  bool visit(BlockRef b);
  bool enter(const Construct& construct, uint32_t& target);
  bool breakOut(const Construct& construct, uint32_t outer);
  bool follow(BlockRef from, BlockRef to, uint32_t target);
  uint32_t add(ExitTarget target);
  uint32_t addBlock(BlockRef header, uint32_t outer);
  bool phisHaveRoom(BlockRef merge, size_t ways) const;
  bool areWithinLimits() const;
  bool findBroken();
  bool losesDominance() const;
  bool isLost(Id value, BlockRef user) const;

  Note& noteOf(BlockRef b) { return notes_[b.value - first_.value]; }
  const Note& noteOf(BlockRef b) const { return notes_[b.value - first_.value]; }
  bool isLoopHeader(BlockRef b) const {
    const Construct* c = cfg_.constructAt(b);
    return c && c->kind == Kind::Loop;
  }
  /// Blocks may stand in front of others that lead to them, as long as none stands in front of what
  /// dominates it.
  bool isBackEdge(BlockRef from, BlockRef to) const {
    if (!cfg_.isReachable(from)) return to <= from;
    return cfg_.rpoIndex(to) <= cfg_.rpoIndex(from);
  }
  BlockRef brokenAround(BlockRef b) const {
    const BlockRef header = nesting_.enclosing(b);
    return header ? noteOf(header).broken : BlockRef();
  }

  const Module& module_;
  const Cfg& cfg_;
  const ConstructNesting& nesting_;
  std::span<const BlockRef> order_;
  BlockRef first_;
  uint32_t count_;
  std::vector<Note> notes_; ///< by block
  std::vector<BlockRef> work_;
  uint32_t maxDepth_;
  EarlyExits exits_;
};

bool ExitPlanner::collectReturns() {
  for (BlockRef b : order_) {
    const BlockRef header = nesting_.enclosing(b);
    noteOf(b).isBrokenAround =
        exits_.isWrapped || (header && (noteOf(header).isBrokenAround ||
                                        cfg_.constructAt(header)->kind != Kind::Selection));
    const bool returns = isReturn(module_.opcode(module_.terminator(b)));
    if (returns && nesting_.isInContinue(b)) return false;
    if (!header) continue;
    noteOf(header).last = std::max(noteOf(header).last, b);
    noteOf(header).returns = noteOf(header).returns || returns;
  }
  for (size_t n = order_.size(); n-- > 0;) {
    const BlockRef b = order_[n], header = nesting_.enclosing(b);
    if (!header) continue;
    noteOf(header).returns = noteOf(header).returns || noteOf(b).returns;
    noteOf(header).last = std::max(noteOf(header).last, noteOf(b).last);
  }
  return true;
}

/// Back edges to a merge block that is a loop header come from behind it.
void ExitPlanner::countWays() {
  for (uint32_t n = 0; n < count_; ++n) {
    const BlockRef b(first_.value + n);
    for (BlockRef to : cfg_.successors(b)) {
      const BlockRef header = nesting_.headerOfMerge(to);
      if (!header || isBackEdge(b, to)) continue;
      ++noteOf(header).ways;
      noteOf(header).isLeft = noteOf(header).isLeft || cfg_.isReachable(b);
    }
  }
}

void ExitPlanner::place(BlockRef b, uint32_t target) {
  if (!b || noteOf(b).isPlaced) return;
  noteOf(b).isPlaced = true;
  noteOf(b).target = target;
  work_.push_back(b);
}

bool ExitPlanner::visit(BlockRef b) {
  uint32_t target = noteOf(b).target;
  if (isReturn(module_.opcode(module_.terminator(b)))) exits_.targets[target].returns.push_back(b);
  if (const Construct* construct = cfg_.constructAt(b)) {
    if (!enter(*construct, target)) return false;
    place(construct->continueTarget, target);
  }
  const auto successors = cfg_.successors(b);
  return std::all_of(successors.begin(), successors.end(),
                     [&](BlockRef to) { return follow(b, to, target); });
}

/// Decides what becomes of returns inside a construct: `target` is where they go.
bool ExitPlanner::enter(const Construct& construct, uint32_t& target) {
  Note& note = noteOf(construct.header);
  const bool isTransparent = construct.kind == Kind::Selection && note.isBrokenAround;
  if (!note.returns || isTransparent) {
    place(construct.merge, target);
  } else if (construct.kind != Kind::Loop && !note.isBrokenAround && note.ways == 1 &&
             note.isLeft) {
    target = note.targetInside = addBlock(construct.header, target);
    return exits_.targets[target].depth <= maxDepth_;
  } else {
    if (!breakOut(construct, target)) return false;
    target = note.targetInside;
  }
  return true;
}

bool ExitPlanner::breakOut(const Construct& construct, uint32_t outer) {
  Note& note = noteOf(construct.header);
  if (!construct.merge || isLoopHeader(construct.merge)) return false;
  // What nothing reaches would be cut off from its construct, and may not branch into one then.
  if (!note.isLeft && !cfg_.successors(construct.merge).empty()) return false;
  // New blocks stand before the merge block, and behind what leads to them.
  if (construct.kind == Kind::Selection && construct.merge < note.last) return false;
  note.broken = construct.header;
  const bool isOnlyWay = !note.isLeft;
  uint32_t rest = 0;
  if (!isOnlyWay && !note.isBrokenAround) {
    rest = addBlock({}, outer);
    if (exits_.targets[rest].depth > maxDepth_) return false;
    outer = rest;
  }
  ExitTarget made;
  made.merge = construct.merge;
  made.outer = outer;
  made.rest = rest;
  made.depth = exits_.targets[outer].depth;
  made.isOnlyWay = isOnlyWay;
  made.needsFlag = !isOnlyWay || exits_.targets[outer].needsFlag;
  note.targetInside = add(std::move(made));
  place(construct.merge, outer);
  return true;
}

/// A branch from `from`, where `target` is where returns go.
bool ExitPlanner::follow(BlockRef from, BlockRef to, uint32_t target) {
  const BlockRef header = nesting_.headerOfMerge(to);
  if (header && cfg_.constructAt(header)->kind == Kind::Selection && noteOf(header).broken &&
      !isBackEdge(from, to) && target != noteOf(header).targetInside) {
    // What is behind an inner selection stands inside that now, and must leave it first.
    if (!phisOf(module_, to).empty()) return false;
    exits_.detours.push_back({from, to, target});
  } else if (!header && noteOf(to).isPlaced && noteOf(to).target != target && !isLoopHeader(to) &&
             !nesting_.headerOfContinue(to)) {
    return false;
  }
  place(to, target);
  return true;
}

uint32_t ExitPlanner::add(ExitTarget target) {
  const auto index = uint32_t(exits_.targets.size());
  exits_.targets[target.outer].inner.push_back(index);
  exits_.targets.push_back(std::move(target));
  return index;
}

uint32_t ExitPlanner::addBlock(BlockRef header, uint32_t outer) {
  const ExitTarget& next = exits_.targets[outer];
  ExitTarget made;
  made.header = header;
  made.outer = outer;
  made.before = next.merge ? outer : next.before;
  made.depth = next.depth + 1;
  made.needsFlag = next.needsFlag;
  return add(std::move(made));
}

/// An instruction has 65 535 words at most.
bool ExitPlanner::phisHaveRoom(BlockRef merge, size_t ways) const {
  for (InstRef i : module_.blockInsts(merge))
    if (module_.opcode(i) == spv::Op::OpPhi && module_.wordCount(i) + 2 * ways > 0xFFFF)
      return false;
  return true;
}

bool ExitPlanner::areWithinLimits() const {
  return std::all_of(exits_.targets.begin(), exits_.targets.end(), [&](const ExitTarget& t) {
    const size_t ways = t.returns.size() + t.inner.size();
    return !t.merge || (ways <= kMaxWays && phisHaveRoom(t.merge, ways));
  });
}

/// False when returns break nothing.
bool ExitPlanner::findBroken() {
  bool isAny = false;
  for (BlockRef b : order_) {
    isAny = isAny || noteOf(b).broken;
    if (!noteOf(b).broken) noteOf(b).broken = brokenAround(b);
  }
  return isAny;
}

/// Whether `user`, outside of what returns now break, uses a value from inside. Values of a loop
/// header are defined on every way.
bool ExitPlanner::isLost(Id value, BlockRef user) const {
  const InstRef d = module_.def(value);
  const BlockRef from = d ? module_.blockOf(d) : BlockRef();
  if (!from || from == user || module_.opcode(d) == spv::Op::OpLabel) return false;
  const BlockRef broken = brokenAround(from);
  if (!broken) return false;
  BlockRef outer = brokenAround(user);
  for (uint32_t n = 0; outer && outer != broken; ++n) {
    if (n > kMaxDepth) return true;
    outer = brokenAround(outer);
  }
  return !outer;
}

bool ExitPlanner::losesDominance() const {
  for (uint32_t n = 0; n < count_; ++n) {
    const BlockRef b(first_.value + n);
    for (InstRef i : module_.blockInsts(b)) {
      bool lost = false;
      if (module_.opcode(i) == spv::Op::OpPhi) {
        // Used where control comes from.
        for (uint32_t w = 3; w < module_.wordCount(i) && !lost; w += 2)
          if (const BlockRef parent = module_.blockOfLabel(module_.idAt(i, w + 1)))
            lost = isLost(module_.idAt(i, w), parent);
      } else {
        module_.forEachIdOperand(i, [&](uint32_t, Id id) { lost = lost || isLost(id, b); });
      }
      if (lost) return true;
    }
  }
  return false;
}

} // namespace

std::optional<EarlyExits> collectEarlyExits(const Module& module, const Cfg& cfg,
                                            const ConstructNesting& nesting, FunctionRef function,
                                            uint32_t maxDepth) {
  auto exits = ExitPlanner(module, cfg, nesting, function, maxDepth, false).plan();
  if (!exits) exits = ExitPlanner(module, cfg, nesting, function, maxDepth, true).plan();
  return exits;
}

} // namespace lanewise
