#include "lint/divergence_cause.h"

#include "analysis/barriers/memory_effects.h"
#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/comparison.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/single_stores.h"
#include "analysis/uniformity/uniformity.h"
#include "text/format_text.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lanewise {
namespace {

/// Values that one search looks at.
constexpr size_t kMaxValues = 1024;

/// How GLSL calls the built-ins that differ among invocations; HLSL's names follow from them.
std::string_view nameOf(spv::BuiltIn builtIn) {
  switch (builtIn) {
  case spv::BuiltIn::LocalInvocationId:
    return "gl_LocalInvocationID (SV_GroupThreadID)";
  case spv::BuiltIn::GlobalInvocationId:
    return "gl_GlobalInvocationID (SV_DispatchThreadID)";
  case spv::BuiltIn::LocalInvocationIndex:
    return "gl_LocalInvocationIndex (SV_GroupIndex)";
  case spv::BuiltIn::SubgroupLocalInvocationId:
    return "gl_SubgroupInvocationID";
  case spv::BuiltIn::SubgroupId:
    return "gl_SubgroupID";
  default:
    return {};
  }
}

} // namespace

DivergenceCauses::DivergenceCauses(LintContext& context, Kernel& kernel)
    : context_(context), kernel_(kernel), analyses_(context.analyses()), module_(context.module()) {
}

std::optional<DivergenceCause> DivergenceCauses::of(Id value) {
  seen_.clear();
  return trace(value);
}

/// A counter of a loop that goes on by steps that all share: invocations that are in one iteration
/// have added the same to it. Any other value is its own start.
DivergenceCauses::Counter DivergenceCauses::counterOf(Id value) {
  const InstRef phi = module_.def(value);
  const Loop* loop = analyses_.get<Loops>().innermost(module_.blockOf(phi));
  if (module_.opcode(phi) != spv::Op::OpPhi || module_.wordCount(phi) != 7 || !loop ||
      loop->header != module_.blockOf(phi))
    return {value, {}};
  const BlockRef first = module_.blockOfLabel(module_.idAt(phi, 4));
  const uint32_t inside = analyses_.get<Loops>().contains(*loop, first) ? 3 : 5;
  const InstRef next = module_.def(module_.idAt(phi, inside));
  const bool isSum = module_.opcode(next) == spv::Op::OpIAdd;
  if (!isSum && module_.opcode(next) != spv::Op::OpISub) return {value, {}};
  const Id a = module_.idAt(next, 3), b = module_.idAt(next, 4);
  const Id step = isSum && b == value ? a : b;
  const bool isCounter =
      (a == value || (isSum && b == value)) && uniformityOf(analyses_).isUniform(step);
  return isCounter ? Counter{module_.idAt(phi, 8 - inside), step} : Counter{value, {}};
}

/// Invocations that make the test together are in the same iteration.
bool DivergenceCauses::isShared(const AffineExpr& e) const {
  return std::all_of(e.terms.begin(), e.terms.end(), [&](const auto& t) {
    return kernel_.affine->term(t.first).kind == AffineTerm::Kind::Induction ||
           kernel_.affine->isWorkgroupUniform(AffineExpr{0, {t}, std::nullopt, false});
  });
}

/// Takes out what differs from invocation to invocation, and gives it back.
AffineExpr DivergenceCauses::takeVarying(AffineExpr& e) const {
  AffineExpr varying;
  for (const auto& t : e.terms)
    if (!isShared(AffineExpr{0, {t}, std::nullopt, false})) varying.terms.push_back(t);
  std::erase_if(e.terms, [&](const auto& t) {
    return std::find(varying.terms.begin(), varying.terms.end(), t) != varying.terms.end();
  });
  return varying;
}

/// Whether a form is a multiple of a power of two that all share.
bool DivergenceCauses::isSharedMultiple(const AffineExpr& e, uint32_t power) const {
  return e.constant % power == 0 && isShared(e) &&
         std::all_of(e.terms.begin(), e.terms.end(),
                     [&](const auto& t) { return t.second % power == 0; });
}

