#include "analysis/values/lane_values.h"

#include "analysis/module/entry_points.h"
#include "ir/integer_semantics.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace lanewise {
namespace {

/// Values, of five bytes each.
constexpr uint64_t kMostKept = uint64_t(1) << 23;

// ---- sums, a column at a time ----

// Loops of one operation, over pointers of their own: the compiler makes vectors of them.

void setScaled(const LaneColumn& column, uint32_t coefficient, LaneColumn& sum) {
  const uint32_t* const values = column.values.data();
  uint32_t* const sums = sum.values.data();
  const size_t lanes = sum.values.size();
  for (size_t n = 0; n < lanes; ++n) sums[n] = coefficient * values[n];
  std::ranges::copy(column.facts, sum.facts.begin());
}

void addScaled(const LaneColumn& column, uint32_t coefficient, LaneColumn& sum) {
  const uint32_t* const values = column.values.data();
  const uint8_t* const facts = column.facts.data();
  uint32_t* const sums = sum.values.data();
  uint8_t* const all = sum.facts.data();
  const size_t lanes = sum.values.size();
  if (coefficient == 1) // vectors of SSE2 multiply slowly
    for (size_t n = 0; n < lanes; ++n) sums[n] += values[n];
  else
    for (size_t n = 0; n < lanes; ++n) sums[n] += coefficient * values[n];
  for (size_t n = 0; n < lanes; ++n) all[n] = LaneColumn::join(all[n], facts[n]);
}

// ---- operations, a column at a time ----

/// The same as AffineTable::evaluateDerived() for all lanes, of which there are as many as `result`
/// has.
using Arguments = std::span<const LaneColumn* const>;
using Combine = void (*)(Arguments, LaneColumn& result);

/// The first or the second, without a branch, too.
template <class T>
T choose(bool isFirst, T first, T second) {
  const T mask = T(0u - uint32_t(isFirst));
  return T((first & mask) | (second & ~mask));
}

template <spv::Op kOp>
void combineTwo(Arguments arguments, LaneColumn& result) {
  const uint32_t* const a = arguments[0]->values.data();
  const uint32_t* const b = arguments[1]->values.data();
  const uint8_t* const factsOfA = arguments[0]->facts.data();
  const uint8_t* const factsOfB = arguments[1]->facts.data();
  uint32_t* const values = result.values.data();
  uint8_t* const all = result.facts.data();
  for (size_t n = 0, lanes = result.values.size(); n < lanes; ++n) {
    const uint8_t facts = LaneColumn::join(factsOfA[n], factsOfB[n]);
    const IntegerResult value = evaluateBinary(kOp, 32, a[n], b[n]);
    all[n] = value.isDefined() ? facts : uint8_t(facts & ~LaneColumn::HasValue);
    values[n] = LaneColumn::known(uint32_t(value.bits), all[n]);
  }
}

/// What the condition leaves out does not count.
void combineSelect(Arguments arguments, LaneColumn& result) {
  const uint32_t* const conditions = arguments[0]->values.data();
  const uint32_t* const a = arguments[1]->values.data();
  const uint32_t* const b = arguments[2]->values.data();
  const uint8_t* const factsOfCondition = arguments[0]->facts.data();
  const uint8_t* const factsOfA = arguments[1]->facts.data();
  const uint8_t* const factsOfB = arguments[2]->facts.data();
  uint32_t* const values = result.values.data();
  uint8_t* const all = result.facts.data();
  const size_t lanes = result.values.size();
  for (size_t n = 0; n < lanes; ++n) {
    const uint8_t chosen = choose(conditions[n] != 0, factsOfA[n], factsOfB[n]);
    all[n] = LaneColumn::join(factsOfCondition[n], chosen);
  }
  for (size_t n = 0; n < lanes; ++n)
    values[n] = LaneColumn::known(choose(conditions[n] != 0, a[n], b[n]), all[n]);
}

/// Nor does the second, where the first decides.
template <bool kIsOr>
void combineLogical(Arguments arguments, LaneColumn& result) {
  const uint32_t* const a = arguments[0]->values.data();
  const uint32_t* const b = arguments[1]->values.data();
  const uint8_t* const factsOfA = arguments[0]->facts.data();
  const uint8_t* const factsOfB = arguments[1]->facts.data();
  uint32_t* const values = result.values.data();
  uint8_t* const all = result.facts.data();
  for (size_t n = 0, lanes = result.values.size(); n < lanes; ++n) {
    const bool isDecided = (a[n] != 0) == kIsOr;
    const uint8_t joined = LaneColumn::join(factsOfA[n], factsOfB[n]);
    all[n] = choose(isDecided, factsOfA[n], joined);
    values[n] = LaneColumn::known(choose(isDecided, a[n], b[n]), all[n]);
  }
}

/// Null for the rarer ones, which are evaluated one by one.
Combine combinationOf(spv::Op op) {
  switch (op) {
  case spv::Op::OpIMul:
    return combineTwo<spv::Op::OpIMul>;
  case spv::Op::OpUDiv:
    return combineTwo<spv::Op::OpUDiv>;
  case spv::Op::OpUMod:
    return combineTwo<spv::Op::OpUMod>;
  case spv::Op::OpSDiv:
    return combineTwo<spv::Op::OpSDiv>;
  case spv::Op::OpSRem:
    return combineTwo<spv::Op::OpSRem>;
  case spv::Op::OpSMod:
    return combineTwo<spv::Op::OpSMod>;
  case spv::Op::OpShiftLeftLogical:
    return combineTwo<spv::Op::OpShiftLeftLogical>;
  case spv::Op::OpShiftRightLogical:
    return combineTwo<spv::Op::OpShiftRightLogical>;
  case spv::Op::OpShiftRightArithmetic:
    return combineTwo<spv::Op::OpShiftRightArithmetic>;
  case spv::Op::OpBitwiseAnd:
    return combineTwo<spv::Op::OpBitwiseAnd>;
  case spv::Op::OpBitwiseOr:
    return combineTwo<spv::Op::OpBitwiseOr>;
  case spv::Op::OpBitwiseXor:
    return combineTwo<spv::Op::OpBitwiseXor>;
  case spv::Op::OpIEqual:
    return combineTwo<spv::Op::OpIEqual>;
  case spv::Op::OpULessThan:
    return combineTwo<spv::Op::OpULessThan>;
  case spv::Op::OpSLessThan:
    return combineTwo<spv::Op::OpSLessThan>;
  case spv::Op::OpSelect:
    return combineSelect;
  case spv::Op::OpLogicalAnd:
    return combineLogical<false>;
  case spv::Op::OpLogicalOr:
    return combineLogical<true>;
  default:
    return nullptr;
  }
}

/// Divisions and shifts by what all lanes share, as nearly all are: in 32 bits, and by a power of
/// two no division. False for others, and where the operation is not defined of every number.
bool combineWithShared(spv::Op op, Arguments arguments, LaneColumn& result) {
  const LaneColumn &left = *arguments[0], *const right = arguments[1];
  if (!right || !right->isUniform || right->facts.front() != LaneColumn::HasValue) return false;
  const uint32_t b = right->values.front();
  const auto each = [&](auto operation) {
    const uint32_t* const a = left.values.data();
    const uint8_t* const facts = left.facts.data();
    uint32_t* const values = result.values.data();
    for (size_t n = 0, lanes = result.values.size(); n < lanes; ++n)
      values[n] = LaneColumn::known(operation(a[n]), facts[n]);
    std::copy_n(facts, result.facts.size(), result.facts.begin());
    return true;
  };
  const int log = std::countr_zero(b);
  switch (op) {
  case spv::Op::OpUDiv:
    if (std::has_single_bit(b)) return each([log](uint32_t a) { return a >> log; });
    return b != 0 && each([b](uint32_t a) { return a / b; });
  case spv::Op::OpUMod:
    if (std::has_single_bit(b)) return each([b](uint32_t a) { return a & (b - 1); });
    return b != 0 && each([b](uint32_t a) { return a % b; });
  case spv::Op::OpSDiv: // the smallest number has no quotient by -1
    return b != 0 && b != UINT32_MAX &&
           each([b](uint32_t a) { return uint32_t(int32_t(a) / int32_t(b)); });
  case spv::Op::OpSRem:
    return b != 0 && b != UINT32_MAX &&
           each([b](uint32_t a) { return uint32_t(int32_t(a) % int32_t(b)); });
  case spv::Op::OpShiftLeftLogical:
    return b < 32 && each([b](uint32_t a) { return a << b; });
  case spv::Op::OpShiftRightLogical:
    return b < 32 && each([b](uint32_t a) { return a >> b; });
  case spv::Op::OpShiftRightArithmetic:
    return b < 32 && each([b](uint32_t a) { return uint32_t(int32_t(a) >> b); });
  default:
    return false;
  }
}

/// What the term's operation makes of its arguments, for as many lanes as `result` has.
void combineAll(const AffineTerm& term, Arguments arguments, LaneColumn& result) {
  if (combineWithShared(term.op, arguments, result)) return;
  if (const Combine combine = combinationOf(term.op)) return combine(arguments, result);
  for (uint32_t n = 0; n < result.values.size(); ++n) {
    uint8_t facts = LaneColumn::HasValue;
    const auto value = AffineTable::evaluateDerived(term, [&](size_t a) {
      facts = LaneColumn::join(facts, arguments[a]->facts[n]);
      return arguments[a]->value(n);
    });
    result.facts[n] = value ? facts : uint8_t(facts & ~LaneColumn::HasValue);
    result.values[n] = value.value_or(0);
  }
}

} // namespace

