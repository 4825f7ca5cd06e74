#include "coarsening/coarsen_check.h"

#include "analysis/barriers/barrier_flow.h"
#include "analysis/control_flow/cfg.h"
#include "analysis/module/barriers.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"
#include "ir/beyond_grammar.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

using Refusal = std::optional<CoarsenRefusal>;

/// Modes that say nothing of how invocations stand together, or that change with the size.
bool isHarmless(spv::ExecutionMode mode) {
  switch (mode) {
  case spv::ExecutionMode::LocalSize:
  case spv::ExecutionMode::LocalSizeId:
  case spv::ExecutionMode::DenormPreserve:
  case spv::ExecutionMode::DenormFlushToZero:
  case spv::ExecutionMode::SignedZeroInfNanPreserve:
  case spv::ExecutionMode::RoundingModeRTE:
  case spv::ExecutionMode::RoundingModeRTZ:
  case spv::ExecutionMode::SubgroupUniformControlFlowKHR:
    return true;
  default:
    constexpr uint32_t kFPFastMathDefault = 6028, kMaximallyReconvergesKHR = 6023;
    return uint32_t(mode) == kFPFastMathDefault || uint32_t(mode) == kMaximallyReconvergesKHR;
  }
}

bool isHarmless(spv::BuiltIn builtIn) {
  return isInvocationId(builtIn) || builtIn == spv::BuiltIn::WorkgroupId ||
         builtIn == spv::BuiltIn::NumWorkgroups || builtIn == spv::BuiltIn::DeviceIndex;
}

Refusal whyNotModes(const Module& module, const EntryPoint& entry) {
  uint32_t sharing = 0;
  for (InstRef i : module.globals()) {
    if (module.opcode(i) == spv::Op::OpEntryPoint &&
        module.word(i, 2) == module.word(entry.inst, 2))
      ++sharing;
    const bool isMode = module.opcode(i) == spv::Op::OpExecutionMode ||
                        module.opcode(i) == spv::Op::OpExecutionModeId;
    if (isMode && module.word(i, 1) == module.word(entry.inst, 2) &&
        !isHarmless(spv::ExecutionMode(module.word(i, 2))))
      return CoarsenRefusal{"execution-mode",
                            "an execution mode of it speaks of how invocations stand together", i};
  }
  if (sharing > 1)
    return CoarsenRefusal{"shared-function", "its function is that of another entry point, too",
                          entry.inst};
  return {};
}

/// The size in force is that of all entry points where a constant is decorated with it.
Refusal whyNotSize(Analyses& analyses, const EntryPoint& entry) {
  const Module& module = analyses.module();
  if (!entry.workgroupSize || !entry.workgroupSize->isLiteral)
    return CoarsenRefusal{"workgroup-size",
                          "its size is a specialization constant; fix it with "
                          "--set-spec-const-default-value and --freeze-spec-const",
                          {}};
  uint32_t constants = 0, entries = 0;
  for (InstRef i : module.globals()) {
    entries += module.opcode(i) == spv::Op::OpEntryPoint ? 1 : 0;
    if (module.opcode(i) == spv::Op::OpDecorate &&
        spv::Decoration(module.word(i, 2)) == spv::Decoration::BuiltIn &&
        spv::BuiltIn(module.word(i, 3)) == spv::BuiltIn::WorkgroupSize) {
      const InstRef def = module.def(module.idAt(i, 1));
      const OpClass opClass = def ? module.facts(def).opClass : OpClass::Unknown;
      if (opClass != OpClass::Constant)
        return CoarsenRefusal{"workgroup-size", "WorkgroupSize is decorated in another way", i};
      ++constants;
    }
  }
  if (constants > 1 || (constants == 1 && entries > 1))
    return CoarsenRefusal{"workgroup-size", "several entry points share its size", {}};
  return {};
}

Refusal whyNotInputs(Analyses& analyses, const EntryPoint& entry, const InvocationIds& ids) {
  const Module& module = analyses.module();
  const Types& types = analyses.get<Types>();
  for (Id v : entry.variables) {
    if (types.storageOf(v) != spv::StorageClass::Input) continue;
    const auto builtIn = analyses.get<Decorations>().builtIn(module, v);
    if (!builtIn || !isHarmless(*builtIn))
      return CoarsenRefusal{"subgroup-built-in",
                            "it reads a built-in that depends on how invocations form subgroups, "
                            "or one that is not followed",
                            module.def(v)};
    const TypeInfo& all = types.info(types.pointee(v));
    const TypeInfo& one = all.kind == TypeInfo::Kind::Vector ? types.info(all.element) : all;
    if (isInvocationId(*builtIn) && (one.kind != TypeInfo::Kind::Int || one.width != 32))
      return CoarsenRefusal{"built-in-use", "an invocation's id has a type that is not followed",
                            module.def(v)};
  }
  if (ids.otherUse())
    return CoarsenRefusal{
        "built-in-use", "an invocation's id is read in a way that is not followed", ids.otherUse()};
  return {};
}

Refusal whyNotBarrier(Analyses& analyses, InstRef i) {
  const Barrier b = readBarrier(analyses, i);
  const bool orders = (b.semantics & kOrderBits) != 0;
  if (!b.isKnown || (b.isControl && b.execution != spv::Scope::Workgroup) ||
      (orders && rankOf(b.memory) < kWorkgroupRank))
    return CoarsenRefusal{"barrier-scope", "a barrier is not one of the whole workgroup", i};
  if (b.isControl && !uniformityOf(analyses).isUniform(analyses.module().blockOf(i)))
    return CoarsenRefusal{kDivergentBarrier,
                          "a barrier is not proved to be reached by all invocations together", i};
  return {};
}

