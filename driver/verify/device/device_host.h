// Finds and opens devices: those of Vulkan, and the interpreter.
#pragma once

#include "lanewise/result.h"
#include "verify/program/runner.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanewise::driver {

/// Every Vulkan device, usable or not. Fails when there is no Vulkan loader or no device, and when
/// a driver crashes or hangs.
Result<std::vector<DeviceInfo>> listDevices();

/// Index into `devices` of the one that `--device` names ("": a GPU if there is one, else a CPU
/// device). Fails when there is no such device.
Result<uint32_t> chooseDevice(const std::vector<DeviceInfo>& devices, const std::string& wanted);

/// For one Runner alone: DeviceHost(), and what its open() gives.
Result<std::unique_ptr<Runner>> openRunner(const RunnerOptions& options);

class DeviceWorker;

/// Finds and opens devices. Where drivers run in a worker process, it is one for all calls until it
/// dies; the next call then starts another. Not thread-safe.
class DeviceHost {
public:
  /// The device that open() would take, without opening it: quick, and fails where open() would for
  /// want of a device or of the validation layer.
  Result<DeviceInfo> probe(const RunnerOptions& options);
  /// Fails when no device suits, or when the validation layer is asked for and not installed. Where
  /// the driver crashes or hangs over it, the Runner is one that has loss(). Only one Runner may
  /// exist at a time; it may outlive the host.
  Result<std::unique_ptr<Runner>> open(const RunnerOptions& options);
  Result<std::vector<DeviceInfo>> list(); ///< as listDevices()

private:
  DeviceWorker& worker();
  std::shared_ptr<DeviceWorker> worker_; ///< none before it is needed
};

} // namespace lanewise::driver
