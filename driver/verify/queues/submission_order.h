// In which order the host can make all submissions, so that no wait comes before its signal.
#pragma once

#include "verify/queues/plan.h"

#include <optional>
#include <vector>

namespace lanewise::driver {

/// The host's order as far as it goes, with each submission behind those whose signals it waits
/// for: what one queue of a device can take. Nothing where some wait for one another, as only
/// stages of several queues can.
std::optional<std::vector<uint32_t>> submissionOrder(const QueuePlan& plan);

} // namespace lanewise::driver
