#include "tuning/space.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>

namespace lanewise::driver {

namespace {

constexpr std::string_view kCoarsening = "coarsen-invocations", kPadding = "pad-shared-memory",
                           kPredication = "branch-to-predication", kLayouts = "aos-to-soa";
/// Passes whose remarks begin their arguments with the name that --skip takes.
constexpr std::string_view kNamesSites[] = {kPadding, kPredication, "eliminate-redundant-barriers",
                                            "eliminate-dead-shared-initialization"};
constexpr uint32_t kMostCopies = 16;       // of an invocation, coarsened
constexpr uint32_t kLeastInvocations = 32; // that a coarsened workgroup keeps
constexpr size_t kMostSites = 6;           // of a pass that are left out one by one
constexpr size_t kFewCombinations = 4; // that are tried with other passes than the best ones, too

/// Behind canonical form, in front of -O.
Candidate before(std::vector<std::string> flags) {
  Candidate c{{"-Os"}, {}, false, {}};
  std::ranges::move(flags, std::back_inserter(c.passes));
  c.passes.push_back("-O");
  return c;
}

/// -O has a place for the pass.
Candidate coarsened(const std::string& factors) {
  return {{"-O", fmt::format("--{}={}", kCoarsening, factors)}, {}, false, {}};
}

bool isCoarsening(std::string_view flag) {
  return flag.starts_with(fmt::format("--{}=", kCoarsening));
}

/// What -O with `coarsening` does in front of the passes whose modes are tried.
std::vector<std::string> spelledOut(const std::string& coarsening) {
  return {"--inline", "-Os", coarsening, "-O"};
}

void addOnce(std::vector<Candidate>& to, Candidate c) {
  if (std::ranges::find(to, c) == to.end()) to.push_back(std::move(c));
}

/// `flag` in front of the last -O, in place of any other mode of its pass.
Candidate withMode(Candidate c, std::string_view pass, std::string_view mode) {
  std::erase_if(c.passes, [&](const std::string& flag) {
    return flag.substr(0, flag.find('=')) == fmt::format("--{}", pass);
  });
  if (c.passes == std::vector<std::string>{"-O"}) c.passes.insert(c.passes.begin(), "-Os");
  if (isCoarsening(c.passes.back())) c.passes = spelledOut(c.passes.back());
  const auto last = std::ranges::find(c.passes, "-O");
  c.passes.insert(last, fmt::format("--{}={}", pass, mode));
  return c;
}

void addModes(const SpaceFacts& facts, const Candidate& from, std::vector<Candidate>& to) {
  constexpr std::pair<std::string_view, std::string_view> kModes[] = {
      {kPadding, "pad"}, {kPadding, "swizzle"}, {kPredication, "always"}};
  if (std::ranges::find(from.passes, "-O") == from.passes.end()) return;
  for (const auto& [pass, mode] : kModes)
    if (facts.allows(pass)) addOnce(to, withMode(from, pass, mode));
}

} // namespace

bool SpaceFacts::allows(std::string_view pass) const {
  return passes.empty() || std::ranges::find(passes, pass) != passes.end();
}

std::vector<std::string> coarseningFactors(std::span<const std::array<uint32_t, 3>> sizes) {
  constexpr uint32_t kFactors[] = {1, 2, 3, 4, 6, 8, 16};
  std::vector<std::string> all;
  const auto isFit = [&](uint32_t x, uint32_t y) {
    return std::ranges::any_of(sizes, [&](const std::array<uint32_t, 3>& size) {
      const uint32_t invocations = size[0] * size[1] * size[2];
      return size[0] % x == 0 && size[1] % y == 0 && invocations / (x * y) >= kLeastInvocations;
    });
  };
  for (uint32_t copies = 2; copies <= kMostCopies; ++copies)
    for (uint32_t x : kFactors)
      for (uint32_t y : kFactors)
        if (x * y == copies && isFit(x, y)) all.push_back(fmt::format("{},{},1", x, y));
  return all;
}

std::vector<Candidate> firstCandidates(const SpaceFacts& facts) {
  Candidate small;
  small.passes = {"-Os"};
  std::vector<Candidate> all = {Candidate(), standardCandidate(), small};
  addModes(facts, standardCandidate(), all);
  for (std::string_view pass :
       {"eliminate-redundant-checks", "eliminate-dead-shared-initialization"})
    if (facts.allows(pass)) all.push_back(before({fmt::format("--{}", pass)}));
  if (facts.allows(kCoarsening)) {
    all.push_back(coarsened("auto"));
    for (const std::string& factors : coarseningFactors(facts.workgroupSizes))
      all.push_back(coarsened(factors));
  }
  return all;
}

std::vector<Candidate> neighbours(const SpaceFacts& facts, const Candidate& from,
                                  const Remarks& remarks) {
  std::vector<Candidate> all;
  if (from.passes.empty()) return all;
  std::map<std::string, std::set<std::string>> sites; // by pass
  for (const Remark& r : remarks) {
    const bool isNamed = std::ranges::find(kNamesSites, r.pass) != std::end(kNamesSites);
    if (r.kind != Remark::Kind::Applied || !isNamed || !facts.allows(r.pass)) continue;
    sites[r.pass].insert(r.args.empty() ? "*" : r.args.front().second);
  }
  const auto addWithout = [&](const std::string& pass, const std::string& site) {
    Candidate c = from;
    c.skip.push_back(pass + ":" + site);
    addOnce(all, std::move(c));
  };
  for (const auto& [pass, names] : sites) {
    addWithout(pass, "*");
    if (names.size() > kMostSites) continue;
    for (const std::string& name : names) addWithout(pass, name);
  }
  addModes(facts, from, all);
  return all;
}

namespace {

void addLayouts(const SpaceFacts& facts, std::vector<Candidate>& all) {
  if (!facts.allows(kLayouts)) return;
  for (const char* mode : {"auto", "soa", "aosoa:16", "aosoa:32", "aosoa:64", "aosoa:128"})
    all.push_back({{"-O", fmt::format("--{}={}", kLayouts, mode)}, {}, false, {}});
}

} // namespace

std::vector<Candidate> hostCandidates(const SpaceFacts& facts, std::span<const Parameters> values,
                                      const Candidate& best) {
  std::vector<Candidate> all;
  if (!facts.mayAskHost) return all;
  const Candidate standard = standardCandidate();
  std::vector<Candidate> plans{best};
  if (values.size() <= kFewCombinations) plans = {Candidate{}, standard, best};
  for (const Parameters& point : values)
    for (Candidate c : plans) {
      c.values = point;
      addOnce(all, std::move(c));
    }
  for (const Candidate& from : {standard, best})
    for (Candidate& c : hostNeighbours(facts, from)) addOnce(all, std::move(c));
  addLayouts(facts, all);
  return all;
}

std::vector<Candidate> hostNeighbours(const SpaceFacts& facts, const Candidate& from) {
  std::vector<Candidate> all;
  if (!from.values.empty())
    for (Candidate c : {Candidate{}, standardCandidate()}) {
      c.values = from.values;
      c.subgroupSize = from.subgroupSize;
      addOnce(all, std::move(c));
    }
  for (const uint32_t size : facts.subgroupSizes) {
    Candidate c = from;
    c.subgroupSize = size;
    if (c != from) all.push_back(std::move(c));
  }
  if (!facts.hasSpecConstants) return all;
  Candidate frozen = from;
  frozen.freezes = true;
  all.push_back(frozen);
  if (!facts.allows(kCoarsening)) return all;
  for (const std::string& factors : coarseningFactors(facts.workgroupSizes)) {
    Candidate c = coarsened(factors);
    c.freezes = true;
    c.values = from.values;
    c.subgroupSize = from.subgroupSize;
    all.push_back(std::move(c));
  }
  return all;
}

} // namespace lanewise::driver
