// What a run recorded of its compute pipelines, as TOML (docs/pipelines.md).
#pragma once

#include "run/run_data.h"
#include "support/files.h"

#include <string>
#include <vector>

namespace lanewise::driver {

/// Adds the file `path`, and the modules that the layer left in `data` in a folder beside it. What
/// could not be recorded, a line each.
Result<std::vector<std::string>> addRecording(OutputFiles& files, const RunData& run,
                                              const std::string& data, const std::string& path);

} // namespace lanewise::driver
