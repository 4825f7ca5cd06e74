// Goes over the operands of one instruction by the grammar. The reader checks with it,
// forEachIdOperand() visits with it and the printer prints with it, so that they cannot disagree.
#pragma once

#include "ir/module.h"

#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace lanewise::detail {

enum class WalkOutcome : uint8_t {
  Known,   ///< every operand was understood
  Unknown, ///< an enumerant, extended instruction or type that the table or module does not have
  TooFewWords,  ///< the instruction ends before its operands do
  TooManyWords, ///< words are left over
  OpenString,   ///< a string without its nul
  NotANumber,   ///< a number whose type is neither integer nor float
  NotASelector, ///< an OpSwitch selector that is no integer
  NotASpecOp    ///< OpSpecConstantOp of an opcode that cannot stand there
};

/// What a walk tells of the operands, each by the index of its (first) word. Visitors hide what
/// they want to know of. The result and its type are the caller's.
struct OperandVisitor {
  void id(uint32_t) {}
  void literal(uint32_t) {}
  void real(uint32_t) {} ///< a 32-bit float
  void string(uint32_t) {}
  void number(uint32_t, uint32_t /*words*/, Id /*type*/) {}
  /// A value or a set of bits; the operands that follow it come next.
  void enumerant(uint32_t, const OperandFacts&) {}
  void extInst(uint32_t, ExtInstSet) {}
  void specOp(uint32_t) {}
};

/// Calls `f(wordIndex)` for each id.
template <class F>
struct IdVisitor : OperandVisitor {
  F f;
  explicit IdVisitor(F visit) : f(std::move(visit)) {}
  void id(uint32_t at) { f(at); }
};

/// Walks the operands in the words of an instruction. `module` must know the types and imports that
/// the instruction refers to.
template <class Visitor>
class OperandWalk {
public:
  OperandWalk(const Module& module, std::span<const uint32_t> words, Visitor& visitor)
      : module_(module), words_(words), visitor_(visitor) {}

  WalkOutcome run(const OpcodeFacts& facts) {
    at_ = 1u + facts.hasResultType + facts.hasResult;
    WalkOutcome outcome = list(facts.operands.subspan(at_ - 1));
    if (outcome == WalkOutcome::Known && at_ < words_.size()) return WalkOutcome::TooManyWords;
    return outcome;
  }
  /// Word at which the walk stopped.
  uint32_t at() const { return at_; }

private:
  WalkOutcome list(std::span<const OperandFacts> operands) {
    for (const OperandFacts& operand : operands) {
      if (operand.quantifier == Quantifier::Any) {
        while (at_ < words_.size())
          if (WalkOutcome o = one(operand); o != WalkOutcome::Known) return o;
      } else if (operand.quantifier == Quantifier::One || at_ < words_.size()) {
        if (WalkOutcome o = one(operand); o != WalkOutcome::Known) return o;
      }
      if (takesTheRest(operand.kind)) return WalkOutcome::Known;
    }
    return WalkOutcome::Known;
  }

  /// What the core grammar lists behind these is replaced by what they themselves say.
  static bool takesTheRest(OperandKind kind) {
    return kind == OperandKind::ExtInst || kind == OperandKind::SpecOp;
  }

  WalkOutcome one(const OperandFacts& operand) {
    if (at_ >= words_.size()) return WalkOutcome::TooFewWords;
    switch (operand.kind) {
    case OperandKind::ResultType:
    case OperandKind::Result:
      return WalkOutcome::NotASpecOp; // only run() meets these, and skips them
    case OperandKind::Id:
      visitor_.id(at_++);
      return WalkOutcome::Known;
    case OperandKind::Literal:
      visitor_.literal(at_++);
      return WalkOutcome::Known;
    case OperandKind::Float:
      visitor_.real(at_++);
      return WalkOutcome::Known;
    case OperandKind::String:
      visitor_.string(at_);
      return string();
    case OperandKind::ContextNumber:
      return contextNumber();
    case OperandKind::ValueEnum:
      visitor_.enumerant(at_, operand);
      return enumerant(operand.enumIndex, words_[at_++]);
    case OperandKind::BitEnum:
      visitor_.enumerant(at_, operand);
      return bits(operand.enumIndex, words_[at_++]);
    case OperandKind::ExtInst:
      return extInst();
    case OperandKind::SpecOp:
      return specOp();
    case OperandKind::PairLiteralId:
      return switchCase();
    case OperandKind::PairIdLiteral:
      return pair(true, false);
    case OperandKind::PairIdId:
      return pair(true, true);
    }
    return WalkOutcome::Unknown;
  }

