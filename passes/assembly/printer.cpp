#include "assembly/printer.h"

#include "assembly/friendly_names.h"
#include "assembly/number_text.h"
#include "ir/grammar_names.h"
#include "ir/operand_walk.h"
#include "text/format_text.h"

#include <algorithm>
#include <optional>

namespace lanewise {
namespace {

/// Column at which the opcodes of instructions without a result begin, and those with one that is
/// not too long.
constexpr size_t kIndent = 15;

class Printer : public detail::OperandVisitor {
public:
  Printer(const Module& module, const PrintOptions& options) : module_(module) {
    // Words of unknown instructions may be ids, which must stay what they are.
    if (options.hasFriendlyNames && !module.hasUnknown()) names_.emplace(module);
  }

  std::string run() {
    for (InstRef i : module_.insts()) print(i);
    return std::move(text_);
  }

  // ---- What the walk over operands tells ----

  void id(uint32_t at) { text_ += " %" + name(words_[at]); }
  void literal(uint32_t at) { text_ += formatText(" {}", words_[at]); }
  void real(uint32_t at) { text_ += " " + numberText(kFloat32, words_.subspan(at, 1)); }
  void number(uint32_t at, uint32_t count, Id type) {
    const std::span<const uint32_t> words = words_.subspan(at, count);
    if (const auto known = numberType(module_.inst(module_.def(type)))) {
      const std::string text = numberText(*known, words);
      // Bits beyond the width of a narrow number are none of it, but the text must read back.
      std::string why;
      const auto again = numberWords(*known, text, why);
      if (again && std::equal(words.begin(), words.end(), again->begin(), again->end())) {
        text_ += " " + text;
        return;
      }
    }
    for (uint32_t word : words) text_ += formatText(" !{}", word);
  }
  void string(uint32_t at) {
    text_ += " \"";
    for (char c : module_.stringAt(inst_, at)) {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += c;
    }
    text_ += '"';
  }
  void enumerant(uint32_t at, const OperandFacts& operand) {
    const uint32_t value = words_[at];
    text_ += ' ';
    if (operand.kind == OperandKind::ValueEnum || value == 0) {
      text_ += enumerantName(operand.enumIndex, value);
      return;
    }
    const char* separator = "";
    for (uint32_t mask = value; mask != 0; mask &= mask - 1) {
      text_ += separator;
      text_ += enumerantName(operand.enumIndex, mask & (0 - mask));
      separator = "|";
    }
  }
  void extInst(uint32_t at, ExtInstSet set) {
    const ExtInstFacts& facts = extInstFacts(set, words_[at]);
    text_ += ' ';
    text_ += facts.name.empty() ? std::to_string(words_[at]) : std::string(facts.name);
  }
  void specOp(uint32_t at) {
    const OpcodeFacts& facts = factsOf(spv::Op(words_[at]));
    text_ += ' ';
    text_ += facts.name.substr(std::string_view("Op").size());
  }

private:
  std::string name(uint32_t id) const { return names_ ? names_->of(id) : std::to_string(id); }

  void print(InstRef i) {
    inst_ = i;
    words_ = module_.inst(i);
    const OpcodeFacts& facts = module_.facts(i);
    // The assembler refuses the name of an unknown set: more likely it is misspelt.
    const bool isUnknownSet = facts.opcode == spv::Op::OpExtInstImport &&
                              module_.extInstSet(module_.resultId(i)) == ExtInstSet::Unknown;
    if (isUnknownSet || module_.isUnknown(i)) return printUnknown();
    if (facts.hasResult) {
      const std::string result = name(words_[1u + facts.hasResultType]);
      constexpr size_t kAround = std::string_view("% = ").size() - 1;
      if (result.size() + kAround < kIndent)
        text_.append(kIndent - kAround - result.size() - 1, ' ');
      text_ += "%" + result + " = ";
    } else {
      text_.append(kIndent, ' ');
    }
    text_ += facts.name;
    if (facts.hasResultType) id(1);
    detail::OperandWalk walk(module_, words_, *this);
    walk.run(facts);
    text_ += '\n';
  }

  void printUnknown() {
    text_.append(kIndent, ' ');
    const OpcodeFacts& facts = module_.facts(inst_);
    text_ += formatText("OpUnknown({}, {})", words_[0] & 0xFFFF, words_.size());
    const uint32_t ids = uint32_t(facts.hasResultType) + facts.hasResult;
    for (uint32_t at = 1; at < words_.size(); ++at)
      if (at <= ids)
        id(at);
      else
        literal(at);
    text_ += '\n';
  }

  const Module& module_;
  std::optional<FriendlyNames> names_;
  std::string text_;
  InstRef inst_;
  std::span<const uint32_t> words_;
};

} // namespace

std::string printAssembly(const Module& module, const PrintOptions& options) {
  return Printer(module, options).run();
}

} // namespace lanewise
