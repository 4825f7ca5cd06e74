// --globaldce
//
// What         Removes functions that no entry point and no export reaches, and then what nothing
//              that stays uses among the globals: Private and Workgroup variables, constants,
//              types, strings, imports of extended instructions; with the names and decorations of
//              all that went.
// Legal when   Nothing that can be executed, and nothing that a host sees, names it. The interface
//              stays: variables of every other storage class, constants with a decoration (SpecId,
//              BuiltIn WorkgroupSize), execution modes, capabilities and extensions.
// Before       %unused = OpFunction ... OpFunctionEnd
//              %scratch = OpVariable %_ptr_Private_float Private
// After        (nothing)
// Not handled  Variables that are only stored to. Debug information of what went stays, with
//              DebugInfoNone in the place of a function or variable. Everything of an instruction
//              that is none of the above counts as used.
// Reference    SPIR-V specification, 2.4 (logical layout); LLVM's GlobalDCE.
#include "ir/rewriter.h"
#include "pass.h"

#include <algorithm>
#include <vector>

namespace lanewise {

namespace {

// Data.

constexpr uint32_t kDebugInfoNone = 0; ///< of every set of debug information

/// An annotation that names more than its target.
struct IdDecoration {
  Id target;
  InstRef inst;
  auto operator<=>(const IdDecoration&) const = default;
};

// Predicates.

bool isDebugInfo(const Module& module, InstRef i) {
  return isExtInst(module.opcode(i)) && isDebugSet(module.extInstSet(module.idAt(i, 3)));
}

bool isDebugInfoNone(const Module& module, InstRef i) {
  return isDebugInfo(module, i) && module.word(i, 4) == kDebugInfoNone;
}

/// Variables that no host and no other stage sees.
bool isPrivateToModule(const Module& module, InstRef variable) {
  const auto storage = spv::StorageClass(module.word(variable, 3));
  return storage == spv::StorageClass::Private || storage == spv::StorageClass::Workgroup;
}

/// True for declarations that may go when nothing uses them; false keeps one and all it names.
bool isRemovable(const Module& module, InstRef i) {
  switch (module.facts(i).opClass) {
  case OpClass::Type:
  case OpClass::Constant:
    return true;
  case OpClass::Variable:
    return isPrivateToModule(module, i);
  default:
    break;
  }
  switch (module.opcode(i)) {
  case spv::Op::OpString:
  case spv::Op::OpDecorationGroup:
    return true;
  case spv::Op::OpExtInstImport:
    return !isNonSemanticSet(module.extInstSet(module.resultId(i)));
  default:
    return false;
  }
}

/// Names and decorations: they go with their target and keep nothing but what they add to it.
bool isAboutTarget(const Module& module, InstRef i) {
  const spv::Op op = module.opcode(i);
  if (op == spv::Op::OpName || op == spv::Op::OpMemberName) return true;
  const OpcodeFacts& facts = module.facts(i);
  return facts.opClass == OpClass::Annotation && !facts.hasResult;
}

/// A function with the lines in front of it.
InstRange withLines(const Module& module, FunctionRef f) {
  InstRange insts = module.functionInsts(f);
  while (insts.first.value > 1 &&
         module.facts(InstRef(insts.first.value - 1)).opClass == OpClass::Line)
    --insts.first.value;
  return insts;
}

// Collect.

/// What something that stays uses. Linear: every instruction is looked at once.
class Liveness {
public:
  explicit Liveness(const Module& module)
      : module_(module), state_(module.idBound(), State::Unused), flags_(module.idBound()) {
    collectAnnotations();
    collectRoots();
    while (!work_.empty()) {
      const InstRef i = work_.back();
      work_.pop_back();
      if (module_.opcode(i) == spv::Op::OpFunction)
        markFunction(module_.functionOfId(module_.resultId(i)));
      else
        markOperands(i);
    }
    for (uint32_t f = 1; f <= module_.functionCount(); ++f)
      if (isGone(module_.functionId(FunctionRef(f)))) loseFunction(FunctionRef(f));
  }

  /// False for an id that nothing defines.
  bool isGone(Id id) const {
    const InstRef d = module_.def(id);
    if (!d) return false;
    return state_[id.value] == State::Gone ||
           (state_[id.value] == State::Unused && isGlobalOrFunction(d));
  }

private:
  enum class State : uint8_t {
    Unused,
    Used,
    Gone ///< in a function that goes
  };
  enum Flag : uint8_t {
    Decorated = 1,
    Exported = 2,
    NeedsOthers = 4 ///< idDecorations_ has some of it
  };

