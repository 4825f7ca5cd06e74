#include "assembly/assembler.h"

#include "assembly/assembler_ids.h"
#include "assembly/number_text.h"
#include "ir/grammar_names.h"
#include "text/format_text.h"

#include <bit>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace lanewise {
namespace {

constexpr uint32_t kGenerator = 7u << 16; // spirv-as in the Khronos registry of tools
constexpr size_t kMostWords = 0xFFFF;     // of an instruction

/// A number in decimal or, behind "0x", hexadecimal digits.
template <class T>
std::optional<T> wholeNumber(std::string_view text) {
  const bool isHex = text.starts_with("0x") || text.starts_with("0X");
  if (isHex) text.remove_prefix(2);
  T value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, isHex ? 16 : 10);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::string versionText(uint32_t version) {
  return formatText("{}.{}", version >> 16, version >> 8 & 0xFF);
}

class Assembler {
public:
  Assembler(std::string_view text, uint32_t version)
      : tokens_(text), ids_(text), version_(version) {}

  Assembled run() {
    out_ = {uint32_t(spv::MagicNumber), version_, kGenerator, 0, 0};
    while (!failed_ && !tokens_.atEnd()) instruction();
    if (failed_) return {{}, std::move(error_)};
    out_[3] = ids_.bound();
    return {std::move(out_), {}};
  }

private:
  // Each step gives false once the text is known to be wrong.

  bool fail(const Token& at, std::string message) {
    if (!failed_) error_ = {at.place, std::move(message)};
    failed_ = true;
    return false;
  }
  bool failAtEnd() {
    return fail(tokens_.peek(), formatText("the text ends before the last operand of {}", name_));
  }

  /// Whether there is no further operand: the next instruction begins, or the text ends.
  bool atEndOfOperands() const { return tokens_.atEnd() || tokens_.atInstruction(); }

  // ---- Instructions ----

  void instruction() {
    inst_.clear();
    isImmediateSeen_ = false;
    const Token first = tokens_.next();
    Token opcode = first;
    std::optional<Token> result; // a name gets its number where the id stands in the words
    if (first.isImmediate()) {
      name_ = first.text;
      if (immediate(first) && rest()) append();
      return;
    }
    if (first.isId()) {
      result = first;
      if (const Token sign = tokens_.next(); sign.text != "=")
        return void(
            fail(sign, formatText("expected '=' behind {}, not '{}'", first.text, sign.text)));
      opcode = tokens_.next();
    }
    if (!opcode.isOpcode())
      return void(
          fail(opcode, formatText("expected an opcode or an id with '=', not '{}'", opcode.text)));
    name_ = opcode.text;
    if (opcode.text == "OpUnknown") {
      if (result) return void(fail(first, "OpUnknown names its result among its words"));
      if (unknownInstruction()) append();
    } else if (knownInstruction(opcode, result)) {
      append();
    }
  }

  bool knownInstruction(const Token& opcode, const std::optional<Token>& result) {
    const std::optional<spv::Op> op = opcodeNamed(opcode.text);
    if (!op) return fail(opcode, formatText("unknown opcode {}", opcode.text));
    const OpcodeFacts& facts = factsOf(*op);
    if (!isAvailable(*op))
      return fail(opcode, formatText("SPIR-V {} has no {}; it came with {}", versionText(version_),
                                     opcode.text, versionText(requirementsOf(*op).firstVersion)));
    if (facts.hasResult && !result)
      return fail(opcode,
                  formatText("{} needs a result id: '%name = {}'", opcode.text, opcode.text));
    if (!facts.hasResult && result)
      return fail(opcode, formatText("{} has no result id", opcode.text));
    inst_.push_back(uint32_t(*op));
    std::span<const OperandFacts> operands = facts.operands;
    if (facts.hasResultType) {
      if (!one(operands.front())) return false;
      operands = operands.subspan(1);
    }
    if (facts.hasResult) {
      if (!id(*result)) return false;
      operands = operands.subspan(1);
    }
    if (!list(operands)) return false;
    // Behind a word that is given as it is, nobody knows what comes.
    if (isImmediateSeen_ && !rest()) return false;
    inst_[0] |= uint32_t(inst_.size()) << 16;
    remember(facts);
    return true;
  }

  /// What an extension or a capability brings is taken in any version, like spirv-as does.
  bool isAvailable(spv::Op op) const {
    const Requirements& needs = requirementsOf(op);
    return (version_ >= needs.firstVersion && version_ <= needs.lastVersion) ||
           !needs.capabilities.empty() || !needs.extensions.empty();
  }

