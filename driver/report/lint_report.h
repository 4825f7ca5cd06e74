// What lint found, as text for people, JSON for programs and SARIF 2.1.0 for code scanning
// (docs/lint.md).
#pragma once

#include "lint/lint.h"
#include "support/source_quote.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

enum class LintFormat { Text, Json, Sarif };

/// The line that a finding or note is about.
struct QuotedLine {
  std::string text;             ///< as it stands in the source; empty where it is not known
  std::optional<LineSpan> span; ///< of it: what is meant
};

/// The findings of one input.
struct LintedInput {
  std::string name; ///< as given on the command line; "<stdin>" for standard input
  LintFindings findings;
  std::vector<std::vector<QuotedLine>> lines; ///< of each finding, then of each of its notes
  std::vector<UnlintedEntry> unlinted;
};

/// An input that no rule has seen.
struct FailedInput {
  std::string name;
  std::string message; ///< as it was printed: of compile errors a line each
};

struct LintReport {
  std::vector<const LintRule*> rules; ///< that ran
  std::vector<LintedInput> inputs;
  std::vector<FailedInput> failed;

  size_t count(Severity severity) const;
};

/// "FILE:LINE: error: MESSAGE [RULE]", the line of source, then the notes, below the first
/// finding of a rule what helps; at the end the counts. Nothing at all when nothing was found in
/// compute shaders; of others a note says that no rule looked at them. Lines of source are cut at
/// `columns` (0: never).
std::string lintAsText(const LintReport& report, uint32_t columns = 0);
/// One object.
std::string lintAsJson(const LintReport& report);
/// A log of one run.
std::string lintAsSarif(const LintReport& report);

} // namespace lanewise::driver
