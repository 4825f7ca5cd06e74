#include "report/lint_report.h"

#include "report/queue_rules.h"
#include "report/remark_printer.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace lanewise::driver {
namespace {

using Json = nlohmann::ordered_json;

std::string_view nameOf(Severity severity) {
  return severity == Severity::Error ? "error" : "warning";
}

std::string dumped(const Json& json) {
  // Names in a module may be any bytes; JSON is UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// `column` is the module's; where what is meant is known of the line itself, its columns (from 1,
/// in bytes; the end is behind it) stand beside.
Json placeAsJson(const SourceLocation& at, const std::string& input, const QuotedLine& line) {
  Json j;
  j["file"] = fileText(at, input);
  if (at.line != 0) j["line"] = at.line;
  if (at.line != 0 && at.column != 0) j["column"] = at.column;
  if (line.span) {
    j["column"] = line.span->begin + 1;
    j["end-column"] = line.span->end + 1;
  }
  return j;
}

std::string noteOn(const LintReport& report, const UnlintedEntry& entry) {
  const bool isVowel = std::string_view("aeioAEIO").find(entry.stage[0]) != std::string_view::npos;
  return fmt::format("'{}' is {} {} shader, which none of the {} rules applies to: they are for "
                     "compute shaders",
                     entry.name, isVowel ? "an" : "a", entry.stage,
                     std::count_if(report.rules.begin(), report.rules.end(),
                                   [](const LintRule* rule) { return rule->run != nullptr; }));
}

// ---- SARIF ----

/// A path as a relative or file URI (RFC 3986): what is not allowed in a path is percent-encoded.
std::string uriOf(const std::string& path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  // A colon in the first segment would be read as a scheme.
  if (!path.starts_with('/') && path.substr(0, path.find('/')).find(':') != std::string::npos)
    uri = "./";
  for (char c : path) {
    const bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (isPlain || std::string_view("-._~/!$&'()*+,;=:@").find(c) != std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

/// A region without columns is the whole line, and a snippet is the region's text (3.30); around a
/// narrower one the line stands as its context (3.29.5).
Json physicalLocation(const SourceLocation& at, const std::string& input, const QuotedLine& line) {
  Json j;
  j["artifactLocation"]["uri"] = uriOf(fileText(at, input));
  if (at.line == 0) return j;
  Json whole;
  whole["startLine"] = at.line;
  if (!line.text.empty()) whole["snippet"]["text"] = line.text;
  if (!line.span) {
    j["region"] = std::move(whole);
    return j;
  }
  const auto& [begin, end] = *line.span;
  Json& region = j["region"];
  region["startLine"] = at.line;
  region["startColumn"] = utf16Units(line.text, begin) + 1;
  region["endColumn"] = utf16Units(line.text, end) + 1;
  region["snippet"]["text"] = line.text.substr(begin, end - begin);
  j["contextRegion"] = std::move(whole);
  return j;
}

/// Lines of text begin in lower case, sentences do not.
std::string sentence(std::string_view text) {
  std::string whole(text);
  if (!whole.empty() && whole[0] >= 'a' && whole[0] <= 'z') whole[0] = char(whole[0] - 'a' + 'A');
  return whole;
}

Json ruleAsSarif(const LintRule& rule) {
  Json j;
  j["id"] = rule.name;
  j["shortDescription"]["text"] = rule.summary;
  j["help"]["text"] = fmt::format("{}. See docs/{}.md.", sentence(rule.mend),
                                  rule.run ? fmt::format("lint/{}", rule.name) : "queues");
  j["defaultConfiguration"]["level"] = nameOf(rule.severity);
  return j;
}

Json resultAsSarif(const LintReport& report, const LintedInput& input, size_t n) {
  const LintFinding& f = input.findings[n];
  const std::vector<QuotedLine>& lines = input.lines[n];
  Json j;
  j["ruleId"] = f.rule;
  for (size_t r = 0; r < report.rules.size(); ++r)
    if (report.rules[r]->name == f.rule) j["ruleIndex"] = r;
  j["level"] = nameOf(f.severity);
  j["message"]["text"] = f.message + ".";
  Json location;
  location["physicalLocation"] = physicalLocation(f.location, input.name, lines[0]);
  if (!f.function.empty())
    location["logicalLocations"] = Json::array({{{"name", f.function}, {"kind", "function"}}});
  j["locations"] = Json::array({location});
  for (size_t k = 0; k < f.notes.size(); ++k) {
    Json related;
    related["id"] = k;
    related["physicalLocation"] = physicalLocation(f.notes[k].location, input.name, lines[k + 1]);
    related["message"]["text"] = f.notes[k].message + ".";
    j["relatedLocations"].push_back(std::move(related));
  }
  j["properties"]["input"] = input.name;
  for (const auto& [key, value] : f.args) j["properties"][key] = value;
  return j;
}

Json notificationAsSarif(std::string_view level, const std::string& text,
                         const std::string& input) {
  Json notification;
  notification["level"] = level;
  notification["message"]["text"] = text;
  Json location;
  location["physicalLocation"]["artifactLocation"]["uri"] = uriOf(input);
  notification["locations"] = Json::array({location});
  return notification;
}

} // namespace

size_t LintReport::count(Severity severity) const {
  size_t count = 0;
  for (const LintedInput& input : inputs)
    count += size_t(std::count_if(input.findings.begin(), input.findings.end(),
                                  [&](const LintFinding& f) { return f.severity == severity; }));
  return count;
}

std::string lintAsText(const LintReport& report, uint32_t columns) {
  std::string text;
  std::set<std::string_view> mended; // what helps is said once a rule
  auto quote = [&](const QuotedLine& line) { return quoted(line.text, line.span, columns); };
  for (const LintedInput& input : report.inputs) {
    for (const UnlintedEntry& entry : input.unlinted)
      text += fmt::format("{}: note: {}\n", input.name, noteOn(report, entry));
    for (size_t n = 0; n < input.findings.size(); ++n) {
      const LintFinding& f = input.findings[n];
      // Without a line, the function is the best place there is.
      const std::string function =
          f.location.line == 0 && !f.function.empty() ? fmt::format("in '{}': ", f.function) : "";
      text += fmt::format("{}: {}: {}{} [{}]\n", placeText(f.location, input.name),
                          nameOf(f.severity), function, f.message, f.rule);
      text += quote(input.lines[n][0]);
      for (size_t k = 0; k < f.notes.size(); ++k) {
        const bool isRepeated =
            input.lines[n][k + 1].span == input.lines[n][k].span &&
            f.notes[k].location == (k == 0 ? f.location : f.notes[k - 1].location);
        text += fmt::format("{}: note: {}\n", placeText(f.notes[k].location, input.name),
                            f.notes[k].message);
        if (!isRepeated) text += quote(input.lines[n][k + 1]);
      }
      if (const LintRule* rule = findAnyLintRule(f.rule); rule && mended.insert(f.rule).second)
        text += fmt::format("{}: help: {}\n", placeText(f.location, input.name), rule->mend);
    }
  }
  const size_t errors = report.count(Severity::Error), warnings = report.count(Severity::Warning);
  auto counted = [](size_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  if (errors != 0 && warnings != 0)
    text += fmt::format("{} and {}\n", counted(warnings, "warning"), counted(errors, "error"));
  else if (errors != 0 || warnings != 0)
    text += (errors != 0 ? counted(errors, "error") : counted(warnings, "warning")) + "\n";
  return text;
}

std::string lintAsJson(const LintReport& report) {
  Json all;
  all["version"] = 1;
  all["findings"] = Json::array();
  for (const LintedInput& input : report.inputs)
    for (size_t n = 0; n < input.findings.size(); ++n) {
      const LintFinding& f = input.findings[n];
      Json j;
      j["rule"] = f.rule;
      j["severity"] = nameOf(f.severity);
      j["input"] = input.name;
      j.update(placeAsJson(f.location, input.name, input.lines[n][0]));
      if (!f.function.empty()) j["function"] = f.function;
      j["message"] = f.message;
      j["notes"] = Json::array();
      for (size_t k = 0; k < f.notes.size(); ++k) {
        Json note = placeAsJson(f.notes[k].location, input.name, input.lines[n][k + 1]);
        note["message"] = f.notes[k].message;
        j["notes"].push_back(std::move(note));
      }
      for (const auto& [key, value] : f.args) j["args"][key] = value;
      all["findings"].push_back(std::move(j));
    }
  for (const LintedInput& input : report.inputs)
    for (const UnlintedEntry& entry : input.unlinted)
      all["notApplicable"].push_back({{"input", input.name},
                                      {"entry", entry.name},
                                      {"stage", entry.stage},
                                      {"message", noteOn(report, entry)}});
  for (const FailedInput& f : report.failed)
    all["failed"].push_back({{"input", f.name}, {"message", f.message}});
  all["errors"] = report.count(Severity::Error) + report.failed.size();
  all["warnings"] = report.count(Severity::Warning);
  return dumped(all);
}

std::string lintAsSarif(const LintReport& report) {
  Json run;
  Json& tool = run["tool"]["driver"];
  tool["name"] = "lanewise";
  tool["version"] = LANEWISE_VERSION;
  tool["rules"] = Json::array();
  for (const LintRule* rule : report.rules) tool["rules"].push_back(ruleAsSarif(*rule));
  run["columnKind"] = "utf16CodeUnits";
  Json invocation;
  invocation["executionSuccessful"] = report.failed.empty();
  for (const FailedInput& f : report.failed)
    invocation["toolExecutionNotifications"].push_back(
        notificationAsSarif("error", f.message, f.name));
  for (const LintedInput& input : report.inputs)
    for (const UnlintedEntry& entry : input.unlinted)
      invocation["toolExecutionNotifications"].push_back(
          notificationAsSarif("note", noteOn(report, entry) + ".", input.name));
  run["invocations"] = Json::array({std::move(invocation)});
  run["results"] = Json::array();
  for (const LintedInput& input : report.inputs)
    for (size_t n = 0; n < input.findings.size(); ++n)
      run["results"].push_back(resultAsSarif(report, input, n));
  Json log;
  log["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  log["version"] = "2.1.0";
  log["runs"] = Json::array({std::move(run)});
  return dumped(log);
}

} // namespace lanewise::driver
