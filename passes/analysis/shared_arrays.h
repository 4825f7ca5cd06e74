// Arrays in Workgroup memory: who accesses them, with which indices, and what the banks make of it.
//
// The walk over the uses of a variable is shared by everything that reasons about Workgroup arrays.
// It says what each access is, and names every use that it does not see through (an Obstacle), so
// that a pass that changes the array's layout knows what stands in its way. Exact: an access is
// either a site or an obstacle.
#pragma once

#include "analysis/affine.h"
#include "analysis/analyses.h"
#include "analysis/bank_conflicts.h"
#include "analysis/entry_points.h"
#include "analysis/target_profile.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// One dimension of a (nested) array.
struct ArrayDimension {
  Id type;             ///< the OpTypeArray
  Id length;           ///< its length constant
  uint64_t extent = 0; ///< value of that constant
};

/// A load, store, atomic or other use of one element (or of a part of one).
struct SharedAccess {
  InstRef inst;
  /// Index of each dimension, outermost first; as many as the array has dimensions.
  std::vector<Id> indices;
  /// Where in the element: a constant number of bytes, and dynamic parts (index, bytes for each
  /// step).
  uint64_t offset = 0;
  std::vector<std::pair<Id, uint64_t>> dynamicOffsets;
  /// Bytes that one lane moves.
  uint32_t bytes = 0;
};

/// A use that the walk does not see through.
struct Obstacle {
  InstRef inst;
  std::string_view name; ///< stable: "whole-array-load", "pointer-argument", ...
  std::string reason;    ///< what it is, for people
};

struct SharedArray {
  InstRef variable;
  Id id;
  /// Outermost first; empty when the variable is no array.
  std::vector<ArrayDimension> dimensions;
  Id elementType;            ///< what the innermost dimension holds
  uint64_t elementBytes = 0; ///< distance of two elements; 0 when the element has no known size
  std::vector<SharedAccess> accesses;
  /// Access chains that end above the element, with the number of dimensions that they and the
  /// chains before them have consumed. Their result type names a sub-array.
  std::vector<std::pair<InstRef, uint32_t>> partialChains;
  std::vector<Obstacle> obstacles;

  /// Bytes from one element of each dimension to the next, for the given extents (outermost first).
  std::vector<uint64_t> strides(const std::vector<uint64_t>& extents) const;
  std::vector<uint64_t> extents() const;
};

/// All Workgroup variables of the module that are arrays of sized elements, in module order.
std::vector<SharedArray> collectSharedArrays(Analyses& analyses, const TargetProfile& target);

/// Workgroup variables that an entry point uses or lists in its interface, ascending by id.
std::vector<Id> workgroupVariables(Analyses& analyses, const EntryPoint& entry);

/// Bytes of Workgroup memory that an entry point uses, by the natural layout
/// (Types::naturalLayout); `sizes` replaces those of some variables. Nothing when some variable has
/// no known size.
std::optional<uint64_t> sharedMemoryBytes(Analyses& analyses, const EntryPoint& entry,
                                          const TargetProfile& target,
                                          const std::map<Id, uint64_t>& sizes = {});

/// How often a block runs, compared with its function's entry: the product of the trip counts of
/// its loops; a loop of unknown count is taken to run kUnknownTripCount times. Branches are taken
/// to be always taken.
double blockFrequency(Analyses& analyses, BlockRef block);
inline constexpr double kUnknownTripCount = 8;

/// Average over subgroups and over values of what is uniform.
struct AccessCost {
  uint32_t degree = 0;      ///< highest degree met
  double cycles = 0;        ///< average cycles of one execution by one subgroup
  uint32_t cleanCycles = 0; ///< least cycles that the same lanes could need: one for each phase
};

/// The index values that the lanes of each subgroup use in one access: computed once, then counted
/// for as many layouts as one likes.
class AccessPattern {
public:
  /// `size` is the workgroup size. Nothing when an index cannot be computed for each lane.
  static std::optional<AccessPattern> build(Analyses& analyses, Affine& affine,
                                            const SharedArray& array, const SharedAccess& access,
                                            std::array<uint32_t, 3> size,
                                            const TargetProfile& target);

  /// Cost under the given strides (bytes, one for each dimension).
  AccessCost cost(const TargetProfile& target, const std::vector<uint64_t>& strides) const;

  /// Dimension (1 or higher) whose index certainly leaves its extent for some lane, if there is
  /// one. Known also where other indices of the access depend on data, and there is no pattern.
  static std::optional<uint32_t> dimensionOutOfRange(Analyses& analyses, Affine& affine,
                                                     const SharedArray& array,
                                                     const SharedAccess& access,
                                                     std::array<uint32_t, 3> size,
                                                     const TargetProfile& target);

  auto operator<=>(const AccessPattern&) const = default;
  /// How many lanes cost() looks at.
  uint64_t lanes() const;

private:
  class Builder;
  struct Subgroup {
    /// For each lane: `rank_` indices, then the byte offset inside the element.
    std::vector<uint32_t> values;
    std::vector<bool> active;
    uint32_t weight = 1; ///< how many subgroups look the same
    auto operator<=>(const Subgroup&) const = default;
  };
  uint32_t rank_ = 0;
  uint32_t bytes_ = 0;
  std::vector<Subgroup> subgroups_;
};

} // namespace lanewise
