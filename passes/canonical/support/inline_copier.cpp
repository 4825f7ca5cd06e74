#include "canonical/support/inline_copier.h"

#include "ir/debug_instructions.h"

#include <algorithm>

namespace lanewise {

InlineCopier::InlineCopier(Analyses& analyses, const Annotations& annotations, InlinePlan& plan,
                           Rewriter& rewriter)
    : module_(analyses.module()), annotations_(annotations), plan_(plan), rewriter_(rewriter),
      debug_(module_, rewriter), types_(analyses, rewriter) {}

// ---- A root ----

void InlineCopier::rewrite(FunctionRef root) {
  FunctionPlan& plan = plan_.of(root);
  if (!plan_.reserve(plan)) {
    for (const CallSite& call : plan.calls)
      if (call.callee) called_.push_back(call.callee);
    return;
  }
  enterRoot(root);
  while (!stack_.empty()) step();
  out_.insert(out_.begin() + ptrdiff_t(variablesAt_), variables_.begin(), variables_.end());
  rewriter_.replaceRange(module_.functionInsts(root), out_);
}

void InlineCopier::enterRoot(FunctionRef root) {
  out_.clear();
  variables_.clear();
  map_.clear();
  debug_.beginBlock();
  variablesAt_ = 0;
  Activation a;
  a.plan = &plan_.of(root);
  a.at = module_.functionInsts(root).first;
  for (Id id : a.plan->ids) map_.push_back(id ? id : rewriter_.newId());
  stack_.push_back(a);
}

void InlineCopier::step() {
  Activation& a = stack_.back();
  const InstRef i = a.at;
  ++a.at.value;
  const OpcodeFacts& facts = module_.facts(i);
  if (debug_.isActive()) {
    if (debug_.read(i, a.debug, a.place)) return;
    if (!isRoot() && debug_.isOfFunction(i)) return;
  }
  switch (facts.opClass) {
  case OpClass::Label:
    writeLabel(a, i);
    return;
  case OpClass::Function:
    if (facts.opcode == spv::Op::OpFunctionEnd)
      leave();
    else
      append(a, i, out_);
    return;
  case OpClass::Variable:
    writeVariable(a, i);
    return;
  case OpClass::Line: // without OpString: says nothing
    return;
  default:
    break;
  }
  if (facts.opcode == spv::Op::OpPhi) {
    writePhi(a, i);
    return;
  }
  if (a.headerIsOpen) closeHeader(a, i);
  switch (facts.opClass) {
  case OpClass::Merge:
    // That of a split loop header stands there already.
    if (facts.opcode == spv::Op::OpLoopMerge && a.split && a.split->body) return;
    writePlain(a, i);
    if (a.split && a.split->endsAnew && !isRoot())
      out_[out_.size() - module_.wordCount(i) + 1] = exitLabel(a, a.split->merge).value;
    return;
  case OpClass::Terminator:
    writeTerminator(a, i);
    return;
  default:
    if (facts.opcode == spv::Op::OpFunctionCall)
      writeCall(a, i);
    else
      writePlain(a, i);
  }
}

// ---- Instructions ----

/// Copies an instruction with its local ids mapped.
uint32_t* InlineCopier::append(Activation& a, InstRef i, std::vector<uint32_t>& to) {
  const size_t begin = to.size();
  const auto words = module_.inst(i);
  to.insert(to.end(), words.begin(), words.end());
  if (!isRoot()) {
    const std::vector<uint32_t>& locals = a.plan->localWords;
    const size_t first = module_.wordOffset(i), last = first + words.size();
    while (a.nextWord < locals.size() && locals[a.nextWord] < first) ++a.nextWord;
    for (; a.nextWord < locals.size() && locals[a.nextWord] < last; ++a.nextWord) {
      uint32_t& word = to[begin + locals[a.nextWord] - first];
      word = mapped(a, Id(word)).value;
    }
  }
  return to.data() + begin;
}

void InlineCopier::emitLabel(Id label) {
  emit(spv::Op::OpLabel, label.value);
  label_ = label;
  debug_.beginBlock();
}

void InlineCopier::writePlain(Activation& a, InstRef i) {
  if (debug_.isActive()) debug_.establish(a.debug, out_);
  if (a.pieceStart && a.plan->hasSampledImages)
    cloneSampledImages(a, i);
  else if (uint32_t* copy = append(a, i, out_); !isRoot() && debug_.declaresValue(i))
    copy[4] = kDebugValue; // the parameter is a value of the caller now
}

/// What OpSampledImage gives may only be used in its own block, so behind a split it is made again.
void InlineCopier::cloneSampledImages(Activation& a, InstRef i) {
  std::vector<std::pair<uint32_t, Id>> clones; // word of `i`, what it becomes
  module_.forEachIdOperand(i, [&](uint32_t n, Id id) {
    const InstRef d = module_.def(id);
    if (!d || module_.opcode(d) != spv::Op::OpSampledImage || d > a.pieceStart ||
        module_.blockOf(d) != module_.blockOf(i))
      return;
    const Id clone = rewriter_.newId();
    emit(spv::Op::OpSampledImage, module_.word(d, 1), clone.value,
         mapped(a, module_.idAt(d, 3)).value, mapped(a, module_.idAt(d, 4)).value);
    if (annotations_.has(id, Annotations::Copied)) copies_.push_back({id, clone});
    clones.emplace_back(n, clone);
  });
  uint32_t* words = append(a, i, out_);
  for (const auto& [n, clone] : clones) words[n] = clone.value;
}

void InlineCopier::writeLabel(Activation& a, InstRef i) {
  const BlockRef block = module_.blockOf(i);
  a.split = plan_.splitOf(block);
  a.headerIsOpen = a.split && (a.split->body || a.split->exit);
  a.pieceStart = {};
  if (a.split && a.split->exit && !isRoot()) writeExitBlocks(a, plan_.exit(*a.split).before);
  const Id label = mapped(a, module_.resultId(i));
  // The first block of a copy goes on in the block of the call.
  if (label != label_) emitLabel(label);
  if (isRoot() && !variablesAt_) variablesAt_ = out_.size();
}

void InlineCopier::writeVariable(Activation& a, InstRef i) {
  if (isRoot()) {
    writePlain(a, i);
    return;
  }
  const uint32_t initializerWord = module_.opcode(i) == spv::Op::OpVariable ? 4 : 5;
  const size_t begin = variables_.size();
  uint32_t* words = append(a, i, variables_);
  if (module_.wordCount(i) <= initializerWord) return;
  // Where the call is in a loop, the variable begins anew each time.
  const uint32_t pointer = words[2], value = words[initializerWord];
  variables_[begin] = uint32_t(module_.opcode(i)) | initializerWord << 16;
  variables_.resize(begin + initializerWord);
  if (debug_.isActive()) debug_.establish(a.debug, out_);
  emit(spv::Op::OpStore, pointer, value);
}

void InlineCopier::writePhi(Activation& a, InstRef i) {
  if (debug_.isActive()) debug_.establish(a.debug, out_);
  const size_t begin = out_.size();
  uint32_t* words = append(a, i, out_);
  for (uint32_t n = 4; n < module_.wordCount(i); n += 2) {
    const BlockRef parent = module_.blockOfLabel(module_.idAt(i, n));
    if (const uint32_t last = parent ? plan_.lastPiece(parent, isRoot()) : 0)
      words[n] = map_[a.map + last].value;
  }
  if (!a.split || !a.split->exit || isRoot()) return;
  // Who comes from a return does not use it.
  const Id undef = types_.undef(module_.resultType(i));
  for (uint32_t way : plan_.exit(*a.split).ways)
    out_.insert(out_.end(), {undef.value, map_[a.map + way].value});
  out_[begin] = uint32_t(spv::Op::OpPhi) | uint32_t(out_.size() - begin) << 16;
}

/// Behind the phis of a block that is split there.
void InlineCopier::closeHeader(Activation& a, InstRef i) {
  a.headerIsOpen = false;
  if (a.split->body) openLoopBody(a, i);
  if (a.split->exit && !isRoot()) writeExit(a);
}

/// Ends a split loop header; what else it has follows in a block of its own.
void InlineCopier::openLoopBody(Activation& a, InstRef i) {
  const InstRef merge = module_.mergeInst(module_.blockOf(i));
  const size_t begin = out_.size();
  const auto words = module_.inst(merge);
  out_.insert(out_.end(), words.begin(), words.end());
  for (uint32_t n = 1; n <= 2; ++n) out_[begin + n] = mapped(a, module_.idAt(merge, n)).value;
  if (a.split->tail) out_[begin + 2] = map_[a.map + a.split->tail].value;
  const Id body = map_[a.map + a.split->body];
  emit(spv::Op::OpBranch, body.value);
  emitLabel(body);
}

/// Who has returned goes on outwards.
void InlineCopier::writeExit(Activation& a) {
  const ExitPlan& exit = plan_.exit(*a.split);
  const Id outer = exitLabel(a, exit.outer);
  const Id stay = map_[a.map + exit.stay];
  if (exit.isOnlyWay) {
    emit(spv::Op::OpBranch, outer.value);
  } else {
    const Id hasReturned = rewriter_.newId();
    emit(spv::Op::OpLoad, types_.boolType().value, hasReturned.value, a.flag.value);
    emit(spv::Op::OpSelectionMerge, (exit.selectsRest ? outer : stay).value,
         uint32_t(spv::SelectionControlMask::MaskNone));
    emit(spv::Op::OpBranchConditional, hasReturned.value, outer.value, stay.value);
  }
  emitLabel(stay);
}

void InlineCopier::writeExitBlocks(const Activation& a, const std::vector<ExitBlock>& blocks) {
  for (const ExitBlock& block : blocks) {
    emitLabel(map_[a.map + block.label]);
    emit(spv::Op::OpBranch, exitLabel(a, block.to).value);
  }
}

/// A terminator that has just been written leaves a selection that it was not in.
void InlineCopier::redirect(const Activation& a, InstRef i) {
  uint32_t* words = out_.data() + out_.size() - module_.wordCount(i);
  module_.forEachIdOperand(i, [&](uint32_t n, Id id) {
    if (id == module_.labelId(a.split->detourOf)) words[n] = exitLabel(a, a.split->detour).value;
  });
}

void InlineCopier::writeTerminator(Activation& a, InstRef i) {
  const spv::Op op = module_.opcode(i);
  const bool returns = op == spv::Op::OpReturn || op == spv::Op::OpReturnValue;
  if (returns && !isRoot()) {
    writeReturn(a, i);
  } else {
    if (a.split && a.split->tail) {
      const Id tail = map_[a.map + a.split->tail];
      emit(spv::Op::OpBranch, tail.value);
      emitLabel(tail);
    }
    writePlain(a, i);
    if (a.split && a.split->detourOf && !isRoot()) redirect(a, i);
    label_ = {};
    debug_.beginBlock();
  }
  a.debug = {};
}

void InlineCopier::writeReturn(Activation& a, InstRef i) {
  const bool hasValue = module_.opcode(i) == spv::Op::OpReturnValue;
  const Id value = hasValue ? mapped(a, module_.idAt(i, 1)) : Id();
  const auto shape = a.plan->shape;
  Id target = a.rest;
  if (shape == FunctionPlan::Shape::ReturnsEarly) {
    if (debug_.isActive()) debug_.establish(a.debug, out_);
    if (a.value) emit(spv::Op::OpStore, a.value.value, value.value);
    if (a.split && a.split->setsFlag)
      emit(spv::Op::OpStore, a.flag.value, types_.boolean(true).value);
    if (a.split) target = exitLabel(a, a.split->returnTo);
  } else if (hasValue && value != a.result) {
    if (debug_.isActive()) debug_.establish(a.debug, out_);
    emit(spv::Op::OpCopyObject, a.resultType.value, a.result.value, value.value);
  }
  if (shape == FunctionPlan::Shape::Straight || shape == FunctionPlan::Shape::FallsOut) return;
  emit(spv::Op::OpBranch, target.value);
  label_ = {};
  debug_.beginBlock();
}

// ---- Calls ----

void InlineCopier::writeCall(Activation& a, InstRef i) {
  while (a.plan->calls[a.nextCall].inst != i) ++a.nextCall;
  const CallSite& call = a.plan->calls[a.nextCall];
  if (call.refusal) {
    writePlain(a, i);
    if (call.callee) called_.push_back(call.callee);
    return;
  }
  enter(call);
}

void InlineCopier::enter(const CallSite& call) {
  FunctionPlan& callee = plan_.of(call.callee);
  plan_.localWordsOf(callee);
  const Activation& caller = stack_.back();
  Activation copy;
  copy.plan = &callee;
  copy.at = callee.firstLabel;
  copy.map = map_.size();
  copy.place = {caller.debug, {}, true};
  copy.rest = call.rest ? map_[caller.map + call.rest] : Id();
  copy.resultType = module_.resultType(call.inst);
  const Id result = module_.resultId(call.inst);
  if (module_.opcodeOf(copy.resultType) != spv::Op::OpTypeVoid)
    copy.result = mapped(caller, result);
  else if (isRoot())
    gone_.push_back(result);
  mapParameters(call, callee);
  while (map_.size() < copy.map + callee.ids.size()) map_.push_back(rewriter_.newId());
  // A definition that takes the id of the call must not become what the call is decorated with.
  if (annotations_.has(result, Annotations::Decorated)) {
    const Id kept = copy.result;
    copy.result = {};
    mapExits(copy, callee);
    copy.result = kept;
  } else {
    mapExits(copy, callee);
  }
  for (uint32_t local : callee.annotated)
    if (local > callee.parameterCount)
      copies_.push_back({callee.ids[local], map_[copy.map + local]});
  if (callee.shape == FunctionPlan::Shape::ReturnsEarly) declareExit(copy);
  stack_.push_back(copy);
}

/// What says that the copy has returned, and what.
void InlineCopier::declareExit(Activation& copy) {
  const auto declare = [&](Id type) {
    const Id id = rewriter_.newId();
    variables_.insert(variables_.end(),
                      {uint32_t(spv::Op::OpVariable) | 4u << 16, types_.pointerTo(type).value,
                       id.value, uint32_t(spv::StorageClass::Function)});
    return id;
  };
  if (copy.result) copy.value = declare(copy.resultType);
  if (debug_.isActive()) debug_.establish(copy.place.call, out_);
  if (copy.plan->hasFlag) {
    copy.flag = declare(types_.boolType());
    emit(spv::Op::OpStore, copy.flag.value, types_.boolean(false).value);
  }
  if (!copy.plan->isWrapped) return;
  const Id zero = rewriter_.uint32Constant(0);
  emit(spv::Op::OpSelectionMerge, copy.rest.value, uint32_t(spv::SelectionControlMask::MaskNone));
  emit(spv::Op::OpSwitch, zero.value, mapped(copy, module_.resultId(copy.plan->firstLabel)).value);
  label_ = {};
}

void InlineCopier::mapParameters(const CallSite& call, const FunctionPlan& callee) {
  const Activation& caller = stack_.back();
  map_.emplace_back(); // local numbers begin with 1
  for (uint32_t p = 1; p <= callee.parameterCount; ++p) {
    const Id given = module_.idAt(call.inst, 3 + p);
    Id argument = mapped(caller, given);
    // All uses of the parameter have the same value; each of an OpUndef has one of its own.
    if (module_.opcodeOf(given) == spv::Op::OpUndef) {
      argument = rewriter_.newId();
      emit(spv::Op::OpCopyObject, module_.typeOf(given).value, argument.value,
           mapped(caller, given).value);
    }
    map_.push_back(argument);
  }
}

/// Of a copy that is pasted into blocks of the caller: these keep their labels, and what is
/// returned is defined under the id of the call right away.
void InlineCopier::mapExits(Activation& copy, const FunctionPlan& callee) {
  if (callee.isWrapped) return;
  map_[copy.map + plan_.localOf(module_.resultId(callee.firstLabel))] = label_;
  if (!callee.onlyReturn || callee.shape == FunctionPlan::Shape::ReturnsEarly) return;
  const BlockRef last = module_.blockOf(callee.onlyReturn);
  if (callee.shape == FunctionPlan::Shape::FallsOut) {
    const BlockSplit* split = plan_.splitOf(last);
    map_[copy.map + (split ? split->last : plan_.localOf(module_.labelId(last)))] = copy.rest;
  }
  if (!copy.result) return;
  const Id value = module_.idAt(callee.onlyReturn, 1);
  const uint32_t local = plan_.localOf(value);
  if (local > callee.parameterCount && module_.opcodeOf(value) != spv::Op::OpUndef &&
      module_.facts(module_.def(value)).opClass != OpClass::Variable)
    map_[copy.map + local] = copy.result;
}

/// What is running has been written.
void InlineCopier::leave() {
  const Activation copy = stack_.back();
  if (isRoot()) {
    append(stack_.back(), InstRef(copy.at.value - 1), out_);
    stack_.pop_back();
    return;
  }
  const auto shape = copy.plan->shape;
  if (shape == FunctionPlan::Shape::ReturnsEarly || shape == FunctionPlan::Shape::BranchesOut) {
    writeExitBlocks(copy, copy.plan->exitBlocks);
    emitLabel(copy.rest);
    if (copy.result) writeResult(copy);
  }
  map_.resize(copy.map);
  stack_.pop_back();
  Activation& caller = stack_.back();
  if (shape != FunctionPlan::Shape::Straight) caller.pieceStart = InstRef(caller.at.value - 1);
}

/// What a copy gives, in the block behind it.
void InlineCopier::writeResult(const Activation& copy) {
  if (copy.value) {
    emit(spv::Op::OpLoad, copy.resultType.value, copy.result.value, copy.value.value);
  } else if (copy.plan->returnCount == 0) {
    emit(spv::Op::OpUndef, copy.resultType.value, copy.result.value); // never executed
  }
}

// ---- Names and decorations ----

/// An instruction has 65 535 words at most, so more targets go into more instructions.
void InlineCopier::writeGroup(InstRef i, std::span<const uint32_t> targets) {
  if (std::ranges::equal(targets, module_.inst(i).subspan(2))) return;
  constexpr size_t kMost = 0xFF00;
  rewriter_.replace(
      i, Inst(module_.inst(i).first(2)).words(targets.first(std::min(kMost, targets.size()))));
  for (size_t at = kMost; at < targets.size(); at += kMost)
    rewriter_.insertAfter(i, Inst(module_.inst(i).first(2))
                                 .words(targets.subspan(at, std::min(kMost, targets.size() - at))));
}

void InlineCopier::finish() {
  std::vector<uint32_t>().swap(out_); // the Rewriter has it
  std::sort(copies_.begin(), copies_.end());
  std::sort(gone_.begin(), gone_.end());
  const auto copiesOf = [&](Id id) {
    return std::equal_range(copies_.begin(), copies_.end(), Copy{id, {}},
                            [](const Copy& a, const Copy& b) { return a.of < b.of; });
  };
  const auto isGone = [&](Id id) { return std::binary_search(gone_.begin(), gone_.end(), id); };
  for (InstRef i : module_.globals()) {
    switch (module_.opcode(i)) {
    case spv::Op::OpGroupDecorate: {
      std::vector<uint32_t> targets;
      for (uint32_t n = 2; n < module_.wordCount(i); ++n) {
        const Id id = module_.idAt(i, n);
        if (!isGone(id)) targets.push_back(id.value);
        const auto [first, last] = copiesOf(id);
        for (auto it = first; it != last; ++it) targets.push_back(it->id.value);
      }
      writeGroup(i, targets);
      break;
    }
    case spv::Op::OpName:
    case spv::Op::OpDecorate:
    case spv::Op::OpDecorateId:
    case spv::Op::OpDecorateString: {
      const Id id = module_.idAt(i, 1);
      if (isGone(id)) {
        rewriter_.erase(i);
        break;
      }
      if (!annotations_.has(id, Annotations::Copied)) break;
      const auto [first, last] = copiesOf(id);
      for (auto it = first; it != last; ++it)
        rewriter_.insertAfter(i, Inst(module_.inst(i)).set(1, it->id.value));
      break;
    }
    default:
      break;
    }
  }
}

} // namespace lanewise
