// Vulkan in this process: what DeviceHost (runner.h) calls in the worker process, or here with
// --no-isolation.
#pragma once

#include "verify/device/driver_activity.h"
#include "verify/program/runner.h"

#include <memory>
#include <vector>

namespace lanewise::driver {

/// What DeviceHost lists, probes and opens. `activity` is told what the driver is asked for, and
/// must outlive the Runner.
Result<std::vector<DeviceInfo>> listVulkanDevices(DriverActivity& activity);
/// A device that was found and can be opened once, without loading its driver anew.
class FoundDevice {
public:
  virtual ~FoundDevice() = default;
  virtual const DeviceInfo& info() const = 0;
  /// For options with the same device and the same wish for the validation layer.
  virtual Result<std::unique_ptr<Runner>> open(const RunnerOptions& options,
                                               DriverActivity& activity) = 0;
};
Result<std::unique_ptr<FoundDevice>> findVulkan(const RunnerOptions& options,
                                                DriverActivity& activity);

} // namespace lanewise::driver