  WalkOutcome pair(bool firstIsId, bool secondIsId) {
    if (words_.size() - at_ < 2) return WalkOutcome::TooFewWords;
    for (bool isId : {firstIsId, secondIsId}) {
      if (isId)
        visitor_.id(at_);
      else
        visitor_.literal(at_);
      ++at_;
    }
    return WalkOutcome::Known;
  }

  WalkOutcome string() {
    while (at_ < words_.size()) {
      uint32_t w = words_[at_++];
      if ((w & 0xFF) == 0 || (w & 0xFF00) == 0 || (w & 0xFF0000) == 0 || (w >> 24) == 0)
        return WalkOutcome::Known;
    }
    return WalkOutcome::OpenString;
  }

  WalkOutcome contextNumber() {
    Id type(words_[1]);
    uint32_t count = module_.numberWords(type);
    if (count == 0) return unknownDef(type) ? WalkOutcome::Unknown : WalkOutcome::NotANumber;
    if (words_.size() - at_ < count) return WalkOutcome::TooFewWords;
    visitor_.number(at_, count, type);
    at_ += count;
    return WalkOutcome::Known;
  }

  WalkOutcome switchCase() {
    Id selector(words_[1]);
    Id type = module_.typeOf(selector);
    uint32_t count = module_.opcodeOf(type) == spv::Op::OpTypeInt ? module_.numberWords(type) : 0;
    if (count == 0) return unknownDef(selector) ? WalkOutcome::Unknown : WalkOutcome::NotASelector;
    if (words_.size() - at_ < count + 1) return WalkOutcome::TooFewWords;
    visitor_.number(at_, count, type);
    at_ += count;
    visitor_.id(at_++);
    return WalkOutcome::Known;
  }

  /// Whether an id may come from an instruction that we do not understand.
  bool unknownDef(Id id) const { return !module_.def(id) && module_.hasUnknown(); }

  WalkOutcome enumerant(uint8_t enumIndex, uint32_t value) {
    EnumerantOperands follow = enumerantOperands(enumIndex, value);
    if (!follow.known) return WalkOutcome::Unknown;
    return list(follow.operands);
  }

  WalkOutcome bits(uint8_t enumIndex, uint32_t mask) {
    for (; mask != 0; mask &= mask - 1)
      if (WalkOutcome o = enumerant(enumIndex, 1u << std::countr_zero(mask));
          o != WalkOutcome::Known)
        return o;
    return WalkOutcome::Known;
  }

  WalkOutcome extInst() {
    const ExtInstSet set = module_.extInstSet(Id(words_[at_ - 1]));
    EnumerantOperands follow = extInstOperands(set, words_[at_]);
    visitor_.extInst(at_++, set);
    if (!follow.known) return WalkOutcome::Unknown;
    return list(follow.operands);
  }

  WalkOutcome specOp() {
    visitor_.specOp(at_);
    const OpcodeFacts& inner = factsOf(spv::Op(words_[at_++]));
    if (inner.opClass == OpClass::Unknown) return WalkOutcome::Unknown;
    if (inner.opClass != OpClass::Value || !inner.hasResult || !inner.hasResultType)
      return WalkOutcome::NotASpecOp;
    std::span<const OperandFacts> operands = inner.operands.subspan(2);
    for (const OperandFacts& o : operands)
      if (takesTheRest(o.kind)) return WalkOutcome::NotASpecOp; // would nest
    return list(operands);
  }

  const Module& module_;
  std::span<const uint32_t> words_;
  Visitor& visitor_;
  uint32_t at_ = 1;
};

} // namespace lanewise::detail
