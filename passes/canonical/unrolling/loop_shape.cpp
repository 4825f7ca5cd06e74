#include "canonical/unrolling/loop_shape.h"

#include "transforms/debug_cursor.h"

#include <algorithm>

namespace lanewise {
namespace {

constexpr UnrollRefusal kTooLarge{"too-large", "it would become too many instructions"};
constexpr UnrollRefusal kNotStructured{"not-structured", "its blocks are reached from elsewhere"};
constexpr UnrollRefusal kNoWayBack{"no-way-back", "nothing, or more than one block, leads back"};
constexpr UnrollRefusal kBreak{"several-exits",
                               "there is not one way out of it, but none or several"};
constexpr UnrollRefusal kNoTest{"no-test", "what leaves it is no test of its own"};
constexpr UnrollRefusal kConditional{"conditional-exit", "not every iteration comes to the test"};
constexpr UnrollRefusal kNested{"nested-exit", "the test is inside a construct of the loop"};
constexpr UnrollRefusal kBranchingHeader{"branching-header",
                                         "its header branches on something else"};
constexpr UnrollRefusal kContinueInSwitch{"continue-in-switch", "a switch in it has a continue"};

} // namespace

/// Blocks that control may go to, and those that merge instructions name.
template <class Visitor>
void LoopReader::forEachWay(const LoopShape& shape, BlockRef b, Visitor&& visit) const {
  for (BlockRef s : cfg_.successors(b)) visit(s);
  if (b == shape.header) return;
  if (const Construct* c = cfg_.constructAt(b)) {
    visit(c->merge);
    if (c->continueTarget) visit(c->continueTarget);
  }
}

const UnrollRefusal* LoopReader::readBlocks(LoopShape& shape, uint32_t maxInstructions) {
  std::vector<BlockRef>& found = shape.blocks;
  const auto add = [&](BlockRef b) {
    if (!b || b == shape.merge || isInside(b)) return;
    mark_[b.value] = stamp_;
    found.push_back(b);
    for (InstRef i : module_.blockInsts(b))
      shape.instructions += isDebugInstruction(module_, i) ? 0 : 1;
  };
  add(shape.header);
  for (size_t n = 0; n < found.size(); ++n) {
    if (shape.instructions > maxInstructions) return &kTooLarge;
    forEachWay(shape, found[n], add);
  }
  std::sort(found.begin(), found.end());
  for (BlockRef b : found)
    for (BlockRef p : cfg_.predecessors(b)) {
      if (b != shape.header && !isInside(p)) return &kNotStructured;
      if (b != shape.header || !isInside(p)) continue;
      if (shape.latch) return &kNoWayBack;
      shape.latch = p;
    }
  return shape.latch && cfg_.isReachable(shape.latch) ? nullptr : &kNoWayBack;
}

/// True for a block in no other construct than the loop and its continue construct.
bool LoopReader::isPlacedDirectly(const LoopShape& shape, BlockRef b) const {
  return b == shape.header || (nesting_.enclosing(b) == shape.header && !isLoopHeader(b));
}

bool LoopReader::isLoopHeader(BlockRef b) const {
  const Construct* c = cfg_.constructAt(b);
  return c && c->kind == Construct::Kind::Loop;
}

const UnrollRefusal* LoopReader::readExit(LoopShape& shape) {
  for (BlockRef b : shape.blocks) {
    const auto to = cfg_.successors(b);
    if (std::find(to.begin(), to.end(), shape.merge) == to.end()) continue;
    if (shape.exit) return &kBreak;
    shape.exit = b;
  }
  if (!shape.exit) return &kBreak;
  const InstRef branch = module_.terminator(shape.exit);
  if (module_.opcode(branch) != spv::Op::OpBranchConditional ||
      module_.idAt(branch, 2) == module_.idAt(branch, 3))
    return &kNoTest;
  shape.condition = module_.idAt(branch, 1);
  shape.leavesOn = module_.idAt(branch, 2) == module_.labelId(shape.merge);
  shape.stayTarget = module_.idAt(branch, shape.leavesOn ? 3 : 2);
  if (!isPlacedDirectly(shape, shape.exit) || !isPlacedDirectly(shape, shape.latch))
    return &kNested;
  if (shape.exit == shape.header) return nullptr;
  if (module_.opcode(module_.terminator(shape.header)) != spv::Op::OpBranch)
    return &kBranchingHeader;
  const InstRef selection = module_.mergeInst(shape.exit);
  return !selection || module_.idAt(selection, 1) == shape.stayTarget ? nullptr : &kNested;
}

/// What runs before the exit; nothing of it may lead back.
const UnrollRefusal* LoopReader::readBefore(LoopShape& shape) {
  if (shape.latch != shape.exit &&
      module_.opcode(module_.terminator(shape.latch)) != spv::Op::OpBranch)
    return &kNoWayBack;
  bool leadsBack = false;
  std::vector<BlockRef> work;
  const auto add = [&](BlockRef b) {
    leadsBack = leadsBack || b == shape.header;
    if (!b || mark_[b.value] == stamp_ + 1) return;
    mark_[b.value] = stamp_ + 1;
    work.push_back(b);
  };
  mark_[shape.header.value] = stamp_ + 1;
  work.push_back(shape.header);
  while (!work.empty()) {
    const BlockRef b = work.back();
    work.pop_back();
    if (b != shape.exit) forEachWay(shape, b, add);
  }
  if (leadsBack || mark_[shape.exit.value] != stamp_ + 1) return &kConditional;
  for (BlockRef b : shape.blocks) shape.isBefore.push_back(mark_[b.value] == stamp_ + 1);
  return nullptr;
}

const UnrollRefusal* LoopReader::readContinues(LoopShape& shape) {
  const BlockRef target = shape.continueTarget;
  if (!isInside(target)) return &kNoWayBack;
  shape.exitIsInContinue = mark_[target.value] == stamp_ + 1;
  if (target == shape.header) return shape.blocks.size() == 1 ? nullptr : &kNotStructured;
  for (BlockRef b : shape.blocks)
    if (const Construct* c = cfg_.constructAt(b); c && b != shape.header && c->merge == target)
      return &kNotStructured;
  const auto from = cfg_.predecessors(target);
  const auto isInContinue = [&](BlockRef b) {
    return b != shape.header && nesting_.isInContinue(b);
  };
  if (nesting_.isInContinue(shape.header)) return &kNotStructured; // whose continue construct?
  if (from.size() == 1 && isPlacedDirectly(shape, from[0]) && !isInContinue(from[0]) &&
      (from[0] == shape.exit || module_.opcode(module_.terminator(from[0])) == spv::Op::OpBranch))
    return nullptr;
  shape.needsConstruct = true;
  for (BlockRef b : from) {
    if (module_.opcode(module_.terminator(b)) == spv::Op::OpSwitch) return &kContinueInSwitch;
    if (isInContinue(b)) return &kContinueInSwitch;
    for (BlockRef at = b; at != shape.header; at = nesting_.enclosing(at)) {
      if (!at) return &kNotStructured; // a block that nothing reaches
      const Construct* c = at == b && !isLoopHeader(b) ? nullptr : cfg_.constructAt(at);
      if (c && c->kind != Construct::Kind::Selection) return &kContinueInSwitch;
    }
  }
  return nullptr;
}

const UnrollRefusal* LoopReader::read(BlockRef header, uint32_t maxInstructions, LoopShape& shape) {
  stamp_ += 2;
  const Construct& construct = *cfg_.constructAt(header);
  shape.header = header;
  shape.merge = construct.merge;
  shape.continueTarget = construct.continueTarget;
  if (const UnrollRefusal* why = readBlocks(shape, maxInstructions)) return why;
  if (const UnrollRefusal* why = readExit(shape)) return why;
  if (const UnrollRefusal* why = readBefore(shape)) return why;
  if (const UnrollRefusal* why = readContinues(shape)) return why;
  for (InstRef i : module_.blockInsts(header))
    if (module_.opcode(i) == spv::Op::OpPhi) shape.phis.push_back(i);
  return nullptr;
}

} // namespace lanewise
