#include "report/html/subject_section.h"

#include "report/html/source_listing.h"
#include "report/html/text.h"
#include "report/html/verification_sections.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

// ---- cards ----

bool hasFault(const std::vector<RunFinding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const RunFinding& f) { return f.decides; });
}

std::string interpreterText(const VerifyReport& report) {
  if (!report.interpreter) return {};
  if (!report.interpreter->hasRun) return "Not checked for races.";
  const bool isOwn = std::any_of(report.variants.begin(), report.variants.end(),
                                 [](const VariantReport& v) { return hasFault(v.findings); });
  if (isOwn)
    return "The interpreter found a race or undefined operation that the original does not have.";
  return hasFault(report.findings)
             ? "The interpreter found nothing that the original does not have too."
             : "The interpreter found no race and no undefined operation.";
}

std::string comparedText(const VerifyReport& report) {
  // Of tune, which draws the times of several verifications as one.
  if (report.dispatches == 0) return "Outputs were compared before each was timed.";
  return fmt::format("{} compared after {} dispatch{}.{}", sizeText(report.comparedBytes),
                     groupedDigits(report.dispatches), report.dispatches == 1 ? "" : "es",
                     report.areInputsGenerated ? " Inputs were generated." : "");
}

/// The first wrong element, and how many faults the interpreter found; both stand whole below.
std::string differsCard(const ReportSubject& s, const char* question) {
  if (!s.verification) return card("bad", question, "Not equal", escaped(s.reason));
  std::string more;
  size_t faults = 0;
  const bool isOneOfMany = s.verification->variants.size() > 1;
  for (const VariantReport& variant : s.verification->variants) {
    for (const BufferDifference& d : variant.differences)
      if (more.empty())
        more =
            fmt::format("<b>{}</b>{}: {} of {} elements, the first at {}: <code>{}</code> against "
                        "<code>{}</code>. ",
                        escaped(d.buffer),
                        isOneOfMany ? fmt::format(" of <b>{}</b>", escaped(variant.name)) : "",
                        groupedDigits(d.differing), groupedDigits(d.elements),
                        groupedDigits(d.firstIndex), escaped(d.original), escaped(d.transformed));
    faults += size_t(std::count_if(variant.findings.begin(), variant.findings.end(),
                                   [](const RunFinding& f) { return f.decides; }));
  }
  const bool isWrong = !more.empty();
  if (faults != 0)
    more += fmt::format("The interpreter found {} that the original does not have.",
                        countText(faults, "fault"));
  if (more.empty()) more = escaped(s.reason);
  return card("bad", question, isWrong ? "Outputs differ" : "Not equal", more);
}

std::string equalCard(const ReportSubject& s) {
  const char* question = "Same results?";
  switch (s.state) {
  case ReportState::Done:
    if (s.isUnchanged) return card("good", question, "The same", "The module is unchanged.");
    return card("quiet", question, "Not checked",
                "Give <code>--verify</code> to run both modules and compare.");
  case ReportState::Verified: {
    if (s.predictedRatio)
      return card("good", question, "Verified",
                  "What was chosen was compared with the original on a device that is here, or in "
                  "the interpreter.");
    if (!s.verification) return card("good", question, "Verified", "The module is unchanged.");
    std::string more = comparedText(*s.verification) + " " + interpreterText(*s.verification);
    if (const std::string& hazards = s.verification->hazards; !hazards.empty())
      return card("doubt", question, "Outputs equal, by luck",
                  fmt::format("Not in order: {}. {}", escaped(hazards), more));
    return card("good", question, "Outputs equal", more);
  }
  case ReportState::Unverified:
    return card("doubt", question, "Unverified", escaped(s.reason));
  case ReportState::Unsound:
    return card("doubt", question, "Original unsound", escaped(s.reason));
  case ReportState::Differs:
    return differsCard(s, question);
  case ReportState::Fallback:
    return card("bad", question, "Not optimized", escaped(s.reason));
  case ReportState::Failed:
    break;
  }
  return card("bad", question, "No output", escaped(s.reason));
}

