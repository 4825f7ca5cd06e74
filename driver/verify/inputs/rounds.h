// Further inputs for modules that nobody gave a scenario for. What the first ones leave as it is
// (counts that the workgroup size divides, small integers, one mode, the defaults of specialization
// constants) is where a mistake hides: each aim changes one of these
// (docs/design/synthesized-inputs.md).
#pragma once

#include "verify/program/runner.h"
#include "verify/scenario/scenario.h"

#include <span>
#include <vector>

namespace lanewise::driver {

struct RoundAim {
  /// By Scenario::round what they try. The first in which the original is sound is enough.
  std::vector<Scenario> tries;
  /// Where the first try is not sound, each of the others counts and not only the next sound one.
  bool splits = false;
  /// Comes behind all others, those that branches ask for included: loops may run for long with it.
  bool isLast = false;
};

/// For the chosen inputs `base`, a generated scenario of one shader, and the programs that run with
/// it, the original first. In the order of what they have been found to show.
std::vector<RoundAim> planRounds(const Scenario& base, std::span<const Program> programs);

/// For inputs `base` with which the original is at fault: those with which it may not be, likely
/// ones first. Random indices meet where invocations scatter; indices that count do not.
std::vector<RoundAim> planSoundInputs(const Scenario& base, std::span<const Program> programs);

} // namespace lanewise::driver
