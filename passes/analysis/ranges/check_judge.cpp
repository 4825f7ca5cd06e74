#include "analysis/ranges/check_judge.h"

#include "analysis/ranges/input_ranges.h"
#include "text/format_text.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise {
namespace {

/// Instructions behind one another that are looked at for the reason why nothing is known.
constexpr uint32_t kReasonDepth = 6;

std::string textOf(const IntegerRange& range, bool isSigned) {
  if (const auto value = range.value())
    return isSigned ? formatText("{}", signedOf(*value, range.width())) : formatText("{}", *value);
  if (isSigned) return formatText("{} to {}", range.leastSigned(), range.mostSigned());
  return formatText("{} to {}", range.least(), range.most());
}

bool isSignedGlsl(uint32_t instruction) {
  return instruction == GLSLstd450SMin || instruction == GLSLstd450SMax ||
         instruction == GLSLstd450SClamp || instruction == GLSLstd450SAbs;
}

} // namespace

std::string_view nameOfCheck(const Module& module, InstRef i) {
  if (module.opcode(i) == spv::Op::OpAll) return "loop guard";
  if (module.opcode(i) != spv::Op::OpExtInst ||
      module.extInstSet(module.idAt(i, 3)) != ExtInstSet::GlslStd450)
    return {};
  switch (module.word(i, 4)) {
  case GLSLstd450UMin:
  case GLSLstd450SMin:
    return "min";
  case GLSLstd450UMax:
  case GLSLstd450SMax:
    return "max";
  case GLSLstd450UClamp:
  case GLSLstd450SClamp:
    return "clamp";
  case GLSLstd450SAbs:
    return "abs";
  default:
    return {};
  }
}

bool looksLikeCheck(const Module& module, InstRef i) {
  switch (module.opcode(i)) {
  case spv::Op::OpLogicalAnd:
  case spv::Op::OpLogicalOr:
  case spv::Op::OpLogicalNot:
  case spv::Op::OpLogicalEqual:
  case spv::Op::OpLogicalNotEqual:
  case spv::Op::OpAny:
  case spv::Op::OpAll:
  case spv::Op::OpSelect:
  case spv::Op::OpBranchConditional:
  case spv::Op::OpSwitch:
  case spv::Op::OpUDiv:
  case spv::Op::OpUMod:
  case spv::Op::OpSDiv:
  case spv::Op::OpSRem:
  case spv::Op::OpSMod:
  case spv::Op::OpBitwiseAnd:
    return true;
  case spv::Op::OpExtInst:
    return !nameOfCheck(module, i).empty();
  default:
    return comparisonOf(module.opcode(i)).has_value();
  }
}

std::string_view explainKept(std::string_view reason) {
  if (reason == "loaded") return "an operand comes from memory, which may hold anything";
  if (reason == "parameter") return "an operand is a parameter of the function (see --inline)";
  if (reason == "specialization-constant")
    return "an operand comes from a specialization constant, which may have any value (see "
           "--freeze-spec-const)";
  if (reason == "unbounded-input") return "an operand comes from a built-in that has no bound";
  if (reason == "counter")
    return "an operand depends on the way to it, or on a loop without a bound";
  if (reason == "length") return "the length of the buffer is not known";
  if (reason == "loop-bound") return "it bounds a loop, and compilers see by it how far to unroll";
  if (reason == "stated-bound") return "it is one AND, and compilers see a bound by it";
  if (reason == "may-not-end")
    return "nothing proves that its loops end before it has counted down to 0";
  if (reason == "undefined") return "an operand is undefined";
  return "the ranges of its operands overlap";
}

// ---- judge ----

CheckVerdict CheckJudge::judge(InstRef i, BlockRef block) {
  block_ = block;
  const spv::Op op = module_.opcode(i);
  if (const auto c = comparisonOf(op)) return comparison(i, *c);
  switch (op) {
  case spv::Op::OpLogicalAnd:
  case spv::Op::OpLogicalOr:
  case spv::Op::OpLogicalNot:
  case spv::Op::OpLogicalEqual:
  case spv::Op::OpLogicalNotEqual:
  case spv::Op::OpAny:
  case spv::Op::OpAll:
    return logic(i);
  case spv::Op::OpSelect:
    return select(i);
  case spv::Op::OpBranchConditional:
  case spv::Op::OpSwitch:
    return branch(i);
  case spv::Op::OpExtInst:
    return glsl(i);
  case spv::Op::OpUDiv:
  case spv::Op::OpUMod:
  case spv::Op::OpSDiv:
  case spv::Op::OpSRem:
  case spv::Op::OpSMod:
    return division(i);
  case spv::Op::OpBitwiseAnd:
    return mask(i);
  default:
    return {};
  }
}

