#include "compilers/totals.h"

#include "compilers/figures.h"
#include "support/failure.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace lanewise::driver {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr size_t kMostListed = 10;

/// The first of these that a driver tells stands for what a shader costs.
constexpr Figure kDeciding[] = {Figure::InverseThroughput, Figure::Instructions, Figure::CodeSize};

std::optional<double> figureIn(const OrderedJson& figures, Figure figure) {
  const auto found = figures.find(std::string(infoOf(figure).key));
  if (found == figures.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string textIn(const OrderedJson& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Input, compiler, entry point, stage.
using RowKey = std::tuple<std::string, std::string, std::string, std::string>;
RowKey keyOf(const std::string& input, const OrderedJson& row) {
  return {input, textIn(row, "compiler"), textIn(row, "entry"), textIn(row, "stage")};
}

/// The rows of the facts of one input; none where they hold no statistics.
OrderedJson rowsIn(const OrderedJson& facts) {
  const auto found = facts.find("compiler-stats");
  return found != facts.end() && found->is_array() ? *found : OrderedJson::array();
}

Result<std::map<RowKey, OrderedJson>> rowsOfBaseline(const StatsBaseline& baseline) {
  const OrderedJson json = OrderedJson::parse(baseline.text, nullptr, false);
  std::map<RowKey, OrderedJson> rows;
  if (json.is_object() && json.contains("files") && json["files"].is_array())
    for (const OrderedJson& file : json["files"])
      if (file.is_object())
        for (const OrderedJson& row : rowsIn(file))
          if (row.is_object()) rows[keyOf(textIn(file, "input"), row)] = row;
  if (rows.empty())
    return failure(
        fmt::format("{}: no summary of `lanewise batch --compiler-stats --json`", baseline.name));
  return rows;
}

std::string countText(double value) {
  return fmt::format("{:.0f}", value);
}

std::string percentText(double before, double after) {
  return before > 0 ? fmt::format("{:+.2f} %", (after / before - 1) * 100) : std::string("-");
}

std::string listText(const std::string& title, const std::vector<StatsChange>& changes) {
  if (changes.empty()) return {};
  std::string text = title + ":\n";
  for (const StatsChange& c : changes)
    text += fmt::format("  {:>9}  {} {} -> {}  {}: {}{}\n", percentText(c.before, c.after),
                        c.figure, countText(c.before), countText(c.after), c.compiler, c.input,
                        c.entry == "main" ? "" : ": " + c.entry);
  return text;
}

class Summarizer {
public:
  Summarizer(const std::map<RowKey, OrderedJson>* baseline, std::optional<double> failIfWorse)
      : baseline_(baseline), failIfWorse_(failIfWorse) {}

  void add(const std::string& input, const OrderedJson& row) {
    StatsTotal& total = totalOf(row);
    const auto known = baseline_ ? baseline_->find(keyOf(input, row)) : Known();
    const bool isKnown = baseline_ && known != baseline_->end() && known->second.contains("after");
    if (isKnown) ++found_;
    if (row.contains("problem")) {
      ++total.problems;
      summary_.problems.push_back(
          {input, textIn(row, "compiler"), textIn(row, "problem"), isKnown});
      return;
    }
    if (!row.contains("before") || !row.contains("after")) return;
    const OrderedJson* before = &row["before"];
    if (baseline_) {
      if (!isKnown) {
        ++summary_.notInBaseline;
        return;
      }
      if (textIn(known->second, "driver") != textIn(row, "driver")) {
        ++summary_.otherDriver;
        return;
      }
      before = &known->second.at("after");
    }
    for (Figure figure : allFigures()) addTo(total, figure, *before, row["after"]);
    for (Figure figure : kDeciding)
      if (compare(input, row, figure, *before)) break;
  }

  StatsSummary finish() {
    if (baseline_) {
      const auto known = std::count_if(baseline_->begin(), baseline_->end(), [](const auto& entry) {
        return entry.second.contains("after");
      });
      summary_.onlyInBaseline = uint64_t(known) - found_;
    }
    const auto rank = [](std::vector<StatsChange>& list, auto&& isBefore) {
      std::stable_sort(list.begin(), list.end(), isBefore);
    };
    rank(changes_, [](const auto& a, const auto& b) { return a.ratio() < b.ratio(); });
    for (const StatsChange& change : changes_)
      if (change.ratio() < 1 && summary_.best.size() < kMostListed) summary_.best.push_back(change);
    rank(changes_, [](const auto& a, const auto& b) { return a.ratio() > b.ratio(); });
    for (const StatsChange& change : changes_) {
      if (change.ratio() > 1 && summary_.worst.size() < kMostListed)
        summary_.worst.push_back(change);
      if (failIfWorse_ && (change.ratio() - 1) * 100 > *failIfWorse_)
        summary_.failures.push_back(change);
    }
    return std::move(summary_);
  }

private:
  using Known = std::map<RowKey, OrderedJson>::const_iterator;

  StatsTotal& totalOf(const OrderedJson& row) {
    const std::string compiler = textIn(row, "compiler");
    for (StatsTotal& total : summary_.totals)
      if (total.compiler == compiler) {
        if (total.driver.empty()) total.driver = textIn(row, "driver");
        return total;
      }
    summary_.totals.push_back(
        {compiler, textIn(row, "driver"), std::vector<StatsTotal::Sum>(kFigures), 0});
    return summary_.totals.back();
  }

  static void addTo(StatsTotal& total, Figure figure, const OrderedJson& before,
                    const OrderedJson& after) {
    const std::optional<double> a = figureIn(before, figure), b = figureIn(after, figure);
    if (!a || !b) return;
    StatsTotal::Sum& sum = total.sums[size_t(figure)];
    sum.before += *a;
    sum.after += *b;
    ++sum.shaders;
  }

  bool compare(const std::string& input, const OrderedJson& row, Figure figure,
               const OrderedJson& before) {
    const std::optional<double> a = figureIn(before, figure), b = figureIn(row["after"], figure);
    if (!a || !b) return false;
    changes_.push_back({input, textIn(row, "compiler"), textIn(row, "entry"),
                        std::string(infoOf(figure).phrase), *a, *b});
    return true;
  }

  const std::map<RowKey, OrderedJson>* baseline_;
  std::optional<double> failIfWorse_;
  StatsSummary summary_;
  std::vector<StatsChange> changes_;
  uint64_t found_ = 0; ///< rows of the baseline that this run has
};

OrderedJson asJson(const std::vector<StatsChange>& changes) {
  OrderedJson all = OrderedJson::array();
  for (const StatsChange& c : changes)
    all.push_back({{"input", c.input},
                   {"compiler", c.compiler},
                   {"entry", c.entry},
                   {"figure", c.figure},
                   {"before", c.before},
                   {"after", c.after},
                   {"ratio", c.ratio()}});
  return all;
}

} // namespace

Result<StatsSummary> summarize(std::span<const FactsOfInput> inputs,
                               const std::optional<StatsBaseline>& baseline,
                               std::optional<double> failIfWorse) {
  std::map<RowKey, OrderedJson> known;
  if (baseline) {
    Result<std::map<RowKey, OrderedJson>> rows = rowsOfBaseline(*baseline);
    if (!rows) return rows.error();
    known = std::move(*rows);
  }
  Summarizer summarizer(baseline ? &known : nullptr, failIfWorse);
  for (const FactsOfInput& input : inputs) {
    const OrderedJson facts = OrderedJson::parse(input.facts, nullptr, false);
    if (!facts.is_object()) continue;
    for (const OrderedJson& row : rowsIn(facts)) summarizer.add(input.input, row);
  }
  StatsSummary summary = summarizer.finish();
  summary.against = baseline ? baseline->name : "the inputs";
  return summary;
}

std::string summaryAsText(const StatsSummary& s, std::optional<double> failIfWorse) {
  std::string text = fmt::format("compiled, against {}:\n", s.against);
  for (const StatsTotal& total : s.totals) {
    text += fmt::format("  {} ({})\n", total.compiler, total.driver);
    for (Figure figure : allFigures()) {
      const StatsTotal::Sum& sum = total.sums[size_t(figure)];
      if (sum.shaders == 0 || (sum.before == 0 && sum.after == 0)) continue;
      text += fmt::format("    {:<24} {:>12} -> {:>12}  {:>9}\n", infoOf(figure).phrase,
                          countText(sum.before), countText(sum.after),
                          percentText(sum.before, sum.after));
    }
    if (total.problems > 0) text += fmt::format("    {} not compiled\n", total.problems);
  }
  text += listText("best", s.best) + listText("worst", s.worst);
  for (const StatsSummary::Problem& p : s.problems)
    if (&p - s.problems.data() < ptrdiff_t(kMostListed) || p.isNew)
      text += fmt::format("not compiled{}: {}: {}: {}\n", p.isNew ? ", but in the baseline" : "",
                          p.compiler, p.input, p.problem);
  if (s.onlyInBaseline > 0) text += fmt::format("{} only in {}\n", s.onlyInBaseline, s.against);
  if (s.notInBaseline > 0) text += fmt::format("{} not in {}\n", s.notInBaseline, s.against);
  if (s.otherDriver > 0)
    text += fmt::format("{} not compared: {} is of another version of the driver\n", s.otherDriver,
                        s.against);
  if (!s.failures.empty())
    text += fmt::format("{} worse by more than {} %\n", s.failures.size(), *failIfWorse);
  return text;
}

OrderedJson summaryAsJson(const StatsSummary& s) {
  OrderedJson json{{"against", s.against}, {"totals", OrderedJson::array()}};
  for (const StatsTotal& total : s.totals) {
    OrderedJson one{
        {"compiler", total.compiler}, {"driver", total.driver}, {"problems", total.problems}};
    for (Figure figure : allFigures()) {
      const StatsTotal::Sum& sum = total.sums[size_t(figure)];
      if (sum.shaders == 0) continue;
      one["figures"][std::string(infoOf(figure).key)] = {
          {"before", sum.before}, {"after", sum.after}, {"shaders", sum.shaders}};
    }
    json["totals"].push_back(std::move(one));
  }
  json["best"] = asJson(s.best);
  json["worst"] = asJson(s.worst);
  json["worse-than-allowed"] = asJson(s.failures);
  json["not-compiled-any-more"] = OrderedJson::array();
  for (const StatsSummary::Problem& p : s.problems)
    if (p.isNew)
      json["not-compiled-any-more"].push_back(
          {{"input", p.input}, {"compiler", p.compiler}, {"problem", p.problem}});
  json["only-in-baseline"] = s.onlyInBaseline;
  json["not-in-baseline"] = s.notInBaseline;
  json["of-another-driver"] = s.otherDriver;
  return json;
}

} // namespace lanewise::driver
