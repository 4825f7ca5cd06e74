#include "ir/opcode_facts.h"

#include "ir/enumerant_names.h"
#include "ir/grammar_names.h"

#include <algorithm>
#include <array>
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

struct OpcodeName {
  std::string_view name;
  uint16_t row; ///< in kOpcodes
};
struct EnumerantName {
  uint32_t value;
  uint16_t requirements; ///< row of kRequirements
  std::string_view name;
};
struct ExtInstTable {
  std::string_view name;
  bool isPrefix; ///< any version of the set may follow
  ExtInstSet set;
  std::span<const ExtInstFacts> insts; ///< by number
};

#include "opcode_facts.inc"

constexpr OperandFacts kAnyIds[] = {{OperandKind::Id, Quantifier::Any, 0}};
constexpr ExtInstFacts kUnknownInst = {false, "", kOpcodes[0].effects, false, CostClass::Simple,
                                       {}};
constexpr ExtInstFacts kNonSemanticInst = {true, "", Effect::None, false, CostClass::Free, kAnyIds};

std::span<const EnumerantName> namesOf(uint8_t enumIndex) {
  const Enumeration& names = kEnumerationNames[enumIndex];
  return {kEnumerantNames + names.first, names.count};
}

/// The entry of a value, the core name first where there are several; null for none.
const EnumerantName* findName(uint8_t enumIndex, uint32_t value) {
  std::span<const EnumerantName> names = namesOf(enumIndex);
  auto at = std::lower_bound(names.begin(), names.end(), value,
                             [](const EnumerantName& a, uint32_t v) { return a.value < v; });
  return at == names.end() || at->value != value ? nullptr : &*at;
}

/// By ExtInstSet, one above its row of kExtInstSets; 0 for none.
constexpr auto kRowOfSet = [] {
  std::array<uint8_t, std::size(kExtInstSets) + 3> rows{}; // Unknown and NonSemanticOther have none
  for (size_t n = 0; n < std::size(kExtInstSets); ++n)
    rows[size_t(kExtInstSets[n].set)] = uint8_t(n + 1);
  return rows;
}();

/// Null for a set that the grammar does not have.
const ExtInstTable* tableOf(ExtInstSet set) {
  const uint8_t row = kRowOfSet[size_t(set)];
  return row == 0 ? nullptr : &kExtInstSets[row - 1];
}

} // namespace

namespace detail {

constinit const OpcodeFacts* const kAllFacts = kOpcodes;

constinit const std::array<uint16_t, kCoreOpcodes> kRowOfCore = [] {
  std::array<uint16_t, kCoreOpcodes> rows{};
  for (uint32_t n = 0; n < kCoreOpcodes; ++n)
    rows[n] = uint16_t(kOpcodeRow[kOpcodePage[n >> 6]][n & 63]);
  return rows;
}();

const OpcodeFacts& factsOfOther(spv::Op op) {
  const uint32_t n = uint32_t(op);
  return n > 0xFFFF ? kOpcodes[0] : kOpcodes[kOpcodeRow[kOpcodePage[n >> 6]][n & 63]];
}

} // namespace detail

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
  switch (which) {
  case NamedEnum::BuiltIn:
    return enumerantName(kBuiltInEnum, value);
  case NamedEnum::Capability:
    return enumerantName(kCapabilityEnum, value);
  case NamedEnum::ExecutionMode:
    return enumerantName(kExecutionModeEnum, value);
  }
  return {};
}

std::string_view enumerantName(uint8_t enumIndex, uint32_t value) {
  const EnumerantName* found = findName(enumIndex, value);
  return found ? found->name : std::string_view();
}

std::optional<uint32_t> enumerantNamed(uint8_t enumIndex, std::string_view name) {
  for (const EnumerantName& n : namesOf(enumIndex))
    if (n.name == name) return n.value;
  return {};
}

std::optional<spv::Op> opcodeNamed(std::string_view name) {
  auto at = std::lower_bound(std::begin(kOpcodesByName), std::end(kOpcodesByName), name,
                             [](const OpcodeName& a, std::string_view n) { return a.name < n; });
  if (at == std::end(kOpcodesByName) || at->name != name) return {};
  return kOpcodes[at->row].opcode;
}

const Requirements& requirementsOf(spv::Op op) {
  return kRequirements[kOpcodeRequirements[&factsOf(op) - kOpcodes]];
}

const Requirements* requirementsOf(uint8_t enumIndex, uint32_t value) {
  const EnumerantName* found = findName(enumIndex, value);
  return found ? &kRequirements[found->requirements] : nullptr;
}

std::string_view grammarVersion() {
  return kGrammarVersion;
}

bool isKnownExtension(std::string_view name) {
  return std::binary_search(std::begin(kKnownExtensions), std::end(kKnownExtensions), name);
}

ExtInstSet extInstSetFromName(std::string_view name) {
  for (const ExtInstTable& t : kExtInstSets)
    if (t.isPrefix ? name.starts_with(t.name) : name == t.name) return t.set;
  return name.starts_with("NonSemantic.") ? ExtInstSet::NonSemanticOther : ExtInstSet::Unknown;
}

const ExtInstFacts& extInstFacts(ExtInstSet set, uint32_t instruction) {
  const ExtInstTable* table = tableOf(set);
  if (table && instruction < table->insts.size() && table->insts[instruction].known)
    return table->insts[instruction];
  return isNonSemanticSet(set) && set != ExtInstSet::OpenClDebugInfo100 &&
                 set != ExtInstSet::DebugInfo
             ? kNonSemanticInst
             : kUnknownInst;
}

std::optional<uint32_t> extInstNamed(ExtInstSet set, std::string_view name) {
  const ExtInstTable* table = tableOf(set);
  if (!table || name.empty()) return {};
  auto at = std::find_if(table->insts.begin(), table->insts.end(),
                         [name](const ExtInstFacts& f) { return f.name == name; });
  if (at == table->insts.end()) return {};
  return uint32_t(at - table->insts.begin());
}

} // namespace lanewise
