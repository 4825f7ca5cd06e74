// Whether inputs agree with what a module was optimized for (`--assume`).
#pragma once

#include "lanewise/result.h"
#include "verify/program/program.h"
#include "verify/scenario/scenario.h"

#include <string>
#include <vector>

namespace lanewise::driver {

/// An error, one sentence, where a dispatch of `program`, which was bound to the scenario, does not
/// agree with Scenario::stated. What a shader does not have is no matter of it.
Status checkStated(const Scenario& scenario, const Program& program);

/// A sentence for each of these facts of which no dispatch has anything: it is not checked.
std::vector<std::string> explainUnchecked(const Scenario& scenario, const Program& program);

/// Changes push constants, counts of workgroups and lengths of buffers of a generated scenario,
/// whose shader is `words`, so that they agree with Scenario::stated, where that is easily done.
/// What it changed becomes one of the notes.
void meetStated(Scenario& scenario, const Words& words, std::vector<std::string>& notes);

} // namespace lanewise::driver
