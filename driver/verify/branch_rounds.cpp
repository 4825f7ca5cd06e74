#include "verify/branch_rounds.h"

#include "verify/inputs/contents.h"
#include "verify/interpreter/choose_workgroups.h"
#include "verify/interpreter/run/memory.h"
#include "verify/interpreter/steering.h"
#include "verify/interpreter_check.h"
#include "verify/program/bind_program.h"
#include "verify/program/marshal.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace lanewise::driver {
namespace {

using interpreter::Instr;
using interpreter::Op;
using interpreter::WantedScalar;

// Lanes of which one is asked for what would send it elsewhere; answers that are kept; and those of
// them that one round takes, each for another lane.
constexpr size_t kMostAsked = 64, kMostAnswers = 16, kMostTaken = 4;
// Branches of a round that are tried alone where all together are too much for the original.
constexpr size_t kMostAlone = 4;
// Inputs with which one branch is looked into, and runs that look for the next round.
constexpr size_t kMostInputs = 3, kMostSearches = 3;
constexpr uint64_t kStepsOfLane = uint64_t(1) << 14;
constexpr double kPatienceSeconds = 60; // steps decide; this is for a host that stands still

using Answer = std::vector<WantedScalar>;

constexpr size_t kPushConstants = SIZE_MAX;

bool isBranch(const Instr& i) {
  return i.op == Op::Branch || i.op == Op::Switch;
}

uint32_t waysOf(const interpreter::Program& code, const Instr& branch) {
  return branch.op == Op::Branch ? 2 : 1 + uint32_t(code.switches[branch.aux].cases.size());
}

// Asks lanes at branches for what would send them along the edges in question.
class Asker final : public RunObserver {
public:
  explicit Asker(const interpreter::Program& code)
      : code_(code), steering_(code), isOpen_(code.edgeCount), asked_(code.edgeCount) {}
  void open(uint32_t edge) { isOpen_[edge] = true; }
  bool asksForInstances() const override { return false; }
  void beginDispatch(uint32_t, const interpreter::Program&,
                     const std::array<uint32_t, 3>&) override {}

  void branch(const interpreter::BranchEvent& event) override {
    const Instr& branch = *event.branch;
    const uint32_t last = branch.c + waysOf(code_, branch);
    uint32_t edge = last; // that was asked for least
    for (uint32_t n = branch.c; n < last; ++n)
      if (isOpen_[n] && (edge == last || asked_[n] < asked_[edge])) edge = n;
    if (edge == last) return;
    std::vector<Answer>& answers = answers_[edge];
    if (++asked_[edge] >= kMostAsked || answers.size() >= kMostAnswers) isOpen_[edge] = false;
    // Next to a bound, and far beyond it.
    constexpr uint32_t kSlack[] = {0, 1, 1000, 0};
    Answer answer =
        steering_.wantedFor(branch, edge, event.cells, kSlack[answers.size() % std::size(kSlack)]);
    if (!answer.empty() && std::find(answers.begin(), answers.end(), answer) == answers.end())
      answers.push_back(std::move(answer));
  }
  const std::vector<Answer>& answersFor(uint32_t edge) { return answers_[edge]; }

private:
  const interpreter::Program& code_;
  interpreter::Steering steering_;
  std::vector<bool> isOpen_;
  std::vector<size_t> asked_;
  std::map<uint32_t, std::vector<Answer>> answers_;
};

std::string placeOf(const interpreter::Program& code, uint32_t edge) {
  const auto branch = std::find_if(code.code.begin(), code.code.end(), [&](const Instr& i) {
    return isBranch(i) && edge >= i.c && edge < i.c + waysOf(code, i);
  });
  const SourceLocation place = code.location(branch->site);
  if (place.line != 0) return fmt::format("line {}", place.line);
  const BlockRef block = code.blockAt(uint32_t(branch - code.code.begin())).block;
  return fmt::format("the end of block %{}", code.module().labelId(block).value);
}

} // namespace

/// What would send lanes along one edge, in places of the scenario. Buffer kPushConstants stands
/// for those.
struct BranchRounds::Edits {
  using Place = std::pair<size_t, uint64_t>; ///< buffer, byte
  std::string where;
  std::vector<std::pair<Place, BufferEdit>> all;
};

