#include "tuning/tuning_report.h"

#include "support/files.h"
#include "support/sha256.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace lanewise::driver {

namespace {

constexpr size_t kMostDrawn = 24; // programs of the plot

/// "" where there were too few samples for one.
std::string intervalText(const MedianInterval& ratio) {
  return std::isfinite(ratio.high) ? fmt::format("{:.3f} - {:.3f}", ratio.low, ratio.high) : "";
}

std::string ratioText(const MedianInterval& ratio) {
  const std::string interval = intervalText(ratio);
  return fmt::format("{:.3f}{}", ratio.median, interval.empty() ? "" : " (" + interval + ")");
}

/// By a search that measures nothing.
bool isPredicted(const Tried& one) {
  return one.predicted && one.problem.empty() && one.ratio.median > 0;
}

/// Those that were measured or predicted, the fastest first; the original always stands first.
std::vector<size_t> ranked(const TuneResult& result) {
  std::vector<size_t> all;
  for (size_t n = 0; n < result.tried.size(); ++n)
    if (n == 0 || result.tried[n].isMeasured || isPredicted(result.tried[n])) all.push_back(n);
  std::stable_sort(all.begin() + 1, all.end(), [&](size_t a, size_t b) {
    return result.tried[a].ratio.median < result.tried[b].ratio.median;
  });
  return all;
}

std::string markOf(const TuneResult& result, size_t n) {
  if (result.bestForHost == n) return "chosen where the host follows";
  return n == result.best ? "chosen" : "";
}

/// To the original: by the last measurement where it took part in that.
MedianInterval lastRatio(const TuneResult& result, size_t n) {
  if (n == 0) return {1, 1, 1};
  const MedianInterval last = result.finalRatio(n);
  return last.median > 0 ? last : result.tried[n].ratio;
}

std::string groupsText(const BuiltProgram& program) {
  std::string text;
  for (const ScenarioDispatch& d : program.dispatches)
    if (!d.indirect)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", d.shader, fmt::join(d.groups, "x"));
  return text;
}

/// One sentence.
std::string conclusionOf(const TuneResult& result, const TunedPlace& place) {
  const char* how = place.isPredicted ? "predicted" : "measured";
  if (result.best == 0)
    return fmt::format("nothing that keeps the host as it is was {} to be faster than the "
                       "original, which stays",
                       how);
  return fmt::format("chosen: {}: {} of the original's time, {}",
                     result.tried[result.best].program->candidate.flags(),
                     ratioText(lastRatio(result, result.best)), how);
}

std::string hostConclusionOf(const TuneResult& result) {
  if (!result.bestForHost) return {};
  const BuiltProgram& program = *result.tried[*result.bestForHost].program;
  return fmt::format("where the host follows: {}: {} of the original's time; groups: {}{}",
                     program.candidate.name(), ratioText(lastRatio(result, *result.bestForHost)),
                     groupsText(program),
                     program.layouts.buffers.empty() ? "" : "; buffers by layout.json");
}

TunedChoice choiceOf(const ProgramBuilder& builder, const TuneResult& result,
                     const TunedPlace& place, size_t n, const ScenarioShader& shader) {
  const BuiltProgram& program = *result.tried[n].program;
  const Scenario& scenario = builder.scenario();
  TunedChoice c;
  c.module = hexOf(sha256(bytesOf(builder.inputOf(shader.name))));
  c.output = hexOf(sha256(bytesOf(program.modules.at(shader.name))));
  c.file = shader.path;
  c.shader = shader.name;
  c.shape = place.shape;
  c.device = place.device;
  c.driver = place.driver;
  c.target = place.target;
  c.isPredicted = place.isPredicted;
  c.isForHost = program.isForHost();
  c.passes = program.candidate.passes;
  c.skip = program.candidate.skip;
  c.freezes = program.candidate.freezes;
  const auto own = program.constants.find(shader.name);
  c.constants = own != program.constants.end() ? own->second : shader.specConstants;
  c.subgroupSize = program.subgroupSizeOf(shader.name);
  if (c.isForHost) {
    for (const Tunable& tunable : scenario.tunables) {
      const auto value = program.candidate.values.find(tunable.name);
      c.parameters[tunable.name] = value != program.candidate.values.end()
                                       ? value->second
                                       : scenario.parameters.at(tunable.name);
    }
    for (const ScenarioDispatch& d : program.dispatches)
      if (d.shader == shader.name && !d.indirect) c.groups.push_back(d.groups);
  }
  const MedianInterval ratio = lastRatio(result, n);
  c.ratio = ratio.median;
  c.low = ratio.low;
  c.high = ratio.high;
  return c;
}

/// A row of the table of text.
std::string lineOf(const TuneResult& result, const TunedPlace& place, size_t n) {
  const Tried& one = result.tried[n];
  const MedianInterval ratio = lastRatio(result, n);
  std::string what = one.program->candidate.name();
  if (const std::string mark = markOf(result, n); !mark.empty()) what += "  <- " + mark;
  if (place.isPredicted)
    return fmt::format("{:>6.3f}  {:>9.0f}  {}\n", ratio.median, one.predicted->registers, what);
  return fmt::format("{:>6.3f}  {:<15}  {:>6}  {}\n", ratio.median,
                     n == 0 ? "" : intervalText(ratio), one.samples.size(), what);
}

std::string placeText(const ProgramBuilder& builder, const TunedPlace& place) {
  return fmt::format("{}{} on {}{}", builder.scenario().path,
                     place.shape.empty() ? "" : ", size " + place.shape, place.device,
                     place.driver.empty() ? "" : fmt::format(" ({})", place.driver));
}

} // namespace

