// Which indices of Workgroup variables stay in their arrays, for passes that move what stands
// there. docs/design/shared-layouts.md.
#pragma once

#include "analysis/module/entry_points.h"
#include "analysis/ranges/value_ranges.h"
#include "analysis/shared_memory/shared_variables.h"
#include "analysis/values/affine.h"
#include "analysis/values/index_bounds.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace lanewise {

/// What the indices of one variable allow. That of the outermost array leaves the variable, not a
/// row, and is not looked at here.
struct RowBounds {
  /// An index that leaves its array, or that may and whose array keeps nothing of its order.
  struct OutOfRange {
    InstRef inst;       ///< the access
    std::string reason; ///< for people
  };
  std::optional<OutOfRange> outOfRange;
  /// An index may leave its row: only a layout that keeps the order of all elements will do.
  bool keepsOrder = false;
};

/// Holds references; valid until the module changes.
class SharedBounds {
public:
  /// `variables` are all that collectSharedVariables() finds with `all`.
  SharedBounds(Analyses& analyses, const TargetProfile& target,
               std::span<const SharedVariable> variables);
  ~SharedBounds();

  /// Forms of values under an entry point with a known size, built once.
  Affine& affine(const EntryPoint& entry);
  /// True if a function with the access may run under the entry point.
  bool runs(const EntryPoint& entry, const SharedAccess& access) const;
  /// Adds what is known under `entry`, whose size is known, to `bounds`.
  void judge(const EntryPoint& entry, const SharedVariable& variable, RowBounds& bounds);

  struct Unproved {
    Id variable;
    InstRef inst;
  };
  /// The first index of *any* Workgroup variable under `entry` that is not proved to be in range,
  /// the outermost ones and those of components included: beyond its variable it reaches another
  /// one, wherever that stands. Nothing when all are proved, for every specialization.
  const std::optional<Unproved>& firstUnproved(const EntryPoint& entry);

private:
  struct Indices;
  Indices& of(const EntryPoint& entry);
  bool isProved(IndexBounds& bounds, const SharedVariable& variable, const SharedAccess& access);
  std::optional<InstRef> unprovedIn(const EntryPoint& entry, const SharedVariable& variable);
  /// By what the branches in front of `at` say of the index, and of what it is computed from.
  bool isInRange(Id index, uint64_t bound, BlockRef at);

  Analyses& analyses_;
  const TargetProfile& target_;
  const std::span<const SharedVariable> variables_;
  std::map<const EntryPoint*, std::unique_ptr<Indices>> indices_;
  std::optional<ValueRanges> ranges_; ///< once they are asked for
  std::map<const EntryPoint*, std::optional<Unproved>> unproved_;
};

} // namespace lanewise
