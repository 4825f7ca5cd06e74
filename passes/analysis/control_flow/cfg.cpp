#include "analysis/control_flow/cfg.h"

#include <algorithm>

namespace lanewise {

namespace {

/// Calls `visit` for every label that the terminator names, in order, repetitions included.
template <class Visitor>
void forEachTarget(const Module& module, InstRef terminator, Visitor&& visit) {
  switch (module.opcode(terminator)) {
  case spv::Op::OpBranch:
    visit(module.idAt(terminator, 1));
    break;
  case spv::Op::OpBranchConditional:
    visit(module.idAt(terminator, 2));
    visit(module.idAt(terminator, 3));
    break;
  case spv::Op::OpSwitch:
    // The width of the case literals is the selector's: the operand walk knows.
    module.forEachIdOperand(terminator, [&](uint32_t word, Id id) {
      if (word > 1) visit(id);
    });
    break;
  default: // leaves the function
    break;
  }
}

} // namespace

Cfg::Cfg(const Module& module) {
  collectEdges(module);
  collectConstructs(module);
  orderBlocks(module);
}

void Cfg::collectEdges(const Module& module) {
  const uint32_t blocks = module.blockCount();
  succStart_.assign(size_t(blocks) + 2, 0);
  predStart_.assign(size_t(blocks) + 2, 0);
  succ_.reserve(size_t(blocks) * 3 / 2);
  std::vector<uint32_t> lastSource(size_t(blocks) + 1,
                                   0); // the block that last named it: finds repetitions
  for (uint32_t b = 1; b <= blocks; ++b) {
    const FunctionRef function = module.functionOf(BlockRef(b));
    succStart_[b] = uint32_t(succ_.size());
    forEachTarget(module, module.terminator(BlockRef(b)), [&](Id label) {
      BlockRef target = module.blockOfLabel(label);
      // A label of another function is an error that the validator reports; it makes no edge.
      if (!target || module.functionOf(target) != function || lastSource[target.value] == b) return;
      lastSource[target.value] = b;
      succ_.push_back(target);
      ++predStart_[target.value + 1];
    });
  }
  succStart_[blocks + 1] = uint32_t(succ_.size());

  for (size_t b = 1; b < predStart_.size(); ++b) predStart_[b] += predStart_[b - 1];
  pred_.resize(succ_.size());
  std::vector<uint32_t> next(predStart_.begin(), predStart_.end() - 1);
  for (uint32_t b = 1; b <= blocks; ++b)
    for (BlockRef s : successors(BlockRef(b))) pred_[next[s.value]++] = BlockRef(b);
}

void Cfg::collectConstructs(const Module& module) {
  const uint32_t blocks = module.blockCount();
  constructOf_.assign(size_t(blocks) + 1, 0);
  for (uint32_t b = 1; b <= blocks; ++b) {
    const BlockRef header(b);
    const InstRef merge = module.mergeInst(header);
    if (!merge) continue;
    Construct c{Construct::Kind::Selection, header, module.blockOfLabel(module.idAt(merge, 1)), {}};
    if (module.opcode(merge) == spv::Op::OpLoopMerge) {
      c.kind = Construct::Kind::Loop;
      c.continueTarget = module.blockOfLabel(module.idAt(merge, 2));
    } else if (module.opcode(module.terminator(header)) == spv::Op::OpSwitch) {
      c.kind = Construct::Kind::Switch;
    }
    constructs_.push_back(c);
    constructOf_[b] = uint32_t(constructs_.size());
  }
}

void Cfg::orderBlocks(const Module& module) {
  const uint32_t functions = module.functionCount();
  rpoStart_.assign(size_t(functions) + 2, 0);
  rpoIndex_.assign(size_t(module.blockCount()) + 1, UINT32_MAX);
  rpo_.reserve(module.blockCount());

  struct Visit {
    BlockRef block;
    uint32_t left; ///< successors not yet looked at
  };
  std::vector<Visit>
      stack; // a depth-first walk without recursion: functions may be a million blocks deep
  constexpr uint32_t kSeen = UINT32_MAX - 1;
  for (uint32_t f = 1; f <= functions; ++f) {
    rpoStart_[f] = uint32_t(rpo_.size());
    if (module.blockCount(FunctionRef(f)) == 0) continue;
    const BlockRef entry = module.firstBlock(FunctionRef(f));
    rpoIndex_[entry.value] = kSeen;
    stack.push_back({entry, uint32_t(successors(entry).size())});
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.left == 0) {
        rpo_.push_back(top.block);
        stack.pop_back();
        continue;
      }
      // Last successor first, so that the first one comes first in the reversed order.
      const BlockRef s = successors(top.block)[--top.left];
      if (rpoIndex_[s.value] != UINT32_MAX) continue;
      rpoIndex_[s.value] = kSeen;
      stack.push_back({s, uint32_t(successors(s).size())});
    }
    std::reverse(rpo_.begin() + rpoStart_[f], rpo_.end());
    for (uint32_t n = rpoStart_[f]; n < rpo_.size(); ++n)
      rpoIndex_[rpo_[n].value] = n - rpoStart_[f];
  }
  rpoStart_[functions + 1] = uint32_t(rpo_.size());
}

} // namespace lanewise