/// The least power of two m for which a form is a multiple of m that all share and a part from 0 up
/// to below m; nothing when it is not known.
std::optional<uint32_t> DivergenceCauses::rowOf(const AffineExpr& e) const {
  AffineExpr shared = e;
  int64_t lo = int32_t(e.constant), hi = lo;
  for (const auto& [term, c] : takeVarying(shared).terms) {
    const auto range = kernel_.affine->termRange(term);
    if (!range) return std::nullopt;
    const auto [least, most] =
        std::minmax({int64_t(int32_t(c)) * range->first, int64_t(int32_t(c)) * range->second});
    lo += least, hi += most;
    if (hi - lo >= INT32_MAX) return std::nullopt;
  }
  const uint32_t m = std::bit_ceil(uint32_t(hi - lo) + 1);
  shared.constant = 0;
  const bool isRow = (lo & ~int64_t(m - 1)) == (hi & ~int64_t(m - 1));
  return isRow && isSharedMultiple(shared, m) ? std::optional(m) : std::nullopt;
}

/// A comparison that gives the same to all, although what is compared differs: of `a + lane` with
/// `b + lane`, which is one of `a` with `b` (the program's sums do not overflow); or of
/// `m * a + lane` with `m * b`, where `lane` is less than the power of two `m`. So do loops stride
/// over a row, and over a range that was rounded to whole strides.
bool DivergenceCauses::comparesShared(Id condition) {
  const InstRef def = module_.def(condition);
  const auto comparison = comparisonOf(module_.opcode(def));
  if (!comparison || analyses_.get<Types>().info(module_.typeOf(module_.idAt(def, 3))).width != 32)
    return false;
  std::array<Counter, 2> sides{counterOf(module_.idAt(def, 3)), counterOf(module_.idAt(def, 4))};
  std::array<AffineExpr, 2> forms{kernel_.affine->of(sides[0].start),
                                  kernel_.affine->of(sides[1].start)};
  {
    auto [left, right] = forms;
    if (takeVarying(left).terms == takeVarying(right).terms) return true;
  }
  auto relation = comparison->relation;
  if (isShared(forms[0])) {
    std::swap(sides[0], sides[1]);
    std::swap(forms[0], forms[1]);
    relation = mirrored(relation);
  }
  if (relation != Relation::Less && relation != Relation::GreaterEqual) return false;
  const auto m = rowOf(forms[0]);
  return m && isSharedMultiple(forms[1], *m) &&
         std::all_of(sides.begin(), sides.end(), [&](const Counter& c) {
           return !c.step || isSharedMultiple(kernel_.affine->of(c.step), *m);
         });
}

/// Uniform, also by what is known of the workgroup size.
bool DivergenceCauses::isKnownUniform(Id value) {
  if (uniformityOf(analyses_).isUniform(value) || comparesShared(value)) return true;
  const TypeInfo& type = analyses_.get<Types>().info(module_.typeOf(value));
  const bool isIndex =
      type.kind == TypeInfo::Kind::Bool || (type.kind == TypeInfo::Kind::Int && type.width <= 32);
  return isIndex && kernel_.affine->isWorkgroupUniform(kernel_.affine->of(value));
}

DivergenceCauses::Cause DivergenceCauses::trace(Id value) {
  const InstRef def = module_.def(value);
  if (!def || seen_.size() >= kMaxValues || !seen_.insert(value).second) return std::nullopt;
  if (!module_.blockOf(def) && module_.opcode(def) != spv::Op::OpFunctionParameter)
    return std::nullopt; // the same for all
  if (isKnownUniform(value)) return std::nullopt;
  return traceDef(def);
}