Refusal whyNotInstruction(Analyses& analyses, InstRef i) {
  const Module& module = analyses.module();
  const OpcodeFacts& facts = module.facts(i);
  const spv::Op op = facts.opcode;
  if (op == spv::Op::OpFunctionCall)
    return CoarsenRefusal{"call", "a call is left; run --inline first", i};
  if (facts.opClass == OpClass::Terminator)
    return op == spv::Op::OpBranch || op == spv::Op::OpBranchConditional ||
                   op == spv::Op::OpSwitch || op == spv::Op::OpReturn ||
                   op == spv::Op::OpUnreachable
               ? Refusal{}
               : CoarsenRefusal{"terminator", "an invocation is ended in another way", i};
  if (isBarrier(op)) return whyNotBarrier(analyses, i);
  const bool isCode = facts.opClass == OpClass::Value || facts.opClass == OpClass::Unknown;
  if (isCode && (module.isUnread(i) || has(module.effects(i), Effect::Barrier)))
    return CoarsenRefusal{
        "unknown-effects",
        formatText("nobody has written down what {} does",
                   op == spv::Op::OpExtInst ? nameOfUnknown(module, i) : std::string(facts.name)),
        i};
  if (isSubgroupOperation(module, i))
    return CoarsenRefusal{"subgroup-operation",
                          formatText("{} depends on which invocations form a subgroup", facts.name),
                          i};
  return {};
}

/// Of a construct that stands once for each copy: one way in, one way out. So its merge block is no
/// loop's header, which what goes back leads to as well.
Refusal whyNotConstruct(Analyses& analyses, const ConstructNesting& nesting,
                        const CopyVariance& variance, const Construct& c) {
  const Module& module = analyses.module();
  const Cfg& cfg = analyses.get<Cfg>();
  const CoarsenRefusal refusal{"unstructured",
                               "a construct that the invocations pass in different ways has "
                               "another way in or out",
                               module.terminator(c.header)};
  if (!c.merge || !nesting.isOrdered(c.merge) || cfg.constructAt(c.merge) == &c) return refusal;
  for (BlockRef p : cfg.predecessors(c.merge))
    if (p != c.header && !variance.isInside(p, c.header)) return refusal;
  return {};
}

} // namespace

std::optional<CoarsenRefusal> whyNotCoarsened(Analyses& analyses, const EntryPoint& entry,
                                              const InvocationIds& ids,
                                              const MemoryEffects& effects) {
  const Module& module = analyses.module();
  if (entry.model != spv::ExecutionModel::GLCompute || !entry.function)
    return CoarsenRefusal{"execution-model", "it is no compute shader", entry.inst};
  if (Refusal why = whyNotModes(module, entry)) return why;
  if (Refusal why = whyNotSize(analyses, entry)) return why;
  if (Refusal why = whyNotInputs(analyses, entry, ids)) return why;
  const uint32_t first = module.firstBlock(entry.function).value;
  for (uint32_t b = first; b < first + module.blockCount(entry.function); ++b)
    for (InstRef i : module.blockInsts(BlockRef(b)))
      if (Refusal why = whyNotInstruction(analyses, i)) return why;
  for (const MemoryAccess& a : effects.in(module.functionInsts(entry.function)))
    if (a.signalReach == kSubgroupRank)
      return CoarsenRefusal{"subgroup-scope",
                            "an access is meant for the invocations of its subgroup alone", a.inst};
  return {};
}

std::optional<CoarsenRefusal> whyNotBy(const EntryPoint& entry, const CoarseningFactors& factors) {
  const std::array<uint32_t, 3>& size = entry.workgroupSize->size;
  for (uint32_t d = 0; d < 3; ++d)
    if (size[d] % factors.merged[d] != 0)
      return CoarsenRefusal{"not-divisible",
                            formatText("its size along {} is {}, which {} does not divide",
                                       "xyz"[d], size[d], factors.merged[d]),
                            {}};
  if (uint64_t(factors.merged[0]) * factors.merged[1] * factors.merged[2] > kMaxCopies)
    return CoarsenRefusal{
        "too-many", formatText("no more than {} invocations become one", kMaxCopies), {}};
  return {};
}

std::optional<CoarsenRefusal> whyNotSplit(Analyses& analyses, const EntryPoint& entry,
                                          const ConstructNesting& nesting,
                                          const CopyVariance& variance) {
  const Module& module = analyses.module();
  if (variance.unknownPointer())
    return CoarsenRefusal{"pointer", "a pointer leads to variables that are not followed",
                          variance.unknownPointer()};
  const uint32_t first = module.firstBlock(entry.function).value;
  for (uint32_t n = 0; n < module.blockCount(entry.function); ++n) {
    const BlockRef b(first + n);
    if (!nesting.isOrdered(b))
      return CoarsenRefusal{"unreached", "code that is never reached is left; run --simplifycfg",
                            module.terminator(b)};
    if (!variance.isInSplit(b)) continue;
    for (InstRef i : module.blockInsts(b))
      if (module.opcode(i) == spv::Op::OpControlBarrier)
        return CoarsenRefusal{kDivergentBarrier,
                              "a barrier stands where invocations go different ways", i};
  }
  if (variance.obstacle() == CopyVariance::Obstacle::Unstructured)
    return CoarsenRefusal{"unstructured", "a branch is not one of structured control flow",
                          variance.obstaclePlace()};
  if (variance.obstacle() == CopyVariance::Obstacle::Return)
    return CoarsenRefusal{kEarlyReturn, "some invocations return early", variance.obstaclePlace()};
  for (const Construct& c : analyses.get<Cfg>().constructs())
    if (module.functionOf(c.header) == entry.function && variance.isOutermostSplit(c.header))
      if (Refusal why = whyNotConstruct(analyses, nesting, variance, c)) return why;
  return {};
}

} // namespace lanewise
