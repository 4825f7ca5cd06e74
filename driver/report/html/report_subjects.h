// From what the commands know to what the report page shows (report/html/report.h): sources are
// looked up, modules disassembled, names of files made independent of where the command ran.
#pragma once

#include "input/front_end.h"
#include "pipeline/opt_verify.h"
#include "pipeline/optimize_input.h"
#include "report/html/report.h"
#include "verify/compare/source_texts.h"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// Versions of Lanewise and of what does the work.
std::vector<ReportFact> versionFacts();

/// How much is kept for a subject.
struct SubjectDetail {
  bool hasDiff = true;
  uint32_t mostDiffLines = 1500;
  uint32_t mostSourceLines = 3000; ///< over all its files
};

/// What --html shows of one input of `opt`. `words` of the outcome are those that are written.
ReportSubject subjectOf(const std::string& input, const OptimizedInput& one, bool keepsLines,
                        const SubjectDetail& detail = {});

/// A module by itself: its remarks at their lines of source, or of its disassembly where it has no
/// lines.
void addModuleDetail(ReportSubject& subject, const LoadedModule& module, const Words& output,
                     bool keepsLines, const SubjectDetail& detail);

/// State, reason and report of a verification.
void setVerification(ReportSubject& subject, const VerifySummary& summary);
void setVerification(ReportSubject& subject, VerifyReport report);

/// The difference of two texts, or nothing when they are equal.
void addDiff(ReportSubject& subject, const std::string& title, const std::string& before,
             const std::string& after, const std::string& beforeName, const std::string& afterName,
             uint32_t mostLines);

/// Lines around what remarks and findings speak of, from what `modules` carry or from files.
void addSources(ReportSubject& subject, std::span<const Words> modules, uint32_t mostLines);

/// Absolute names of files in what the page says become relative to the current folder: the same
/// command in two checkouts gives the same page.
class RelativeNames {
public:
  /// The folder counts as the current one; files with relative names stay as they are.
  RelativeNames(const std::string& folder, const std::set<std::string>& files);
  void apply(std::string& text) const;
  void apply(ReportSubject& subject) const;

private:
  void apply(std::vector<std::string>& texts) const;
  void apply(std::vector<RunFinding>& findings) const;
  void apply(std::optional<ElementWriters>& writers) const;
  void apply(std::vector<BufferDifference>& differences) const;
  void apply(VerifyReport& report) const;
  std::vector<std::pair<std::string, std::string>> names_; ///< longer ones first
};

/// By relative names. `files` are others that may be named.
ReportEntry entryByRelativeNames(ReportSubject subject, const std::vector<std::string>& files);
/// Adds `subjects` to the page, by relative names. `files` are others that its facts name.
void addSubjects(ReportPage& page, std::vector<ReportSubject> subjects,
                 const std::vector<std::string>& files);

} // namespace lanewise::driver
