// Values of affine forms for all lanes of a workgroup at once: a column a form.
//
// Forms share terms: `t % 32` stands in every index of a tile. A term is computed once, for all
// lanes, and kept for as long as it holds; lane by lane, each form would evaluate it again. Says
// what Affine::evaluate() says for each lane.
#pragma once

#include "analysis/values/affine.h"
#include "analysis/values/affine_table.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace lanewise {

/// Both by LocalInvocationIndex.
struct LaneColumn {
  enum Fact : uint8_t {
    HasValue = 1,
    IsSampled = 2, ///< a seed chose the value of some term, out of several
    IsUnknown = 4  ///< some term has no value
  };
  std::vector<uint32_t> values;
  std::vector<uint8_t> facts; ///< of Fact
  bool isUniform = false;     ///< all lanes are known to have the same

  // These two without branches: loops over lanes become vectors.

  /// The value where `facts` say that there is one, else 0.
  static uint32_t known(uint32_t value, uint8_t facts) {
    return value & (0u - uint32_t(facts & HasValue));
  }
  /// What is known of one value and of the next that something is computed from, in this order:
  /// behind one that has no value nothing is looked at.
  static uint8_t join(uint8_t before, uint8_t next) {
    const uint32_t has = 0u - uint32_t(before & HasValue);
    return uint8_t((before & ~(has & HasValue)) | (next & has));
  }
  bool is(uint32_t lane, Fact fact) const { return (facts[lane] & fact) != 0; }
  void fill(size_t lanes, uint32_t value, uint8_t fact) {
    values.assign(lanes, value);
    facts.assign(lanes, fact);
    isUniform = true;
  }
  std::optional<uint32_t> value(uint32_t lane) const {
    return is(lane, HasValue) ? std::optional(values[lane]) : std::nullopt;
  }
};

/// Values that terms have at one point of an execution.
class CarriedColumns {
public:
  virtual ~CarriedColumns() = default;
  /// Of any term but a Derived or LocalId one; null where none is ever carried. A lane without a
  /// value has what the term has that is not carried.
  virtual const LaneColumn* of(uint32_t term) const = 0;
};

/// What a term has that is neither carried nor a function of the local id.
enum class Uncarried : uint8_t {
  Sampled, ///< what LaneContext says: a seed chooses what is uniform
  Unknown
};

class LaneValues {
public:
  /// What is given must outlive this.
  LaneValues(const Affine& affine, std::array<uint32_t, 3> workgroupSize, uint32_t subgroupSize,
             const CarriedColumns* carried = nullptr, Uncarried uncarried = Uncarried::Sampled);

  /// For LaneContext::seed; valid until the next call. Terms are kept for seed 0 and for the last
  /// other one.
  const LaneColumn& of(const AffineExpr& e, uint32_t seed = 0);
  /// True if the value follows from a lane's ids alone: the same for every seed and at all times.
  bool isFixed(const AffineExpr& e) { return !isSeeded(e) && affine_.isEvaluable(e); }
  /// What all lanes have for a WorkgroupId, Induction or UniformOpaque term, the same as of() a
  /// form of nothing else; nothing where they may differ. Sets `isSampled` where a seed chose it.
  std::optional<uint32_t> uniformValue(uint32_t term, uint32_t seed, bool& isSampled) const;
  /// Carried columns have changed.
  void forget() { ++round_; }
  /// Values that were computed so far: columns times lanes.
  uint64_t computed() const { return computed_; }
  uint32_t lanes() const { return lanes_; }

private:
  struct Kept {
    LaneColumn column;
    uint64_t epoch = 0, round = 0; ///< when it was computed; 0: never
    bool isCarried = false;        ///< it depends on carried columns
  };
  struct Columns {
    uint32_t seed = 0;
    uint64_t epoch = 1; ///< another for each change of the seed
    std::deque<Kept> ofTerm;
  };

  const Kept& term(uint32_t index, Columns& columns);
  bool isSeeded(const AffineExpr& e);
  bool isSeeded(uint32_t term);
  void compute(uint32_t index, Columns& columns, Kept& kept);
  void takeSample(uint32_t index, uint32_t seed, LaneColumn& column) const;
  void derive(const AffineTerm& term, Columns& columns, Kept& kept);
  /// A column that is kept, or `scratch`. Sets `isCarried` where it depends on carried columns.
  const LaneColumn& columnOf(const AffineExpr& e, Columns& columns, LaneColumn& scratch,
                             bool& isCarried);
  /// Fills `sum`. Whether it depends on carried columns.
  bool add(const AffineExpr& e, Columns& columns, LaneColumn& sum);

  const Affine& affine_;
  const std::array<uint32_t, 3> size_;
  const uint32_t subgroupSize_, lanes_;
  const CarriedColumns* carried_;
  const Uncarried uncarried_;
  Columns first_, other_; ///< for seed 0, and for another; what no seed chooses is in the first
  std::vector<int8_t> isSeeded_; ///< by term; -1: not looked at
  uint64_t round_ = 1;           ///< another for each change of what is carried
  uint64_t kept_ = 0;            ///< columns
  uint64_t computed_ = 0;
  LaneColumn result_;
  /// Of what is being derived, by how deep it stands in others.
  std::deque<std::array<LaneColumn, AffineTable::kMaxArguments>> scratch_;
  size_t depth_ = 0;
};

} // namespace lanewise
