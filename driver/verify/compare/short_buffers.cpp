#include "verify/compare/short_buffers.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

// Beyond that it is no count but an index below 0 that wrapped around.
constexpr uint64_t kMostElements = uint64_t(1) << 31;

ShortBuffer describeMiss(const Scenario& scenario, const RunFinding& finding) {
  const RangeMiss& miss = *finding.miss;
  const ScenarioBuffer& buffer = scenario.buffers[miss.buffer];
  const int64_t header = int64_t(buffer.headerBytes()), size = int64_t(buffer.elementBytes());
  auto elementAt = [&](int64_t offset) {
    const int64_t from = offset - header;
    return from >= 0 ? from / size : (from + 1) / size - 1;
  };
  ShortBuffer found;
  found.buffer = buffer.name;
  found.scenario = scenario.path;
  found.count = buffer.count;
  found.element = elementAt(miss.offset);
  // What begins inside and ends outside is out of range as well.
  if (found.element >= 0 && uint64_t(found.element) < found.count)
    found.element = elementAt(miss.offset + miss.bytes - 1);
  found.isWrite = miss.isWrite;
  const int64_t last = elementAt(miss.furthest + miss.bytes - 1);
  if (found.element >= 0 && last >= found.element && uint64_t(last) < kMostElements)
    found.leastCount = uint64_t(last) + 1;
  found.finding = finding;
  return found;
}

} // namespace

std::vector<ShortBuffer> shortBuffersOf(const Scenario& scenario,
                                        std::span<const RunFinding> findings) {
  std::vector<ShortBuffer> all;
  for (const RunFinding& finding : findings) {
    if (!finding.miss || finding.isAfterPart || scenario.path.empty()) continue;
    if (scenario.buffers[finding.miss->buffer].image) continue;
    ShortBuffer found = describeMiss(scenario, finding);
    auto known = std::find_if(all.begin(), all.end(),
                              [&](const ShortBuffer& one) { return one.buffer == found.buffer; });
    if (known == all.end())
      all.push_back(std::move(found));
    else if (!known->leastCount || !found.leastCount)
      known->leastCount.reset();
    else
      known->leastCount = std::max(*known->leastCount, *found.leastCount);
  }
  return all;
}

std::string describe(const ShortBuffer& s) {
  const std::string place = s.finding.line ? fmt::format("at {}:{}", s.finding.file, s.finding.line)
                                           : std::string("at an unknown line");
  const std::string mend =
      s.leastCount
          ? fmt::format("set its `count` to {} or more, or keep the index in range", *s.leastCount)
          : fmt::format("no `count` is large enough; {}keep the index in range",
                        s.element < 0 ? "" : "dispatch fewer `groups`, or ");
  return fmt::format("the original {} element {} of buffer `{}`, whose `count` in {} is {}, {}; {}",
                     s.isWrite ? "writes" : "reads", s.element, s.buffer, s.scenario, s.count,
                     place, mend);
}

} // namespace lanewise::driver