std::string fasterCard(const ReportSubject& s) {
  const char* question = "Faster?";
  const TimingResult* timing = decidingTiming(s);
  if (s.keepsOriginal && (timing || s.predictedRatio))
    return card("quiet", question, "Stays as it is",
                "Nothing that keeps the host as it is was found to be faster.");
  if (!timing && s.predictedRatio)
    return card("quiet", question, "Predicted",
                fmt::format("{:.3f} of the original&#39;s time, says a compiler; no device has "
                            "measured it.",
                            *s.predictedRatio));
  if (!timing)
    return card("quiet", question, "Not timed",
                s.isUnchanged                  ? "The module is unchanged."
                : s.state == ReportState::Done ? "Only verification measures time."
                                               : "Only programs with equal outputs are timed.");
  const VerifyReport& report = *s.verification;
  const char* role = report.isCpuDevice   ? "quiet"
                     : timing->isFaster() ? "good"
                     : timing->isSlower() ? "bad"
                                          : "quiet";
  std::string more =
      report.variants.size() > 1
          ? fmt::format("<b>{}</b>: {:.3f} of the time of {}", escaped(timedVariant(s)->name),
                        timing->ratio, escaped(report.originalName))
          : fmt::format("{:.3f} of the original&#39;s time", timing->ratio);
  if (std::isfinite(timing->ratioHigh))
    more += fmt::format(", 95% interval {:.3f} to {:.3f}", timing->ratioLow, timing->ratioHigh);
  more += fmt::format(": {} to {}.", timeText(timing->originalMedian),
                      timeText(timing->transformedMedian));
  if (report.isCpuDevice) more += " <b>On a CPU: says nothing about GPUs.</b>";
  std::string answer = speedText(*timing);
  answer[0] = answer[0] == 'n' ? 'N' : answer[0];
  return card(role, question, answer, more);
}

/// What stands behind an answer of `verify`.
std::string runCard(const ReportSubject& s) {
  const char* question = "What was run?";
  if (s.predictedRatio)
    return card("quiet", question, "Comparisons", "Times are a compiler&#39;s.");
  if (!s.verification || (s.verification->dispatches == 0 && !decidingTiming(s)))
    return card("quiet", question, "Nothing", "");
  const VerifyReport& report = *s.verification;
  std::string more = countText(report.variants.size() + 1, "program");
  if (report.dispatches == 0) return card("quiet", question, more, ""); // `tune` drew the times
  more += report.areInputsGenerated ? ", on generated inputs." : ", from the scenario.";
  if (const TimingResult* timing = decidingTiming(s))
    more += fmt::format(" {} rounds of timing.", timing->pairs);
  if (report.interpreter && report.interpreter->hasRun)
    more += fmt::format(" Interpreter: {} of {}.", groupedDigits(report.interpreter->workgroups),
                        countText(report.interpreter->allWorkgroups, "workgroup"));
  return card("quiet", question,
              fmt::format("{} dispatch{}", groupedDigits(report.dispatches),
                          report.dispatches == 1 ? "" : "es"),
              more);
}

std::string sizesText(const ReportSubject& s) {
  if (s.bytesBefore == 0 || s.bytesAfter == 0) return {};
  return fmt::format("{} \xE2\x86\x92 {}.", sizeText(s.bytesBefore), sizeText(s.bytesAfter));
}

std::string changedCard(const ReportSubject& s, const RemarkCounts& counts) {
  const char* question = "What changed?";
  if (s.state == ReportState::Failed) return {};
  std::string more;
  if (counts.undone != 0)
    more += fmt::format("{} pass{} undone. ", counts.undone, counts.undone == 1 ? "" : "es");
  if (counts.missed != 0)
    more += fmt::format("{} left alone, with the reason. ", countText(counts.missed, "site"));
  more += sizesText(s);
  if (s.isInputKept)
    return card("doubt", question, "Input kept", "It could not be verified. " + more);
  if (s.isUnchanged) return card("quiet", question, "Nothing", more);
  const uint64_t applied = counts.applied + s.moduleRewrites;
  if (applied == 0)
    return card("quiet", question,
                s.ranSpirvOpt ? "Only spirv-opt&#39;s passes" : "Only canonical passes", more);
  return card("good", question, countText(applied, "rewrite"), more);
}

// ---- figures before and after ----

const std::string* argOf(const Remark& remark, const std::string& name) {
  for (const auto& [key, value] : remark.args)
    if (key == name) return &value;
  return nullptr;
}

std::string bar(const char* role, const std::string& text, double share) {
  return fmt::format(
      R"(<div class="bar"><i class="{}" style="width:{:.1f}%"></i><span>{}</span></div>)", role,
      std::clamp(100 * share, 1.0, 100.0), escaped(text));
}