// Of the targets those at branches that lanes come to with these inputs, as far as it was not asked
// for them.
std::vector<BranchRounds::Target> BranchRounds::openTargets(size_t start, const SoundInputs& inputs,
                                                            std::span<const Target> targets) const {
  std::vector<std::vector<bool>> isReached(inputs.exercised.size()); // by program and edge
  for (size_t p = 0; p < isReached.size(); ++p) {
    if (inputs.exercised[p].empty()) continue;
    const ExercisedShader& seen = inputs.exercised[p][0];
    isReached[p].resize(seen.edges.size());
    for (const Instr& i : seen.code->code) {
      if (!isBranch(i)) continue;
      const auto first = seen.edges.begin() + i.c, last = first + waysOf(*seen.code, i);
      if (std::any_of(first, last, [](uint8_t way) { return way != 0; }))
        std::fill_n(isReached[p].begin() + i.c, last - first, true);
    }
  }
  std::vector<Target> open;
  for (const Target& target : targets) {
    const auto asked = asked_.find(target);
    const bool isDone = asked != asked_.end() &&
                        (asked->second.size() >= kMostInputs || asked->second.count(start) != 0);
    const std::vector<bool>& here = isReached[target.program];
    if (!here.empty() && here[target.edge] && !isDone) open.push_back(target);
  }
  return open;
}

// Runs the programs up to those branches, and takes answers that do not contradict one another.
class BranchRounds::Search {
public:
  Search(const Scenario& scenario, const Marshalling& marshalling,
         std::span<const Program> programs, uint32_t subgroupSize, uint64_t seed, RunCaches& caches)
      : scenario_(scenario), marshalling_(marshalling), programs_(programs),
        contents_(marshalling, programs, seed, caches),
        runner_(kPatienceSeconds, subgroupSize, &caches.code) {
    isReady_ = bool(contents_.readFiles()) && !runner_.makeResources(contents_.shapes());
    if (isReady_) contents_.fill(contents_.inputSets()[0]);
  }

  void ask(size_t program, std::span<const Target> targets) {
    if (!isReady_ || runner_.addProgram(programs_[program])) return;
    const interpreter::Program& code = runner_.code(added_, 0);
    Asker asker(code);
    for (const Target& target : targets)
      if (target.program == program) asker.open(target.edge);
    run(program, asker);
    ++added_;
    for (const Target& target : targets) {
      if (target.program != program) continue;
      Edits edits;
      size_t taken = 0;
      for (const Answer& answer : asker.answersFor(target.edge))
        if (taken < kMostTaken && take(answer, edits)) ++taken;
      if (edits.all.empty()) continue;
      edits.where = placeOf(code, target.edge);
      found_.push_back(std::move(edits));
    }
  }
  std::vector<Edits> found() { return std::move(found_); }
  uint64_t cost() const { return cost_; }

private:
  // On workgroups that a round runs in any case.
  void run(size_t program, Asker& asker) {
    const bool isPrefix = runner_.hasStorageAtomics(added_, 0);
    const std::vector<uint32_t> part =
        chooseWorkgroups(programs_[program].dispatches[0].groups, 2, isPrefix);
    InterpreterPlan plan;
    plan.repeat = 1;
    plan.workgroups = {&part, 1};
    plan.keepsWorkgroupOrder = {isPrefix};
    plan.timeoutSeconds = kPatienceSeconds;
    plan.stepLimit = kStepsOfLane;
    plan.observer = &asker;
    (void)runner_.execute(added_, contents_.inputs(Poison::Positive), plan);
    cost_ += runner_.instructions()[0];
  }

  // Where that is, if it is of the inputs: what was never computed on the way to the branch is not.
  std::optional<Edits::Place> placeIn(const WantedScalar& wanted) const {
    const uint32_t object = interpreter::objectOf(wanted.address);
    const uint64_t offset = interpreter::offsetOf(wanted.address), end = offset + wanted.bytes;
    if (object == contents_.shapes().size() + 1) {
      if (end > scenario_.dispatches[0].pushConstants.size()) return std::nullopt;
      return Edits::Place{kPushConstants, offset};
    }
    const size_t buffer = size_t(object) - 1;
    if (object == 0 || buffer >= scenario_.buffers.size() || scenario_.buffers[buffer].image ||
        marshalling_.packedAt(uint32_t(buffer)) || end > scenario_.buffers[buffer].bytes())
      return std::nullopt;
    return Edits::Place{buffer, offset};
  }

