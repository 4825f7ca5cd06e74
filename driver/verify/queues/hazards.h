// What is wrong with a plan: accesses to the same bytes that nothing orders, signals that go
// backwards, waits that never end, buffers whose owner never changes; and waits that order nothing.
// docs/queues.md tells users what each means.
#pragma once

#include "verify/queues/accesses.h"
#include "verify/queues/happens_before.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

enum class QueueRule : uint8_t {
  Hazard,
  NeverSignalled,
  Deadlock,
  SignalBackwards,
  Ownership,
  RedundantWait
};

struct QueueNote {
  TextPlace at;
  std::string text; ///< one sentence, without a trailing period
};

struct QueueFinding {
  QueueRule rule = QueueRule::Hazard;
  TextPlace at;
  std::string message; ///< one sentence, without a trailing period
  std::vector<QueueNote> notes;
  /// Of a hazard: both commands, in the host's order, of all frames in which the two places meet;
  /// and the buffers.
  std::vector<std::pair<CommandRef, CommandRef>> pairs;
  std::vector<uint32_t> buffers;
  bool isPossible = false; ///< it depends on the driver: a warning
};

struct QueueFindings {
  std::vector<QueueFinding> told; ///< by place in the file
  uint64_t hazardsLeftOut = 0;    ///< beyond the 50 that are told
  bool areMoreLeftOut = false;    ///< than were counted
};
/// `buffers` are the names of the scenario's.
QueueFindings findHazards(const QueuePlan& plan, const AccessTable& accesses,
                          std::span<const std::string> buffers);

/// One finding of a fault: why the plan cannot run to its end.
QueueFinding findingOf(const QueuePlan& plan, const PlanFault& fault);

/// Waits, each place in the file once, in its order: without all of them, nothing is ordered less
/// that needs to be.
struct RedundantWait {
  SemaphoreUse wait;
  uint32_t submission = 0; ///< the first that has it
};
std::vector<RedundantWait> findRedundantWaits(const QueuePlan& plan, const AccessTable& accesses);
/// The plan without the waits at this place.
QueuePlan without(const QueuePlan& plan, const TextPlace& wait);

/// "`simulate` (line 12, queue `async`, frame 1)".
std::string describe(const QueuePlan& plan, CommandRef command);

} // namespace lanewise::driver
