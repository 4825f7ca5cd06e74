// Vulkan in this process: what DeviceHost (runner.h) calls in the worker process, or here with
// --no-isolation.
#pragma once

#include "verify/driver_activity.h"
#include "verify/runner.h"

#include <memory>
#include <vector>

namespace lanewise::driver {

/// As DeviceHost's functions of these names. `activity` is told what the driver is asked for, and
/// must outlive the Runner.
Result<std::vector<DeviceInfo>> listVulkanDevices(DriverActivity& activity);
Result<DeviceInfo> probeVulkan(const RunnerOptions& options, DriverActivity& activity);
Result<std::unique_ptr<Runner>> openVulkan(const RunnerOptions& options, DriverActivity& activity);

} // namespace lanewise::driver