TunedChoices choicesOf(const ProgramBuilder& builder, const TuneResult& result,
                       const TunedPlace& place) {
  TunedChoices choices;
  for (const ScenarioShader* shader : builder.used()) {
    choices.push_back(choiceOf(builder, result, place, result.best, *shader));
    if (result.bestForHost)
      choices.push_back(choiceOf(builder, result, place, *result.bestForHost, *shader));
  }
  return choices;
}

std::string whyNothingMeasured(const TuneResult& result) {
  const std::string each =
      result.secondsEach > 0 ? fmt::format(" ({:.2g} s for each)", result.secondsEach) : "";
  return fmt::format("nothing was measured, so that nothing is chosen: the time was up before any "
                     "of {} candidate{} was compared{}; give a larger --budget",
                     result.leftOut, result.leftOut == 1 ? "" : "s", each);
}

std::string resultAsText(const ProgramBuilder& builder, const TuneResult& result,
                         const TunedPlace& place) {
  std::string text = placeText(builder, place) + "\n";
  text += place.isPredicted ? fmt::format("{:>6}  {:>9}  {}\n", "ratio", "registers", "made with")
                            : fmt::format("{:>6}  {:<15}  {:>6}  {}\n", "ratio", "95% interval",
                                          "rounds", "made with");
  for (size_t n : ranked(result)) text += lineOf(result, place, n);
  for (const Tried& one : result.tried)
    if (!one.problem.empty() && !one.isLeftOut)
      text += fmt::format("not measured: {}: {}\n", one.program->candidate.name(), one.problem);
  for (const SiteWorth& site : result.sites)
    text += fmt::format("without {}: {} of the time with it\n", site.site, ratioText(site.ratio));
  text += conclusionOf(result, place) + "\n";
  if (std::string host = hostConclusionOf(result); !host.empty()) text += host + "\n";
  for (const std::string& note : result.notes) text += fmt::format("note: {}\n", note);
  if (place.isCpuDevice)
    text += "note: measured on a CPU device, whose times say nothing of a GPU\n";
  if (place.isPredicted)
    text += "note: predicted by a compiler alone; no device has run it for its time\n";
  return text;
}

