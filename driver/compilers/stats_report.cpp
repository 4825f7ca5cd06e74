#include "compilers/stats_report.h"

#include "support/line_diff.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace lanewise::driver {

namespace {

using Json = nlohmann::json;

std::string numberText(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

std::string titleOf(const InputStats& input, const CompilerRow& row) {
  std::string title = fmt::format("{}: {} ({}", input.name, row.entry, row.stage);
  if (row.workgroupSize)
    title += fmt::format(", {}x{}x{}", (*row.workgroupSize)[0], (*row.workgroupSize)[1],
                         (*row.workgroupSize)[2]);
  return title + ")";
}

std::string limitsText(const StageFigures& f) {
  std::string text;
  for (const std::string& limit : f.limits) text += (text.empty() ? "" : ", ") + limit;
  return text;
}

/// Columns that say something: registers are spilled and scratch memory is used by few shaders.
std::vector<Figure> columnsOf(std::span<const CompilerRow> rows) {
  std::vector<Figure> columns;
  for (Figure figure : allFigures()) {
    const bool isRare = figure == Figure::Spills || figure == Figure::Scratch;
    const bool isTold = std::any_of(rows.begin(), rows.end(), [&](const CompilerRow& row) {
      const std::optional<double> value = row.figures[figure];
      return value && (*value != 0 || !isRare);
    });
    if (isTold) columns.push_back(figure);
  }
  return columns;
}

/// Rows of one entry point.
std::string tableOf(std::span<const CompilerRow> rows) {
  const std::vector<Figure> columns = columnsOf(rows);
  size_t nameWidth = std::string_view("compiler").size();
  for (const CompilerRow& row : rows) nameWidth = std::max(nameWidth, labelOf(row).size());
  std::vector<size_t> widths;
  for (Figure figure : columns) {
    widths.push_back(infoOf(figure).title.size());
    for (const CompilerRow& row : rows)
      widths.back() = std::max(widths.back(), figureText(row.figures, figure).size());
  }
  const bool hasLimits = std::any_of(
      rows.begin(), rows.end(), [](const CompilerRow& row) { return !row.figures.limits.empty(); });
  std::string text = fmt::format("{:<{}}", "compiler", nameWidth);
  for (size_t i = 0; i < columns.size(); ++i)
    text += fmt::format("  {:>{}}", infoOf(columns[i]).title, widths[i]);
  text += hasLimits ? "  limited by\n" : "\n";
  for (const CompilerRow& row : rows) {
    text += fmt::format("{:<{}}", labelOf(row), nameWidth);
    if (row.problem.empty()) {
      for (size_t i = 0; i < columns.size(); ++i)
        text += fmt::format("  {:>{}}", figureText(row.figures, columns[i]), widths[i]);
      if (!row.figures.limits.empty()) text += "  " + limitsText(row.figures);
    } else {
      text += "  " + row.problem;
    }
    text += "\n";
  }
  return text;
}

/// Consecutive rows of one entry point.
template <class Visit>
void forEachEntry(const InputStats& input, Visit&& visit) {
  const std::vector<CompilerRow>& rows = input.rows;
  for (size_t from = 0; from < rows.size();) {
    size_t to = from;
    while (to < rows.size() && rows[to].entry == rows[from].entry &&
           rows[to].stage == rows[from].stage)
      ++to;
    visit(std::span(rows).subspan(from, to - from));
    from = to;
  }
}

/// The drivers that the rows are from, each once.
std::string driversOf(std::span<const InputStats> inputs) {
  std::vector<std::string> names;
  for (const InputStats& input : inputs)
    for (const CompilerRow& row : input.rows)
      if (!row.driver.empty() && std::find(names.begin(), names.end(), row.driver) == names.end())
        names.push_back(row.driver);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "; ") + name;
  return text;
}

std::string differenceRows(const RowPair& pair) {
  std::string text;
  for (Figure figure : allFigures()) {
    const std::optional<double> ratio = ratioOf(pair, figure);
    if (!ratio || *ratio == 1) continue;
    const bool isWorse = worseBy(*ratio, figure) > 0;
    const std::string ratioText =
        std::isinf(*ratio) ? std::string("-") : fmt::format("{:.3f}", *ratio);
    text += fmt::format("  {:<24} {:>9} {:>9} {:>8}  {}\n", infoOf(figure).phrase,
                        figureText(pair.before->figures, figure),
                        figureText(pair.after->figures, figure), ratioText,
                        isWorse ? "worse" : "better");
  }
  return text;
}

const std::string* assemblyOf(const CompilerRow& row) {
  const std::string* last = nullptr;
  for (const PipelineRepresentation& one : row.representations) {
    std::string name = one.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
    if (name.find("assembly") != std::string::npos) return &one.text;
    last = &one.text;
  }
  return last;
}

Json pairAsJson(const RowPair& pair) {
  Json json = {{"compiler", pair.before->compiler},
               {"driver", pair.before->driver},
               {"entry", pair.before->entry},
               {"stage", pair.before->stage}};
  for (const auto& [row, key] :
       {std::pair(pair.before, "problem-before"), std::pair(pair.after, "problem-after")})
    if (!row->problem.empty()) json[key] = row->problem;
  for (Figure figure : allFigures()) {
    const std::optional<double> ratio = ratioOf(pair, figure);
    if (!ratio) continue;
    Json& one = json["figures"][std::string(infoOf(figure).key)];
    one = {{"before", *pair.before->figures[figure]}, {"after", *pair.after->figures[figure]}};
    if (!std::isinf(*ratio)) one["ratio"] = *ratio;
    one["worse"] = worseBy(*ratio, figure) > 0;
  }
  return json;
}

} // namespace

