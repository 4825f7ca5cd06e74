#include "verify/queues/critical_path.h"

#include "verify/queues/happens_before.h"

namespace lanewise::driver {

CriticalPath criticalPathOf(const QueuePlan& plan, const CommandWeight& weight) {
  CriticalPath path;
  path.commands = HappensBefore(plan).heaviestChain(weight);
  for (CommandRef command : path.commands) path.length += weight(command);
  return path;
}

} // namespace lanewise::driver
