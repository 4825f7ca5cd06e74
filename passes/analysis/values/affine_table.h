// The arithmetic behind Affine: the table of terms, forms built from forms, and their evaluation.
// Knows nothing of SPIR-V instructions beyond the names of operations.
#pragma once

#include "analysis/control_flow/dominance.h"
#include "analysis/values/affine.h"
#include "ir/index_table.h"

#include <array>
#include <deque>
#include <initializer_list>
#include <memory>

namespace lanewise {

using UnsignedRange = std::pair<uint32_t, uint32_t>;
using SignedRange = std::pair<int64_t, int64_t>;

/// What is known of the values of a few terms, those of Induction mostly.
struct AffineValues {
  /// `stayRange` holds in the blocks that `stay` dominates, the side of the loop's test that goes
  /// on.
  BlockRef stay;
  std::optional<UnsignedRange> stayRange;
  /// There, a run of the loop has no value of `stayRange` (of `samples`, if there are some) twice.
  bool isOnce = false;
  /// Values to sample from, ascending; empty: from the range.
  std::vector<uint32_t> samples;
  /// See Affine::termSequence().
  std::vector<uint32_t> sequence;
  std::optional<uint32_t> sequenceRepeat;
};

/// A term and what is known of it.
struct AffineTermFacts {
  AffineTerm term;
  /// Holds wherever the value exists.
  std::optional<UnsignedRange> range;
  std::shared_ptr<const AffineValues> values; ///< null: nothing is known of them
  /// Bits that may be 1.
  uint32_t possibleBits = UINT32_MAX;
  bool uniform = false;
  bool evaluable = true;
  bool dependsOnSpec = false;
  /// Nesting of Derived terms, and how many terms there are at all depths: what evaluation costs.
  uint32_t depth = 0, weight = 1;

  const AffineValues& known() const {
    static const AffineValues nothing;
    return values ? *values : nothing;
  }
};

/// Terms are interned: equal terms have one index. Operations that return an optional return
/// nothing when the result would be too large; callers then make it opaque. All results are exact
/// modulo 2^32. They use ranges that hold in the block of setContext(), so a result may only be
/// used for a value that is computed there. `dependsOnSpec` of operands is not carried to results:
/// whoever fetches operands does that.
class AffineTable {
public:
  static constexpr size_t kMaxArguments = 4; ///< of a Derived term

  explicit AffineTable(const Dominance& dominance) : dominance_(dominance) {}

  void setContext(BlockRef block) { context_ = block; }

  uint32_t intern(AffineTermFacts facts);
  const AffineTermFacts& facts(uint32_t term) const { return terms_[term]; }
  const AffineExpr& argument(uint32_t index) const { return arguments_[index]; }

  static AffineExpr constant(uint32_t value);
  AffineExpr ofTerm(uint32_t term) const;

  // What is known of a form.
  std::optional<UnsignedRange> rangeOf(const AffineExpr& e) const;
  std::optional<SignedRange> signedRangeOf(const AffineExpr& e) const;
  uint32_t possibleBits(const AffineExpr& e) const;
  bool isUniform(const AffineExpr& e) const;
  bool isEvaluable(const AffineExpr& e) const;
  static bool sameForm(const AffineExpr& a, const AffineExpr& b) {
    return a.constant == b.constant && a.terms == b.terms;
  }

  // 32-bit arithmetic.
  using Form = std::optional<AffineExpr>;
  Form add(const AffineExpr& a, const AffineExpr& b);
  Form subtract(const AffineExpr& a, const AffineExpr& b);
  Form scale(const AffineExpr& a, uint32_t factor);
  Form multiply(const AffineExpr& a, const AffineExpr& b);
  /// Unsigned division and remainder.
  Form divide(const AffineExpr& a, const AffineExpr& b);
  Form remainder(const AffineExpr& a, const AffineExpr& b);
  Form bitAnd(const AffineExpr& a, const AffineExpr& b);
  Form bitOr(const AffineExpr& a, const AffineExpr& b);
  Form bitXor(const AffineExpr& a, const AffineExpr& b);
  Form shiftLeft(const AffineExpr& a, const AffineExpr& amount);
  Form shiftRightLogical(const AffineExpr& a, const AffineExpr& amount);
  Form shiftRightArithmetic(const AffineExpr& a, const AffineExpr& amount);
  /// OpSDiv, OpSRem, OpSMod.
  Form signedDivision(spv::Op op, const AffineExpr& a, const AffineExpr& b);
  /// 0 or 1.
  Form equal(const AffineExpr& a, const AffineExpr& b);
  Form less(bool isSigned, const AffineExpr& a, const AffineExpr& b);
  Form logicalAnd(const AffineExpr& a, const AffineExpr& b);
  Form logicalOr(const AffineExpr& a, const AffineExpr& b);
  Form logicalNot(const AffineExpr& a) { return subtract(constant(1), a); }
  Form select(const AffineExpr& condition, const AffineExpr& a, const AffineExpr& b);
  Form smaller(bool isSigned, const AffineExpr& a, const AffineExpr& b);
  Form larger(bool isSigned, const AffineExpr& a, const AffineExpr& b);
  /// `a` modulo 2^width, width <= 32: what is left of it in a narrower type.
  Form truncate(const AffineExpr& a, uint32_t width);
  /// Any other operation that fold() knows, as a Derived term.
  Form derived(spv::Op op, uint32_t extInst, std::initializer_list<const AffineExpr*> arguments,
               std::optional<UnsignedRange> range = {}, uint32_t bits = UINT32_MAX);

