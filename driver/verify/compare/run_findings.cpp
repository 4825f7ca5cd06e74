#include "verify/compare/run_findings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace lanewise::driver {
namespace {

bool isRace(std::string_view kind) {
  return kind == "race-write-write" || kind == "race-read-write";
}

bool isUndefined(std::string_view kind) {
  return kind == "uninitialized-read" || kind == "undefined-value";
}

// Whether what the original does in one way may be seen in the other one of what was made of it.
// Which lanes are ordered by the letter only, passes may well change where nothing orders them.
bool isExcusedBy(std::string_view other, std::string_view original) {
  if (other == "race-incomplete") return other == original || isRace(original);
  return other == original || (isUndefined(other) && isUndefined(original));
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

// Whether two names are of two things. "tile_1" is a copy of "tile": one for each invocation of a
// coarsened workgroup (--coarsen-invocations).
bool areOtherNames(std::string_view original, std::string_view other) {
  if (original.empty() || other.empty() || original == other) return false;
  if (!other.starts_with(original)) return true;
  other.remove_prefix(original.size());
  return other.size() < 2 || other[0] != '_' ||
         other.find_first_not_of("0123456789", 1) != std::string_view::npos;
}

// Whether they speak of two resources, or of two members of one.
bool areApart(const MemoryPlace& x, const MemoryPlace& y) {
  if (x.resource.empty() || y.resource.empty()) return false;
  if (areOtherNames(x.resource, y.resource)) return true;
  if (x.layout != y.layout || !x.member || !y.member) return false;
  return !x.member->starts_with(*y.member) && !y.member->starts_with(*x.member);
}

// Which of two racing accesses comes second is a matter of the source.
bool areSameInvocations(const FirstTime& x, const FirstTime& y) {
  return (x.at == y.at && x.other == y.other) || (x.at == y.other && x.other == y.at);
}

// Whether both first happen to the same bytes by the same invocations, wherever the source has
// them.
bool isSameTime(const RunFinding& original, const RunFinding& other) {
  if (!original.first || !other.first) return false;
  const FirstTime &x = *original.first, &y = *other.first;
  if (!areSameInvocations(x, y)) return false;
  if (x.bytes == 0 && y.bytes == 0) return original.shader != other.shader;
  const bool isOneResource = !other.memory.resource.empty()
                                 ? original.memory.resource == other.memory.resource
                                 : !other.variable.empty() && original.variable == other.variable;
  if (!isOneResource) return false;
  return x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes &&
         y.furthest <= std::max(x.furthest, x.offset + x.bytes - 1);
}

bool isSamePlace(const RunFinding& original, const RunFinding& other) {
  if (areApart(original.memory, other.memory)) return false;
  if (areOtherNames(original.variable, other.variable)) return false;
  if (original.shader == other.shader && !isElsewhere(original, other)) return true;
  return isSameTime(original, other);
}

} // namespace

bool isSameDefect(const RunFinding& original, const RunFinding& other) {
  return isExcusedBy(other.kind, original.kind) && isSamePlace(original, other);
}

bool hasDefect(std::span<const RunFinding> original, const RunFinding& other) {
  auto isThere = [&](std::string_view kind) {
    return std::any_of(original.begin(), original.end(), [&](const RunFinding& one) {
      return one.kind == kind && isSamePlace(one, other);
    });
  };
  // What was read in a race and written may well be the same value in one order and not in another.
  if (other.kind == "race-write-write" && isThere("race-same-value") && isThere("race-read-write"))
    return true;
  return std::any_of(original.begin(), original.end(),
                     [&](const RunFinding& one) { return isSameDefect(one, other); });
}

bool isRace(const RunFinding& finding) {
  return isRace(std::string_view(finding.kind));
}

bool hasOtherPlace(const RunFinding& finding) {
  return finding.otherLine != 0 &&
         (finding.otherLine != finding.line || finding.otherFile != finding.file);
}

std::string_view otherPlaceText(const RunFinding& finding) {
  return isRace(finding) ? "the other access is here" : "the value comes from here";
}

std::string_view variableHere(const RunFinding& finding) {
  // A value is read from the variable where it comes from, not where it is used.
  return isRace(finding) || !hasOtherPlace(finding) ? std::string_view(finding.variable) : "";
}

bool isUnpredictable(const RunFinding& finding) {
  return isRace(finding.kind) || isUndefined(finding.kind) || finding.kind == "divergent-barrier";
}

bool isByTheLetter(const RunFinding& finding) {
  return finding.kind == "race-incomplete";
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
