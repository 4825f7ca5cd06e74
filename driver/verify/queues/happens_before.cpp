#include "verify/queues/happens_before.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>

namespace lanewise::driver {
namespace {

constexpr uint32_t kWordBits = 64;

// The stages in which a command does something.
Stages stagesOf(const PlannedCommand& command) {
  switch (command.kind) {
  case PlannedCommand::Kind::Dispatch:
    return Stages(kComputeStage | (command.isIndirect ? kIndirectStage : 0));
  case PlannedCommand::Kind::Copy:
    return kTransferStage;
  default:
    return kAllStages;
  }
}

} // namespace

// Walks the submissions in the host's order and keeps, for each queue and stage, two nodes: the
// gate, behind which later commands of the stage start, and all that is done in the stage so far.
class HappensBefore::Builder {
public:
  Builder(const QueuePlan& plan, HappensBefore& to) : plan_(plan), to_(to) {
    addNode({}); // 0: the beginning
    queues_.resize(plan.queues.size());
  }

  void run() {
    for (uint32_t s = 0; s < plan_.submissions.size(); ++s) addSubmission(s);
    resolveWaits();
  }

  /// Waits by their node, for naming those of a cycle.
  struct Wait {
    uint32_t node = 0, submission = 0;
    std::optional<uint32_t> semaphore;
    uint64_t value = 0;
    TextPlace at;
  };
  const std::vector<Wait>& waits() const { return waits_; }

private:
  struct Queue {
    std::array<uint32_t, kStageCount> gate{}, done{};
    uint32_t lastSignal = 0;
  };

  uint32_t addNode(std::vector<uint32_t> before) {
    to_.nodes_.push_back({std::move(before), std::nullopt});
    return uint32_t(to_.nodes_.size() - 1);
  }

  void addSubmission(uint32_t s) {
    const PlannedSubmission& submission = plan_.submissions[s];
    Queue& queue = queues_[submission.queue];
    waitOnHost(s);
    for (uint32_t stage = 0; stage < kStageCount; ++stage) holdBack(queue, stage, host_);
    for (const SemaphoreUse& wait : submission.waits) {
      const uint32_t node = addNode({host_});
      waits_.push_back({node, s, wait.semaphore, wait.value, wait.at});
      for (uint32_t stage = 0; stage < kStageCount; ++stage)
        if (wait.stages >> stage & 1) holdBack(queue, stage, node);
    }
    auto& nodes = to_.stageNodes_.emplace_back();
    for (uint32_t c = 0; c < submission.commands.size(); ++c)
      nodes.push_back(addCommand(queue, submission.commands[c], {s, c}));
    auto& signals = to_.signalNodes_.emplace_back();
    for (const SemaphoreUse& signal : submission.signals) {
      queue.lastSignal = addNode(doneIn(queue, signal.stages, queue.lastSignal));
      to_.nodes_[queue.lastSignal].column = columns_++;
      signals.push_back(queue.lastSignal);
      signalled_[signal.semaphore].emplace(signal.value, queue.lastSignal);
    }
    ends_.push_back(addNode(doneIn(queue, kAllStages, queue.lastSignal)));
  }

  // What comes later in the stage starts behind the node, and dependencies chain through it.
  void holdBack(Queue& queue, uint32_t stage, uint32_t node) {
    queue.gate[stage] = addNode({queue.gate[stage], node});
    queue.done[stage] = addNode({queue.done[stage], queue.gate[stage]});
  }

  static std::vector<uint32_t> doneIn(const Queue& queue, Stages stages, uint32_t also) {
    std::vector<uint32_t> nodes{also};
    for (uint32_t stage = 0; stage < kStageCount; ++stage)
      if (stages >> stage & 1) nodes.push_back(queue.done[stage]);
    return nodes;
  }

