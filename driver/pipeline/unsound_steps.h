// Steps of -O that change what some modules compute, and are left out of those.
//
// spirv-opt's --redundancy-elimination takes one read for another of the same place wherever the
// module does not write through the variable. That is wrong where somebody else may, or where the
// value changes by itself: volatile reads, non-private ones, built-ins that are Volatile
// (HelperInvocation, RayTmax), read-only variables that are Aliased or Coherent.
// --reduce-load-size makes two reads of one and forgets their memory operands.
#pragma once

#include "ir/module.h"
#include "lanewise/remarks.h"
#include "pipeline/pipeline.h"

#include <optional>
#include <span>
#include <vector>

namespace lanewise::driver {

struct SoundSteps {
  std::vector<PipelineStep> steps;
  Remark note; ///< what was left out of -O, and why
};

/// The steps that may run over `module`; nothing where all may. One that the user named does what
/// spirv-opt does.
std::optional<SoundSteps> leaveOutUnsoundSteps(const Module& module,
                                               std::span<const PipelineStep> steps);

} // namespace lanewise::driver