std::string CheckJudge::whyOf(const Proof& proof, bool isSigned) const {
  if (proof.test) return "a branch that leads here has tested it";
  if (!proof.isByRanges) return "it follows from what the two are";
  return formatText("one side is {}, the other {}", textOf(proof.a, isSigned),
                    textOf(proof.b, isSigned));
}

bool CheckJudge::always(Relation relation, bool isSigned, InstRef i, uint32_t left, uint32_t right,
                        Proof& proof) {
  const uint32_t components = componentsOf(i);
  for (uint32_t n = 0; n < components; ++n)
    if (inequalities_.decide(relation, isSigned, part(i, left, n), part(i, right, n), block_,
                             &proof) != true)
      return false;
  return components != 0;
}

CheckVerdict CheckJudge::valueOf(InstRef i, uint32_t word, std::string_view what,
                                 std::string outcome, const Proof& proof, bool isSigned) const {
  CheckVerdict v;
  v.kind = CheckVerdict::Kind::Value;
  v.value = module_.idAt(i, word);
  v.what = what;
  v.outcome = std::move(outcome);
  v.why = whyOf(proof, isSigned);
  v.test = proof.test;
  return v;
}

CheckVerdict CheckJudge::comparison(InstRef i, const Comparison& c) {
  CheckVerdict v;
  Proof proof;
  for (uint32_t n = 0; n < componentsOf(i); ++n) {
    const auto outcome =
        inequalities_.decide(c.relation, c.isSigned, part(i, 3, n), part(i, 4, n), block_, &proof);
    if (!outcome) return {};
    v.bits.push_back(*outcome);
  }
  if (v.bits.empty()) return {};
  v.kind = CheckVerdict::Kind::Constant;
  v.what = "comparison";
  const bool isTrue = v.bits.front() != 0;
  const bool isMixed =
      std::adjacent_find(v.bits.begin(), v.bits.end(), std::not_equal_to<>()) != v.bits.end();
  v.outcome = isMixed ? "is constant" : isTrue ? "is always true" : "is always false";
  v.why = whyOf(proof, c.isSigned);
  v.test = proof.test;
  return v;
}

/// What is certain wherever it is used becomes a constant itself, and who uses it is folded then.
bool CheckJudge::isConstant(InstRef i, uint32_t word) const {
  const auto slots = ranges_.slots().of(module_.idAt(i, word));
  return std::all_of(slots.begin(), slots.end(),
                     [&](Slot slot) { return ranges_.of(slot).value().has_value(); });
}

/// The value that all components of an operand have here.
bool CheckJudge::isKnownOperand(InstRef i, uint32_t word, uint64_t& bits) const {
  const auto slots = ranges_.slots().of(module_.idAt(i, word));
  std::optional<uint64_t> known;
  for (Slot slot : slots) {
    const auto value = at(slot).value();
    if (!value || (known && known != value)) return false;
    known = value;
  }
  bits = known.value_or(0);
  return known.has_value();
}

CheckVerdict CheckJudge::logic(InstRef i) {
  CheckVerdict v;
  v.what = "condition";
  v.outcome = "is constant";
  v.why = "branches that lead here have tested its parts";
  for (Slot slot : ranges_.slots().of(module_.resultId(i)))
    if (const auto value = at(slot).value()) v.bits.push_back(*value);
  if (!v.bits.empty() && v.bits.size() == componentsOf(i)) {
    v.kind = CheckVerdict::Kind::Constant;
    return v;
  }
  const spv::Op op = module_.opcode(i);
  if (op == spv::Op::OpAll) return loopGuard(i);
  if (op != spv::Op::OpLogicalAnd && op != spv::Op::OpLogicalOr) return {};
  for (uint32_t word : {3u, 4u}) {
    uint64_t bits = 0;
    if (!isKnownOperand(i, word, bits) || (bits != 0) != (op == spv::Op::OpLogicalAnd)) continue;
    if (isUndefined(module_.idAt(i, 7 - word))) continue;
    v.kind = CheckVerdict::Kind::Value;
    v.value = module_.idAt(i, 7 - word);
    v.outcome = "is its other part";
    v.why = "a branch that leads here has tested one part";
    return v;
  }
  return {};
}

CheckVerdict CheckJudge::loopGuard(InstRef i) {
  if (guards_.judge(i) != LoopGuards::Verdict::NeverZero) return {};
  CheckVerdict v;
  v.kind = CheckVerdict::Kind::Constant;
  v.bits = {0};
  v.what = "loop guard";
  v.outcome = "is always false";
  v.why = "other tests end the loop before it has counted down from 2^64 - 1";
  return v;
}

