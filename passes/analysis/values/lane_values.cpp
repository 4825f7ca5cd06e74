#include "analysis/values/lane_values.h"

#include "analysis/module/entry_points.h"
#include "analysis/values/affine_table.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Values, of five bytes each.
constexpr uint64_t kMostKept = uint64_t(1) << 23;

} // namespace

LaneValues::LaneValues(const Affine& affine, std::array<uint32_t, 3> workgroupSize,
                       uint32_t subgroupSize, const CarriedColumns* carried)
    : affine_(affine), size_(workgroupSize), subgroupSize_(subgroupSize),
      lanes_(uint32_t(std::min<uint64_t>(uint64_t(size_[0]) * size_[1] * size_[2], UINT32_MAX))),
      carried_(carried) {}

void LaneValues::fill(LaneColumn& column, uint32_t value, uint8_t facts) const {
  column.values.assign(lanes_, value);
  column.facts.assign(lanes_, facts);
}

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
  add(e, columns, result_);
  return result_;
}

bool LaneValues::add(const AffineExpr& e, Columns& columns, LaneColumn& sum) {
  fill(sum, e.constant, LaneColumn::HasValue);
  computed_ += lanes_;
  bool isCarried = false;
  for (const auto& [index, coefficient] : e.terms) {
    const Kept& kept = term(index, columns);
    isCarried |= kept.isCarried;
    for (uint32_t n = 0; n < lanes_; ++n) {
      sum.values[n] += coefficient * kept.column.values[n];
      sum.facts[n] = LaneColumn::join(sum.facts[n], kept.column.facts[n]);
    }
  }
  return isCarried;
}

const LaneValues::Kept& LaneValues::term(uint32_t index, Columns& columns) {
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
  if (term.kind == AffineTerm::Kind::LocalId || term.kind == AffineTerm::Kind::SubgroupLane ||
      term.kind == AffineTerm::Kind::SubgroupIndex) {
    fill(column, 0, LaneColumn::HasValue);
    for (uint32_t n = 0; n < lanes_; ++n)
      column.values[n] = term.kind == AffineTerm::Kind::LocalId
                             ? localIdOf(n, size_)[term.component]
                         : term.kind == AffineTerm::Kind::SubgroupLane ? n % subgroupSize_
                                                                       : n / subgroupSize_;
    return;
  }
  if (term.kind == AffineTerm::Kind::VaryingOpaque)
    fill(column, 0, LaneColumn::IsUnknown);
  else
    fill(column, affine_.sampleOf(index, columns.seed),
         affine_.isOneOfSeveral(index) ? LaneColumn::HasValue | LaneColumn::IsSampled
                                       : LaneColumn::HasValue);
  const LaneColumn* carried = carried_ ? carried_->of(index) : nullptr;
  kept.isCarried = carried != nullptr;
  for (uint32_t n = 0; carried && n < lanes_; ++n)
    if (carried->is(n, LaneColumn::HasValue)) {
      column.values[n] = carried->values[n];
      column.facts[n] = LaneColumn::HasValue;
    }
}

void LaneValues::derive(const AffineTerm& term, Columns& columns, Kept& kept) {
  std::array<LaneColumn, AffineTable::kMaxArguments> arguments;
  kept.isCarried = false;
  for (size_t a = 0; a < term.args.size(); ++a)
    kept.isCarried |= add(affine_.argument(term.args[a]), columns, arguments[a]);
  fill(kept.column, 0, 0);
  for (uint32_t n = 0; n < lanes_; ++n) {
    uint8_t facts = LaneColumn::HasValue;
    const auto value = AffineTable::evaluateDerived(term, [&](size_t a) {
      facts = LaneColumn::join(facts, arguments[a].facts[n]);
      return arguments[a].value(n);
    });
    kept.column.facts[n] = value ? facts : uint8_t(facts & ~LaneColumn::HasValue);
    kept.column.values[n] = value.value_or(0);
  }
}

} // namespace lanewise
