#include "canonical/support/construct_tree.h"

namespace lanewise {

ConstructTree::ConstructTree(const Module& module, FunctionRef function)
    : module_(module), first_(module.firstBlock(function).value),
      around_(module.blockCount(function), kUnreached) {
  place(BlockRef(first_), 0);
  while (!work_.empty()) {
    const BlockRef b = work_.back();
    work_.pop_back();
    visit(b);
  }
}

bool ConstructTree::isInContinue(BlockRef b) const {
  for (uint32_t c = around(b); c; c = constructs_[c].parent)
    if (constructs_[c].kind == Construct::Kind::Continue) return true;
  return false;
}

void ConstructTree::place(BlockRef b, uint32_t construct) {
  if (!b || around_[b.value - first_] != kUnreached) return;
  around_[b.value - first_] = construct;
  work_.push_back(b);
}

uint32_t ConstructTree::open(Construct construct) {
  constructs_.push_back(construct);
  return uint32_t(constructs_.size() - 1);
}

/// A construct is entered through its header alone, so when a block is visited, the merge blocks
/// and continue targets of all constructs around it have their places, and what else it branches to
/// stands where it does.
void ConstructTree::visit(BlockRef b) {
  uint32_t& mine = around_[b.value - first_];
  uint32_t inner = mine;
  const InstRef terminator = module_.terminator(b);
  if (const InstRef merge = module_.mergeInst(b)) {
    const BlockRef mergeBlock = module_.blockOfLabel(module_.idAt(merge, 1));
    place(mergeBlock, mine);
    if (module_.opcode(merge) == spv::Op::OpLoopMerge) {
      inner = mine = open({Construct::Kind::Loop, b, mergeBlock, mine});
      const BlockRef target = module_.blockOfLabel(module_.idAt(merge, 2));
      if (target != b) place(target, open({Construct::Kind::Continue, b, mergeBlock, inner}));
    } else {
      const bool isSwitch = module_.opcode(terminator) == spv::Op::OpSwitch;
      inner = open(
          {isSwitch ? Construct::Kind::Switch : Construct::Kind::Selection, b, mergeBlock, mine});
    }
  }
  module_.forEachIdOperand(terminator, [&](uint32_t, Id id) {
    if (const BlockRef target = module_.blockOfLabel(id)) place(target, inner);
  });
}

} // namespace lanewise