LaneValues::LaneValues(const Affine& affine, std::array<uint32_t, 3> workgroupSize,
                       uint32_t subgroupSize, const CarriedColumns* carried, Uncarried uncarried)
    : affine_(affine), size_(workgroupSize), subgroupSize_(subgroupSize),
      lanes_(uint32_t(std::min<uint64_t>(uint64_t(size_[0]) * size_[1] * size_[2], UINT32_MAX))),
      carried_(carried), uncarried_(uncarried) {}

const LaneColumn& LaneValues::of(const AffineExpr& e, uint32_t seed) {
  Columns& columns = seed == 0 ? first_ : other_;
  if (columns.seed != seed) {
    columns.seed = seed;
    ++columns.epoch;
  }
  if (kept_ * lanes_ > kMostKept) {
    first_.ofTerm.clear();
    other_.ofTerm.clear();
    kept_ = 0;
  }
  bool isCarried = false;
  return columnOf(e, columns, result_, isCarried);
}

const LaneColumn& LaneValues::columnOf(const AffineExpr& e, Columns& columns, LaneColumn& scratch,
                                       bool& isCarried) {
  if (e.constant == 0 && e.terms.size() == 1 && e.terms.front().second == 1) {
    computed_ += lanes_;
    const Kept& kept = term(e.terms.front().first, columns);
    isCarried |= kept.isCarried;
    return kept.column;
  }
  isCarried |= add(e, columns, scratch);
  return scratch;
}

