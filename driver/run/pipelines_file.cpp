#include "run/pipelines_file.h"

#include "recorded/recorded_pipelines.h"
#include "support/failure.h"

#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

RecordedPipeline recordOf(const PipelineTimes& pipeline, const std::string& folder) {
  RecordedPipeline record;
  record.module = pipeline.module;
  record.file = fmt::format("{}/{}.spv", folder, pipeline.module);
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

Result<std::vector<std::string>> addPipelinesFile(OutputFiles& files, const RunData& run,
                                                  const std::string& data,
                                                  const std::string& path) {
  const fs::path modules = fs::path(path).replace_extension(".modules");
  std::string text = "# Compute pipelines, recorded by lanewise run --record. A constant is its "
                     "SpecId and the bits of its value.\n";
  std::set<std::string> added, missing;
  std::vector<std::string> troubles;
  for (const PipelineTimes& pipeline : run.pipelines) {
    if (pipeline.module.empty()) continue; // there is no module to say it of
    if (pipeline.entry.empty()) {          // in the file that would be any entry point
      troubles.push_back(fmt::format("module {}: a pipeline is not in {}: its entry point has no "
                                     "name",
                                     pipeline.module, path));
      continue;
    }
    RecordedPipeline record = recordOf(pipeline, modules.filename().string());
    if (!added.contains(pipeline.module) && !missing.contains(pipeline.module)) {
      Result<std::string> bytes = readRegularFile(fmt::format("{}/{}.spv", data, pipeline.module));
      if (bytes) {
        files.add((modules / (pipeline.module + ".spv")).string(), std::move(*bytes));
        added.insert(pipeline.module);
      } else {
        troubles.push_back(
            fmt::format("module {}: the layer could not keep it; its pipelines are in "
                        "{} without a file",
                        pipeline.module, path));
        missing.insert(pipeline.module);
      }
    }
    if (missing.contains(pipeline.module)) record.file.clear();
    text += asToml(record);
  }
  std::error_code failed;
  if (!added.empty() && !fs::create_directories(modules, failed) && failed)
    return failure(fmt::format("{}: {}", modules.string(), failed.message()));
  files.add(path, std::move(text));
  return troubles;
}

} // namespace lanewise::driver