std::string labelOf(const CompilerRow& row) {
  return findAmdFamily(row.compiler) || row.device.empty()
             ? row.compiler
             : fmt::format("{} ({})", row.compiler, row.device);
}

std::string figureText(const StageFigures& f, Figure figure) {
  const std::optional<double> value = f[figure];
  if (!value) return "-";
  if (figure == Figure::Occupancy && f.maxOccupancy)
    return fmt::format("{}/{}", numberText(*value), f.maxOccupancy);
  return numberText(*value);
}

std::vector<RowPair> pairRows(std::span<const CompilerRow> before,
                              std::span<const CompilerRow> after) {
  std::vector<RowPair> pairs(before.size());
  std::vector<bool> isTaken(after.size());
  // Those of a name first: one that was renamed must not take the place of another.
  for (const bool byName : {true, false})
    for (size_t n = 0; n < before.size(); ++n) {
      const CompilerRow& one = before[n];
      for (size_t i = 0; i < after.size() && !pairs[n].after; ++i) {
        const CompilerRow& other = after[i];
        // Of what a compiler died of there is no driver's version.
        const bool isOtherDriver =
            !one.driver.empty() && !other.driver.empty() && one.driver != other.driver;
        if (isTaken[i] || one.compiler != other.compiler || isOtherDriver ||
            one.stage != other.stage || (byName && one.entry != other.entry))
          continue;
        isTaken[i] = true;
        pairs[n] = {&one, &other};
      }
    }
  std::erase_if(pairs, [](const RowPair& pair) { return !pair.after; });
  return pairs;
}

std::optional<double> ratioOf(const RowPair& pair, Figure figure) {
  const std::optional<double> before = pair.before->figures[figure];
  const std::optional<double> after = pair.after->figures[figure];
  if (!before || !after) return std::nullopt;
  if (*before == 0) return *after == 0 ? 1 : std::numeric_limits<double>::infinity();
  return *after / *before;
}

double worseBy(double ratio, Figure figure) {
  if (!infoOf(figure).isBetterHigher) return std::max(ratio - 1, 0.0);
  return ratio > 0 ? std::max(1 / ratio - 1, 0.0) : std::numeric_limits<double>::infinity();
}

std::string statsAsText(std::span<const InputStats> inputs) {
  std::string text;
  for (const InputStats& input : inputs)
    forEachEntry(input, [&](std::span<const CompilerRow> rows) {
      text +=
          fmt::format("{}{}\n{}", text.empty() ? "" : "\n", titleOf(input, rows[0]), tableOf(rows));
    });
  if (const std::string drivers = driversOf(inputs); !drivers.empty())
    text += fmt::format("\ncompiled by {}\n", drivers);
  return text;
}