  std::vector<uint32_t> addCommand(Queue& queue, const PlannedCommand& command, CommandRef ref) {
    if (command.barrier) {
      const uint32_t barrier = addNode(doneIn(queue, command.barrier->from, 0));
      for (uint32_t stage = 0; stage < kStageCount; ++stage)
        if (command.barrier->to >> stage & 1) holdBack(queue, stage, barrier);
    }
    std::vector<uint32_t> byStage(kStageCount, 0);
    const Stages stages = stagesOf(command);
    if (command.kind == PlannedCommand::Kind::Ownership) {
      // One act behind all that is earlier on the queue. Later commands are held back by barriers,
      // since it is a barrier for its buffer alone.
      std::vector<uint32_t> before = doneIn(queue, kAllStages, 0);
      const uint32_t node = addCommandNode(std::move(before), ref);
      for (uint32_t stage = 0; stage < kStageCount; ++stage) {
        byStage[stage] = node;
        queue.done[stage] = addNode({queue.done[stage], node});
      }
      return byStage;
    }
    // The counts are read before any work begins.
    uint32_t counts = 0;
    if (stages & kIndirectStage) {
      counts = byStage[2] = addCommandNode({queue.gate[2]}, ref);
      queue.done[2] = addNode({queue.done[2], counts});
    }
    for (uint32_t stage = 0; stage < 2; ++stage) {
      if (!(stages >> stage & 1)) continue;
      byStage[stage] = addCommandNode({queue.gate[stage], counts}, ref);
      queue.done[stage] = addNode({queue.done[stage], byStage[stage]});
    }
    return byStage;
  }

  uint32_t addCommandNode(std::vector<uint32_t> before, CommandRef ref) {
    const uint32_t node = addNode(std::move(before));
    to_.nodes_[node].command = ref;
    to_.nodes_[node].column = columns_++;
    return node;
  }

  void waitOnHost(uint32_t s) {
    const PlannedSubmission& submission = plan_.submissions[s];
    // Frames in flight: the last submission of a frame waits for nothing that an earlier one of
    // the same queue has not done, so that the ends of all of them are what the host waits for.
    const uint32_t most = plan_.framesInFlight;
    if (most != 0 && submission.frame >= most && waitedFor_ <= submission.frame - most) {
      std::vector<uint32_t> before{host_};
      for (uint32_t e = 0; e < s; ++e)
        if (plan_.submissions[e].frame + most <= submission.frame) before.push_back(ends_[e]);
      host_ = addNode(std::move(before));
      waitedFor_ = submission.frame - most + 1;
    }
    for (const HostWait& wait : submission.hostWaits) {
      host_ = addNode({host_});
      if (wait.fence) hostFences_.push_back({host_, *wait.fence});
      waits_.push_back({host_, s, wait.fence ? std::nullopt : std::optional(wait.semaphore),
                        wait.value, wait.at});
    }
  }

  // The value is reached by the lowest signal that is not below it: values only go up.
  void resolveWaits() {
    for (auto [node, submission] : hostFences_)
      to_.nodes_[node].before.push_back(ends_[submission]);
    for (const Wait& wait : waits_) {
      if (!wait.semaphore || wait.value <= plan_.semaphores[*wait.semaphore].initial) continue;
      const auto& signals = signalled_[*wait.semaphore];
      const auto reached = signals.lower_bound(wait.value);
      if (reached != signals.end()) {
        to_.nodes_[wait.node].before.push_back(reached->second);
        continue;
      }
      PlanFault fault{PlanFault::Kind::NeverSignalled,
                      wait.submission,
                      wait.semaphore,
                      wait.value,
                      signals.empty() ? plan_.semaphores[*wait.semaphore].initial
                                      : signals.rbegin()->first,
                      wait.at};
      to_.faults_.push_back(std::move(fault));
    }
  }

