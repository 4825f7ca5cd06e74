#include "html/report.h"

#include "html/subject_section.h"
#include "html/text.h"
#include "html/verification_sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string_view>

namespace lanewise::driver {

namespace {

constexpr std::string_view kStyle =
#include "page_style.inc"
    ;
constexpr std::string_view kScript =
#include "page_script.inc"
    ;

// A page of some ten MiB still opens in a second or two on a phone.
constexpr size_t kListingBudget = size_t(5) << 20; ///< bytes of pages with source and diffs
constexpr size_t kPageBudget = size_t(9) << 20;    ///< of all; then only what the table says
constexpr size_t kMostOpen = 6;                    ///< subjects that are not folded

/// What needs a look first.
int urgency(const ReportSubject& s) {
  if (s.isWhole) return -1;
  switch (s.state) {
  case ReportState::Failed:
    return 0;
  case ReportState::Differs:
    return 1;
  case ReportState::Unsound:
    return 3;
  case ReportState::Unverified:
    return 4;
  case ReportState::Verified:
  case ReportState::Done:
    break;
  }
  if (s.hasUndonePasses || countRemarks(s.remarks).undone != 0) return 2;
  return s.isUnchanged ? 6 : 5;
}

class Page {
public:
  explicit Page(const ReportPage& page) : page_(page), order_(page.subjects.size()) {
    std::iota(order_.begin(), order_.end(), size_t(0));
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      return urgency(page.subjects[a]) < urgency(page.subjects[b]);
    });
  }

