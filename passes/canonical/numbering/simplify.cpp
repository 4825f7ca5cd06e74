#include "canonical/numbering/simplify.h"

#include "ir/newer_enumerants.h"

#include <vector>

namespace lanewise {
namespace {

bool isFloatControl(spv::ExecutionMode mode) {
  switch (mode) {
  case spv::ExecutionMode::DenormPreserve:
  case spv::ExecutionMode::DenormFlushToZero:
  case spv::ExecutionMode::SignedZeroInfNanPreserve:
  case spv::ExecutionMode::RoundingModeRTE:
  case spv::ExecutionMode::RoundingModeRTZ:
    return true;
  default: // FPFastMathDefault among them: an OpExecutionModeId
    return false;
  }
}

/// OpCopyObject, OpCopyLogical between equal types, and conversions that change nothing.
Simplified simplifyCopy(const ValueTable& values, std::span<const uint32_t> words) {
  const Id operand(words[3]);
  switch (opcodeOf(words)) {
  case spv::Op::OpCopyObject:
    return {operand, {}};
  case spv::Op::OpBitcast:
    if (values.opcode(operand) == spv::Op::OpBitcast) {
      const Id first = values.operand(operand, 3);
      if (values.typeOf(first) == Id(words[1])) return {first, {}};
      return {{}, sameResult(spv::Op::OpBitcast, words).id(first)};
    }
    [[fallthrough]];
  case spv::Op::OpCopyLogical:
  case spv::Op::OpUConvert:
  case spv::Op::OpSConvert:
  case spv::Op::OpFConvert:
    if (values.typeOf(operand) == Id(words[1])) return {operand, {}};
    return {};
  default:
    return {};
  }
}

/// Which part knows anything of an instruction.
enum class Subject { None, Pointers, Composites, Floats, Scalars };
Subject subjectOf(spv::Op op) {
  if (isAccessChain(op)) return Subject::Pointers;
  switch (op) {
  case spv::Op::OpLoad:
    return Subject::None;
  case spv::Op::OpCompositeExtract:
  case spv::Op::OpCompositeConstruct:
  case spv::Op::OpCompositeInsert:
  case spv::Op::OpVectorShuffle:
  case spv::Op::OpVectorExtractDynamic:
  case spv::Op::OpVectorInsertDynamic:
    return Subject::Composites;
  case spv::Op::OpFNegate:
  case spv::Op::OpFAdd:
  case spv::Op::OpFSub:
  case spv::Op::OpFMul:
  case spv::Op::OpFDiv:
  case spv::Op::OpFOrdEqual:
  case spv::Op::OpFUnordEqual:
  case spv::Op::OpFOrdNotEqual:
  case spv::Op::OpFUnordNotEqual:
  case spv::Op::OpFOrdLessThan:
  case spv::Op::OpFUnordLessThan:
  case spv::Op::OpFOrdGreaterThan:
  case spv::Op::OpFUnordGreaterThan:
  case spv::Op::OpFOrdLessThanEqual:
  case spv::Op::OpFUnordLessThanEqual:
  case spv::Op::OpFOrdGreaterThanEqual:
  case spv::Op::OpFUnordGreaterThanEqual:
  case spv::Op::OpConvertFToS:
  case spv::Op::OpConvertFToU:
  case spv::Op::OpConvertSToF:
  case spv::Op::OpConvertUToF:
    return Subject::Floats;
  default:
    return Subject::Scalars;
  }
}

} // namespace

bool isCommutative(spv::Op op) {
  switch (op) {
  case spv::Op::OpIAdd:
  case spv::Op::OpIMul:
  case spv::Op::OpFAdd:
  case spv::Op::OpFMul:
  case spv::Op::OpBitwiseAnd:
  case spv::Op::OpBitwiseOr:
  case spv::Op::OpBitwiseXor:
  case spv::Op::OpLogicalAnd:
  case spv::Op::OpLogicalOr:
  case spv::Op::OpLogicalEqual:
  case spv::Op::OpLogicalNotEqual:
  case spv::Op::OpIEqual:
  case spv::Op::OpINotEqual:
  case spv::Op::OpFOrdEqual:
  case spv::Op::OpFUnordNotEqual:
  case spv::Op::OpDot:
    return true;
  default:
    return false;
  }
}

FloatRules floatRulesOf(const Module& module) {
  if (module.declares(newer::Capability::FloatControls2)) return {false};
  for (InstRef i : module.globals()) {
    if (module.facts(i).opClass != OpClass::Preamble) break;
    if (module.opcode(i) == spv::Op::OpExecutionMode &&
        isFloatControl(spv::ExecutionMode(module.word(i, 2))))
      return {false};
  }
  return {true};
}

Id splatOf(const ValueTable& values, Id type, uint64_t bits) {
  const TypeInfo& info = values.types().info(type);
  const Id scalar = values.scalarOf(type);
  const Id one = values.types().info(scalar).kind == TypeInfo::Kind::Bool
                     ? values.constants().boolean(scalar, bits != 0)
                     : values.constants().number(scalar, bits);
  if (scalar == type) return one;
  const std::vector<Id> all(info.count, one);
  return values.constants().composite(type, all);
}

Simplified simplify(const ValueTable& values, const FloatRules& floats,
                    std::span<const uint32_t> words) {
  if (words.size() < 4) return {};
  switch (subjectOf(opcodeOf(words))) {
  case Subject::None:
    return {};
  case Subject::Pointers:
    return simplifyPointer(values, words);
  case Subject::Composites:
    return simplifyComposite(values, words);
  case Subject::Floats:
    if (Simplified s = simplifyFloat(values, floats, words)) return s;
    return foldFloats(values, floats, words);
  case Subject::Scalars:
    break;
  }
  if (Simplified s = foldConstants(values, words)) return s;
  if (Simplified s = simplifyInteger(values, words)) return s;
  if (Simplified s = simplifyCopy(values, words)) return s;
  return simplifyLogic(values, words);
}

} // namespace lanewise
