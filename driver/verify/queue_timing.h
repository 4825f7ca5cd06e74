// What ran when on which queue, and what that was worth.
#pragma once

#include "verify/program/runner.h"
#include "verify/queues/plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

struct TimedCommand {
  std::string name;
  uint32_t queue = 0, frame = 0, line = 0;
  double begin = 0, end = 0; ///< microseconds
  bool isCritical = false;   ///< on the critical path
};

struct TimedQueue {
  std::string name, place; ///< the plan's, and what stands for it on the device
  double busy = 0;         ///< microseconds in which a command ran
};

/// Of one run. All times are microseconds.
struct QueueTiming {
  std::vector<TimedQueue> queues;
  std::vector<TimedCommand> commands; ///< in the plan's order; those that could be timed
  uint32_t deviceQueues = 0;          ///< that are different
  /// Times of different queues are on one clock; without, only those of one queue say something.
  bool areComparable = false;
  double span = 0;         ///< from the first command that began to the last that ended
  double overlap = 0;      ///< in which two queues or more of the device ran
  double criticalPath = 0; ///< the longest chain of commands that have to wait for one another
  std::optional<double> oneQueue; ///< the same commands, one after the other
};

QueueTiming queueTimingOf(const QueuePlan& plan, const QueueTrace& trace);

} // namespace lanewise::driver
