// A scenario whose counts do not hold what the original accesses: whatever else a verification
// finds, that is to be mended first.
#pragma once

#include "verify/compare/run_findings.h"
#include "verify/scenario/scenario.h"

#include <span>
#include <vector>

namespace lanewise::driver {

/// A buffer whose `count` in the scenario does not hold what the original accesses.
struct ShortBuffer {
  std::string buffer, scenario; ///< names
  uint64_t count = 0;
  int64_t element = 0;                ///< that is accessed; below 0 for an index that is
  std::optional<uint64_t> leastCount; ///< that holds all accesses; null where no count does
  bool isWrite = false;
  RunFinding finding;
};

/// One line without its end: which buffer, element and line, and how to mend it.
std::string describe(const ShortBuffer& shortBuffer);

/// One for each buffer, from findings against the original. What was seen after a part of an
/// earlier dispatch says nothing of the scenario.
std::vector<ShortBuffer> shortBuffersOf(const Scenario& scenario,
                                        std::span<const RunFinding> findings);

} // namespace lanewise::driver
