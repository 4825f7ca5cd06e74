#include "report/html/verification_sections.h"

#include "report/html/queue_plot.h"
#include "report/html/source_listing.h"
#include "report/html/text.h"
#include "report/html/timing_plot.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {

namespace {

// ---- outputs ----

std::string differenceCell(const BufferDifference& d, const std::string& original,
                           const std::string& transformed) {
  std::string html = fmt::format(
      R"(<span class="bad">! {} of {} differ</span><br>first at {}: <code>{}</code> )"
      R"(against <code>{}</code> ({}))",
      groupedDigits(d.differing), groupedDigits(d.elements), groupedDigits(d.firstIndex),
      escaped(d.original), escaped(d.transformed), escaped(d.detail));
  for (const std::string& line : detailsOf(d, original, transformed))
    html += "<br>" + escaped(line);
  return html;
}

const BufferDifference* differenceOf(const std::vector<BufferDifference>& all,
                                     const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const BufferDifference& d) { return d.buffer == name; });
  return found == all.end() ? nullptr : &*found;
}

/// How a buffer that agrees was compared where the original depends on the order.
std::string orderRuleOf(const VerifyReport& report, const std::string& buffer) {
  for (const OrderDependence& dependence : report.orderDependences)
    if (dependence.buffer == buffer) return describe(dependence);
  return "equal";
}

/// What became of one buffer in one program.
std::string outcomeCell(const VerifyReport& report, const VariantReport& variant,
                        const std::string& buffer) {
  if (const BufferDifference* d = differenceOf(variant.differences, buffer))
    return differenceCell(*d, report.originalName, variant.name);
  if (!variant.isCompared) return "only timed";
  if (variant.state == VerifyState::Equal) return "\xE2\x9C\x93 equal";
  if (variant.state == VerifyState::OrderDependent)
    return fmt::format("\xE2\x9C\x93 {}", orderRuleOf(report, buffer));
  // Differences of one buffer end the comparison of the others only where all are listed.
  if (variant.state == VerifyState::Differs && !variant.differences.empty())
    return "\xE2\x9C\x93 equal";
  return report.state == VerifyState::OriginalUnsound ? "not compared" : "\xE2\x80\x93";
}

/// Whether the reason is a finding that stands at its line of the source.
bool isFindingAtLine(const VariantReport& variant) {
  return std::any_of(variant.findings.begin(), variant.findings.end(), [&](const RunFinding& f) {
    return f.line != 0 && variant.reason.starts_with(f.text);
  });
}

std::string outputs(const VerifyReport& report) {
  std::string html;
  for (const ShortBuffer& one : report.shortBuffers)
    html += fmt::format(R"(<p class="bad">! Out of range: {}</p>)", escaped(describe(one)));
  for (const BufferDifference& d : report.differences)
    if (report.state == VerifyState::OriginalUnsound)
      html += fmt::format("<p><b>{}</b>, the original against itself: {}</p>", escaped(d.buffer),
                          differenceCell(d, report.originalName, "another run of it"));
  for (const OrderDependence& dependence : report.orderDependences)
    html +=
        fmt::format("<p><b>{}</b> depends on the order of invocations, and is {}: {}</p>",
                    escaped(dependence.buffer), describe(dependence), escaped(dependence.example));
  if (report.compared.empty()) return html;
  html += R"(<div class="scroll"><table><thead><tr><th>output</th><th class="num">elements</th>)"
          "<th>type</th><th>compared</th>";
  for (const VariantReport& variant : report.variants)
    html += fmt::format("<th>{}</th>", escaped(variant.name));
  html += "</tr></thead><tbody>";
  for (const ComparedResource& resource : report.compared) {
    html += fmt::format(
        R"(<tr><th>{}{}</th><td class="num">{}</td><td><code>{}</code></td><td>{}</td>)",
        escaped(resource.name), resource.isImage ? " (image)" : "",
        groupedDigits(resource.elements), escaped(resource.type), escaped(resource.rule));
    for (const VariantReport& variant : report.variants)
      html +=
          fmt::format(R"(<td class="res">{}</td>)", outcomeCell(report, variant, resource.name));
    html += "</tr>";
  }
  html += "</tbody></table></div>";
  html += fmt::format(
      R"(<p class="small">{} compared after {}{}.</p>)", sizeText(report.comparedBytes),
      report.dispatches == 1 ? "1 dispatch" : fmt::format("{} dispatches", report.dispatches),
      report.areInputsGenerated ? ", on generated inputs" : "");
  for (const VariantReport& variant : report.variants)
    if (!variant.interfaceDifferences.empty())
      html += fmt::format(
          "<p><b>{}</b>: likely cause: interfaces differ: {}</p>", escaped(variant.name),
          escaped(fmt::format("{}", fmt::join(variant.interfaceDifferences, "; "))));
  for (const VariantReport& variant : report.variants)
    if (!variant.reason.empty() && variant.differences.empty() && !isFindingAtLine(variant))
      html += fmt::format("<p><b>{}</b>: {}</p>", escaped(variant.name), escaped(variant.reason));
  return html;
}

