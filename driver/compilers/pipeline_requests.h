// From a module to the pipelines that are compiled for the sake of its entry points.
#pragma once

#include "lanewise/assumptions.h"
#include "lanewise/result.h"
#include "verify/device/pipeline_compiler.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// One entry point.
struct StageRequest {
  std::string entry, stage; ///< stage as `lanewise reflect` names it
  /// With the specialization constants as given; nothing for stages without workgroups.
  std::optional<std::array<uint32_t, 3>> workgroupSize;
  PipelineRequest pipeline;
  std::string problem; ///< why there can be no pipeline; "" where there is one
};

/// The entry points of a valid module, or the one named `entry`. Specialization constants that
/// `assumptions` do not give have their defaults, as in Vulkan; a workgroup size is given to the
/// constants that it comes from. An array of descriptors without a length has some.
Result<std::vector<StageRequest>> requestsFor(std::span<const uint32_t> words,
                                              const Assumptions& assumptions,
                                              const std::string& entry);

} // namespace lanewise::driver