/// Counts of millions are read in groups, and not to the tenth.
std::string figureText(const std::string& text) {
  const double value = std::atof(text.c_str());
  return value >= 10000 ? groupedDigits(uint64_t(std::llround(value))) : text;
}

struct Figure {
  const char* key; ///< of args, with -before and -after
  const char* name;
};
constexpr Figure kFigures[] = {{"degree", "conflict degree"}, {"fetched", "sectors fetched"}};

std::string figures(const Remarks& remarks) {
  std::string html;
  for (const Remark& r : remarks) {
    if (r.kind != Remark::Kind::Applied) continue;
    for (const Figure& figure : kFigures) {
      const std::string* before = argOf(r, std::string(figure.key) + "-before");
      const std::string* after = argOf(r, std::string(figure.key) + "-after");
      if (!before || !after) continue;
      const double x = std::atof(before->c_str()), y = std::atof(after->c_str());
      const double most = std::max({x, y, 1e-9});
      const std::string *from = argOf(r, "extents-before"), *to = argOf(r, "extents-after");
      html += fmt::format(
          R"(<div class="figure"><div><b>{}</b>{}<br><span class="small">{} before, after</span></div>)"
          "<div>{}{}</div></div>",
          escaped(r.args.front().second),
          from && to ? fmt::format(" <code>{}</code> \xE2\x86\x92 <code>{}</code>", escaped(*from),
                                   escaped(*to))
                     : "",
          figure.name, bar("before", figureText(*before), x / most),
          bar("after", figureText(*after), y / most));
    }
  }
  return html;
}

// ---- remarks ----

std::string undone(const Remarks& remarks) {
  std::string html;
  for (const Remark& r : remarks)
    if (isUndone(r))
      html += fmt::format(R"(<div class="rm warning">{} {} <code class="by">{}:{}</code></div>)",
                          tagOf(MarkKind::Warning), escaped(r.message), escaped(r.pass),
                          escaped(r.name));
  return html;
}

/// `isOpen`: the first one, which is that of the source where there is one.
std::string diffs(const ReportSubject& s, bool isOpen) {
  std::string html;
  for (const ReportDiff& diff : s.diffs) {
    std::string body;
    size_t changed = 0;
    for (size_t at = 0; at < diff.text.size();) {
      const size_t end = std::min(diff.text.find('\n', at), diff.text.size());
      const std::string text = escaped(std::string_view(diff.text).substr(at, end - at));
      const char c = diff.text[at];
      const bool isHead = text.starts_with("--- ") || text.starts_with("+++ ");
      if (!isHead && (c == '+' || c == '-')) ++changed;
      const char* tag = isHead || c == '@' ? "em" : c == '+' ? "ins" : c == '-' ? "del" : nullptr;
      body += tag ? fmt::format("<{}>{}</{}>\n", tag, text, tag) : text + "\n";
      at = end + 1;
    }
    if (diff.linesLeftOut != 0)
      body += fmt::format("<em>{} omitted</em>\n", countText(diff.linesLeftOut, "more line"));
    html +=
        fmt::format(R"(<details class="diff"{}><summary>{} <span class="small">{}</span></summary>)"
                    R"(<pre class="src" tabindex="0">{}</pre></details>)",
                    isOpen && &diff == &s.diffs.front() ? " open" : "", escaped(diff.title),
                    countText(changed + diff.linesLeftOut, "line"), body);
  }
  return html;
}

std::string listing(const ReportSubject& s, Detail detail) {
  std::vector<SourceMark> marks = marksOf(s);
  // Those that were undone stand above.
  size_t n = 0;
  std::erase_if(marks, [&](const SourceMark&) {
    const size_t at = n++;
    return at < s.remarks.size() && isUndone(s.remarks[at]);
  });
  if (marks.empty()) return {};
  return sourceListing(detail == Detail::All ? std::span(s.sources)
                                             : std::span<const ReportSource>(),
                       std::move(marks));
}

} // namespace

RemarkCounts countRemarks(const Remarks& remarks) {
  RemarkCounts counts;
  for (const Remark& r : remarks) {
    if (r.kind == Remark::Kind::Applied) ++counts.applied;
    if (r.kind == Remark::Kind::Missed) counts.missed += r.count;
    if (isUndone(r)) ++counts.undone;
  }
  return counts;
}

