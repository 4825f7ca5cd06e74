// --eliminate-redundant-checks: remove comparisons, choices and clamps whose outcome is certain
//
// What: compilers for WebGPU, layers for Direct3D and careful authors guard every index: `min(i, n - 1)`,
// `if (i < n)`, `b == 0 ? 1 : b`. Where the outcome is the same for every input, a comparison becomes a
// constant, a selection one of its values, a minimum, maximum or clamp one of its operands; so do
// remainders, quotients and masks that change nothing. Signed divisions by powers of two of what is never
// negative become shifts and masks. Branches on what became constant are --simplifycfg's.
//
// Legal when: proved for every input by ranges (analysis/ranges/value_ranges.h: literals, literal
// workgroup sizes, what built-ins can be by the specification, counters of loops, masks, branches that
// lead here) or by a branch that compared the same values (analysis/ranges/inequalities.h). What memory
// holds is never known, and a second load is another value; a specialization constant may have any value.
// So the result is the same with --robust.
//
// Pays when: always. Nothing is moved or added.
//
// Before => After:
//
//     %c = OpULessThan %bool %i %n                 %c = OpULessThan %bool %i %n
//          OpBranchConditional %c %yes %no              OpBranchConditional %c %yes %no
//     %yes = OpLabel                         =>    %yes = OpLabel
//     %m = OpISub %uint %n %uint_1
//     %j = OpExtInst %uint %glsl UMin %i %m        (uses of %j: %i)
//
// Not handled: floating point; values of memory; products of two variables as symbols.
//
// Reference: docs/passes/eliminate-redundant-checks.md.

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/comparison.h"
#include "analysis/module/def_use.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/source_lines.h"
#include "analysis/ranges/inequalities.h"
#include "analysis/ranges/input_ranges.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"
#include "transforms/constant_pool.h"
#include "transforms/value_edits.h"

#include <algorithm>
#include <bit>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "eliminate-redundant-checks";
/// Instructions behind one another that are looked at for the reason why nothing is known.
constexpr uint32_t kReasonDepth = 6;

/// What becomes of an instruction.
struct Verdict {
  enum class Kind : uint8_t {
    Kept,
    Constant, ///< `bits`, one for each component
    Value,    ///< `value` stands for the result
    Operand,  ///< word 1 of a branch becomes the constant `bits`
    Shift,    ///< a signed quotient: a shift by `bits`
    Mask      ///< a signed remainder: a mask of `bits`
  };
  Kind kind = Kind::Kept;
  std::vector<uint64_t> bits;
  Id value;
  std::string_view what; ///< "comparison", "min"
  std::string outcome;   ///< "is always true"
  std::string why;       ///< "the left side is 0 to 63, the right 64"
  InstRef test;          ///< the proof rests on this condition
};

struct Site {
  InstRef inst;
  BlockRef block;
  Verdict verdict;
};

// ---- words ----

std::string textOf(const IntegerRange& range, bool isSigned) {
  if (const auto value = range.value())
    return isSigned ? formatText("{}", signedOf(*value, range.width())) : formatText("{}", *value);
  if (isSigned) return formatText("{} to {}", range.leastSigned(), range.mostSigned());
  return formatText("{} to {}", range.least(), range.most());
}

