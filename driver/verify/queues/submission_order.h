// In which order the host can make all submissions, so that no wait comes before its signal.
#pragma once

#include "verify/queues/plan.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lanewise::driver {

/// The host's order as far as it goes, with each submission behind those whose signals it waits
/// for: what one queue of a device can take. Nothing where some wait for one another, as only
/// stages of several queues can.
std::optional<std::vector<uint32_t>> submissionOrder(const QueuePlan& plan);

/// Why a submission comes behind another.
struct SubmissionStep {
  enum class Reason : uint8_t {
    Wait,     ///< for its signal
    HostWait, ///< of the host, for its signal or fence
    Queue,    ///< they are on one queue
    Host,     ///< the host makes the other first, and waits for that
    FramesInFlight
  };
  uint32_t submission = 0, behind = 0;
  Reason reason = Reason::Host;
  uint32_t wait = 0; ///< among the submission's own or the host's
};

/// Submissions each of which is behind the next, and the last behind the first, where none begins
/// before all that it waits for has ended; empty if there are none. With the wait at `through`,
/// which comes first then.
std::vector<SubmissionStep> submissionCycle(const QueuePlan& plan,
                                            const TextPlace* through = nullptr);

} // namespace lanewise::driver
