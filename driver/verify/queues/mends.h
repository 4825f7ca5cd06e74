// What would order two commands that nothing orders: each mend is tried in a copy of the plan.
#pragma once

#include "verify/queues/hazards.h"

namespace lanewise::driver {

/// A command in a stage.
struct StagedCommand {
  CommandRef command;
  Stages stage = kAllStages;
};

/// The least change by which `second` has what it needs of `first`; a second note where fewer
/// frames in flight would do as well. Both are commands of different submissions or of one. `order`
/// is the plan's; `effort`, in commands of the plans that are tried, goes down: at 0 nothing more
/// is tried.
std::vector<QueueNote> mendsOf(const QueuePlan& plan, const HappensBefore& order,
                               StagedCommand first, StagedCommand second, Dependency need,
                               uint64_t& effort);

} // namespace lanewise::driver