  /// OpUnknown(opcode, words) word word ...
  bool unknownInstruction() {
    uint32_t figures[2] = {};
    for (size_t n = 0; n < 2; ++n) {
      if (const Token open = tokens_.next(); open.text != (n == 0 ? "(" : ","))
        return fail(open, formatText("expected OpUnknown(opcode, words), not '{}'", open.text));
      const Token figure = tokens_.next();
      const auto value = wholeNumber<uint32_t>(figure.text);
      if (!value || *value > 0xFFFF || (n == 1 && *value == 0))
        return fail(figure, formatText("'{}' is no {}", figure.text,
                                       n == 0 ? "opcode" : "number of words"));
      figures[n] = *value;
    }
    if (const Token close = tokens_.next(); close.text != ")")
      return fail(close, formatText("expected ')', not '{}'", close.text));
    inst_.push_back(figures[1] << 16 | figures[0]);
    while (inst_.size() < figures[1]) {
      if (atEndOfOperands()) return failAtEnd();
      if (!anything(tokens_.next())) return false;
    }
    return inst_.size() == figures[1] ||
           fail(tokens_.peek(), "a literal takes more words than OpUnknown has");
  }

  void append() {
    if (inst_.size() > kMostWords)
      return void(fail(tokens_.peek(), formatText("{} has more than {} words", name_, kMostWords)));
    out_.insert(out_.end(), inst_.begin(), inst_.end());
  }

  /// Keeps what the numbers and extended instructions of later instructions depend on.
  void remember(const OpcodeFacts& facts) {
    if (facts.opcode == spv::Op::OpTypeInt || facts.opcode == spv::Op::OpTypeFloat)
      numberTypes_[inst_[1]] = numberType(inst_);
    if (facts.hasResult && facts.hasResultType) typeOf_[inst_[2]] = inst_[1];
  }

  // ---- Operands ----

  bool list(std::span<const OperandFacts> operands) {
    for (const OperandFacts& operand : operands) {
      if (isImmediateSeen_) break;
      if (operand.quantifier != Quantifier::One && atEndOfOperands()) break;
      do {
        if (!one(operand)) return false;
      } while (operand.quantifier == Quantifier::Any && !isImmediateSeen_ && !atEndOfOperands());
      // What the grammar lists behind these is replaced by what they themselves say.
      if (operand.kind == OperandKind::ExtInst || operand.kind == OperandKind::SpecOp) break;
    }
    return true;
  }

  bool one(const OperandFacts& operand) {
    if (atEndOfOperands()) return failAtEnd();
    const Token token = tokens_.next();
    if (token.isImmediate()) {
      isImmediateSeen_ = true;
      return immediate(token);
    }
    switch (operand.kind) {
    case OperandKind::Result:
    case OperandKind::ResultType:
    case OperandKind::Id:
      return id(token);
    case OperandKind::Literal:
      return number(token, kUnsigned32);
    case OperandKind::Float:
      return number(token, kFloat32);
    case OperandKind::String:
      return string(token);
    case OperandKind::ContextNumber:
      return typedNumber(token, inst_[1], "the result type is neither an integer nor a float");
    case OperandKind::ValueEnum:
      return enumerant(token, operand.enumIndex);
    case OperandKind::BitEnum:
      return bits(token, operand.enumIndex);
    case OperandKind::ExtInst:
      return extInst(token);
    case OperandKind::SpecOp:
      return specOp(token);
    case OperandKind::PairLiteralId:
      return switchCase(token) && one({OperandKind::Id, Quantifier::One, 0});
    case OperandKind::PairIdLiteral:
      return id(token) && one({OperandKind::Literal, Quantifier::One, 0});
    case OperandKind::PairIdId:
      return id(token) && one({OperandKind::Id, Quantifier::One, 0});
    }
    return false;
  }

  bool id(const Token& token) {
    const auto id = ids_.of(token.text);
    if (!id) return fail(token, formatText("expected an id (%name), not '{}'", token.text));
    inst_.push_back(*id);
    return true;
  }

  bool number(const Token& token, const NumberType& type) {
    std::string why;
    const auto words = numberWords(type, token.text, why);
    if (!words) return fail(token, why);
    inst_.insert(inst_.end(), words->begin(), words->end());
    return true;
  }

  bool typedNumber(const Token& token, uint32_t typeId, const char* otherwise) {
    const auto type = numberTypes_.find(typeId);
    if (type == numberTypes_.end()) return fail(token, otherwise);
    if (!type->second) return fail(token, "literals of this type are written as words (!0x10)");
    return number(token, *type->second);
  }

  bool switchCase(const Token& token) {
    const auto type = typeOf_.find(inst_[1]);
    return typedNumber(token, type == typeOf_.end() ? 0 : type->second,
                       "the selector is not a previously defined integer");
  }

  bool string(const Token& token) {
    std::string text;
    if (!unquoted(token.text, text))
      return fail(token, formatText("expected a string in quotes, not '{}'", token.text));
    if (text.size() / 4 + 1 > kMostWords) return fail(token, "the string is too long");
    if ((inst_[0] & 0xFFFF) == uint32_t(spv::Op::OpExtInstImport) && inst_.size() == 2) {
      const ExtInstSet set = extInstSetFromName(text);
      if (set == ExtInstSet::Unknown)
        return fail(token, formatText("unknown set of extended instructions '{}'", text));
      sets_[inst_[1]] = set;
    }
    appendString(text);
    return true;
  }