// ---- times ----

std::string timeRow(const std::string& name, double median, double min, double max,
                    const std::string& rest) {
  return fmt::format(R"(<tr><th>{}</th><td class="num">{}</td><td class="num">{}</td>)"
                     R"(<td class="num">{}</td>{}</tr>)",
                     escaped(name), timeText(median), timeText(min), timeText(max), rest);
}

std::string times(const VerifyReport& report) {
  const TimingResult* any = nullptr;
  for (const VariantReport& variant : report.variants)
    if (variant.timing) any = &*variant.timing;
  if (!any) return {};
  std::string html = timingPlots(report);
  html += R"(<div class="scroll"><table><thead><tr><th>program</th><th class="num">median</th>)"
          R"(<th class="num">least</th><th class="num">most</th><th class="num">ratio</th>)"
          "<th>95% interval</th><th></th></tr></thead><tbody>";
  html += timeRow(report.originalName, any->originalMedian, any->originalMin, any->originalMax,
                  "<td></td><td></td><td></td>");
  for (const VariantReport& variant : report.variants) {
    if (!variant.timing) continue;
    const TimingResult& t = *variant.timing;
    const std::string interval = std::isfinite(t.ratioHigh)
                                     ? fmt::format("{:.3f} to {:.3f}", t.ratioLow, t.ratioHigh)
                                     : "too few rounds";
    html += timeRow(variant.name, t.transformedMedian, t.transformedMin, t.transformedMax,
                    fmt::format(R"(<td class="num">{:.3f}</td><td>{}</td><td>{}</td>)", t.ratio,
                                interval, speedText(t)));
  }
  html += "</tbody></table></div>";
  return html +
         fmt::format(R"(<p class="small">{} interleaved rounds, {} in each sample, {}; the )"
                     "ratio is the median of paired ratios to {}.{}</p>",
                     any->pairs, countText(report.repetitions, "run"), escaped(report.timingMethod),
                     escaped(report.originalName),
                     report.isCpuDevice
                         ? " <b>A CPU device: this says nothing about the speed of a GPU.</b>"
                         : "");
}

// ---- interpreter ----

/// Those without a line: the others stand at theirs (source_listing.h).
std::string findings(const std::string& program, const std::vector<RunFinding>& all) {
  std::string html;
  for (bool decides : {true, false})
    for (const RunFinding& f : all)
      if (f.decides == decides && f.line == 0)
        html += markBlock(
            {decides ? MarkKind::Finding : MarkKind::Note, {}, {}, f.text, f.kind, {}, {}, {}}, 1,
            fmt::format("in {}:", escaped(program)), {});
  return html;
}

