// What would order two commands that nothing orders: each mend is tried in a copy of the plan.
#pragma once

#include "verify/queues/hazards.h"

namespace lanewise::driver {

/// The least change that orders `first` before `second` in these stages; a second note where fewer
/// frames in flight would do as well. Both are commands of different submissions or of one.
std::vector<QueueNote> mendsOf(const QueuePlan& plan, CommandRef first, Stages firstStage,
                               CommandRef second, Stages secondStage);

} // namespace lanewise::driver
