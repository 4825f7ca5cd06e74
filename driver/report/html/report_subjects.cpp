#include "report/html/report_subjects.h"

#include "report/html/source_listing.h"
#include "report/version.h"
#include "spirv/assembly.h"
#include "spirv/spirv_tools.h"
#include "support/line_diff.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <string_view>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

constexpr uint32_t kContext = 3; ///< lines shown around one that is spoken of

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

/// Which lines of which file are spoken of.
std::map<std::string, std::set<uint32_t>> linesSpokenOf(const ReportSubject& subject) {
  std::map<std::string, std::set<uint32_t>> wanted;
  for (const SourceMark& mark : marksOf(subject)) {
    if (mark.at.line == 0) continue;
    std::set<uint32_t>& lines = wanted[mark.at.file];
    lines.insert(mark.at.line);
    for (const RemarkRow& row : mark.details)
      if (row.line != 0) lines.insert(row.line);
    for (const RemarkNote& note : mark.notes)
      if (note.location.line != 0) wanted[note.location.file].insert(note.location.line);
  }
  return wanted;
}

ReportSource around(const std::string& file, const std::set<uint32_t>& wanted,
                    const std::map<uint32_t, std::string>& lines, uint32_t& budget) {
  ReportSource source{file, {}};
  for (uint32_t number : wanted) {
    const uint32_t first = number > kContext ? number - kContext : 1;
    for (auto line = lines.lower_bound(first);
         line != lines.end() && line->first <= number + kContext && budget != 0; ++line)
      if (source.lines.insert(*line).second) --budget;
  }
  return source;
}

/// A module without lines: where remarks are said to be is found in its disassembly, at the array
/// or function that they name.
class DisassemblyPlaces {
public:
  explicit DisassemblyPlaces(const std::string& text) {
    uint32_t number = 0;
    for (const std::string& line : linesOf(text)) {
      lines_[++number] = line;
      const size_t name = line.find_first_not_of(' ');
      const size_t equals = line.find(" = Op");
      if (name == std::string::npos || line[name] != '%' || equals == std::string::npos) continue;
      if (line.compare(equals, 14, " = OpVariable ") == 0 ||
          line.compare(equals, 14, " = OpFunction ") == 0)
        places_.try_emplace(line.substr(name + 1, equals - name - 1), number);
    }
  }

  uint32_t of(const Remark& remark) const {
    for (const auto& [key, value] : remark.args)
      if (key == "array")
        if (const auto place = places_.find(value); place != places_.end()) return place->second;
    const auto place = places_.find(remark.function);
    return place == places_.end() ? 0 : place->second;
  }
  const std::map<uint32_t, std::string>& lines() const { return lines_; }

private:
  std::map<uint32_t, std::string> lines_;
  std::map<std::string, uint32_t> places_;
};

void addDisassembly(ReportSubject& subject, const Words& module, uint32_t mostLines) {
  const bool hasLines = std::any_of(subject.remarks.begin(), subject.remarks.end(),
                                    [](const Remark& r) { return r.location.line != 0; });
  if (hasLines || subject.remarks.empty()) return;
  Result<std::string> text = disassemble(module, TextHeader::No);
  if (!text) return;
  const DisassemblyPlaces places(*text);
  const std::string file = "disassembly of " + subject.name;
  std::set<uint32_t> wanted;
  for (Remark& r : subject.remarks) {
    const uint32_t line = places.of(r);
    if (line == 0) continue;
    r.location = {file, line, 0};
    wanted.insert(line);
  }
  ReportSource source = around(file, wanted, places.lines(), mostLines);
  if (source.lines.empty()) return;
  subject.sources.push_back(std::move(source));
  subject.note = "The module has no line information: remarks are placed at the array or function "
                 "they refer to.";
}

} // namespace

std::vector<ReportFact> versionFacts() {
  return {{"lanewise", lanewiseVersion()},
          {"SPIRV-Tools", spirvToolsVersion()},
          {"glslang", glslangVersion()}};
}

