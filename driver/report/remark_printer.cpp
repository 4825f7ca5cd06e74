#include "report/remark_printer.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

namespace lanewise::driver {

namespace {

/// The word that text remarks are searched for: what was done is "remark", as compilers call it.
std::string_view wordOf(Remark::Kind kind) {
  switch (kind) {
  case Remark::Kind::Applied:
    return "remark";
  case Remark::Kind::Missed:
    return "missed";
  case Remark::Kind::Note:
    return "note";
  case Remark::Kind::Warning:
    return "warning";
  }
  return "note";
}

void addPlace(nlohmann::ordered_json& j, const SourceLocation& at) {
  if (at.line == 0) return;
  j["file"] = at.file;
  j["line"] = at.line;
  if (at.column != 0) j["column"] = at.column;
}

/// Names of a module may hold ends of lines.
std::string onOneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', '?');
  return text;
}

} // namespace

std::string fileText(const SourceLocation& at, const std::string& input) {
  return at.line == 0 || at.file.empty() ? input : at.file;
}

std::string placeText(const SourceLocation& at, const std::string& input) {
  std::string place = fileText(at, input);
  if (at.line != 0) place += fmt::format(":{}", at.line);
  if (at.line != 0 && at.column != 0) place += fmt::format(":{}", at.column);
  return place;
}

std::string remarkAsText(const Remark& remark, const std::string& input, RemarkDetails details,
                         SourceTexts* texts, uint32_t columns, uint32_t times) {
  const SourceLocation& at = remark.location;
  // Without a line, the function is the best place there is.
  std::string function =
      at.line == 0 && !remark.function.empty() ? fmt::format("in '{}': ", remark.function) : "";
  std::string text =
      fmt::format("{}: {}: {}{}{} [{}:{}]\n", placeText(at, input), wordOf(remark.kind),
                  onOneLine(function), onOneLine(remark.message),
                  times > 1 ? fmt::format(" ({} times)", times) : "", remark.pass, remark.name);
  if (texts) text += texts->quote(at, remark.subject, columns);
  if (details == RemarkDetails::Yes)
    for (const RemarkRow& row : remark.details) text += fmt::format("    {}\n", row.text());
  if (texts)
    for (const RemarkNote& note : remark.notes)
      text += fmt::format("{}: note: {}\n{}", placeText(note.location, input), note.message,
                          texts->quote(note.location, note.subject, columns));
  return text;
}

std::string missedAsText(const Remarks& remarks, const std::string& input) {
  std::map<std::string_view, size_t> byPass;
  size_t missed = 0;
  for (const Remark& r : remarks)
    if (r.kind == Remark::Kind::Missed) byPass[r.pass] += r.count, missed += r.count;
  if (missed == 0) return {};
  std::string passes;
  for (const auto& [pass, count] : byPass)
    passes += fmt::format("{}{} {}", passes.empty() ? "" : ", ", count, pass);
  return fmt::format("{}: {} rewrite{} not made ({}); --remarks=missed says why\n", input, missed,
                     missed == 1 ? "" : "s", passes);
}

std::string remarkAsJson(const Remark& remark, const std::string& input) {
  nlohmann::ordered_json j;
  j["kind"] =
      remark.kind == Remark::Kind::Applied ? std::string_view("applied") : wordOf(remark.kind);
  j["pass"] = remark.pass;
  j["name"] = remark.name;
  j["input"] = input;
  if (!remark.function.empty()) j["function"] = remark.function;
  addPlace(j, remark.location);
  j["message"] = remark.message;
  if (!remark.args.empty()) {
    nlohmann::ordered_json args = nlohmann::ordered_json::object();
    for (const auto& [key, value] : remark.args) args[key] = value;
    j["args"] = std::move(args);
  }
  for (const RemarkRow& row : remark.details) j["details"].push_back(row.text());
  for (const RemarkNote& note : remark.notes) {
    nlohmann::ordered_json n;
    addPlace(n, note.location);
    n["message"] = note.message;
    j["notes"].push_back(std::move(n));
  }
  // Names in a module may be any bytes; JSON is UTF-8.
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace lanewise::driver