  bool take(const Answer& answer, Edits& edits) {
    std::vector<std::pair<Edits::Place, BufferEdit>> all;
    for (const WantedScalar& wanted : answer)
      if (auto place = placeIn(wanted))
        all.push_back({*place, {place->second, wanted.bytes, wanted.value}});
    for (const auto& [place, edit] : all)
      if (auto known = taken_.find(place); known != taken_.end() && known->second != edit.value)
        return false;
    for (const auto& [place, edit] : all) taken_[place] = edit.value;
    edits.all.insert(edits.all.end(), all.begin(), all.end());
    return !all.empty();
  }

  const Scenario& scenario_;
  const Marshalling& marshalling_;
  std::span<const Program> programs_;
  ScenarioContents contents_;
  InterpreterRunner runner_;
  bool isReady_ = false;
  uint32_t added_ = 0;
  uint64_t cost_ = 0;
  std::map<Edits::Place, uint64_t> taken_;
  std::vector<Edits> found_;
};

std::vector<BranchRounds::Edits> BranchRounds::findEdits(const Scenario& scenario,
                                                         std::span<const Target> targets) {
  Result<Marshalling> marshalling = marshal(scenario, variants_);
  if (!marshalling) return {};
  std::vector<std::string> unused;
  Result<std::vector<Program>> programs =
      bindPrograms(*marshalling, variants_, unused, caches_.reflections);
  if (!programs) return {};
  Search search(scenario, *marshalling, *programs, subgroupSize_, seed_, caches_);
  for (size_t p = 0; p < programs->size(); ++p)
    if (isAsked_[p] && std::any_of(targets.begin(), targets.end(),
                                   [p](const Target& target) { return target.program == p; }))
      search.ask(p, targets);
  cost_ += search.cost();
  return search.found();
}

Scenario BranchRounds::edited(const Scenario& base, std::span<const Edits> which) {
  Scenario scenario = base;
  scenario.triesSpecialValues = false;
  scenario.round =
      fmt::format("values that take the other side of the branch at {}", which[0].where);
  std::set<std::string> places; // several programs have the same branches
  for (const Edits& edits : which) places.insert(edits.where);
  if (places.size() > 1) scenario.round += fmt::format(" and {} more", places.size() - 1);
  for (const Edits& edits : which)
    for (const auto& [place, edit] : edits.all)
      if (place.first == kPushConstants)
        std::memcpy(&scenario.dispatches[0].pushConstants[edit.offset], &edit.value, edit.bytes);
      else
        scenario.buffers[place.first].edits.push_back(edit);
  return scenario;
}

std::optional<RoundAim> BranchRounds::next(std::span<const SoundInputs> tried,
                                           std::span<const Exercised> taken) {
  std::vector<Target> untaken;
  for (size_t p = 0; p < taken.size(); ++p)
    if (!taken[p].empty())
      for (uint32_t edge : untakenEdges(taken[p][0])) untaken.push_back({p, edge});
  for (size_t searches = 0; searches < kMostSearches; ++searches) {
    // The inputs that reach most, and of those the ones that others led to.
    std::vector<Target> targets;
    size_t start = 0;
    for (size_t s = tried.size(); s-- > 0 && !untaken.empty();) {
      std::vector<Target> here = openTargets(s, tried[s], untaken);
      if (here.size() > targets.size()) targets = std::move(here), start = s;
    }
    if (targets.empty()) return std::nullopt;
    for (const Target& target : targets) asked_[target].insert(start);
    const std::vector<Edits> found = findEdits(tried[start].scenario, targets);
    if (found.empty()) continue;
    RoundAim aim;
    aim.splits = true;
    aim.tries.push_back(edited(tried[start].scenario, found));
    for (size_t n = 0; n < std::min(found.size(), kMostAlone) && found.size() > 1; ++n)
      aim.tries.push_back(edited(tried[start].scenario, {&found[n], 1}));
    return aim;
  }
  return std::nullopt;
}

} // namespace lanewise::driver
