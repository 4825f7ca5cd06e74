// A module with its specialization constants fixed to what one pipeline gives them.
#pragma once

#include "lanewise/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lanewise::driver {

/// SpecId -> the value's bytes, as VkSpecializationInfo has them. Constants that are not named keep
/// their defaults, and are fixed too. An error where a value does not have the size of its constant
/// (4 for a bool), or where constants are declared in a way that this does not know.
Result<std::vector<uint32_t>> freezeConstants(std::vector<uint32_t> words,
                                              const std::map<uint32_t, std::string>& values);

} // namespace lanewise::driver
