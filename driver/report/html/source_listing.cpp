#include "report/html/source_listing.h"

#include "report/html/text.h"
#include "support/source_quote.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

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

/// Of a line, what `ranges` cover underlined; they do not overlap.
std::string underlined(std::string_view line, const std::set<std::pair<size_t, size_t>>& ranges) {
  std::string html;
  size_t at = 0;
  for (const auto& [begin, end] : ranges) {
    html += fmt::format("{}<u>{}</u>", escaped(line.substr(at, begin - at)),
                        escaped(line.substr(begin, end - begin)));
    at = end;
  }
  return html + escaped(line.substr(at));
}

std::optional<LineSpan> mentionIn(std::string_view line, const SourceLocation& at,
                                  const std::string& subject) {
  return subject.empty() ? std::nullopt : rangeIn(line, at.column, subject);
}

std::string quotedLine(const RemarkNote& note, std::span<const ReportSource> sources) {
  for (const ReportSource& source : sources) {
    if (source.file != note.location.file) continue;
    const auto line = source.lines.find(note.location.line);
    if (line == source.lines.end()) return {};
    const std::string_view text = withoutSpaceAround(line->second);
    const size_t indent = size_t(text.data() - line->second.data());
    std::set<std::pair<size_t, size_t>> ranges;
    if (const auto range = mentionIn(line->second, note.location, note.subject))
      ranges.insert({range->begin - indent, range->end - indent});
    return fmt::format(" <code>{}</code>", underlined(text, ranges));
  }
  return {};
}

/// The other places that a mark is about, each with its line.
std::string noteLines(const SourceMark& mark, std::span<const ReportSource> sources) {
  std::string html;
  for (const RemarkNote& note : mark.notes) {
    if (note.location.line == 0) continue; // "is here" says nothing without a place
    const std::string place =
        note.location.file == mark.at.file
            ? fmt::format("line {}", note.location.line)
            : fmt::format("{}:{}", escaped(note.location.file), note.location.line);
    html += fmt::format(R"(<div class="also"><span class="at">{}:</span> {}{}</div>)", place,
                        withArrows(note.message), quotedLine(note, sources));
  }
  return html;
}

/// Code between marks scrolls by itself, so that marks stay in view.
class Listing {
public:
  Listing(const ReportSource& source, std::span<const ReportSource> all)
      : source_(source), all_(all) {}

  std::string run(std::span<const SourceMark* const> marks) {
    size_t next = 0;
    uint32_t previous = 0;
    for (const auto& [number, text] : source_.lines) {
      if (number != previous + 1) gap(number - previous - 1);
      previous = number;
      const size_t first = next;
      while (next < marks.size() && marks[next]->at.line == number) ++next;
      addLine(number, text, marks.subspan(first, next - first));
      if (next == first) continue;
      endCode();
      for (const auto& [mark, count] : withoutRepeats(marks.subspan(first, next - first)))
        html_ += markBlock(*mark, count, {}, all_);
    }
    endCode();
    return html_;
  }

private:
  void gap(uint32_t lines) {
    endCode();
    html_ += fmt::format(R"(<div class="gap">{}</div>)", countText(lines, "line"));
  }
  void addLine(uint32_t number, const std::string& text, std::span<const SourceMark* const> marks) {
    if (!isInCode_) html_ += R"(<pre class="src" tabindex="0">)";
    isInCode_ = true;
    std::set<std::pair<size_t, size_t>> ranges;
    for (const SourceMark* mark : marks)
      if (const auto range = mentionIn(text, mark->at, mark->subject))
        ranges.insert({range->begin, range->end});
    html_ += marks.empty()
                 ? fmt::format("<i>{}</i>{}\n", number, escaped(text))
                 : fmt::format("<span class=\"hit {}\"><i>{}</i>{}\n</span>",
                               wordsOf(marks.front()->kind).role, number, underlined(text, ranges));
  }
  void endCode() {
    if (isInCode_) html_ += "</pre>";
    isInCode_ = false;
  }

  const ReportSource& source_;
  std::span<const ReportSource> all_; ///< that notes may be in
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
                     r.details,
                     r.subject,
                     r.notes});
  if (!subject.verification) return marks;
  auto add = [&](const std::string& program, const std::vector<RunFinding>& findings) {
    for (const RunFinding& f : findings) {
      if (f.line == 0) continue;
      std::vector<RemarkNote> notes;
      if (hasOtherPlace(f))
        notes.push_back(
            {{f.otherFile, f.otherLine, 0}, std::string(otherPlaceText(f)), f.variable});
      marks.push_back({f.decides ? MarkKind::Finding : MarkKind::Note,
                       {f.file, f.line, 0},
                       "",
                       f.text,
                       "interpreter:" + f.kind + " in " + program,
                       {},
                       std::string(variableHere(f)),
                       std::move(notes)});
    }
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

std::string markBlock(const SourceMark& mark, size_t count, const std::string& where,
                      std::span<const ReportSource> sources) {
  return fmt::format(R"(<div class="rm {}">{}{} {}{} <code class="by">{}</code>{}{}</div>)",
                     wordsOf(mark.kind).role, tagOf(mark.kind),
                     where.empty() ? "" : fmt::format(R"( <span class="at">{}</span>)", where),
                     withArrows(mark.message),
                     count > 1 ? fmt::format(R"( <span class="rep">{} times</span>)", count) : "",
                     escaped(mark.origin), detailTable(mark.details), noteLines(mark, sources));
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
    html += markBlock(*mark, count, placeOf(*mark), sources);
  for (size_t n = 0; n < sources.size(); ++n)
    html += fmt::format(R"(<figure class="code"><figcaption>{}</figcaption>{}</figure>)",
                        escaped(sources[n].file), Listing(sources[n], sources).run(byFile[n]));
  return html;
}

} // namespace lanewise::driver
