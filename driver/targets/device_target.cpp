#include "targets/device_target.h"

#include "support/failure.h"
#include "targets/target_profiles.h"
#include "verify/device/device_host.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace lanewise::driver {

namespace {

/// Words in the names of devices and drivers, and the profile that they stand for; the first match
/// counts. AMD's wave size tells RDNA from GCN where the driver says it.
constexpr std::pair<std::string_view, std::string_view> kVendors[] = {
    {"llvmpipe", "lavapipe"}, {"nvidia", "nvidia"},   {"nvk", "nvidia"},     {"adreno", "adreno"},
    {"turnip", "adreno"},     {"mali", "mali"},       {"intel", "intel-xe"}, {"radv", "amd-rdna"},
    {"amd", "amd-rdna"},      {"radeon", "amd-rdna"},
};

std::string lowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

} // namespace

std::string builtInTargetOf(const DeviceInfo& device) {
  std::string name = lowerCase(device.name + " " + device.driver);
  std::string_view base = "generic";
  for (const auto& [word, profile] : kVendors)
    if (name.find(word) != std::string::npos) {
      base = profile;
      break;
    }
  if (base == "amd-rdna" && device.subgroupSize == 64 && name.find("navi") == std::string::npos &&
      name.find(" rx ") == std::string::npos)
    base = "amd-gcn";
  return std::string(base);
}

Result<TargetProfile> targetOfDevice(const DeviceInfo& device) {
  Result<TargetProfile> target = loadTarget(builtInTargetOf(device));
  if (!target) return target;
  target->name = device.name;
  if (device.sharedMemoryBytes > 0) target->maxSharedMemory = device.sharedMemoryBytes;
  if (device.storageBufferBytes > 0) target->maxStorageBuffer = device.storageBufferBytes;
  target->setSubgroupSize(device.subgroupSize);
  return target;
}

Result<TargetProfile> loadDeviceTarget(const std::string& wanted) {
  Result<std::vector<DeviceInfo>> devices = listDevices();
  if (!devices) return devices.error();
  Result<uint32_t> chosen = chooseDevice(*devices, wanted);
  if (!chosen) return failure("--target=device: " + chosen.error().message);
  return targetOfDevice((*devices)[*chosen]);
}

} // namespace lanewise::driver
