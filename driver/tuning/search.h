// Which of all that is worth a try is fastest (docs/design/tuning.md).
#pragma once

#include "lanewise/result.h"
#include "tuning/measurer.h"
#include "tuning/predictor.h"
#include "tuning/program_builder.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

struct TuneOptions {
  double budgetSeconds = 60;       ///< for all of the search
  double checkSeconds = 0;         ///< of these for the interpreter's check of the last comparison
  std::vector<std::string> passes; ///< SpaceFacts::passes
  bool mayAskHost = true;
  std::vector<uint32_t> subgroupSizes; ///< SpaceFacts::subgroupSizes
  size_t batch = 16;                   ///< candidates that race at once
};

/// One candidate and what became of it.
struct Tried {
  std::shared_ptr<const BuiltProgram> program;
  std::string problem;     ///< why it was not made, not equal, or not measured; "" where it was
  bool isMeasured = false; ///< it has a ratio
  bool isJudged = false;   ///< it was timed, or is known to be wrong, by a measurement
  bool isLeftOut = false;  ///< there was no time for it
  MedianInterval ratio;    ///< to the original, in its last race
  std::vector<double> samples, originalSamples; ///< of that race, microseconds
  std::optional<Prediction> predicted;
};

/// What a rewrite is worth: time without it over time with it.
struct SiteWorth {
  std::string site; ///< "pad-shared-memory:tile"
  MedianInterval ratio;
};

struct FinalRow {
  size_t tried = 0; ///< index
  std::vector<double> samples;
};

struct TuneResult {
  std::vector<Tried> tried; ///< in the order of trying; the original is the first
  size_t best = 0;
  std::optional<size_t> bestForHost; ///< only where it is faster than `best`
  std::vector<FinalRow> finals;      ///< measured beside one another, the original first
  std::vector<SiteWorth> sites;
  size_t leftOut = 0; ///< candidates for which there was no time, with those not even made
  size_t same = 0;    ///< that made what another one had made
  /// Why nothing can be tuned: the original disagrees with itself, or does not run. One sentence.
  std::string failure;
  std::vector<std::string> notes;
  double seconds = 0;     ///< of measuring
  double secondsEach = 0; ///< of these for one candidate, about; 0: not known

  /// The time was up before any candidate was compared: `best` says nothing.
  bool isNothingMeasured() const;
  /// Of a final row to that of another.
  MedianInterval finalRatio(size_t tried, size_t toTried = 0) const;
};

/// Searches by measuring: a matter of its input and of the measurements alone. `compilers` order
/// the candidates; null: they stay in order. The error is one line.
Result<TuneResult> searchByMeasuring(ProgramBuilder& builder, Measurer& measurer,
                                     CompilerSet* compilers, const TuneOptions& options);

/// Searches by what one compiler says; `measurer` only compares outputs.
Result<TuneResult> searchByPredicting(ProgramBuilder& builder, Measurer& measurer,
                                      CompilerSet& compilers, const std::string& compiler,
                                      const TuneOptions& options);

} // namespace lanewise::driver
