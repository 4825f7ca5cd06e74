#include "run/run_report.h"

#include "run/run_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace lanewise::driver {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostSizes = 4;

std::string sizeText(const SizeTimes& size) {
  return size.groups ? fmt::format("{}", fmt::join(*size.groups, "x")) : "indirect";
}

/// The sizes dispatched most, with how often where there are several.
std::string sizesText(const PipelineTimes& pipeline) {
  std::vector<const SizeTimes*> sizes;
  for (const SizeTimes& size : pipeline.sizes) sizes.push_back(&size);
  std::stable_sort(sizes.begin(), sizes.end(), [](const SizeTimes* a, const SizeTimes* b) {
    return a->dispatches > b->dispatches;
  });
  std::string text;
  for (size_t n = 0; n < std::min(sizes.size(), kMostSizes); ++n) {
    text += (n == 0 ? "" : ", ") + sizeText(*sizes[n]);
    if (sizes.size() > 1) text += fmt::format(" ({})", sizes[n]->dispatches);
  }
  if (sizes.size() > kMostSizes) text += fmt::format(", {} more", sizes.size() - kMostSizes);
  return text;
}

const char* markOf(const PipelineTimes& pipeline) {
  return pipeline.overlapping() > 0 ? "*" : pipeline.unordered() > 0 ? "~" : "";
}

TextRow rowOf(const PipelineTimes& pipeline, bool isAlone, double all) {
  const std::optional<double> median = pipeline.median();
  const bool isOverlapping = pipeline.overlapping() > 0 && pipeline.timed() == 0;
  return {labelOf(pipeline, isAlone),
          moduleText(pipeline),
          fmt::format("{}{}", pipeline.dispatches(), markOf(pipeline)),
          pipeline.timed() > 0 ? durationText(pipeline.total()) : "-",
          median ? durationText(*median) + (isOverlapping ? "*" : "") : "-",
          pipeline.timed() > 0 && all > 0 ? fmt::format("{:.1f}%", 100 * pipeline.total() / all)
                                          : "-",
          sizesText(pipeline),
          nameText(pipeline.source)};
}

Json sizeAsJson(const SizeTimes& size) {
  Json json;
  if (size.groups)
    json["groups"] = *size.groups;
  else
    json["groups"] = nullptr;
  json["dispatches"] = size.dispatches;
  json["timed"] = size.timed;
  json["overlapping"] = size.overlapping;
  json["unordered"] = size.unordered;
  json["total-us"] = size.total / 1e3;
  if (const std::optional<double> median = medianOf(size)) json["median-us"] = *median / 1e3;
  return json;
}

Json pipelineAsJson(const PipelineTimes& pipeline, double all) {
  Json json;
  json["name"] = pipeline.name;
  json["entry"] = pipeline.entry;
  json["module"] = pipeline.module;
  json["source"] = pipeline.source;
  json["constants"] = Json::object();
  for (const auto& [id, bits] : pipeline.constants) json["constants"][std::to_string(id)] = bits;
  json["required-subgroup-size"] = pipeline.subgroupSize;
  json["workgroup-size"] = pipeline.workgroupSize;
  json["created"] = pipeline.created;
  json["optimized"] = pipeline.optimized;
  json["kept"] = pipeline.kept;
  json["too-late"] = pipeline.late;
  json["dispatches"] = pipeline.dispatches();
  json["timed"] = pipeline.timed();
  json["overlapping"] = pipeline.overlapping();
  json["unordered"] = pipeline.unordered();
  json["pending"] = pipeline.pending;
  json["total-us"] = pipeline.total() / 1e3;
  if (const std::optional<double> median = pipeline.median()) json["median-us"] = *median / 1e3;
  json["share"] = all > 0 ? pipeline.total() / all : 0;
  json["sizes"] = Json::array();
  for (const SizeTimes& size : pipeline.sizes) json["sizes"].push_back(sizeAsJson(size));
  return json;
}

/// Why they could not be timed, as far as that is known.
std::string untimableText(uint64_t untimable, uint64_t all) {
  return fmt::format(", {} queue without timestamps or in a protected command buffer",
                     untimable < all ? fmt::format("{} of them on a", untimable) : "on a");
}

} // namespace

std::string notesOf(const RunData& data) {
  uint64_t overlapping = 0, unordered = 0, untimed = 0, unused = 0;
  for (const PipelineTimes& p : data.pipelines) {
    overlapping += p.overlapping();
    // Of those that did overlap more is said.
    if (p.overlapping() == 0) unordered += p.unordered();
    untimed += p.dispatches() - p.timed() - p.overlapping();
    unused += p.dispatches() == 0 && p.pending == 0;
  }
  std::string text;
  if (overlapping > 0)
    text += fmt::format("* {} ran at the same time as another dispatch; not in total and share.\n",
                        countOf(overlapping));
  if (unordered > 0)
    text += fmt::format("~ {} ran alone, but no barrier orders them among others: they may run at "
                        "the same time.\n",
                        countOf(unordered));
  if (untimed > 0)
    text += fmt::format("{} could not be timed{}; not in total and share.\n", countOf(untimed),
                        data.untimable == 0 ? "" : untimableText(data.untimable, untimed));
  if (const uint64_t pending = data.pending(); pending > 0)
    text += fmt::format("{} could not be counted: the program had not waited for {}.\n",
                        countOf(pending), pending == 1 ? "it" : "them");
  if (unused > 0)
    text += fmt::format("{} more {} created and never dispatched.\n", unused,
                        unused == 1 ? "pipeline was" : "pipelines were");
  if (data.isOnCpu()) text += std::string(kOnCpu);
  return text;
}

std::string runAsText(const RunData& data) {
  const std::vector<const PipelineTimes*> pipelines = data.dispatched();
  const double all = data.total();
  std::vector<TextRow> rows{
      {"pipeline", "module", "dispatches", "total", "median", "share", "workgroups", "source"}};
  for (const PipelineTimes* pipeline : pipelines) {
    const bool isAlone = std::count_if(pipelines.begin(), pipelines.end(), [&](const auto* other) {
                           return labelOf(*other, true) == labelOf(*pipeline, true);
                         }) == 1;
    rows.push_back(rowOf(*pipeline, isAlone, all));
  }
  return (pipelines.empty() ? "" : tableOf(rows, "LLRRRRLL")) + notesOf(data);
}

std::string optimizedAsText(const RunData& data) {
  uint64_t created = 0, optimized = 0, kept = 0, late = 0;
  for (const PipelineTimes& pipeline : data.pipelines) {
    created += pipeline.created;
    optimized += pipeline.optimized;
    kept += pipeline.kept;
    late += pipeline.late;
  }
  std::string text = fmt::format("{} of {} compute pipelines ran optimized", optimized, created);
  if (kept > 0)
    text += fmt::format("; {} {} as {}", kept, kept == 1 ? "stays" : "stay",
                        kept == 1 ? "it is" : "they are");
  if (late > 0)
    text += fmt::format("; {} {} not optimized in time", late, late == 1 ? "was" : "were");
  return text + ".\n";
}

Json runAsJson(const RunData& data) {
  Json json;
  json["processes"] = data.processes;
  json["devices"] = data.devices;
  json["total-us"] = data.total() / 1e3;
  json["pending"] = data.pending();
  json["pipelines"] = Json::array();
  for (const PipelineTimes& pipeline : data.pipelines)
    json["pipelines"].push_back(pipelineAsJson(pipeline, data.total()));
  return json;
}

} // namespace lanewise::driver
