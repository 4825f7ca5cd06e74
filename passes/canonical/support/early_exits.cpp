#include "canonical/support/early_exits.h"

#include <algorithm>

namespace lanewise {
namespace {

/// More loops around one another than this are left alone, so that looking for one stays cheap.
constexpr uint32_t kMaxDepth = 32;
/// Ways to one merge block: its phis get as many operands.
constexpr size_t kMaxWays = 1024;

class ExitCollector {
public:
  ExitCollector(const Module& module, FunctionRef function, const ConstructTree& constructs)
      : module_(module), first_(module.firstBlock(function)), count_(module.blockCount(function)),
        function_(function), constructs_(constructs), exitOf_(constructs.size()) {}

  std::optional<std::vector<EarlyExit>> collect() {
    for (uint32_t n = 0; n < count_; ++n) {
      const BlockRef b(first_.value + n);
      if (isReturn(module_.opcode(module_.terminator(b))) && !addReturn(b)) return {};
    }
    if (exits_.empty()) return exits_;
    broken_.resize(constructs_.size());
    for (uint32_t c = 1; c < constructs_.size(); ++c)
      broken_[c] = exitOf_[c] ? c : broken_[constructs_[c].parent];
    if (!areWithinLimits() || losesDominance()) return {};
    findOnlyWays();
    return std::move(exits_);
  }

private:
  bool addReturn(BlockRef b);
  bool phisHaveRoom(BlockRef merge, size_t ways) const;
  bool areWithinLimits() const;
  bool losesDominance() const;
  bool isLost(Id value, BlockRef user) const;
  void findOnlyWays();
  /// Innermost loop or switch, from construct `c` outwards, that a return breaks; 0 for none.
  uint32_t brokenFrom(uint32_t c) const { return broken_[c]; }

  const Module& module_;
  BlockRef first_;
  uint32_t count_;
  FunctionRef function_;
  const ConstructTree& constructs_;
  std::vector<uint32_t> exitOf_; ///< by construct: index into exits_ and 1, 0 for none
  std::vector<uint32_t> broken_; ///< by construct
  std::vector<EarlyExit> exits_;
};

/// Adds what the return in `b` breaks.
bool ExitCollector::addReturn(BlockRef b) {
  uint32_t inside = 0; // exit that the return comes through already
  uint32_t depth = 0;
  if (constructs_.isInContinue(b)) return false;
  for (uint32_t c = constructs_[constructs_.around(b)].notSelection; c;
       c = constructs_[constructs_[c].parent].notSelection) {
    if (++depth > kMaxDepth) return false;
    const bool isKnown = exitOf_[c] != 0;
    if (!isKnown) {
      exits_.push_back({constructs_[c].merge, {}, false, {}, {}});
      exitOf_[c] = uint32_t(exits_.size());
    }
    EarlyExit& exit = exits_[exitOf_[c] - 1];
    if (!inside)
      exit.returns.push_back(b);
    else {
      exits_[inside - 1].outer = exit.merge;
      exit.inner.push_back(exits_[inside - 1].merge);
    }
    if (isKnown) break; // and so is what is around it
    inside = exitOf_[c];
  }
  return true;
}

/// An instruction has 65 535 words at most.
bool ExitCollector::phisHaveRoom(BlockRef merge, size_t ways) const {
  for (InstRef i : module_.blockInsts(merge))
    if (module_.opcode(i) == spv::Op::OpPhi && module_.wordCount(i) + 2 * ways > 0xFFFF)
      return false;
  return true;
}

bool ExitCollector::areWithinLimits() const {
  return std::all_of(exits_.begin(), exits_.end(), [&](const EarlyExit& exit) {
    const InstRef merge = module_.mergeInst(exit.merge);
    const bool isLoopHeader = merge && module_.opcode(merge) == spv::Op::OpLoopMerge;
    const size_t ways = exit.returns.size() + exit.inner.size();
    return !isLoopHeader && ways <= kMaxWays && phisHaveRoom(exit.merge, ways);
  });
}

/// Whether `user`, outside a loop or switch that returns now break, uses a value from inside.
/// Values of a loop header are defined on every way.
bool ExitCollector::isLost(Id value, BlockRef user) const {
  const InstRef d = module_.def(value);
  const BlockRef from = d ? module_.blockOf(d) : BlockRef();
  if (!from || from == user || module_.opcode(d) == spv::Op::OpLabel) return false;
  uint32_t c = constructs_.around(from);
  if (c && constructs_[c].kind == NestedConstruct::Kind::Loop && constructs_[c].header == from)
    c = constructs_[c].parent;
  c = brokenFrom(c);
  if (!c) return false;
  uint32_t outer = brokenFrom(constructs_.around(user));
  for (uint32_t n = 0; outer && outer != c; ++n) {
    if (n > kMaxDepth) return true;
    outer = brokenFrom(constructs_[outer].parent);
  }
  return !outer;
}

bool ExitCollector::losesDominance() const {
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

/// Looks which merge blocks nothing came to.
void ExitCollector::findOnlyWays() {
  std::vector<bool> isReached(count_);
  std::vector<BlockRef> work;
  const auto reach = [&](BlockRef b) {
    if (!b || isReached[b.value - first_.value]) return;
    isReached[b.value - first_.value] = true;
    work.push_back(b);
  };
  reach(first_);
  while (!work.empty()) {
    const BlockRef b = work.back();
    work.pop_back();
    module_.forEachIdOperand(module_.terminator(b),
                             [&](uint32_t, Id id) { reach(module_.blockOfLabel(id)); });
  }
  for (EarlyExit& exit : exits_) exit.isOnlyWay = !isReached[exit.merge.value - first_.value];
}

} // namespace

std::optional<std::vector<EarlyExit>> collectEarlyExits(const Module& module, FunctionRef function,
                                                        const ConstructTree& constructs) {
  return ExitCollector(module, function, constructs).collect();
}

} // namespace lanewise
