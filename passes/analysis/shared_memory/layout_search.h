// The search for a better layout of a Workgroup variable: a cost model over counted bank conflicts,
// extra arithmetic and lost occupancyLoss. It knows nothing of instructions: what it returns is
// legal as far as types and sizes go, and whether the module allows it is the pass's affair.
#pragma once

#include "analysis/shared_memory/access_pattern.h"
#include "analysis/shared_memory/shared_layout.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace lanewise {

struct LayoutSearchOptions {
  /// Change extents and pad structs, flatten, and map the indices of flat arrays by IndexMap::Pad.
  bool mayPad = true;
  /// Map indices by IndexMap::Xor.
  bool maySwizzle = true;
  /// Only maps of the variable as one flat array, its elements in their order: an index that leaves
  /// its row then names the element that it named before. Nothing where other things than elements
  /// stand in arrays, or arrays in structs.
  bool keepsOrder = false;
  /// Take the first layout that costs no more, even without a gain.
  bool isForced = false;
  /// How much of the arithmetic of maps counts. In a kernel that waits for the banks schedulers
  /// have cycles left, and only who runs it knows how many.
  double arithmeticShare = 1;
  /// Says no to layouts that have another drawback; empty: all may be taken.
  std::function<bool(const SharedLayout&)> mayTake;
  /// Most bytes that a layout may add, as a share of the variable. A guard against trading much
  /// memory for the last conflict; occupancyLoss is counted beside it.
  double maxGrowth = 0.5;
  /// Most extents tried together; beyond it dimensions are padded one at a time.
  uint64_t maxCandidates = 4096;
  /// Most lanes looked at, all candidates together.
  uint64_t maxLanes = uint64_t(1) << 22;
};

/// An access under one entry point.
struct WeighedAccess {
  const SharedAccess* access = nullptr;
  double weight = 1; ///< executions for each run of the entry point, an estimate
  /// Nothing when the indices depend on data: such an access speaks for no layout, and against
  /// those that slow down a walk along a dimension (LayoutCost::risk).
  std::optional<AccessPattern> pattern;
  /// The same number for accesses whose indices differ by constants only: compilers compute one
  /// address for them, and put the rest into the instructions. 0: not known.
  uint32_t base = 0;
  /// The counter of a short loop stands in an index: where compilers unroll it, likewise.
  bool isUnrolled = false;
  /// A loop goes on by one element each time, so that compilers make wide accesses where rows are
  /// aligned (AccessPattern::cyclesInRun).
  bool isInRun = false;
  /// Rows behind which gaps cost it no arithmetic (lengthsOfRows()).
  uint32_t lengthsOfRows = 0;
};

struct LayoutCost {
  double cycles = 0;          ///< that the banks need, over all accesses, by weight
  double arithmetic = 0;      ///< cycles that maps of indices add
  double arithmeticShare = 1; ///< of these that counts
  /// Cycles that accesses which depend on data may lose: were their lanes to walk along the
  /// dimension that loses most against the original layout. An author may have padded for them.
  double risk = 0;
  double occupancyLoss = 1; ///< workgroups that a core holds: before, divided by after
  double total() const { return (cycles + arithmetic * arithmeticShare + risk) * occupancyLoss; }
};

struct LayoutChoice {
  SharedLayout layout;
  LayoutCost cost;
};

class LayoutSearch {
public:
  /// `occupancyLossOf` gives LayoutCost::occupancyLoss for a size of the variable in bytes, nothing
  /// when that does not fit. `isLiteral` says of an Array node that its extent holds for every use
  /// of the module. All must outlive the search.
  LayoutSearch(const SharedVariable& variable, std::span<const WeighedAccess> accesses,
               const TargetProfile& target, const LayoutSearchOptions& options,
               std::function<std::optional<double>(uint64_t bytes)> occupancyLossOf,
               std::function<bool(uint32_t node)> isLiteral);

  const LayoutChoice& original() const { return original_; }
  /// True if some access has a conflict in the original layout.
  bool hasConflict() const;
  /// What a layout with the choices of `choices` costs, whose sizes may be those of other rules.
  LayoutCost costOf(const SharedLayout& choices) const;
  /// The cheapest layout, among equals the smallest; the original when nothing is better.
  LayoutChoice run();
  /// The cheapest of those that run() passed over because they do not fit, if it would have been
  /// better than what run() found.
  const std::optional<LayoutChoice>& bestWithoutRoom() const { return withoutRoom_; }

private:
  struct Shape {
    const AccessPattern* pattern; ///< of one of them
    uint32_t node;
    bool isInRun;
    double weight;       ///< of all
    AccessCost original; ///< in the original layout
    std::vector<std::pair<const AccessPattern*, double>> members;
  };
  /// Along one dimension, by accesses whose indices depend on data.
  struct Walk {
    AccessPattern pattern;
    uint32_t node;
    double cycles; ///< in the original layout
  };
  struct Parameter {
    uint32_t node;
    uint64_t period; ///< pads from 0 to here; beyond it the banks repeat
    uint64_t unit;   ///< extents or words of one pad
  };

  void classify();
  void collectIndices();
  void collectWalks();
  double cyclesOf(const AccessPattern& pattern, bool isInRun, const AddressForm& form,
                  const std::function<bool(double cycles)>& isTooMuch) const;
  double cyclesOf(const AccessPattern& pattern, bool isInRun, const AddressForm& form,
                  const AccessCost& alone) const;
  LayoutCost costOfOriginal() const;
  LayoutCost evaluate(const SharedLayout& layout, double enough) const;
  bool consider(SharedLayout layout);
  bool isClean() const;
  double leastArithmetic(uint32_t top, const IndexMap& map) const;
  std::vector<Parameter> parameters() const;
  void enumerate(const std::vector<uint64_t>& periods,
                 const std::function<bool(const std::vector<uint64_t>&)>& tryPads);
  void tryExtents();
  void tryStrides(uint32_t top);
  void tryMaps(uint32_t top);
  std::vector<IndexMap> maps(uint32_t top) const;
  FlatArray natural(uint32_t top) const;
  uint64_t elementPeriod(uint32_t top) const;
  SharedLayout bestWithout(uint32_t top) const;

  const SharedVariable& variable_;
  std::span<const WeighedAccess> accesses_;
  const TargetProfile& target_;
  const LayoutSearchOptions options_;
  const std::function<std::optional<double>(uint64_t)> occupancyLossOf_;
  const std::function<bool(uint32_t)> isLiteral_;
  std::vector<Shape> shapes_;
  /// Nodes that are accessed, once for each different tuple of indices, and how often these are
  /// computed: a load and a store of one element share the arithmetic of a map.
  struct Indices {
    uint32_t node;
    double weight;
    /// Others have the same base: under a map it loses its immediate offset.
    bool isOffset;
    uint32_t lengthsOfRows; ///< WeighedAccess::lengthsOfRows that all of them have
    bool isFree(const IndexMap& map) const {
      return map.kind == IndexMap::Kind::Pad && (lengthsOfRows & map.divisor) != 0;
    }
    double operations(const AddressForm& form) const;
  };
  std::vector<Indices> indices_;
  std::vector<Walk> walks_;            ///< by node
  std::map<uint32_t, double> unknown_; ///< weight of accesses that depend on data, by node
  std::vector<uint32_t> wholes_; ///< nodes that are accessed as a whole: they keep their types
  double cleanCycles_ = 0;       ///< no layout needs less
  uint64_t lanesLeft_;
  LayoutChoice original_, best_;
  std::optional<LayoutChoice> withoutRoom_;
};

} // namespace lanewise
