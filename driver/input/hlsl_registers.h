// HLSL's registers as descriptors: b0, t0, u0 and s0 are four places, and all binding 0 of Vulkan
// unless each class begins elsewhere.
#pragma once

#include "input/front_end.h"

#include <span>
#include <string>

namespace lanewise::driver {

/// Which variables that the module uses have one binding, by name and register, and bases that
/// would keep them apart; "" where each has its own. `words` are what became of HLSL with `bases`.
std::string sharedRegisters(std::span<const uint32_t> words, const RegisterBases& bases);

} // namespace lanewise::driver