std::string_view nameOfGlsl(uint32_t instruction) {
  switch (instruction) {
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

bool isSignedGlsl(uint32_t instruction) {
  return instruction == GLSLstd450SMin || instruction == GLSLstd450SMax ||
         instruction == GLSLstd450SClamp || instruction == GLSLstd450SAbs;
}

// ---- judge ----

/// Whether an instruction may go, where it stands.
class Judge {
public:
  explicit Judge(Analyses& analyses)
      : analyses_(analyses), module_(analyses.module()), ranges_(analyses),
        inequalities_(analyses, ranges_) {}

  Verdict judge(InstRef i, BlockRef block);
  /// Why nothing is known of an instruction that looks like a check; empty for any other.
  std::string_view whyKept(InstRef i);

private:
  Verdict comparison(InstRef i, const Comparison& c);
  Verdict logic(InstRef i);
  Verdict select(InstRef i);
  Verdict branch(InstRef i);
  Verdict glsl(InstRef i);
  Verdict extremum(InstRef i, uint32_t instruction);
  Verdict clamp(InstRef i, bool isSigned);
  Verdict division(InstRef i);
  Verdict powerOfTwo(InstRef i);
  Verdict mask(InstRef i);

  Slot part(InstRef i, uint32_t word, uint32_t component) const {
    return ranges_.slots().of(module_.idAt(i, word), component);
  }
  uint32_t componentsOf(InstRef i) const {
    return uint32_t(ranges_.slots().of(module_.resultId(i)).size());
  }
  IntegerRange at(Slot slot) const { return ranges_.at(slot, block_); }
  bool isKnownOperand(InstRef i, uint32_t word, uint64_t& bits) const;
  bool isConstant(InstRef i, uint32_t word) const;
  /// Whether the relation holds in every component.
  bool always(Relation relation, bool isSigned, InstRef i, uint32_t left, uint32_t right,
              Proof& proof);
  Verdict valueOf(InstRef i, uint32_t word, std::string_view what, std::string outcome,
                  const Proof& proof, bool isSigned) const;
  std::string whyOf(const Proof& proof, bool isSigned) const;
  std::string_view reasonOf(Slot slot, uint32_t depth) const;

  Analyses& analyses_;
  const Module& module_;
  ValueRanges ranges_;
  Inequalities inequalities_;
  BlockRef block_;
};

Verdict Judge::judge(InstRef i, BlockRef block) {
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

std::string Judge::whyOf(const Proof& proof, bool isSigned) const {
  if (proof.test) return "a branch that leads here has tested it";
  return formatText("one side is {}, the other {}", textOf(proof.a, isSigned),
                    textOf(proof.b, isSigned));
}

bool Judge::always(Relation relation, bool isSigned, InstRef i, uint32_t left, uint32_t right,
                   Proof& proof) {
  const uint32_t components = componentsOf(i);
  for (uint32_t n = 0; n < components; ++n)
    if (inequalities_.decide(relation, isSigned, part(i, left, n), part(i, right, n), block_,
                             &proof) != true)
      return false;
  return components != 0;
}

Verdict Judge::valueOf(InstRef i, uint32_t word, std::string_view what, std::string outcome,
                       const Proof& proof, bool isSigned) const {
  Verdict v;
  v.kind = Verdict::Kind::Value;
  v.value = module_.idAt(i, word);
  v.what = what;
  v.outcome = std::move(outcome);
  v.why = whyOf(proof, isSigned);
  v.test = proof.test;
  return v;
}

Verdict Judge::comparison(InstRef i, const Comparison& c) {
  Verdict v;
  Proof proof;
  for (uint32_t n = 0; n < componentsOf(i); ++n) {
    const auto outcome = inequalities_.decide(c.relation, c.isSigned, part(i, 3, n), part(i, 4, n),
                                              block_, &proof);
    if (!outcome) return {};
    v.bits.push_back(*outcome);
  }
  if (v.bits.empty()) return {};
  v.kind = Verdict::Kind::Constant;
  v.what = "comparison";
  const bool isTrue = v.bits.front() != 0;
  const bool isMixed = std::adjacent_find(v.bits.begin(), v.bits.end(), std::not_equal_to<>()) !=
                       v.bits.end();
  v.outcome = isMixed ? "is constant" : isTrue ? "is always true" : "is always false";
  v.why = whyOf(proof, c.isSigned);
  v.test = proof.test;
  return v;
}

/// What is certain wherever it is used becomes a constant itself, and who uses it is folded then.
bool Judge::isConstant(InstRef i, uint32_t word) const {
  const auto slots = ranges_.slots().of(module_.idAt(i, word));
  return std::all_of(slots.begin(), slots.end(),
                     [&](Slot slot) { return ranges_.of(slot).value().has_value(); });
}

/// The value that all components of an operand have here.
bool Judge::isKnownOperand(InstRef i, uint32_t word, uint64_t& bits) const {
  const auto slots = ranges_.slots().of(module_.idAt(i, word));
  std::optional<uint64_t> known;
  for (Slot slot : slots) {
    if (ranges_.slots().info(slot).isUndef) return false;
    const auto value = at(slot).value();
    if (!value || (known && known != value)) return false;
    known = value;
  }
  bits = known.value_or(0);
  return known.has_value();
}

Verdict Judge::logic(InstRef i) {
  Verdict v;
  v.what = "condition";
  v.outcome = "is constant";
  v.why = "branches that lead here have tested its parts";
  for (Slot slot : ranges_.slots().of(module_.resultId(i)))
    if (const auto value = at(slot).value()) v.bits.push_back(*value);
  if (!v.bits.empty() && v.bits.size() == componentsOf(i)) {
    v.kind = Verdict::Kind::Constant;
    return v;
  }
  const spv::Op op = module_.opcode(i);
  if (op != spv::Op::OpLogicalAnd && op != spv::Op::OpLogicalOr) return {};
  for (uint32_t word : {3u, 4u}) {
    uint64_t bits = 0;
    if (!isKnownOperand(i, word, bits) || (bits != 0) != (op == spv::Op::OpLogicalAnd)) continue;
    v.kind = Verdict::Kind::Value;
    v.value = module_.idAt(i, 7 - word);
    v.outcome = "is its other part";
    v.why = "a branch that leads here has tested one part";
    return v;
  }
  return {};
}

Verdict Judge::select(InstRef i) {
  uint64_t bits = 0;
  if (!isKnownOperand(i, 3, bits) || isConstant(i, 3)) return {};
  Verdict v;
  v.kind = Verdict::Kind::Value;
  v.value = module_.idAt(i, bits != 0 ? 4 : 5);
  v.what = "selection";
  v.outcome = formatText("always takes its {} value", bits != 0 ? "first" : "second");
  v.why = formatText("its condition is always {} here", bits != 0 ? "true" : "false");
  return v;
}

Verdict Judge::branch(InstRef i) {
  uint64_t bits = 0;
  if (ranges_.slots().of(module_.idAt(i, 1)).size() != 1 || !isKnownOperand(i, 1, bits)) return {};
  if (isConstant(i, 1)) return {};
  Verdict v;
  v.kind = Verdict::Kind::Operand;
  v.bits = {bits};
  v.what = module_.opcode(i) == spv::Op::OpSwitch ? "switch" : "branch";
  v.outcome = "always goes one way";
  v.why = formatText("what it tests is always {} here",
                     module_.opcode(i) == spv::Op::OpSwitch ? formatText("{}", bits)
                     : bits != 0                            ? "true"
                                                            : "false");
  return v;
}

// ---- minima, maxima, clamps ----

Verdict Judge::glsl(InstRef i) {
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
    Verdict v = valueOf(i, 5, "abs", "is its operand", proof, true);
    v.why = formatText("that is {}", textOf(proof.a, true));
    return v;
  }
  default:
    return {};
  }
}

Verdict Judge::extremum(InstRef i, uint32_t instruction) {
  const bool isSigned = isSignedGlsl(instruction);
  const bool isMin = instruction == GLSLstd450UMin || instruction == GLSLstd450SMin;
  const Relation relation = isMin ? Relation::LessEqual : Relation::GreaterEqual;
  Proof proof;
  for (uint32_t word : {5u, 6u})
    if (always(relation, isSigned, i, word, 11 - word, proof))
      return valueOf(i, word, nameOfGlsl(instruction),
                     formatText("is its {} operand", word == 5 ? "first" : "second"), proof,
                     isSigned);
  return {};
}

/// Undefined where the bounds are the wrong way round, so that nothing is wrong then.
Verdict Judge::clamp(InstRef i, bool isSigned) {
  Proof low, high;
  const bool isAbove = always(Relation::GreaterEqual, isSigned, i, 5, 6, low);
  const bool isBelow = always(Relation::LessEqual, isSigned, i, 5, 7, high);
  if (isAbove && isBelow) {
    const Proof& either = high.test ? high : low;
    Verdict v = valueOf(i, 5, "clamp", "is its first operand", either, isSigned);
    if (!either.test)
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

Verdict Judge::division(InstRef i) {
  const spv::Op op = module_.opcode(i);
  const bool isSigned = op != spv::Op::OpUDiv && op != spv::Op::OpUMod;
  for (uint32_t n = 0; isSigned && n < componentsOf(i); ++n) {
    const Slot dividend = part(i, 3, n);
    if (!dividend || !at(dividend).isNonNegative()) return {};
  }
  Proof proof;
  // Greater than what is not negative: the divisor is not 0.
  if (!always(Relation::Less, isSigned, i, 3, 4, proof)) return isSigned ? powerOfTwo(i) : Verdict();
  if (op != spv::Op::OpUDiv && op != spv::Op::OpSDiv)
    return valueOf(i, 3, "remainder", "is the dividend", proof, isSigned);
  Verdict v = valueOf(i, 3, "quotient", "is 0", proof, isSigned);
  v.kind = Verdict::Kind::Constant;
  v.bits.assign(componentsOf(i), 0);
  return v;
}

/// Of a scalar that is never negative.
Verdict Judge::powerOfTwo(InstRef i) {
  const auto slots = ranges_.slots().of(module_.idAt(i, 4));
  if (slots.size() != 1) return {};
  const auto divisor = ranges_.slots().info(slots[0]).literal;
  if (!divisor || !std::has_single_bit(*divisor) || !at(slots[0]).isNonNegative()) return {};
  const bool isQuotient = module_.opcode(i) == spv::Op::OpSDiv;
  Verdict v;
  v.kind = isQuotient ? Verdict::Kind::Shift : Verdict::Kind::Mask;
  v.bits = {isQuotient ? uint64_t(std::countr_zero(*divisor)) : *divisor - 1};
  v.what = isQuotient ? "quotient" : "remainder";
  v.outcome = isQuotient ? "is a shift" : "is a mask";
  v.why = formatText("the dividend is {}", textOf(at(part(i, 3, 0)), true));
  return v;
}

Verdict Judge::mask(InstRef i) {
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
std::string_view Judge::reasonOf(Slot slot, uint32_t depth) const {
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

std::string_view Judge::whyKept(InstRef i) {
  const bool isClamp =
      module_.opcode(i) == spv::Op::OpExtInst &&
      module_.extInstSet(module_.idAt(i, 3)) == ExtInstSet::GlslStd450 && componentsOf(i) != 0 &&
      !nameOfGlsl(module_.word(i, 4)).empty() && module_.word(i, 4) != GLSLstd450SAbs;
  if (!isClamp) return {};
  for (uint32_t word = 5; word < module_.wordCount(i); ++word)
    for (uint32_t n = 0; n < componentsOf(i); ++n)
      if (const auto reason = reasonOf(part(i, word, n), kReasonDepth); !reason.empty())
        return reason;
  return "not-proved";
}

// ---- remarks ----

std::string_view explain(std::string_view reason) {
  if (reason == "loaded") return "an operand comes from memory, which may hold anything";
  if (reason == "parameter") return "an operand is a parameter of the function (see --inline)";
  if (reason == "specialization-constant")
    return "an operand comes from a specialization constant, which may have any value (see "
           "--freeze-spec-const)";
  if (reason == "unbounded-input") return "an operand comes from a built-in that has no bound";
  if (reason == "counter") return "an operand depends on the way to it, or on a loop without a bound";
  if (reason == "length") return "the length of the buffer is not known";
  if (reason == "undefined") return "an operand is undefined";
  return "the ranges of its operands overlap";
}

std::string entryNameOf(Analyses& analyses, BlockRef block) {
  const FunctionRef function = analyses.module().functionOf(block);
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all())
    if (std::binary_search(entry.functions.begin(), entry.functions.end(), function))
      return std::string(entry.name(analyses.module()));
  return {};
}

Remark remarkAt(Analyses& analyses, InstRef inst, BlockRef block) {
  Remark remark;
  remark.pass = kPass;
  remark.function = entryNameOf(analyses, block);
  remark.location = analyses.get<SourceLines>().at(analyses.module(), inst);
  return remark;
}

Remark appliedRemark(Analyses& analyses, const Site& site) {
  Remark remark = remarkAt(analyses, site.inst, site.block);
  const Verdict& v = site.verdict;
  remark.kind = Remark::Kind::Applied;
  const bool isRewritten = v.kind == Verdict::Kind::Shift || v.kind == Verdict::Kind::Mask;
  remark.name = isRewritten ? "simplified" : "removed";
  remark.message = formatText("{} {}: {}", v.what, v.outcome, v.why);
  remark.args.push_back({"check", std::string(v.what)});
  if (v.test)
    remark.notes.push_back({analyses.get<SourceLines>().at(analyses.module(), v.test),
                            "the test is here", {}});
  return remark;
}

Remark missedRemark(Analyses& analyses, InstRef inst, BlockRef block, std::string_view reason) {
  Remark remark = remarkAt(analyses, inst, block);
  remark.kind = Remark::Kind::Missed;
  remark.name = reason;
  const std::string_view what = nameOfGlsl(analyses.module().word(inst, 4));
  remark.message = formatText("kept {}: {}", what, explain(reason));
  remark.args.push_back({"check", std::string(what)});
  return remark;
}

// ---- rewrite ----

class Rewrite {
public:
  Rewrite(PassContext& context)
      : module_(context.module), types_(context.analyses.get<Types>()), rewriter_(context.module),
        edits_(context.analyses, rewriter_), constants_(context.analyses, rewriter_) {}

  Result<bool> commit(const std::vector<Site>& sites) {
    for (const Site& site : sites) decide(site);
    for (const Site& site : sites) write(site);
    edits_.apply();
    return rewriter_.commit();
  }

private:
  Id constantOf(Id type, const std::vector<uint64_t>& bits) {
    const TypeInfo& info = types_.info(type);
    if (info.kind == TypeInfo::Kind::Vector) {
      std::vector<Id> parts;
      for (uint64_t b : bits) parts.push_back(scalarOf(info.element, b));
      return constants_.composite(type, parts);
    }
    return scalarOf(type, bits.front());
  }
  Id scalarOf(Id type, uint64_t bits) {
    return types_.info(type).kind == TypeInfo::Kind::Bool ? constants_.boolean(type, bits != 0)
                                                          : constants_.number(type, bits);
  }
  /// Integers of the two signednesses may meet in one instruction.
  bool needsCast(const Site& site) const {
    return site.verdict.kind == Verdict::Kind::Value &&
           module_.typeOf(site.verdict.value) != module_.resultType(site.inst);
  }

  void decide(const Site& site) {
    const Verdict& v = site.verdict;
    const Id result = module_.resultId(site.inst);
    if (v.kind == Verdict::Kind::Constant)
      edits_.replace(result, constantOf(module_.resultType(site.inst), v.bits));
    else if (v.kind == Verdict::Kind::Value && !needsCast(site))
      edits_.replace(result, v.value);
    else
      edits_.isRewritten(site.inst);
  }

  void write(const Site& site) {
    const Verdict& v = site.verdict;
    const InstRef i = site.inst;
    if (v.kind == Verdict::Kind::Operand) {
      rewriter_.setId(i, 1, constantOf(module_.typeOf(module_.idAt(i, 1)), v.bits));
    } else if (needsCast(site)) {
      rewriter_.replace(i, Inst(spv::Op::OpBitcast)
                               .id(module_.resultType(i))
                               .id(module_.resultId(i))
                               .id(edits_.resolved(v.value)));
    } else if (v.kind == Verdict::Kind::Shift || v.kind == Verdict::Kind::Mask) {
      const Id dividend = module_.idAt(i, 3);
      rewriter_.replace(i, Inst(v.kind == Verdict::Kind::Shift ? spv::Op::OpShiftRightLogical
                                                               : spv::Op::OpBitwiseAnd)
                               .id(module_.resultType(i))
                               .id(module_.resultId(i))
                               .id(edits_.resolved(dividend))
                               .id(scalarOf(module_.resultType(i), v.bits.front())));
    }
  }

  const Module& module_;
  const Types& types_;
  Rewriter rewriter_;
  ValueEdits edits_;
  ConstantPool constants_;
};

} // namespace

PassResult runEliminateRedundantChecks(PassContext& context) {
  const Module& module = context.module;
  if (module.functionCount() == 0) return PassOutcome{};

  Judge judge(context.analyses);
  const Cfg& cfg = context.analyses.get<Cfg>();
  std::vector<Site> sites;
  for (uint32_t f = 1; f <= module.functionCount(); ++f)
    for (BlockRef block : cfg.reversePostOrder(FunctionRef(f)))
      for (InstRef i : module.blockInsts(block)) {
        Verdict verdict = judge.judge(i, block);
        if (verdict.kind == Verdict::Kind::Kept) {
          const std::string_view reason = judge.whyKept(i);
          if (!reason.empty())
            context.remarks.push_back(missedRemark(context.analyses, i, block, reason));
          continue;
        }
        sites.push_back({i, block, std::move(verdict)});
      }
  std::vector<Site> accepted;
  for (Site& site : sites) {
    const Id result = module.resultId(site.inst);
    if (!context.maySite(formatText("%{}", result ? result.value
                                                  : module.labelId(site.block).value)))
      continue;
    context.remarks.push_back(appliedRemark(context.analyses, site));
    accepted.push_back(std::move(site));
  }
  if (accepted.empty()) return PassOutcome{};

  const Result<bool> changed = Rewrite(context).commit(accepted);
  if (!changed) return changed.error();
  // No block is added or removed and no edge changes: a branch on a constant still has two.
  return PassOutcome{*changed, PreservedAnalyses::of<Cfg, Dominance>()};
}

} // namespace lanewise
