// A profile as tables and as JSON.
#include "verify/profile/profile.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace lanewise::driver {
namespace {

using nlohmann::ordered_json;

// ----- text -----

std::string_view nameOf(AccessProfile::Kind kind) {
  switch (kind) {
  case AccessProfile::Kind::Load:
    return "load";
  case AccessProfile::Kind::Store:
    return "store";
  case AccessProfile::Kind::Atomic:
    return "atomic";
  }
  return "load";
}

/// Where all sources are that are known, up to and with the last '/'.
std::string commonFolder(const Profile& profile) {
  std::optional<std::string> folder;
  auto take = [&](const ProfilePlace& place) {
    const std::string& file = place.source.file;
    if (place.source.line == 0) return;
    if (!folder) folder = file;
    auto end = std::mismatch(folder->begin(), folder->end(), file.begin(), file.end()).first;
    folder->erase(end, folder->end());
    folder->erase(folder->rfind('/') + 1);
  };
  for (const auto* list : {&profile.workgroup, &profile.storage})
    for (const AccessProfile& a : *list) take(a.place);
  for (const BranchProfile& b : profile.branches) take(b.place);
  for (const BarrierProfile& b : profile.barriers) take(b.place);
  return folder.value_or("");
}

// "file.comp:36" below a folder, with what else is known of the place behind it.
std::string where(const ProfilePlace& place, const std::string& folder, std::string_view what) {
  std::string text;
  if (place.source.line != 0)
    text = fmt::format("{}:{}", place.source.file.substr(folder.size()), place.source.line);
  else if (place.id != 0)
    text = fmt::format("{} %{} in {}", place.opcode, place.id, place.shader);
  else
    text = fmt::format("{} in {}", place.opcode, place.shader);
  if (!what.empty()) text += fmt::format(": {}", what);
  return text;
}

std::string accessed(const AccessProfile& access) {
  std::string text(nameOf(access.kind));
  if (!access.variable.empty()) text += fmt::format(" {}", access.variable);
  if (access.contention.most > 1)
    text += fmt::format(", up to {} lanes on one address", access.contention.most);
  return text;
}

// Right-aligned figures, then the place and the source line.
class Table {
public:
  Table(std::string title, std::vector<std::string> columns, size_t rows)
      : title_(std::move(title)), most_(rows) {
    cells_.push_back(std::move(columns));
    cells_.back().push_back("where");
    sources_.emplace_back();
  }
  void add(std::vector<std::string> row, std::string place, const std::string& source) {
    ++count_;
    if (most_ != 0 && count_ > most_) return;
    row.push_back(std::move(place));
    cells_.push_back(std::move(row));
    sources_.push_back(source);
  }
  std::string text() const {
    if (count_ == 0) return {};
    std::vector<size_t> widths(cells_[0].size());
    for (const auto& row : cells_)
      for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    std::string text = fmt::format("\n{}\n", title_);
    for (size_t r = 0; r < cells_.size(); ++r) {
      std::string line;
      for (size_t c = 0; c + 1 < widths.size(); ++c)
        line += fmt::format("  {:>{}}", cells_[r][c], widths[c]);
      line += fmt::format("  {:<{}}", cells_[r].back(), widths.back());
      if (!sources_[r].empty()) line += "  | " + sources_[r];
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    if (count_ + 1 > cells_.size())
      text += fmt::format("  and {} more (--top=0 shows all)\n", count_ + 1 - cells_.size());
    return text;
  }

private:
  std::string title_;
  size_t most_, count_ = 0;
  std::vector<std::vector<std::string>> cells_;
  std::vector<std::string> sources_;
};

std::string number(uint64_t value) {
  return fmt::format("{}", value);
}
std::string average(const Tally& tally) {
  return fmt::format("{:.2f}", tally.average());
}
std::string percent(double part) {
  return fmt::format("{:.1f}%", 100 * part);
}

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

double usedShare(const AccessProfile& access, const TargetProfile& target) {
  return share(double(access.usedBytes),
               double(access.sectors.total) * std::max(target.sectorBytes, 1u));
}

/// What the tables of a profile have in common.
struct Style {
  const TargetProfile& target;
  std::string folder; ///< of all sources
  size_t rows = 0;
};

std::string sharedTable(const Profile& profile, const Style& style) {
  uint64_t cycles = 0, clean = 0;
  for (const AccessProfile& a : profile.workgroup) cycles += a.cycles, clean += a.cleanCycles;
  const bool isCached = style.target.isSharedMemoryCached();
  const std::string beyond = percent(share(double(cycles - clean), double(cycles)));
  Table table(isCached ? fmt::format("Workgroup memory: {} cache lines, {} of them more than the "
                                     "data needs",
                                     cycles, beyond)
                       : fmt::format("Workgroup memory: {} bank cycles, {} of them from conflicts",
                                     cycles, beyond),
              {isCached ? "lines" : "cycles", "ideal", isCached ? "most" : "degree", "average",
               "lanes", "executions"},
              style.rows);
  for (const AccessProfile& a : profile.workgroup)
    table.add({number(a.cycles), number(a.cleanCycles), number(a.degree.most), average(a.degree),
               average(a.lanes), number(a.lanes.count)},
              where(a.place, style.folder, accessed(a)), a.place.text);
  return table.text();
}

std::string storageTable(const Profile& profile, const Style& style) {
  uint64_t sectors = 0;
  double used = 0;
  for (const AccessProfile& a : profile.storage)
    sectors += a.sectors.total, used += double(a.usedBytes);
  const uint32_t bytes = std::max(style.target.sectorBytes, 1u);
  Table table(fmt::format("Storage buffers: {} sectors of {} bytes touched, {} of their bytes used",
                          sectors, bytes, percent(share(used, double(sectors) * bytes))),
              {"sectors", "most", "average", "used", "lanes", "executions"}, style.rows);
  for (const AccessProfile& a : profile.storage)
    table.add({number(a.sectors.total), number(a.sectors.most), average(a.sectors),
               percent(usedShare(a, style.target)), average(a.lanes), number(a.lanes.count)},
              where(a.place, style.folder, accessed(a)), a.place.text);
  return table.text();
}

std::string branchTable(const Profile& profile, const Style& style) {
  uint64_t divergent = 0, executions = 0;
  for (const BranchProfile& b : profile.branches)
    divergent += b.divergent, executions += b.lanes.count;
  Table table(fmt::format("Branches: divergent in {} of {} executions", divergent, executions),
              {"divergent", "share", "lanes", "executions"}, style.rows);
  for (const BranchProfile& b : profile.branches)
    table.add({number(b.divergent), percent(share(double(b.divergent), double(b.lanes.count))),
               average(b.lanes), number(b.lanes.count)},
              where(b.place, style.folder, {}), b.place.text);
  return table.text();
}

std::string barrierTable(const Profile& profile, const Style& style) {
  uint64_t executions = 0, incomplete = 0;
  for (const BarrierProfile& b : profile.barriers)
    executions += b.arrivals.count, incomplete += b.incomplete;
  Table table(
      fmt::format("Barriers: {} executions, {} of them with lanes missing", executions, incomplete),
      {"executions", "arrivals", "least", "incomplete"}, style.rows);
  for (const BarrierProfile& b : profile.barriers)
    table.add({number(b.arrivals.count), average(b.arrivals), number(b.arrivals.least),
               number(b.incomplete)},
              where(b.place, style.folder, {}), b.place.text);
  return table.text();
}

std::string findingLines(const Profile& profile, size_t rows) {
  if (profile.findings.empty()) return {};
  std::string text = "\nFindings of the interpreter:\n";
  size_t count = profile.findings.size();
  if (rows != 0) count = std::min(count, rows);
  for (size_t n = 0; n < count; ++n)
    text += fmt::format("  {}: {}\n", profile.findings[n].shader, profile.findings[n].text);
  if (count < profile.findings.size())
    text += fmt::format("  and {} more (--top=0 shows all)\n", profile.findings.size() - count);
  return text;
}

std::string shaderLine(const ShaderProfile& s) {
  std::string groups = s.workgroups == s.allWorkgroups
                           ? number(s.workgroups)
                           : fmt::format("{} of {}", s.workgroups, s.allWorkgroups);
  return fmt::format("shader {}: {} workgroup{} of {}x{}x{} in {} dispatch{}\n", s.name, groups,
                     s.allWorkgroups == 1 ? "" : "s", s.workgroupSize[0], s.workgroupSize[1],
                     s.workgroupSize[2], s.dispatches, s.dispatches == 1 ? "" : "es");
}

// ----- JSON -----

ordered_json placeJson(const ProfilePlace& place) {
  ordered_json json{{"shader", place.shader}};
  if (!place.source.file.empty()) json["file"] = place.source.file;
  if (place.source.line != 0) json["line"] = place.source.line;
  if (place.source.column != 0) json["column"] = place.source.column;
  if (!place.text.empty()) json["source"] = place.text;
  json["instruction"] = place.opcode;
  if (place.id != 0) json["id"] = place.id;
  return json;
}

ordered_json tallyJson(const Tally& tally) {
  return {{"min", tally.least}, {"average", tally.average()}, {"max", tally.most}};
}

ordered_json accessJson(const AccessProfile& access) {
  ordered_json json = placeJson(access.place);
  if (!access.variable.empty()) json["variable"] = access.variable;
  json["kind"] = nameOf(access.kind);
  json["bytes"] = access.bytes;
  json["executions"] = access.lanes.count;
  json["lanes"] = tallyJson(access.lanes);
  if (access.contention.count != 0) json["contention"] = tallyJson(access.contention);
  return json;
}

ordered_json listsJson(const Profile& profile, const TargetProfile& target) {
  ordered_json json;
  json["workgroup"] = ordered_json::array();
  for (const AccessProfile& a : profile.workgroup) {
    ordered_json row = accessJson(a);
    row["degree"] = tallyJson(a.degree);
    row["cycles"] = a.cycles;
    row["clean-cycles"] = a.cleanCycles;
    json["workgroup"].push_back(std::move(row));
  }
  json["storage"] = ordered_json::array();
  for (const AccessProfile& a : profile.storage) {
    ordered_json row = accessJson(a);
    row["sectors"] = tallyJson(a.sectors);
    row["sectors"]["total"] = a.sectors.total;
    row["used"] = usedShare(a, target);
    json["storage"].push_back(std::move(row));
  }
  json["branches"] = ordered_json::array();
  for (const BranchProfile& b : profile.branches) {
    ordered_json row = placeJson(b.place);
    row["executions"] = b.lanes.count;
    row["lanes"] = tallyJson(b.lanes);
    row["divergent"] = b.divergent;
    json["branches"].push_back(std::move(row));
  }
  json["barriers"] = ordered_json::array();
  for (const BarrierProfile& b : profile.barriers) {
    ordered_json row = placeJson(b.place);
    row["executions"] = b.arrivals.count;
    row["arrivals"] = tallyJson(b.arrivals);
    row["lanes"] = b.lanes;
    row["incomplete"] = b.incomplete;
    json["barriers"].push_back(std::move(row));
  }
  return json;
}

} // namespace

std::string formatProfile(const Profile& profile, const TargetProfile& target, size_t rows) {
  const Style style{target, commonFolder(profile), rows};
  const std::string banks =
      target.isSharedMemoryCached()
          ? fmt::format("shared memory in cache lines of {} bytes", target.bankBytes)
          : fmt::format("{} bank{} of {} bytes", target.banks, target.banks == 1 ? "" : "s",
                        target.bankBytes);
  std::string text =
      fmt::format("target {}: subgroups of {}, {}, sectors of {} bytes\n", target.name,
                  target.subgroupSize, banks, std::max(target.sectorBytes, 1u));
  for (const ShaderProfile& s : profile.shaders) text += shaderLine(s);
  if (!style.folder.empty()) text += fmt::format("sources in {}\n", style.folder);
  return text + sharedTable(profile, style) + storageTable(profile, style) +
         branchTable(profile, style) + barrierTable(profile, style) + findingLines(profile, rows);
}

std::string profileToJson(const Profile& profile, const TargetProfile& target,
                          const std::vector<std::string>& notes) {
  ordered_json json;
  json["target"] = {{"name", target.name},
                    {"subgroup-size", target.subgroupSize},
                    {"banks", target.banks},
                    {"bank-bytes", target.bankBytes},
                    {"sector-bytes", target.sectorBytes}};
  json["complete"] = profile.incomplete.empty();
  json["shaders"] = ordered_json::array();
  for (const ShaderProfile& s : profile.shaders)
    json["shaders"].push_back({{"name", s.name},
                               {"workgroup-size", s.workgroupSize},
                               {"dispatches", s.dispatches},
                               {"workgroups", s.workgroups},
                               {"workgroups-asked", s.allWorkgroups}});
  json.update(listsJson(profile, target));
  json["findings"] = ordered_json::array();
  for (const RunFinding& finding : profile.findings) {
    ordered_json row{{"kind", finding.kind}, {"text", finding.text}, {"shader", finding.shader}};
    if (!finding.file.empty()) row["file"] = finding.file;
    if (finding.line != 0) row["line"] = finding.line;
    if (!finding.variable.empty()) row["variable"] = finding.variable;
    json["findings"].push_back(std::move(row));
  }
  json["notes"] = notes;
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace lanewise::driver
