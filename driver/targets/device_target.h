// `--target=device`: a profile from what Vulkan reports.
#pragma once

#include "lanewise/result.h"
#include "lanewise/target_profile.h"
#include "verify/program/runner.h"

#include <string>

namespace lanewise::driver {

/// Name of the built-in profile of the device's vendor; "generic" for one without.
std::string builtInTargetOf(const DeviceInfo& device);

/// The built-in profile of the device's vendor, with the device's own subgroup size and shared
/// memory limit. Vulkan tells nothing of banks, so those stay the vendor's; a vendor without a
/// profile gets `generic`.
Result<TargetProfile> targetOfDevice(const DeviceInfo& device);

/// The same for the device that `--device` names. The error means that there is no such device
/// (exit 3).
Result<TargetProfile> loadDeviceTarget(const std::string& device);

} // namespace lanewise::driver
