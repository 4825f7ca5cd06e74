// Subjects as they stand on the page.
#include "report/html/report.h"
#include "report/html/subject_section.h"

#include <nlohmann/json.hpp>

namespace lanewise::driver {

namespace {

using Json = nlohmann::ordered_json;

std::string stateText(const ReportSubject& s) {
  switch (s.state) {
  case ReportState::Done:
    return s.isUnchanged ? "unchanged" : "not checked";
  case ReportState::Verified:
    return countRemarks(s.remarks).undone != 0 ? "verified, a pass undone" : "verified";
  case ReportState::Unverified:
    return s.isInputKept ? "unverified, input kept" : "unverified";
  case ReportState::Unsound:
    return "original unsound";
  case ReportState::Differs:
    return "differs";
  case ReportState::Fallback:
    return "not optimized";
  case ReportState::Failed:
    break;
  }
  return "failed";
}

} // namespace

ReportEntry entryOf(const ReportSubject& s) {
  ReportEntry entry;
  entry.name = s.name;
  entry.state = s.state;
  entry.stateText = stateText(s);
  entry.reason = s.reason;
  entry.isWhole = s.isWhole;
  entry.isUnchanged = s.isUnchanged || s.isInputKept;
  const RemarkCounts counts = countRemarks(s.remarks);
  entry.applied = s.isInputKept ? 0 : counts.applied;
  entry.missed = counts.missed;
  entry.undone = counts.undone;
  entry.bytesBefore = s.bytesBefore;
  entry.bytesAfter = s.bytesAfter;
  if (const TimingResult* timing = decidingTiming(s)) {
    entry.ratio = timing->ratio;
    entry.isCpuDevice = s.verification && s.verification->isCpuDevice;
    entry.isFaster = timing->isFaster() && !entry.isCpuDevice;
    entry.isSlower = timing->isSlower() && !entry.isCpuDevice;
  } else if (s.predictedRatio) {
    entry.ratio = s.predictedRatio;
    entry.isPredicted = true;
  }
  if (s.verification) {
    entry.device = s.verification->device + (s.verification->isCpuDevice ? " (CPU)" : "");
    entry.driver = s.verification->driverInfo;
  }
  entry.cards = answerCards(s);
  entry.all = subjectSections(s, Detail::All);
  entry.remarks = subjectSections(s, Detail::Remarks);
  entry.brief = subjectSections(s, Detail::Counts);
  return entry;
}

std::string pack(const ReportEntry& e) {
  Json json = {e.name,        int(e.state),  e.stateText,  e.reason,
               e.isWhole,     e.isUnchanged, e.applied,    e.missed,
               e.undone,      e.bytesBefore, e.bytesAfter, e.ratio ? Json(*e.ratio) : Json(),
               e.isFaster,    e.isSlower,    e.device,     e.driver,
               e.cards,       e.all,         e.remarks,    e.brief,
               e.isCpuDevice, e.isPredicted};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<ReportEntry> unpackEntry(std::string_view bytes) {
  const Json json = Json::parse(bytes, nullptr, false);
  constexpr size_t kFields = 22;
  if (!json.is_array() || json.size() != kFields) return std::nullopt;
  auto isKind = [&](std::initializer_list<size_t> fields, auto is) {
    for (size_t n : fields)
      if (!is(json[n])) return false;
    return true;
  };
  if (!isKind({0, 2, 3, 14, 15, 16, 17, 18, 19}, [](const Json& j) { return j.is_string(); }) ||
      !isKind({1, 6, 7, 8, 9, 10}, [](const Json& j) { return j.is_number_unsigned(); }) ||
      !isKind({4, 5, 12, 13, 20, 21}, [](const Json& j) { return j.is_boolean(); }) ||
      json[1] > int(ReportState::Failed) || !(json[11].is_null() || json[11].is_number()))
    return std::nullopt;
  ReportEntry e;
  e.name = json[0], e.state = ReportState(json[1].get<int>()), e.stateText = json[2];
  e.reason = json[3], e.isWhole = json[4], e.isUnchanged = json[5], e.applied = json[6];
  e.missed = json[7], e.undone = json[8], e.bytesBefore = json[9], e.bytesAfter = json[10];
  if (!json[11].is_null()) e.ratio = json[11].get<double>();
  e.isFaster = json[12], e.isSlower = json[13], e.device = json[14], e.driver = json[15];
  e.cards = json[16], e.all = json[17], e.remarks = json[18], e.brief = json[19];
  e.isCpuDevice = json[20], e.isPredicted = json[21];
  return e;
}

} // namespace lanewise::driver
