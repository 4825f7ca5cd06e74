// --tuning: the passes that a file has for a module, in place of those of the command line.
#pragma once

#include "lanewise/result.h"
#include "pipeline/pipeline.h"
#include "recorded/tuning_file.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// The passes of one choice, as the pipeline takes them.
struct TunedPasses {
  std::vector<PipelineStep> steps;
  std::vector<SiteFilter> skip;
};
/// An error where a pass is none of this program's.
Result<TunedPasses> parseTuned(const std::vector<std::string>& passes,
                               const std::vector<std::string>& skip);

/// What is run of a module.
struct TunedPipeline {
  std::optional<std::vector<PipelineStep>> steps; ///< nothing: those of the command line
  std::optional<Words> frozen; ///< the module with its constants fixed, where the choice says so
  std::string output;          ///< TunedChoice::output; "" without a choice
  Remark remark;               ///< where the passes come from, or why there is no choice
};
/// Sets what the passes count with in `pipeline`. `written` are the module's words without the
/// lines of compiled source, which is how files know it. The error is one sentence.
Result<TunedPipeline> tunedPipeline(const TuningChoice& tuning, std::span<const uint32_t> written,
                                    const Module& module, PipelineOptions& pipeline);

/// The warning that the passes did not make what was measured; nothing where they did, or where
/// nothing was chosen. `words` are without lines.
std::optional<Remark> notAsMeasured(const TunedPipeline& tuned, std::span<const uint32_t> words);

} // namespace lanewise::driver
