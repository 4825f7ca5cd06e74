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
  // Most results have none of these, and text is searched sooner than parsed.
  const auto isNamed = [&](const char* key) { return result.facts.find(key) != std::string::npos; };
  const Json facts = isNamed("not-validated") || isNamed("different") || isNamed("verification")
                         ? Json::parse(result.facts, nullptr, false)
                         : Json();
  const auto has = [&](const char* key) { return facts.is_object() && facts.contains(key); };
  notValidated += has("not-validated");
  // An output that no pass has changed equals the input, which was not dispatched for that.
  if (has("different"))
    ++different;
  else if (has("verification") && facts["verification"] == "unverified")
    ++unverified;
  else if (has("verification") && result.status == ItemStatus::Optimized)
    ++verified;
  hits += result.isHit;
  written += result.isNew;
}

std::string summaryAsJson(std::span<const BatchInput> inputs, std::span<const ItemResult> results,
                          const BatchCounts& counts, BatchFacts run, const StatsSummary* stats) {
  Json files = Json::array();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ItemResult& r = results[i];
    Json file{{"input", inputs[i].path}, {"status", nameOf(r.status)}};
    if (r.status != ItemStatus::Failed) file["output"] = inputs[i].output;
    if (!r.reason.empty()) file["reason"] = r.reason;
    if (run.hasCache) file["cache"] = r.isHit ? "hit" : "miss";
    if (r.exitCode != 0) file["exit-code"] = r.exitCode;
    if (Json facts = Json::parse(r.facts, nullptr, false); facts.is_object()) file.update(facts);
    files.push_back(std::move(file));
  }
  Json count{{"files", counts.files},         {"optimized", counts.optimized},
             {"unchanged", counts.unchanged}, {"fallback", counts.fallback},
             {"failed", counts.failed},       {"written", counts.written}};
  if (counts.notValidated > 0) count["not-validated"] = counts.notValidated;
  if (run.verifies) {
    count["verified"] = counts.verified;
    count["unverified"] = counts.unverified;
    count["different"] = counts.different;
  }
  if (run.hasCache) count["cache-hits"] = counts.hits;
  Json summary{{"lanewise", lanewiseVersion()}, {"counts", std::move(count)}};
  if (stats) summary["compiler-stats"] = summaryAsJson(*stats);
  summary["files"] = std::move(files);
  // Paths may be any bytes; JSON is UTF-8.
  return summary.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string summaryAsText(const BatchCounts& counts, BatchFacts run, double seconds) {
  std::string text = fmt::format("{} shader{}: {} optimized, {} unchanged", counts.files,
                                 counts.files == 1 ? "" : "s", counts.optimized, counts.unchanged);
  if (counts.fallback > 0) text += fmt::format(", {} copied unchanged", counts.fallback);
  if (counts.failed > 0) text += fmt::format(", {} failed", counts.failed);
  if (counts.notValidated > 0) text += fmt::format(", {} not validated", counts.notValidated);
  if (run.hasCache)
    text += fmt::format(", {:.0f} % cached",
                        100.0 * double(counts.hits) / double(std::max<size_t>(counts.files, 1)));
  if (run.verifies) text += fmt::format("; {} verified equal", counts.verified);
  if (counts.unverified > 0) text += fmt::format(", {} not verified", counts.unverified);
  if (counts.different > 0) text += fmt::format(", {} different and undone", counts.different);
  return text + fmt::format("; {} written; {:.1f} s\n", counts.written, seconds);
}

std::vector<std::string> unusedOptions(std::span<const ItemResult> results) {
  std::optional<std::vector<std::string>> left;
  for (const ItemResult& result : results) {
    if (result.status != ItemStatus::Optimized && result.status != ItemStatus::Unchanged) continue;
    const Json facts = Json::parse(result.facts, nullptr, false);
    std::vector<std::string> own;
    if (facts.is_object() && facts.contains("unused-options")) own = facts["unused-options"];
    if (!left) left = own;
    std::erase_if(*left, [&](const std::string& option) {
      return std::find(own.begin(), own.end(), option) == own.end();
    });
    if (left->empty()) break;
  }
  return left.value_or(std::vector<std::string>());
}

std::string progressAsText(const BatchCounts& counts, size_t files) {
  std::string text = fmt::format("[{}/{}]", counts.files, files);
  if (counts.hits > 0) text += fmt::format(" {} from the cache", counts.hits);
  if (counts.fallback > 0) text += fmt::format(" {} copied unchanged", counts.fallback);
  if (counts.failed > 0) text += fmt::format(" {} failed", counts.failed);
  return text;
}

} // namespace lanewise::driver
