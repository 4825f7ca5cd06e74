// `lanewise lint SCENARIO.toml`: what is wrong with its queues, without a device.
#pragma once

#include "input/workload.h"
#include "report/lint_report.h"

#include <span>

namespace lanewise::driver {

/// An error is one line: the scenario or a shader of it cannot be read, or it has no queues.
Result<LintedInput> lintScenario(const ScenarioChoice& choice, const LoadOptions& load,
                                 std::span<const LintRule* const> rules,
                                 std::vector<std::string>& notes);

} // namespace lanewise::driver
