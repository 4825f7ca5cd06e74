// What happens before what in a plan, as the Vulkan specification has it (chapter "Synchronization
// and Cache Control"): submission order by itself orders nothing; a barrier orders the stages that
// it names, before it and behind it on its queue; a signal covers all earlier commands of its queue
// in its stages; a wait holds back its stages of all later commands of its queue; the host's waits
// hold back all that it submits later. Dependencies chain where the stages of one meet the next's.
#pragma once

#include "verify/queues/plan.h"

#include <cstdint>
#include <optional>
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

class HappensBefore {
public:
  /// A plan with faults is ordered as if the waits at fault were not there.
  explicit HappensBefore(const QueuePlan& plan);

  const std::vector<PlanFault>& faults() const { return faults_; }

  /// Whether all of the stages `from` of `a` end before the stage `to` of `b` begins.
  bool isBefore(CommandRef a, Stages from, CommandRef b, Stages to) const;
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

private:
  class Builder;
  struct Node {
    std::vector<uint32_t> before; ///< nodes
    std::optional<CommandRef> command;
    uint32_t column = UINT32_MAX; ///< in `reaches_`, of commands and signals
  };
  void sort();
  void reach();
  bool isReached(uint32_t from, uint32_t to) const;

  std::vector<Node> nodes_;
  std::vector<uint32_t> sorted_; ///< nodes, each behind those before it
  /// By submission, by command, by stage: its node, or 0 where it has nothing in that stage.
  std::vector<std::vector<std::vector<uint32_t>>> stageNodes_;
  std::vector<std::vector<uint32_t>> signalNodes_; ///< by submission
  std::vector<std::vector<uint64_t>> reaches_;     ///< by node: columns that come before it
  std::vector<PlanFault> faults_;
};

} // namespace lanewise::driver
