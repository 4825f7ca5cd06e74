#include "batch/summary.h"

#include "report/version.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lanewise::driver {

using Json = nlohmann::ordered_json;

void BatchCounts::add(const ItemResult& result) {
  ++files;
  optimized += result.status == ItemStatus::Optimized;
  unchanged += result.status == ItemStatus::Unchanged;
  fallback += result.status == ItemStatus::Fallback;
  failed += result.status == ItemStatus::Failed;
  if (result.facts.find("not-validated") != std::string::npos) { // few have it
    const Json facts = Json::parse(result.facts, nullptr, false);
    notValidated += facts.is_object() && facts.contains("not-validated");
  }
  hits += result.isHit;
  written += result.isNew;
}

std::string summaryAsJson(std::span<const BatchInput> inputs, std::span<const ItemResult> results,
                          const BatchCounts& counts, bool hasCache, const StatsSummary* stats) {
  Json files = Json::array();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ItemResult& r = results[i];
    Json file{{"input", inputs[i].path}, {"status", nameOf(r.status)}};
    if (r.status != ItemStatus::Failed) file["output"] = inputs[i].output;
    if (!r.reason.empty()) file["reason"] = r.reason;
    if (hasCache) file["cache"] = r.isHit ? "hit" : "miss";
    if (r.exitCode != 0) file["exit-code"] = r.exitCode;
    if (Json facts = Json::parse(r.facts, nullptr, false); facts.is_object()) file.update(facts);
    files.push_back(std::move(file));
  }
  Json count{{"files", counts.files},         {"optimized", counts.optimized},
             {"unchanged", counts.unchanged}, {"fallback", counts.fallback},
             {"failed", counts.failed},       {"written", counts.written}};
  if (counts.notValidated > 0) count["not-validated"] = counts.notValidated;
  if (hasCache) count["cache-hits"] = counts.hits;
  Json summary{{"lanewise", lanewiseVersion()}, {"counts", std::move(count)}};
  if (stats) summary["compiler-stats"] = summaryAsJson(*stats);
  summary["files"] = std::move(files);
  // Paths may be any bytes; JSON is UTF-8.
  return summary.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string summaryAsText(const BatchCounts& counts, bool hasCache, double seconds) {
  std::string text = fmt::format("{} shader{}: {} optimized, {} unchanged", counts.files,
                                 counts.files == 1 ? "" : "s", counts.optimized, counts.unchanged);
  if (counts.fallback > 0) text += fmt::format(", {} copied unchanged", counts.fallback);
  if (counts.failed > 0) text += fmt::format(", {} failed", counts.failed);
  if (counts.notValidated > 0) text += fmt::format(", {} not validated", counts.notValidated);
  if (hasCache)
    text += fmt::format(", {:.0f} % cached",
                        100.0 * double(counts.hits) / double(std::max<size_t>(counts.files, 1)));
  return text + fmt::format("; {} written; {:.1f} s\n", counts.written, seconds);
}

std::string progressAsText(const BatchCounts& counts, size_t files) {
  std::string text = fmt::format("[{}/{}]", counts.files, files);
  if (counts.hits > 0) text += fmt::format(" {} from the cache", counts.hits);
  if (counts.fallback > 0) text += fmt::format(" {} copied unchanged", counts.fallback);
  if (counts.failed > 0) text += fmt::format(" {} failed", counts.failed);
  return text;
}

} // namespace lanewise::driver
