#include "verify/queues/submission_order.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace lanewise::driver {

std::optional<std::vector<uint32_t>> submissionOrder(const QueuePlan& plan) {
  const uint32_t count = uint32_t(plan.submissions.size());
  std::map<uint32_t, std::map<uint64_t, uint32_t>> signals; // semaphore, value: submission
  for (uint32_t s = 0; s < count; ++s)
    for (const SemaphoreUse& use : plan.submissions[s].signals)
      signals[use.semaphore].emplace(use.value, s);
  // Nodes: the submissions, then for each the host when it comes to it.
  std::vector<std::vector<uint32_t>> after(2 * count);
  std::vector<uint32_t> left(2 * count);
  auto add = [&](uint32_t first, uint32_t second) {
    after[first].push_back(second);
    ++left[second];
  };
  auto addValue = [&](uint32_t semaphore, uint64_t value, uint32_t node) {
    if (value <= plan.semaphores[semaphore].initial) return;
    const auto reached = signals[semaphore].lower_bound(value);
    if (reached != signals[semaphore].end() && reached->second != node) add(reached->second, node);
  };
  std::map<uint32_t, uint32_t> last; // by queue
  uint32_t ended = 0;                // frames that the host has waited for
  for (uint32_t s = 0; s < count; ++s) {
    const PlannedSubmission& submission = plan.submissions[s];
    if (s != 0) add(count + s - 1, count + s);
    add(count + s, s);
    if (const auto before = last.find(submission.queue); before != last.end())
      add(before->second, s);
    last[submission.queue] = s;
    for (const SemaphoreUse& use : submission.waits) addValue(use.semaphore, use.value, s);
    for (const HostWait& wait : submission.hostWaits)
      if (wait.fence)
        add(*wait.fence, count + s);
      else
        addValue(wait.semaphore, wait.value, count + s);
    if (plan.framesInFlight != 0 && submission.frame >= plan.framesInFlight &&
        ended <= submission.frame - plan.framesInFlight) {
      ended = submission.frame - plan.framesInFlight + 1;
      for (uint32_t e = 0; e < s; ++e)
        if (plan.submissions[e].frame < ended) add(e, count + s);
    }
  }
  std::vector<uint32_t> order;
  std::priority_queue<std::pair<uint32_t, uint32_t>, std::vector<std::pair<uint32_t, uint32_t>>,
                      std::greater<>>
      ready; // place in the host's order, node
  for (uint32_t node = 0; node < 2 * count; ++node)
    if (left[node] == 0) ready.emplace(node % count, node);
  uint32_t done = 0;
  for (; !ready.empty(); ++done) {
    const uint32_t node = ready.top().second;
    ready.pop();
    if (node < count) order.push_back(node);
    for (uint32_t next : after[node])
      if (--left[next] == 0) ready.emplace(next % count, next);
  }
  if (done != 2 * count) return std::nullopt;
  return order;
}

} // namespace lanewise::driver
