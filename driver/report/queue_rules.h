// What is wrong with a scenario's queues, in the form in which lint reports what is wrong with
// shaders (docs/queues.md).
#pragma once

#include "lint/lint.h"
#include "verify/queues/hazards.h"

#include <span>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// The rules that look at scenarios and at no module: their `run` is null.
std::span<const LintRule> queueLintRules();
/// The rule with this name, of those for shaders and those for queues; null if there is none.
const LintRule* findAnyLintRule(std::string_view name);

/// `path` is the scenario's. Where the bytes that commands touch are not known, a hazard is only
/// possible, and a warning.
LintFinding lintFindingOf(const QueueFinding& finding, const std::string& path, bool areBytesKnown);

} // namespace lanewise::driver
