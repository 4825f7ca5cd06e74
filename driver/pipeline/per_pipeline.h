// --per-pipeline: modules for one set of constants each, which are fixed in them.
#pragma once

#include "lanewise/result.h"
#include "pipeline/optimize_options.h"
#include "recorded/recorded_pipelines.h"

#include <string>
#include <vector>

namespace lanewise::driver {

/// A module to optimize for the pipelines of one set alone.
struct PipelineInput {
  std::string contents;    ///< SPIR-V with the constants fixed
  std::string outputName;  ///< "blur.0.spv": that of the input, and the number of the set
  RecordedPipeline record; ///< as the file beside the outputs has it
  OptOptions options;      ///< for optimizeInput() of these contents
  std::string values;      ///< of the constants, for people
};

/// Those of one input, those with most work first. None where nothing is recorded of
/// it. The error is one line.
Result<std::vector<PipelineInput>> inputsPerPipeline(const std::string& input,
                                                     const OptOptions& options);

/// The file that says which output is for which pipelines.
std::string outputsAsToml(const std::vector<RecordedPipeline>& records);

} // namespace lanewise::driver
