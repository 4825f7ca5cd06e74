#include "run/pipelines_file.h"

#include "recorded/recorded_pipelines.h"

#include <fmt/format.h>
#include <set>

namespace lanewise::driver {

namespace {

RecordedPipeline recordOf(const PipelineTimes& pipeline) {
  RecordedPipeline record;
  record.module = pipeline.module;
  record.entry = pipeline.entry;
  record.name = pipeline.name;
  record.source = pipeline.source;
  record.constants = pipeline.constants;
  if (pipeline.workgroupSize[0] != 0) record.workgroupSize = pipeline.workgroupSize;
  record.subgroupSize = pipeline.subgroupSize;
  for (const SizeTimes& size : pipeline.sizes)
    record.dispatches.push_back({size.groups, size.dispatches});
  return record;
}

} // namespace

Result<std::vector<std::string>> addRecording(OutputFiles& files, const RunData& run,
                                              const std::string& data, const std::string& path) {
  RecordedPipelines pipelines;
  std::map<std::string, std::string> modules;
  std::set<std::string> missing;
  std::vector<std::string> troubles;
  for (const PipelineTimes& pipeline : run.pipelines) {
    if (pipeline.module.empty()) continue; // there is no module to say it of
    if (pipeline.entry.empty()) {          // in the file that would be any entry point
      troubles.push_back(fmt::format("module {}: a pipeline is not in {}: its entry point has no "
                                     "name",
                                     pipeline.module, path));
      continue;
    }
    pipelines.push_back(recordOf(pipeline));
    if (modules.contains(pipeline.module) || missing.contains(pipeline.module)) continue;
    Result<std::string> bytes = readRegularFile(fmt::format("{}/{}.spv", data, pipeline.module));
    if (bytes) {
      modules.emplace(pipeline.module, std::move(*bytes));
    } else {
      troubles.push_back(fmt::format("module {}: the layer could not keep it; its pipelines are in "
                                     "{} without a file",
                                     pipeline.module, path));
      missing.insert(pipeline.module);
    }
  }
  Status added =
      addPipelinesFile(files, path, "run --record", std::move(pipelines), std::move(modules));
  if (!added) return added.error();
  return troubles;
}

} // namespace lanewise::driver