size_t withLine(const std::vector<RunFinding>& all) {
  return size_t(
      std::count_if(all.begin(), all.end(), [](const RunFinding& f) { return f.line != 0; }));
}

std::string howMuch(const InterpreterReport& seen) {
  std::string text = fmt::format("{} of {}", groupedDigits(seen.workgroups),
                                 countText(seen.allWorkgroups, "workgroup"));
  if (seen.allRepeats > 1) text += fmt::format(", {} of {} repeats", seen.repeats, seen.allRepeats);
  if (seen.inputSets < seen.allInputSets)
    text += fmt::format(", {} of {} inputs", seen.inputSets, seen.allInputSets);
  return text + fmt::format("; invocations in {} order; subgroups of {}",
                            fmt::join(seen.orders, ", "), seen.subgroupSize);
}

// Each by its name takes half a screen, which few read.
std::string rounds(const RoundsReport& tried) {
  std::string html = fmt::format(
      R"(<details class="inputs"><summary>Further inputs: {} tried</summary><p>{})",
      tried.sound.empty() ? "none" : groupedDigits(tried.sound.size()),
      tried.sound.empty() ? "None" : escaped(fmt::format("{}", fmt::join(tried.sound, "; "))));
  if (tried.unsound != 0)
    html += fmt::format("; {} more left out, with which the original itself leaves its buffers, "
                        "races or takes long",
                        tried.unsound);
  if (!tried.firstFault.empty()) html += fmt::format(" ({})", escaped(tried.firstFault));
  if (!tried.dropped.empty())
    html += fmt::format("; skipped as too expensive: {}",
                        escaped(fmt::format("{}", fmt::join(tried.dropped, "; "))));
  return html + ".</p></details>";
}

std::string interpreterSection(const VerifyReport& report) {
  std::string html;
  if (report.interpreter) {
    const InterpreterReport& seen = *report.interpreter;
    if (!seen.hasRun)
      html += fmt::format("<p>Not run, so not checked for races and undefined operations: {}.</p>",
                          escaped(seen.reason));
    else
      html += fmt::format("<p>Ran {}.</p>", escaped(howMuch(seen)));
  }
  if (report.rounds) html += rounds(*report.rounds);
  std::string found = findings(report.originalName, report.findings);
  size_t all = report.findings.size(), atLines = withLine(report.findings);
  for (const VariantReport& variant : report.variants) {
    found += findings(variant.name, variant.findings);
    all += variant.findings.size();
    atLines += withLine(variant.findings);
  }
  if (atLines != 0)
    html += fmt::format("<p>{}, {} of them at {} above.</p>", countText(all, "finding"), atLines,
                        atLines == 1 ? "its line" : "their lines");
  if (!report.findings.empty())
    html += R"(<p class="small">Faults of the original are ignored in the other programs.</p>)";
  if (all == 0 && report.interpreter && report.interpreter->hasRun)
    html += "<p>\xE2\x9C\x93 No race, out-of-range access, uninitialized read or other undefined "
            "operation seen.</p>";
  return html + found;
}

// ---- coverage ----

std::string coverageRow(const std::string& program, const ShaderCoverage& seen) {
  std::string left = "\xE2\x9C\x93 fully exercised";
  if (!seen.isComplete()) left = escaped(describe(Coverage{{seen}})[0]);
  return fmt::format(R"(<tr><th>{}</th><td>{}</td><td class="num">{}</td>)"
                     R"(<td class="num">{}</td><td>{}</td></tr>)",
                     escaped(program), escaped(seen.shader), seen.ran, seen.blocks, left);
}

