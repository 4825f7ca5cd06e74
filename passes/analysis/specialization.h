// What a value given for a specialization constant does not settle.
#pragma once

#include "analysis/analyses.h"

#include <cstdint>
#include <set>
#include <string>

namespace lanewise {

/// SpecIds of the constants that a constant is computed from.
std::set<uint32_t> specIdsOf(Analyses& analyses, Id constant);

/// Adds the lengths of arrays in `type` that are not literal: the module may be used with others
/// than those that were given.
void collectOpenLengths(Analyses& analyses, Id type, std::set<Id>& lengths);

/// What the command line takes to make all that `constants` are computed from literal, with the
/// values that were given: "--set-spec-const-default-value='7:32 8:VALUE' --freeze-spec-const".
std::string optionsToFreeze(Analyses& analyses, const std::set<Id>& constants);

} // namespace lanewise