  /// The value of one operation, nothing where it is undefined or not known.
  static std::optional<uint32_t> fold(spv::Op op, uint32_t extInst, std::span<const uint32_t> v);
  /// The value of a Derived term, where `operand(n)` gives the value of its operands: of those that
  /// it depends on alone, since what the first leaves out may be undefined.
  template <class Operand>
  static std::optional<uint32_t> evaluateDerived(const AffineTerm& term, Operand&& operand);
  std::optional<uint32_t> evaluate(const AffineExpr& e, const LaneContext& lane) const;
  /// See Affine::evaluate().
  std::optional<uint32_t> evaluate(const AffineExpr& e, const std::array<uint32_t, 3>& localId,
                                   std::span<const std::pair<uint32_t, uint32_t>> assigned) const;
  /// The value that a seed chooses for a term of WorkgroupId, Induction or UniformOpaque.
  uint32_t sample(const AffineTermFacts& facts, uint32_t seed) const;
  /// Out of how many values.
  uint64_t sampleCount(const AffineTermFacts& facts) const;
  /// What seeds there are for the uniform terms of all of these, at most `most`.
  UniformStates uniformStates(std::span<const AffineExpr* const> together, BlockRef at,
                              uint32_t most) const;

private:
  /// The exact integer that a form stands for before it is taken modulo 2^32.
  struct Sum {
    int64_t lo = 0, hi = 0;
    int64_t constant = 0;
  };
  /// a = divisor * quotient + rest over the integers, 0 <= rest <= restHi.
  struct Split {
    AffineExpr quotient, rest;
    uint32_t restHi = 0;
  };
  std::optional<UnsignedRange> rangeOfTerm(uint32_t term) const;
  std::optional<Sum> sumOf(const AffineExpr& e) const;
  /// The same, when it stays within the unsigned 32-bit integers.
  std::optional<Sum> unsignedSumOf(const AffineExpr& e) const;
  /// What is left of a form without multiples of a power of two, which drop out of its remainder
  /// whether or not the sum wraps.
  struct LowPart {
    AffineExpr rest;
    bool isRemainder = false; ///< `rest` is the remainder itself: from 0 up to below the power
  };
  LowPart lowPart(const AffineExpr& a, uint32_t power) const;
  /// a - a % p, which has the same quotient by `divisor` as `a`: for the greatest power of two p
  /// that divides it and for which the remainder is a sum (`a` itself for 1).
  Form roundDown(const AffineExpr& a, uint32_t divisor);
  std::optional<Split> split(const AffineExpr& a, uint32_t divisor) const;
  Form divideByConstant(const AffineExpr& a, uint32_t divisor);
  Form divideRest(const AffineExpr& rest, uint32_t divisor);
  Form remainderByConstant(const AffineExpr& a, uint32_t divisor);
  Form remainderOfRest(const AffineExpr& rest, uint32_t divisor);
  Form remainderByPowerOfTwo(const AffineExpr& a, uint32_t divisor);
  /// Fills in the range, puts `d * (e / d) + e % d` together; nothing if there are too many terms.
  Form finish(AffineExpr e);
  bool joinDivisionAndRemainder(AffineExpr& e);
  bool multiplyBack(AffineExpr& e);
  /// The Derived term that `e` is, null if it is anything else.
  const AffineTermFacts* asDerived(const AffineExpr& e, spv::Op op) const;
  uint32_t internArgument(const AffineExpr& e);
  std::optional<uint32_t> evaluateTerm(uint32_t term, const LaneContext& lane) const;
  void collectSampled(const AffineExpr& e, std::vector<uint32_t>& terms) const;
  bool isSampled(const AffineTermFacts& facts) const;

  const Dominance& dominance_;
  BlockRef context_;
  std::deque<AffineTermFacts> terms_;
  IndexTable termIndex_; ///< into terms_
  std::deque<AffineExpr> arguments_;
  IndexTable argumentIndex_; ///< into arguments_, by the form
};

template <class Operand>
std::optional<uint32_t> AffineTable::evaluateDerived(const AffineTerm& term, Operand&& operand) {
  if (term.op == spv::Op::OpSelect) {
    const std::optional<uint32_t> condition = operand(0);
    return condition ? operand(*condition != 0 ? 1 : 2) : std::nullopt;
  }
  if (term.op == spv::Op::OpLogicalAnd || term.op == spv::Op::OpLogicalOr) {
    const std::optional<uint32_t> first = operand(0);
    if (!first || (*first != 0) == (term.op == spv::Op::OpLogicalOr)) return first;
    return operand(1);
  }
  std::array<uint32_t, kMaxArguments> values{};
  for (size_t n = 0; n < term.args.size(); ++n) {
    const std::optional<uint32_t> value = operand(n);
    if (!value) return std::nullopt;
    values[n] = *value;
  }
  return fold(term.op, term.extInst, {values.data(), term.args.size()});
}

} // namespace lanewise
