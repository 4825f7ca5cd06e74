// What bank conflicts add to the time of a kernel, in the measure of a driver's compiler: that
// compiler sees every access of shared memory, but not that its lanes wait for one another.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "lanewise/target_profile.h"

namespace lanewise {

/// Cycles for which the banks are busy beyond what the accesses need at least, of one subgroup,
/// each loop counted as compilers count it: kCompilersTripCount times whatever its trip count. 0
/// where the workgroup size is not known; accesses whose indices depend on data count as free of
/// conflicts.
double conflictCycles(Analyses& analyses, const EntryPoint& entry, const TargetProfile& target);

/// What Mesa's compiler for AMD takes for a loop (src/amd/compiler/aco_statistics.cpp).
inline constexpr double kCompilersTripCount = 8;

} // namespace lanewise
