// Modules that `lanewise run` has optimized: out of the cache, or from the process that started
// this one. No process is started here (docs/design/layer.md).
#pragma once

#include "layer/device.h"

#include <optional>
#include <string>

namespace lanewise::layer {

struct Optimized {
  std::string module;  ///< the bytes to take instead; "": there is no better one, or none yet
  std::string pending; ///< where somebody is at it and nobody waits: finishedModule()'s key; or ""
  Code code = Code::Own; ///< what a pipeline of it is made of
};
/// `bytes` are the program's module; `flags` are whatever else the pipeline's creation depends on,
/// as text.
Optimized optimizedModule(const Device& device, const PipelineFacts& facts,
                          const std::string& bytes, const std::string& flags);

/// What became of a module that was pending: nothing yet, "" for the program's own.
std::optional<std::string> finishedModule(const std::string& key);

} // namespace lanewise::layer