  bool isGlobalOrFunction(InstRef i) const {
    return i < module_.globals().last || module_.opcode(i) == spv::Op::OpFunction;
  }
  void mark(Id id) {
    if (state_[id.value] == State::Unused) markNew(id); // most operands have been seen
  }
  void markNew(Id id);
  void markOperands(InstRef i) {
    const bool describes = i < module_.globals().last && isDebugInfo(module_, i);
    module_.forEachIdOperand(i, [&](uint32_t, Id id) {
      if (!describes || !isReplaceable(id)) mark(id);
    });
  }
  /// What debug information may name without keeping it.
  bool isReplaceable(Id id) const {
    const InstRef d = module_.def(id);
    if (!d) return false;
    if (module_.opcode(d) == spv::Op::OpFunction) return true;
    return module_.facts(d).opClass == OpClass::Variable && isRemovable(module_, d);
  }
  void collectAnnotations();
  void collectAnnotation(InstRef i);
  void markIdDecorations(Id target);
  bool isRoot(InstRef global) const;
  void collectRoots();
  void markFunction(FunctionRef f);
  void loseFunction(FunctionRef f);

  const Module& module_;
  std::vector<State> state_;                ///< by Id
  std::vector<uint8_t> flags_;              ///< by Id: Flag
  std::vector<IdDecoration> idDecorations_; ///< sorted
  std::vector<InstRef> work_;
};

void Liveness::markNew(Id id) {
  state_[id.value] = State::Used;
  if (const InstRef d = module_.def(id); d && isGlobalOrFunction(d)) work_.push_back(d);
  if (flags_[id.value] & NeedsOthers) markIdDecorations(id);
}

void Liveness::collectAnnotation(InstRef i) {
  const auto note = [&](uint32_t n, uint8_t flags) {
    flags_[module_.word(i, n)] |= flags;
    if (flags & NeedsOthers) idDecorations_.push_back({module_.idAt(i, n), i});
  };
  switch (module_.opcode(i)) {
  case spv::Op::OpGroupDecorate:
    for (uint32_t n = 2; n < module_.wordCount(i); ++n)
      note(n, Decorated | NeedsOthers | (flags_[module_.word(i, 1)] & Exported));
    return;
  case spv::Op::OpGroupMemberDecorate:
    for (uint32_t n = 2; n + 1 < module_.wordCount(i); n += 2) note(n, NeedsOthers);
    return;
  case spv::Op::OpDecorate:
    note(1, Decorated);
    // The kind of linkage stands last.
    if (spv::Decoration(module_.word(i, 2)) == spv::Decoration::LinkageAttributes &&
        spv::LinkageType(module_.inst(i).back()) != spv::LinkageType::Import)
      note(1, Exported);
    return;
  case spv::Op::OpMemberDecorate:
    return;
  default:
    note(1, Decorated | NeedsOthers);
  }
}

void Liveness::collectAnnotations() {
  for (InstRef i : module_.globals())
    if (module_.facts(i).opClass == OpClass::Annotation && isAboutTarget(module_, i))
      collectAnnotation(i);
  std::sort(idDecorations_.begin(), idDecorations_.end());
}

void Liveness::markIdDecorations(Id target) {
  const auto first = std::lower_bound(idDecorations_.begin(), idDecorations_.end(),
                                      IdDecoration{target, InstRef()});
  for (auto it = first; it != idDecorations_.end() && it->target == target; ++it) {
    const spv::Op op = module_.opcode(it->inst);
    if (op == spv::Op::OpGroupDecorate || op == spv::Op::OpGroupMemberDecorate)
      mark(module_.idAt(it->inst, 1)); // the group alone, not its other targets
    else
      markOperands(it->inst);
  }
}

bool Liveness::isRoot(InstRef global) const {
  if (!isRemovable(module_, global)) return true;
  const Id id = module_.resultId(global);
  if (!id) return false; // OpTypeForwardPointer
  // What a decoration says of a type or variable goes with it. That of a constant may be its
  // meaning for a host.
  const bool isConstant = module_.facts(global).opClass == OpClass::Constant;
  return flags_[id.value] & (isConstant ? Decorated | Exported : Exported);
}

void Liveness::collectRoots() {
  for (InstRef i : module_.globals()) {
    if (module_.opcode(i) == spv::Op::OpEntryPoint) {
      mark(module_.idAt(i, 2)); // its interface names variables, but does not use them
      continue;
    }
    if (isAboutTarget(module_, i) || !isRoot(i)) continue;
    if (const Id id = module_.resultId(i))
      mark(id);
    else
      markOperands(i);
  }
  InstRef behind = module_.globals().last;
  for (uint32_t f = 1; f <= module_.functionCount() + 1; ++f) {
    // Between two functions there may be what describes them.
    const bool isEnd = f > module_.functionCount();
    const InstRange function =
        isEnd ? InstRange{module_.insts().last, {}} : module_.functionInsts(FunctionRef(f));
    for (; behind < function.first; ++behind.value) {
      // A line goes with the function behind it; none is behind the last ones.
      if (module_.facts(behind).opClass == OpClass::Line && !isEnd) continue;
      markOperands(behind);
    }
    if (isEnd) break;
    behind = function.last;
    if (const Id id = module_.functionId(FunctionRef(f)); flags_[id.value] & Exported) mark(id);
  }
}

void Liveness::markFunction(FunctionRef f) {
  for (InstRef i : withLines(module_, f))
    module_.forEachIdOperand(i, [this](uint32_t, Id id) { mark(id); });
}

void Liveness::loseFunction(FunctionRef f) {
  for (InstRef i : module_.functionInsts(f))
    if (const Id id = module_.resultId(i); id && i != module_.functionInsts(f).first)
      state_[id.value] = State::Gone;
}

// Rewrite.

class Sweep {
public:
  Sweep(const Module& module, const Liveness& liveness, Rewriter& rewriter)
      : module_(module), liveness_(liveness), rewriter_(rewriter) {}

