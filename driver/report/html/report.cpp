#include "report/html/report.h"

#include "report/html/subject_section.h"
#include "report/html/text.h"

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
constexpr size_t kMostOpen = 6;                    ///< entries that are not folded

/// What needs a look first.
int urgency(const ReportEntry& e) {
  if (e.isWhole) return -1;
  switch (e.state) {
  case ReportState::Failed:
    return 0;
  case ReportState::Differs:
    return 1;
  case ReportState::Fallback:
    return 2;
  case ReportState::Unsound:
    return 4;
  case ReportState::Unverified:
    return 5;
  case ReportState::Verified:
  case ReportState::Done:
    break;
  }
  if (e.undone != 0) return 3;
  return e.applied != 0 ? 6 : e.isUnchanged ? 8 : 7;
}

/// Class and sign of a state; colour is never all that tells.
struct Look {
  const char *role, *sign;
};
Look lookOf(ReportState state) {
  switch (state) {
  case ReportState::Done:
    return {"quiet", "\xE2\x80\x93"};
  case ReportState::Verified:
    return {"good", "\xE2\x9C\x93"};
  case ReportState::Unverified:
  case ReportState::Unsound:
    return {"doubt", "?"};
  case ReportState::Differs:
  case ReportState::Fallback:
  case ReportState::Failed:
    break;
  }
  return {"bad", "!"};
}

