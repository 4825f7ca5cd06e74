#include "verify/run_findings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace lanewise::driver {
namespace {

std::string_view groupOf(std::string_view kind) {
  if (kind == "race-write-write" || kind == "race-read-write") return "race";
  if (kind == "uninitialized-read" || kind == "undefined-value") return "undefined";
  return kind;
}

using Line = std::pair<std::string_view, uint32_t>;

std::array<Line, 2> linesOf(const RunFinding& finding) {
  return {Line{finding.file, finding.line}, Line{finding.otherFile, finding.otherLine}};
}

// Whether the lines of both speak of one file, and of different lines there.
bool isElsewhere(const RunFinding& x, const RunFinding& y) {
  bool isOneFile = false;
  for (const Line& a : linesOf(x))
    for (const Line& b : linesOf(y)) {
      if (a.second == 0 || b.second == 0 || a.first != b.first) continue;
      if (a.second == b.second) return false;
      isOneFile = true;
    }
  return isOneFile;
}

} // namespace

bool isSameDefect(const RunFinding& original, const RunFinding& other) {
  if (original.shader != other.shader || groupOf(original.kind) != groupOf(other.kind))
    return false;
  bool areNamed = !original.variable.empty() && !other.variable.empty();
  if (areNamed && original.variable != other.variable) return false;
  return !isElsewhere(original, other);
}

bool hasDefect(std::span<const RunFinding> original, const RunFinding& other) {
  return std::any_of(original.begin(), original.end(),
                     [&](const RunFinding& one) { return isSameDefect(one, other); });
}

bool isUnpredictable(const RunFinding& finding) {
  std::string_view group = groupOf(finding.kind);
  return group == "race" || group == "undefined" || group == "divergent-barrier";
}

void addFindings(std::vector<RunFinding>& all, std::vector<RunFinding> more) {
  for (RunFinding& one : more) {
    bool isKnown = std::any_of(all.begin(), all.end(), [&](const RunFinding& known) {
      return known.kind == one.kind && known.place == one.place;
    });
    if (!isKnown) all.push_back(std::move(one));
  }
}

} // namespace lanewise::driver
