#include "spirv/tools_grammar.h"

#include "ir/beyond_grammar.h"
#include "ir/grammar_names.h"
#include "ir/operand_walk.h"
#include "support/failure.h"
#include "support/isolate.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <spirv-tools/libspirv.hpp>
#include <vector>

namespace lanewise::driver {

namespace {

using Words = std::vector<uint32_t>;

struct ContextDeleter {
  void operator()(spv_context context) const { spvContextDestroy(context); }
};

/// How many instructions the parser takes; nothing when it takes them all.
std::optional<uint32_t> parsedInstructions(std::span<const uint32_t> words) {
  const std::unique_ptr<spv_context_t, ContextDeleter> context(
      spvContextCreate(SPV_ENV_UNIVERSAL_1_6));
  uint32_t count = 0;
  auto countOne = [](void* to, const spv_parsed_instruction_t*) {
    ++*static_cast<uint32_t*>(to);
    return SPV_SUCCESS;
  };
  const spv_result_t result =
      spvBinaryParse(context.get(), &count, words.data(), words.size(), nullptr, countOne, nullptr);
  if (result == SPV_SUCCESS) return {};
  return count;
}

Words moduleOf(std::initializer_list<Words> instructions) {
  constexpr uint32_t kBound = 2;
  Words words{spv::MagicNumber, 0x00010600, 0, kBound, 0};
  for (const Words& i : instructions) words.insert(words.end(), i.begin(), i.end());
  return words;
}

Words instruction(spv::Op op, Words operands) {
  operands.insert(operands.begin(), uint32_t(operands.size() + 1) << 16 | uint32_t(op));
  return operands;
}

/// The enumerants of an instruction; sets of bits one by one.
struct EnumerantVisitor : detail::OperandVisitor {
  struct Seen {
    uint8_t enumIndex;
    uint32_t value;
  };
  std::span<const uint32_t> words;
  std::vector<Seen> seen;

