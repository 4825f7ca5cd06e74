// What happens before what in a plan, as the Vulkan specification has it (chapter "Synchronization
// and Cache Control"): submission order by itself orders nothing; a barrier orders the stages that
// it names, before it and behind it on its queue; a signal covers all earlier commands of its queue
// in its stages; a wait holds back its stages of all later commands of its queue; the host's waits
// hold back all that it submits later. Dependencies chain where the stages of one meet the next's.
#pragma once

#include "verify/queues/plan.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// Why a plan cannot run to its end.
struct PlanFault {
  enum class Kind : uint8_t {
    NeverSignalled, ///< a wait for a value that no signal reaches
    Cycle           ///< waits that wait for one another
  };
  Kind kind = Kind::NeverSignalled;
  uint32_t submission = 0;
  std::optional<uint32_t> semaphore; ///< of the wait; none: a wait of the host for a fence
  uint64_t value = 0;
  uint64_t greatest = 0; ///< that the semaphore ever has
  TextPlace at;          ///< of the wait
};

/// What one command owes another (specification, "Execution and Memory Dependencies"): to come
/// first, or to have what it wrote made visible as well.
enum class Dependency : uint8_t { Execution, Memory };

class HappensBefore {
public:
  /// A plan with faults is ordered as if the waits at fault were not there.
  explicit HappensBefore(const QueuePlan& plan);

  const std::vector<PlanFault>& faults() const { return faults_; }

  /// Whether all of the stages `from` of `a` end before the stage `to` of `b` begins.
  bool isBefore(CommandRef a, Stages from, CommandRef b, Stages to,
                Dependency dependency = Dependency::Execution) const;
  bool isBefore(CommandRef a, CommandRef b) const { return isBefore(a, kAllStages, b, kAllStages); }

  /// Whether signal `a` is sure to come before signal `b`; both are (submission, place in
  /// `signals`).
  bool isSignalBefore(CommandRef a, CommandRef b) const;
  /// Whether a signal covers the command's stages: what waits for it comes behind them.
  bool isCovered(CommandRef command, Stages stages, CommandRef signal) const;

  /// All commands in an order that keeps to all of this, and else to the host's.
  std::vector<CommandRef> serialOrder() const;
  /// The same with the second of each pair, and what has to come before it, moved to right in front
  /// of the first where it is behind. Nothing orders either before the other.
  std::vector<CommandRef>
  serialOrder(const std::vector<std::pair<CommandRef, CommandRef>>& turned) const;

  /// The commands whose weights add up to the most of all that wait for one another, first to last.
  std::vector<CommandRef> heaviestChain(const std::function<double(CommandRef)>& weight) const;

  /// What is in order, and has to stay so for `takeOut`.
  void require(CommandRef a, Stages from, CommandRef b, Stages to,
               Dependency dependency = Dependency::Execution);
  void requireSignals(CommandRef a, CommandRef b);
  /// Takes the waits at this place out where all that is required is still in order without them,
  /// and returns whether it is. Only for plans without faults.
  bool takeOut(const TextPlace& wait);

private:
  class Builder;
  static constexpr uint32_t kNone = UINT32_MAX;
  /// Commands that end in the same stage of a queue are counted, and so are a queue's signals and
  /// its transfers of ownership: whatever is behind one of them is behind all before it.
  struct Position {
    uint32_t chain = kNone, at = 0; ///< from 1
  };
  struct Node {
    uint32_t first = 0, count = 0; ///< nodes before it, in `edges_`
    uint32_t late = kNone;         ///< one more: what a wait waits for
    Position own;                  ///< of the node itself
    /// What is behind a command is behind one of these. The counts of an indirect dispatch have
    /// two.
    Position ends[2];
    std::optional<CommandRef> command;
  };
  template <class Visit>
  void forEachBefore(uint32_t node, Visit&& visit) const {
    for (uint32_t e = nodes_[node].first; e < nodes_[node].first + nodes_[node].count; ++e)
      visit(edges_[e]);
    if (nodes_[node].late != kNone) visit(nodes_[node].late);
  }
  void sort();
  std::vector<std::vector<uint32_t>> cycles() const;
  void count();
  void countAt(uint32_t node, std::span<uint32_t> into) const;
  std::span<const uint32_t> clockOf(uint32_t node) const {
    return std::span(clocks_).subspan(size_t(node) * chains_, chains_);
  }
  bool isReached(uint32_t from, uint32_t to) const;
  void requireNodes(uint32_t from, uint32_t to);
  bool isRequiredKept(uint32_t node) const;
  void prepareTakingOut();

  std::vector<Node> nodes_;
  std::vector<uint32_t> edges_;
  std::vector<uint32_t> sorted_; ///< nodes, each behind those before it
  /// Of a command, by stage: its node, or 0 where it has nothing in that stage.
  struct StageNodes {
    std::array<uint32_t, kStageCount> of{};
    /// Behind what is visible to an indirect dispatch when it computes, which comes behind all that
    /// its counts come behind. 0: of other commands.
    uint32_t visible = 0;
    uint32_t behind(uint32_t stage, Dependency dependency) const {
      return stage == 0 && dependency == Dependency::Memory && visible != 0 ? visible : of[stage];
    }
  };
  std::vector<std::vector<StageNodes>> stageNodes_; ///< by submission, by command
  std::vector<std::vector<uint32_t>> signalNodes_;  ///< by submission
  uint32_t chains_ = 0;
  /// By node, by chain: how far along it all has come before the node.
  std::vector<uint32_t> clocks_;
  std::vector<PlanFault> faults_;
  std::map<TextPlace, std::vector<uint32_t>> waitNodes_;

  std::vector<uint32_t> required_; ///< as `clocks_`: what they must not fall below
  std::map<uint32_t, std::vector<uint32_t>> requiredNodes_; ///< those of two ends, by node
  std::vector<uint32_t> rank_;                              ///< by node, in `sorted_`
  std::vector<std::vector<uint32_t>> after_;                ///< by node
};

} // namespace lanewise::driver
