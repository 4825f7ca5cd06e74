// Whether indices stay in their arrays: proved, or known not to, or not known.
//
// A layout that moves rows apart keeps the meaning of an index only while it stays in its row. An
// index beyond it is undefined, but drivers compute one flat address from all indices, so shaders
// that count on the next row to follow do work. Which of them can be told?
//
// An index is evaluated at *points*: a lane, an iteration of each loop, a workgroup. What chooses
// among points without memory's help (ids, counters, arguments of calls) can be computed; contents
// of buffers and push constants are *data*, of which nothing is known, and no sample of them is
// ever taken for a fact.
#pragma once

#include "analysis/module/entry_points.h"
#include "analysis/values/affine.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace lanewise {

enum class IndexVerdict : uint8_t {
  /// In range wherever the access runs, for every specialization.
  Stays,
  /// Depends on data: as far as anybody knows, in range.
  OnData,
  /// Out of range at a point of which it is not known whether it takes part (a condition or a
  /// choice
  /// depends on data; a loop need not come so far; there need not be so many workgroups). Or in
  /// range only for the values of specialization constants, workgroup and subgroup size that were
  /// given.
  MayLeave,
  /// Cannot be computed, though nothing shows that it depends on data.
  NotKnown,
  /// Out of range at a point that takes part whenever the access runs at all. A dispatch is taken
  /// to have two workgroups in each direction.
  Leaves
};

/// Where an index is out of range.
struct IndexPoint {
  int64_t value = 0;
  /// An invocation of the first workgroup; nothing where it is the same for all.
  std::optional<std::array<uint32_t, 3>> invocation;
};

/// A condition that says "the value is less than `limit`".
struct UpperLimit {
  Id limit;
  bool isSigned = false;
};
/// What a condition says of a value, looking through copies and bit casts; nothing when it is
/// anything else.
std::optional<UpperLimit> upperLimit(const Module& module, const BlockCondition& condition,
                                     Id value);

/// Answers for one entry point. Holds references; valid until the module changes.
class IndexBounds {
public:
  /// `affine` is made with the workgroup size of `entry`. `subgroupSize` is that of the target;
  /// what depends on it is never more than MayLeave.
  IndexBounds(Analyses& analyses, Affine& affine, const EntryPoint& entry, uint32_t subgroupSize);
  ~IndexBounds();

  /// What is known of `index`, which chooses from `bound`, where block `at` uses it.
  IndexVerdict judge(Id index, uint64_t bound, BlockRef at);
  /// A point in the first workgroup at which `index` leaves whenever block `at` runs at all, for
  /// the values that were given; nothing where none is known.
  std::optional<IndexPoint> pointOutside(Id index, uint64_t bound, BlockRef at);
  /// True when `index` is in range where block `at` uses it: by its range, by a comparison with a
  /// literal that `at` stands behind, or because all points were looked at.
  bool isProved(Id index, uint64_t bound, BlockRef at);

private:
  class Question;
  Id widenedFrom(Id index) const;
  std::optional<IndexVerdict> judgeRange(Id index, uint64_t bound, BlockRef at) const;
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace lanewise
