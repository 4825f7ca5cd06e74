// What BarrierJudgement decided, in sentences for people.
#pragma once

#include "analysis/barriers/barrier_judgement.h"
#include "lanewise/remarks.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// Why nothing needs a barrier that was removed or merged.
std::string proofOf(BarrierJudgement& judgement, const JudgedBarrier& barrier);

/// What needs a barrier that stays.
std::string reasonOf(BarrierJudgement& judgement, const JudgedBarrier& barrier);

/// The places of which it speaks.
std::vector<RemarkNote> placesOf(BarrierJudgement& judgement, const JudgedBarrier& barrier);

/// The stable name of a need: "conflict".
std::string_view nameOf(BarrierNeed need);

/// "shared and buffer", from a mask of 1 << MemoryClass.
std::string classNames(uint32_t classes);

/// "control" or "memory".
std::string_view kindOf(const JudgedBarrier& barrier);

} // namespace lanewise
