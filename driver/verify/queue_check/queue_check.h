// All that can be said of a scenario's queues without a device (docs/queues.md).
#pragma once

#include "lanewise/result.h"
#include "verify/program/program.h"
#include "verify/queues/hazards.h"
#include "verify/scenario/scenario.h"

#include <string>
#include <vector>

namespace lanewise::driver {

struct QueueCheckOptions {
  uint64_t seed = 1;
  double timeoutSeconds = 60; ///< of the run that watches accesses, and of all others together
  uint32_t subgroupSize = 32; ///< of the interpreter
};

struct QueueCheckReport {
  std::vector<QueueFinding> findings;            ///< by place; redundant waits last
  uint64_t hazardsLeftOut = 0, waitsLeftOut = 0; ///< beyond 50 each
  bool areMoreLeftOut = false;                   ///< hazards than were counted
  /// Why the bytes are not known and whole resources were taken; empty where they are.
  std::string notWatched;
  uint32_t submissions = 0, commands = 0; ///< over all frames
  uint64_t errors() const;
};

/// The scenario has queues; `variant` has a module for each of its shaders. An error is bad input.
Result<QueueCheckReport> checkQueues(const Scenario& scenario, const ProgramVariant& variant,
                                     const QueueCheckOptions& options = {});

} // namespace lanewise::driver