CheckVerdict CheckJudge::select(InstRef i) {
  uint64_t bits = 0;
  if (!isKnownOperand(i, 3, bits) || isConstant(i, 3)) return {};
  if (isUndefined(module_.idAt(i, bits != 0 ? 4 : 5))) return {};
  CheckVerdict v;
  v.kind = CheckVerdict::Kind::Value;
  v.value = module_.idAt(i, bits != 0 ? 4 : 5);
  v.what = "selection";
  v.outcome = formatText("always takes its {} value", bits != 0 ? "first" : "second");
  v.why = formatText("its condition is always {} here", bits != 0 ? "true" : "false");
  return v;
}

CheckVerdict CheckJudge::branch(InstRef i) {
  uint64_t bits = 0;
  if (ranges_.slots().of(module_.idAt(i, 1)).size() != 1 || !isKnownOperand(i, 1, bits)) return {};
  if (isConstant(i, 1)) return {};
  CheckVerdict v;
  v.kind = CheckVerdict::Kind::Operand;
  v.bits = {bits};
  v.what = module_.opcode(i) == spv::Op::OpSwitch ? "switch" : "branch";
  v.outcome = "always goes one way";
  v.why = formatText("what it tests is always {} here", module_.opcode(i) == spv::Op::OpSwitch
                                                            ? formatText("{}", bits)
                                                        : bits != 0 ? "true"
                                                                    : "false");
  return v;
}

// ---- minima, maxima, clamps ----

CheckVerdict CheckJudge::glsl(InstRef i) {
  if (module_.extInstSet(module_.idAt(i, 3)) != ExtInstSet::GlslStd450 || componentsOf(i) == 0)
    return {};
  const uint32_t instruction = module_.word(i, 4);
  switch (instruction) {
  case GLSLstd450UMin:
  case GLSLstd450SMin:
  case GLSLstd450UMax:
  case GLSLstd450SMax:
    return extremum(i, instruction);
  case GLSLstd450UClamp:
  case GLSLstd450SClamp:
    return clamp(i, instruction == GLSLstd450SClamp);
  case GLSLstd450SAbs: {
    Proof proof;
    for (uint32_t n = 0; n < componentsOf(i); ++n) {
      const Slot slot = part(i, 5, n);
      if (!slot || !at(slot).isNonNegative()) return {};
      proof.a = proof.b = at(slot);
    }
    CheckVerdict v = valueOf(i, 5, "abs", "is its operand", proof, true);
    v.why = formatText("that is {}", textOf(proof.a, true));
    return v;
  }
  default:
    return {};
  }
}

CheckVerdict CheckJudge::extremum(InstRef i, uint32_t instruction) {
  const bool isSigned = isSignedGlsl(instruction);
  const bool isMin = instruction == GLSLstd450UMin || instruction == GLSLstd450SMin;
  const Relation relation = isMin ? Relation::LessEqual : Relation::GreaterEqual;
  Proof proof;
  for (uint32_t word : {5u, 6u})
    if (always(relation, isSigned, i, word, 11 - word, proof))
      return valueOf(i, word, nameOfCheck(module_, i),
                     formatText("is its {} operand", word == 5 ? "first" : "second"), proof,
                     isSigned);
  return {};
}

/// Undefined where the bounds are the wrong way round, so that nothing is wrong then.
CheckVerdict CheckJudge::clamp(InstRef i, bool isSigned) {
  Proof low, high;
  const bool isAbove = always(Relation::GreaterEqual, isSigned, i, 5, 6, low);
  const bool isBelow = always(Relation::LessEqual, isSigned, i, 5, 7, high);
  if (isAbove && isBelow) {
    const Proof& either = high.test || !high.isByRanges ? high : low;
    CheckVerdict v = valueOf(i, 5, "clamp", "is its first operand", either, isSigned);
    if (!either.test && either.isByRanges)
      v.why = formatText("that is {}, the bounds {} and {}", textOf(high.a, isSigned),
                         textOf(low.b, isSigned), textOf(high.b, isSigned));
    return v;
  }
  if (always(Relation::LessEqual, isSigned, i, 5, 6, low))
    return valueOf(i, 6, "clamp", "is its lower bound", low, isSigned);
  if (always(Relation::GreaterEqual, isSigned, i, 5, 7, high))
    return valueOf(i, 7, "clamp", "is its upper bound", high, isSigned);
  return {};
}

// ---- divisions and masks ----

