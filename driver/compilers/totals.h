// What compilers make of a whole folder: sums, the best and the worst, and a line that is held
// against an earlier run (docs/stats.md). All is read from the facts that summaries of `batch`
// hold.
#pragma once

#include "lanewise/result.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// An input of this run with its facts, as `batch` keeps them: JSON.
struct FactsOfInput {
  std::string input, facts;
};

/// One shader as one compiler sees it, beside what it is compared with.
struct StatsChange {
  std::string input, compiler, entry;
  std::string figure; ///< what decides: "inverse throughput"
  double before = 0, after = 0;
  double ratio() const { return before > 0 ? after / before : 1; }
};

struct StatsTotal {
  std::string compiler, driver;
  struct Sum {
    double before = 0, after = 0;
    uint64_t shaders = 0; ///< that both are told of
  };
  std::vector<Sum> sums; ///< by Figure
  uint64_t problems = 0; ///< that could not be compiled
};

struct StatsSummary {
  std::string against; ///< "the inputs", or the baseline's name
  std::vector<StatsTotal> totals;
  std::vector<StatsChange> best, worst; ///< at most ten each, the most telling first
  std::vector<StatsChange> failures;    ///< worse by more than the limit
  struct Problem {
    std::string input, compiler, problem;
    bool isNew = false; ///< the baseline has figures of it
  };
  std::vector<Problem> problems;               ///< that could not be compiled
  uint64_t otherDriver = 0, notInBaseline = 0; ///< rows that could not be compared
  uint64_t onlyInBaseline = 0;                 ///< rows that this run has not

  /// Whether --fail-if-worse finds something.
  bool isWorse() const {
    return !failures.empty() ||
           std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return p.isNew; });
  }
};

/// An earlier run's summary (--json).
struct StatsBaseline {
  std::string name, text;
};

/// Sums and compares outputs with inputs, or with the outputs of the baseline. `failIfWorse` is in
/// percent. The error is one line: the baseline is no summary with compiler statistics.
Result<StatsSummary> summarize(std::span<const FactsOfInput> inputs,
                               const std::optional<StatsBaseline>& baseline,
                               std::optional<double> failIfWorse);

std::string summaryAsText(const StatsSummary& summary, std::optional<double> failIfWorse);
nlohmann::ordered_json summaryAsJson(const StatsSummary& summary);

} // namespace lanewise::driver
