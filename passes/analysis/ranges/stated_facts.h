// What the user states of the program's inputs (`--assume`), and which values of a module it speaks
// of.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/ranges/integer_range.h"
#include "lanewise/assumptions.h"

#include <cstddef>
#include <cstdint>

namespace lanewise {

/// Whether the fact of this number in Assumptions::stated speaks of what the instruction gives, an
/// OpLoad, OpCompositeExtract or OpArrayLength; of a vector, in this component.
bool speaksOf(Analyses& analyses, size_t fact, InstRef inst, uint32_t component);

/// Integers for which the fact holds. Conservative: a remainder by what is no power of two says
/// nothing.
IntegerRange allowedBy(const StatedFact& fact, uint32_t width, bool isSigned);

/// What all facts on the number of workgroups along the dimension of this one leave of it.
IntegerRange statedGroups(Analyses& analyses, size_t fact, uint32_t width);

/// What all of the Assumptions' facts leave of an instruction's result: empty where they contradict
/// one another, or the type. Also of WorkgroupId and GlobalInvocationId, which the number of
/// workgroups bounds.
IntegerRange statedRange(Analyses& analyses, InstRef inst, uint32_t component, uint32_t width);

} // namespace lanewise