CheckVerdict CheckJudge::division(InstRef i) {
  const spv::Op op = module_.opcode(i);
  const bool isSigned = op != spv::Op::OpUDiv && op != spv::Op::OpUMod;
  for (uint32_t n = 0; isSigned && n < componentsOf(i); ++n) {
    const Slot dividend = part(i, 3, n);
    if (!dividend || !at(dividend).isNonNegative())
      return op == spv::Op::OpSMod ? powerOfTwo(i) : CheckVerdict();
  }
  Proof proof;
  // Greater than what is not negative: the divisor is not 0.
  if (!always(Relation::Less, isSigned, i, 3, 4, proof))
    return isSigned ? powerOfTwo(i) : CheckVerdict();
  if (op != spv::Op::OpUDiv && op != spv::Op::OpSDiv)
    return valueOf(i, 3, "remainder", "is the dividend", proof, isSigned);
  CheckVerdict v = valueOf(i, 3, "quotient", "is 0", proof, isSigned);
  v.kind = CheckVerdict::Kind::Constant;
  v.bits.assign(componentsOf(i), 0);
  return v;
}

/// Of a scalar that is never negative; OpSMod, whose result has the sign of the divisor, of any.
CheckVerdict CheckJudge::powerOfTwo(InstRef i) {
  const auto slots = ranges_.slots().of(module_.idAt(i, 4));
  if (slots.size() != 1) return {};
  const auto divisor = ranges_.slots().info(slots[0]).literal;
  if (!divisor || !std::has_single_bit(*divisor) || !at(slots[0]).isNonNegative()) return {};
  const bool isQuotient = module_.opcode(i) == spv::Op::OpSDiv;
  CheckVerdict v;
  v.kind = isQuotient ? CheckVerdict::Kind::Shift : CheckVerdict::Kind::Mask;
  v.bits = {isQuotient ? uint64_t(std::countr_zero(*divisor)) : *divisor - 1};
  v.what = isQuotient ? "quotient" : "remainder";
  v.outcome = isQuotient ? "is a shift" : "is a mask";
  const Slot dividend = part(i, 3, 0);
  v.why = dividend && at(dividend).isNonNegative()
              ? formatText("the dividend is {}", textOf(at(dividend), true))
              : formatText("it has the sign of the divisor, {}", *divisor);
  return v;
}

CheckVerdict CheckJudge::mask(InstRef i) {
  for (uint32_t word : {3u, 4u}) {
    Proof proof;
    bool isSame = componentsOf(i) != 0;
    for (uint32_t n = 0; isSame && n < componentsOf(i); ++n) {
      const Slot value = part(i, word, n), bits = part(i, 7 - word, n);
      if (!value || !bits || ranges_.slots().info(value).isUndef) return {};
      proof.a = at(value);
      proof.b = at(bits);
      isSame = !proof.a.isEmpty() && (proof.a.mayBe() & ~proof.b.ones()) == 0;
    }
    if (isSame) return valueOf(i, word, "mask", "keeps every bit", proof, false);
  }
  return {};
}

// ---- reasons ----

/// The first thing that a value comes from of which nothing is known.
std::string_view CheckJudge::reasonOf(Slot slot, uint32_t depth) const {
  const InstRef def = slot ? ranges_.slots().info(slot).def : InstRef();
  if (!def || depth == 0) return {};
  if (!module_.blockOf(def))
    return module_.opcode(def) == spv::Op::OpFunctionParameter ? "parameter"
           : module_.opcode(def) == spv::Op::OpUndef           ? "undefined"
                                                               : "specialization-constant";
  const spv::Op op = module_.opcode(def);
  if (op == spv::Op::OpLoad) {
    if (!builtInOf(analyses_, def, 0)) return "loaded";
    return at(slot).most() == at(slot).mask() ? "unbounded-input" : std::string_view();
  }
  if (op == spv::Op::OpPhi) return "counter";
  if (op == spv::Op::OpArrayLength) return "length";
  std::string_view reason;
  module_.forEachIdOperand(def, [&](uint32_t word, Id id) {
    if (word < 3 || !reason.empty()) return;
    reason = reasonOf(ranges_.slots().of(id, ranges_.slots().info(slot).component), depth - 1);
  });
  if (reason.empty() && !module_.facts(def).speculatable && op != spv::Op::OpExtInst)
    return "loaded"; // atomics, images, operations of subgroups
  return reason;
}

std::string_view CheckJudge::whyKept(InstRef i) {
  if (module_.opcode(i) == spv::Op::OpAll)
    return guards_.judge(i) == LoopGuards::Verdict::MayReachZero ? "may-not-end"
                                                                 : std::string_view();
  const std::string_view name = nameOfCheck(module_, i);
  if (name.empty() || name == "abs" || componentsOf(i) == 0) return {};
  for (uint32_t word = 5; word < module_.wordCount(i); ++word)
    for (uint32_t n = 0; n < componentsOf(i); ++n)
      if (const auto reason = reasonOf(part(i, word, n), kReasonDepth); !reason.empty())
        return reason;
  return "not-proved";
}

} // namespace lanewise
