// Whether a comparison, a choice, a clamp or the like has the same outcome for every input: what
// --eliminate-redundant-checks may remove, and why.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/comparison.h"
#include "analysis/ranges/inequalities.h"
#include "analysis/ranges/loop_guards.h"
#include "analysis/ranges/value_ranges.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// What becomes of an instruction.
struct CheckVerdict {
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

/// "min", "max", "clamp", "abs" for an integer instruction of GLSL.std.450, "loop guard" for what
/// looks like one; empty for any other.
std::string_view nameOfCheck(const Module& module, InstRef i);
/// Whether CheckJudge may find anything to say of an instruction of this kind.
bool looksLikeCheck(const Module& module, InstRef i);
/// One clause for people, from what CheckJudge::whyKept() gives, or "loop-bound" and
/// "stated-bound": those that go nowhere though their outcome is certain.
std::string_view explainKept(std::string_view reason);

/// Looks at one instruction after the other. Holds references; valid until the module changes.
class CheckJudge {
public:
  /// `usesStated`: what the user states of the inputs counts as known.
  CheckJudge(Analyses& analyses, bool usesStated)
      : analyses_(analyses), module_(analyses.module()), ranges_(analyses, usesStated),
        inequalities_(analyses, ranges_), guards_(analyses, ranges_.slots()) {}

  /// What may become of an instruction that stands in `block`, a reachable one.
  CheckVerdict judge(InstRef i, BlockRef block);
  /// Why nothing is known of an instruction that looks like a check; empty for any other.
  std::string_view whyKept(InstRef i);

private:
  CheckVerdict comparison(InstRef i, const Comparison& c);
  CheckVerdict logic(InstRef i);
  CheckVerdict loopGuard(InstRef i);
  CheckVerdict select(InstRef i);
  CheckVerdict branch(InstRef i);
  CheckVerdict glsl(InstRef i);
  CheckVerdict extremum(InstRef i, uint32_t instruction);
  CheckVerdict clamp(InstRef i, bool isSigned);
  CheckVerdict division(InstRef i);
  CheckVerdict powerOfTwo(InstRef i);
  CheckVerdict mask(InstRef i);

  Slot part(InstRef i, uint32_t word, uint32_t component) const {
    return ranges_.slots().of(module_.idAt(i, word), component);
  }
  uint32_t componentsOf(InstRef i) const {
    return uint32_t(ranges_.slots().of(module_.resultId(i)).size());
  }
  IntegerRange at(Slot slot) const { return ranges_.at(slot, block_); }
  bool isKnownOperand(InstRef i, uint32_t word, uint64_t& bits) const;
  bool isConstant(InstRef i, uint32_t word) const;
  /// The operand may be another value at each use, and so cannot stand for a result.
  bool isUndefined(Id id) const {
    const InstRef def = module_.def(id);
    return !def || module_.opcode(def) == spv::Op::OpUndef;
  }
  /// Whether the relation holds in every component.
  bool always(Relation relation, bool isSigned, InstRef i, uint32_t left, uint32_t right,
              Proof& proof);
  CheckVerdict valueOf(InstRef i, uint32_t word, std::string_view what, std::string outcome,
                       const Proof& proof, bool isSigned) const;
  std::string whyOf(const Proof& proof, bool isSigned) const;
  std::string_view reasonOf(Slot slot, uint32_t depth) const;

  Analyses& analyses_;
  const Module& module_;
  ValueRanges ranges_;
  Inequalities inequalities_;
  LoopGuards guards_;
  BlockRef block_;
};

} // namespace lanewise
