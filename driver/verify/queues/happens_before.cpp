#include "verify/queues/happens_before.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>

namespace lanewise::driver {
namespace {

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

// The first scope of a synchronization command has the stages that are logically earlier than those
// it names as well, the second those that are later (specification, "Pipeline Stages"). A dispatch
// reads its counts before it computes.
Stages withEarlier(Stages stages) {
  return Stages(stages | (stages & kComputeStage ? kIndirectStage : 0));
}
Stages withLater(Stages stages) {
  return Stages(stages | (stages & kIndirectStage ? kComputeStage : 0));
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
  // A queue's chains: what is done in each stage, its signals, its transfers of ownership.
  static constexpr uint32_t kSignals = kStageCount, kTransfers = kStageCount + 1;
  struct Chain {
    uint32_t number = kNone, length = 0;
  };
  struct Queue {
    std::array<uint32_t, kStageCount> gate{}, done{};
    uint32_t lastSignal = 0, host = 0;
    std::array<Chain, kStageCount + 2> chains;
  };

  uint32_t addNode(std::initializer_list<uint32_t> before) {
    Node& node = to_.nodes_.emplace_back();
    node.first = uint32_t(to_.edges_.size());
    for (uint32_t one : before)
      if (one != 0) to_.edges_.push_back(one);
    node.count = uint32_t(to_.edges_.size()) - node.first;
    return uint32_t(to_.nodes_.size() - 1);
  }
  uint32_t addBehindDone(const Queue& queue, Stages stages, uint32_t also) {
    auto doneIn = [&](uint32_t stage) { return stages >> stage & 1 ? queue.done[stage] : 0; };
    return addNode({also, doneIn(0), doneIn(1), doneIn(2)});
  }
  Position append(Queue& queue, uint32_t chain) {
    Chain& to = queue.chains[chain];
    if (to.number == kNone) to.number = to_.chains_++;
    return {to.number, ++to.length};
  }

  void addSubmission(uint32_t s) {
    const PlannedSubmission& submission = plan_.submissions[s];
    Queue& queue = queues_[submission.queue];
    waitOnHost(s);
    if (queue.host != host_)
      for (uint32_t stage = 0; stage < kStageCount; ++stage) holdBack(queue, stage, host_);
    queue.host = host_;
    for (const SemaphoreUse& wait : submission.waits) {
      const uint32_t node = addNode({host_});
      waits_.push_back({node, s, wait.semaphore, wait.value, wait.at});
      to_.waitNodes_[wait.at].push_back(node);
      // All memory is made visible to what is behind the wait, later stages included.
      const Stages stages = withLater(wait.stages);
      for (uint32_t stage = 0; stage < kStageCount; ++stage)
        if (stages >> stage & 1) holdBack(queue, stage, node);
    }
    auto& nodes = to_.stageNodes_.emplace_back();
    for (uint32_t c = 0; c < submission.commands.size(); ++c)
      nodes.push_back(addCommand(queue, submission.commands[c], {s, c}));
    auto& signals = to_.signalNodes_.emplace_back();
    for (const SemaphoreUse& signal : submission.signals) {
      queue.lastSignal = addBehindDone(queue, withEarlier(signal.stages), queue.lastSignal);
      to_.nodes_[queue.lastSignal].own = append(queue, kSignals);
      signals.push_back(queue.lastSignal);
      signalled_[signal.semaphore].emplace(signal.value, queue.lastSignal);
    }
    ends_.push_back(addBehindDone(queue, kAllStages, queue.lastSignal));
  }

  // What comes later in the stage starts behind the node, and dependencies chain through it.
  void holdBack(Queue& queue, uint32_t stage, uint32_t node) {
    queue.gate[stage] = addNode({queue.gate[stage], node});
    queue.done[stage] = addNode({queue.done[stage], queue.gate[stage]});
  }

  StageNodes addCommand(Queue& queue, const PlannedCommand& command, CommandRef ref) {
    if (command.barrier) {
      // What is later than its second stages starts behind it as well, but sees nothing of what was
      // written: a barrier makes memory visible to the stages that it names, and to no others.
      const uint32_t barrier = addBehindDone(queue, withEarlier(command.barrier->from), 0);
      for (uint32_t stage = 0; stage < kStageCount; ++stage)
        if (command.barrier->to >> stage & 1) holdBack(queue, stage, barrier);
    }
    StageNodes nodes;
    std::array<uint32_t, kStageCount>& byStage = nodes.of;
    const Stages stages = stagesOf(command);
    if (command.kind == PlannedCommand::Kind::Ownership) {
      // One act behind all that is earlier on the queue. Later commands are held back by barriers,
      // since it is a barrier for its buffer alone.
      const uint32_t node = addBehindDone(queue, kAllStages, 0);
      to_.nodes_[node].command = ref;
      to_.nodes_[node].own = to_.nodes_[node].ends[0] = append(queue, kTransfers);
      for (uint32_t stage = 0; stage < kStageCount; ++stage) {
        byStage[stage] = node;
        queue.done[stage] = addNode({queue.done[stage], node});
      }
      return nodes;
    }
    // The counts are read before any work begins.
    uint32_t counts = 0;
    if (stages & kIndirectStage) {
      counts = byStage[2] = addToStage(queue, 2, 0, ref);
      nodes.visible = addNode({queue.gate[0]});
    }
    for (uint32_t stage = 0; stage < 2; ++stage)
      if (stages >> stage & 1) byStage[stage] = addToStage(queue, stage, counts, ref);
    if (counts != 0) to_.nodes_[counts].ends[1] = to_.nodes_[byStage[0]].ends[0];
    return nodes;
  }

  uint32_t addToStage(Queue& queue, uint32_t stage, uint32_t behind, CommandRef ref) {
    const uint32_t node = addNode({queue.gate[stage], behind});
    to_.nodes_[node].command = ref;
    queue.done[stage] = addNode({queue.done[stage], node});
    to_.nodes_[queue.done[stage]].own = to_.nodes_[node].ends[0] = append(queue, stage);
    return node;
  }

  void waitOnHost(uint32_t s) {
    const PlannedSubmission& submission = plan_.submissions[s];
    // Frames in flight: the host waits for the ends of all of a frame, and has waited for those
    // before it.
    const uint32_t most = plan_.framesInFlight;
    for (; most != 0 && waitedFor_ < s &&
           plan_.submissions[waitedFor_].frame + most <= submission.frame;
         ++waitedFor_)
      host_ = addNode({host_, ends_[waitedFor_]});
    for (const HostWait& wait : submission.hostWaits) {
      host_ = addNode({host_});
      if (wait.fence) hostFences_.push_back({host_, *wait.fence});
      waits_.push_back({host_, s, wait.fence ? std::nullopt : std::optional(wait.semaphore),
                        wait.value, wait.at});
    }
  }

  // The value is reached by the lowest signal that is not below it: values only go up.
  void resolveWaits() {
    for (auto [node, submission] : hostFences_) to_.nodes_[node].late = ends_[submission];
    for (const Wait& wait : waits_) {
      if (!wait.semaphore || wait.value <= plan_.semaphores[*wait.semaphore].initial) continue;
      const auto& signals = signalled_[*wait.semaphore];
      const auto reached = signals.lower_bound(wait.value);
      if (reached != signals.end()) {
        to_.nodes_[wait.node].late = reached->second;
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
  uint32_t host_ = 0;
  uint32_t waitedFor_ = 0; ///< submissions whose frame was too long ago to be in flight
  std::vector<Wait> waits_;
  std::vector<std::pair<uint32_t, uint32_t>> hostFences_; ///< node, submission
  std::vector<uint32_t> ends_;                            ///< by submission
  std::map<uint32_t, std::map<uint64_t, uint32_t>> signalled_;
};

HappensBefore::HappensBefore(const QueuePlan& plan) {
  Builder builder(plan, *this);
  builder.run();
  sort();
  // The first wait of each cycle is told, and left out, until all of the rest can run.
  while (sorted_.size() != nodes_.size()) {
    std::vector<uint32_t> cycleOf(nodes_.size(), kNone);
    const std::vector<std::vector<uint32_t>> found = cycles();
    for (uint32_t c = 0; c < found.size(); ++c)
      for (uint32_t node : found[c]) cycleOf[node] = c;
    std::set<uint32_t> told;
    for (const Builder::Wait& wait : builder.waits()) {
      const uint32_t cycle = cycleOf[wait.node];
      if (cycle == kNone || nodes_[wait.node].late == kNone ||
          cycleOf[nodes_[wait.node].late] != cycle || !told.insert(cycle).second)
        continue;
      faults_.push_back(
          {PlanFault::Kind::Cycle, wait.submission, wait.semaphore, wait.value, 0, wait.at});
      nodes_[wait.node].late = kNone;
    }
    if (told.empty()) break; // every edge back in time is a wait's
    sort();
  }
  count();
}

void HappensBefore::sort() {
  bool isInOrder = true; // all that comes before a node was made before it
  for (uint32_t node = 0; node < nodes_.size(); ++node)
    isInOrder &= nodes_[node].late == kNone || nodes_[node].late < node;
  sorted_.clear();
  if (isInOrder) {
    sorted_.resize(nodes_.size());
    std::iota(sorted_.begin(), sorted_.end(), 0u);
    return;
  }
  std::vector<uint32_t> left(nodes_.size());
  std::vector<std::vector<uint32_t>> after(nodes_.size());
  for (uint32_t node = 0; node < nodes_.size(); ++node)
    forEachBefore(node, [&](uint32_t before) { ++left[node], after[before].push_back(node); });
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

// Sets of nodes that are before one another: strongly connected components of more than one
// (Tarjan, "Depth-first search and linear graph algorithms", 1972).
std::vector<std::vector<uint32_t>> HappensBefore::cycles() const {
  std::vector<std::vector<uint32_t>> found;
  std::vector<uint32_t> number(nodes_.size(), 0), low(nodes_.size(), 0), open;
  std::vector<bool> isOpen(nodes_.size());
  struct Visit {
    uint32_t node = 0;
    std::vector<uint32_t> left;
  };
  std::vector<Visit> visits;
  uint32_t next = 0;
  auto enter = [&](uint32_t node) {
    number[node] = low[node] = ++next;
    open.push_back(node);
    isOpen[node] = true;
    Visit& visit = visits.emplace_back();
    visit.node = node;
    forEachBefore(node, [&](uint32_t before) { visit.left.push_back(before); });
  };
  for (uint32_t root = 0; root < nodes_.size(); ++root) {
    if (number[root] != 0) continue;
    enter(root);
    while (!visits.empty()) {
      const uint32_t node = visits.back().node;
      if (!visits.back().left.empty()) {
        const uint32_t before = visits.back().left.back();
        visits.back().left.pop_back();
        if (number[before] == 0)
          enter(before);
        else if (isOpen[before])
          low[node] = std::min(low[node], number[before]);
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) {
        uint32_t& outer = low[visits.back().node];
        outer = std::min(outer, low[node]);
      }
      if (low[node] != number[node]) continue;
      const auto from = std::find(open.rbegin(), open.rend(), node).base() - 1;
      for (auto at = from; at != open.end(); ++at) isOpen[*at] = false;
      if (open.end() - from > 1) found.emplace_back(from, open.end());
      open.erase(from, open.end());
    }
  }
  return found;
}

void HappensBefore::count() {
  clocks_.assign(nodes_.size() * chains_, 0);
  for (uint32_t node : sorted_)
    countAt(node, std::span(clocks_).subspan(size_t(node) * chains_, chains_));
}

void HappensBefore::countAt(uint32_t node, std::span<uint32_t> into) const {
  std::fill(into.begin(), into.end(), 0);
  forEachBefore(node, [&](uint32_t before) {
    const std::span<const uint32_t> clock = clockOf(before);
    for (uint32_t c = 0; c < chains_; ++c) into[c] = std::max(into[c], clock[c]);
  });
  if (const Position& own = nodes_[node].own; own.chain != kNone)
    into[own.chain] = std::max(into[own.chain], own.at);
}

bool HappensBefore::isReached(uint32_t from, uint32_t to) const {
  if (from == to) return false;
  auto isBehind = [&](const Position& end) {
    return end.chain != kNone && clocks_[size_t(to) * chains_ + end.chain] >= end.at;
  };
  const Node& node = nodes_[from];
  return node.command ? isBehind(node.ends[0]) || isBehind(node.ends[1]) : isBehind(node.own);
}

bool HappensBefore::isBefore(CommandRef a, Stages from, CommandRef b, Stages to,
                             Dependency dependency) const {
  const StageNodes& first = stageNodes_[a.submission][a.command];
  const StageNodes& second = stageNodes_[b.submission][b.command];
  for (uint32_t i = 0; i < kStageCount; ++i)
    for (uint32_t j = 0; j < kStageCount; ++j)
      if ((from >> i & 1) && (to >> j & 1) && first.of[i] != 0 && second.of[j] != 0 &&
          !isReached(first.of[i], second.behind(j, dependency)))
        return false;
  return true;
}

bool HappensBefore::isSignalBefore(CommandRef a, CommandRef b) const {
  return isReached(signalNodes_[a.submission][a.command], signalNodes_[b.submission][b.command]);
}

bool HappensBefore::isCovered(CommandRef command, Stages stages, CommandRef signal) const {
  const StageNodes& nodes = stageNodes_[command.submission][command.command];
  for (uint32_t i = 0; i < kStageCount; ++i)
    if ((stages >> i & 1) && nodes.of[i] != 0 &&
        !isReached(nodes.of[i], signalNodes_[signal.submission][signal.command]))
      return false;
  return true;
}

// ----- waits that are taken out -----

void HappensBefore::require(CommandRef a, Stages from, CommandRef b, Stages to,
                            Dependency dependency) {
  const StageNodes& first = stageNodes_[a.submission][a.command];
  const StageNodes& second = stageNodes_[b.submission][b.command];
  for (uint32_t i = 0; i < kStageCount; ++i)
    for (uint32_t j = 0; j < kStageCount; ++j)
      if ((from >> i & 1) && (to >> j & 1) && first.of[i] != 0 && second.of[j] != 0)
        requireNodes(first.of[i], second.behind(j, dependency));
}

void HappensBefore::requireSignals(CommandRef a, CommandRef b) {
  requireNodes(signalNodes_[a.submission][a.command], signalNodes_[b.submission][b.command]);
}

void HappensBefore::requireNodes(uint32_t from, uint32_t to) {
  if (required_.empty()) required_.assign(clocks_.size(), 0);
  const Node& node = nodes_[from];
  if (node.command && node.ends[1].chain != kNone) {
    requiredNodes_[to].push_back(from);
    return;
  }
  const Position& end = node.command ? node.ends[0] : node.own;
  uint32_t& least = required_[size_t(to) * chains_ + end.chain];
  least = std::max(least, end.at);
}

bool HappensBefore::isRequiredKept(uint32_t node) const {
  if (!required_.empty())
    for (uint32_t c = 0; c < chains_; ++c)
      if (clocks_[size_t(node) * chains_ + c] < required_[size_t(node) * chains_ + c]) return false;
  const auto others = requiredNodes_.find(node);
  return others == requiredNodes_.end() ||
         std::all_of(others->second.begin(), others->second.end(),
                     [&](uint32_t from) { return isReached(from, node); });
}

void HappensBefore::prepareTakingOut() {
  if (!rank_.empty()) return;
  rank_.resize(nodes_.size());
  for (uint32_t n = 0; n < sorted_.size(); ++n) rank_[sorted_[n]] = n;
  after_.resize(nodes_.size());
  for (uint32_t node = 0; node < nodes_.size(); ++node)
    forEachBefore(node, [&](uint32_t before) { after_[before].push_back(node); });
}

// Counts anew only what changes, and stops at the first that is no longer in order.
bool HappensBefore::takeOut(const TextPlace& wait) {
  prepareTakingOut();
  const std::vector<uint32_t>& waits = waitNodes_[wait];
  std::vector<std::pair<uint32_t, uint32_t>> lates; // for putting them back
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> clocks;
  std::set<std::pair<uint32_t, uint32_t>> open; // rank, node
  for (uint32_t node : waits) {
    lates.emplace_back(node, nodes_[node].late);
    nodes_[node].late = kNone;
    open.emplace(rank_[node], node);
  }
  std::vector<uint32_t> clock(chains_);
  bool isKept = true;
  while (isKept && !open.empty()) {
    const uint32_t node = open.begin()->second;
    open.erase(open.begin());
    countAt(node, clock);
    const std::span<uint32_t> known = std::span(clocks_).subspan(size_t(node) * chains_, chains_);
    if (std::equal(clock.begin(), clock.end(), known.begin())) continue;
    clocks.emplace_back(node, std::vector(known.begin(), known.end()));
    std::copy(clock.begin(), clock.end(), known.begin());
    isKept = isRequiredKept(node);
    for (uint32_t next : after_[node]) open.emplace(rank_[next], next);
  }
  if (isKept) return true;
  for (const auto& [node, late] : lates) nodes_[node].late = late;
  for (const auto& [node, before] : clocks)
    std::copy(before.begin(), before.end(), clocks_.begin() + ptrdiff_t(size_t(node) * chains_));
  return false;
}

// ----- orders -----

std::vector<CommandRef>
HappensBefore::heaviestChain(const std::function<double(CommandRef)>& weight) const {
  std::vector<double> ends(nodes_.size());
  std::vector<uint32_t> last(nodes_.size(), kNone), behind(nodes_.size(), kNone); // commands' nodes
  uint32_t heaviest = kNone;
  for (uint32_t node : sorted_) {
    forEachBefore(node, [&](uint32_t before) {
      if (ends[before] > ends[node]) ends[node] = ends[before], last[node] = last[before];
    });
    const std::optional<CommandRef>& command = nodes_[node].command;
    // An indirect dispatch has another node for its counts.
    if (!command || nodes_[node].ends[1].chain != kNone) continue;
    behind[node] = std::exchange(last[node], node);
    ends[node] += weight(*command);
    if (heaviest == kNone || ends[node] > ends[heaviest]) heaviest = node;
  }
  std::vector<CommandRef> chain;
  for (uint32_t node = heaviest; node != kNone; node = behind[node])
    chain.push_back(*nodes_[node].command);
  std::reverse(chain.begin(), chain.end());
  return chain;
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
