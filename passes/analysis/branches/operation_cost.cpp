#include "analysis/branches/operation_cost.h"

#include "analysis/module/constants.h"
#include "analysis/module/types.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Arrays and structs are counted up to this many scalars.
constexpr uint64_t kMaxScalars = 1 << 20;

struct Scalars {
  uint64_t count = 0;
  uint32_t width = 32; ///< of the widest
  bool isFloat = false;
};

/// The scalars that a type is made of.
Scalars scalarsOf(const Types& types, Id type) {
  const TypeInfo& info = types.info(type);
  switch (info.kind) {
  case TypeInfo::Kind::Bool:
    return {1, 32, false};
  case TypeInfo::Kind::Int:
  case TypeInfo::Kind::Float:
    return {1, info.width, info.kind == TypeInfo::Kind::Float};
  case TypeInfo::Kind::Pointer:
    return {1, 32, false};
  case TypeInfo::Kind::Vector:
  case TypeInfo::Kind::Matrix:
  case TypeInfo::Kind::Array: {
    Scalars s = scalarsOf(types, info.element);
    const uint64_t count = info.kind == TypeInfo::Kind::Array ? types.arrayLength(type).value_or(1)
                                                              : uint64_t(info.count);
    s.count = std::min(kMaxScalars, s.count * std::min(count, kMaxScalars));
    return s;
  }
  case TypeInfo::Kind::Struct: {
    Scalars all;
    for (uint32_t m = 0; m < info.count; ++m) {
      const Scalars s = scalarsOf(types, types.member(type, m));
      all.count = std::min(kMaxScalars, all.count + s.count);
      if (s.width > all.width) all.width = s.width;
      all.isFloat = all.isFloat || s.isFloat;
    }
    return all;
  }
  default:
    return {};
  }
}

double classCost(const TargetProfile& target, CostClass cost) {
  switch (cost) {
  case CostClass::Simple:
    return 1;
  case CostClass::Free:
    return 0;
  case CostClass::Multiply:
    return target.multiplyCost;
  case CostClass::Convert:
    return target.convertCost;
  case CostClass::Divide:
    return target.divideCost;
  case CostClass::IntegerDivide:
    return target.integerDivideCost;
  case CostClass::Special:
    return target.specialCost;
  case CostClass::Transcendental:
    return 3 * target.specialCost;
  case CostClass::Load:
    return target.loadCost;
  }
  return 1;
}

/// A 64-bit operation on integers is put together from 32-bit ones.
double widthFactor(const TargetProfile& target, const Scalars& s, CostClass cost) {
  if (s.width <= 32) return 1;
  if (s.isFloat) return target.doubleFactor;
  return cost == CostClass::Multiply || cost == CostClass::IntegerDivide ? 4 : 2;
}

} // namespace

CostClass costClassOf(const Module& module, InstRef inst) {
  if (module.opcode(inst) != spv::Op::OpExtInst) return module.facts(inst).cost;
  return extInstFacts(module.extInstSet(module.idAt(inst, 3)), module.word(inst, 4)).cost;
}

double operationCost(Analyses& analyses, const TargetProfile& target, InstRef inst) {
  const Module& module = analyses.module();
  const OpcodeFacts& facts = module.facts(inst);
  if (facts.opClass != OpClass::Value || !facts.hasResultType) return 0;
  const Types& types = analyses.get<Types>();
  const spv::Op op = module.opcode(inst);
  const bool isExtended = op == spv::Op::OpExtInst;
  const CostClass cost = costClassOf(module, inst);
  Scalars result = scalarsOf(types, module.resultType(inst));
  // Comparisons, dot products and conversions work on what they read.
  const uint32_t firstOperand = isExtended ? 5 : 3;
  Scalars operand = result;
  if (cost != CostClass::Load && module.wordCount(inst) > firstOperand && facts.onlyIds &&
      op != spv::Op::OpSelect)
    operand = scalarsOf(types, module.typeOf(module.idAt(inst, firstOperand)));
  uint64_t scalars = result.count;
  if (op == spv::Op::OpDot || op == spv::Op::OpAny || op == spv::Op::OpAll) scalars = operand.count;
  if (op == spv::Op::OpMatrixTimesVector) scalars = operand.count;
  if (op == spv::Op::OpVectorTimesMatrix || op == spv::Op::OpMatrixTimesMatrix) {
    const Scalars second = scalarsOf(types, module.typeOf(module.idAt(inst, firstOperand + 1)));
    const TypeInfo& left = types.info(module.typeOf(module.idAt(inst, firstOperand)));
    // Each column of the right side meets each row of the left one.
    const uint64_t rows = left.kind == TypeInfo::Kind::Matrix ? types.info(left.element).count : 1;
    scalars = second.count * rows;
  }
  double each = classCost(target, cost);
  // Compilers multiply by what stands for the reciprocal.
  if (cost == CostClass::IntegerDivide &&
      analyses.get<Constants>().literal(module.idAt(inst, firstOperand + 1)))
    each = std::min(each, 2 * target.multiplyCost + 1);
  const Scalars& wider = operand.width > result.width ? operand : result;
  return double(scalars) * each * widthFactor(target, wider, cost);
}

uint32_t registersOf(Analyses& analyses, Id type) {
  const Scalars s = scalarsOf(analyses.get<Types>(), type);
  return uint32_t(std::min(kMaxScalars, s.count * (s.width > 32 ? 2 : 1)));
}

} // namespace lanewise