std::string comparisonAsText(const InputStats& before, const InputStats& after) {
  std::string text = fmt::format("{} -> {}\n", before.name, after.name);
  const std::vector<RowPair> pairs = pairRows(before.rows, after.rows);
  for (const RowPair& pair : pairs) {
    const CompilerRow &a = *pair.before, &b = *pair.after;
    text += fmt::format("\n{}: {}{} ({})\n", labelOf(a), a.entry,
                        a.entry == b.entry ? "" : " -> " + b.entry, a.stage);
    if (a.workgroupSize && b.workgroupSize && *a.workgroupSize != *b.workgroupSize)
      text += fmt::format("  workgroups of {} -> {}\n", fmt::join(*a.workgroupSize, "x"),
                          fmt::join(*b.workgroupSize, "x"));
    for (const auto& [row, input] : {std::pair(&a, &before), std::pair(&b, &after)})
      if (!row->problem.empty()) text += fmt::format("  {}: {}\n", input->name, row->problem);
    if (!a.problem.empty() || !b.problem.empty()) continue;
    const std::string differences = differenceRows(pair);
    text += differences.empty() ? "  no difference\n"
                                : fmt::format("  {:<24} {:>9} {:>9} {:>8}\n{}", "", "before",
                                              "after", "ratio", differences);
  }
  for (const InputStats* input : {&before, &after})
    for (const CompilerRow& row : input->rows) {
      const bool isPaired = std::any_of(pairs.begin(), pairs.end(), [&](const RowPair& pair) {
        return pair.before == &row || pair.after == &row;
      });
      if (!isPaired)
        text += fmt::format("\n{}: {} ({}): only in {}\n", labelOf(row), row.entry, row.stage,
                            input->name);
    }
  const InputStats both[] = {before, after};
  const std::string drivers = driversOf(both);
  if (!drivers.empty()) text += fmt::format("\ncompiled by {}\n", drivers);
  const bool usesSharedMemory = std::ranges::any_of(pairs, [](const RowPair& pair) {
    return pair.before->figures[Figure::SharedMemory].value_or(0) > 0;
  });
  if (usesSharedMemory)
    text += "Latency and inverse throughput know nothing of bank conflicts; `lanewise profile` "
            "counts them.\n";
  return text;
}

std::string representationsAsText(std::span<const InputStats> inputs, uint32_t columns) {
  std::string text;
  if (inputs.size() == 2) {
    for (const RowPair& pair : pairRows(inputs[0].rows, inputs[1].rows)) {
      const std::string* before = assemblyOf(*pair.before);
      const std::string* after = assemblyOf(*pair.after);
      if (!before || !after) continue;
      text += fmt::format("{}: {} ({})\n{}\n", pair.before->compiler, pair.before->entry,
                          pair.before->stage, sideBySide(*before, *after, columns));
    }
    return text;
  }
  for (const InputStats& input : inputs)
    for (const CompilerRow& row : input.rows)
      if (const std::string* assembly = assemblyOf(row))
        text += fmt::format("{}: {}\n{}\n", row.compiler, titleOf(input, row), *assembly);
  return text;
}

Json rowAsJson(const CompilerRow& row) {
  Json json = {{"compiler", row.compiler}, {"entry", row.entry}, {"stage", row.stage}};
  if (!row.device.empty()) json["device"] = row.device;
  if (!row.driver.empty()) json["driver"] = row.driver;
  if (row.workgroupSize) json["workgroup_size"] = *row.workgroupSize;
  if (!row.problem.empty()) {
    json["problem"] = row.problem;
    return json;
  }
  const StageFigures& f = row.figures;
  if (f.subgroupSize) json["subgroup_size"] = f.subgroupSize;
  Json& figures = json["figures"] = Json::object();
  for (Figure figure : allFigures())
    if (const auto value = f[figure]) figures[std::string(infoOf(figure).key)] = *value;
  if (f.maxOccupancy) json["max_occupancy"] = f.maxOccupancy;
  if (f.maxOccupancy) json["occupancy_limited_by"] = f.limits;
  Json& all = json["statistics"] = Json::object();
  for (const auto& [name, value] : f.all) all[name] = value;
  for (const PipelineRepresentation& one : row.representations)
    json["representations"][one.name] = one.text;
  return json;
}

std::string statsAsJson(std::span<const InputStats> inputs, bool isComparison) {
  Json json = {{"inputs", Json::array()}};
  for (const InputStats& input : inputs) {
    Json one = {{"input", input.name}};
    if (!input.failure.empty()) one["failure"] = input.failure;
    one["entry_points"] = Json::array();
    for (const CompilerRow& row : input.rows) one["entry_points"].push_back(rowAsJson(row));
    json["inputs"].push_back(std::move(one));
  }
  if (isComparison) {
    json["comparison"] = Json::array();
    for (const RowPair& pair : pairRows(inputs[0].rows, inputs[1].rows))
      json["comparison"].push_back(pairAsJson(pair));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace lanewise::driver
