// Many inputs and what compilers say of them: worker processes, a cache (docs/stats.md).
#pragma once

#include "batch/cache/result_cache.h"
#include "compilers/stats_report.h"
#include "input/constant_use.h"
#include "input/front_end.h"
#include "input/workload.h"
#include "lanewise/assumptions.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

/// One input, and what it is compiled with.
struct StatsInput {
  std::string path; ///< "-" for standard input
  LoadOptions load;
  Assumptions assumptions;
  std::string label = {}; ///< what tells it from others of the same file; "" for nothing
  GivenConstants constants = {};
  std::optional<ScenarioShader> shader = {}; ///< whose constants it has as well
};

struct StatsPlan {
  std::vector<StatsInput> inputs;
  std::vector<CompilerChoice> compilers;
  bool wantsRepresentations = false;
  uint32_t jobs = 1;
  /// Null where there is no cache. Called in each worker.
  std::function<std::unique_ptr<Store>()> openStore;
  RunKey key;
};

struct StatsOutcome {
  std::vector<InputStats> inputs;     ///< in the order of the plan
  std::vector<std::string> warnings;  ///< of front ends and of the cache, lines
  std::vector<UnusedConstant> unused; ///< what no input has
  size_t hits = 0;                    ///< inputs that were found in the cache
};

/// Every input with every compiler. A compiler that crashes or hangs on one is a problem of that
/// row. The caller must have no other threads: workers are forked.
Result<StatsOutcome> runStats(const StatsPlan& plan);

} // namespace lanewise::driver
