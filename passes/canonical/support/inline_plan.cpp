#include "canonical/support/inline_plan.h"

#include "analysis/module/types.h"

#include <algorithm>

namespace lanewise {
namespace {

constexpr CallRefusal kNoBody{"import", "the function has no body"};
constexpr CallRefusal kRecursion{"recursion", "the function calls itself"};
constexpr CallRefusal kDontInline{"dont-inline", "the function says DontInline"};
constexpr CallRefusal kLoopReturn{"early-return-in-loop",
                                  "the function returns from inside a loop or switch, "
                                  "which something behind it does not allow"};
constexpr CallRefusal kContinue{
    "termination-in-continue",
    "the call is in a continue construct, and the function does not always return"};
constexpr CallRefusal kUnreached{"unreached-call", "nothing reaches the call"};
constexpr CallRefusal kLoopHeader{"branching-loop-header",
                                  "the call is in a loop header that itself selects"};
constexpr CallRefusal kQualified{
    "qualified-parameter",
    "a parameter is Coherent, Volatile or NonUniform, and its argument is not"};
constexpr CallRefusal kPointer{"returned-pointer",
                               "the function returns one of several pointers or opaque values"};
constexpr CallRefusal kPointerPhi{
    "pointer-phi", "a pointer is chosen behind what the function returns from, and none of them "
                   "would be for who has returned"};
constexpr CallRefusal kLaidOut{
    "laid-out-result",
    "the function returns early what has an explicit layout, which no variable may hold"};
constexpr CallRefusal kDepth{"nesting", "selections would nest too deep behind early returns"};
constexpr CallRefusal kGrowth{"growth", "the module would become too large"};
constexpr CallRefusal kIdBound{"id-bound", "the module would have too many ids"};

constexpr CallRefusal kNotSmaller{"not-smaller", "the module would become larger"};
constexpr CallRefusal kBreaksOut{"breaking-return",
                                 "the function returns from inside a loop or switch, which "
                                 "compilers inline better themselves"};

/// A function of so many words is no longer than what a call of it takes.
constexpr uint64_t kWordsOfCall = 24;

/// What a call adds besides the body: branches, labels, phis, lines.
constexpr uint64_t kWordsAround = 24, kIdsAround = 12;

/// Constructs around one another that early returns add; SPIR-V allows 1023 in all.
constexpr uint32_t kMaxExitDepth = 200;

/// FunctionControl OptNoneEXT, newer than the headers of 2023.
constexpr uint32_t kOptNone = 0x10000;

bool isBranch(spv::Op op) {
  return op == spv::Op::OpBranch || op == spv::Op::OpBranchConditional || op == spv::Op::OpSwitch;
}

/// What other invocations may access.
bool isSharedStorage(spv::StorageClass storage) {
  switch (storage) {
  case spv::StorageClass::Workgroup:
  case spv::StorageClass::StorageBuffer:
  case spv::StorageClass::PhysicalStorageBuffer:
  case spv::StorageClass::Uniform: // with BufferBlock
    return true;
  default:
    return false;
  }
}

/// Whether values of the type can go through phis.
bool isOpaqueOrPointer(const Module& module, Id type) {
  switch (module.opcodeOf(type)) {
  case spv::Op::OpTypeVoid:
  case spv::Op::OpTypeBool:
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
  case spv::Op::OpTypeVector:
  case spv::Op::OpTypeMatrix:
    return false;
  case spv::Op::OpTypeArray:
    return isOpaqueOrPointer(module, module.idAt(module.def(type), 2));
  case spv::Op::OpTypeStruct: {
    const InstRef d = module.def(type);
    for (uint32_t n = 2; n < module.wordCount(d); ++n)
      if (isOpaqueOrPointer(module, module.idAt(d, n))) return true;
    return false;
  }
  default:
    return true;
  }
}

/// Whether something of the type has an offset or a stride.
bool isLaidOut(const Types& types, Id type) {
  const TypeInfo& info = types.info(type);
  switch (info.kind) {
  case TypeInfo::Kind::Array:
    return types.arrayStride(type) || isLaidOut(types, info.element);
  case TypeInfo::Kind::Struct:
    for (uint32_t n = 0; n < info.count; ++n)
      if (types.offset(type, n) || isLaidOut(types, types.member(type, n))) return true;
    return false;
  default:
    return false;
  }
}

bool endsInSwitch(const Module& module, BlockRef block) {
  return block && module.opcode(module.terminator(block)) == spv::Op::OpSwitch;
}

} // namespace

// ---- Annotations ----

Annotations::Annotations(const Module& module) : flags_(module.idBound()) {
  for (InstRef i : module.globals()) {
    switch (module.opcode(i)) {
    case spv::Op::OpName: {
      // Names of variables are what people look for; others would only make the module longer.
      const InstRef d = module.def(module.idAt(i, 1));
      if (d && module.facts(d).opClass == OpClass::Variable) flags_[module.word(i, 1)] |= Copied;
      break;
    }
    case spv::Op::OpDecorate:
    case spv::Op::OpDecorateId:
    case spv::Op::OpDecorateString: {
      uint8_t& flags = flags_[module.word(i, 1)];
      flags |= Copied | Decorated;
      const auto decoration = spv::Decoration(module.word(i, 2));
      if (decoration == spv::Decoration::Coherent) flags |= Coherent;
      if (decoration == spv::Decoration::Volatile) flags |= Volatile;
      if (decoration == spv::Decoration::NonUniform) flags |= NonUniform;
      break;
    }
    case spv::Op::OpGroupDecorate: // behind the decorations of the group
      for (uint32_t n = 2; n < module.wordCount(i); ++n)
        flags_[module.word(i, n)] |= flags_[module.word(i, 1)] | Copied | Decorated;
      break;
    default:
      break;
    }
  }
}

// ---- Planning ----

InlinePlan::InlinePlan(Analyses& analyses, const Annotations& annotations, InlineLimits limits)
    : analyses_(analyses), module_(analyses.module()), annotations_(annotations), limits_(limits),
      index_(module_.functionCount() + 1), state_(module_.functionCount() + 1), plans_(1),
      local_(module_.idBound()), split_(module_.blockCount() + 1), splits_(1), exits_(1) {
  plans_.reserve(module_.functionCount() + 1);
  if (limits.mode == InlineMode::Small) countCalls();
}

void InlinePlan::countCalls() {
  calls_.resize(module_.functionCount() + 1);
  for (uint32_t f = 1; f <= module_.functionCount(); ++f)
    for (InstRef i : module_.functionInsts(FunctionRef(f)))
      if (module_.opcode(i) == spv::Op::OpFunctionCall)
        ++calls_[module_.functionOfId(module_.idAt(i, 3)).value];
}

/// Whether lanes meet here.
bool InlinePlan::isShared(InstRef i) const {
  const spv::Op op = module_.opcode(i);
  if (op == spv::Op::OpControlBarrier || op == spv::Op::OpMemoryBarrier) return true;
  const Types& types = analyses_.get<Types>();
  if (op == spv::Op::OpFunctionParameter) {
    const auto storage = types.storageOf(module_.resultId(i));
    return storage && isSharedStorage(*storage);
  }
  bool isAny = false;
  module_.forEachIdOperand(i, [&](uint32_t, Id id) {
    isAny = isAny || types.storageOf(id) == spv::StorageClass::Workgroup;
  });
  return isAny;
}

const ConstructNesting& InlinePlan::nesting() {
  if (!nesting_) nesting_.emplace(module_, analyses_.get<Cfg>());
  return *nesting_;
}

void InlinePlan::add(FunctionRef root) {
  struct Frame {
    FunctionRef function;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  const auto enter = [&](FunctionRef f) {
    state_[f.value] = State::Active;
    index_[f.value] = uint32_t(plans_.size());
    plans_.emplace_back().function = f;
    collect(plans_.back());
    stack.push_back({f});
  };
  if (state_[root.value] == State::Unseen) enter(root);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    FunctionPlan& plan = of(frame.function);
    if (frame.next == plan.calls.size()) {
      finish(plan);
      state_[frame.function.value] = State::Done;
      stack.pop_back();
      continue;
    }
    CallSite& call = plan.calls[frame.next++];
    if (!call.callee || module_.blockCount(call.callee) == 0)
      call.refusal = &kNoBody;
    else if (state_[call.callee.value] == State::Active)
      call.refusal = &kRecursion;
    else if (state_[call.callee.value] == State::Unseen)
      enter(call.callee);
  }
}

bool InlinePlan::reserve(FunctionPlan& root) {
  if (root.inlinedCalls == 0) return false;
  if (root.words > limits_.words) root.whyAsItWas = &kGrowth;
  if (root.newIds > limits_.newIds) root.whyAsItWas = &kIdBound;
  if (root.whyAsItWas) return false;
  limits_.words -= root.words;
  limits_.newIds -= root.newIds;
  return true;
}

void InlinePlan::collect(FunctionPlan& plan) {
  const InstRange insts = module_.functionInsts(plan.function);
  plan.ids.emplace_back(); // local numbers begin with 1
  plan.words = module_.wordOffset(insts.last) - module_.wordOffset(insts.first);
  for (InstRef i : insts) collectInst(plan, i);
}

void InlinePlan::collectInst(FunctionPlan& plan, InstRef i) {
  const OpcodeFacts& facts = module_.facts(i);
  if (facts.opcode == spv::Op::OpFunction) return;
  if (facts.hasResult) {
    const Id id = module_.idAt(i, 1u + facts.hasResultType);
    local_[id.value] = uint32_t(plan.ids.size());
    const bool isVoid = module_.opcodeOf(module_.resultType(i)) == spv::Op::OpTypeVoid;
    if (!isVoid && annotations_.has(id, Annotations::Copied))
      plan.annotated.push_back(uint32_t(plan.ids.size()));
    plan.ids.push_back(id);
  }
  if (limits_.mode == InlineMode::Profitable) plan.isShared = plan.isShared || isShared(i);
  switch (facts.opcode) {
  case spv::Op::OpFunctionParameter:
    ++plan.parameterCount;
    break;
  case spv::Op::OpLabel:
    if (!plan.firstLabel) plan.firstLabel = i;
    break;
  case spv::Op::OpFunctionCall:
    plan.calls.push_back({i, module_.functionOfId(module_.idAt(i, 3))});
    break;
  case spv::Op::OpSampledImage:
    plan.hasSampledImages = true;
    break;
  default:
    if (facts.opClass != OpClass::Terminator) break;
    if (isReturn(facts.opcode))
      plan.onlyReturn = plan.returnCount++ == 0 ? i : InstRef();
    else if (!isBranch(facts.opcode))
      plan.mayTerminate = true;
  }
}

/// All callees are planned by now, except those that called us.
void InlinePlan::finish(FunctionPlan& plan) {
  plan.newIds = plan.ids.size() + kIdsAround;
  const auto control =
      spv::FunctionControlMask(module_.word(module_.functionInsts(plan.function).first, 3));
  const bool forbids =
      uint32_t(control) & (uint32_t(spv::FunctionControlMask::DontInline) | kOptNone);
  if (forbids) plan.whyNot = &kDontInline;
  if (plan.returnCount == 0) plan.mayTerminate = true;
  for (CallSite& call : plan.calls) {
    if (call.callee) plan.isShared = plan.isShared || of(call.callee).isShared;
    if (!call.refusal) call.refusal = whyNotInlined(plan, call);
    if (call.refusal) continue;
    const FunctionPlan& callee = of(call.callee);
    ++plan.inlinedCalls;
    plan.words += callee.words + kWordsAround;
    plan.newIds += callee.newIds;
    plan.mayTerminate = plan.mayTerminate || callee.mayTerminate;
    plan.exitDepth = std::max(plan.exitDepth, callee.exitDepth);
    if (callee.shape != FunctionPlan::Shape::Straight) split(plan, call);
  }
  if (module_.blockCount(plan.function) == 0) return;
  decideShape(plan);
}

void InlinePlan::decideShape(FunctionPlan& plan) {
  const BlockRef first = module_.firstBlock(plan.function);
  const uint32_t count = module_.blockCount(plan.function);
  const BlockRef last(first.value + count - 1);
  const bool lastReturns = isReturn(module_.opcode(module_.terminator(last)));
  if (plan.whyNot || plan.returnCount == 0 || count == 1) {
    const bool isWhole = count == 1 && lastReturns;
    plan.shape = !isWhole             ? FunctionPlan::Shape::BranchesOut
                 : split_[last.value] ? FunctionPlan::Shape::FallsOut
                                      : FunctionPlan::Shape::Straight;
    return;
  }
  if (plan.onlyReturn && !nesting().enclosing(module_.blockOf(plan.onlyReturn))) {
    plan.shape = lastReturns ? FunctionPlan::Shape::FallsOut : FunctionPlan::Shape::BranchesOut;
    return;
  }
  plan.shape = FunctionPlan::Shape::ReturnsEarly;
  const Id type = module_.resultType(module_.functionInsts(plan.function).first);
  // From SPIR-V 1.5 on (VUID-StandaloneSpirv-None-10684).
  const bool forbidsLayout = module_.version() >= 0x00010500;
  if (isOpaqueOrPointer(module_, type))
    plan.whyNot = &kPointer;
  else if (forbidsLayout && isLaidOut(analyses_.get<Types>(), type))
    plan.whyNot = &kLaidOut;
  if (plan.whyNot) return;
  if (plan.exitDepth >= kMaxExitDepth) {
    plan.whyNot = &kDepth;
  } else if (const auto exits = collectEarlyExits(module_, analyses_.get<Cfg>(), nesting(),
                                                  plan.function, kMaxExitDepth - plan.exitDepth)) {
    if (choosesPointer(*exits))
      plan.whyNot = &kPointerPhi;
    else
      planExits(plan, *exits);
  } else {
    plan.whyNot = &kLoopReturn;
  }
}

/// Who comes from a return to a merge block brings no value for its phis, and there is no undefined
/// pointer (SPIR-V 2.16.1).
bool InlinePlan::choosesPointer(const EarlyExits& exits) const {
  const auto isChoice = [&](InstRef i) {
    return module_.opcode(i) == spv::Op::OpPhi && isOpaqueOrPointer(module_, module_.resultType(i));
  };
  return std::ranges::any_of(exits.targets, [&](const ExitTarget& target) {
    if (!target.merge) return false;
    const InstRange insts = module_.blockInsts(target.merge);
    return std::any_of(insts.begin(), insts.end(), isChoice);
  });
}

/// Labels that a function gets; those of calls are planned by now.
void InlinePlan::planExits(FunctionPlan& plan, const EarlyExits& exits) {
  std::vector<uint32_t> labels(exits.targets.size());
  bool isOutTaken = false;
  uint32_t depth = exits.isWrapped ? 1 : 0;
  plan.isWrapped = plan.breaksOut = exits.isWrapped;
  for (uint32_t t = 1; t < exits.targets.size(); ++t) {
    const ExitTarget& target = exits.targets[t];
    depth = std::max(depth, target.depth);
    plan.breaksOut = plan.breaksOut || target.merge || endsInSwitch(module_, target.header);
    plan.words += kWordsAround;
    plan.newIds += kIdsAround;
    if (target.merge) {
      labels[t] = localOf(module_.labelId(target.merge));
      BlockSplit& parts = splitAt(target.merge);
      parts.exit = uint32_t(exits_.size());
      exits_.emplace_back().stay = newLabel(plan);
      plan.hasFlag = plan.hasFlag || !target.isOnlyWay;
    } else {
      // The outermost is the block behind the copy.
      if (target.outer || isOutTaken) labels[t] = newLabel(plan);
      isOutTaken = isOutTaken || !target.outer;
    }
  }
  plan.exitDepth += depth;
  // Each block has its last piece by now.
  for (uint32_t t = 0; t < exits.targets.size(); ++t) planExit(plan, exits, t, labels);
  for (auto t = uint32_t(exits.targets.size() - 1); t > 0; --t) { // inner ones first
    const ExitTarget& target = exits.targets[t];
    if (target.merge || !labels[t]) continue;
    auto& blocks = target.before ? exits_[splitAt(exits.targets[target.before].merge).exit].before
                                 : plan.exitBlocks;
    blocks.push_back({labels[t], labels[target.outer]});
  }
  for (const ExitDetour& detour : exits.detours) {
    BlockSplit& parts = splitAt(detour.from);
    parts.detourOf = detour.merge;
    parts.detour = labels[detour.to];
  }
}

void InlinePlan::planExit(FunctionPlan& plan, const EarlyExits& exits, uint32_t t,
                          const std::vector<uint32_t>& labels) {
  const ExitTarget& target = exits.targets[t];
  plan.words += target.returns.size() * kWordsAround;
  for (BlockRef b : target.returns) {
    BlockSplit& parts = splitAt(b);
    parts.returnTo = labels[t];
    parts.setsFlag = target.needsFlag;
  }
  if (target.header) {
    BlockSplit& parts = splitAt(target.header);
    parts.endsAnew = true;
    parts.merge = labels[t];
  }
  if (!target.merge) return;
  ExitPlan& made = exits_[splitAt(target.merge).exit];
  made.outer = labels[target.outer];
  made.isOnlyWay = target.isOnlyWay;
  made.selectsRest = target.rest != 0;
  for (BlockRef b : target.returns) {
    const uint32_t piece = lastPiece(b, false);
    made.ways.push_back(piece ? piece : localOf(module_.labelId(b)));
  }
  for (uint32_t inner : target.inner) made.ways.push_back(labels[inner]);
}

const CallRefusal* InlinePlan::whyNotInlined(const FunctionPlan& caller, const CallSite& call) {
  const FunctionPlan& callee = of(call.callee);
  if (callee.whyNot) return callee.whyNot;
  if (limits_.mode == InlineMode::Profitable && callee.breaksOut && !callee.isShared)
    return &kBreaksOut;
  if (limits_.mode == InlineMode::Small && calls_[call.callee.value] > 1 &&
      callee.words > kWordsOfCall)
    return &kNotSmaller;
  if (caller.words + callee.words + kWordsAround > limits_.words) return &kGrowth;
  if (caller.newIds + callee.newIds > limits_.newIds) return &kIdBound;
  const BlockRef block = module_.blockOf(call.inst);
  if (callee.shape != FunctionPlan::Shape::Straight) {
    // Pieces of a block that nothing reaches would stand in no construct.
    if (!analyses_.get<Cfg>().isReachable(block)) return &kUnreached;
    if (!canSplit(block)) return &kLoopHeader;
  }
  if (callee.mayTerminate && nesting().isInContinue(block)) return &kContinue;
  return whyArgumentsForbid(call, callee);
}

/// What a parameter says of accesses through it must be said of the argument, too.
const CallRefusal* InlinePlan::whyArgumentsForbid(const CallSite& call,
                                                  const FunctionPlan& callee) const {
  constexpr uint8_t kQualifiers =
      Annotations::Coherent | Annotations::Volatile | Annotations::NonUniform;
  for (uint32_t p = 1; p <= callee.parameterCount; ++p) {
    const uint8_t asked = annotations_.of(callee.ids[p]) & kQualifiers;
    if (!asked) continue;
    const Id argument = module_.idAt(call.inst, 3 + p);
    uint8_t given = annotations_.of(argument);
    for (InstRef d = module_.def(argument); d && isAccessChain(module_.opcode(d));) {
      d = module_.def(module_.idAt(d, 3));
      given |= annotations_.of(module_.resultId(d)) & uint8_t(~Annotations::NonUniform);
    }
    if (asked & ~given) return &kQualified;
  }
  return nullptr;
}

/// A loop header keeps its phis and OpLoopMerge and goes on to the rest of it, whose branch must do
/// without the merge instruction: it may leave the loop, but not select within.
bool InlinePlan::canSplit(BlockRef b) const {
  const InstRef merge = module_.mergeInst(b);
  if (!merge || module_.opcode(merge) != spv::Op::OpLoopMerge) return true;
  const InstRef terminator = module_.terminator(b);
  if (module_.opcode(terminator) == spv::Op::OpBranch) return true;
  if (module_.opcode(terminator) != spv::Op::OpBranchConditional) return false;
  const auto leaves = [&](uint32_t n) {
    const Id target = module_.idAt(terminator, n);
    return target == module_.idAt(merge, 1) || target == module_.idAt(merge, 2);
  };
  return leaves(2) || leaves(3);
}

uint32_t InlinePlan::newLabel(FunctionPlan& plan) {
  plan.ids.emplace_back();
  ++plan.newIds;
  return uint32_t(plan.ids.size() - 1);
}

BlockSplit& InlinePlan::splitAt(BlockRef b) {
  if (!split_[b.value]) {
    split_[b.value] = uint32_t(splits_.size());
    splits_.emplace_back();
  }
  return splits_[split_[b.value]];
}

/// Returns leave a root as they did: only calls split its blocks.
uint32_t InlinePlan::lastPiece(BlockRef b, bool isRoot) const {
  const BlockSplit* parts = splitOf(b);
  if (!parts) return 0;
  return parts->last || isRoot || !parts->exit ? parts->last : exits_[parts->exit].stay;
}

void InlinePlan::split(FunctionPlan& plan, CallSite& call) {
  const BlockRef b = module_.blockOf(call.inst);
  BlockSplit& parts = splitAt(b);
  const InstRef merge = module_.mergeInst(b);
  if (!parts.last && merge && module_.opcode(merge) == spv::Op::OpLoopMerge) {
    parts.body = newLabel(plan);
    if (module_.idAt(merge, 2) == module_.labelId(b)) parts.tail = newLabel(plan);
  }
  call.rest = newLabel(plan);
  parts.last = parts.tail ? parts.tail : call.rest;
}

const std::vector<uint32_t>& InlinePlan::localWordsOf(FunctionPlan& plan) {
  if (plan.hasLocalWords) return plan.localWords;
  plan.hasLocalWords = true;
  const InstRange insts = module_.functionInsts(plan.function);
  for (InstRef i(plan.firstLabel); i < insts.last; ++i.value) {
    const auto at = uint32_t(module_.wordOffset(i));
    const OpcodeFacts& facts = module_.facts(i);
    if (facts.hasResult) plan.localWords.push_back(at + 1u + facts.hasResultType);
    module_.forEachIdOperand(i, [&](uint32_t n, Id id) {
      if (localOf(id)) plan.localWords.push_back(at + n);
    });
  }
  return plan.localWords;
}

} // namespace lanewise