bool LaneValues::add(const AffineExpr& e, Columns& columns, LaneColumn& sum) {
  computed_ += lanes_;
  sum.values.resize(lanes_);
  sum.facts.resize(lanes_);
  sum.isUniform = false;
  bool isCarried = false, isFirst = true;
  uint32_t constant = e.constant; // and what is known to be the same for all lanes
  for (const auto& [index, coefficient] : e.terms) {
    const Kept& kept = term(index, columns);
    isCarried |= kept.isCarried;
    if (kept.column.isUniform && kept.column.facts.front() == LaneColumn::HasValue)
      constant += coefficient * kept.column.values.front();
    else if (std::exchange(isFirst, false))
      setScaled(kept.column, coefficient, sum);
    else
      addScaled(kept.column, coefficient, sum);
  }
  if (isFirst)
    sum.fill(lanes_, constant, LaneColumn::HasValue);
  else if (constant != 0)
    for (uint32_t& value : sum.values) value += constant;
  return isCarried;
}

bool LaneValues::isSeeded(const AffineExpr& e) {
  return std::ranges::any_of(e.terms, [&](const auto& term) { return isSeeded(term.first); });
}

/// Whether a seed chooses the value of the term, or of something that it is derived from.
bool LaneValues::isSeeded(uint32_t index) {
  if (index >= isSeeded_.size()) isSeeded_.resize(size_t(index) + 1, -1);
  if (isSeeded_[index] >= 0) return isSeeded_[index] != 0;
  const AffineTerm& term = affine_.term(index);
  const bool is = term.kind == AffineTerm::Kind::Derived
                      ? std::ranges::any_of(
                            term.args, [&](uint32_t a) { return isSeeded(affine_.argument(a)); })
                      : term.kind == AffineTerm::Kind::WorkgroupId ||
                            term.kind == AffineTerm::Kind::Induction ||
                            term.kind == AffineTerm::Kind::UniformOpaque;
  isSeeded_[index] = is ? 1 : 0;
  return is;
}

