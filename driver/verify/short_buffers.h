// A scenario whose counts do not hold what the original accesses: whatever else a verification
// finds, that is to be mended first.
#pragma once

#include "verify/scenario.h"
#include "verify/verify.h"

#include <span>
#include <vector>

namespace lanewise::driver {

/// One for each buffer, from findings against the original. What was seen after a part of an
/// earlier dispatch says nothing of the scenario.
std::vector<ShortBuffer> shortBuffersOf(const Scenario& scenario,
                                        std::span<const RunFinding> findings);

} // namespace lanewise::driver
