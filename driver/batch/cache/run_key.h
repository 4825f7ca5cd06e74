// What all inputs of a batch share of their keys.
#pragma once

#include "batch/cache/result_cache.h"
#include "lanewise/result.h"
#include "pipeline/optimize_options.h"

#include <string>
#include <vector>

namespace lanewise::driver {

struct RunKeyRequest {
  const OptOptions& options;
  bool isNeeded = true; ///< false: there is no cache, and only errors count
};
/// Reads the scenario and the target that `options` name; the device stays empty. The error is one
/// line.
Result<RunKey> makeRunKey(const RunKeyRequest& request, std::vector<std::string> given);

/// All that Vulkan tells of the device that --verify or --target=device use; "" with neither. Asked
/// in a process of its own, so that no driver's threads are left in this one. The error means that
/// there is no such device (exit 3).
Result<std::string> deviceIdentity(const OptOptions& options);

} // namespace lanewise::driver
