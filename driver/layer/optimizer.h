// Modules that `lanewise run` has optimized: out of the cache, or from the process that started
// this one. No process is started here (docs/design/layer.md).
#pragma once

#include "layer/device.h"

#include <optional>
#include <string>

namespace lanewise::layer {

/// The bytes of the module to take instead, or nothing: there is no better one, there is none yet,
/// or something went wrong. `bytes` are the program's; `flags` are whatever else the pipeline's
/// creation depends on, as text.
std::optional<std::string> optimizedModule(const Device& device, const PipelineFacts& facts,
                                           const std::string& bytes, const std::string& flags);

} // namespace lanewise::layer