bool isUndone(const Remark& remark) {
  if (remark.kind != Remark::Kind::Warning) return false;
  static constexpr std::string_view kNames[] = {"changed-results",
                                                "spirv-opt-changed-results",
                                                "canonical-changed-results",
                                                "not-faster",
                                                "incomplete-program",
                                                "dropped-pass",
                                                "internal-error",
                                                "limit"};
  return std::find(std::begin(kNames), std::end(kNames), remark.name) != std::end(kNames);
}

/// Of several the fastest that was compared; of tune's, the first, which it chose.
const VariantReport* timedVariant(const ReportSubject& subject) {
  if (!subject.verification) return nullptr;
  const VerifyReport& report = *subject.verification;
  const VariantReport* fastest = nullptr;
  for (const VariantReport& variant : report.variants) {
    if (!variant.timing || !variant.isCompared) continue;
    if (!fastest || (report.dispatches != 0 && variant.timing->ratio < fastest->timing->ratio))
      fastest = &variant;
  }
  return fastest;
}

const TimingResult* decidingTiming(const ReportSubject& subject) {
  const VariantReport* variant = timedVariant(subject);
  return variant ? &*variant->timing : nullptr;
}

std::string card(const std::string& role, const std::string& question, const std::string& answer,
                 const std::string& more) {
  const char* sign = role == "good"    ? "\xE2\x9C\x93 "
                     : role == "bad"   ? "! "
                     : role == "doubt" ? "? "
                                       : "";
  return fmt::format(R"(<div class="card {}"><h2>{}</h2><p class="big"><span aria-hidden="true">{})"
                     R"(</span>{}</p><p class="more">{}</p></div>)",
                     role, question, sign, answer, more);
}

std::string tableSection(const ReportTable& table) {
  auto classOf = [&](size_t column) -> std::string_view {
    const char side = column < table.sides.size() ? table.sides[column] : 'L';
    return side == 'R' ? R"( class="num")" : side == 'P' ? R"( class="place")" : "";
  };
  std::string html = R"(<div class="scroll"><table><thead><tr>)";
  for (size_t n = 0; n < table.header.size(); ++n)
    html += fmt::format("<th{}>{}</th>", classOf(n), escaped(table.header[n]));
  html += "</tr></thead><tbody>";
  for (const ReportTable::Row& row : table.rows) {
    const char* role = row.role == ReportTable::Role::Bad    ? " class=\"bad\""
                       : row.role == ReportTable::Role::Good ? " class=\"good\""
                                                             : "";
    html += fmt::format("<tr{}>", role);
    for (size_t n = 0; n < row.cells.size(); ++n)
      html += fmt::format("<td{}>{}</td>", classOf(n), escaped(row.cells[n]));
    html += "</tr>";
  }
  html += "</tbody></table></div>";
  if (!table.note.empty()) html += fmt::format(R"(<p class="small">{}</p>)", escaped(table.note));
  return section(table.title, html);
}

std::string answerCards(const ReportSubject& s) {
  return R"(<div class="cards">)" + equalCard(s) + fasterCard(s) +
         (s.isComparison ? runCard(s) : changedCard(s, countRemarks(s.remarks))) + "</div>";
}

std::string subjectSections(const ReportSubject& s, Detail detail) {
  std::string html;
  if (!s.note.empty()) html += fmt::format(R"(<p class="small">{}</p>)", escaped(s.note));
  html += section("Undone, and why", undone(s.remarks));
  if (detail == Detail::Counts) return html;
  // Who opens the page of a failure looks for the first wrong element and for what was changed.
  const bool isFailure = s.state == ReportState::Differs;
  const std::string compared = s.verification ? outputsSection(*s.verification) : "";
  const std::string changes =
      detail == Detail::All ? section("Code diff", diffs(s, isFailure)) : "";
  if (isFailure) html += compared + changes;
  const auto addTables = [&](bool isFirst) {
    for (const ReportTable& table : s.tables)
      if (table.isFirst == isFirst) html += tableSection(table);
  };
  addTables(true);
  html += section("Before and after", figures(s.remarks));
  html += section(s.sources.empty() ? "Remarks" : "Source and remarks", listing(s, detail));
  if (!isFailure) html += compared;
  if (s.verification) html += verificationSections(*s.verification);
  addTables(false);
  if (!isFailure) html += changes;
  return html;
}

} // namespace lanewise::driver
