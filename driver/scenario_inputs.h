// Modules and a scenario on one command line: what `verify` and `profile` have in common.
#pragma once

#include "analysis/assumptions.h"
#include "front_end.h"
#include "result.h"
#include "verify/scenario.h"

#include <string>
#include <vector>

namespace lanewise::driver {

/// The values of -x (empty: not given) and of each -D.
Status parseLoadOptions(const std::string& kind, const std::vector<std::string>& defines,
                        LoadOptions& options);

/// The values of each --spec-const and of --workgroup-size (empty: not given).
Result<Assumptions> parseAssumptions(const std::vector<std::string>& specConstants,
                                     const std::string& workgroupSize);

/// Whether compiled source keeps the line information that it was compiled with.
enum class Lines { Keep, Strip };
/// Loads a module as the scenario's shader `described` asks for, if there is one. The error is a
/// line to be printed.
Result<Words> loadShader(const std::string& path, LoadOptions options,
                         const ScenarioShader* described, Lines lines);

/// The scenario's shader that `input` stands for: the one called `name` if that is not empty, else
/// the one with that file or a file of that name, else the only one that the scenario's own
/// dispatches use.
Result<const ScenarioShader*> shaderFor(const Scenario& scenario, const std::string& name,
                                        const std::string& input);

} // namespace lanewise::driver
