#include "verify/device/vulkan_status.h"

#include <fmt/format.h>

namespace lanewise::driver {

RunStatus statusOf(VkResult result, std::string_view what) {
  switch (result) {
  case VK_SUCCESS:
    return std::nullopt;
  case VK_ERROR_DEVICE_LOST:
    return RunFailure{RunFailure::Kind::DeviceLost, "the device was lost"};
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
  case VK_ERROR_OUT_OF_HOST_MEMORY:
    return RunFailure{RunFailure::Kind::Unsupported, "the device is out of memory"};
  default:
    return RunFailure{RunFailure::Kind::Other,
                      fmt::format("Vulkan failed: {} ({})", what, int(result))};
  }
}

} // namespace lanewise::driver
