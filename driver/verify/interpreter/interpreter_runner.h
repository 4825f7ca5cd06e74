// The interpreter as a device of `verify`.
#pragma once

#include "verify/runner.h"

#include <memory>

namespace lanewise::driver {

/// What `--device=interpreter` names.
constexpr const char* kInterpreterName = "interpreter";
DeviceInfo interpreterInfo();

/// Runs programs in the interpreter. The first run of a program takes lanes in order, each later
/// one in another order (reverse, interleaved over subgroups, random), so that a program which
/// depends on it does not agree with itself. What it finds waits in takeFindings().
std::unique_ptr<Runner> makeInterpreterRunner(const RunnerOptions& options);

} // namespace lanewise::driver
