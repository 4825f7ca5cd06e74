// What opcodes and enumerants need to be declared: a capability, an extension or a version (SPIR-V
// 3.31, and "Enabling Capabilities" throughout 3).
//
// The grammar says more than the specification means to ask for. Taken from the validator that
// everybody uses: an opcode with capabilities needs one of them and nothing else; an enumerant
// needs one of its capabilities, and its version or one of its extensions; naming a built-in is no
// use.

#include "ir/grammar_names.h"
#include "ir/newer_enumerants.h"
#include "ir/operand_walk.h"
#include "text/format_text.h"
#include "validity/module_rules.h"

#include <algorithm>
#include <bit>

namespace lanewise::validity {

namespace {

using spv::Capability;
using spv::Op;

bool hasOneOf(const Subject& s, std::span<const Capability> list) {
  return std::any_of(list.begin(), list.end(), [&](Capability c) { return s.has(c); });
}
bool hasOneOf(const Subject& s, std::span<const std::string_view> list) {
  return std::any_of(list.begin(), list.end(),
                     [&](std::string_view e) { return s.declared.hasExtension(e); });
}
bool hasVersion(const Subject& s, const Requirements& r) {
  return r.firstVersion != UINT32_MAX && r.firstVersion <= s.module.version() &&
         s.module.version() <= r.lastVersion;
}

uint8_t enumOf(Op op, size_t operand) {
  return factsOf(op).operands[operand].enumIndex;
}

/// "capability A or B", by name.
std::string capabilityNames(std::span<const Capability> list) {
  std::vector<std::string> names;
  for (Capability c : list)
    names.emplace_back(enumerantName(enumOf(Op::OpCapability, 0), uint32_t(c)));
  return "capability " + joinText(names, " or ");
}
std::string extensionNames(std::span<const std::string_view> list) {
  std::vector<std::string> names(list.begin(), list.end());
  return "extension " + joinText(names, " or ");
}

} // namespace

DeclaredRules::DeclaredRules(Subject& s)
    : s_(s), decorationEnum_(enumOf(Op::OpDecorate, 1)),
      capabilityEnum_(enumOf(Op::OpCapability, 0)),
      groupOperationEnum_(enumOf(Op::OpGroupNonUniformIAdd, 3)) {
  const auto enumBehind = [&](spv::Decoration d) {
    return enumerantOperands(decorationEnum_, uint32_t(d)).operands.front().enumIndex;
  };
  builtInEnum_ = enumBehind(spv::Decoration::BuiltIn);
  roundingEnum_ = enumBehind(spv::Decoration::FPRoundingMode);
  constexpr Capability kStorage[] = {
      Capability::StorageUniformBufferBlock16, Capability::StorageUniform16,
      Capability::StoragePushConstant16, Capability::StorageInputOutput16,
      Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR};
  freeRounding_ = hasOneOf(s, std::span<const Capability>(kStorage));
}

struct DeclaredRules::Visitor : detail::OperandVisitor {
  DeclaredRules& rules;
  InstRef i;
  bool good = true;
  Visitor(DeclaredRules& r, InstRef inst) : rules(r), i(inst) {}
  void enumerant(uint32_t at, const OperandFacts& operand) {
    good = good && rules.checkOperand(i, operand, rules.s_.module.word(i, at));
  }
};

bool DeclaredRules::checkOpcode(InstRef i, Op op) {
  uint8_t state = kNoEnumerants;
  for (const OperandFacts& operand : factsOf(op).operands) {
    if (operand.kind != OperandKind::ValueEnum && operand.kind != OperandKind::BitEnum) continue;
    const bool must = operand.quantifier == Quantifier::One;
    state = std::max<uint8_t>(state, must ? kEnumerants : kOptionalEnumerants);
  }
  if (uint32_t(op) < kOpcodes) opcodes_[uint32_t(op)] = state;
  const Requirements& r = requirementsOf(op);
  // Named where it is not the instruction's own: an OpSpecConstantOp has one in it.
  const std::string name = op == s_.module.opcode(i) ? "" : std::string(factsOf(op).name) + " ";
  if (op >= Op::OpGroupIAddNonUniformAMD && op <= Op::OpGroupSMaxNonUniformAMD &&
      s_.declared.hasExtension("SPV_AMD_shader_ballot"))
    return true;
  if (!r.capabilities.empty() && !hasOneOf(s_, r.capabilities))
    return s_.fail(i, formatText("{}needs {}", name, capabilityNames(r.capabilities)));
  if (r.lastVersion < s_.module.version())
    return s_.fail(i, formatText("{}is not part of this version of SPIR-V any more", name));
  if (!r.capabilities.empty() && op != Op::OpTerminateInvocation) return true;
  if (hasVersion(s_, r) || hasOneOf(s_, r.extensions)) return true;
  if (r.extensions.empty() && r.firstVersion == UINT32_MAX)
    return true; // nobody says what it needs
  if (r.firstVersion == UINT32_MAX)
    return s_.fail(i, formatText("{}needs {}", name, extensionNames(r.extensions)));
  return s_.fail(i, formatText("{}needs SPIR-V 1.{}", name, r.firstVersion >> 8 & 0xFF));
}

bool DeclaredRules::isNew(uint8_t enumIndex, uint32_t value) {
  if (value >= kSmall || enumIndex >= kEnums)
    return large_.insert(uint64_t(enumIndex) << 32 | value).second;
  const uint64_t bit = uint64_t(1) << value;
  const bool result = !(small_[enumIndex] & bit);
  small_[enumIndex] |= bit;
  return result;
}

/// What is asked for less strictly than the grammar says.
bool DeclaredRules::isLax(uint8_t enumIndex, uint32_t value) const {
  if (enumIndex == builtInEnum_) switch (spv::BuiltIn(value)) {
    case spv::BuiltIn::PointSize:
    case spv::BuiltIn::ClipDistance:
    case spv::BuiltIn::CullDistance:
      return true;
    default:
      return false;
    }
  const bool isRounding =
      enumIndex == roundingEnum_ ||
      (enumIndex == decorationEnum_ && spv::Decoration(value) == spv::Decoration::FPRoundingMode);
  if (isRounding && freeRounding_) return true;
  return enumIndex == groupOperationEnum_ &&
         value <= uint32_t(spv::GroupOperation::ExclusiveScan) &&
         (s_.isKernel || s_.declared.hasExtension("SPV_AMD_shader_ballot"));
}

bool DeclaredRules::checkEnumerant(InstRef i, uint8_t enumIndex, uint32_t value) {
  if (!isNew(enumIndex, value)) return true;
  const Requirements* r = requirementsOf(enumIndex, value);
  if (!r || isLax(enumIndex, value)) return true;
  const std::string_view name = enumerantName(enumIndex, value);
  const bool isCapability = enumIndex == capabilityEnum_;
  // A capability brings those that it needs along.
  if (!isCapability && !r->capabilities.empty() && !hasOneOf(s_, r->capabilities))
    return s_.fail(i, formatText("{} needs {}", name, capabilityNames(r->capabilities)));
  if (hasVersion(s_, *r)) return true;
  if (r->lastVersion < s_.module.version())
    return s_.fail(i, formatText("{} is not part of this version of SPIR-V any more", name));
  if (r->extensions.empty())
    return r->firstVersion == UINT32_MAX ||
           s_.fail(i, formatText("{} needs SPIR-V 1.{}", name, r->firstVersion >> 8 & 0xFF));
  return hasOneOf(s_, r->extensions) ||
         s_.fail(i, formatText("{} needs {}{}", name, extensionNames(r->extensions),
                               r->firstVersion == UINT32_MAX ? "" : " or a later SPIR-V"));
}

bool DeclaredRules::checkOperand(InstRef i, const OperandFacts& operand, uint32_t value) {
  if (operand.kind != OperandKind::BitEnum) return checkEnumerant(i, operand.enumIndex, value);
  for (; value != 0; value &= value - 1)
    if (!checkEnumerant(i, operand.enumIndex, 1u << std::countr_zero(value))) return false;
  return true;
}

bool DeclaredRules::check(InstRef i, const OpcodeFacts& f) {
  if (uint32_t(f.opcode) >= kOpcodes) return checkOpcode(i, f.opcode);
  const uint8_t& state = opcodes_[uint32_t(f.opcode)];
  if (state == kUnseen && !checkOpcode(i, f.opcode)) return false;
  if (state == kNoEnumerants ||
      (state == kOptionalEnumerants && s_.module.wordCount(i) <= f.minWords))
    return true;
  Visitor visitor(*this, i);
  detail::OperandWalk walk(s_.module, s_.module.inst(i), visitor);
  walk.run(f);
  return visitor.good;
}

} // namespace lanewise::validity
