#include "canonical/support/flow_plan.h"

#include "transforms/debug_cursor.h"

#include <algorithm>

namespace lanewise {

bool FlowPlan::hasChanges() const {
  if (!replaced_.empty()) return true;
  for (uint32_t n = 1; n <= module_.blockCount(); ++n) {
    const BlockRef b(n);
    const InstRef end = module_.terminator(b);
    if (next_[n] || isDropped_[n] || kind_[n] == Block::Gone) return true;
    if (kind_[n] == Block::Kept) {
      if (!target_[n]) continue;
      // A switch with its default alone that has to stay is no change.
      if (!isHeader(b) || module_.wordCount(end) != 3) return true;
    } else {
      const bool isMerge = kind_[n] == Block::EmptyMerge;
      if (module_.opcode(end) != (isMerge ? spv::Op::OpUnreachable : spv::Op::OpBranch) ||
          (!isMerge && module_.blockOfLabel(module_.idAt(end, 1)) != loopOfContinue(b)) ||
          module_.blockInsts(b).size() != 2)
        return true;
    }
  }
  return false;
}

void FlowPlan::planFunction(FunctionRef f) {
  if (module_.blockCount(f) == 0) return;
  replacedBefore_ = replaced_.size();
  Verdict verdict = Verdict::Again;
  for (uint32_t round = 0; verdict == Verdict::Again && round < kMostRounds; ++round) {
    resetFunction(f);
    findReached(f);
    verdict = restructure(f);
  }
  if (verdict != Verdict::Fine) {
    leaveAlone(f, "decisions over its branches depend on one another too deeply");
    return;
  }
  keepNamed(f);
  if (cutsContinueConstruct(f)) {
    leaveAlone(f, "in a continue construct is a merge block that nothing reaches");
    return;
  }
  collapseSelections(f);
  keepNamed(f);
  appendBlocks(f);
  if (isOrderLost(f)) outOfOrder_.push_back(f);
}

void FlowPlan::resetFunction(FunctionRef f) {
  const uint32_t first = module_.firstBlock(f).value, end = first + module_.blockCount(f);
  for (uint32_t b = first; b < end; ++b) {
    kind_[b] = Block::Gone;
    target_[b] = {};
    isDropped_[b] = 0;
    outer_[b] = {};
  }
  for (size_t n = replacedBefore_; n < replaced_.size(); ++n) instead_[replaced_[n].value] = Id();
  replaced_.resize(replacedBefore_);
}

void FlowPlan::leaveAlone(FunctionRef f, const char* why) {
  resetFunction(f);
  leftAlone_.push_back({f, why});
  const uint32_t first = module_.firstBlock(f).value;
  for (uint32_t b = first; b < first + module_.blockCount(f); ++b) kind_[b] = Block::Kept;
}

// ---- which way control goes ----

Id FlowPlan::resolved(Id id) const {
  Id last = id;
  while (instead_[last.value]) last = instead_[last.value];
  while (id != last) id = std::exchange(instead_[id.value], last);
  return last;
}

void FlowPlan::findReached(FunctionRef f) {
  kind_[module_.firstBlock(f).value] = Block::Kept;
  while (sweep(f)) {
  } // once, but for cycles with several entries
}

/// One visit of each reached block; true if one was found reached too late for that.
bool FlowPlan::sweep(FunctionRef f) {
  bool isLate = false;
  for (BlockRef b : cfg_.reversePostOrder(f)) {
    if (!isReached(b)) continue;
    replacePhis(b);
    target_[b.value] = decide(b);
    for (BlockRef s : cfg_.successors(b)) {
      if (!isEdge(b, s) || isReached(s)) continue;
      kind_[s.value] = Block::Kept;
      isLate = isLate || isBackEdge(b, s);
    }
  }
  return isLate;
}

/// Where there is one way in, phis are that way's values.
void FlowPlan::replacePhis(BlockRef b) {
  BlockRef from;
  for (BlockRef p : cfg_.predecessors(b)) {
    if (!cfg_.isReachable(p)) continue;
    const bool isWayIn = isBackEdge(p, b) ? !hasNoBackEdge_[b.value] : isEdge(p, b);
    if (!isWayIn) continue;
    if (from) return;
    from = p;
  }
  if (!from) return;
  for (InstRef i : phisOf(module_, b)) {
    if (!mayReplace_[i.value]) continue;
    const Id phi = module_.resultId(i);
    for (uint32_t n = 3; n + 1 < module_.wordCount(i); n += 2) {
      if (module_.blockOfLabel(module_.idAt(i, n + 1)) != from || instead_[phi.value]) continue;
      const Id value = resolved(module_.idAt(i, n));
      if (value == phi) continue;
      instead_[phi.value] = value;
      replaced_.push_back(phi);
    }
  }
}

/// The only block that `b` goes to, null when there are several or none, or when its terminator
/// says so anyway.
BlockRef FlowPlan::decide(BlockRef b) const {
  const InstRef branch = module_.terminator(b);
  const spv::Op op = module_.opcode(branch);
  if (mustStay_[b.value]) return {};
  if (op != spv::Op::OpBranchConditional && op != spv::Op::OpSwitch) return {};
  if (cfg_.successors(b).size() == 1) return cfg_.successors(b)[0];
  const Id condition = resolved(module_.idAt(branch, 1));
  const InstRef d = module_.def(condition);
  if (!d) return {};
  switch (module_.opcode(d)) {
  case spv::Op::OpConstantTrue:
    return module_.blockOfLabel(module_.idAt(branch, 2));
  case spv::Op::OpConstantFalse:
    return module_.blockOfLabel(module_.idAt(branch, 3));
  case spv::Op::OpConstant:
    return op == spv::Op::OpSwitch ? switchTarget(branch, condition) : BlockRef();
  case spv::Op::OpConstantNull:
    return op == spv::Op::OpSwitch ? switchTarget(branch, condition)
                                   : module_.blockOfLabel(module_.idAt(branch, 3));
  default:
    return {};
  }
}

BlockRef FlowPlan::switchTarget(InstRef branch, Id selector) const {
  const InstRef d = module_.def(selector), type = module_.def(module_.resultType(d));
  const uint32_t words = module_.numberWords(module_.resultType(d));
  if (words == 0 || words > 2 || module_.opcode(type) != spv::Op::OpTypeInt) return {};
  const uint32_t width = module_.word(type, 2);
  const auto number = [&](InstRef i, uint32_t n) {
    const uint64_t bits = module_.word(i, n) | uint64_t(words > 1 ? module_.word(i, n + 1) : 0)
                                                   << 32;
    return width >= 64 ? bits : bits & ((1ull << width) - 1);
  };
  const uint64_t value = module_.opcode(d) == spv::Op::OpConstantNull ? 0 : number(d, 3);
  for (uint32_t n = 3; n + words < module_.wordCount(branch); n += words + 1)
    if (number(branch, n) == value) return module_.blockOfLabel(module_.idAt(branch, n + words));
  return module_.blockOfLabel(module_.idAt(branch, 2));
}

// ---- what structure that needs ----

/// The innermost construct that stays and holds the block, or that it heads.
BlockRef FlowPlan::constructOf(BlockRef b) {
  const auto next = [&](BlockRef c) {
    return outer_[c.value] ? outer_[c.value] : nesting_.enclosing(c);
  };
  BlockRef last = b;
  if (!cfg_.constructAt(b) || isDropped_[b.value]) last = next(b);
  while (last && isDropped_[last.value]) last = next(last);
  // Shorten the way over what is dropped, for good: that only grows.
  for (BlockRef c = b; c && c != last;) {
    const BlockRef on = next(c);
    if (last && isDropped_[c.value]) outer_[c.value] = last;
    c = on;
  }
  return last;
}

/// Whether all that leads to `target` from within the construct does so directly and for sure, so
/// that nobody needs to know that the construct ends there.
bool FlowPlan::isLeftStraight(const Construct& c, BlockRef target) {
  for (BlockRef p : cfg_.predecessors(target)) {
    if (!isEdge(p, target)) continue;
    if (!hasOneTarget(p) || (p != c.header && constructOf(p) != c.header)) return false;
  }
  return true;
}

FlowPlan::Verdict FlowPlan::restructure(FunctionRef f) {
  Verdict verdict = Verdict::Fine;
  const auto order = nesting_.order(f);
  isMoreReached_ = false;
  for (auto at = order.rbegin(); at != order.rend(); ++at) { // inner ones first
    const Construct* c = cfg_.constructAt(*at);
    if (!c || !isReached(*at) || !c->merge) continue;
    if (c->kind == Construct::Kind::Loop) {
      verdict = std::max(verdict, restructureLoop(*c));
    } else if (target_[at->value]) {
      if (isLeftStraight(*c, c->merge)) {
        isDropped_[at->value] = 1;
      } else if (c->kind != Construct::Kind::Switch) {
        mustStay_[at->value] = 1; // a switch can stay with its default alone
        isMoreReached_ = true;
      }
    }
  }
  if (!isMoreReached_) return verdict;
  // Perhaps a back edge as well.
  const uint32_t first = module_.firstBlock(f).value;
  std::fill_n(hasNoBackEdge_.begin() + first, module_.blockCount(f), uint8_t(0));
  return std::max(verdict, Verdict::Again);
}

FlowPlan::Verdict FlowPlan::restructureLoop(const Construct& loop) {
  const BlockRef header = loop.header;
  for (BlockRef p : cfg_.predecessors(header))
    if (cfg_.isReachable(p) && isBackEdge(p, header) && isEdge(p, header)) return Verdict::Fine;
  if (!loop.continueTarget) return Verdict::Hopeless;
  if (hasOneTarget(header) && isLeftStraight(loop, loop.merge) &&
      (loop.continueTarget == header || isLeftStraight(loop, loop.continueTarget)))
    isDropped_[header.value] = 1;
  else if (isReached(loop.continueTarget))
    return keepBackEdge(loop);
  if (hasNoBackEdge_[header.value]) return Verdict::Fine;
  hasNoBackEdge_[header.value] = 1;
  return phisOf(module_, header).empty() ? Verdict::Fine : Verdict::Again; // may be one value now
}

/// A loop that must stay one although its branch back is never taken: that stays as well.
FlowPlan::Verdict FlowPlan::keepBackEdge(const Construct& loop) {
  std::vector<BlockRef> found{loop.continueTarget};
  wasFound_.resize(kind_.size());
  wasFound_[loop.continueTarget.value] = 1;
  bool isUndone = false;
  for (size_t n = 0; n < found.size(); ++n) {
    const BlockRef b = found[n];
    if (target_[b.value] && !mustStay_[b.value]) mustStay_[b.value] = isUndone = true;
    for (BlockRef s : cfg_.successors(b)) {
      if (!isEdge(b, s) || s == loop.merge || s == loop.header || wasFound_[s.value]) continue;
      wasFound_[s.value] = 1;
      found.push_back(s);
    }
  }
  for (BlockRef b : found) wasFound_[b.value] = 0;
  isMoreReached_ = isMoreReached_ || isUndone;
  return isUndone ? Verdict::Again : Verdict::Hopeless;
}

/// Blocks that are not reached but named by headers stay as far as they must.
void FlowPlan::keepNamed(FunctionRef f) {
  for (BlockRef b : nesting_.order(f)) {
    if (isReached(b)) continue;
    const BlockRef loop = nesting_.headerOfContinue(b);
    kind_[b.value] = isNamed(loop)                        ? Block::EmptyContinue
                     : isNamed(nesting_.headerOfMerge(b)) ? Block::EmptyMerge
                                                          : Block::Gone;
  }
}

/// The back edge must post-dominate all of its continue construct (SPIR-V 2.11), merge blocks that
/// nothing reaches among them: no OpUnreachable can end these.
bool FlowPlan::cutsContinueConstruct(FunctionRef f) const {
  const auto order = nesting_.order(f);
  return std::any_of(order.begin(), order.end(), [&](BlockRef b) {
    return kind_[b.value] == Block::EmptyMerge && nesting_.isInContinue(b);
  });
}

// ---- selections with nothing in them ----

/// True for a block with an instruction that computes or does something.
bool FlowPlan::hasContent(BlockRef b) const {
  for (InstRef i : module_.blockInsts(b)) {
    const OpClass c = module_.facts(i).opClass;
    if (c == OpClass::Label || c == OpClass::Merge || c == OpClass::Terminator ||
        c == OpClass::Line || module_.opcode(i) == spv::Op::OpNop)
      continue;
    if (module_.opcode(i) == spv::Op::OpPhi && instead_[module_.resultId(i).value]) continue;
    if (!isDebugInstruction(module_, i)) return true;
  }
  return false;
}

bool FlowPlan::isEmpty(BlockRef b) const {
  return !isHeader(b) && hasOneTarget(b) && !isNamed(nesting_.headerOfMerge(b)) &&
         !isNamed(nesting_.headerOfContinue(b)) && !hasContent(b);
}

/// Where an empty block leads to, over other empty ones, but not back.
BlockRef FlowPlan::endOfEmpty(BlockRef b) {
  const auto next = [&](BlockRef x) {
    if (emptyEnd_[x.value]) return emptyEnd_[x.value];
    if (!isEmpty(x)) return BlockRef();
    const BlockRef s = onlySuccessor(x);
    return isBackEdge(x, s) ? BlockRef() : s;
  };
  BlockRef last = b;
  while (const BlockRef on = next(last)) last = on;
  for (BlockRef x = b; x != last;) {
    const BlockRef on = next(x);
    emptyEnd_[x.value] = last;
    x = on;
  }
  return last;
}

bool FlowPlan::canCollapse(const Construct& c) {
  for (BlockRef s : cfg_.successors(c.header))
    if (isEdge(c.header, s) && s != c.merge && endOfEmpty(s) != c.merge) return false;
  for (InstRef i : phisOf(module_, c.merge)) {
    if (instead_[module_.resultId(i).value]) continue;
    if (!mayReplace_[i.value]) return false;
    Id common;
    for (uint32_t n = 3; n + 1 < module_.wordCount(i); n += 2) {
      if (!isEdge(module_.blockOfLabel(module_.idAt(i, n + 1)), c.merge)) continue;
      const Id value = resolved(module_.idAt(i, n));
      if (common && common != value) return false;
      common = value;
    }
    if (!common) return false;
  }
  return true;
}

void FlowPlan::collapseSelections(FunctionRef f) {
  const auto order = nesting_.order(f);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Construct* c = cfg_.constructAt(*at);
    if (!c || c->kind == Construct::Kind::Loop || !isHeader(*at) || !isReached(c->merge)) continue;
    if (!canCollapse(*c)) continue;
    for (InstRef i : phisOf(module_, c->merge)) {
      const Id phi = module_.resultId(i);
      if (instead_[phi.value]) continue;
      for (uint32_t n = 3; n + 1 < module_.wordCount(i) && !instead_[phi.value]; n += 2)
        if (isEdge(module_.blockOfLabel(module_.idAt(i, n + 1)), c->merge))
          instead_[phi.value] = resolved(module_.idAt(i, n));
      replaced_.push_back(phi);
    }
    // All that stands between is empty and goes.
    std::vector<BlockRef> work;
    for (BlockRef s : cfg_.successors(*at))
      if (isEdge(*at, s)) work.push_back(s);
    while (!work.empty()) {
      const BlockRef b = work.back();
      work.pop_back();
      if (b == c->merge || !isReached(b)) continue;
      work.push_back(onlySuccessor(b));
      kind_[b.value] = Block::Gone;
    }
    target_[at->value] = c->merge;
    isDropped_[at->value] = 1;
  }
}