void addSources(ReportSubject& subject, std::span<const Words> modules, uint32_t mostLines) {
  SourceTexts texts;
  for (const Words& words : modules)
    if (Result<Module> module = Module::read(words)) texts.add(*module);
  for (const auto& [file, wanted] : linesSpokenOf(subject)) {
    ReportSource source = around(file, wanted, texts.lines(file), mostLines);
    if (!source.lines.empty()) subject.sources.push_back(std::move(source));
  }
}

void addDiff(ReportSubject& subject, const std::string& title, const std::string& before,
             const std::string& after, const std::string& beforeName, const std::string& afterName,
             uint32_t mostLines) {
  std::string text = unifiedDiff(before, after, beforeName, afterName);
  if (text.empty()) return;
  ReportDiff diff{title, {}, 0};
  size_t end = 0;
  for (uint32_t line = 0; line < mostLines && end < text.size(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  diff.linesLeftOut = uint64_t(std::count(text.begin() + ptrdiff_t(end), text.end(), '\n'));
  text.resize(end);
  diff.text = std::move(text);
  subject.diffs.push_back(std::move(diff));
}

void addModuleDetail(ReportSubject& subject, const LoadedModule& module, const Words& output,
                     bool keepsLines, const SubjectDetail& detail) {
  const bool isStripped = module.isSource() && !keepsLines;
  const Words input = isStripped ? stripLines(module.words()) : module.words();
  subject.bytesBefore = input.size() * sizeof(uint32_t);
  subject.bytesAfter = output.size() * sizeof(uint32_t);
  subject.isUnchanged = input == output;
  addSources(subject, {&module.words(), 1}, detail.mostSourceLines);
  addDisassembly(subject, module.words(), detail.mostSourceLines);
  if (!detail.hasDiff || subject.isUnchanged) return;
  // Without lines: they would drown what changed.
  Result<std::string> before = disassemble(stripLines(input), TextHeader::No);
  Result<std::string> after = disassemble(stripLines(output), TextHeader::No);
  if (before && after)
    addDiff(subject, "SPIR-V assembly of " + subject.name, *before, *after, subject.name,
            subject.name + " (optimized)", detail.mostDiffLines);
}

void setVerification(ReportSubject& subject, const VerifySummary& summary) {
  subject.state = summary.isVerified ? ReportState::Verified : ReportState::Unverified;
  subject.reason = summary.reason;
  subject.verification = summary.report;
  if (summary.report && summary.report->state == VerifyState::OriginalUnsound)
    subject.state = ReportState::Unsound;
}

void setVerification(ReportSubject& subject, VerifyReport report) {
  switch (report.state) {
  case VerifyState::Equal:
  case VerifyState::OrderDependent:
    subject.state = report.isVerified() ? ReportState::Verified : ReportState::Unverified;
    break;
  case VerifyState::Differs:
    subject.state = ReportState::Differs;
    break;
  case VerifyState::OriginalUnsound:
    subject.state = ReportState::Unsound;
    break;
  case VerifyState::NotRun:
    subject.state = ReportState::Unverified;
    break;
  }
  subject.reason = report.reason;
  subject.verification = std::move(report);
}

ReportSubject subjectOf(const std::string& input, const OptimizedInput& one, bool keepsLines,
                        const SubjectDetail& detail) {
  ReportSubject subject;
  subject.name = input == "-" ? "standard input" : input;
  subject.remarks = one.outcome.remarks;
  subject.ranSpirvOpt = one.outcome.ranSpirvOpt;
  if (one.exitCode == kBadUsageOrInput) {
    subject.state = ReportState::Failed;
    subject.reason = one.failure;
    return subject;
  }
  if (one.verification) setVerification(subject, *one.verification);
  addModuleDetail(subject, one.module, one.outcome.words, keepsLines, detail);
  subject.isInputKept = one.verification && !one.verification->isVerified &&
                        one.exitCode == kFoundSomething && subject.isUnchanged;
  return subject;
}

namespace {

void replaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

} // namespace

RelativeNames::RelativeNames(const std::string& folder, const std::set<std::string>& files) {
  for (const std::string& file : files) {
    if (!fs::path(file).is_absolute()) continue;
    const std::string relative = fs::path(file).lexically_relative(folder).string();
    if (!relative.empty()) names_.push_back({file, relative});
  }
  // Of two where one begins the other.
  std::stable_sort(names_.begin(), names_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

void RelativeNames::apply(std::string& text) const {
  for (const auto& [from, to] : names_) replaceAll(text, from, to);
}
void RelativeNames::apply(std::vector<std::string>& texts) const {
  for (std::string& text : texts) apply(text);
}
void RelativeNames::apply(std::vector<RunFinding>& findings) const {
  for (RunFinding& f : findings) apply(f.text), apply(f.file), apply(f.otherFile);
}
void RelativeNames::apply(std::optional<ElementWriters>& writers) const {
  if (!writers) return;
  if (writers->first) apply(writers->first->source.file);
  for (ElementWriter& other : writers->others) apply(other.source.file);
}
void RelativeNames::apply(std::vector<BufferDifference>& differences) const {
  for (BufferDifference& d : differences) apply(d.originalWriters), apply(d.transformedWriters);
}
void RelativeNames::apply(VerifyReport& report) const {
  apply(report.reason), apply(report.hazards), apply(report.notes), apply(report.validationErrors);
  apply(report.findings), apply(report.originalName), apply(report.differences);
  for (ShortBuffer& one : report.shortBuffers) apply(one.scenario), apply(one.finding.file);
  for (VariantReport& variant : report.variants) {
    apply(variant.name), apply(variant.reason), apply(variant.findings);
    apply(variant.differences), apply(variant.interfaceDifferences);
  }
}
void RelativeNames::apply(ReportSubject& s) const {
  if (names_.empty()) return;
  apply(s.name), apply(s.reason), apply(s.note);
  for (Remark& r : s.remarks) {
    apply(r.location.file), apply(r.message);
    for (RemarkNote& note : r.notes) apply(note.location.file);
  }
  for (ReportSource& source : s.sources) apply(source.file);
  for (ReportDiff& diff : s.diffs) apply(diff.title), apply(diff.text);
  if (s.verification) apply(*s.verification);
  for (ReportTable& table : s.tables)
    for (ReportTable::Row& row : table.rows) apply(row.cells);
}

namespace {

void addWriterFiles(const VerifyReport& report, std::set<std::string>& files) {
  for (const VariantReport& variant : report.variants)
    for (const BufferDifference& d : variant.differences)
      for (const auto* writers : {&d.originalWriters, &d.transformedWriters}) {
        if (!*writers) continue;
        if ((*writers)->first) files.insert((*writers)->first->source.file);
        for (const ElementWriter& other : (*writers)->others) files.insert(other.source.file);
      }
}

RelativeNames namesFor(std::span<const ReportSubject> subjects,
                       const std::vector<std::string>& files) {
  std::set<std::string> all(files.begin(), files.end());
  for (const ReportSubject& s : subjects) {
    all.insert(s.name);
    for (const SourceMark& mark : marksOf(s)) {
      all.insert(mark.at.file);
      for (const RemarkNote& note : mark.notes) all.insert(note.location.file);
    }
    if (s.verification) addWriterFiles(*s.verification, all);
  }
  std::error_code error;
  const std::string here = fs::current_path(error).string();
  return RelativeNames(here, error ? std::set<std::string>() : all);
}

} // namespace

ReportEntry entryByRelativeNames(ReportSubject subject, const std::vector<std::string>& files) {
  namesFor({&subject, 1}, files).apply(subject);
  return entryOf(subject);
}

void addSubjects(ReportPage& page, std::vector<ReportSubject> subjects,
                 const std::vector<std::string>& files) {
  const RelativeNames names = namesFor(subjects, files);
  names.apply(page.title);
  for (ReportFact& fact : page.facts) names.apply(fact.value);
  for (ReportSubject& s : subjects) {
    names.apply(s);
    page.entries.push_back(entryOf(s));
  }
}

} // namespace lanewise::driver
