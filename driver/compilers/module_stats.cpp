#include "compilers/module_stats.h"

#include "input/front_end.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lanewise::driver {

namespace {

using Json = nlohmann::json;

/// What stands behind a figure that changed: "(+47.8 %)".
std::string changeText(double ratio) {
  return std::isinf(ratio) ? std::string() : fmt::format(" ({:+.1f} %)", (ratio - 1) * 100);
}

std::string differencePhrases(const RowPair& pair) {
  std::string text;
  for (Figure figure : allFigures()) {
    const std::optional<double> ratio = ratioOf(pair, figure);
    if (!ratio || *ratio == 1) continue;
    text += fmt::format("{}{} {} -> {}{}", text.empty() ? "" : ", ", infoOf(figure).phrase,
                        figureText(pair.before->figures, figure),
                        figureText(pair.after->figures, figure), changeText(*ratio));
  }
  return text;
}

const std::string& problemOf(const RowPair& pair) {
  return pair.before->problem.empty() ? pair.after->problem : pair.before->problem;
}

/// "navi21", and the entry point where there are several.
std::string whoOf(const ModuleStats& stats, const CompilerRow& row) {
  for (const CompilerRow& other : stats.before)
    if (other.entry != row.entry) return fmt::format("{}: {}", labelOf(row), row.entry);
  return labelOf(row);
}

Json figuresAsJson(const CompilerRow& row) {
  Json json = Json::object();
  for (Figure figure : allFigures())
    if (const auto value = row.figures[figure]) json[std::string(infoOf(figure).key)] = *value;
  return json;
}

Json asJson(const RowPair& pair) {
  Json json = {{"compiler", pair.before->compiler},
               {"driver", pair.before->driver},
               {"entry", pair.before->entry},
               {"stage", pair.before->stage}};
  if (const std::string& problem = problemOf(pair); !problem.empty()) {
    json["problem"] = problem;
    return json;
  }
  json["before"] = figuresAsJson(*pair.before);
  json["after"] = figuresAsJson(*pair.after);
  return json;
}

} // namespace

ModuleStats compareByCompilers(const LoadedModule& module, const Words& output,
                               const OptOptions& options, CompilerSet& compilers) {
  const Result<Assumptions> given =
      options.constants.assumptionsFor(*module.read, options.pipeline.assumptions);
  const Assumptions& assumptions = given ? *given : options.pipeline.assumptions;
  const auto rowsOf = [&](const Words& words) -> std::vector<CompilerRow> {
    const std::string entry = module.kind == InputKind::Hlsl ? std::string() : options.load.entry;
    Result<std::vector<StageRequest>> requests = requestsFor(words, assumptions, entry);
    return requests ? compilers.compile(*requests) : std::vector<CompilerRow>();
  };
  ModuleStats stats;
  const Words input = module.isSource() ? stripLines(module.words()) : module.words();
  stats.before = rowsOf(input);
  stats.after = input == output ? stats.before : rowsOf(output);
  return stats;
}

std::string linesOf(const std::string& input, const ModuleStats& stats) {
  std::string text;
  for (const RowPair& pair : pairRows(stats.before, stats.after)) {
    const std::string who = whoOf(stats, *pair.before);
    if (const std::string& problem = problemOf(pair); !problem.empty()) {
      text += fmt::format("{}: {}: not compiled: {}\n", input, who, problem);
      continue;
    }
    const std::string differences = differencePhrases(pair);
    text += fmt::format("{}: {}: {}\n", input, who,
                        differences.empty() ? "no difference" : differences);
  }
  return text;
}

std::string jsonLinesOf(const std::string& input, const ModuleStats& stats) {
  std::string text;
  for (const RowPair& pair : pairRows(stats.before, stats.after)) {
    Json json = asJson(pair);
    json["kind"] = "compiler-stats";
    json["input"] = input;
    text += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
}

Json factsOf(const ModuleStats& stats) {
  Json all = Json::array();
  for (const RowPair& pair : pairRows(stats.before, stats.after)) all.push_back(asJson(pair));
  return all;
}

ReportTable tableOf(const ModuleStats& stats) {
  ReportTable table;
  table.title = "What compilers make of it";
  table.header = {"compiler", "figure", "before", "after", "ratio"};
  for (const RowPair& pair : pairRows(stats.before, stats.after)) {
    std::string who = whoOf(stats, *pair.before);
    if (const std::string& problem = problemOf(pair); !problem.empty()) {
      table.rows.push_back(
          {{who, "not compiled: " + problem, "", "", ""}, ReportTable::Role::Plain});
      continue;
    }
    for (Figure figure : allFigures()) {
      const std::optional<double> ratio = ratioOf(pair, figure);
      if (!ratio) continue;
      const auto role = worseBy(*ratio, figure) > 0 ? ReportTable::Role::Bad
                        : *ratio != 1               ? ReportTable::Role::Good
                                                    : ReportTable::Role::Plain;
      table.rows.push_back(
          {{std::exchange(who, {}), std::string(infoOf(figure).phrase),
            figureText(pair.before->figures, figure), figureText(pair.after->figures, figure),
            std::isinf(*ratio) ? "" : fmt::format("{:.3f}", *ratio)},
           role});
    }
    if (table.note.find(pair.before->driver) == std::string::npos)
      table.note += (table.note.empty() ? "Compiled by " : ", ") + pair.before->driver;
  }
  return table;
}

ModuleStats addCompilerStats(const std::string& input, const LoadedModule& module,
                             const Words& written, const OptOptions& options,
                             CompilerSet& compilers, CommandOutput& output) {
  ModuleStats stats = compareByCompilers(module, written, options, compilers);
  const bool isJson = options.format == ReportFormat::Json;
  std::string text;
  if (isJson) text = jsonLinesOf(input, stats);
  if (!isJson && !options.isQuiet) text = linesOf(input, stats);
  (isJson && !options.remarksFile.empty() ? output.remarks : output.standardError) += text;
  return stats;
}

} // namespace lanewise::driver