  void run() {
    for (InstRef i : module_.globals()) sweepGlobal(i);
    for (uint32_t f = 1; f <= module_.functionCount(); ++f)
      if (liveness_.isGone(module_.functionId(FunctionRef(f))))
        rewriter_.replaceRange(withLines(module_, FunctionRef(f)), {});
  }

private:
  void sweepGlobal(InstRef i);
  void sweepIds(InstRef i, uint32_t first, uint32_t stride);
  void sweepDebugInfo(InstRef i);
  Id debugInfoNone(InstRef user);

  const Module& module_;
  const Liveness& liveness_;
  Rewriter& rewriter_;
  Id none_;    ///< DebugInfoNone
  Id noneSet_; ///< and its set
};

void Sweep::sweepGlobal(InstRef i) {
  switch (module_.opcode(i)) {
  case spv::Op::OpEntryPoint:
    sweepIds(i, 4 + uint32_t(module_.stringAt(i, 3).size() / sizeof(uint32_t)), 1);
    return;
  case spv::Op::OpGroupDecorate:
    sweepIds(i, 2, 1);
    return;
  case spv::Op::OpGroupMemberDecorate:
    sweepIds(i, 2, 2);
    return;
  default:
    break;
  }
  const Id id = module_.resultId(i);
  const bool isAbout =
      isAboutTarget(module_, i) || module_.opcode(i) == spv::Op::OpTypeForwardPointer;
  if (liveness_.isGone(isAbout ? module_.idAt(i, 1) : id))
    rewriter_.erase(i);
  else if (isDebugInfo(module_, i))
    sweepDebugInfo(i);
}

/// Takes those out of a list that are gone; a list of decorated things goes with the last.
void Sweep::sweepIds(InstRef i, uint32_t first, uint32_t stride) {
  Inst kept(module_.inst(i).first(first));
  uint32_t left = 0;
  for (uint32_t n = first; n < module_.wordCount(i); n += stride) {
    if (liveness_.isGone(module_.idAt(i, n))) continue;
    kept.words(module_.inst(i).subspan(n, stride));
    left += stride;
  }
  if (first + left == module_.wordCount(i)) return;
  if (left == 0 && module_.opcode(i) != spv::Op::OpEntryPoint)
    rewriter_.erase(i);
  else
    rewriter_.replace(i, std::move(kept));
}

void Sweep::sweepDebugInfo(InstRef i) {
  if (isDebugInfoNone(module_, i) && !none_) {
    none_ = module_.resultId(i);
    noneSet_ = module_.idAt(i, 3);
  }
  module_.forEachIdOperand(i, [&](uint32_t n, Id id) {
    if (liveness_.isGone(id)) rewriter_.setId(i, n, debugInfoNone(i));
  });
}

/// One that stands before `user`.
Id Sweep::debugInfoNone(InstRef user) {
  if (none_ && noneSet_ == module_.idAt(user, 3)) return none_;
  noneSet_ = module_.idAt(user, 3);
  none_ = rewriter_.newId();
  rewriter_.insertBefore(user, Inst(spv::Op::OpExtInst)
                                   .id(module_.resultType(user))
                                   .id(none_)
                                   .id(noneSet_)
                                   .word(kDebugInfoNone));
  return none_;
}

} // namespace

PassResult runGlobaldce(PassContext& context) {
  Rewriter rewriter(context.module);
  {
    const Liveness liveness(context.module);
    Sweep(context.module, liveness, rewriter).run();
  }
  return commitEdits(context, rewriter, PreservedAnalyses::none());
}

} // namespace lanewise
