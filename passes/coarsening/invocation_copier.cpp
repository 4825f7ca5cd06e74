#include "coarsening/invocation_copier.h"

#include "ir/debug_instructions.h"
#include "text/format_text.h"
#include "transforms/debug_cursor.h"

#include <algorithm>
#include <string>

namespace lanewise {
namespace {

bool isOfSubgroups(spv::Decoration d) {
  return d == spv::Decoration::Uniform || d == spv::Decoration::UniformId;
}

} // namespace

InvocationCopier::InvocationCopier(Analyses& analyses, const ConstructNesting& nesting,
                                   const InvocationIds& ids, const CopyVariance& variance,
                                   CopiedIds& copiedIds, const CoarseningFactors& factors,
                                   Rewriter& rewriter)
    : analyses_(analyses), module_(analyses.module()), cfg_(analyses.get<Cfg>()), nesting_(nesting),
      ids_(ids), variance_(variance), copiedIds_(copiedIds), copies_(factors.copies()),
      rewriter_(rewriter), names_(size_t(module_.idBound()) * (copies_ - 1)),
      isWritten_(module_.blockCount() + 1), labels_(module_.idBound()) {}

void InvocationCopier::rewrite(FunctionRef function) {
  for (Id v : variance_.privateVariables()) {
    const InstRef def = module_.def(v);
    for (uint32_t c = 1; c < copies_; ++c) {
      const Id copy = copyOf(v, c);
      rewriter_.insertAfter(def, Inst(module_.inst(def)).set(2, copy.value));
      added_.push_back(copy);
    }
  }
  for (BlockRef b : nesting_.order(function))
    if (!isWritten_[b.value]) writeFrom(b);
  const InstRange all = module_.functionInsts(function);
  const InstRef first = module_.blockInsts(module_.firstBlock(function)).first;
  rewriter_.replaceRange({first, InstRef(all.last.value - 1)}, out_);
  nameCopies();
  dropUniformity(function);
}

// ---- Names ----

Id InvocationCopier::copyOf(Id id, uint32_t copy) {
  Id& name = names_[size_t(id.value) * (copies_ - 1) + copy - 1];
  if (!name) name = rewriter_.newId();
  return name;
}

Id InvocationCopier::mapped(Id id, uint32_t copy) {
  if (isSplit_ && labels_[id.value]) return labels_[id.value];
  return copy > 0 && variance_.isVarying(id) ? copyOf(id, copy) : id;
}

/// What is equal throughout a subgroup need not be so in those of another workgroup. Only a hint is
/// lost.
void InvocationCopier::dropUniformity(FunctionRef function) {
  const InstRange own = module_.functionInsts(function);
  for (InstRef i : module_.globals()) {
    const spv::Op op = module_.opcode(i);
    if ((op != spv::Op::OpDecorate && op != spv::Op::OpDecorateId) ||
        !isOfSubgroups(spv::Decoration(module_.word(i, 2))))
      continue;
    const InstRef of = module_.def(module_.idAt(i, 1));
    const bool isOwn = of && of >= own.first && of < own.last;
    if (isOwn || (of && module_.opcode(of) == spv::Op::OpDecorationGroup)) rewriter_.erase(i);
  }
}

/// Names and decorations of the copies: each is as precise and as exact as the first.
void InvocationCopier::nameCopies() {
  const Decorations& decorations = analyses_.get<Decorations>();
  const auto forEachCopy = [&](Id id, auto&& visit) {
    for (uint32_t c = 1; c < copies_ && id.value < module_.idBound(); ++c)
      if (const Id copy = names_[size_t(id.value) * (copies_ - 1) + c - 1]) visit(copy, c);
  };
  for (InstRef i : module_.globals()) {
    if (module_.opcode(i) != spv::Op::OpName) continue;
    forEachCopy(module_.idAt(i, 1), [&](Id copy, uint32_t c) {
      const std::string name = std::string(module_.stringAt(i, 2)) + "_" + std::to_string(c);
      rewriter_.insertAfter(i, Inst(spv::Op::OpName).id(copy).string(name));
    });
  }
  for (Id id(1); id.value < module_.idBound(); id = Id(id.value + 1))
    for (const Decoration& d : decorations.of(id))
      if (!isOfSubgroups(d.decoration))
        forEachCopy(id, [&](Id copy, uint32_t) {
          rewriter_.insertAfter(d.inst, Inst(module_.inst(d.inst)).set(1, copy.value));
        });
}

// ---- Instructions ----

void InvocationCopier::emit(Inst inst) {
  const auto words = inst.finish();
  out_.insert(out_.end(), words.begin(), words.end());
}

void InvocationCopier::append(InstRef i, uint32_t copy) {
  const size_t begin = out_.size();
  const auto words = module_.inst(i);
  out_.insert(out_.end(), words.begin(), words.end());
  module_.forEachIdOperand(i, [&](uint32_t n, Id id) { out_[begin + n] = mapped(id, copy).value; });
  const OpcodeFacts& facts = module_.facts(i);
  if (!facts.hasResult) return;
  uint32_t& result = out_[begin + 1 + facts.hasResultType];
  result = mapped(Id(result), copy).value;
}

void InvocationCopier::writeOne(InstRef i, uint32_t copy) {
  const auto load = ids_.loadAt(i);
  if (load && variance_.isVarying(module_.resultId(i)))
    copiedIds_.writeLoad(i, *load, copy, mapped(module_.resultId(i), copy),
                         [&](Inst inst) { emit(std::move(inst)); });
  else
    append(i, copy);
}

void InvocationCopier::count(InstRef i) {
  if (module_.facts(i).opClass == OpClass::Value && !isDebugInstruction(module_, i))
    ++(variance_.isReplicated(i) ? replicated_ : shared_);
}

/// An instruction that all copies come to together.
void InvocationCopier::writeShared(InstRef i) {
  count(i);
  if (!variance_.isReplicated(i)) return append(i, 0);
  for (uint32_t c = 0; c < copies_; ++c) writeOne(i, c);
}

/// Behind the variables of the function, what the copies' ids are.
void InvocationCopier::writeHead(InstRef next) {
  const OpClass opClass = module_.facts(next).opClass;
  if (hasHead_ || opClass == OpClass::Label || opClass == OpClass::Variable ||
      isDebugInstruction(module_, next))
    return;
  hasHead_ = true;
  NeededIds needed;
  for (BlockRef b : nesting_.order(module_.functionOf(module_.blockOf(next))))
    for (InstRef i : module_.blockInsts(b))
      if (const auto load = ids_.loadAt(i); load && variance_.isVarying(module_.resultId(i)))
        needed.add(*load);
  copiedIds_.write(needed, [&](Inst inst) { emit(std::move(inst)); });
}

// ---- Blocks ----

void InvocationCopier::writeFrom(BlockRef b) {
  BlockRef open;
  if (variance_.isOutermostSplit(b) && variance_.isInside(b, b)) {
    open = writeSplitLoop(b);
  } else {
    append(module_.blockInsts(b).first, 0);
    for (InstRef i : module_.blockInsts(b))
      if (module_.opcode(i) == spv::Op::OpPhi) writeShared(i);
    open = b;
  }
  while (open) open = writeBody(open);
}

/// What stands behind the phis. The merge block of a construct that ends it and stands once for
/// each copy, whose label and phis are written then.
BlockRef InvocationCopier::writeBody(BlockRef b) {
  isWritten_[b.value] = true;
  for (InstRef i : module_.blockInsts(b)) {
    const spv::Op op = module_.opcode(i);
    if (op == spv::Op::OpLabel || op == spv::Op::OpPhi) continue;
    writeHead(i);
    if (op == spv::Op::OpSelectionMerge && variance_.isOutermostSplit(b))
      return writeSplitSelection(b, i);
    writeShared(i);
  }
  return {};
}

void InvocationCopier::beginCopy(const Construct& c, std::span<const BlockRef> blocks,
                                 uint32_t copy, Id header, Id merge) {
  endCopies();
  isSplit_ = true;
  const auto relabel = [&](BlockRef b, Id label) {
    const Id old = module_.labelId(b);
    labels_[old.value] = label;
    relabelled_.push_back(old);
  };
  for (BlockRef b : blocks)
    if (copy > 0) relabel(b, rewriter_.newId());
  relabel(c.header, header);
  relabel(c.merge, merge);
}

void InvocationCopier::endCopies() {
  for (Id label : relabelled_) labels_[label.value] = {};
  relabelled_.clear();
  isSplit_ = false;
}

void InvocationCopier::writeMergePhis(BlockRef merge, uint32_t copy) {
  append(module_.blockInsts(merge).first, copy);
  for (InstRef i : module_.blockInsts(merge))
    if (module_.opcode(i) == spv::Op::OpPhi) append(i, copy);
}

/// An instruction of a construct that stands once for each copy.
void InvocationCopier::writeInCopy(InstRef i, uint32_t copy) {
  if (copy == 0) count(i);
  if (copy > 0 && isExtInst(module_.opcode(i)) && isDebugInstruction(module_, i)) {
    // Variables and their values are those of the first copy.
    const uint32_t what = module_.word(i, 4);
    if (what != kDebugScope && what != kDebugNoScope && what != kDebugLine && what != kDebugNoLine)
      return;
  }
  writeOne(i, copy);
}

void InvocationCopier::writeClone(BlockRef b, uint32_t copy) {
  isWritten_[b.value] = true;
  for (InstRef i : module_.blockInsts(b)) writeInCopy(i, copy);
}

BlockRef InvocationCopier::writeSplitSelection(BlockRef header, InstRef merge) {
  const Construct& c = *cfg_.constructAt(header);
  const std::vector<BlockRef> blocks = variance_.blocksOf(header);
  Id from = module_.labelId(header);
  for (uint32_t copy = 0; copy < copies_; ++copy) {
    const Id behind = copy + 1 == copies_ ? module_.labelId(c.merge) : rewriter_.newId();
    beginCopy(c, blocks, copy, from, behind);
    for (InstRef i(merge.value); i < module_.blockInsts(header).last; i = InstRef(i.value + 1))
      append(i, copy);
    for (BlockRef b : blocks) writeClone(b, copy);
    writeMergePhis(c.merge, copy);
    from = behind;
  }
  endCopies();
  return c.merge;
}

/// The block in front of the first copy of a loop, which all that leads to the loop leads to.
void InvocationCopier::writePreheader(BlockRef header) {
  append(module_.blockInsts(header).first, 0);
  entering_.clear();
  for (InstRef phi : module_.blockInsts(header)) {
    if (module_.opcode(phi) != spv::Op::OpPhi) continue;
    std::vector<uint32_t> ways; // words of the values from outside
    for (uint32_t w = 3; w < module_.wordCount(phi); w += 2)
      if (!variance_.isInside(module_.blockOfLabel(module_.idAt(phi, w + 1)), header))
        ways.push_back(w);
    std::vector<Id>& values = entering_.emplace_back();
    for (uint32_t copy = 0; copy < copies_; ++copy) {
      if (ways.size() == 1) {
        values.push_back(mapped(module_.idAt(phi, ways[0]), copy));
        continue;
      }
      values.push_back(rewriter_.newId());
      Inst before(spv::Op::OpPhi);
      before.id(module_.resultType(phi)).id(values.back());
      for (uint32_t w : ways)
        before.id(mapped(module_.idAt(phi, w), copy)).id(module_.idAt(phi, w + 1));
      emit(std::move(before));
    }
  }
}

void InvocationCopier::writeLoopPhi(InstRef phi, uint32_t copy, Id from) {
  const BlockRef header = module_.blockOf(phi);
  size_t number = 0;
  for (InstRef i : module_.blockInsts(header)) {
    if (i == phi) break;
    number += module_.opcode(i) == spv::Op::OpPhi ? 1 : 0;
  }
  Inst now(spv::Op::OpPhi);
  now.id(module_.resultType(phi)).id(mapped(module_.resultId(phi), copy));
  now.id(entering_[number][copy]).id(from);
  for (uint32_t w = 3; w < module_.wordCount(phi); w += 2)
    if (variance_.isInside(module_.blockOfLabel(module_.idAt(phi, w + 1)), header))
      now.id(mapped(module_.idAt(phi, w), copy)).id(mapped(module_.idAt(phi, w + 1), copy));
  emit(std::move(now));
}

BlockRef InvocationCopier::writeSplitLoop(BlockRef header) {
  const Construct& c = *cfg_.constructAt(header);
  const std::vector<BlockRef> blocks = variance_.blocksOf(header);
  writePreheader(header);
  Id from = module_.labelId(header);
  for (uint32_t copy = 0; copy < copies_; ++copy) {
    const Id head = rewriter_.newId();
    const Id behind = copy + 1 == copies_ ? module_.labelId(c.merge) : rewriter_.newId();
    emit(Inst(spv::Op::OpBranch).id(head));
    beginCopy(c, blocks, copy, head, behind);
    append(module_.blockInsts(header).first, copy);
    for (InstRef i : module_.blockInsts(header)) {
      if (module_.opcode(i) == spv::Op::OpLabel) continue;
      if (module_.opcode(i) == spv::Op::OpPhi)
        writeLoopPhi(i, copy, from);
      else
        writeInCopy(i, copy);
    }
    for (BlockRef b : blocks)
      if (b != header) writeClone(b, copy);
    writeMergePhis(c.merge, copy);
    from = behind;
  }
  isWritten_[header.value] = true;
  endCopies();
  return c.merge;
}

} // namespace lanewise
