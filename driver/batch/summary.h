// What a whole batch came to: progress and messages while it runs, JSON at its end.
#pragma once

#include "batch/inputs.h"
#include "batch/item.h"
#include "compilers/totals.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

struct BatchCounts {
  size_t files = 0, optimized = 0, unchanged = 0, fallback = 0, failed = 0;
  /// With --verify: outputs that were compared and agree, those that could not be compared, and
  /// those that differed, of which what made the difference was undone.
  size_t verified = 0, unverified = 0, different = 0;
  size_t notValidated = 0; ///< the installed SPIRV-Tools do not know what they use
  size_t hits = 0;         ///< found in the cache
  size_t written = 0;      ///< outputs that were not there with these bytes
  void add(const ItemResult& result);
};

/// What a run did beside optimizing.
struct BatchFacts {
  bool hasCache = false, verifies = false;
};

/// One object; files in the order of `inputs`. The same for every number of workers. `stats` is
/// null without --compiler-stats.
std::string summaryAsJson(std::span<const BatchInput> inputs, std::span<const ItemResult> results,
                          const BatchCounts& counts, BatchFacts facts, const StatsSummary* stats);

/// "302 shaders: 290 optimized, 10 unchanged, 2 failed, 41 % cached; 280 verified equal, 9 not
/// verified, 1 different and undone; 300 written; 3.2 s", a line.
std::string summaryAsText(const BatchCounts& counts, BatchFacts facts, double seconds);

/// What none of the inputs that passes ran over has used: "--skip=pad-shared-memory:tile".
std::vector<std::string> unusedOptions(std::span<const ItemResult> results);

/// "[12/302] 3 from the cache 1 failed", while it runs.
std::string progressAsText(const BatchCounts& counts, size_t files);

} // namespace lanewise::driver
