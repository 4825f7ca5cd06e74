#include "run/run_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {

std::string durationText(double nanoseconds) {
  struct Unit {
    double nanoseconds;
    const char* name;
  };
  for (const Unit& unit : {Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "us"}})
    if (nanoseconds >= unit.nanoseconds) {
      const double value = nanoseconds / unit.nanoseconds;
      return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : 1, unit.name);
    }
  return fmt::format("{:.0f} ns", nanoseconds);
}

std::string nameText(std::string_view name) {
  constexpr size_t kMostCharacters = 60;
  auto isContinuation = [](char c) { return (uint8_t(c) & 0xc0) == 0x80; }; // of UTF-8
  std::string text;
  size_t characters = 0, cut = 0; // `cut`: where the dots go
  for (const char c : name) {
    if (!isContinuation(c) && ++characters > kMostCharacters) return text.substr(0, cut) + "...";
    if (!isContinuation(c) && characters == kMostCharacters - 2) cut = text.size();
    text += uint8_t(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return text;
}

std::string constantsText(const PipelineTimes& pipeline) {
  std::string text;
  for (const auto& [id, bits] : pipeline.constants)
    if (const auto known = pipeline.constantTexts.find(id); known != pipeline.constantTexts.end())
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", id, known->second);
    else
      text += fmt::format("{}{}={:#x}", text.empty() ? "" : " ", id, bits);
  return text;
}

std::string moduleText(const PipelineTimes& pipeline) {
  return pipeline.module.empty() ? "-" : pipeline.module.substr(0, kHashDigits);
}

std::string labelOf(const PipelineTimes& pipeline, bool isAlone) {
  if (pipeline.created == 0) return "(no pipeline)";
  std::string label = nameText(!pipeline.name.empty() ? pipeline.name : pipeline.entry);
  if (label.empty()) label = "(no name)";
  if (isAlone || pipeline.constants.empty()) return label;
  constexpr size_t kMostBytes = 48; // some have thirty constants; JSON has them all
  std::string constants = constantsText(pipeline);
  if (constants.size() > kMostBytes) constants = constants.substr(0, kMostBytes - 3) + "...";
  return label + fmt::format(" [{}]", constants);
}

std::string tableOf(const std::vector<TextRow>& rows, std::string_view sides) {
  std::vector<size_t> widths(rows[0].size());
  for (const TextRow& row : rows)
    for (size_t n = 0; n < row.size(); ++n) widths[n] = std::max(widths[n], row[n].size());
  std::string text;
  for (const TextRow& row : rows) {
    std::string line;
    for (size_t n = 0; n < row.size(); ++n)
      line += sides[n] == 'R' ? fmt::format("{:>{}}  ", row[n], widths[n])
                              : fmt::format("{:<{}}  ", row[n], widths[n]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string countOf(uint64_t dispatches) {
  return dispatches == 1 ? "1 dispatch" : fmt::format("{} dispatches", dispatches);
}

} // namespace lanewise::driver
