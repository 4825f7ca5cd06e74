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

void ConstructTree::place(BlockRef b, uint32_t construct) {
  if (!b || around_[b.value - first_] != kUnreached) return;
  around_[b.value - first_] = construct;
  work_.push_back(b);
}

uint32_t ConstructTree::open(NestedConstruct construct) {
  const NestedConstruct& outer = constructs_[construct.parent];
  const auto index = uint32_t(constructs_.size());
  construct.notSelection =
      construct.kind == NestedConstruct::Kind::Selection ? outer.notSelection : index;
  construct.isInContinue = outer.isInContinue || construct.kind == NestedConstruct::Kind::Continue;
  constructs_.push_back(construct);
  return index;
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
      inner = mine = open(
          {.kind = NestedConstruct::Kind::Loop, .header = b, .merge = mergeBlock, .parent = mine});
      const BlockRef target = module_.blockOfLabel(module_.idAt(merge, 2));
      if (target != b)
        place(target, open({.kind = NestedConstruct::Kind::Continue,
                            .header = b,
                            .merge = mergeBlock,
                            .parent = inner}));
    } else {
      const bool isSwitch = module_.opcode(terminator) == spv::Op::OpSwitch;
      inner = open({isSwitch ? NestedConstruct::Kind::Switch : NestedConstruct::Kind::Selection, b,
                    mergeBlock, mine});
    }
  }
  module_.forEachIdOperand(terminator, [&](uint32_t, Id id) {
    if (const BlockRef target = module_.blockOfLabel(id)) place(target, inner);
  });
}

} // namespace lanewise
