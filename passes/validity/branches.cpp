// Branches and their targets (SPIR-V 3.42.17), phis, order of blocks (2.16.1).

#include "text/format_text.h"
#include "validity/module_rules.h"

#include <algorithm>

namespace lanewise::validity {

namespace {

using spv::Op;

bool checkTarget(Subject& s, InstRef i, Id label, BlockRef from) {
  const Module& m = s.module;
  const BlockRef target = m.blockOfLabel(label);
  if (!target) return true; // checkIds() has seen to what is known
  const FunctionRef function = m.functionOf(from);
  if (m.functionOf(target) != function)
    return s.fail(i, formatText("names block %{}, which is in another function", label.value),
                  label);
  return target != m.firstBlock(function) || m.facts(i).opClass == OpClass::Merge ||
         s.fail(i, formatText("branches to %{}, the first block of the function", label.value),
                label);
}

bool checkSwitch(Subject& s, InstRef i, BlockRef from) {
  const Module& m = s.module;
  const Shape& selector = s.shapeOfValue(m.idAt(i, 1));
  if (selector.isOpen()) return true;
  if (!selector.isInt()) return s.failOperand(i, 1, "but a selector must be an integer scalar");
  const uint32_t width = m.numberWords(s.typeOf(m.idAt(i, 1)));
  for (uint32_t word = 3; word + width < m.wordCount(i); word += width + 1)
    if (!checkTarget(s, i, m.idAt(i, word + width), from)) return false;
  return checkTarget(s, i, m.idAt(i, 2), from);
}

bool checkConditional(Subject& s, InstRef i, BlockRef from) {
  const Module& m = s.module;
  const Shape& condition = s.shapeOfValue(m.idAt(i, 1));
  if (!condition.isOpen() && condition.kind != Kind::Bool)
    return s.failOperand(i, 1, "but a condition must be a Boolean scalar");
  const uint32_t words = m.wordCount(i);
  if (words != 4 && words != 6) return s.fail(i, "has one branch weight; it takes none or two");
  constexpr uint32_t kDifferentSince = 0x00010600;
  if (m.version() >= kDifferentSince && m.idAt(i, 2) == m.idAt(i, 3))
    return s.fail(i, "has the same target twice, which SPIR-V 1.6 does not allow");
  return checkTarget(s, i, m.idAt(i, 2), from) && checkTarget(s, i, m.idAt(i, 3), from);
}

bool checkMergeTargets(Subject& s, InstRef i, BlockRef header) {
  const Module& m = s.module;
  const Id merge = m.idAt(i, 1);
  if (!checkTarget(s, i, merge, header)) return false;
  if (m.opcode(i) != Op::OpLoopMerge) return true;
  const Id target = m.idAt(i, 2);
  if (!checkTarget(s, i, target, header)) return false;
  if (merge == m.labelId(header)) return s.fail(i, "names its own block as merge block", merge);
  if (merge == target) return s.fail(i, "has one block as merge block and continue target", merge);
  const auto control = spv::LoopControlMask(m.word(i, 3));
  const auto kBoth = spv::LoopControlMask::Unroll | spv::LoopControlMask::DontUnroll;
  return (control & kBoth) != kBoth || s.fail(i, "says both Unroll and DontUnroll");
}

} // namespace

bool checkBranches(Subject& s) {
  const Module& m = s.module;
  for (uint32_t b = 1; b <= m.blockCount(); ++b) {
    const BlockRef block(b);
    const InstRef i = m.terminator(block);
    if (const InstRef merge = m.mergeInst(block); merge && !checkMergeTargets(s, merge, block))
      return false;
    switch (m.opcode(i)) {
    case Op::OpBranch:
      if (!checkTarget(s, i, m.idAt(i, 1), block)) return false;
      break;
    case Op::OpBranchConditional:
      if (!checkConditional(s, i, block)) return false;
      break;
    case Op::OpSwitch:
      if (!checkSwitch(s, i, block)) return false;
      break;
    default:
      break;
    }
  }
  return true;
}

namespace {

/// What kind of value a phi cannot give.
bool checkPhiType(Subject& s, InstRef i) {
  const Module& m = s.module;
  const Shape& shape = s.resultShape(i);
  if (shape.kind == Kind::Void) return s.fail(i, "the result type is void");
  if (shape.isPointer() && s.addressing == spv::AddressingModel::Logical &&
      !s.has(spv::Capability::VariablePointersStorageBuffer))
    return s.fail(i, "gives a pointer without capability VariablePointers");
  const bool bindless = s.has(spv::Capability::BindlessTextureNV);
  if (!bindless && (shape.kind == Kind::SampledImage ||
                    (s.isShader && (shape.kind == Kind::Image || shape.kind == Kind::Sampler))))
    return s.fail(
        i, formatText("the result type is {}, which no phi gives", describeType(m, m.idAt(i, 1))));
  return true;
}

bool checkPhi(Subject& s, const Flow& flow, InstRef i, std::vector<BlockRef>& parents) {
  const Module& m = s.module;
  const BlockRef block = m.blockOf(i);
  const std::span<const BlockRef> predecessors = flow.cfg.predecessors(block);
  const uint32_t edges = (m.wordCount(i) - 3) / 2;
  if (!checkPhiType(s, i)) return false;
  if (edges != predecessors.size())
    return s.fail(i, formatText("has values for {} blocks, but its block has {} predecessors",
                                edges, predecessors.size()));
  parents.clear();
  for (uint32_t word = 3; word + 1 < m.wordCount(i); word += 2) {
    if (s.typeOf(m.idAt(i, word)) != m.idAt(i, 1) && !s.shapeOfValue(m.idAt(i, word)).isOpen())
      return s.failOperand(i, word,
                           formatText("but the result type is {}", describeType(m, m.idAt(i, 1))));
    const BlockRef parent = m.blockOfLabel(m.idAt(i, word + 1));
    if (!std::binary_search(predecessors.begin(), predecessors.end(), parent))
      return s.fail(i, formatText("names block %{}, which is no predecessor of its block",
                                  m.word(i, word + 1)));
    parents.push_back(parent);
  }
  std::sort(parents.begin(), parents.end());
  return std::adjacent_find(parents.begin(), parents.end()) == parents.end() ||
         s.fail(i, "names one predecessor twice");
}

} // namespace

bool checkPhis(Subject& s, const Flow& flow) {
  const Module& m = s.module;
  if (m.hasUnknown()) return true; // predecessors may be others
  std::vector<BlockRef> parents;
  for (uint32_t b = 1; b <= m.blockCount(); ++b)
    for (InstRef i : m.blockInsts(BlockRef(b))) {
      if (m.facts(i).opClass == OpClass::Label || m.facts(i).opClass == OpClass::Line) continue;
      if (m.opcode(i) != Op::OpPhi) break; // they stand at the head
      if (!checkPhi(s, flow, i, parents)) return false;
    }
  return true;
}

bool checkBlockOrder(Subject& s, const Flow& flow) {
  const Module& m = s.module;
  for (uint32_t b = 1; b <= m.blockCount(); ++b) {
    const BlockRef block(b), idom = flow.dominators.idom[b];
    if (idom && idom > block)
      return s.fail(m.blockInsts(block).first,
                    formatText("block %{} stands before %{}, which dominates it",
                               m.labelId(block).value, m.labelId(idom).value));
  }
  return true;
}

} // namespace lanewise::validity
