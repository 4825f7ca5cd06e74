#include "lint/exact_addresses.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/module/constants.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"

#include <algorithm>

namespace lanewise {
namespace {

/// How far the computation of stored values is compared.
constexpr uint32_t kMaxDepth = 12;

} // namespace

std::optional<std::vector<PlaceIndex>> ExactAddresses::indicesOf(const MemoryAccess& access) const {
  const Types& types = context_.analyses().get<Types>();
  const Constants& constants = context_.analyses().get<Constants>();
  std::vector<PlaceIndex> places;
  Id type = types.pointee(access.variable);
  for (Id index : access.indices) {
    const TypeInfo& info = types.info(type);
    PlaceIndex place;
    if (const auto literal = constants.literal(index)) {
      if (*literal > UINT32_MAX) return std::nullopt;
      place.value.constant = uint32_t(*literal);
    } else {
      place.value = kernel_.affine->of(index);
      if (place.value.dependsOnSpec) return std::nullopt;
    }
    if (info.kind == TypeInfo::Kind::Struct) {
      type = types.member(type, place.value.constant);
    } else {
      if (info.kind == TypeInfo::Kind::Array) {
        const auto length = constants.literal(info.length);
        if (!length) return std::nullopt;
        place.extent = *length;
      } else {
        place.extent = info.count;
      }
      type = info.element;
    }
    if (!type) return std::nullopt;
    places.push_back(std::move(place));
  }
  return places;
}

/// The value that the moment gives to a term of a loop.
std::optional<uint32_t> ExactAddresses::valueOf(uint32_t term, const Moment& moment) const {
  const AffineTerm& t = kernel_.affine->term(term);
  const Module& module = context_.module();
  const Loops& loops = context_.analyses().get<Loops>();
  const auto sequence = kernel_.affine->termSequence(term);
  const InstRef def = module.def(t.id);
  const BlockRef header = sequence.empty() ? module.blockOfLabel(t.id)
                          : def            ? module.blockOf(def)
                                           : BlockRef();
  const Loop* loop = header ? loops.innermost(header) : nullptr;
  // Behind a loop, its terms stand for the last iteration.
  if (!loop || loop->header != header || !loops.contains(*loop, moment.block)) return std::nullopt;
  const uint32_t iteration = loop == moment.loop ? 1 : 0;
  if (sequence.empty()) return iteration;
  if (iteration < sequence.size()) return sequence[iteration];
  const auto repeat = kernel_.affine->termSequenceRepeat(term);
  return repeat ? std::optional(sequence[*repeat]) : std::nullopt;
}

bool ExactAddresses::assign(const AffineExpr& form, const Moment& moment,
                            std::vector<Affine::Assignment>& assigned) const {
  return std::all_of(form.terms.begin(), form.terms.end(), [&](const auto& t) {
    const AffineTerm& term = kernel_.affine->term(t.first);
    switch (term.kind) {
    case AffineTerm::Kind::LocalId:
      return true;
    case AffineTerm::Kind::WorkgroupId:
      assigned.push_back({t.first, 0}); // every dispatch has that workgroup
      return true;
    case AffineTerm::Kind::Induction:
      if (const auto value = valueOf(t.first, moment)) {
        assigned.push_back({t.first, *value});
        return true;
      }
      return false;
    case AffineTerm::Kind::Derived:
      return std::all_of(term.args.begin(), term.args.end(), [&](uint32_t a) {
        return assign(kernel_.affine->argument(a), moment, assigned);
      });
    default:
      return false;
    }
  });
}

std::optional<ExactAddresses::Fixed> ExactAddresses::fix(const AffineExpr& form,
                                                         const Moment& moment) const {
  Fixed fixed;
  fixed.form = &form;
  if (form.dependsOnSpec || !assign(form, moment, fixed.assigned)) return std::nullopt;
  return fixed;
}

std::optional<uint32_t> ExactAddresses::evaluate(const Fixed& fixed, const Lane& lane) const {
  return kernel_.affine->evaluate(*fixed.form, lane, fixed.assigned);
}

std::optional<uint32_t> ExactAddresses::integerOf(Id value, const Moment& moment,
                                                  const Lane& lane) const {
  const TypeInfo& type = context_.analyses().get<Types>().info(context_.module().typeOf(value));
  const bool isIndex =
      type.kind == TypeInfo::Kind::Bool || (type.kind == TypeInfo::Kind::Int && type.width <= 32);
  if (!isIndex) return std::nullopt;
  const AffineExpr& form = kernel_.affine->of(value);
  const auto fixed = fix(form, moment);
  return fixed ? evaluate(*fixed, lane) : std::nullopt;
}

ExactAddresses::Values ExactAddresses::compare(Id a, const Moment& whenA, const Lane& laneA, Id b,
                                               const Moment& whenB, const Lane& laneB,
                                               uint32_t depth) const {
  const Module& module = context_.module();
  const InstRef x = module.def(a), y = module.def(b);
  if (!x || !y || depth > kMaxDepth) return Values::Unknown;
  const bool areConstants = !module.blockOf(x) && !module.blockOf(y);
  if (a == b && (areConstants || uniformityOf(context_.analyses()).isUniform(a)))
    return whenA.loop == whenB.loop ? Values::Same : Values::Unknown;
  if (areConstants && module.facts(x).opClass == OpClass::Constant &&
      module.facts(y).opClass == OpClass::Constant) {
    const auto one = context_.analyses().get<Constants>().value(a);
    const auto other = context_.analyses().get<Constants>().value(b);
    if (one && other) return one->bits == other->bits ? Values::Same : Values::Differ;
    return module.opcode(x) == spv::Op::OpConstant && module.opcode(y) == spv::Op::OpConstant &&
                   module.resultType(x) == module.resultType(y)
               ? Values::Differ // equal constants are one
               : Values::Unknown;
  }
  const auto one = integerOf(a, whenA, laneA), other = integerOf(b, whenB, laneB);
  if (one && other) return *one == *other ? Values::Same : Values::Differ;
  if (module.opcode(x) != module.opcode(y)) return Values::Unknown;
  return compareOperands(x, whenA, laneA, y, whenB, laneB, depth);
}

/// The same operation on the same values gives the same; on others, what it gives is taken to
/// differ: there is no reason to compute and store one value twice.
ExactAddresses::Values ExactAddresses::compareOperands(InstRef a, const Moment& whenA,
                                                       const Lane& laneA, InstRef b,
                                                       const Moment& whenB, const Lane& laneB,
                                                       uint32_t depth) const {
  const Module& module = context_.module();
  const auto x = module.inst(a), y = module.inst(b);
  const OpcodeFacts& facts = module.facts(a);
  const bool isFollowed = facts.opClass == OpClass::Value && module.opcode(a) != spv::Op::OpPhi &&
                          module.opcode(a) != spv::Op::OpFunctionCall &&
                          !has(module.effects(a), Effect::Atomic) &&
                          !has(module.effects(a), Effect::Subgroup);
  if (!isFollowed || x.size() != y.size()) return Values::Unknown;
  std::vector<bool> isId(x.size(), false);
  Values result = Values::Same;
  module.forEachIdOperand(a, [&](uint32_t word, Id id) {
    isId[word] = true;
    if (word < 3 || result != Values::Same) return;
    if (id == Id(y[word]) && !module.blockOf(module.def(id))) return; // a type, variable, constant
    result = compare(id, whenA, laneA, Id(y[word]), whenB, laneB, depth + 1);
  });
  for (size_t n = 3; n < x.size(); ++n)
    if (!isId[n] && x[n] != y[n]) return Values::Unknown;
  return result;
}

} // namespace lanewise
