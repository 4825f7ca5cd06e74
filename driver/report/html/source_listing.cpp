#include "report/html/source_listing.h"

#include "report/html/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace lanewise::driver {

namespace {

struct Kind {
  const char* role; ///< class
  const char* sign; ///< so that colour is never all that tells
  const char* word;
};

Kind wordsOf(MarkKind kind) {
  switch (kind) {
  case MarkKind::Warning:
    return {"warning", "!", "warning"};
  case MarkKind::Finding:
    return {"finding", "!", "finding"};
  case MarkKind::Applied:
    return {"applied", "\xE2\x9C\x93", "applied"};
  case MarkKind::Missed:
    return {"missed", "\xE2\x80\x93", "missed"};
  case MarkKind::Note:
    break;
  }
  return {"note", "i", "note"};
}

MarkKind kindOf(Remark::Kind kind) {
  switch (kind) {
  case Remark::Kind::Applied:
    return MarkKind::Applied;
  case Remark::Kind::Missed:
    return MarkKind::Missed;
  case Remark::Kind::Warning:
    return MarkKind::Warning;
  case Remark::Kind::Note:
    break;
  }
  return MarkKind::Note;
}

/// What the row speaks of, then its cells.
std::vector<std::string> cellsOf(const RemarkRow& row) {
  std::vector<std::string> cells = row.cells;
  if (!row.subject.empty()) cells.insert(cells.begin(), row.subject);
  return cells;
}

/// As HTML, with "32 -> 1" as people write it.
std::string withArrows(const std::string& plain) {
  std::string text = escaped(plain);
  for (size_t at = 0; (at = text.find("-&gt;", at)) != std::string::npos;)
    text.replace(at, 5, "\xE2\x86\x92");
  return text;
}

/// A table where the rows are of one form, else a line each.
std::string detailTable(const std::vector<RemarkRow>& details) {
  if (details.empty()) return {};
  std::string html = R"(<div class="scroll"><table class="acc">)";
  size_t widest = 1;
  for (const RemarkRow& row : details) widest = std::max(widest, cellsOf(row).size());
  for (const RemarkRow& row : details) {
    const std::vector<std::string> cells = cellsOf(row);
    html += "<tr>";
    for (size_t n = 0; n < cells.size(); ++n) {
      const std::string text = withArrows(cells[n]);
      const bool isLast = n + 1 == cells.size();
      html += isLast && cells.size() < widest
                  ? fmt::format(R"(<td colspan="{}">{}</td>)", widest - n, text)
                  : fmt::format("<td>{}</td>", text);
    }
    html += "</tr>";
  }
  return html + "</table></div>";
}

bool isBefore(const SourceMark& a, const SourceMark& b) {
  if (a.at.line != b.at.line) return a.at.line < b.at.line;
  return a.kind < b.kind;
}

/// Marks in order, equal ones (a function that was inlined often) as one with their number.
std::vector<std::pair<const SourceMark*, size_t>>
withoutRepeats(std::span<const SourceMark* const> marks) {
  std::vector<std::pair<const SourceMark*, size_t>> groups;
  for (const SourceMark* mark : marks) {
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return *group.first == *mark; });
    if (same == groups.end())
      groups.push_back({mark, 1});
    else
      ++same->second;
  }
  return groups;
}

/// Code between marks scrolls by itself, so that marks stay in view.
class Listing {
public:
  explicit Listing(const ReportSource& source) : source_(source) {}