  void enumerant(uint32_t at, const OperandFacts& operand) {
    if (operand.kind == OperandKind::ValueEnum) {
      seen.push_back({operand.enumIndex, words[at]});
      return;
    }
    for (uint32_t bits = words[at]; bits != 0; bits &= bits - 1)
      seen.push_back({operand.enumIndex, bits & (~bits + 1)});
  }
};

/// Whether something may be newer than the tables: nothing that would make it available is known to
/// them.
bool isBeyondTools(const Requirements& needs) {
  constexpr uint32_t kNoVersion = 0xFFFFFFFF;
  const bool hasAny = !needs.capabilities.empty() || !needs.extensions.empty();
  const bool knowsCapability =
      std::any_of(needs.capabilities.begin(), needs.capabilities.end(), toolsKnow);
  const bool knowsExtension =
      std::any_of(needs.extensions.begin(), needs.extensions.end(), toolsKnowExtension);
  if (!needs.capabilities.empty() && !knowsCapability) return true;
  return hasAny && needs.firstVersion == kNoVersion && !needs.extensions.empty() && !knowsExtension;
}

/// What of an instruction the tables do not have.
std::string unknownPart(const Module& module, InstRef i) {
  const OpcodeFacts& facts = module.facts(i);
  if (module.isUnknown(i)) return nameOfUnknown(module, i);
  if (std::string_view(spvOpcodeString(uint32_t(facts.opcode))) == "unknown")
    return std::string(facts.name);
  if (module.opcode(i) == spv::Op::OpExtInst) {
    const ExtInstFacts& inst =
        extInstFacts(module.extInstSet(module.idAt(i, 3)), module.word(i, 4));
    return inst.name.empty() ? fmt::format("extended instruction {}", module.word(i, 4))
                             : std::string(inst.name);
  }
  EnumerantVisitor enumerants;
  enumerants.words = module.inst(i);
  detail::OperandWalk<EnumerantVisitor>(module, module.inst(i), enumerants).run(facts);
  for (const auto& [enumIndex, value] : enumerants.seen) {
    const std::string_view name = enumerantName(enumIndex, value);
    const Requirements* needs = requirementsOf(enumIndex, value);
    const bool isCapability = module.opcode(i) == spv::Op::OpCapability;
    if (!name.empty() && (isCapability || (needs && isBeyondTools(*needs))))
      return std::string(name);
  }
  return fmt::format("an operand of {}", facts.name);
}

/// Calls `visit` with the place of the language in each OpSource.
template <class Visit>
void forEachLanguage(std::span<const uint32_t> words, Visit&& visit) {
  constexpr size_t kHeader = 5;
  for (size_t at = kHeader; at < words.size(); at += std::max<uint32_t>(words[at] >> 16, 1)) {
    const auto op = spv::Op(words[at] & 0xFFFF);
    if (op == spv::Op::OpFunction) return;
    if (op == spv::Op::OpSource && at + 1 < words.size()) visit(at + 1);
  }
}

bool toolsKnowLanguage(uint32_t language) {
  return !parsedInstructions(moduleOf({instruction(spv::Op::OpSource, {language, 0})}));
}

} // namespace

void WithoutLanguage::restore(std::vector<uint32_t>& to) const {
  forEachLanguage(to, [&](size_t at) { to[at] = language; });
}

std::optional<WithoutLanguage> withoutUnknownLanguage(std::span<const uint32_t> words) {
  std::vector<uint32_t> languages;
  forEachLanguage(words, [&](size_t at) { languages.push_back(words[at]); });
  std::sort(languages.begin(), languages.end());
  languages.erase(std::unique(languages.begin(), languages.end()), languages.end());
  if (languages.size() != 1 || toolsKnowLanguage(languages.front())) return {};
  WithoutLanguage without{{words.begin(), words.end()}, languages.front()};
  forEachLanguage(words,
                  [&](size_t at) { without.words[at] = uint32_t(spv::SourceLanguage::Unknown); });
  return without;
}

Result<std::string> unknownToParser(const Module& module) {
  const Result<std::string> said = isolate(
      [&]() -> Result<std::string> {
        const auto without = withoutUnknownLanguage(module.words());
        const std::optional<uint32_t> parsed = parsedInstructions(
            without ? std::span<const uint32_t>(without->words) : module.words());
        return parsed ? fmt::format("{}", *parsed) : std::string();
      },
      defaultIsolation());
  if (!said) return failure("SPIRV-Tools' parser " + said.error().message);
  if (said->empty()) return std::string();
  uint32_t parsed = 0;
  std::from_chars(said->data(), said->data() + said->size(), parsed);
  // Behind the last instruction it has something against the module as a whole.
  return parsed < module.instCount() ? unknownPart(module, InstRef(parsed + 1)) : std::string();
}

bool toolsKnow(spv::Capability capability) {
  return !parsedInstructions(
      moduleOf({instruction(spv::Op::OpCapability, {uint32_t(capability)})}));
}

bool toolsKnowExtension(std::string_view name) {
  Words text(name.size() / sizeof(uint32_t) + 1);
  std::memcpy(text.data(), name.data(), name.size());
  // A valid module but for what it asks about: the validator has nothing else to say of it.
  const Words words =
      moduleOf({instruction(spv::Op::OpCapability, {uint32_t(spv::Capability::Shader)}),
                instruction(spv::Op::OpCapability, {uint32_t(spv::Capability::Linkage)}),
                instruction(spv::Op::OpExtension, std::move(text)),
                instruction(spv::Op::OpMemoryModel, {uint32_t(spv::AddressingModel::Logical),
                                                     uint32_t(spv::MemoryModel::GLSL450)})});
  bool hasSaid = false;
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&,
                               const char*) { hasSaid = true; });
  return tools.Validate(words) && !hasSaid; // with options it would keep warnings to itself
}

std::string firstUnknownExtension(const Module& module) {
  for (InstRef i : module.globals())
    if (module.opcode(i) == spv::Op::OpExtension)
      if (const std::string_view name = module.stringAt(i, 1); !toolsKnowExtension(name))
        return std::string(name);
  return {};
}

} // namespace lanewise::driver
