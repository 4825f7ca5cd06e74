// What `lanewise run --html` writes: the table of `--time` as a page (docs/run.md).
#include "report/html/subject_section.h"
#include "report/html/text.h"
#include "run/run_report.h"
#include "run/run_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanewise::driver {

namespace {

std::string shareText(double part, double all) {
  return all > 0 ? fmt::format("{:.1f} %", 100 * part / all) : "-";
}

/// Many programs call all of their entry points main: the module tells which it is, and the source
/// what it does.
std::string whichText(const PipelineTimes& pipeline) {
  std::string text = labelOf(pipeline, false);
  if (!pipeline.module.empty()) text += fmt::format(", module {}", moduleText(pipeline));
  if (!pipeline.source.empty()) text += fmt::format(", {}", pipeline.source);
  return text + ".";
}

std::string cardsOf(const RunData& data, const std::vector<const PipelineTimes*>& pipelines) {
  uint64_t dispatches = 0, overlapping = 0, created = 0, optimized = 0;
  for (const PipelineTimes& p : data.pipelines) {
    dispatches += p.dispatches();
    overlapping += p.overlapping();
    created += p.created;
    optimized += p.optimized;
  }
  std::string html = R"(<div class="cards">)";
  html += card(
      "quiet", "How long on the GPU?", escaped(durationText(data.total())),
      fmt::format("in {} of {}.", countOf(dispatches), countText(pipelines.size(), "pipeline")));
  if (!pipelines.empty() && data.total() > 0)
    html += card("quiet", "What costs most?", shareText(pipelines[0]->total(), data.total()),
                 escaped(whichText(*pipelines[0])));
  html += card(overlapping > 0 ? "doubt" : "good", "Can times be added up?",
               overlapping > 0 ? "Not all" : "Yes",
               overlapping > 0
                   ? fmt::format("{} ran at the same time as another.", countOf(overlapping))
                   : "No two dispatches ran at the same time.");
  if (optimized > 0)
    html += card("good", "What ran optimized?", fmt::format("{} of {}", optimized, created),
                 "compute pipelines.");
  return html + "</div>";
}

ReportTable pipelineTable(const RunData& data, const std::vector<const PipelineTimes*>& pipelines) {
  ReportTable table;
  table.title = "Pipelines";
  table.header = {"pipeline", "module",    "dispatches", "total", "median",
                  "share",    "constants", "workgroup",  "source"};
  table.sides = "PLRRRRLRP";
  for (const PipelineTimes* p : pipelines) {
    const std::optional<double> median = p->median();
    table.rows.push_back(
        {{labelOf(*p, true), moduleText(*p), std::to_string(p->dispatches()),
          p->timed() > 0 ? durationText(p->total()) : "-", median ? durationText(*median) : "-",
          p->timed() > 0 ? shareText(p->total(), data.total()) : "-", constantsText(*p),
          p->workgroupSize[0] != 0 ? fmt::format("{}", fmt::join(p->workgroupSize, " x ")) : "",
          p->source},
         ReportTable::Role::Plain});
  }
  table.note = notesOf(data);
  return table;
}

/// Each pipeline by the sizes that it was dispatched with.
ReportTable sizeTable(const std::vector<const PipelineTimes*>& pipelines) {
  ReportTable table;
  table.title = "Dispatch sizes";
  table.header = {"pipeline",    "module", "workgroups", "dispatches",
                  "overlapping", "total",  "median"};
  table.sides = "PLRRRRR";
  for (const PipelineTimes* p : pipelines)
    for (const SizeTimes& size : p->sizes) {
      const std::optional<double> median = medianOf(size);
      table.rows.push_back(
          {{labelOf(*p, true), moduleText(*p),
            size.groups ? fmt::format("{}", fmt::join(*size.groups, " x ")) : "indirect",
            std::to_string(size.dispatches), std::to_string(size.overlapping),
            size.timed > 0 ? durationText(size.total) : "-", median ? durationText(*median) : "-"},
           ReportTable::Role::Plain});
    }
  return table;
}

} // namespace

std::string runAsHtml(const RunData& data, const std::string& command,
                      const std::vector<ReportFact>& facts) {
  const std::vector<const PipelineTimes*> pipelines = data.dispatched();
  ReportEntry entry;
  entry.name = command;
  entry.cards = cardsOf(data, pipelines);
  entry.all = tableSection(pipelineTable(data, pipelines)) + tableSection(sizeTable(pipelines));
  entry.remarks = entry.brief = entry.all;
  entry.device = fmt::format("{}", fmt::join(data.devices, ", "));
  ReportPage page;
  page.command = "run";
  page.title = command;
  page.facts = facts;
  page.entries.push_back(std::move(entry));
  return htmlReport(page);
}

} // namespace lanewise::driver