// ---- blocks that run into one another ----

bool FlowPlan::canAppendMerge(const Chain& chain, BlockRef next) const {
  // A block cannot end two constructs, and what the branch of a switch names is a case, inside. The
  // header of a loop is no way out.
  if (chain.isMerge || chain.header || isSwitchTarget_[chain.head.value]) return false;
  if (isNamed(nesting_.headerOfContinue(chain.head))) return false;
  // Behind a loop invocations come together again: only what does nothing may move there.
  const BlockRef header = nesting_.headerOfMerge(next);
  return cfg_.constructAt(header)->kind != Construct::Kind::Loop || chain.isEmpty;
}

bool FlowPlan::canAppend(const Chain& chain, BlockRef next) const {
  if (!isReached(next) || predecessors_[next.value] != 1 || next == chain.head) return false;
  if (isNamed(nesting_.headerOfContinue(next))) return false;
  if (isNamed(nesting_.headerOfMerge(next)) && !canAppendMerge(chain, next)) return false;
  if (chain.header) {
    // OpLoopMerge stands before OpBranch or OpBranchConditional (SPIR-V 3.42.17).
    const spv::Op op = module_.opcode(module_.terminator(next));
    const bool isBranch = op == spv::Op::OpBranch || op == spv::Op::OpBranchConditional;
    if (isHeader(next) || (!isBranch && !target_[next.value])) return false;
  }
  // A phi that must stay needs its predecessor.
  for (InstRef i : phisOf(module_, next))
    if (!instead_[module_.resultId(i).value]) return false;
  return true;
}