std::string coverage(const VerifyReport& report) {
  if (!report.coverage) return {};
  std::string html = R"(<div class="scroll"><table><thead><tr><th>program</th><th>shader</th>)"
                     R"(<th class="num">blocks run</th><th class="num">of</th>)"
                     "<th>not exercised</th></tr></thead><tbody>";
  for (const ShaderCoverage& seen : report.coverage->shaders)
    html += coverageRow(report.originalName, seen);
  for (const VariantReport& variant : report.variants)
    if (variant.coverage)
      for (const ShaderCoverage& seen : variant.coverage->shaders)
        html += coverageRow(variant.name, seen);
  return html + R"(</tbody></table></div><p class="small">Counted by the interpreter over all )"
                "inputs with which the original is sound. Equal outputs say nothing about code "
                "that no input reaches.</p>";
}

// ---- statistics ----

const std::string* valueOf(const std::map<std::string, PipelineStatistics>& all,
                           const std::string& shader, const std::string& name) {
  const auto statistics = all.find(shader);
  if (statistics == all.end()) return nullptr;
  for (const auto& [key, value] : statistics->second)
    if (key == name) return &value;
  return nullptr;
}

std::string statistics(const VerifyReport& report) {
  bool isAny = !report.originalStatistics.empty();
  for (const VariantReport& variant : report.variants) isAny = isAny || !variant.statistics.empty();
  if (!isAny) return {};
  std::string html = R"(<div class="scroll"><table><thead><tr><th>shader</th><th>figure</th>)";
  html += fmt::format(R"(<th class="num">{}</th>)", escaped(report.originalName));
  for (const VariantReport& variant : report.variants)
    html += fmt::format(R"(<th class="num">{}</th>)", escaped(variant.name));
  html += "</tr></thead><tbody>";
  std::vector<std::pair<std::string, std::string>> rows; // in the driver's order
  auto collect = [&](const std::map<std::string, PipelineStatistics>& all) {
    for (const auto& [shader, figures] : all)
      for (const auto& [name, value] : figures)
        if (std::find(rows.begin(), rows.end(), std::pair(shader, name)) == rows.end())
          rows.push_back({shader, name});
  };
  collect(report.originalStatistics);
  for (const VariantReport& variant : report.variants) collect(variant.statistics);
  for (const auto& [shader, name] : rows) {
    const std::string* before = valueOf(report.originalStatistics, shader, name);
    html += fmt::format(R"(<tr><th>{}</th><td>{}</td><td class="num">{}</td>)", escaped(shader),
                        escaped(name), before ? escaped(*before) : "");
    for (const VariantReport& variant : report.variants) {
      const std::string* now = valueOf(variant.statistics, shader, name);
      const bool isOther = now && before && *now != *before;
      html += fmt::format(R"(<td class="num{}">{}</td>)", isOther ? " other" : "",
                          now ? escaped(*now) : "");
    }
    html += "</tr>";
  }
  return html + "</tbody></table></div>";
}

std::string notes(const VerifyReport& report) {
  std::string html;
  for (const std::string& error : report.validationErrors)
    html += fmt::format(R"(<li class="bad">! Validation layer: {}</li>)", escaped(error));
  for (const std::string& note : report.notes) html += fmt::format("<li>{}</li>", escaped(note));
  return html.empty() ? html : "<ul>" + html + "</ul>";
}

} // namespace

std::string speedText(const TimingResult& timing) {
  if (!(timing.isFaster() || timing.isSlower()) || !(timing.ratio > 0)) return "no difference";
  return timing.isFaster() ? fmt::format("{}\xC3\x97 as fast", shortNumber(1 / timing.ratio))
                           : fmt::format("{}\xC3\x97 the time", shortNumber(timing.ratio));
}

std::string outputsSection(const VerifyReport& report) {
  return section("Outputs compared", outputs(report));
}

std::string verificationSections(const VerifyReport& report) {
  return section("Times", times(report)) +
         section("Queues", report.queues ? queuePlot(*report.queues) : std::string()) +
         section("Interpreter", interpreterSection(report)) +
         section("Coverage", coverage(report)) +
         section("Pipeline statistics", statistics(report)) + section("Notes", notes(report));
}

} // namespace lanewise::driver
