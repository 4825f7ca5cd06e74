// What the lanes of each subgroup do in one access of a Workgroup variable, and what that costs
// under a layout: indices are computed once, lane by lane, then counted for as many layouts as one
// likes. docs/design/conflicts-by-counting.md.
#pragma once

#include "analysis/shared_memory/bank_conflicts.h"
#include "analysis/shared_memory/shared_layout.h"
#include "analysis/values/affine.h"

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace lanewise {

/// Average over subgroups and over values of what is uniform.
struct AccessCost {
  uint32_t degree = 0;    ///< highest degree met
  double cycles = 0;      ///< average cycles of one execution by one subgroup
  double cleanCycles = 0; ///< least that the same lanes could need: one for each phase
};

struct ExecutedAccess;
class LaneValues;
class WorkgroupWalk;

/// The index values that the lanes of each subgroup use in one access.
class AccessPattern {
public:
  /// What the accesses of the variables do when a workgroup of `size` runs the entry point, each
  /// with all its executions. One that nothing reaches has the weight 0, and the pattern that
  /// build() gives it, as have all of a workgroup that takes too long to run.
  static std::map<const SharedAccess*, ExecutedAccess>
  execute(Analyses& analyses, Affine& affine, const EntryPoint& entry,
          std::span<const SharedVariable* const> variables, std::array<uint32_t, 3> size,
          const TargetProfile& target);

  /// Of one access, whose loops are not run: each of their counters takes values of its own.
  /// `values` are those of the workgroup, of nothing that is carried. Nothing when an index cannot
  /// be computed for each lane, or the workgroup has more than kMaxCountedInvocations.
  static std::optional<AccessPattern> build(Analyses& analyses, Affine& affine, LaneValues& values,
                                            const SharedVariable& variable,
                                            const SharedAccess& access,
                                            const TargetProfile& target);

  /// True if no execution has a conflict in `layout`, which is linear, whoever takes part and
  /// whatever is uniform: all lanes together have none, and nothing but the place where they stand
  /// changes. Also true of an access that build() gives nothing for; false where it is not clear.
  /// Much cheaper than to build() and to count.
  static bool isSurelyFree(Analyses& analyses, Affine& affine, LaneValues& values,
                           const SharedVariable& variable, const SharedAccess& access,
                           const TargetProfile& target, const SharedLayout& layout);

  /// Lanes that walk along one dimension, as an access might whose indices depend on data: index
  /// number `along` of `rank` is the lane, up to `extent`, and all others are 0.
  static AccessPattern walk(uint32_t rank, uint32_t along, uint64_t extent, uint32_t bytes,
                            const TargetProfile& target);

  /// Cost under a layout, for the node that the access was built for. Stops to count once
  /// `isTooMuch` (of cycles that the access needs at least; false for none that are fewer than one
  /// for which it is) is true, and then gives those.
  AccessCost cost(const TargetProfile& target, const AddressForm& form,
                  const std::function<bool(double cycles)>& isTooMuch = {}) const;

  /// Cost of accesses of the same size that compilers make one wide access of: in every lane each
  /// stands right behind the one before it, and the first is aligned to the whole. Nothing where
  /// they do not under the forms of their nodes.
  struct Part {
    const AccessPattern* pattern;
    AddressForm form;
  };
  static std::optional<AccessCost> costMerged(std::span<const Part> run,
                                              const TargetProfile& target);

  /// Cycles of one execution where a compiler makes a single access of 16 bytes of several that
  /// stand one behind the other in memory, as an unrolled loop has them: distinct words alone
  /// count, since lanes that read the same are served together. Nothing where rows are not aligned
  /// to that, or lanes do not begin at the same part of it.
  std::optional<double> cyclesInRun(const TargetProfile& target, const AddressForm& form) const;

  /// False if the pattern has the lanes of every execution: the cost is what is counted when the
  /// access runs. True if it also depends on conditions that cannot be computed, or on more values
  /// of what is uniform than are known or looked at. (Of loops that are left early, and of
  /// switches, neither knows.)
  bool isEstimate() const { return isEstimate_; }

  /// True if both cost the same under every linear form: they differ at most in where they stand.
  bool looksAs(const AccessPattern& other) const;
  /// A hash of what looksAs() compares.
  size_t shapeHash() const;
  auto operator<=>(const AccessPattern&) const = default;
  /// How many lanes cost() looks at, for a linear form and for any other.
  uint64_t lanes(bool isLinear) const;

private:
  class Builder;
  class Recorder;
  /// Indices of the first active lane, and how many subgroups have these.
  struct Base {
    std::vector<uint32_t> indices;
    double weight = 1;
    auto operator<=>(const Base&) const = default;
  };
  /// Subgroups that differ in nothing but where they stand: under a linear form all cost the same.
  struct Subgroup {
    /// For each lane: `rank_` indices less those of the base, then the byte offset inside the
    /// element.
    std::vector<uint32_t> values;
    std::vector<uint8_t> active; ///< 1 or 0, by lane
    std::vector<Base> bases;     ///< sorted
    double weight = 1;           ///< sum of those of the bases
    auto operator<=>(const Subgroup&) const = default;
  };
  void addressesOf(const AddressForm& form, const Subgroup& subgroup, const Base* base,
                   std::vector<std::optional<uint64_t>>& addresses) const;

  static uint64_t placeOf(const AddressForm& form, const Base& base);
  static bool isBehind(const Part& first, const Part& other, uint64_t bytes, uint64_t alignment);

  double weight(bool isLinear) const;

  uint32_t rank_ = 0;
  uint32_t bytes_ = 0;
  bool isEstimate_ = false;
  std::vector<Subgroup> subgroups_;
};

/// An access under an entry point whose workgroup size is known.
struct ExecutedAccess {
  /// Executions for each run of the entry point, by an average subgroup.
  double weight = 0;
  std::optional<AccessPattern> pattern; ///< nothing when an index depends on data
};

} // namespace lanewise
