// Scenarios generated from what modules declare.
#pragma once

#include "lanewise/assumptions.h"
#include "lanewise/result.h"
#include "verify/program/program.h"
#include "verify/scenario/scenario.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// How large a generated scenario is.
struct SynthesisLimits {
  uint32_t groups = 4; ///< workgroups in a direction, as far as these have more than one
  /// The largest integer handed out as a size or a count, unless a row of a workgroup is longer.
  /// Runtime arrays have its square of elements at least.
  uint32_t integer = 256;
  /// What the interpreter can afford. Two workgroups are enough to see that they race.
  static SynthesisLimits forInterpreter() { return {2, 64}; }
};

/// A scenario generated from what the modules declare, for when there is none
/// : buffer sizes, inputs and one dispatch. What could not be generated
/// is an Error with the reason.
Result<Scenario> synthesizeScenario(std::span<const ShaderPair> shaders,
                                    const Assumptions& assumptions, uint64_t seed,
                                    std::vector<std::string>& notes,
                                    const SynthesisLimits& limits = {});

} // namespace lanewise::driver
