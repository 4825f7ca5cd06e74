#include "pipeline/per_pipeline.h"

#include "pipeline/output_names.h"
#include "pipeline/recorded_costs.h"
#include "spirv/spirv_tools.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/sha256.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanewise::driver {

namespace {

/// A module is named by its hash, source by its place as seen from the outputs.
RecordedPipeline recordOf(const PipelineSet& set, const LoadedModule& module,
                          const std::string& input, const std::string& folder) {
  RecordedPipeline record;
  if (module.isSource())
    record.file = std::filesystem::proximate(input, folder).string();
  else
    record.module = hexOf(sha256(bytesOf(module.words())));
  record.entry = set.entry;
  record.name = fmt::format("{}", fmt::join(set.names, ", "));
  record.constants = set.constants;
  record.subgroupSize = set.subgroupSize;
  return record;
}

/// What is recorded is in the module by then.
OptOptions optionsFor(const PipelineSet& set, OptOptions options) {
  options.load.kind = InputKind::Spv;
  options.pipelines = {};
  countWith(set, options.pipeline);
  return options;
}

} // namespace

Result<std::vector<PipelineInput>> inputsPerPipeline(const std::string& input,
                                                     const OptOptions& options) {
  Result<LoadedModule> module = loadModule(input, options.load);
  if (!module) return module.error();
  const bool isStripped = module->isSource() && !options.keepLines;
  const Result<Module> compiled =
      Module::read(isStripped ? stripLines(module->words()) : module->words());
  if (!compiled) return failure(fmt::format("{}: {}", input, compiled.error().str()));
  const Result<Assumptions> given =
      options.constants.assumptionsFor(*module->read, options.pipeline.assumptions);
  if (!given) return failure(fmt::format("{}: {}", input, given.error().message));
  std::vector<PipelineInput> all;
  const Result<std::vector<PipelineSet>> sets =
      setsOf(*options.pipelines.pipelines, input, module->words(), *module->read,
             options.load.entry, *given);
  if (!sets) return failure(fmt::format("{}: {}", input, sets.error().message));
  for (const PipelineSet& set : *sets) {
    Result<Words> frozen = frozenFor(set, *compiled);
    if (!frozen)
      return failure(fmt::format("{}: {}: {}", input, set.describe(), frozen.error().str()));
    const std::string name = outputName(input, std::to_string(all.size()), options.asText);
    all.push_back({bytesOf(*frozen), name, recordOf(set, *module, input, options.output),
                   optionsFor(set, options), set.describe()});
    all.back().record.optimized = name;
  }
  return all;
}

std::string outputsAsToml(const std::vector<RecordedPipeline>& records) {
  std::string text = "# Which module is for which pipelines, by lanewise opt --per-pipeline: "
                     "`optimized` has the constants fixed.\n";
  for (const RecordedPipeline& record : records) text += asToml(record);
  return text;
}

} // namespace lanewise::driver
