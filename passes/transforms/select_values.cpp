#include "transforms/select_values.h"

#include "analysis/module/types.h"

#include <algorithm>

namespace lanewise {
namespace {

constexpr uint32_t kVersion1_4 = 0x00010400;
/// Scalars and vectors that a composite may have in order to be chosen part by part.
constexpr uint64_t kMaxParts = 64;

/// With 16-bit or 8-bit storage alone such numbers can only be loaded, stored and converted.
bool canComputeWith(const Module& module, const TypeInfo& number) {
  const bool isFloat = number.kind == TypeInfo::Kind::Float;
  if (number.width == 8) return !isFloat && module.declares(spv::Capability::Int8);
  if (number.width == 16)
    return module.declares(isFloat ? spv::Capability::Float16 : spv::Capability::Int16);
  return true;
}

bool canSelectPointer(const Module& module, const TypeInfo& pointer) {
  using spv::Capability;
  switch (pointer.storage) {
  case spv::StorageClass::PhysicalStorageBuffer:
    return true;
  case spv::StorageClass::StorageBuffer:
    return module.declares(Capability::VariablePointersStorageBuffer) ||
           module.declares(Capability::VariablePointers);
  case spv::StorageClass::Workgroup:
    return module.declares(Capability::VariablePointers);
  default:
    return false;
  }
}

/// Parts that selecting takes, or nothing.
std::optional<uint64_t> partsOf(Analyses& analyses, Id type) {
  const Types& types = analyses.get<Types>();
  const TypeInfo& info = types.info(type);
  uint64_t parts = 0;
  switch (info.kind) {
  case TypeInfo::Kind::Bool:
    return 1;
  case TypeInfo::Kind::Int:
  case TypeInfo::Kind::Float:
    return canComputeWith(analyses.module(), info) ? std::optional<uint64_t>(1) : std::nullopt;
  case TypeInfo::Kind::Pointer:
    return canSelectPointer(analyses.module(), info) ? std::optional<uint64_t>(1) : std::nullopt;
  case TypeInfo::Kind::Vector:
    return partsOf(analyses, info.element);
  case TypeInfo::Kind::Matrix:
  case TypeInfo::Kind::Array: {
    uint64_t count = info.count;
    if (info.kind == TypeInfo::Kind::Array) {
      const auto length = analyses.get<Constants>().literal(info.length);
      if (!length) return std::nullopt;
      count = *length;
    }
    const auto each = partsOf(analyses, info.element);
    if (!each || count > kMaxParts) return std::nullopt;
    parts = *each * count;
    break;
  }
  case TypeInfo::Kind::Struct:
    for (uint32_t m = 0; m < info.count; ++m) {
      const auto member = partsOf(analyses, types.member(type, m));
      if (!member) return std::nullopt;
      parts += *member;
    }
    break;
  default:
    return std::nullopt;
  }
  if (parts > kMaxParts) return std::nullopt;
  return parts;
}

} // namespace

bool canSelect(Analyses& analyses, Id type) {
  return partsOf(analyses, type).has_value();
}

Selector::Selector(Analyses& analyses, Rewriter& rewriter, Emit emit)
    : analyses_(analyses), module_(analyses.module()), rewriter_(rewriter), emit_(std::move(emit)) {
  for (InstRef i : module_.globals()) {
    const spv::Op op = module_.opcode(i);
    if (op != spv::Op::OpTypeBool && op != spv::Op::OpTypeVector) continue;
    std::vector<uint32_t> key{uint32_t(op)};
    const auto words = module_.inst(i);
    key.insert(key.end(), words.begin() + 2, words.end());
    types_.emplace(std::move(key), module_.resultId(i));
  }
}

Id Selector::findOrDeclareType(spv::Op op, std::span<const uint32_t> operands) {
  std::vector<uint32_t> key{uint32_t(op)};
  key.insert(key.end(), operands.begin(), operands.end());
  Id& type = types_[key];
  if (!type) type = rewriter_.declare({}, [&](Id id) { return Inst(op).id(id).words(operands); });
  return type;
}

Id Selector::boolType() {
  return findOrDeclareType(spv::Op::OpTypeBool, {});
}

Id Selector::boolVectorType(uint32_t count) {
  const uint32_t operands[] = {boolType().value, count};
  return findOrDeclareType(spv::Op::OpTypeVector, operands);
}

Id Selector::conditionVector(Id condition, uint32_t count) {
  Id& vector = conditionVectors_[{condition, count}];
  if (vector) return vector;
  vector = rewriter_.newId();
  Inst construct(spv::Op::OpCompositeConstruct);
  construct.id(boolVectorType(count)).id(vector);
  for (uint32_t n = 0; n < count; ++n) construct.id(condition);
  emit_(std::move(construct));
  return vector;
}

void Selector::select(Id type, Id result, Id condition, Id a, Id b) {
  if (a == b) {
    emit_(Inst(spv::Op::OpCopyObject).id(type).id(result).id(a));
    return;
  }
  const TypeInfo& info = analyses_.get<Types>().info(type);
  const bool isComposite = info.kind == TypeInfo::Kind::Matrix ||
                           info.kind == TypeInfo::Kind::Array ||
                           info.kind == TypeInfo::Kind::Struct;
  if (module_.version() >= kVersion1_4 || !isComposite) {
    if (info.kind == TypeInfo::Kind::Vector && module_.version() < kVersion1_4)
      condition = conditionVector(condition, info.count);
    emit_(Inst(spv::Op::OpSelect).id(type).id(result).id(condition).id(a).id(b));
    return;
  }
  uint32_t count = info.count;
  if (info.kind == TypeInfo::Kind::Array)
    count = uint32_t(*analyses_.get<Constants>().literal(info.length));
  Inst construct(spv::Op::OpCompositeConstruct);
  construct.id(type).id(result);
  for (uint32_t n = 0; n < count; ++n) {
    const Id part =
        info.kind == TypeInfo::Kind::Struct ? analyses_.get<Types>().member(type, n) : info.element;
    const Id fromA = rewriter_.newId(), fromB = rewriter_.newId(), chosen = rewriter_.newId();
    emit_(Inst(spv::Op::OpCompositeExtract).id(part).id(fromA).id(a).word(n));
    emit_(Inst(spv::Op::OpCompositeExtract).id(part).id(fromB).id(b).word(n));
    select(part, chosen, condition, fromA, fromB);
    construct.id(chosen);
  }
  emit_(std::move(construct));
}

Id Selector::isOneOf(Id selector, std::span<const uint32_t> literals) {
  Id any;
  for (uint32_t literal : literals) {
    const Id equal = rewriter_.newId();
    const Id constant = rewriter_.constant(module_.typeOf(selector), literal);
    emit_(Inst(spv::Op::OpIEqual).id(boolType()).id(equal).id(selector).id(constant));
    if (!any) {
      any = equal;
      continue;
    }
    const Id both = rewriter_.newId();
    emit_(Inst(spv::Op::OpLogicalOr).id(boolType()).id(both).id(any).id(equal));
    any = both;
  }
  return any;
}

} // namespace lanewise