void FlowPlan::appendBlocks(FunctionRef f) {
  const uint32_t first = module_.firstBlock(f).value, end = first + module_.blockCount(f);
  for (uint32_t n = first; n < end; ++n) {
    const BlockRef b(n);
    if (kind_[n] == Block::EmptyContinue) ++predecessors_[nesting_.headerOfContinue(b).value];
    if (!isReached(b)) continue;
    const bool isSwitch = isHeader(b) && module_.opcode(module_.terminator(b)) == spv::Op::OpSwitch;
    const auto count = [&](BlockRef s) {
      ++predecessors_[s.value];
      if (isSwitch) isSwitchTarget_[s.value] = 1;
    };
    if (target_[n])
      count(target_[n]); // which may be none of the old ones: a merge block
    else
      for (BlockRef s : cfg_.successors(b)) count(s);
  }
  for (BlockRef b : cfg_.reversePostOrder(f)) {
    if (!isReached(b) || isAppended_[b.value]) continue;
    Chain chain;
    chain.head = b;
    for (BlockRef next = b; next;) {
      chain.tail = next;
      if (isHeader(next)) chain.header = next;
      chain.isMerge = chain.isMerge || isNamed(nesting_.headerOfMerge(next));
      chain.isEmpty = chain.isEmpty && !hasContent(next);
      const Construct* c = cfg_.constructAt(next);
      if (!hasOneTarget(next) || (isHeader(next) && c->kind != Construct::Kind::Loop)) break;
      const BlockRef s = onlySuccessor(next);
      if (!canAppend(chain, s)) break;
      next_[next.value] = s;
      isAppended_[s.value] = 1;
      head_[s.value] = b;
      next = s;
    }
  }
}

/// Whether a block may stand before what dominates it now that there are fewer ways to it.
bool FlowPlan::isOrderLost(FunctionRef f) {
  const uint32_t first = module_.firstBlock(f).value, end = first + module_.blockCount(f);
  std::vector<uint8_t> isLedTo(end - first);
  bool isChanged = false;
  for (uint32_t n = first; n < end; ++n) {
    const BlockRef b(n);
    isChanged = isChanged || kind_[n] == Block::Gone || target_[n];
    if (!isReached(b)) continue;
    const uint32_t place = head_[n] ? head_[n].value : n;
    const auto lead = [&](BlockRef s) {
      if (place < s.value) isLedTo[s.value - first] = 1;
    };
    if (target_[n])
      lead(target_[n]);
    else
      for (BlockRef s : cfg_.successors(b)) lead(s);
  }
  if (!isChanged) return false;
  for (uint32_t n = first + 1; n < end; ++n)
    if (isReached(BlockRef(n)) && !isAppended_[n] && !isLedTo[n - first]) return true;
  return false;
}

} // namespace lanewise
