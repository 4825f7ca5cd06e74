#include "coarsening/copied_ids.h"

#include "analysis/module/decorations.h"
#include "analysis/module/types.h"

#include <utility>

namespace lanewise {

void NeededIds::add(const IdLoad& load) {
  if (load.builtIn == spv::BuiltIn::LocalInvocationIndex) {
    index = true;
    return;
  }
  std::array<bool, 3>& which = load.builtIn == spv::BuiltIn::LocalInvocationId ? local : global;
  for (uint32_t d = 0; d < 3; ++d) which[d] = which[d] || !load.component || *load.component == d;
}

CopiedIds::CopiedIds(Analyses& analyses, const InvocationIds& ids, Rewriter& rewriter,
                     const CoarseningFactors& factors, const std::array<uint32_t, 3>& size)
    : analyses_(analyses), module_(analyses.module()), ids_(ids), rewriter_(rewriter),
      factors_(factors), size_(size), uint_(rewriter.uint32Type()) {}

// ---- What the output reads ----

void CopiedIds::findTypes() {
  if (vectorType_) return;
  for (InstRef i : module_.globals()) {
    if (module_.opcode(i) == spv::Op::OpTypeVector && module_.idAt(i, 2) == uint_ &&
        module_.word(i, 3) == 3)
      vectorType_ = module_.resultId(i);
    if (module_.opcode(i) == spv::Op::OpTypePointer && vectorType_ &&
        spv::StorageClass(module_.word(i, 2)) == spv::StorageClass::Input &&
        module_.idAt(i, 3) == vectorType_)
      pointerType_ = module_.resultId(i);
  }
  if (!vectorType_)
    vectorType_ = rewriter_.declare(
        {}, [&](Id id) { return Inst(spv::Op::OpTypeVector).id(id).id(uint_).word(3); });
  if (!pointerType_)
    pointerType_ = rewriter_.declare({}, [&](Id id) {
      return Inst(spv::Op::OpTypePointer)
          .id(id)
          .word(uint32_t(spv::StorageClass::Input))
          .id(vectorType_);
    });
}

/// A variable for a built-in that the input does not read.
Id CopiedIds::declare(spv::BuiltIn builtIn) {
  findTypes();
  const Id variable = rewriter_.declare({}, [&](Id id) {
    return Inst(spv::Op::OpVariable)
        .id(pointerType_)
        .id(id)
        .word(uint32_t(spv::StorageClass::Input));
  });
  // There is one that it is to be computed for.
  Id other;
  for (spv::BuiltIn b : {spv::BuiltIn::LocalInvocationId, spv::BuiltIn::GlobalInvocationId,
                         spv::BuiltIn::LocalInvocationIndex})
    if (const Id v = ids_.variable(b)) other = v;
  rewriter_.insertAfter(analyses_.get<Decorations>().of(other).front().inst,
                        Inst(spv::Op::OpDecorate)
                            .id(variable)
                            .word(uint32_t(spv::Decoration::BuiltIn))
                            .word(uint32_t(builtIn)));
  added_.push_back(variable);
  return variable;
}

Id CopiedIds::cast(Id type, Id value, const Emit& emit) {
  if (type == uint_) return value;
  const Id result = rewriter_.newId();
  emit(Inst(spv::Op::OpBitcast).id(uint_).id(result).id(value));
  return result;
}

/// A component of what the output's built-in holds.
Id CopiedIds::load(spv::BuiltIn builtIn, uint32_t dimension, const Emit& emit) {
  const Loaded* known = nullptr;
  for (const Loaded& one : loaded_)
    if (one.builtIn == builtIn) known = &one;
  if (!known) {
    Id variable = ids_.variable(builtIn);
    const Types& types = analyses_.get<Types>();
    Loaded one{builtIn, variable ? types.pointee(variable) : Id(), rewriter_.newId()};
    if (!variable) {
      variable = declare(builtIn);
      one.type = vectorType_;
    }
    emit(Inst(spv::Op::OpLoad).id(one.type).id(one.vector).id(variable));
    loaded_.push_back(one);
    known = &loaded_.back();
  }
  const Id type =
      known->type == vectorType_ ? uint_ : analyses_.get<Types>().info(known->type).element;
  const Id result = rewriter_.newId();
  emit(Inst(spv::Op::OpCompositeExtract).id(type).id(result).id(known->vector).word(dimension));
  return cast(type, result, emit);
}

// ---- What it is to the copies ----

Id CopiedIds::operation(spv::Op op, Id a, Id b, const Emit& emit) {
  const Id result = rewriter_.newId();
  emit(Inst(op).id(uint_).id(result).id(a).id(b));
  return result;
}

void CopiedIds::writeLocal(uint32_t d, const Emit& emit) {
  if (!local_[d].empty()) return;
  const Id now = load(spv::BuiltIn::LocalInvocationId, d, emit);
  const uint32_t merged = factors_.merged[d];
  std::vector<Id> places(merged, now);
  for (uint32_t n = 1; n < merged; ++n)
    places[n] =
        operation(spv::Op::OpIAdd, now, rewriter_.uint32Constant(n * (size_[d] / merged)), emit);
  for (uint32_t c = 0; c < factors_.copies(); ++c)
    local_[d].push_back(places[factors_.placeOf(c)[d]]);
}

void CopiedIds::writeGlobal(uint32_t d, const Emit& emit) {
  if (!factors_.isMerged(d)) {
    global_[d].assign(factors_.copies(), load(spv::BuiltIn::GlobalInvocationId, d, emit));
    return;
  }
  writeLocal(d, emit);
  const Id group = load(spv::BuiltIn::WorkgroupId, d, emit);
  const Id origin = operation(spv::Op::OpIMul, group, rewriter_.uint32Constant(size_[d]), emit);
  std::vector<Id> places(factors_.merged[d]);
  for (uint32_t c = 0; c < factors_.copies(); ++c) {
    Id& place = places[factors_.placeOf(c)[d]];
    if (!place) place = operation(spv::Op::OpIAdd, origin, local_[d][c], emit);
    global_[d].push_back(place);
  }
}

void CopiedIds::writeIndex(const Emit& emit) {
  for (uint32_t d = 0; d < 3; ++d) writeLocal(d, emit);
  for (uint32_t c = 0; c < factors_.copies(); ++c) {
    Id sum;
    for (uint32_t d = 3; d-- > 0;) {
      if (size_[d] == 1) continue;
      if (sum) {
        sum = operation(spv::Op::OpIMul, sum, rewriter_.uint32Constant(size_[d]), emit);
        sum = operation(spv::Op::OpIAdd, sum, local_[d][c], emit);
      } else {
        sum = local_[d][c];
      }
    }
    index_.push_back(sum ? sum : local_[0][c]);
  }
}

void CopiedIds::write(const NeededIds& needed, const Emit& emit) {
  for (uint32_t d = 0; d < 3; ++d) {
    if (needed.local[d]) writeLocal(d, emit);
    if (needed.global[d]) writeGlobal(d, emit);
  }
  if (needed.index) writeIndex(emit);
}

Id CopiedIds::scalarOf(const IdLoad& what, uint32_t dimension, uint32_t copy) const {
  if (what.builtIn == spv::BuiltIn::LocalInvocationIndex) return index_[copy];
  return (what.builtIn == spv::BuiltIn::LocalInvocationId ? local_ : global_)[dimension][copy];
}

void CopiedIds::writeLoad(InstRef inst, const IdLoad& what, uint32_t copy, Id result,
                          const Emit& emit) {
  const Id type = module_.resultType(inst);
  const TypeInfo& info = analyses_.get<Types>().info(type);
  if (info.kind != TypeInfo::Kind::Vector) {
    emit(Inst(type == uint_ ? spv::Op::OpCopyObject : spv::Op::OpBitcast)
             .id(type)
             .id(result)
             .id(scalarOf(what, what.component.value_or(0), copy)));
    return;
  }
  Inst composite(spv::Op::OpCompositeConstruct);
  composite.id(type).id(result);
  for (uint32_t d = 0; d < 3; ++d) {
    Id scalar = scalarOf(what, d, copy);
    if (info.element != uint_) {
      const Id converted = rewriter_.newId();
      emit(Inst(spv::Op::OpBitcast).id(info.element).id(converted).id(scalar));
      scalar = converted;
    }
    composite.id(scalar);
  }
  emit(std::move(composite));
}

} // namespace lanewise
