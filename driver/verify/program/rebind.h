// Bindings for variables that share one and cannot: HLSL's registers t0, u0 and b0 all become
// binding 0 where nobody shifts them, and such a module can be bound by no host as it stands.
#pragma once

#include "verify/program/program.h"
#include "verify/program/reflect.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// Numbers for all variables but those of the first kind at each binding whose variables are of
/// different kinds; above all numbers of their set, and the same for every order of variables.
std::vector<Rebinding> separateBindings(const Reflection& reflection);

/// The module with the numbers that `rebindings` give its variables; nothing else changes. Fails
/// for a module that cannot be read, and where a number stands in a group of decorations.
Result<Words> rebind(const Words& words, const std::string& entry,
                     const std::map<uint32_t, uint64_t>& specConstants,
                     std::span<const Rebinding> rebindings);

} // namespace lanewise::driver
