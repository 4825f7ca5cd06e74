#include "run/pipelines_file.h"

#include "support/failure.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

/// A basic string of TOML 1.0.
std::string tomlText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (uint8_t(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", uint8_t(c));
    else
      out += c;
  return out + '"';
}

std::string constantsText(const PipelineTimes& pipeline) {
  std::string text;
  for (const auto& [id, bits] : pipeline.constants)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", id, int64_t(bits));
  return text;
}

std::string dispatchesText(const PipelineTimes& pipeline) {
  std::string text;
  for (const SizeTimes& size : pipeline.sizes)
    text += size.groups ? fmt::format("  {{ groups = [{}], count = {} }},\n",
                                      fmt::join(*size.groups, ", "), size.dispatches)
                        : fmt::format("  {{ indirect = true, count = {} }},\n", size.dispatches);
  return text;
}

std::string pipelineText(const PipelineTimes& pipeline, const std::string& folder) {
  std::string text = "\n[[pipeline]]\n";
  text += fmt::format("module = \"{}\"\n", pipeline.module);
  text += fmt::format("file = {}\n", tomlText(fmt::format("{}/{}.spv", folder, pipeline.module)));
  text += fmt::format("entry = {}\n", tomlText(pipeline.entry));
  if (!pipeline.name.empty()) text += fmt::format("name = {}\n", tomlText(pipeline.name));
  if (!pipeline.source.empty()) text += fmt::format("source = {}\n", tomlText(pipeline.source));
  if (pipeline.workgroupSize[0] != 0)
    text += fmt::format("workgroup-size = [{}]\n", fmt::join(pipeline.workgroupSize, ", "));
  if (pipeline.subgroupSize != 0)
    text += fmt::format("required-subgroup-size = {}\n", pipeline.subgroupSize);
  if (!pipeline.constants.empty())
    text += fmt::format("constants = {{ {} }}\n", constantsText(pipeline));
  if (!pipeline.sizes.empty())
    text += fmt::format("dispatches = [\n{}]\n", dispatchesText(pipeline));
  return text;
}

} // namespace

Status addPipelinesFile(OutputFiles& files, const RunData& run, const std::string& data,
                        const std::string& path) {
  const fs::path modules = fs::path(path).replace_extension(".modules");
  std::string text = "# Compute pipelines, recorded by lanewise run --record. A constant is its "
                     "SpecId and the bits of its value, as\n# --spec-const takes them.\n";
  std::set<std::string> added;
  for (const PipelineTimes& pipeline : run.pipelines) {
    if (pipeline.module.empty()) continue; // there is no module to say it of
    text += pipelineText(pipeline, modules.filename().string());
    if (!added.insert(pipeline.module).second) continue;
    Result<std::string> bytes = readRegularFile(fmt::format("{}/{}.spv", data, pipeline.module));
    if (!bytes)
      return failure(fmt::format("module {}: {}", pipeline.module, bytes.error().message));
    files.add((modules / (pipeline.module + ".spv")).string(), std::move(*bytes));
  }
  std::error_code failed;
  if (!added.empty() && !fs::create_directories(modules, failed) && failed)
    return failure(fmt::format("{}: {}", modules.string(), failed.message()));
  files.add(path, std::move(text));
  return ok();
}

} // namespace lanewise::driver