std::optional<uint32_t> LaneValues::uniformValue(uint32_t term, uint32_t seed,
                                                 bool& isSampled) const {
  const LaneColumn* carried = carried_ ? carried_->of(term) : nullptr;
  if (carried && !carried->isUniform) return std::nullopt;
  if (carried && carried->is(0, LaneColumn::HasValue)) return carried->values.front();
  isSampled |= affine_.isOneOfSeveral(term);
  return affine_.sampleOf(term, seed);
}

const LaneValues::Kept& LaneValues::term(uint32_t index, Columns& columns) {
  if (&columns == &other_ && !isSeeded(index)) return term(index, first_);
  if (columns.ofTerm.size() <= index) columns.ofTerm.resize(size_t(index) + 1);
  Kept& kept = columns.ofTerm[index];
  if (kept.epoch == columns.epoch && (!kept.isCarried || kept.round == round_)) return kept;
  if (kept.epoch == 0) ++kept_;
  compute(index, columns, kept);
  kept.epoch = columns.epoch;
  kept.round = round_;
  return kept;
}

void LaneValues::compute(uint32_t index, Columns& columns, Kept& kept) {
  computed_ += lanes_;
  const AffineTerm& term = affine_.term(index);
  LaneColumn& column = kept.column;
  if (term.kind == AffineTerm::Kind::Derived) return derive(term, columns, kept);
  if (term.kind == AffineTerm::Kind::LocalId) {
    column.fill(lanes_, 0, LaneColumn::HasValue);
    column.isUniform = false;
    for (uint32_t n = 0; n < lanes_; ++n) column.values[n] = localIdOf(n, size_)[term.component];
    return;
  }
  if (uncarried_ == Uncarried::Sampled)
    takeSample(index, columns.seed, column);
  else
    column.fill(lanes_, 0, LaneColumn::IsUnknown);
  const LaneColumn* carried = carried_ ? carried_->of(index) : nullptr;
  kept.isCarried = carried != nullptr;
  if (!carried) return;
  column.isUniform = carried->isUniform;
  const uint32_t* const from = carried->values.data();
  const uint8_t* const known = carried->facts.data();
  uint32_t* const values = column.values.data();
  uint8_t* const facts = column.facts.data();
  for (size_t n = 0, lanes = lanes_; n < lanes; ++n) {
    const bool isKnown = (known[n] & LaneColumn::HasValue) != 0;
    values[n] = choose(isKnown, from[n], values[n]);
    facts[n] = choose(isKnown, uint8_t(LaneColumn::HasValue), facts[n]);
  }
}

/// What LaneContext says of the term, which is neither Derived nor a LocalId.
void LaneValues::takeSample(uint32_t index, uint32_t seed, LaneColumn& column) const {
  const AffineTerm::Kind kind = affine_.term(index).kind;
  if (kind == AffineTerm::Kind::SubgroupLane || kind == AffineTerm::Kind::SubgroupIndex) {
    column.fill(lanes_, 0, LaneColumn::HasValue);
    column.isUniform = false;
    for (uint32_t n = 0; n < lanes_; ++n)
      column.values[n] =
          kind == AffineTerm::Kind::SubgroupLane ? n % subgroupSize_ : n / subgroupSize_;
  } else if (kind == AffineTerm::Kind::VaryingOpaque) {
    column.fill(lanes_, 0, LaneColumn::IsUnknown);
  } else {
    column.fill(lanes_, affine_.sampleOf(index, seed),
                affine_.isOneOfSeveral(index) ? LaneColumn::HasValue | LaneColumn::IsSampled
                                              : LaneColumn::HasValue);
  }
}

void LaneValues::derive(const AffineTerm& term, Columns& columns, Kept& kept) {
  if (scratch_.size() == depth_) scratch_.emplace_back();
  auto& scratch = scratch_[depth_++];
  std::array<const LaneColumn*, AffineTable::kMaxArguments> arguments{};
  kept.isCarried = false;
  for (size_t a = 0; a < term.args.size(); ++a)
    arguments[a] = &columnOf(affine_.argument(term.args[a]), columns, scratch[a], kept.isCarried);
  --depth_;
  LaneColumn& column = kept.column;
  const bool isUniform =
      std::all_of(arguments.begin(), arguments.begin() + ptrdiff_t(term.args.size()),
                  [](const LaneColumn* argument) { return argument->isUniform; });
  const uint32_t lanes = isUniform ? 1 : lanes_;
  column.values.resize(lanes);
  column.facts.resize(lanes);
  column.isUniform = false;
  combineAll(term, arguments, column);
  if (isUniform) column.fill(lanes_, column.values.front(), column.facts.front());
}

} // namespace lanewise
