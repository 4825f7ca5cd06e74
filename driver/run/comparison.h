// What optimizing does to a program: runs with and without it, side by side (docs/compare.md).
#pragma once

#include "run/under_layer.h"
#include "verify/compare/timing_statistics.h"

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// One pipeline over all rounds.
struct PipelineComparison {
  PipelineTimes pipeline;   ///< what it is; its times are those of one run
  bool isOptimized = false; ///< in every run that was to be
  /// Nanoseconds of a dispatch, medians over the rounds.
  double without = 0, with = 0;
  std::vector<double> ratios; ///< with / without, of each round
  MedianInterval ratio;       ///< of these
  MedianInterval ratioOfAll;  ///< its median, bounds that hold for all kernels together
  double share = 0;           ///< of the time of all pipelines without optimizing
  /// With many kernels some differ by chance, so the interval of one alone decides nothing.
  bool isFaster() const { return isOptimized && ratioOfAll.high < 1; }
  bool isSlower() const { return isOptimized && ratioOfAll.low > 1; }
  /// As one kernel alone would be told.
  bool seemsFaster() const { return isOptimized && ratio.high < 1; }
  bool seemsSlower() const { return isOptimized && ratio.low > 1; }
};

struct Comparison {
  std::vector<PipelineComparison> pipelines;  ///< that every run timed, the dearest first
  uint64_t untimed = 0;                       ///< pipelines that some run did not time
  uint64_t created = 0, optimized = 0;        ///< compute pipelines of one run
  double secondsWithout = 0, secondsWith = 0; ///< of the program, medians
  MedianInterval seconds;                     ///< with / without, of the pairs
  uint64_t rounds = 0;
  uint64_t kernels = 0;      ///< pipelines that may be called faster or slower
  uint64_t roundsNeeded = 0; ///< for any of them to be called so
  bool isOnCpu = false;      ///< its times say nothing of a GPU
  bool isProgramSlower() const { return seconds.low > 1; }
};

/// Rounds that can tell one of so many kernels from the others' noise.
uint64_t roundsFor(uint64_t kernels);

/// Kernels of the run that were dispatched and ran optimized.
uint64_t optimizedKernels(const LayerRun& run);

/// Entry n of both is one round.
Comparison compareRuns(std::span<const LayerRun> without, std::span<const LayerRun> with);

/// What leaves losers out, and what the pipelines that lost did then.
struct Remedy {
  std::string options;                   ///< of `lanewise run`, "" for none
  std::vector<std::string> modules;      ///< hashes of those that lost
  std::vector<PipelineComparison> after; ///< of a remedy that was tried: those pipelines again
};

std::string comparisonAsText(const Comparison& comparison, const std::vector<Remedy>& remedies);
nlohmann::ordered_json comparisonAsJson(const Comparison& comparison,
                                        const std::vector<Remedy>& remedies);

/// The passes of ours that rewrote something in the pipeline's module, constants fixed. `folder`
/// has the module and takes files in between.
std::vector<std::string> appliedPasses(const PipelineTimes& pipeline,
                                       const std::vector<std::string>& passes,
                                       const std::string& folder);

} // namespace lanewise::driver
