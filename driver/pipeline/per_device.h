// --per-device: modules for the devices of a tuning file, and one for all others.
#pragma once

#include "lanewise/result.h"
#include "pipeline/optimize_options.h"

#include <string>
#include <vector>

namespace lanewise::driver {

/// One output of an input.
struct DeviceOutput {
  std::string input, name; ///< "tile.comp", "tile.comp.nvidia-h200.spv"
  std::string device;      ///< as the tuning file has it; "": all others
  OptOptions options;      ///< for optimizeInput() of the input
};

/// That for all other devices comes first. The error is one line.
Result<std::vector<DeviceOutput>> outputsPerDevice(const std::string& input,
                                                   const OptOptions& options);

/// The file that says which output is for which device.
std::string outputsAsToml(const std::vector<DeviceOutput>& outputs);

} // namespace lanewise::driver
