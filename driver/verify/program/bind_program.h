// Fits modules to a scenario: every binding bound, every constant given, every buffer large enough.
#pragma once

#include "lanewise/result.h"
#include "verify/program/marshal.h"
#include "verify/program/program.h"
#include "verify/program/runner.h"
#include "verify/scenario/scenario.h"

#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// The program that runs `variant`'s modules as its dispatches (or the scenario's) say. An error is
/// one sentence that names shader and dispatch: the scenario does not fit the modules, or a module
/// cannot be read. What the scenario gives and the modules do not ask for becomes a note.
Result<Program> bindProgram(const Scenario& scenario, const ProgramVariant& variant,
                            std::vector<std::string>& notes, ReflectionCache& reflections);
Result<Program> bindProgram(const Scenario& scenario, const ProgramVariant& variant,
                            std::vector<std::string>& notes);

/// The same for all programs of a marshalling of `variants`, in their order. A rewrite may drop a
/// binding or freeze a constant, so that only what was described for a program's own dispatches is
/// worth a note.
Result<std::vector<Program>> bindPrograms(const Marshalling& marshalling,
                                          std::span<const ProgramVariant> variants,
                                          std::vector<std::string>& notes,
                                          ReflectionCache& reflections);

} // namespace lanewise::driver
