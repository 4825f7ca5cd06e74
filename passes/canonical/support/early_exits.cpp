#include "canonical/support/early_exits.h"

#include <algorithm>

namespace lanewise {
namespace {

using Kind = NestedConstruct::Kind;

/// More broken constructs around one another than this are left alone, so that looking for one
/// stays cheap.
constexpr uint32_t kMaxDepth = 32;
/// Ways to one merge block: its phis get as many operands.
constexpr size_t kMaxWays = 1024;

class ExitPlanner {
public:
  /// `maxDepth`: of new blocks around one another. Wrapped: the switch around all is what returns
  /// break last, so that selections stay as they are.
  ExitPlanner(const Module& module, FunctionRef function, const ConstructTree& constructs,
              uint32_t maxDepth, bool isWrapped)
      : module_(module), first_(module.firstBlock(function)), count_(module.blockCount(function)),
        constructs_(constructs), shapes_(constructs.size()), notes_(count_),
        maxDepth_(maxDepth), exits_{{{}}, {}, isWrapped} {}

  std::optional<EarlyExits> plan() {
    indexConstructs();
    if (!collectReturns()) return {};
    findReached();
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
  /// What is known of a construct.
  struct Shape {
    bool returns = false;   ///< from inside
    uint32_t ways = 0;      ///< to its merge block
    bool isReached = false; ///< one of these is
    uint32_t target = 0;    ///< of returns inside, 0: of what is around
    uint32_t broken = 0;    ///< it or the next around it that returns break
    BlockRef last;          ///< in module order, of the blocks inside
  };
  /// What is known of a block.
  struct Note {
    uint32_t target = 0;             ///< of a return here
    uint32_t headed = 0, merged = 0; ///< construct whose header, whose merge block it is
    bool isPlaced = false, isReached = false, isContinue = false;
  };

  void indexConstructs();
  bool collectReturns();
  void findReached();
  void countWays();
  void place(BlockRef b, uint32_t target);
  bool visit(BlockRef b);
  bool enter(uint32_t c, uint32_t& target);
  bool breakOut(uint32_t c, uint32_t outer);
  bool follow(BlockRef from, BlockRef to, uint32_t target);
  uint32_t add(ExitTarget target);
  uint32_t addBlock(BlockRef header, uint32_t outer);
  bool hasPhis(BlockRef b) const;
  bool phisHaveRoom(BlockRef merge, size_t ways) const;
  bool areWithinLimits() const;
  bool findBroken();
  bool losesDominance() const;
  bool isLost(Id value, BlockRef user) const;

  Note& noteOf(BlockRef b) { return notes_[b.value - first_.value]; }
  const Note& noteOf(BlockRef b) const { return notes_[b.value - first_.value]; }
  template <class Function>
  void forEachTarget(BlockRef b, Function&& function) const {
    module_.forEachIdOperand(module_.terminator(b), [&](uint32_t, Id id) {
      if (const BlockRef target = module_.blockOfLabel(id)) function(target);
    });
  }
  bool isLoopHeader(BlockRef b) const {
    const InstRef merge = module_.mergeInst(b);
    return merge && module_.opcode(merge) == spv::Op::OpLoopMerge;
  }
  /// In a loop or switch a return breaks that, whatever selections are in between.
  bool isBrokenAround(uint32_t c) const {
    return exits_.isWrapped || constructs_[constructs_[c].parent].notSelection != 0;
  }

  const Module& module_;
  BlockRef first_;
  uint32_t count_;
  const ConstructTree& constructs_;
  std::vector<Shape> shapes_; ///< by construct
  std::vector<Note> notes_;   ///< by block
  std::vector<BlockRef> work_;
  uint32_t maxDepth_;
  EarlyExits exits_;
};

void ExitPlanner::indexConstructs() {
  for (uint32_t c = 1; c < constructs_.size(); ++c) {
    if (constructs_[c].kind == Kind::Continue) continue;
    noteOf(constructs_[c].header).headed = c;
    if (constructs_[c].merge) noteOf(constructs_[c].merge).merged = c;
  }
}

bool ExitPlanner::collectReturns() {
  for (uint32_t n = 0; n < count_; ++n) {
    const BlockRef b(first_.value + n);
    Shape& around = shapes_[constructs_.around(b)];
    around.last = b;
    if (!isReturn(module_.opcode(module_.terminator(b)))) continue;
    if (constructs_.isInContinue(b)) return false;
    around.returns = true;
  }
  for (auto c = uint32_t(constructs_.size() - 1); c > 0; --c) {
    Shape& outer = shapes_[constructs_[c].parent];
    outer.returns = outer.returns || shapes_[c].returns;
    outer.last = std::max(outer.last, shapes_[c].last);
  }
  return true;
}

void ExitPlanner::findReached() {
  const auto reach = [&](BlockRef b) {
    if (noteOf(b).isReached) return;
    noteOf(b).isReached = true;
    work_.push_back(b);
  };
  reach(first_);
  while (!work_.empty()) {
    const BlockRef b = work_.back();
    work_.pop_back();
    forEachTarget(b, reach);
  }
}

/// Back edges to a merge block that is a loop header come from behind it.
void ExitPlanner::countWays() {
  for (uint32_t n = 0; n < count_; ++n) {
    const BlockRef b(first_.value + n);
    uint32_t last = 0; // a branch may name a block twice
    forEachTarget(b, [&](BlockRef to) {
      const uint32_t c = noteOf(to).merged;
      if (!c || c == last || to <= b) return;
      last = c;
      ++shapes_[c].ways;
      shapes_[c].isReached = shapes_[c].isReached || noteOf(b).isReached;
    });
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
  if (const uint32_t c = noteOf(b).headed) {
    if (!enter(c, target)) return false;
    if (isLoopHeader(b)) {
      const BlockRef next = module_.blockOfLabel(module_.idAt(module_.mergeInst(b), 2));
      noteOf(next).isContinue = true;
      place(next, target);
    }
  }
  bool isFine = true;
  forEachTarget(b, [&](BlockRef to) { isFine = isFine && follow(b, to, target); });
  return isFine;
}

/// Decides what becomes of returns inside a construct: `target` is where they go.
bool ExitPlanner::enter(uint32_t c, uint32_t& target) {
  const NestedConstruct& construct = constructs_[c];
  Shape& shape = shapes_[c];
  const bool isTransparent = construct.kind == Kind::Selection && isBrokenAround(c);
  if (!shape.returns || isTransparent) {
    place(construct.merge, target);
  } else if (construct.kind != Kind::Loop && !isBrokenAround(c) && shape.ways == 1 &&
             shape.isReached) {
    target = shape.target = addBlock(construct.header, target);
    return exits_.targets[target].depth <= maxDepth_;
  } else {
    if (!breakOut(c, target)) return false;
    target = shape.target;
  }
  return true;
}

bool ExitPlanner::breakOut(uint32_t c, uint32_t outer) {
  const NestedConstruct& construct = constructs_[c];
  Shape& shape = shapes_[c];
  if (!construct.merge || isLoopHeader(construct.merge)) return false;
  // New blocks stand before the merge block, and behind what leads to them.
  if (construct.kind == Kind::Selection && construct.merge < shape.last) return false;
  shape.broken = c;
  const bool isOnlyWay = !shape.isReached;
  uint32_t rest = 0;
  if (!isOnlyWay && !isBrokenAround(c)) {
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
  shape.target = add(std::move(made));
  place(construct.merge, outer);
  return true;
}

/// A branch from `from`, where `target` is where returns go.
bool ExitPlanner::follow(BlockRef from, BlockRef to, uint32_t target) {
  const uint32_t c = noteOf(to).merged;
  if (c && constructs_[c].kind == Kind::Selection && shapes_[c].broken && to > from &&
      target != shapes_[c].target) {
    // What is behind an inner selection stands inside that now, and must leave it first.
    if (hasPhis(to)) return false;
    exits_.detours.push_back({from, to, target});
  } else if (!c && noteOf(to).isPlaced && noteOf(to).target != target && !isLoopHeader(to) &&
             !noteOf(to).isContinue) {
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

bool ExitPlanner::hasPhis(BlockRef b) const {
  const InstRange insts = module_.blockInsts(b);
  return std::any_of(insts.begin(), insts.end(),
                     [&](InstRef i) { return module_.opcode(i) == spv::Op::OpPhi; });
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
  for (uint32_t c = 1; c < constructs_.size(); ++c) {
    isAny = isAny || shapes_[c].broken;
    if (!shapes_[c].broken) shapes_[c].broken = shapes_[constructs_[c].parent].broken;
  }
  return isAny;
}

/// Whether `user`, outside of what returns now break, uses a value from inside. Values of a loop
/// header are defined on every way.
bool ExitPlanner::isLost(Id value, BlockRef user) const {
  const InstRef d = module_.def(value);
  const BlockRef from = d ? module_.blockOf(d) : BlockRef();
  if (!from || from == user || module_.opcode(d) == spv::Op::OpLabel) return false;
  uint32_t c = constructs_.around(from);
  if (c && constructs_[c].kind == Kind::Loop && constructs_[c].header == from)
    c = constructs_[c].parent;
  c = shapes_[c].broken;
  if (!c) return false;
  uint32_t outer = shapes_[constructs_.around(user)].broken;
  for (uint32_t n = 0; outer && outer != c; ++n) {
    if (n > kMaxDepth) return true;
    outer = shapes_[constructs_[outer].parent].broken;
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

std::optional<EarlyExits> collectEarlyExits(const Module& module, FunctionRef function,
                                            const ConstructTree& constructs, uint32_t maxDepth) {
  auto exits = ExitPlanner(module, function, constructs, maxDepth, false).plan();
  if (!exits) exits = ExitPlanner(module, function, constructs, maxDepth, true).plan();
  return exits;
}

} // namespace lanewise