DivergenceCauses::Cause DivergenceCauses::traceDef(InstRef def) {
  switch (module_.opcode(def)) {
  case spv::Op::OpLoad:
    return traceLoad(def);
  case spv::Op::OpCompositeExtract:
    return traceExtract(def);
  case spv::Op::OpPhi:
    return tracePhi(def);
  case spv::Op::OpFunctionCall:
  case spv::Op::OpUndef:
    return std::nullopt;
  case spv::Op::OpFunctionParameter: {
    const Parameter p = parameterOf(module_, def);
    const InstRef call = onlyCallOf(analyses_, p.function);
    return call ? trace(module_.idAt(call, 4 + p.index)) : std::nullopt;
  }
  case spv::Op::OpGroupNonUniformElect:
    return DivergenceCause{"which lane of the subgroup is elected", {}};
  default:
    break;
  }
  const Effect effects = module_.effects(def);
  if (isAtomic(module_.facts(def))) return traceAtomic(def);
  if (module_.isUnknown(def) || module_.facts(def).opClass != OpClass::Value) return std::nullopt;
  Cause cause = traceOperands(def, 3);
  if (cause && has(effects, Effect::ReadsMemory))
    cause->steps.insert(cause->steps.begin(),
                        context_.noteAt(def, "the value read here depends on " + cause->what));
  return cause;
}

DivergenceCauses::Cause DivergenceCauses::traceOperands(InstRef def, uint32_t firstWord) {
  Cause cause;
  module_.forEachIdOperand(def, [&](uint32_t word, Id id) {
    if (!cause && word >= firstWord) cause = trace(id);
  });
  return cause;
}

DivergenceCauses::Cause DivergenceCauses::traceLoad(InstRef load) {
  const Id pointer = module_.idAt(load, 3);
  const PointerOrigin origin = originOf(analyses_, pointer);
  const auto storage = analyses_.get<Types>().storageOf(pointer);
  if (!origin.variable || !storage) return std::nullopt;
  switch (*storage) {
  case spv::StorageClass::Input:
    return traceBuiltIn(load, origin.variable);
  case spv::StorageClass::Function:
  case spv::StorageClass::Private: {
    const Id stored = SingleStores(analyses_).valueAt(origin.variable, load);
    return stored ? trace(stored) : std::nullopt;
  }
  default:
    return traceAddress(load, origin.indices, origin.variable);
  }
}

DivergenceCauses::Cause DivergenceCauses::traceBuiltIn(InstRef load, Id variable) {
  const auto builtIn = analyses_.get<Decorations>().builtIn(module_, variable);
  if (!builtIn) return std::nullopt;
  const std::string_view name = nameOf(*builtIn);
  if (name.empty()) return std::nullopt;
  if (*builtIn == spv::BuiltIn::SubgroupId)
    return kernel_.invocations() > kMaxSubgroupSize // else perhaps a single one
               ? Cause(DivergenceCause{std::string(name), {}})
               : std::nullopt;
  const bool isLinear = *builtIn == spv::BuiltIn::LocalInvocationIndex ||
                        *builtIn == spv::BuiltIn::SubgroupLocalInvocationId;
  if (isLinear) return DivergenceCause{std::string(name), {}};
  // Which dimensions of the ids differ must be known: a workgroup may be one wide in the others.
  if (!kernel_.size) return std::nullopt;
  // A component that is loaded by itself.
  const PointerOrigin origin = originOf(analyses_, module_.idAt(load, 3));
  if (!origin.indices.empty()) {
    const auto component = analyses_.get<Constants>().value(origin.indices[0]);
    if (component && component->bits < 3 && !kernel_.isWide(uint32_t(component->bits)))
      return std::nullopt;
  }
  return DivergenceCause{std::string(name), {}};
}

/// A value from memory differs where its address does.
DivergenceCauses::Cause DivergenceCauses::traceAddress(InstRef access, std::span<const Id> indices,
                                                       Id variable) {
  for (Id index : indices)
    if (Cause cause = trace(index)) {
      cause->steps.insert(cause->steps.begin(),
                          context_.noteAt(access,
                                          formatText("the index into {} depends on {}",
                                                     context_.nameOf(variable), cause->what),
                                          variable));
      return cause;
    }
  return std::nullopt;
}

DivergenceCauses::Cause DivergenceCauses::traceExtract(InstRef extract) {
  const InstRef composite = module_.def(module_.idAt(extract, 3));
  if (composite && module_.opcode(composite) == spv::Op::OpLoad &&
      module_.wordCount(extract) == 5) {
    const PointerOrigin origin = originOf(analyses_, module_.idAt(composite, 3));
    const auto builtIn = analyses_.get<Decorations>().builtIn(module_, origin.variable);
    const uint32_t component = module_.word(extract, 4);
    if (builtIn && component < 3 && !kernel_.isWide(component)) return std::nullopt;
  }
  return trace(module_.idAt(extract, 3));
}