class Page {
public:
  explicit Page(const ReportPage& page) : page_(page), order_(page.entries.size()) {
    std::iota(order_.begin(), order_.end(), size_t(0));
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      return urgency(page.entries[a]) < urgency(page.entries[b]);
    });
  }

  std::string run() {
    head();
    if (page_.entries.size() == 1) {
      html_ += page_.entries[0].cards;
      remarkSwitch();
      html_ += page_.entries[0].all;
    } else {
      totals();
      summary();
      remarkSwitch();
      for (size_t n : order_) entry(n);
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
        breakable(page_.title), deviceLine());
  }

  /// Paths break behind their slashes first.
  static std::string breakable(const std::string& path) {
    std::string text;
    for (char c : escaped(path)) {
      text += c;
      if (c == '/') text += "<wbr>";
    }
    return text;
  }

  const ReportEntry* measured() const {
    for (const ReportEntry& e : page_.entries)
      if (!e.device.empty()) return &e;
    return nullptr;
  }
  std::string deviceLine() const {
    const ReportEntry* e = measured();
    return e ? fmt::format(R"(<p class="small">on {}</p>)", escaped(e->device)) : std::string();
  }

  // ---- several entries ----

  void totals() {
    const auto whole = std::find_if(page_.entries.begin(), page_.entries.end(),
                                    [](const ReportEntry& e) { return e.isWhole; });
    if (whole != page_.entries.end()) {
      html_ += whole->cards;
      return;
    }
    size_t failed = 0, asTheyWere = 0, differing = 0, doubtful = 0, verified = 0, changed = 0,
           faster = 0, slower = 0, timed = 0, onCpu = 0, predicted = 0;
    for (const ReportEntry& e : page_.entries) {
      failed += e.state == ReportState::Failed;
      differing += e.state == ReportState::Differs;
      asTheyWere += e.state == ReportState::Fallback;
      doubtful += e.state == ReportState::Unverified || e.state == ReportState::Unsound;
      verified += e.state == ReportState::Verified;
      changed += e.applied != 0;
      predicted += e.isPredicted;
      timed += e.ratio && !e.isPredicted, faster += e.isFaster, slower += e.isSlower;
      onCpu += e.ratio && e.isCpuDevice;
    }
    const size_t all = page_.entries.size();
    html_ += R"(<div class="cards">)";
    const std::string how =
        fmt::format("{} verified, {} unverified, {} different.", verified, doubtful, differing);
    const char* same = "Same results?";
    if (differing != 0)
      html_ += card("bad", same, fmt::format("{} of {} differ", differing, all), how);
    else if (doubtful != 0)
      html_ += card("doubt", same, fmt::format("{} of {} unverified", doubtful, all), how);
    else if (verified == 0)
      html_ += card("quiet", same, "Not checked", "");
    else
      html_ += card("good", same, verified == all ? "All verified" : "Verified", how);
    if (timed != 0 && onCpu == timed)
      html_ += card("quiet", "Faster?", "Timed on a CPU", "Its times say nothing about GPUs.");
    else if (timed == 0 && predicted != 0)
      html_ +=
          card("quiet", "Faster?", "Predicted", "By compilers; no device has measured any time.");
    else
      html_ += card(faster > slower ? "good" : "quiet", "Faster?",
                    timed ? fmt::format("{} of {}", faster, timed) : "Not timed",
                    timed ? fmt::format("{} slower, {} with no significant difference.", slower,
                                        timed - faster - slower)
                          : "");
    html_ +=
        card(changed ? "good" : "quiet", "What changed?", fmt::format("{} of {}", changed, all),
             "modules were rewritten by Lanewise&#39;s passes.");
    if (failed + asTheyWere != 0)
      html_ += card("bad", "What went wrong?",
                    failed != 0 ? fmt::format("{} of {} failed", failed, all)
                                : fmt::format("{} of {} not optimized", asTheyWere, all),
                    fmt::format("{} without an output, {} copied unchanged.", failed, asTheyWere));
    html_ += "</div>";
  }

  void summary() {
    html_ += R"(<section><h2 id="all">Contents</h2>)";
    if (page_.entries.size() > 12)
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
    const ReportEntry& e = page_.entries[n];
    const Look look = lookOf(e.state);
    auto number = [](uint64_t value, bool isKnown) {
      return isKnown ? fmt::format(R"(<td class="num">{}</td>)", value)
                     : std::string(R"(<td class="num"></td>)");
    };
    html_ +=
        fmt::format(R"(<tr><th><a href="#s{}">{}</a></th><td data-v="{}" class="{}">{} {}</td>)", n,
                    escaped(e.name), urgency(e), look.role, look.sign, escaped(e.stateText));
    const bool isDone = e.state != ReportState::Failed;
    html_ += number(e.applied, isDone) + number(e.undone, isDone) + number(e.missed, isDone) +
             number(e.bytesBefore, e.bytesBefore != 0) + number(e.bytesAfter, e.bytesAfter != 0);
    html_ += e.ratio ? fmt::format(R"(<td class="num">{:.3f}</td></tr>)", *e.ratio)
                     : R"(<td class="num"></td></tr>)";
    html_ += "\n";
  }

  void entry(size_t n) {
    const ReportEntry& e = page_.entries[n];
    const Look look = lookOf(e.state);
    const std::string* body = &e.all;
    if (html_.size() + e.all.size() > kListingBudget) body = &e.remarks;
    if (html_.size() + body->size() > kPageBudget) body = &e.brief;
    html_ += fmt::format(
        R"(<details class="subject" id="s{}"{}><summary><h2>{}</h2> <span class="state {}">{} {})"
        "</span></summary>",
        n, page_.entries.size() <= kMostOpen ? " open" : "", breakable(e.name), look.role,
        look.sign, escaped(e.stateText));
    if (!e.isWhole && !e.reason.empty())
      html_ += fmt::format(R"(<p class="reason">{}</p>)", escaped(e.reason));
    html_ += *body;
    if (*body != e.all)
      html_ +=
          fmt::format(R"(<p class="small">{} omitted to keep the page small. )"
                      "<code>lanewise opt --html</code> on this file shows everything.</p>",
                      *body == e.remarks ? "Source and code diff are" : "Remarks and source are");
    html_ += "</details>\n";
  }

  // ---- the rest ----

  /// Boxes that the style sheet reads, so that they work without script.
  void remarkSwitch() {
    uint64_t remarks = 0;
    for (const ReportEntry& e : page_.entries) remarks += e.applied + e.missed;
    if (remarks < 4) return;
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
    if (const ReportEntry* e = measured()) {
      add("device", e->device);
      if (!e->driver.empty()) add("driver", e->driver);
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