namespace {

TimingResult timingOf(const Tried& one, const MedianInterval& ratio) {
  const Spread a = spreadOf(one.originalSamples), b = spreadOf(one.samples);
  return {a.median,
          a.min,
          a.max,
          b.median,
          b.min,
          b.max,
          ratio.median,
          ratio.low,
          ratio.high,
          uint32_t(one.samples.size()),
          one.originalSamples,
          one.samples};
}

/// The programs as the page draws the times of a verification.
VerifyReport drawn(const TuneResult& result, const TunedPlace& place) {
  VerifyReport report;
  report.state = VerifyState::Equal;
  report.device = place.device;
  report.driverInfo = place.driver;
  report.isCpuDevice = place.isCpuDevice;
  report.originalName = "as it is";
  report.timingMethod = "the last race of each";
  report.repetitions = 1;
  std::vector<size_t> order = ranked(result);
  const auto chosen = std::find(order.begin(), order.end(), result.best);
  std::rotate(order.begin(), chosen, chosen + 1); // the page's headline is of the first
  for (size_t n : order) {
    const Tried& one = result.tried[n];
    if (n == 0 || one.samples.empty() || report.variants.size() == kMostDrawn) continue;
    VariantReport row;
    row.name = one.program->candidate.name();
    row.state = VerifyState::Equal;
    row.timing = timingOf(one, lastRatio(result, n));
    if (!report.timing) report.timing = row.timing;
    report.variants.push_back(std::move(row));
  }
  return report;
}

ReportTable candidatesTable(const TuneResult& result) {
  ReportTable table;
  table.title = "Candidates";
  table.isFirst = true;
  table.note = fmt::format("{} others made what one of these had made. Registers and cost are "
                           "a compiler's, where one was asked for the order.",
                           result.same);
  table.header = {"made with", "ratio", "95% interval", "rounds", "cost", "registers", ""};
  const std::optional<Prediction>& original = result.tried[0].predicted;
  const auto row = [&](size_t n) {
    const Tried& one = result.tried[n];
    const MedianInterval ratio = lastRatio(result, n);
    const bool isKnown = n == 0 || one.isMeasured || isPredicted(one);
    const double cost = one.predicted ? one.predicted->cost / (original ? original->cost : 1) : 0;
    return std::vector<std::string>{one.program->candidate.name(),
                                    isKnown ? fmt::format("{:.3f}", ratio.median) : "",
                                    isKnown && n != 0 ? intervalText(ratio) : "",
                                    std::to_string(one.samples.size()),
                                    one.predicted ? fmt::format("{:.4g}", cost) : "",
                                    one.predicted ? fmt::format("{:.0f}", one.predicted->registers)
                                                  : "",
                                    one.problem.empty() ? markOf(result, n) : one.problem};
  };
  for (size_t n : ranked(result)) {
    const bool isChosen = n == result.best || result.bestForHost == n;
    table.rows.push_back({row(n), isChosen ? ReportTable::Role::Good : ReportTable::Role::Plain});
  }
  for (size_t n = 1; n < result.tried.size(); ++n)
    if (!result.tried[n].problem.empty()) table.rows.push_back({row(n), ReportTable::Role::Bad});
  return table;
}

ReportTable sitesTable(const TuneResult& result) {
  ReportTable table;
  table.title = "What single rewrites are worth";
  table.note = "The time without the rewrite over the time with it.";
  table.header = {"without", "ratio", "95% interval"};
  for (const SiteWorth& site : result.sites)
    table.rows.push_back(
        {{site.site, fmt::format("{:.3f}", site.ratio.median), intervalText(site.ratio)},
         site.ratio.low > 1    ? ReportTable::Role::Good
         : site.ratio.high < 1 ? ReportTable::Role::Bad
                               : ReportTable::Role::Plain});
  return table;
}

} // namespace

ReportSubject resultAsSubject(const ProgramBuilder& builder, const TuneResult& result,
                              const TunedPlace& place) {
  ReportSubject subject;
  subject.name = placeText(builder, place);
  subject.isComparison = true;
  subject.keepsOriginal = result.best == 0;
  subject.state = ReportState::Verified;
  subject.note = conclusionOf(result, place);
  if (std::string host = hostConclusionOf(result); !host.empty()) subject.note += "; " + host;
  subject.remarks = result.tried[result.best].program->remarks;
  VerifyReport report = drawn(result, place);
  if (!report.variants.empty()) subject.verification = std::move(report);
  if (place.isPredicted) subject.predictedRatio = lastRatio(result, result.best).median;
  subject.tables.push_back(candidatesTable(result));
  if (!result.sites.empty()) subject.tables.push_back(sitesTable(result));
  return subject;
}

} // namespace lanewise::driver