  const QueuePlan& plan_;
  HappensBefore& to_;
  std::vector<Queue> queues_;
  uint32_t host_ = 0, columns_ = 0, waitedFor_ = 0;
  std::vector<Wait> waits_;
  std::vector<std::pair<uint32_t, uint32_t>> hostFences_; ///< node, submission
  std::vector<uint32_t> ends_;                            ///< by submission
  std::map<uint32_t, std::map<uint64_t, uint32_t>> signalled_;
};

HappensBefore::HappensBefore(const QueuePlan& plan) {
  Builder builder(plan, *this);
  builder.run();
  sort();
  // Waits that are part of a cycle, or behind one: those that cannot be sorted. The first is told,
  // and left out, until all of the rest can run.
  while (sorted_.size() != nodes_.size()) {
    std::vector<bool> isSorted(nodes_.size());
    for (uint32_t node : sorted_) isSorted[node] = true;
    const Builder::Wait* first = nullptr;
    for (const Builder::Wait& wait : builder.waits())
      if (!isSorted[wait.node] && !first) {
        // In the cycle itself, where what it waits for leads back to it.
        std::vector<bool> isSeen(nodes_.size());
        std::vector<uint32_t> open{wait.node};
        bool isBack = false;
        while (!open.empty() && !isBack) {
          const uint32_t node = open.back();
          open.pop_back();
          for (uint32_t before : nodes_[node].before) {
            isBack |= before == wait.node;
            if (!isSorted[before] && !isSeen[before]) isSeen[before] = true, open.push_back(before);
          }
        }
        if (isBack) first = &wait;
      }
    if (!first) break; // every edge back in time is a wait's
    faults_.push_back(
        {PlanFault::Kind::Cycle, first->submission, first->semaphore, first->value, 0, first->at});
    nodes_[first->node].before.clear();
    sort();
  }
  reach();
}

void HappensBefore::sort() {
  sorted_.clear();
  std::vector<uint32_t> left(nodes_.size());
  std::vector<std::vector<uint32_t>> after(nodes_.size());
  for (uint32_t node = 0; node < nodes_.size(); ++node)
    for (uint32_t before : nodes_[node].before) ++left[node], after[before].push_back(node);
  // The smallest number first: the host's order where nothing else decides.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t node = 0; node < nodes_.size(); ++node)
    if (left[node] == 0) ready.push(node);
  while (!ready.empty()) {
    const uint32_t node = ready.top();
    ready.pop();
    sorted_.push_back(node);
    for (uint32_t next : after[node])
      if (--left[next] == 0) ready.push(next);
  }
}

void HappensBefore::reach() {
  uint32_t columns = 0;
  for (const Node& node : nodes_)
    if (node.column != UINT32_MAX) columns = std::max(columns, node.column + 1);
  reaches_.assign(nodes_.size(), std::vector<uint64_t>((columns + kWordBits - 1) / kWordBits, 0));
  for (uint32_t node : sorted_)
    for (uint32_t before : nodes_[node].before) {
      for (size_t w = 0; w < reaches_[node].size(); ++w) reaches_[node][w] |= reaches_[before][w];
      const uint32_t column = nodes_[before].column;
      if (column != UINT32_MAX)
        reaches_[node][column / kWordBits] |= uint64_t(1) << column % kWordBits;
    }
}

bool HappensBefore::isReached(uint32_t from, uint32_t to) const {
  const uint32_t column = nodes_[from].column;
  return reaches_[to][column / kWordBits] >> column % kWordBits & 1;
}

bool HappensBefore::isBefore(CommandRef a, Stages from, CommandRef b, Stages to) const {
  const auto& first = stageNodes_[a.submission][a.command];
  const auto& second = stageNodes_[b.submission][b.command];
  for (uint32_t i = 0; i < kStageCount; ++i)
    for (uint32_t j = 0; j < kStageCount; ++j)
      if ((from >> i & 1) && (to >> j & 1) && first[i] != 0 && second[j] != 0 &&
          !isReached(first[i], second[j]))
        return false;
  return true;
}

bool HappensBefore::isSignalBefore(CommandRef a, CommandRef b) const {
  return isReached(signalNodes_[a.submission][a.command], signalNodes_[b.submission][b.command]);
}

bool HappensBefore::isCovered(CommandRef command, Stages stages, CommandRef signal) const {
  const auto& nodes = stageNodes_[command.submission][command.command];
  for (uint32_t i = 0; i < kStageCount; ++i)
    if ((stages >> i & 1) && nodes[i] != 0 &&
        !isReached(nodes[i], signalNodes_[signal.submission][signal.command]))
      return false;
  return true;
}

std::vector<CommandRef> HappensBefore::serialOrder() const {
  std::vector<CommandRef> order;
  std::map<CommandRef, uint32_t> left; // nodes of a command that are still to come
  for (uint32_t node : sorted_)
    if (nodes_[node].command) ++left[*nodes_[node].command];
  for (uint32_t node : sorted_)
    if (nodes_[node].command && --left[*nodes_[node].command] == 0)
      order.push_back(*nodes_[node].command);
  return order;
}

std::vector<CommandRef>
HappensBefore::serialOrder(const std::vector<std::pair<CommandRef, CommandRef>>& turned) const {
  std::vector<CommandRef> order = serialOrder();
  for (const auto& [late, early] : turned) {
    const auto from = std::find(order.begin(), order.end(), late);
    std::stable_partition(from, order.end(), [&](const CommandRef& one) {
      return one == early || (one != late && isBefore(one, early));
    });
  }
  return order;
}

} // namespace lanewise::driver
