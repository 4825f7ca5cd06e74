// May the invocations of an entry point be merged?
#pragma once

#include "analysis/module/entry_points.h"
#include "coarsening/copy_variance.h"
#include "coarsening/factors.h"
#include "coarsening/invocation_ids.h"

#include <optional>
#include <string>
#include <string_view>

namespace lanewise {

/// Why an entry point stays as it is.
struct CoarsenRefusal {
  std::string_view name; ///< for machines
  std::string message;   ///< for people: what stands in the way
  InstRef place;         ///< null: the entry point as a whole
};

/// What forbids any merging in an entry point of this shape, whatever the factors are. Nothing
/// where nothing does. Linear in the module.
std::optional<CoarsenRefusal> whyNotCoarsened(Analyses& analyses, const EntryPoint& entry,
                                              const InvocationIds& ids,
                                              const MemoryEffects& effects);
/// What forbids these factors, the division of the workgroup's size first.
std::optional<CoarsenRefusal> whyNotBy(const EntryPoint& entry, const CoarseningFactors& factors);
/// What forbids to write the copies with what they share.
std::optional<CoarsenRefusal> whyNotSplit(Analyses& analyses, const EntryPoint& entry,
                                          const ConstructNesting& nesting,
                                          const CopyVariance& variance);
/// The refusal that nesting early returns may mend.
inline constexpr std::string_view kEarlyReturn = "early-return";
/// The refusal that it may bring about.
inline constexpr std::string_view kDivergentBarrier = "divergent-barrier";

} // namespace lanewise
