// What executing an instruction costs, for comparing one piece of code with another. An estimate:
// throughput by class of instruction (CostClass), width and number of components; no latencies, no
// dependences, nothing that the driver's compiler may do.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"
#include "lanewise/target_profile.h"

namespace lanewise {

/// In units of one 32-bit integer addition of a subgroup (TargetProfile). 0 for what computes
/// nothing: labels, lines, names, branches.
double operationCost(Analyses& analyses, const TargetProfile& target, InstRef inst);

/// The class of an instruction; of an OpExtInst, that of the instruction of the set.
CostClass costClassOf(const Module& module, InstRef inst);

/// Scalars of 32 bits (one for narrower ones, two for 64 bits) that a value of the type is made of;
/// what a value takes in registers. 0 for a type without a size in registers.
uint32_t registersOf(Analyses& analyses, Id type);

} // namespace lanewise
