// What a Vulkan call's result says of a run, in one place for all that call Vulkan.
#pragma once

#include "verify/program/runner.h"

#include <string_view>
#include <vulkan/vulkan_core.h>

namespace lanewise::driver {

/// Nothing for VK_SUCCESS. A lost device, and no memory, are failures that callers tell apart;
/// else `what` ("no fence") is said with the result's number.
RunStatus statusOf(VkResult result, std::string_view what);

} // namespace lanewise::driver
