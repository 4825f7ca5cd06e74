#include "canonical/unrolling/loop_copier.h"

#include "transforms/debug_cursor.h"

namespace lanewise {

LoopCopier::LoopCopier(Analyses& analyses, Rewriter& rewriter)
    : module_(analyses.module()), decorations_(analyses.get<Decorations>()), rewriter_(rewriter),
      edits_(analyses, rewriter), constants_(analyses, rewriter), map_(module_.idBound()),
      isWritten_(module_.blockCount() + 1), exitLabels_(module_.idBound()) {}

void LoopCopier::rewrite(std::span<const UnrolledLoop> loops) {
  for (const UnrolledLoop& loop : loops)
    for (BlockRef b : loop.shape.blocks) isWritten_[b.value] = true;
  for (const UnrolledLoop& loop : loops) write(loop);
  edits_.apply();
}

void LoopCopier::write(const UnrolledLoop& loop) {
  loop_ = &loop;
  const LoopShape& shape = loop.shape;
  out_.clear();
  nextEntry_ = module_.labelId(shape.header);
  for (iteration_ = 0; iteration_ < loop.iterations.count; ++iteration_) {
    beginCopy();
    for (size_t n = 0; n < shape.blocks.size(); ++n)
      if (!isLastIteration() || shape.isBefore[n]) writeBlock(shape.blocks[n]);
  }
  eraseOriginal();
  rewriter_.insertBefore(module_.blockInsts(shape.header).first, out_);
  renameBehind(loop);
}

// ---- Names ----

/// What the header's phis are in this copy, told before anything else gets its new name.
void LoopCopier::namePhis() {
  const LoopShape& shape = loop_->shape;
  phiValues_.clear();
  for (size_t n = 0; n < shape.phis.size(); ++n) {
    const InstRef phi = shape.phis[n];
    const Id type = module_.resultType(phi);
    if (const auto known = loop_->iterations.phi(iteration_, n, shape.phis.size())) {
      phiValues_.push_back(module_.opcodeOf(type) == spv::Op::OpTypeBool
                               ? constants_.boolean(type, *known != 0)
                               : constants_.number(type, *known));
      continue;
    }
    Id value;
    uint32_t ways = 0;
    for (uint32_t w = 3; w < module_.wordCount(phi); w += 2) {
      const bool isBack = module_.blockOfLabel(module_.idAt(phi, w + 1)) == shape.latch;
      if (isBack != (iteration_ > 0)) continue;
      value = ++ways == 1 ? mapped(module_.idAt(phi, w)) : Id();
    }
    phiValues_.push_back(value);
  }
}

/// Everything that the copy defines gets its name first, so that phis of inner loops find it.
void LoopCopier::nameResults() {
  const LoopShape& shape = loop_->shape;
  const auto name = [&](Id result, bool keepsId) {
    map_[result.value] = keepsId ? result : rewriter_.newId();
    if (!keepsId) decorate(result, map_[result.value]);
  };
  for (size_t n = 0; n < shape.phis.size(); ++n) {
    const Id phi = module_.resultId(shape.phis[n]);
    if (isReplaced(n))
      map_[phi.value] = phiValues_[n];
    else
      name(phi, isLastCopy(true));
  }
  for (size_t n = 0; n < shape.blocks.size(); ++n) {
    if (isLastIteration() && !shape.isBefore[n]) continue;
    const bool isHeader = shape.blocks[n] == shape.header;
    for (InstRef i : module_.blockInsts(shape.blocks[n]))
      if (const Id result = module_.resultId(i);
          result && !(isHeader && module_.opcode(i) == spv::Op::OpPhi))
        name(result, isLastCopy(shape.isBefore[n]));
  }
}

/// Whether a phi of the header is nothing but another name in this copy.
bool LoopCopier::isReplaced(size_t phi) const {
  return phiValues_[phi] && module_.opcodeOf(phiValues_[phi]) != spv::Op::OpUndef &&
         !edits_.mustStayAsCopy(module_.resultId(loop_->shape.phis[phi]));
}

/// A copy is as precise, as uniform and as exact as the original.
void LoopCopier::decorate(Id original, Id copy) {
  for (const Decoration& d : decorations_.of(original))
    rewriter_.insertAfter(d.inst, Inst(module_.inst(d.inst)).set(1, copy.value));
}

void LoopCopier::beginCopy() {
  const LoopShape& shape = loop_->shape;
  entry_ = nextEntry_;
  if (!isLastIteration()) nextEntry_ = rewriter_.newId();
  isWrapped_ = shape.needsConstruct && (!isLastIteration() || shape.exitIsInContinue);
  namePhis();
  nameResults();
  Id& label = map_[module_.labelId(shape.header).value];
  label = isWrapped_ ? rewriter_.newId() : entry_;
  if (isWrapped_) writeConstruct(label);
}

// ---- Copies ----

/// Branches to the continue target break this: it is never left otherwise.
void LoopCopier::writeConstruct(Id first) {
  emit(spv::Op::OpLabel, entry_.value);
  writePhis();
  const Id zero = rewriter_.uint32Constant(0);
  emit(spv::Op::OpSelectionMerge, mapped(module_.labelId(loop_->shape.continueTarget)).value,
       uint32_t(spv::SelectionControlMask::MaskNone));
  emit(spv::Op::OpSwitch, zero.value, first.value);
}

/// Phis of the header that are still needed: where several blocks lead to the loop.
void LoopCopier::writePhis() {
  const LoopShape& shape = loop_->shape;
  for (size_t n = 0; n < shape.phis.size(); ++n) {
    if (phiValues_[n]) continue;
    const InstRef phi = shape.phis[n];
    const size_t begin = out_.size();
    emit(spv::Op::OpPhi, module_.word(phi, 1), mapped(module_.resultId(phi)).value);
    for (uint32_t w = 3; w < module_.wordCount(phi); w += 2) {
      if (module_.blockOfLabel(module_.idAt(phi, w + 1)) == shape.latch) continue;
      out_.push_back(mapped(module_.idAt(phi, w)).value);
      const Id from = module_.idAt(phi, w + 1), now = exitLabels_[from.value];
      out_.push_back(now ? now.value : from.value);
    }
    out_[begin] = uint32_t(spv::Op::OpPhi) | uint32_t(out_.size() - begin) << 16;
  }
  for (size_t n = 0; n < shape.phis.size(); ++n) {
    const Id phi = module_.resultId(shape.phis[n]);
    if (phiValues_[n] && !isReplaced(n))
      emit(spv::Op::OpCopyObject, module_.word(shape.phis[n], 1), mapped(phi).value,
           phiValues_[n].value);
  }
}

uint32_t* LoopCopier::append(InstRef i) {
  const size_t begin = out_.size();
  const auto words = module_.inst(i);
  out_.insert(out_.end(), words.begin(), words.end());
  module_.forEachIdOperand(i, [&](uint32_t n, Id id) { out_[begin + n] = mapped(id).value; });
  const OpcodeFacts& facts = module_.facts(i);
  if (facts.hasResult) {
    uint32_t& result = out_[begin + 1 + facts.hasResultType];
    result = mapped(Id(result)).value;
  }
  return out_.data() + begin;
}

void LoopCopier::writeTerminator(BlockRef b, InstRef i) {
  const LoopShape& shape = loop_->shape;
  if (b == shape.exit) {
    Id to = module_.labelId(shape.merge);
    if (!isLastIteration()) to = b == shape.latch ? nextEntry_ : mapped(shape.stayTarget);
    emit(spv::Op::OpBranch, to.value);
  } else if (b == shape.latch) {
    emit(spv::Op::OpBranch, nextEntry_.value);
  } else {
    append(i);
  }
}

void LoopCopier::writeBlock(BlockRef b) {
  const LoopShape& shape = loop_->shape;
  const bool isHeader = b == shape.header;
  for (InstRef i : module_.blockInsts(b)) {
    switch (module_.facts(i).opClass) {
    case OpClass::Label:
      emit(spv::Op::OpLabel, mapped(module_.resultId(i)).value);
      if (isHeader && !isWrapped_) writePhis();
      break;
    case OpClass::Merge:
      if (!isHeader && b != shape.exit) append(i);
      break;
    case OpClass::Terminator:
      writeTerminator(b, i);
      break;
    default:
      if (!isHeader || module_.opcode(i) != spv::Op::OpPhi) append(i);
    }
  }
}

// ---- The rest of the module ----

/// The text of the loop goes; its ids are defined anew by the last copy, if there is one.
void LoopCopier::eraseOriginal() {
  const LoopShape& shape = loop_->shape;
  const auto move = [&](InstRef i) {
    edits_.isRewritten(i);
    rewriter_.erase(i);
  };
  for (size_t n = 0; n < shape.blocks.size(); ++n) {
    const BlockRef b = shape.blocks[n];
    const bool isCopied = shape.isBefore[n] || loop_->iterations.count > 1;
    for (InstRef i : module_.blockInsts(b)) {
      const bool isReplacedPhi = b == shape.header && module_.opcode(i) == spv::Op::OpPhi &&
                                 map_[module_.resultId(i).value] != module_.resultId(i);
      if (!isCopied)
        edits_.erase(i);
      else if (!isReplacedPhi) // else the replacement erases it
        move(i);
    }
    if (b == shape.header) continue;
    // Lines in front of a label that moves.
    for (InstRef i(module_.blockInsts(b).first.value - 1);
         !module_.blockOf(i) && isDebugInstruction(module_, i); i = InstRef(i.value - 1))
      move(i);
  }
}

/// What is behind the loop uses the header's phis, and the merge block's phis name the exit.
void LoopCopier::renameBehind(const UnrolledLoop& loop) {
  const LoopShape& shape = loop.shape;
  for (InstRef phi : shape.phis) {
    const Id id = module_.resultId(phi);
    if (const Id value = map_[id.value]; value != id)
      edits_.replace(id, value, ValueEdits::Decorated::Equal);
  }
  const Id label = module_.labelId(shape.exit), now = map_[label.value];
  exitLabels_[label.value] = now;
  if (now == label || isWritten_[shape.merge.value]) return;
  for (InstRef i : module_.blockInsts(shape.merge)) {
    if (module_.opcode(i) != spv::Op::OpPhi) continue;
    for (uint32_t w = 4; w < module_.wordCount(i); w += 2)
      if (module_.idAt(i, w) == label) rewriter_.setId(i, w, now);
  }
}

} // namespace lanewise
