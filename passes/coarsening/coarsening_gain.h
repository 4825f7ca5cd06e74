// Does merging invocations pay?
#pragma once

#include "analysis/module/entry_points.h"
#include "coarsening/copy_variance.h"
#include "coarsening/factors.h"
#include "lanewise/target_profile.h"

#include <array>
#include <vector>

namespace lanewise {

/// Factors worth a look for a workgroup of this size, the fewest copies first: powers of two that
/// leave the lanes of whole subgroups where the workgroup had them.
std::vector<CoarseningFactors> candidateFactors(const std::array<uint32_t, 3>& size,
                                                const TargetProfile& target);

/// How many times less work an invocation of the input takes, by the cost of instructions and how
/// often they run; 0 where the copies' values need more registers than the target has without
/// running fewer subgroups. An estimate.
double coarseningGain(Analyses& analyses, const TargetProfile& target, const EntryPoint& entry,
                      const CopyVariance& variance, const CoarseningFactors& factors);

} // namespace lanewise
