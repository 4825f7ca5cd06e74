// A generated scenario tried out in the interpreter before anybody relies on it: do its loops end,
// do its indices stay in range, does it write anything at all?
#pragma once

#include "verify/compare/run_findings.h"
#include "verify/inputs/contents.h"

#include <string>
#include <vector>

namespace lanewise::driver {

/// What a dry run costs that is ended because a loop goes on.
constexpr uint64_t kMostDryRunCost = uint64_t(1) << 25;

/// What the workgroups of a dry run did. The same on every machine.
struct DryRun {
  std::string notRun;  ///< why the interpreter could not try it; the rest then says nothing
  bool ends = true;    ///< false: some invocation was still in a loop after many steps
  bool writes = false; ///< something that is compared holds another value than before
  uint64_t cost = 0;   ///< instructions of the interpreter's code, at most kMostDryRunCost
  std::vector<RunFinding> outOfRange, races;
  std::vector<RunFinding> undefined; ///< values that nobody wrote or defined, divisions by zero

  bool hasRun() const { return notRun.empty(); }
  bool isGood() const {
    return hasRun() && ends && writes && outOfRange.empty() && races.empty() && undefined.empty();
  }
};

/// How far a dry run goes.
struct DryRunExtent {
  uint32_t patience = 1;   ///< loops may take so many times as many steps as usual
  uint32_t workgroups = 2; ///< that run, spread over the dispatch
};

/// `module` is that of the scenario's only shader and dispatch.
DryRun dryRunScenario(const Scenario& scenario, const Words& module, uint64_t seed,
                      InputStyle style, RunCaches& caches, const DryRunExtent& extent = {});

} // namespace lanewise::driver
