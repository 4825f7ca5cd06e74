#include "ir/opcode_facts.h"

#include "ir/enumerant_names.h"

#include <algorithm>
#include <iterator>

namespace lanewise {
namespace {

/// One enumerant: its value, and the run of kOperands that follows it.
struct Enumerant {
  uint32_t value;
  uint16_t firstOperand;
  uint16_t operandCount;
};
/// A run of kEnumerants, sorted by value.
struct Enumeration {
  uint16_t first;
  uint16_t count;
};

struct EnumerantName {
  uint32_t value;
  std::string_view name;
};

#include "opcode_facts.inc"

constexpr OperandFacts kAnyIds[] = {{OperandKind::Id, Quantifier::Any, 0}};
constexpr ExtInstFacts kUnknownInst = {false, "", kOpcodes[0].effects, false, CostClass::Simple,
                                       {}};
constexpr ExtInstFacts kNonSemanticInst = {true, "", Effect::None, false, CostClass::Free, kAnyIds};
/// All operands of the SPV_AMD_* sets are ids; what they do we do not say.
constexpr ExtInstFacts kAmdInst = {true,   "", kOpcodes[0].effects, false, CostClass::Simple,
                                   kAnyIds};

} // namespace

const OpcodeFacts& factsOf(spv::Op op) {
  uint32_t n = uint32_t(op);
  return n > 0xFFFF ? kOpcodes[0] : kOpcodes[kOpcodeRow[kOpcodePage[n >> 6]][n & 63]];
}

EnumerantOperands enumerantOperands(uint8_t enumIndex, uint32_t value) {
  const Enumeration& e = kEnumerations[enumIndex];
  std::span<const Enumerant> all{kEnumerants + e.first, e.count};
  // Small values mostly are their own index.
  const Enumerant* found = all.data() + value;
  if (value >= all.size() || found->value != value) {
    auto at = std::lower_bound(all.begin(), all.end(), value,
                               [](const Enumerant& a, uint32_t v) { return a.value < v; });
    if (at == all.end() || at->value != value) return {false, {}};
    found = &*at;
  }
  return {true, {kOperands + found->firstOperand, found->operandCount}};
}

std::string_view enumerantName(NamedEnum which, uint32_t value) {
  auto find = [value](std::span<const EnumerantName> names) -> std::string_view {
    auto at = std::lower_bound(names.begin(), names.end(), value,
                               [](const EnumerantName& a, uint32_t v) { return a.value < v; });
    return at == names.end() || at->value != value ? std::string_view() : at->name;
  };
  switch (which) {
  case NamedEnum::BuiltIn:
    return find(kBuiltInNames);
  case NamedEnum::Capability:
    return find(kCapabilityNames);
  case NamedEnum::ExecutionMode:
    return find(kExecutionModeNames);
  }
  return {};
}

ExtInstSet extInstSetFromName(std::string_view name) {
  if (name == "GLSL.std.450") return ExtInstSet::GlslStd450;
  if (name == "OpenCL.std") return ExtInstSet::OpenClStd;
  if (name == "NonSemantic.Shader.DebugInfo.100") return ExtInstSet::NonSemanticShaderDebugInfo100;
  if (name.starts_with("NonSemantic.")) return ExtInstSet::NonSemanticOther;
  if (name == "OpenCL.DebugInfo.100") return ExtInstSet::OpenClDebugInfo100;
  if (name == "DebugInfo") return ExtInstSet::DebugInfo;
  if (name.starts_with("SPV_AMD_")) return ExtInstSet::Amd;
  return ExtInstSet::Unknown;
}

const ExtInstFacts& extInstFacts(ExtInstSet set, uint32_t instruction) {
  std::span<const ExtInstFacts> table;
  switch (set) {
  case ExtInstSet::GlslStd450:
    table = kGlslStd450;
    break;
  case ExtInstSet::OpenClStd:
    table = kOpenClStd;
    break;
  case ExtInstSet::OpenClDebugInfo100:
    table = kOpenClDebugInfo100;
    break;
  case ExtInstSet::DebugInfo:
    table = kDebugInfo;
    break;
  case ExtInstSet::NonSemanticShaderDebugInfo100:
  case ExtInstSet::NonSemanticOther:
    return kNonSemanticInst;
  case ExtInstSet::Amd:
    return kAmdInst;
  case ExtInstSet::Unknown:
    break;
  }
  return instruction < table.size() ? table[instruction] : kUnknownInst;
}

} // namespace lanewise
