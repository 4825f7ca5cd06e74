// The longest chain of commands that have to come one after the other.
#pragma once

#include "verify/queues/plan.h"

#include <functional>
#include <vector>

namespace lanewise::driver {

/// How long a command takes, in whatever unit.
using CommandWeight = std::function<double(CommandRef)>;

struct CriticalPath {
  double length = 0;
  std::vector<CommandRef> commands; ///< first to last
};

/// As if there were no end of queues and hardware.
CriticalPath criticalPathOf(const QueuePlan& plan, const CommandWeight& weight);

} // namespace lanewise::driver
