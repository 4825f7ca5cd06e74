// What `lanewise compare` says, as a table and as JSON.
#include "run/comparison.h"
#include "run/run_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace lanewise::driver {

namespace {

using Json = nlohmann::ordered_json;

std::string intervalText(const MedianInterval& ratio) {
  // Few rounds say nothing of it.
  return std::isfinite(ratio.high) ? fmt::format("{:.3f} - {:.3f}", ratio.low, ratio.high) : "-";
}

std::string verdictOf(const PipelineComparison& one) {
  if (!one.isOptimized) return "not optimized";
  return one.isFaster() ? "faster" : one.isSlower() ? "SLOWER" : "";
}

TextRow rowOf(const PipelineComparison& one, bool isAlone) {
  return {labelOf(one.pipeline, isAlone),
          moduleText(one.pipeline),
          durationText(one.without),
          durationText(one.with),
          fmt::format("{:.3f}", one.ratio.median),
          intervalText(one.ratio),
          fmt::format("{:.1f}%", 100 * one.share),
          verdictOf(one)};
}

/// Why no kernel, or not every one that seems so, is called faster or slower; "" for no reason.
std::string uncalledText(const Comparison& c) {
  if (c.rounds < c.roundsNeeded)
    return fmt::format("{} too few {}; {} are enough.\n",
                       c.rounds == 1 ? "1 round is" : fmt::format("{} rounds are", c.rounds),
                       c.kernels > 1
                           ? fmt::format("to call one of {} kernels faster or slower", c.kernels)
                           : "for an interval",
                       c.roundsNeeded);
  const auto uncalled = std::ranges::count_if(c.pipelines, [](const PipelineComparison& one) {
    return (one.seemsFaster() && !one.isFaster()) || (one.seemsSlower() && !one.isSlower());
  });
  if (uncalled == 0) return {};
  return fmt::format("{} more {} by {} own interval only, which is not enough among {} kernels.\n",
                     uncalled, uncalled == 1 ? "differs" : "differ",
                     uncalled == 1 ? "its" : "their", c.kernels);
}

std::string countsText(const Comparison& c) {
  const auto count = [&](auto is) {
    return std::count_if(c.pipelines.begin(), c.pipelines.end(), is);
  };
  const auto faster = count([](const auto& p) { return p.isFaster(); });
  const auto slower = count([](const auto& p) { return p.isSlower(); });
  std::string text = fmt::format(
      "{} of {} compute pipelines ran optimized; of {} kernel{} that "
      "{} timed {} {} faster, {} slower.\n",
      c.optimized, c.created, c.pipelines.size(), c.pipelines.size() == 1 ? "" : "s",
      c.pipelines.size() == 1 ? "was" : "were", faster, faster == 1 ? "is" : "are", slower);
  if (c.untimed > 0)
    text += fmt::format("{} more {} not timed in every run.\n", c.untimed,
                        c.untimed == 1 ? "kernel was" : "kernels were");
  text += uncalledText(c);
  if (c.isOnCpu) text += std::string(kOnCpu);
  return text;
}

std::string remedyText(const Remedy& remedy) {
  std::string text = fmt::format("To leave out what lost: {}\n", remedy.options);
  for (const PipelineComparison& one : remedy.after)
    text += fmt::format("  then {} {}: {:.3f} ({})\n", labelOf(one.pipeline, false),
                        moduleText(one.pipeline), one.ratio.median, intervalText(one.ratio));
  return text;
}

Json intervalAsJson(const MedianInterval& ratio) {
  Json json{{"median", ratio.median}};
  if (std::isfinite(ratio.high)) json["low"] = ratio.low, json["high"] = ratio.high;
  return json;
}

Json pipelineAsJson(const PipelineComparison& one) {
  Json json;
  json["name"] = one.pipeline.name;
  json["entry"] = one.pipeline.entry;
  json["module"] = one.pipeline.module;
  json["constants"] = Json::object();
  for (const auto& [id, bits] : one.pipeline.constants)
    json["constants"][std::to_string(id)] = bits;
  json["required-subgroup-size"] = one.pipeline.subgroupSize;
  json["source"] = one.pipeline.source;
  json["optimized"] = one.isOptimized;
  json["without-us"] = one.without / 1e3;
  json["with-us"] = one.with / 1e3;
  json["ratio"] = intervalAsJson(one.ratio);
  json["ratio-of-all"] = intervalAsJson(one.ratioOfAll);
  json["share"] = one.share;
  json["faster"] = one.isFaster();
  json["slower"] = one.isSlower();
  return json;
}

} // namespace

std::string comparisonAsText(const Comparison& c, const std::vector<Remedy>& remedies) {
  std::vector<TextRow> rows{
      {"pipeline", "module", "without", "with", "ratio", "95% interval", "share", ""}};
  for (const PipelineComparison& one : c.pipelines) {
    const auto same = std::count_if(c.pipelines.begin(), c.pipelines.end(), [&](const auto& other) {
      return labelOf(other.pipeline, true) == labelOf(one.pipeline, true);
    });
    rows.push_back(rowOf(one, same == 1));
  }
  rows.push_back({"program", "", durationText(c.secondsWithout * 1e9),
                  durationText(c.secondsWith * 1e9), fmt::format("{:.3f}", c.seconds.median),
                  intervalText(c.seconds), "",
                  c.isProgramSlower()  ? "SLOWER"
                  : c.seconds.high < 1 ? "faster"
                                       : ""});
  std::string text = tableOf(rows, "LLRRRRRL") + countsText(c);
  for (const Remedy& remedy : remedies) text += remedyText(remedy);
  return text + "What the program printed and computed was not compared.\n";
}

Json comparisonAsJson(const Comparison& c, const std::vector<Remedy>& remedies) {
  Json json;
  json["rounds"] = c.rounds;
  json["rounds-needed"] = c.roundsNeeded;
  json["cpu-device"] = c.isOnCpu;
  json["created"] = c.created;
  json["optimized"] = c.optimized;
  json["program"] = {{"without-s", c.secondsWithout},
                     {"with-s", c.secondsWith},
                     {"ratio", intervalAsJson(c.seconds)}};
  json["pipelines"] = Json::array();
  for (const PipelineComparison& one : c.pipelines)
    json["pipelines"].push_back(pipelineAsJson(one));
  json["remedies"] = Json::array();
  for (const Remedy& remedy : remedies) {
    Json each{{"options", remedy.options}, {"modules", remedy.modules}};
    each["pipelines"] = Json::array();
    for (const PipelineComparison& one : remedy.after)
      each["pipelines"].push_back(pipelineAsJson(one));
    json["remedies"].push_back(std::move(each));
  }
  return json;
}

} // namespace lanewise::driver