  void appendString(std::string_view text) {
    uint32_t word = 0;
    for (size_t n = 0; n <= text.size(); ++n) {
      if (n < text.size()) word |= uint32_t(uint8_t(text[n])) << n % 4 * 8;
      if (n % 4 == 3 || n == text.size()) inst_.push_back(std::exchange(word, 0));
    }
  }

  bool enumerant(const Token& token, uint8_t enumIndex) {
    const auto value = enumerantNamed(enumIndex, token.text);
    if (!value) return fail(token, formatText("unknown operand '{}' of {}", token.text, name_));
    inst_.push_back(*value);
    return list(enumerantOperands(enumIndex, *value).operands);
  }

  bool bits(const Token& token, uint8_t enumIndex) {
    uint32_t mask = 0;
    for (std::string_view names = token.text;;) {
      const size_t end = names.find('|');
      const auto value = enumerantNamed(enumIndex, names.substr(0, end));
      if (!value)
        return fail(token, formatText("unknown operand '{}' of {}", names.substr(0, end), name_));
      mask |= *value;
      if (end == names.npos) break;
      names.remove_prefix(end + 1);
    }
    inst_.push_back(mask);
    for (; mask != 0; mask &= mask - 1)
      if (!list(enumerantOperands(enumIndex, mask & (0 - mask)).operands)) return false;
    return true;
  }

  bool extInst(const Token& token) {
    const auto set = sets_.find(inst_.back());
    if (set == sets_.end())
      return fail(token, formatText("{} names no set of extended instructions that was imported "
                                    "before (OpExtInstImport)",
                                    name_));
    auto number = extInstNamed(set->second, token.text);
    if (!number && isNonSemanticSet(set->second)) number = wholeNumber<uint32_t>(token.text);
    if (!number) return fail(token, formatText("unknown extended instruction '{}'", token.text));
    inst_.push_back(*number);
    return list(extInstFacts(set->second, *number).operands);
  }

  bool specOp(const Token& token) {
    const auto op = opcodeNamed(formatText("Op{}", token.text));
    const OpcodeFacts* facts = op ? &factsOf(*op) : nullptr;
    if (!facts || facts->opClass != OpClass::Value || !facts->hasResult || !facts->hasResultType)
      return fail(token, formatText("{} cannot hold '{}'", name_, token.text));
    inst_.push_back(uint32_t(*op));
    return list(facts->operands.subspan(2));
  }

  // ---- Words as they are ----

  bool immediate(const Token& token) {
    const auto word = wholeNumber<uint32_t>(token.text.substr(1));
    if (!word) return fail(token, formatText("'{}' is no word (!0x10)", token.text));
    inst_.push_back(*word);
    return true;
  }

  /// All that is left of the instruction, as each token says it.
  bool rest() {
    while (!atEndOfOperands() && !tokens_.peek().isOpcode())
      if (!anything(tokens_.next())) return false;
    return true;
  }

  bool anything(const Token& token) {
    if (token.isImmediate()) return immediate(token);
    if (token.isId()) return id(token);
    if (token.isString()) return string(token);
    if (token.text.find('.') != token.text.npos) {
      std::string why;
      const NumberType kDouble{NumberType::Kind::Float, 64, 11, 52, 1023, false};
      const auto wide = numberWords(kDouble, token.text, why);
      if (!wide) return fail(token, why);
      const double value = std::bit_cast<double>(uint64_t((*wide)[0]) | uint64_t((*wide)[1]) << 32);
      return number(token, double(float(value)) == value ? kFloat32 : kDouble);
    }
    const bool isNegative = token.text.starts_with('-');
    NumberType type{isNegative ? NumberType::Kind::Signed : NumberType::Kind::Unsigned, 32};
    std::string why;
    if (!numberWords(type, token.text, why)) type.width = 64;
    return number(token, type);
  }

  Tokens tokens_;
  detail::AssemblerIds ids_;
  const uint32_t version_;
  std::vector<uint32_t> out_, inst_;
  std::string name_; ///< of the instruction, for messages
  bool isImmediateSeen_ = false;
  bool failed_ = false;
  AssemblyError error_;
  std::map<uint32_t, std::optional<NumberType>> numberTypes_; ///< by the id of the type
  std::map<uint32_t, uint32_t> typeOf_;                       ///< of values
  std::map<uint32_t, ExtInstSet> sets_;                       ///< by the id of the import
};

} // namespace

Assembled assembleText(std::string_view text, uint32_t version) {
  return Assembler(text, version).run();
}

} // namespace lanewise