  std::string run() {
    head();
    if (page_.subjects.size() == 1) {
      html_ += answerCards(page_.subjects[0]);
      remarkSwitch(page_.subjects[0].remarks.size());
      html_ += subjectSections(page_.subjects[0], "s0", Detail::All);
    } else {
      totals();
      summary();
      size_t remarks = 0;
      for (const ReportSubject& s : page_.subjects) remarks += s.remarks.size();
      remarkSwitch(remarks);
      for (size_t n : order_) subject(n);
    }
    facts();
    html_ += fmt::format("</main>\n<script>{}</script>\n</body></html>\n", kScript);
    return std::move(html_);
  }

private:
  void head() {
    // Nothing may be fetched, whatever the page says: the policy is the last line of defence.
    html_ = fmt::format(
        "<!DOCTYPE html>\n"
        R"(<html lang="en"><head><meta charset="utf-8">)"
        R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; )"
        R"(style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">)"
        R"(<meta name="viewport" content="width=device-width, initial-scale=1">)"
        R"(<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">)"
        "<title>{} \xE2\x80\x93 lanewise {}</title><style>{}</style></head>\n<body>"
        R"(<main><header><p class="kicker">lanewise {}</p><h1>{}</h1>{}</header>)",
        escaped(page_.title), escaped(page_.command), kStyle, escaped(page_.command),
        escaped(page_.title), deviceLine());
  }

  std::string deviceLine() const {
    for (const ReportSubject& s : page_.subjects)
      if (s.verification && !s.verification->device.empty())
        return fmt::format(R"(<p class="small">on {}</p>)", escaped(s.verification->device));
    return {};
  }

  // ---- several subjects ----

  void totals() {
    size_t failed = 0, doubtful = 0, verified = 0, changed = 0, modules = 0, faster = 0, slower = 0,
           timed = 0;
    for (const ReportSubject& s : page_.subjects) {
      if (!s.isWhole) ++modules;
      if (s.state == ReportState::Failed || s.state == ReportState::Differs) ++failed;
      if (s.state == ReportState::Unverified || s.state == ReportState::Unsound) ++doubtful;
      if (s.state == ReportState::Verified) ++verified;
      if (countRemarks(s.remarks).applied != 0 && !s.isInputKept) ++changed;
      if (const TimingResult* t = decidingTiming(s))
        ++timed, faster += t->isFaster(), slower += t->isSlower();
    }
    const bool isWhole = modules != page_.subjects.size();
    std::string how = fmt::format("{} verified, {} unverified, {} failed or different.", verified,
                                  doubtful, failed);
    html_ += R"(<div class="cards">)";
    if (isWhole) {
      for (const ReportSubject& s : page_.subjects)
        if (s.isWhole)
          html_ += answerCards(s).substr(std::string_view(R"(<div class="cards">)").size());
      return;
    }
    if (failed != 0)
      html_ += card("bad", "Same results?", fmt::format("{} of {} failed", failed, modules), how);
    else if (doubtful != 0)
      html_ += card("doubt", "Same results?", fmt::format("{} unverified", doubtful), how);
    else
      html_ += card(verified ? "good" : "quiet", "Same results?",
                    verified ? "All verified" : "Not checked", verified ? how : std::string());
    html_ += card(
        faster > slower ? "good" : "quiet", "Faster?",
        timed ? fmt::format("{} of {}", faster, timed) : "Not timed",
        timed ? fmt::format("{} slower, {} without a difference.", slower, timed - faster - slower)
              : "");
    html_ +=
        card(changed ? "good" : "quiet", "What changed?", fmt::format("{} of {}", changed, modules),
             "modules were rewritten by Lanewise&#39;s passes.");
    html_ += "</div>";
  }

  void summary() {
    const bool isLong = page_.subjects.size() > 12;
    html_ += R"(<section><h2 id="all">Contents</h2>)";
    if (isLong)
      html_ +=
          R"(<p class="js"><input id="filter" type="search" placeholder="filter: name, state" )"
          R"(aria-label="filter"> <span id="shown" class="small"></span></p>)";
    html_ +=
        R"(<div class="scroll"><table class="sum"><thead><tr><th>module</th><th>state</th>)"
        R"(<th class="num">applied</th><th class="num">undone</th><th class="num">missed</th>)"
        R"(<th class="num">before</th><th class="num">after</th><th class="num">time</th></tr>)"
        "</thead><tbody>\n";
    for (size_t n : order_) row(n);
    html_ += "</tbody></table></div>";
    html_ += R"(<p class="small">Sizes in bytes; time: ratio to the original.</p></section>)";
  }

  void row(size_t n) {
    const ReportSubject& s = page_.subjects[n];
    const RemarkCounts counts = countRemarks(s.remarks);
    const StateWords state = wordsOf(s);
    const TimingResult* timing = decidingTiming(s);
    auto number = [](uint64_t value, bool isKnown) {
      return isKnown ? fmt::format(R"(<td class="num">{}</td>)", value)
                     : std::string(R"(<td class="num"></td>)");
    };
    html_ +=
        fmt::format(R"(<tr><th><a href="#s{}">{}</a></th><td data-v="{}" class="{}">{} {}</td>)", n,
                    escaped(s.name), urgency(s), state.role, state.sign, state.text);
    const bool isDone = s.state != ReportState::Failed;
    html_ += number(counts.applied, isDone) + number(counts.undone, isDone) +
             number(counts.missed, isDone) + number(s.bytesBefore, s.bytesBefore != 0) +
             number(s.bytesAfter, s.bytesAfter != 0);
    html_ += timing ? fmt::format(R"(<td class="num">{:.3f}</td></tr>)", timing->ratio)
                    : R"(<td class="num"></td></tr>)";
    html_ += "\n";
  }

  void subject(size_t n) {
    const ReportSubject& s = page_.subjects[n];
    const StateWords state = wordsOf(s);
    Detail detail = html_.size() < kListingBudget ? Detail::All
                    : html_.size() < kPageBudget  ? Detail::Remarks
                                                  : Detail::Counts;
    std::string body = subjectSections(s, fmt::format("s{}", n), detail);
    if (body.size() > kListingBudget && detail == Detail::All)
      body = subjectSections(s, fmt::format("s{}", n), detail = Detail::Remarks);
    if (detail != Detail::All && !(s.sources.empty() && s.remarks.empty()))
      body += R"(<p class="small">Left out here, so that the page stays small: )" +
              std::string(detail == Detail::Remarks ? "source and differences"
                                                    : "remarks, source and differences") +
              ". <code>lanewise opt --html</code> on this file shows all.</p>";
    const bool isOpen = page_.subjects.size() <= kMostOpen;
    html_ += fmt::format(
        R"(<details class="subject" id="s{}"{}><summary><h2>{}</h2> <span class="state {}">{} {})"
        "</span></summary>",
        n, isOpen ? " open" : "", escaped(s.name), state.role, state.sign, state.text);
    if (!s.isWhole && !s.reason.empty()) html_ += fmt::format(R"(<p>{}</p>)", escaped(s.reason));
    html_ += body + "</details>\n";
  }

  // ---- the rest ----

  /// Boxes that the style sheet reads, so that they work without script.
  void remarkSwitch(size_t remarks) {
    if (remarks < 2) return;
    html_ += R"(<p class="show">Remarks: )"
             R"(<label><input type="checkbox" id="show-applied" checked> applied</label> )"
             R"(<label><input type="checkbox" id="show-missed" checked> missed</label> )"
             R"(<label><input type="checkbox" id="show-note" checked> notes</label></p>)";
  }

  void facts() {
    html_ += R"(<section><h2>How this was made</h2><dl class="facts">)";
    auto add = [&](const std::string& name, const std::string& value) {
      html_ += fmt::format("<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value));
    };
    for (const ReportSubject& s : page_.subjects)
      if (s.verification && !s.verification->device.empty()) {
        add("device", s.verification->device + (s.verification->isCpuDevice ? " (CPU)" : ""));
        add("driver", s.verification->driverInfo);
        break;
      }
    for (const ReportFact& fact : page_.facts) add(fact.name, fact.value);
    html_ += "</dl></section>";
  }

  const ReportPage& page_;
  std::vector<size_t> order_; ///< of subjects
  std::string html_;
};

} // namespace

std::string htmlReport(const ReportPage& page) {
  return Page(page).run();
}

} // namespace lanewise::driver
