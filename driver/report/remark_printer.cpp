#include "report/remark_printer.h"

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

} // namespace

std::string remarkAsText(const Remark& remark, const std::string& input, RemarkDetails details) {
  const SourceLocation& at = remark.location;
  std::string place = at.line == 0 || at.file.empty() ? input : at.file;
  if (at.line != 0) place += fmt::format(":{}", at.line);
  if (at.line != 0 && at.column != 0) place += fmt::format(":{}", at.column);
  // Without a line, the function is the best place there is.
  std::string function =
      at.line == 0 && !remark.function.empty() ? fmt::format("in '{}': ", remark.function) : "";
  std::string text = fmt::format("{}: {}: {}{} [{}:{}]\n", place, wordOf(remark.kind), function,
                                 remark.message, remark.pass, remark.name);
  if (details == RemarkDetails::Yes)
    for (const RemarkRow& row : remark.details) text += fmt::format("    {}\n", row.text());
  return text;
}

std::string missedAsText(const Remarks& remarks, const std::string& input) {
  std::map<std::string_view, size_t> byPass;
  size_t missed = 0;
  for (const Remark& r : remarks)
    if (r.kind == Remark::Kind::Missed) ++byPass[r.pass], ++missed;
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
  if (remark.location.line != 0) {
    j["file"] = remark.location.file;
    j["line"] = remark.location.line;
    if (remark.location.column != 0) j["column"] = remark.location.column;
  }
  j["message"] = remark.message;
  if (!remark.args.empty()) {
    nlohmann::ordered_json args = nlohmann::ordered_json::object();
    for (const auto& [key, value] : remark.args) args[key] = value;
    j["args"] = std::move(args);
  }
  for (const RemarkRow& row : remark.details) j["details"].push_back(row.text());
  // Names in a module may be any bytes; JSON is UTF-8.
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace lanewise::driver
