// What a value given for a specialization constant does not settle.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace lanewise {

/// SpecIds of the constants that a constant is computed from.
std::set<uint32_t> specIdsOf(Analyses& analyses, Id constant);

/// Adds the lengths of arrays in `type` that are not literal: the module may be used with others
/// than those that were given.
void collectOpenLengths(Analyses& analyses, Id type, std::set<Id>& lengths);

/// How many of them stand inside one another at most.
uint32_t openLengthsAlong(Analyses& analyses, Id type);

/// Which dimension of the entry point's workgroup size the constant is, whatever value it gets:
/// named by LocalSizeId or the WorkgroupSize built-in, or extracted from that.
std::optional<uint32_t> workgroupDimension(Analyses& analyses, const EntryPoint& entry,
                                           Id constant);

/// What the command line takes to make all that `constants` are computed from literal:
/// "--set-spec-const-default-value='7:32 8:VALUE' --freeze-spec-const". Since that makes every
/// constant literal, all values that were given are in it, the workgroup's size included.
std::string optionsToFreeze(Analyses& analyses, const std::set<Id>& constants);

} // namespace lanewise
