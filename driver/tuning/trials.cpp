#include "tuning/trials.h"

#include "support/progress_line.h"
#include "tuning/value_search.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {

namespace {

/// Combinations of values that are all tried: a race for a few more costs less than a race more.
constexpr size_t kWholeGrid = 32;

} // namespace

Result<SpaceFacts> Trials::facts(const Parameters& values) {
  Result<SpaceFacts> facts = builder_.facts(values);
  if (!facts) return facts;
  facts->passes = options_.passes;
  facts->mayAskHost = options_.mayAskHost;
  facts->subgroupSizes = options_.subgroupSizes;
  return facts;
}

Result<std::vector<Parameters>> Trials::values(size_t from, const CandidateRace& race) {
  const Scenario& scenario = builder_.scenario();
  const ValueGrid grid(scenario.tunables, scenario.parameters, [this](const Parameters& values) {
    return builder_.meetsConstraints(values);
  });
  if (grid.size() <= kWholeGrid) return grid.all();
  if (Status s = searchGrid(grid, from, race); !s) return s.error();
  std::set<Parameters> tried;
  for (const Tried& one : result_.tried)
    if (one.problem.empty()) tried.insert(one.program->candidate.values);
  result_.notes.push_back(fmt::format(
      "tried {} of {} combinations of values: some far apart, then those around the best",
      tried.size(), grid.size()));
  return std::vector<Parameters>();
}

Status Trials::searchGrid(const ValueGrid& grid, size_t from, const CandidateRace& race) {
  return searchValues(
      grid, options_.batch, [&](std::vector<Parameters> points) -> Result<Parameters> {
        std::vector<Candidate> candidates(points.size(), result_.tried[from].program->candidate);
        for (size_t n = 0; n < points.size(); ++n) candidates[n].values = std::move(points[n]);
        const Result<size_t> best = race(std::move(candidates));
        if (!best) return best.error();
        return result_.tried[*best].program->candidate.values;
      });
}

std::vector<size_t> Trials::add(std::vector<Candidate> candidates, size_t few) {
  std::vector<size_t> made;
  for (Candidate& candidate : candidates) {
    ProgressLine::tell(
        ProgressLine::Level::Detail,
        fmt::format("making {} of {}", &candidate - candidates.data() + 1, candidates.size()));
    Tried one;
    Result<BuiltProgram> built = builder_.build(candidate);
    if (!built) {
      one.problem = built.error().message;
      BuiltProgram none;
      none.candidate = std::move(candidate);
      one.program = std::make_shared<const BuiltProgram>(std::move(none));
      result_.tried.push_back(std::move(one));
      continue;
    }
    if (!known_.try_emplace(built->digest, result_.tried.size()).second) {
      ++result_.same;
      continue;
    }
    const bool isOriginal = result_.tried.empty();
    one.program = std::make_shared<const BuiltProgram>(std::move(*built));
    if (!isOriginal) made.push_back(result_.tried.size());
    result_.tried.push_back(std::move(one));
  }
  if (made.size() <= few || !compilers_ || compilers_->choices().empty()) return made;
  for (size_t n : made) predictBy(compilers_->choices().front().name, n);
  // What no compiler can tell anything of comes last, in the order of proposal.
  std::ranges::stable_sort(made, {}, [&](size_t n) {
    const std::optional<Prediction>& told = result_.tried[n].predicted;
    return std::pair(!told, told ? told->cost : 0);
  });
  return made;
}

void Trials::predictBy(const std::string& name, size_t index) {
  Tried& one = result_.tried[index];
  ProgressLine::tell(ProgressLine::Level::Detail,
                     fmt::format("asking {} for {}", name, one.program->candidate.name()));
  const Predictions told =
      predict(*compilers_, builder_.scenario(), *one.program, builder_.target());
  if (const auto found = told.find(name); found != told.end()) one.predicted = found->second;
}

void Trials::leaveOut(std::span<const size_t> indices) {
  for (size_t n : indices) {
    result_.tried[n].isLeftOut = true;
    result_.tried[n].problem = "no time was left for it";
  }
  result_.leftOut += indices.size();
}

} // namespace lanewise::driver
