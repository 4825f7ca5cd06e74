#include "verify/interpreter/run/findings.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver::interpreter {
namespace {

struct KindText {
  std::string_view text, name;
};

constexpr KindText kTexts[] = {
    {"data race (write-write)", "race-write-write"},
    {"data race (read-write)", "race-read-write"},
    {"data race (write-write of the same value)", "race-same-value"},
    {"data race (incomplete synchronization)", "race-incomplete"},
    {"uninitialized read", "uninitialized-read"},
    {"undefined value", "undefined-value"},
    {"out-of-range access", "out-of-range"},
    {"division by zero", "division-by-zero"},
    {"barrier that not all invocations reach", "divergent-barrier"},
    {"infinite loop", "endless-loop"},
    {"unreachable code reached", "unreachable-reached"},
};

std::string invocation(const Participant& p, bool withWorkgroup) {
  return withWorkgroup ? fmt::format("invocation {} of workgroup {}", p.lane, p.workgroup)
                       : fmt::format("invocation {}", p.lane);
}

} // namespace

bool isRace(FindingKind kind) {
  return kind <= FindingKind::RaceIncomplete;
}

std::string_view textOf(FindingKind kind) {
  return kTexts[size_t(kind)].text;
}

std::string_view nameOf(FindingKind kind) {
  return kTexts[size_t(kind)].name;
}

void FindingLog::add(Finding finding) {
  Place place{finding.kind, finding.at.site, finding.other.site};
  auto [known, isNew] = byPlace_.try_emplace(place, finding);
  if (isNew) return;
  uint64_t count = known->second.count + finding.count;
  uint64_t furthest = std::max(known->second.furthest, finding.furthest);
  auto rank = [](const Finding& f) { return std::tie(f.at, f.other, f.offset); };
  if (rank(finding) < rank(known->second)) known->second = std::move(finding);
  known->second.count = count;
  known->second.furthest = furthest;
}

bool FindingLog::count(FindingKind kind, const Participant& at, const Participant& other,
                       uint64_t offset) {
  auto known = byPlace_.find(Place{kind, at.site, other.site});
  if (known == byPlace_.end()) return false;
  const Finding& f = known->second;
  if (std::tie(at, other, offset) < std::tie(f.at, f.other, f.offset)) return false;
  ++known->second.count;
  known->second.furthest = std::max(f.furthest, offset);
  return true;
}

void FindingLog::merge(const FindingLog& other) {
  for (const auto& [place, finding] : other.byPlace_) add(finding);
}

std::vector<Finding> FindingLog::sorted() const {
  std::vector<Finding> all;
  for (const auto& [place, finding] : byPlace_) all.push_back(finding);
  std::stable_sort(all.begin(), all.end(), [](const Finding& x, const Finding& y) {
    return std::tie(x.kind, x.at.site, x.other.site) < std::tie(y.kind, y.at.site, y.other.site);
  });
  return all;
}

std::string describeSite(const Program& program, uint32_t site) {
  std::string_view opcode = factsOf(program.opcodeAt(site)).name;
  SourceLocation at = program.location(site);
  if (at.line == 0) return fmt::format("{} (no source line)", opcode);
  if (at.column == 0) return fmt::format("{}:{} ({})", at.file, at.line, opcode);
  return fmt::format("{}:{}:{} ({})", at.file, at.line, at.column, opcode);
}

uint32_t listedId(const Program& program, uint32_t site) {
  const Module& module = program.module();
  const InstRef inst = program.sites[site].inst;
  if (const Id result = module.resultId(inst)) return result.value;
  switch (module.opcode(inst)) {
  case spv::Op::OpStore:
  case spv::Op::OpAtomicStore:
  case spv::Op::OpBranchConditional:
  case spv::Op::OpSwitch:
    return module.word(inst, 1);
  default:
    return 0;
  }
}

std::string describe(const Program& program, const Finding& f) {
  std::string text(textOf(f.kind));
  if (!f.variable.empty()) text += fmt::format(" of `{}`", f.variable);
  if (f.bytes != 0) text += fmt::format(" at byte {}", f.offset);
  text += fmt::format(": {} at {}", invocation(f.at, true), describeSite(program, f.at.site));
  bool isElsewhere = f.other.workgroup != f.at.workgroup;
  if (isRace(f.kind))
    text += fmt::format(", {} at {}", invocation(f.other, isElsewhere),
                        describeSite(program, f.other.site));
  else if (f.kind == FindingKind::DivergentBarrier)
    text += fmt::format(", not reached by invocation {}", f.other.lane);
  else if (f.other.site != 0)
    text += fmt::format(", comes from {}", describeSite(program, f.other.site));
  if (!f.detail.empty()) text += fmt::format(" ({})", f.detail);
  if (f.count > 1) text += fmt::format("; {} times", f.count);
  return text;
}

} // namespace lanewise::driver::interpreter
