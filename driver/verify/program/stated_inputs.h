// Whether inputs agree with what a module was optimized for (`--assume`).
#pragma once

#include "lanewise/result.h"
#include "verify/program/program.h"
#include "verify/scenario/scenario.h"

namespace lanewise::driver {

/// An error, one sentence, where a dispatch of `program`, which was bound to the scenario, does not
/// agree with Scenario::stated. What a shader does not have is no matter of it.
Status checkStated(const Scenario& scenario, const Program& program);

/// Changes push constants, counts of workgroups and lengths of buffers of a generated scenario,
/// whose shader is `words`, so that they agree with Scenario::stated, where that is easily done.
void meetStated(Scenario& scenario, const Words& words);

} // namespace lanewise::driver
