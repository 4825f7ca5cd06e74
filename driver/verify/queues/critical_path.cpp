#include "verify/queues/critical_path.h"

#include "verify/queues/happens_before.h"

#include <algorithm>

namespace lanewise::driver {

CriticalPath criticalPathOf(const QueuePlan& plan, const CommandWeight& weight) {
  const HappensBefore order(plan);
  const std::vector<CommandRef> commands = order.serialOrder();
  std::vector<double> ends(commands.size());
  std::vector<size_t> behind(commands.size(), SIZE_MAX);
  for (size_t i = 0; i < commands.size(); ++i) {
    double start = 0;
    for (size_t j = 0; j < i; ++j)
      if (ends[j] > start && order.isBefore(commands[j], commands[i]))
        start = ends[j], behind[i] = j;
    ends[i] = start + weight(commands[i]);
  }
  CriticalPath path;
  if (commands.empty()) return path;
  size_t at = size_t(std::max_element(ends.begin(), ends.end()) - ends.begin());
  path.length = ends[at];
  for (; at != SIZE_MAX; at = behind[at]) path.commands.push_back(commands[at]);
  std::reverse(path.commands.begin(), path.commands.end());
  return path;
}

} // namespace lanewise::driver
