// Lines of source with what is said of them: remarks and findings.
#pragma once

#include "report/html/report.h"

#include <span>
#include <string>

namespace lanewise::driver {

/// What stands at a line, in the order of importance.
enum class MarkKind { Warning, Finding, Applied, Missed, Note };

struct SourceMark {
  MarkKind kind = MarkKind::Note;
  SourceLocation at;   ///< line 0: nowhere in particular
  std::string place;   ///< where, for those without a line: "in main"
  std::string message; ///< one sentence
  std::string origin;  ///< who says so: "pad-shared-memory:padded"
  std::vector<RemarkRow> details;
  std::string subject; ///< the variable that it speaks of, or ""
  std::vector<RemarkNote> notes;
  bool operator==(const SourceMark&) const = default;
};

std::vector<SourceMark> marksOf(const ReportSubject& subject);

/// Each file of `sources` with its marks below their lines; marks that are in none of these lines
/// come first.
std::string sourceListing(std::span<const ReportSource> sources, std::vector<SourceMark> marks);

/// One mark. `where` is HTML that stands before its message. Its notes quote their lines as far as
/// `sources` have them.
std::string markBlock(const SourceMark& mark, size_t count, const std::string& where,
                      std::span<const ReportSource> sources);

/// "✓ applied" and the like.
std::string tagOf(MarkKind kind);

} // namespace lanewise::driver
