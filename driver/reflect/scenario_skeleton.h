// The scenario that is generated for a compute shader, written out for somebody to go on from.
#pragma once

#include "input/front_end.h"
#include "lanewise/assumptions.h"
#include "reflect/module_interface.h"

#include <string>
#include <vector>

namespace lanewise::driver {

struct SkeletonRequest {
  std::string name; ///< of the shader, for people
  std::string file; ///< of the shader, relative to where the scenario will lie
  LoadOptions load;
  Assumptions assumptions;
};

/// TOML (docs/scenario.md) with the buffers, constants and dispatch that `verify` and `profile`
/// generate without a scenario. The error is one line and says why none can be generated or
/// written.
Result<std::string> scenarioSkeleton(const LoadedModule& module, const SkeletonRequest& request);

} // namespace lanewise::driver