DivergenceCauses::Cause DivergenceCauses::tracePhi(InstRef phi) {
  const BlockRef block = module_.blockOf(phi);
  std::vector<BlockRef> sources;
  for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
    if (Cause cause = trace(module_.idAt(phi, n))) return cause;
    if (const BlockRef from = module_.blockOfLabel(module_.idAt(phi, n + 1)))
      sources.push_back(from);
  }
  // The way here differs: the branches between where the ways part and this block.
  const BlockRef top = analyses_.get<Dominance>().idom(block);
  for (BlockRef b : sources)
    for (size_t steps = 0; b && steps < kMaxValues; ++steps) {
      const Id condition = choosesWayTo(b, block) ? conditionOf(b) : Id();
      if (condition)
        if (Cause cause = trace(condition)) {
          cause->steps.insert(
              cause->steps.begin(),
              context_.noteAt(module_.terminator(b),
                              "this branch selects the value and depends on " + cause->what));
          return cause;
        }
      if (b == top || b == block) break;
      b = analyses_.get<Dominance>().idom(b);
    }
  return std::nullopt;
}

/// Invocations that add to one counter get different results. An atomic that changes nothing is a
/// read.
DivergenceCauses::Cause DivergenceCauses::traceAtomic(InstRef atomic) {
  const uint32_t valueWord = 6;
  const spv::Op op = module_.opcode(atomic);
  const bool isCount = op == spv::Op::OpAtomicIIncrement || op == spv::Op::OpAtomicIDecrement;
  const bool isAdd = op == spv::Op::OpAtomicIAdd || op == spv::Op::OpAtomicISub;
  if (!isCount && !(isAdd && module_.wordCount(atomic) > valueWord)) return std::nullopt;
  if (isAdd) {
    const auto value = analyses_.get<Constants>().value(module_.idAt(atomic, valueWord));
    if (!value || value->bits == 0) return std::nullopt;
  }
  const PointerOrigin origin = originOf(analyses_, module_.idAt(atomic, 3));
  return DivergenceCause{origin.variable
                             ? "the result of an atomic on " + context_.nameOf(origin.variable)
                             : "the result of an atomic",
                         {}};
}

Id DivergenceCauses::conditionOf(BlockRef block) const {
  const InstRef end = module_.terminator(block);
  const spv::Op op = module_.opcode(end);
  if (op != spv::Op::OpBranchConditional && op != spv::Op::OpSwitch) return {};
  if (analyses_.get<Cfg>().successors(block).size() < 2) return {};
  return module_.idAt(end, 1);
}

/// Whether the ways that part at `from` have not all met again before they come to `block`.
bool DivergenceCauses::choosesWayTo(BlockRef from, BlockRef block) const {
  return analyses_.get<Dominance>().ipdom(from) == block || decidesOver(from, block);
}

bool DivergenceCauses::decidesOver(BlockRef from, BlockRef block) const {
  return isBetween(from, block, analyses_.get<Dominance>().ipdom(from));
}

/// Whether some path leads from `from` to `block` that does not pass `end` before.
bool DivergenceCauses::isBetween(BlockRef from, BlockRef block, BlockRef end) const {
  const Cfg& cfg = analyses_.get<Cfg>();
  std::vector<BlockRef> pending{from};
  std::unordered_set<BlockRef> seen;
  while (!pending.empty()) {
    const BlockRef b = pending.back();
    pending.pop_back();
    for (BlockRef to : cfg.successors(b)) {
      if (to == end || !seen.insert(to).second) continue;
      if (to == block) return true;
      pending.push_back(to);
    }
  }
  return false;
}

std::vector<BlockRef> DivergenceCauses::branchesOver(BlockRef block) {
  std::vector<BlockRef> found;
  for (BlockRef b : analyses_.get<Cfg>().reversePostOrder(module_.functionOf(block))) {
    const Id condition = conditionOf(b);
    if (condition && !isKnownUniform(condition) && decidesOver(b, block)) found.push_back(b);
  }
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace lanewise
