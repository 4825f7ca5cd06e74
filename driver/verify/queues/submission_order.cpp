#include "verify/queues/submission_order.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace lanewise::driver {
namespace {

using Reason = SubmissionStep::Reason;

// Nodes: the submissions, then for each the host when it comes to it.
class Graph {
public:
  struct Edge {
    uint32_t before = 0;
    Reason reason = Reason::Host;
    uint32_t wait = 0; ///< of the submission, where it is one
  };

  explicit Graph(const QueuePlan& plan)
      : plan_(plan), count_(uint32_t(plan.submissions.size())), edges_(2 * count_) {
    for (uint32_t s = 0; s < count_; ++s)
      for (const SemaphoreUse& use : plan.submissions[s].signals)
        signals_[use.semaphore].emplace(use.value, s);
    for (uint32_t s = 0; s < count_; ++s) addSubmission(s);
  }

  uint32_t host(uint32_t submission) const { return count_ + submission; }
  bool isHost(uint32_t node) const { return node >= count_; }
  const std::vector<Edge>& before(uint32_t node) const { return edges_[node]; }

  /// Nodes in the host's order as far as it goes; fewer than all where some wait for one another.
  std::vector<uint32_t> sorted() const {
    std::vector<std::vector<uint32_t>> after(edges_.size());
    std::vector<uint32_t> left(edges_.size());
    for (uint32_t node = 0; node < edges_.size(); ++node)
      for (const Edge& edge : edges_[node]) after[edge.before].push_back(node), ++left[node];
    using Place = std::pair<uint32_t, uint32_t>; // in the host's order, node
    std::priority_queue<Place, std::vector<Place>, std::greater<>> ready;
    for (uint32_t node = 0; node < edges_.size(); ++node)
      if (left[node] == 0) ready.emplace(node % count_, node);
    std::vector<uint32_t> order;
    while (!ready.empty()) {
      order.push_back(ready.top().second);
      ready.pop();
      for (uint32_t next : after[order.back()])
        if (--left[next] == 0) ready.emplace(next % count_, next);
    }
    return order;
  }

  /// The shortest way back from the edge to its own node, the edge first; empty if there is none.
  std::vector<std::pair<uint32_t, Edge>> wayBack(uint32_t node, const Edge& first) const {
    std::vector<std::pair<uint32_t, Edge>> from(edges_.size(), {UINT32_MAX, {}});
    std::queue<uint32_t> open;
    from[first.before] = {node, first};
    open.push(first.before);
    while (!open.empty() && open.front() != node) {
      for (const Edge& edge : edges_[open.front()])
        if (from[edge.before].first == UINT32_MAX) {
          from[edge.before] = {open.front(), edge};
          open.push(edge.before);
        }
      open.pop();
    }
    std::vector<std::pair<uint32_t, Edge>> way;
    if (open.empty()) return way;
    do way.push_back(from[way.empty() ? node : way.back().first]);
    while (way.back().first != node);
    std::reverse(way.begin(), way.end());
    return way;
  }

private:
  void addValue(uint32_t semaphore, uint64_t value, uint32_t node, Edge edge) {
    if (value <= plan_.semaphores[semaphore].initial) return;
    const auto reached = signals_[semaphore].lower_bound(value);
    if (reached == signals_[semaphore].end()) return;
    edge.before = reached->second;
    edges_[node].push_back(edge);
  }

  void addSubmission(uint32_t s) {
    const PlannedSubmission& submission = plan_.submissions[s];
    if (s != 0) edges_[host(s)].push_back({host(s - 1), Reason::Host, 0});
    edges_[s].push_back({host(s), Reason::Host, 0});
    if (const auto before = last_.find(submission.queue); before != last_.end())
      edges_[s].push_back({before->second, Reason::Queue, 0});
    last_[submission.queue] = s;
    for (uint32_t w = 0; w < submission.waits.size(); ++w)
      addValue(submission.waits[w].semaphore, submission.waits[w].value, s, {0, Reason::Wait, w});
    for (uint32_t w = 0; w < submission.hostWaits.size(); ++w) {
      const HostWait& wait = submission.hostWaits[w];
      if (wait.fence)
        edges_[host(s)].push_back({*wait.fence, Reason::HostWait, w});
      else
        addValue(wait.semaphore, wait.value, host(s), {0, Reason::HostWait, w});
    }
    // The host has waited for all frames that are earlier still.
    for (; plan_.framesInFlight != 0 && ended_ < s &&
           plan_.submissions[ended_].frame + plan_.framesInFlight <= submission.frame;
         ++ended_)
      edges_[host(s)].push_back({ended_, Reason::FramesInFlight, 0});
  }

  const QueuePlan& plan_;
  uint32_t count_ = 0;
  std::vector<std::vector<Edge>> edges_;                     ///< by node: what it is behind
  std::map<uint32_t, std::map<uint64_t, uint32_t>> signals_; ///< semaphore, value: submission
  std::map<uint32_t, uint32_t> last_;                        ///< by queue
  uint32_t ended_ = 0; ///< submissions whose frames the host has waited for
};

} // namespace

std::optional<std::vector<uint32_t>> submissionOrder(const QueuePlan& plan) {
  const Graph graph(plan);
  std::vector<uint32_t> order = graph.sorted();
  if (order.size() != 2 * plan.submissions.size()) return std::nullopt;
  std::erase_if(order, [&](uint32_t node) { return graph.isHost(node); });
  return order;
}

std::vector<SubmissionStep> submissionCycle(const QueuePlan& plan, const TextPlace* through) {
  const Graph graph(plan);
  const uint32_t count = uint32_t(plan.submissions.size());
  std::vector<bool> isSorted(2 * count);
  for (uint32_t node : graph.sorted()) isSorted[node] = true;
  for (uint32_t node = 0; node < 2 * count; ++node) {
    const uint32_t s = node % count;
    for (const Graph::Edge& edge : graph.before(node)) {
      const bool isWait = edge.reason == Reason::Wait || edge.reason == Reason::HostWait;
      if (!isWait || isSorted[node] || isSorted[edge.before]) continue;
      const TextPlace& at = edge.reason == Reason::Wait
                                ? plan.submissions[s].waits[edge.wait].at
                                : plan.submissions[s].hostWaits[edge.wait].at;
      if (through && !(at == *through)) continue;
      std::vector<SubmissionStep> steps;
      for (const auto& [later, one] : graph.wayBack(node, edge))
        steps.push_back({later % count, one.before % count, one.reason, one.wait});
      // Between the host's coming to a submission and the submission itself nothing is told.
      std::erase_if(steps, [](const SubmissionStep& step) {
        return step.reason == Reason::Host && step.submission == step.behind;
      });
      if (!steps.empty()) return steps;
    }
  }
  return {};
}

} // namespace lanewise::driver
