// What the user states of the program's inputs (`--assume`), and which values of a module it speaks
// of.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/ranges/integer_range.h"
#include "lanewise/assumptions.h"

#include <cstdint>

namespace lanewise {

/// Whether the fact speaks of what the instruction gives, an OpLoad or OpArrayLength; of a vector,
/// in this component.
bool speaksOf(Analyses& analyses, const StatedFact& fact, InstRef inst, uint32_t component);

/// Integers for which the fact holds. Conservative: a remainder by what is no power of two says
/// nothing.
IntegerRange allowedBy(const StatedFact& fact, uint32_t width, bool isSigned);

/// What all of the Assumptions' facts leave of an instruction's result. Also of WorkgroupId and
/// GlobalInvocationId, which the number of workgroups bounds.
IntegerRange statedRange(Analyses& analyses, InstRef inst, uint32_t component, uint32_t width);

} // namespace lanewise