  std::string run(std::span<const SourceMark* const> marks) {
    size_t next = 0;
    uint32_t previous = 0;
    for (const auto& [number, text] : source_.lines) {
      if (number != previous + 1) gap(number - previous - 1);
      previous = number;
      const size_t first = next;
      while (next < marks.size() && marks[next]->at.line == number) ++next;
      addLine(number, text, next > first ? wordsOf(marks[first]->kind).role : nullptr);
      if (next == first) continue;
      endCode();
      for (const auto& [mark, count] : withoutRepeats(marks.subspan(first, next - first)))
        html_ += markBlock(*mark, count, {});
    }
    endCode();
    return html_;
  }

private:
  void gap(uint32_t lines) {
    endCode();
    html_ += fmt::format(R"(<div class="gap">{}</div>)", countText(lines, "line"));
  }
  void addLine(uint32_t number, const std::string& text, const char* role) {
    if (!isInCode_) html_ += R"(<pre class="src" tabindex="0">)";
    isInCode_ = true;
    html_ += role ? fmt::format(R"(<span class="hit {}"><i>{}</i>{}</span>)", role, number,
                                escaped(text) + "\n")
                  : fmt::format("<i>{}</i>{}\n", number, escaped(text));
  }
  void endCode() {
    if (isInCode_) html_ += "</pre>";
    isInCode_ = false;
  }

  const ReportSource& source_;
  std::string html_;
  bool isInCode_ = false;
};

std::string placeOf(const SourceMark& mark) {
  if (mark.at.line == 0) return escaped(mark.place);
  return fmt::format("{}:{}", escaped(mark.at.file), mark.at.line);
}

} // namespace

std::vector<SourceMark> marksOf(const ReportSubject& subject) {
  std::vector<SourceMark> marks;
  for (const Remark& r : subject.remarks)
    marks.push_back({kindOf(r.kind),
                     {r.location.file, r.location.line, 0},
                     r.function.empty() ? "" : "in " + r.function,
                     r.message,
                     r.pass + ":" + r.name,
                     r.details});
  if (!subject.verification) return marks;
  auto add = [&](const std::string& program, const std::vector<RunFinding>& findings) {
    for (const RunFinding& f : findings)
      if (f.line != 0)
        marks.push_back({f.decides ? MarkKind::Finding : MarkKind::Note,
                         {f.file, f.line, 0},
                         "",
                         f.text,
                         "interpreter:" + f.kind + " in " + program,
                         {}});
  };
  add(subject.verification->originalName, subject.verification->findings);
  for (const VariantReport& variant : subject.verification->variants)
    add(variant.name, variant.findings);
  return marks;
}

std::string tagOf(MarkKind kind) {
  const Kind words = wordsOf(kind);
  return fmt::format(R"(<span class="tag"><b aria-hidden="true">{}</b> {}</span>)", words.sign,
                     words.word);
}

std::string markBlock(const SourceMark& mark, size_t count, const std::string& where) {
  return fmt::format(R"(<div class="rm {}">{}{} {}{} <code class="by">{}</code>{}</div>)",
                     wordsOf(mark.kind).role, tagOf(mark.kind),
                     where.empty() ? "" : fmt::format(R"( <span class="at">{}</span>)", where),
                     withArrows(mark.message),
                     count > 1 ? fmt::format(R"( <span class="rep">{} times</span>)", count) : "",
                     escaped(mark.origin), detailTable(mark.details));
}

std::string sourceListing(std::span<const ReportSource> sources, std::vector<SourceMark> marks) {
  std::stable_sort(marks.begin(), marks.end(), isBefore);
  std::vector<const SourceMark*> elsewhere;
  std::vector<std::vector<const SourceMark*>> byFile(sources.size());
  for (const SourceMark& mark : marks) {
    size_t n = 0;
    while (n < sources.size() &&
           (sources[n].file != mark.at.file || !sources[n].lines.count(mark.at.line)))
      ++n;
    (n < sources.size() ? byFile[n] : elsewhere).push_back(&mark);
  }
  std::string html;
  for (const auto& [mark, count] : withoutRepeats(elsewhere))
    html += markBlock(*mark, count, placeOf(*mark));
  for (size_t n = 0; n < sources.size(); ++n)
    html += fmt::format(R"(<figure class="code"><figcaption>{}</figcaption>{}</figure>)",
                        escaped(sources[n].file), Listing(sources[n]).run(byFile[n]));
  return html;
}

} // namespace lanewise::driver
