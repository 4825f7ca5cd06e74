// Values of tunable parameters, where there are too many combinations to measure them all: a grid
// with an axis a parameter, and a compass search on it (Kolda, Lewis, Torczon: Optimization by
// direct search, SIAM Review 45, 2003).
#pragma once

#include "lanewise/result.h"
#include "verify/scenario/scenario.h"

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <vector>

namespace lanewise::driver {

/// A point is the values that differ from the scenario's own.
class ValueGrid {
public:
  /// `isAllowed` tells of a point whether the scenario's constraints are met.
  ValueGrid(std::span<const Tunable> tunables, const Parameters& own,
            std::function<bool(const Parameters&)> isAllowed)
      : tunables_(tunables), own_(own), isAllowed_(std::move(isAllowed)) {}

  /// Combinations, allowed or not.
  size_t size() const;
  /// All but the scenario's own; those that change least come first. For small grids.
  std::vector<Parameters> all() const;
  /// About `few` that are allowed and lie far apart: the last of all axes, the first of all, and a
  /// Halton sequence (Numerische Mathematik 2, 1960), which halves each axis again and again.
  std::vector<Parameters> spread(size_t few) const;
  /// `stride` places from `from` along each axis, at most to its end, and along each two axes in
  /// opposite directions, as for a size that is a product.
  std::vector<Parameters> around(const Parameters& from, size_t stride) const;
  /// To begin with: an eighth of the longest axis.
  size_t firstStride() const;

private:
  using Places = std::vector<size_t>; ///< in the lists of values, one an axis
  Parameters at(const Places& places) const;
  Places placesOf(const Parameters& point) const;

  std::span<const Tunable> tunables_;
  const Parameters& own_;
  std::function<bool(const Parameters&)> isAllowed_;
};

/// Tries points that are new, the best so far beside them, and says which is the best now.
using PointTrial = std::function<Result<Parameters>(std::vector<Parameters>)>;

/// `few` points far apart, then those around the best: farther while that gains, nearer where it
/// does not, until its neighbours are all worse.
Status searchValues(const ValueGrid& grid, size_t few, const PointTrial& trial);

} // namespace lanewise::driver
