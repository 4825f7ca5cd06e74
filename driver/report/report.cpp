#include "report/report.h"

#include "report/queue_report.h"
#include "verify/compare/run_findings.h"
#include "verify/compare/timing_statistics.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace lanewise::driver {
namespace {

using nlohmann::ordered_json;

const char* stateName(VerifyState state) {
  switch (state) {
  case VerifyState::Equal:
    return "equal";
  case VerifyState::Differs:
    return "differs";
  case VerifyState::OrderDependent:
    return "order-dependent";
  case VerifyState::OriginalUnsound:
    return "original-unsound";
  case VerifyState::NotRun:
    return "unverified";
  }
  return "unverified";
}

std::string bytesText(uint64_t bytes) {
  if (bytes < 10 * 1024) return fmt::format("{} bytes", bytes);
  if (bytes < 10 * 1024 * 1024) return fmt::format("{:.1f} KiB", double(bytes) / 1024);
  return fmt::format("{:.1f} MiB", double(bytes) / (1024 * 1024));
}

std::string verdictOf(const VariantReport& variant) {
  std::vector<std::string> parts;
  if (variant.state != VerifyState::Equal) parts.push_back(stateName(variant.state));
  if (variant.timing) {
    const TimingResult& timing = *variant.timing;
    parts.push_back(timing.isFaster() ? "faster" : timing.isSlower() ? "slower" : "no difference");
  }
  if (!variant.isCompared) parts.push_back("only timed");
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool isPlainlyEqual(const VariantReport& variant) {
  return variant.isCompared && variant.state == VerifyState::Equal;
}

// Whether a program is wrong for what it does, whatever it wrote.
bool isDecidedByFinding(const VerifyReport& report) {
  return std::any_of(report.variants.begin(), report.variants.end(),
                     [](const VariantReport& variant) { return variant.isDecidedByFinding; });
}

std::string extentText(const VerifyReport& report) {
  return fmt::format("{} compared after {} dispatch{}", bytesText(report.comparedBytes),
                     report.dispatches, report.dispatches == 1 ? "" : "es");
}

// Of the program that the report's differences are of.
std::string_view nameOfDiffering(const VerifyReport& report) {
  const VariantReport* named = nullptr;
  for (const VariantReport& variant : report.variants)
    if (!variant.differences.empty() && (!named || named->state != VerifyState::Differs))
      named = &variant;
  return named ? std::string_view(named->name) : "transformed";
}

// What equal outputs leave open.
std::string reservations(const VerifyReport& report) {
  std::string text;
  uint32_t blocks = 0, notRun = 0;
  if (report.coverage)
    for (const ShaderCoverage& shader : report.coverage->shaders)
      blocks += shader.blocks, notRun += shader.blocks - shader.ran;
  if (notRun != 0) text += fmt::format("; {} of {} blocks never ran", notRun, blocks);
  const auto faults = std::ranges::count_if(report.findings, &RunFinding::decides);
  if (faults != 0)
    text += fmt::format("; {} itself has {} fault{}", report.originalName, faults,
                        faults == 1 ? "" : "s");
  return text;
}

std::string stateLine(const VerifyReport& report) {
  switch (report.state) {
  case VerifyState::Equal:
    return "outputs equal: " + extentText(report) + reservations(report);
  case VerifyState::OrderDependent:
    return report.comparedBytes == 0
               ? "order-dependent: all outputs depend on invocation order; none could be compared"
               : "order-dependent: outputs agree where they do not depend on invocation order: " +
                     extentText(report);
  case VerifyState::Differs:
    return fmt::format("{}: {}", isDecidedByFinding(report) ? "not equal" : "outputs differ",
                       report.reason);
  case VerifyState::OriginalUnsound:
    return fmt::format("original unsound: {}", report.reason);
  case VerifyState::NotRun:
    break;
  }
  return fmt::format("unverified: {}", report.reason);
}

// The fastest program that is only timed: a bound to measure the others against, such as a copy of
// the same bytes.
const VariantReport* boundOf(const VerifyReport& report) {
  const VariantReport* bound = nullptr;
  for (const VariantReport& variant : report.variants)
    if (!variant.isCompared && variant.timing &&
        (!bound || variant.timing->transformedMedian < bound->timing->transformedMedian))
      bound = &variant;
  return bound;
}

// Speed as a fraction of the bound's; nothing without one.
std::optional<double> fractionOfBound(const VariantReport* bound, double median) {
  if (!bound || !(median > 0)) return std::nullopt;
  return bound->timing->transformedMedian / median;
}

std::string ratioText(const TimingResult& timing) {
  std::string interval = std::isfinite(timing.ratioHigh)
                             ? fmt::format("[{:.3f}, {:.3f}]", timing.ratioLow, timing.ratioHigh)
                             : "too few rounds";
  return fmt::format("{:>7.3f}  {:<16}", timing.ratio, interval);
}

// A row of the table: name, times, then the ratio to the original where there is one.
std::string timedRow(const std::string& name, size_t width, const Spread& times,
                     std::optional<double> ofBound, const std::string& rest) {
  std::string bound = ofBound ? fmt::format("  {:>7.1f}%", 100 * *ofBound) : "";
  std::string row = fmt::format("  {:<{}}  {:>11.2f}  {:>11.2f}  {:>11.2f}{}  {}", name, width,
                                times.median, times.min, times.max, bound, rest);
  return row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
}

std::string table(const VerifyReport& report) {
  size_t width = std::max<size_t>(report.originalName.size(), 8);
  const TimingResult* any = nullptr;
  for (const VariantReport& variant : report.variants) {
    width = std::max(width, variant.name.size());
    if (variant.timing) any = &*variant.timing;
  }
  // One program that was not timed adds nothing to the line above.
  if (!any && report.variants.size() < 2) return {};
  std::string text;
  if (!any) {
    for (const VariantReport& variant : report.variants)
      text += fmt::format("  {:<{}}  {}\n", variant.name, width,
                          isPlainlyEqual(variant) ? "equal" : verdictOf(variant));
    return text;
  }
  const VariantReport* bound = boundOf(report);
  text =
      fmt::format("  {:<{}}  {:>11}  {:>11}  {:>11}{}  {:>7}  {}\n", "program", width, "median us",
                  "min us", "max us", bound ? "  of bound" : "", "ratio", "95% interval");
  text += timedRow(report.originalName, width,
                   {any->originalMedian, any->originalMin, any->originalMax},
                   fractionOfBound(bound, any->originalMedian), "");
  for (const VariantReport& variant : report.variants) {
    if (variant.timing) {
      const TimingResult& t = *variant.timing;
      text +=
          timedRow(variant.name, width, {t.transformedMedian, t.transformedMin, t.transformedMax},
                   fractionOfBound(bound, t.transformedMedian),
                   fmt::format("{}  {}", ratioText(t), verdictOf(variant)));
    } else {
      text += fmt::format("  {:<{}}  {}\n", variant.name, width, verdictOf(variant));
    }
  }
  text += fmt::format("  {} interleaved rounds, {} per sample, {}; ratio: median of paired ratios "
                      "to {}\n",
                      any->pairs, report.repetitions, report.timingMethod, report.originalName);
  if (bound)
    text += fmt::format("  of bound: speed as a fraction of '{}', the fastest that is only timed\n",
                        bound->name);
  if (report.isCpuDevice) text += "  CPU device: says nothing about GPU speed\n";
  return text;
}

std::string queuesText(const VerifyReport& report) {
  std::string text;
  if (report.queues)
    for (const std::string& line : linesOf(*report.queues)) text += "  " + line + "\n";
  return text;
}

// Whether a statistic tells of resources that limit occupancy; the JSON has all of them. (NVIDIA's
// "Local Memory Size" is that of the whole device.)
bool isTelling(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  for (const char* word : {"register", "spill", "shared", "stack", "scratch", "lds", "gpr"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

void appendStatistics(std::string& text, const std::string& program,
                      const std::map<std::string, PipelineStatistics>& byShader) {
  for (const auto& [shader, statistics] : byShader) {
    std::string line;
    for (const auto& [name, value] : statistics)
      if (isTelling(name)) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", name, value);
    if (!line.empty()) text += fmt::format("  {} `{}`: {}\n", program, shader, line);
  }
}

// Where the source can be shown.
struct SourceView {
  SourceTexts* texts = nullptr;
  uint32_t columns = 0;
};

// The places of a finding, a note each; none that cannot be shown, since its text names them.
std::string findingNotes(const RunFinding& finding, const SourceView& source) {
  if (!source.texts) return {};
  auto note = [&](const std::string& file, uint32_t line, std::string_view subject,
                  std::string_view what) {
    const std::string quote = source.texts->quote({file, line, 0}, subject, source.columns);
    return quote.empty() ? quote : fmt::format("{}:{}: note: {}\n{}", file, line, what, quote);
  };
  if (!hasOtherPlace(finding))
    return note(finding.file, finding.line, finding.variable,
                isRace(finding) && finding.otherLine != 0 ? "both accesses are here"
                                                          : "it happens here");
  return note(finding.file, finding.line, variableHere(finding),
              isRace(finding) ? "one access is here" : "it happens here") +
         note(finding.otherFile, finding.otherLine, finding.variable, otherPlaceText(finding));
}

// Those that decide first; the JSON has all of them.
std::string findingLines(const std::string& program, const std::vector<RunFinding>& findings,
                         const SourceView& source) {
  constexpr size_t kMost = 5;
  std::vector<const RunFinding*> order;
  size_t byTheLetter = 0;
  for (bool decides : {true, false})
    for (const RunFinding& finding : findings)
      if (finding.decides != decides)
        continue;
      else if (!decides && isByTheLetter(finding))
        ++byTheLetter;
      else
        order.push_back(&finding);
  std::string text;
  for (size_t n = 0; n < std::min(kMost, order.size()); ++n)
    text += fmt::format("finding in {}: {}\n{}", program, order[n]->text,
                        findingNotes(*order[n], source));
  if (order.size() > kMost)
    text += fmt::format("  and {} more in {} (--json lists them)\n", order.size() - kMost, program);
  if (byTheLetter > 0)
    text += fmt::format("note: {} synchronizes {} pair{} of accesses more weakly than the memory "
                        "model requires, as many programs do (--json lists them)\n",
                        program, byTheLetter, byTheLetter == 1 ? "" : "s");
  return text;
}

bool hasFault(const std::vector<RunFinding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const RunFinding& finding) { return finding.decides; });
}

// How much the interpreter ran, and what came of it for those beside the original.
std::string interpreterLine(const VerifyReport& report) {
  if (!report.interpreter) return {};
  const InterpreterReport& seen = *report.interpreter;
  if (!seen.hasRun)
    return fmt::format(
        "interpreter: not run, so not checked for races and undefined operations: {}\n",
        seen.reason);
  std::string how = fmt::format("{} of {} workgroup{}", seen.workgroups, seen.allWorkgroups,
                                seen.allWorkgroups == 1 ? "" : "s");
  if (seen.allRepeats > 1) how += fmt::format(", {} of {} repeats", seen.repeats, seen.allRepeats);
  if (seen.inputSets < seen.allInputSets)
    how += fmt::format(", {} of {} inputs", seen.inputSets, seen.allInputSets);
  how += fmt::format(", invocations in {} order, subgroups of {}", fmt::join(seen.orders, "/"),
                     seen.subgroupSize);
  bool isOwn = std::any_of(report.variants.begin(), report.variants.end(),
                           [](const VariantReport& v) { return hasFault(v.findings); });
  std::string text =
      fmt::format("interpreter: {} ({})\n",
                  isOwn ? "a race or undefined operation that the original does not have"
                        : "no race and no undefined operation that the original does not have",
                  how);
  if (hasFault(report.findings))
    text += fmt::format(
        "note: {} has faults of its own, which are ignored{}:\n", report.originalName,
        report.areInputsGenerated ? " (its inputs are generated, which may be why)" : "");
  return text;
}

// What else was tried than the inputs of the lines above.
std::string roundsLine(const VerifyReport& report) {
  if (!report.rounds) return {};
  const RoundsReport& rounds = *report.rounds;
  std::string text = fmt::format("further inputs: {} tried", rounds.sound.size());
  if (rounds.unsound != 0)
    text += fmt::format(
        ", {} left out, with which the original itself leaves its buffers, races or takes long",
        rounds.unsound);
  if (!rounds.firstFault.empty()) text += fmt::format(" (first {})", rounds.firstFault);
  if (!rounds.dropped.empty())
    text += fmt::format(", {} skipped as too expensive (from '{}' on)", rounds.dropped.size(),
                        rounds.dropped[0]);
  return text + "\n";
}

// What of the code neither these inputs nor further ones have reached.
std::string coverageLines(const VerifyReport& report) {
  if (!report.coverage) return {};
  std::string text;
  for (const std::string& line : describe(*report.coverage))
    text += fmt::format("not exercised: {}\n", line);
  for (const VariantReport& variant : report.variants)
    if (variant.coverage)
      for (const std::string& line : describeBeyond(*report.coverage, *variant.coverage))
        text += fmt::format("not exercised in {}: {}\n", variant.name, line);
  return text;
}

ordered_json toJson(const RoundsReport& rounds) {
  ordered_json json{
      {"sound", rounds.sound}, {"unsound", rounds.unsound}, {"dropped", rounds.dropped}};
  if (!rounds.firstFault.empty()) json["first-fault"] = rounds.firstFault;
  return json;
}

ordered_json toJson(const ElementWriter& writer) {
  ordered_json json{{"shader", writer.shader}, {"opcode", writer.opcode}};
  if (writer.id != 0) json["id"] = writer.id;
  if (writer.source.line != 0) json["file"] = writer.source.file, json["line"] = writer.source.line;
  if (writer.source.column != 0) json["column"] = writer.source.column;
  json["workgroup"] = writer.workgroup;
  json["invocation"] = writer.invocation;
  json["elements"] = writer.elements;
  return json;
}

// Null: nobody wrote it.
ordered_json toJson(const ElementWriters& writers) {
  ordered_json json{{"first", nullptr}};
  if (writers.first) json["first"] = toJson(*writers.first);
  for (const ElementWriter& other : writers.others) json["others"].push_back(toJson(other));
  return json;
}

ordered_json toJson(const OneWayBranch& branch) {
  ordered_json json{{"block", branch.block}};
  if (branch.line != 0) json["file"] = branch.file, json["line"] = branch.line;
  if (!branch.always.empty()) json["always"] = branch.always == "true";
  if (!branch.never.empty()) json["never"] = branch.never;
  if (!branch.constant.empty()) json["decided-by"] = branch.constant;
  return json;
}

ordered_json toJson(const ShaderCoverage& seen) {
  ordered_json json{{"shader", seen.shader},
                    {"blocks", seen.blocks},
                    {"exercised-blocks", seen.ran},
                    {"not-exercised", seen.notRun}};
  json["not-exercised-lines"] = ordered_json::array();
  for (const LineRange& range : seen.notRunLines)
    json["not-exercised-lines"].push_back(
        {{"file", range.file}, {"first", range.first}, {"last", range.last}});
  json["one-way"] = ordered_json::array();
  for (const OneWayBranch& branch : seen.oneWay) json["one-way"].push_back(toJson(branch));
  return json;
}

// By shader; null where the interpreter has not run.
ordered_json toJson(const std::optional<Coverage>& coverage) {
  if (!coverage) return nullptr;
  ordered_json json = ordered_json::array();
  for (const ShaderCoverage& seen : coverage->shaders) json.push_back(toJson(seen));
  return json;
}

ordered_json toJson(const BufferDifference& difference) {
  ordered_json json{{"buffer", difference.buffer},       {"elements", difference.elements},
                    {"differing", difference.differing}, {"first-index", difference.firstIndex},
                    {"original", difference.original},   {"transformed", difference.transformed},
                    {"detail", difference.detail}};
  if (std::string pattern = patternOf(difference); !pattern.empty()) json["pattern"] = pattern;
  if (difference.originalWriters && difference.transformedWriters)
    json["written-by"] = {{"original", toJson(*difference.originalWriters)},
                          {"transformed", toJson(*difference.transformedWriters)}};
  if (!difference.writersUnknown.empty()) json["writers-unknown"] = difference.writersUnknown;
  return json;
}

ordered_json toJson(const ShortBuffer& one) {
  ordered_json json{{"buffer", one.buffer},
                    {"count", one.count},
                    {"element", one.element},
                    {"access", one.isWrite ? "write" : "read"}};
  if (one.leastCount) json["least-count"] = *one.leastCount;
  if (one.finding.line != 0) json["file"] = one.finding.file, json["line"] = one.finding.line;
  json["text"] = describe(one);
  return json;
}

ordered_json toJson(const ComparedResource& compared) {
  return {{"name", compared.name},   {"kind", compared.isImage ? "image" : "buffer"},
          {"type", compared.type},   {"elements", compared.elements},
          {"bytes", compared.bytes}, {"rule", compared.rule}};
}

ordered_json toJson(const RunFinding& finding) {
  ordered_json json{{"kind", finding.kind}, {"shader", finding.shader}, {"text", finding.text}};
  if (!finding.variable.empty()) json["variable"] = finding.variable;
  if (finding.line != 0) json["file"] = finding.file, json["line"] = finding.line;
  if (finding.otherLine != 0)
    json["other-file"] = finding.otherFile, json["other-line"] = finding.otherLine;
  json["decides"] = finding.decides;
  return json;
}

ordered_json toJson(const InterpreterReport& seen) {
  ordered_json json{{"ran", seen.hasRun}};
  if (!seen.reason.empty()) json["reason"] = seen.reason;
  if (!seen.hasRun) return json;
  json["workgroups"] = seen.workgroups;
  json["of-workgroups"] = seen.allWorkgroups;
  json["repetitions"] = seen.repeats;
  json["of-repetitions"] = seen.allRepeats;
  json["input-sets"] = seen.inputSets;
  json["of-input-sets"] = seen.allInputSets;
  json["orders"] = seen.orders;
  json["subgroup-size"] = seen.subgroupSize;
  json["instructions"] = seen.instructions;
  json["compares-outputs"] = seen.comparesOutputs();
  return json;
}

ordered_json toJson(const OrderDependence& dependence) {
  return {{"name", dependence.buffer},
          {"compared", describe(dependence)},
          {"example", dependence.example}};
}

ordered_json spreadJson(double median, double min, double max) {
  return {{"median-us", median}, {"min-us", min}, {"max-us", max}};
}

ordered_json statisticsJson(const std::map<std::string, PipelineStatistics>& byShader) {
  ordered_json json = ordered_json::object();
  for (const auto& [shader, statistics] : byShader)
    for (const auto& [name, value] : statistics) json[shader][name] = value;
  return json;
}

ordered_json toJson(const VariantReport& variant, const VariantReport* bound) {
  ordered_json json{{"name", variant.name},
                    {"compared", variant.isCompared},
                    {"state", stateName(variant.state)}};
  if (!variant.reason.empty()) json["reason"] = variant.reason;
  for (const BufferDifference& difference : variant.differences)
    json["differences"].push_back(toJson(difference));
  for (const RunFinding& finding : variant.findings) json["findings"].push_back(toJson(finding));
  if (!variant.interfaceDifferences.empty())
    json["interface-differences"] = variant.interfaceDifferences;
  if (variant.isCompared) json["coverage"] = toJson(variant.coverage);
  if (variant.timing) {
    const TimingResult& timing = *variant.timing;
    json["timing"] =
        spreadJson(timing.transformedMedian, timing.transformedMin, timing.transformedMax);
    json["timing"]["ratio"] = timing.ratio;
    json["timing"]["ratio-low"] = timing.ratioLow;
    // An unbounded interval becomes null: JSON has no infinity.
    json["timing"]["ratio-high"] = timing.ratioHigh;
    json["timing"]["rounds"] = timing.pairs;
    json["timing"]["samples-us"] = timing.transformedSamples;
    if (auto fraction = fractionOfBound(bound, timing.transformedMedian))
      json["timing"]["of-bound"] = *fraction;
  }
  if (!variant.statistics.empty()) json["statistics"] = statisticsJson(variant.statistics);
  return json;
}

} // namespace

namespace {

// The first difference stands in the first line, unless a finding does.
std::string differenceLines(const VerifyReport& report) {
  std::string text;
  const std::string_view other = nameOfDiffering(report);
  for (size_t i = 0; i < report.differences.size(); ++i) {
    const bool isTold = i == 0 && !isDecidedByFinding(report);
    if (!isTold) text += fmt::format("  also {}\n", describe(report.differences[i]));
    for (const std::string& line : detailsOf(report.differences[i], report.originalName, other))
      text += fmt::format("  {}{}\n", isTold ? "" : "  ", line);
  }
  return text;
}

} // namespace

std::string formatReport(const VerifyReport& report, SourceTexts* texts, uint32_t columns) {
  const SourceView source{texts, columns};
  std::string text;
  for (const ShortBuffer& one : report.shortBuffers)
    text += fmt::format("out of range: {}\n", describe(one));
  text += stateLine(report) + "\n";
  if (!report.hazards.empty()) text += fmt::format("not in order: {}\n", report.hazards);
  text += differenceLines(report);
  for (const OrderDependence& dependence : report.orderDependences)
    text += fmt::format("  `{}`: {} ({})\n", dependence.buffer, describe(dependence),
                        dependence.example);
  for (const VariantReport& variant : report.variants)
    if (!variant.interfaceDifferences.empty())
      text += fmt::format("likely cause: interfaces differ: {}\n",
                          fmt::join(variant.interfaceDifferences, "; "));
  if (!report.device.empty())
    text += fmt::format("device: {} ({})\n", report.device, report.driverInfo);
  text += table(report);
  text += queuesText(report);
  appendStatistics(text, report.originalName, report.originalStatistics);
  for (const VariantReport& variant : report.variants)
    appendStatistics(text, variant.name, variant.statistics);
  for (const VariantReport& variant : report.variants)
    if (report.variants.size() > 1 && !variant.reason.empty())
      text += fmt::format("  {}: {}\n", variant.name, variant.reason);
  text += interpreterLine(report);
  text += roundsLine(report);
  text += coverageLines(report);
  text += findingLines(report.originalName, report.findings, source);
  for (const VariantReport& variant : report.variants)
    text += findingLines(variant.name, variant.findings, source);
  for (const std::string& error : report.validationErrors)
    text += fmt::format("validation: {}\n", error);
  for (const std::string& note : report.notes) text += fmt::format("note: {}\n", note);
  return text;
}

namespace {

ordered_json reportAsJson(const VerifyReport& report) {
  ordered_json json{{"state", stateName(report.state)}};
  if (!report.reason.empty()) json["reason"] = report.reason;
  json["device"] = report.device;
  json["driver"] = report.driverInfo;
  json["cpu-device"] = report.isCpuDevice;
  if (report.interpreter) json["interpreter"] = toJson(*report.interpreter);
  if (report.rounds) json["further-inputs"] = toJson(*report.rounds);
  for (const ShortBuffer& one : report.shortBuffers) json["short-buffers"].push_back(toJson(one));
  json["compared-bytes"] = report.comparedBytes;
  for (const ComparedResource& compared : report.compared)
    json["compared"].push_back(toJson(compared));
  for (const OrderDependence& dependence : report.orderDependences)
    json["order-dependent"].push_back(toJson(dependence));
  json["dispatches"] = report.dispatches;
  for (const BufferDifference& difference : report.differences)
    json["differences"].push_back(toJson(difference));
  const VariantReport* bound = boundOf(report);
  if (bound) json["bound"] = bound->name;
  ordered_json original{{"name", report.originalName}};
  for (const RunFinding& finding : report.findings) original["findings"].push_back(toJson(finding));
  original["coverage"] = toJson(report.coverage);
  for (const VariantReport& variant : report.variants)
    if (variant.timing) {
      original["timing"] = spreadJson(variant.timing->originalMedian, variant.timing->originalMin,
                                      variant.timing->originalMax);
      original["timing"]["samples-us"] = variant.timing->originalSamples;
      if (auto fraction = fractionOfBound(bound, variant.timing->originalMedian))
        original["timing"]["of-bound"] = *fraction;
      json["timing-method"] = report.timingMethod;
      json["repetitions-per-sample"] = report.repetitions;
      break;
    }
  if (!report.originalStatistics.empty())
    original["statistics"] = statisticsJson(report.originalStatistics);
  json["original"] = std::move(original);
  if (report.queues) json["queues"] = toJson(*report.queues);
  if (!report.hazards.empty()) json["hazards"] = report.hazards;
  json["variants"] = ordered_json::array();
  for (const VariantReport& variant : report.variants)
    json["variants"].push_back(toJson(variant, bound));
  if (!report.validationErrors.empty()) json["validation-errors"] = report.validationErrors;
  if (!report.notes.empty()) json["notes"] = report.notes;
  return json;
}

} // namespace

// Names of files may be any bytes; JSON is UTF-8.

std::string reportToJson(const VerifyReport& report) {
  return reportAsJson(report).dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string verificationAsJson(const std::string& input, std::string_view state,
                               const std::string& reason, const VerifyReport* report) {
  ordered_json json{{"kind", "verification"}, {"input", input}, {"state", state}};
  if (!reason.empty()) json["reason"] = reason;
  if (report) json["report"] = reportAsJson(*report);
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace lanewise::driver
