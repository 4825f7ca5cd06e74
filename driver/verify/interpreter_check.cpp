// The order of the questions: can it run the original, what does a workgroup cost, how much of the
// program does the budget buy, what does the original do wrong, what do only the others do wrong.
#include "verify/interpreter_check.h"

#include "support/stopwatch.h"
#include "verify/compare/run_findings.h"
#include "verify/deterministic_places.h"
#include "verify/interpreter/choose_workgroups.h"
#include "verify/interpreter/interpreter_runner.h"
#include "verify/writers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace lanewise::driver {
namespace {

using interpreter::LaneOrder;
using Touched = std::vector<TouchedPages>; // of the compared buffers

// When a Stopwatch ends it all: at as many times the budget, and these seconds.
constexpr double kPatience = 4, kLeastPatience = 5;
// Of the inputs of a round: steps in the loops of one invocation, and of all of a workgroup.
constexpr uint64_t kRoundStepsOfLane = uint64_t(1) << 14, kRoundStepsOfWorkgroup = uint64_t(1)
                                                                                   << 23;
// Where workgroups run in an order in which one may wait for another that comes later.
constexpr uint64_t kStepsOfWaiting = uint64_t(1) << 18;
// Where the buffers hold more, only the first of several generated inputs are tried: generating
// them takes longer than running.
constexpr uint64_t kManyBytes = 64 << 20;

struct NamedOrder {
  LaneOrder order;
  const char* name;
  Poison poison; ///< the pattern alternates, so that what depends on it shows; see poisonOf()
};
constexpr NamedOrder kOrders[] = {
    {LaneOrder::Forward, "forward", Poison::Positive},
    {LaneOrder::Reverse, "reverse", Poison::Negative},
    {LaneOrder::Interleaved, "interleaved", Poison::Positive},
};

uint64_t workgroupsOf(const ProgramDispatch& dispatch) {
  return uint64_t(dispatch.groups[0]) * dispatch.groups[1] * dispatch.groups[2];
}

bool haveSameGrids(const Program& a, const Program& b) {
  return a.repeat == b.repeat &&
         std::equal(a.dispatches.begin(), a.dispatches.end(), b.dispatches.begin(),
                    b.dispatches.end(), [](const ProgramDispatch& x, const ProgramDispatch& y) {
                      return x.groups == y.groups && x.indirect == y.indirect;
                    });
}

// Whether they are the same code on the same buffers: the interpreter then does the same.
bool isSame(const Program& a, const Program& b) {
  return a.repeat == b.repeat &&
         std::equal(a.shaders.begin(), a.shaders.end(), b.shaders.begin(), b.shaders.end(),
                    [](const ProgramShader& x, const ProgramShader& y) {
                      return x.words == y.words && x.specConstants == y.specConstants &&
                             x.subgroupSize == y.subgroupSize &&
                             x.reflection.entry == y.reflection.entry;
                    }) &&
         a.dispatches == b.dispatches;
}

class InterpreterCheck {
public:
  InterpreterCheck(ScenarioContents& contents, const Scenario& scenario,
                   std::span<const Program> programs, const std::vector<bool>& isAsked,
                   const InterpreterOptions& options)
      : contents_(contents), scenario_(scenario), programs_(programs), isAsked_(isAsked),
        budget_(options.budgetSeconds),
        runner_(options.budgetSeconds, options.subgroupSize, &contents.caches().code) {
    result_.rows.resize(programs.size());
    result_.exercised.resize(programs.size());
    slots_.resize(programs.size());
    report_.subgroupSize = runner_.device().subgroupSize;
  }

  InterpreterCheckResult run() {
    report_.reason = prepare();
    if (report_.reason.empty()) report_.reason = plan();
    if (report_.reason.empty()) {
      report_.hasRun = true;
      report_.hasAtomics = runner_.hasAtomics(0);
      (void)runner_.takeExercised(0); // of the probe
      for (const InputSet& set : sets_)
        if (!runSet(set)) break;
    }
    if (!report_.comparesOutputs()) contents_.forgetOrders();
    for (size_t p = 0; p < programs_.size() && report_.hasRun; ++p)
      if (slots_[p])
        result_.exercised[p] = runner_.takeExercised(*slots_[p]);
      else if (isAsked_[p] && isSame(programs_[0], programs_[p]))
        result_.exercised[p] = result_.exercised[0];
    return std::move(result_);
  }

private:
  // Each of these gives the reason why nothing can be run, empty if there is none.

  std::string prepare() {
    uint64_t bytes = 0;
    for (const ScenarioBuffer& buffer : scenario_.buffers) bytes += buffer.bytes();
    if (bytes > kMostBytes)
      return fmt::format(
          "the buffers take {} MiB, and it runs at most {} MiB; choose a smaller size",
          (bytes >> 20) + 1, kMostBytes >> 20);
    sets_ = contents_.inputSets();
    // What special values make undefined in the original would excuse what the others show.
    std::erase_if(sets_, [](const InputSet& set) { return set.isExtra; });
    const size_t all = sets_.size();
    if (bytes > kManyBytes) sets_.resize(1);
    report_.inputSets = uint32_t(sets_.size());
    report_.allInputSets = uint32_t(all);
    (void)runner_.makeResources(contents_.shapes());
    uint32_t added = 0;
    for (size_t p = 0; p < programs_.size(); ++p) {
      if (!isAsked_[p] || (p != 0 && isSame(programs_[0], programs_[p]))) continue;
      if (RunStatus failed = runner_.addProgram(programs_[p])) {
        if (p == 0) return failed->message;
        result_.rows[p].reason = failed->message;
      } else {
        slots_[p] = added++;
      }
    }
    return {};
  }

  // Finds out what a workgroup of each dispatch costs, and how much of the program that leaves.
  std::string plan() {
    running_ = {};
    const Program& original = programs_[0];
    report_.allRepeats = original.repeat;
    std::vector<double> costs;
    if (std::string reason = probe(costs); !reason.empty()) return reason;
    double whole = 0;
    for (size_t d = 0; d < costs.size(); ++d) {
      whole += costs[d] * double(groupCount(d));
      report_.allWorkgroups += groupCount(d);
    }
    double share = budget_ * kInstructionsPerSecond / double(runCount()) / std::max(whole, 1.0);
    report_.repeats = uint32_t(std::clamp(std::floor(share), 1.0, double(original.repeat)));
    report_.workgroups = report_.allWorkgroups;
    for (uint32_t d = 0; d < costs.size(); ++d) keepsOrder_.push_back(communicates(d));
    if (share < 1 && isIndirect())
      return "indirect dispatches cannot be run in part, and running all takes too long; choose a "
             "smaller size, or a larger --interpreter-budget";
    if (share < 1) choosePart(share);
    for (size_t p = 1; p < programs_.size(); ++p)
      if (slots_[p] && share < original.repeat && !haveSameGrids(original, programs_[p])) {
        slots_[p].reset();
        result_.rows[p].reason =
            "only a part was run, and its dispatches differ from the original's";
      }
    return {};
  }

  void choosePart(double share) {
    report_.workgroups = 0;
    for (uint32_t d = 0; d < programs_[0].dispatches.size(); ++d) {
      const ProgramDispatch& dispatch = programs_[0].dispatches[d];
      // Two at least: one has nobody to race with.
      uint32_t count = uint32_t(std::max(2.0, share * double(workgroupsOf(dispatch))));
      parts_.push_back(chooseWorkgroups(dispatch.groups, count, keepsOrder_[d]));
      report_.workgroups += parts_.back().size();
    }
  }

  std::string probe(std::vector<double>& costs) {
    std::vector<std::vector<uint32_t>> probes;
    // Counts in a buffer are right only where all that is to write them has run.
    if (isIndirect()) probes.resize(programs_[0].dispatches.size());
    for (const ProgramDispatch& dispatch : programs_[0].dispatches) {
      if (isIndirect()) break;
      uint32_t middle = uint32_t(workgroupsOf(dispatch) / 2);
      probes.push_back({0});
      if (middle != 0 && !communicates(uint32_t(probes.size() - 1)))
        probes.back().push_back(middle);
    }
    InterpreterPlan plan;
    plan.repeat = 1;
    plan.workgroups = probes;
    // What takes longer than its part of the whole will not come to an end: no run takes less.
    plan.timeoutSeconds = patience() / double(1 + ordersOfAll());
    contents_.fill(sets_[0]);
    plan.inputsNumber = contents_.inputsNumber(Poison::Positive);
    plan.stepLimit = stepLimit();
    RunStatus failed = runner_.execute(0, contents_.inputs(Poison::Positive), plan);
    (void)runner_.takeFindings();
    countInstructions();
    if (failed)
      return "the original: " + reasonOf(*failed, "its first workgroups", plan.timeoutSeconds);
    for (size_t d = 0; d < probes.size(); ++d)
      costs.push_back(
          double(runner_.instructions()[d]) /
          double(isIndirect() ? std::max<uint64_t>(groupCount(d), 1) : uint64_t(probes[d].size())));
    return {};
  }

  bool isIndirect() const {
    const std::vector<ProgramDispatch>& all = programs_[0].dispatches;
    return std::any_of(all.begin(), all.end(), [](const ProgramDispatch& d) { return d.indirect; });
  }

  // Of those whose counts stand in a buffer, what the probe has found there.
  uint64_t groupCount(size_t dispatch) const {
    return isIndirect() ? runner_.workgroups()[dispatch]
                        : workgroupsOf(programs_[0].dispatches[dispatch]);
  }

  // Whether workgroups of the original's dispatch may speak to one another in some program.
  bool communicates(uint32_t dispatch) const {
    for (size_t p = 0; p < programs_.size(); ++p)
      if (slots_[p] && dispatch < programs_[p].dispatches.size() &&
          runner_.hasStorageAtomics(*slots_[p], dispatch))
        return true;
    return false;
  }

  uint64_t ordersOfAll() const {
    uint64_t orders = 0;
    for (const InputSet& set : sets_) orders += ordersOf(set).size();
    return orders;
  }

  uint64_t runCount() const {
    return ordersOfAll() *
           uint64_t(std::count_if(slots_.begin(), slots_.end(),
                                  [](const auto& slot) { return slot.has_value(); }));
  }

  double patience() const { return budget_ * kPatience + kLeastPatience; }
  double secondsLeft() const { return patience() - running_.seconds(); }

  // After a part of a dispatch the next one may well read what was not written.
  Poison poisonOf(const NamedOrder& order) const {
    return parts_.empty() ? order.poison : Poison::Positive;
  }

  // Of what began at `start`.
  std::string reasonOf(const RunFailure& failed, std::string_view what, double limit,
                       double start = 0) {
    if (running_.seconds() < start + limit) return failed.message;
    report_.isTooLong = true;
    return fmt::format(
        "{} took more than {:.2g} seconds; choose smaller inputs, or a larger --interpreter-budget",
        what, limit);
  }

  // All orders with the first inputs, one with the others. Atomics tell invocations of one another
  // without a race: there what depends on the order may depend on the inputs as well.
  std::span<const NamedOrder> ordersOf(const InputSet& set) const {
    const bool isFirst = set.name == sets_[0].name && scenario_.round.empty();
    const bool mayDepend = !scenario_.round.empty() || runner_.hasAtomics(0);
    return {kOrders, isFirst ? std::size(kOrders) : mayDepend ? 2 : 1};
  }

  InterpreterPlan planOf(size_t p, const NamedOrder& order) const {
    InterpreterPlan plan;
    plan.order = order.order;
    plan.repeat = haveSameGrids(programs_[0], programs_[p]) ? report_.repeats : 0;
    plan.workgroups = parts_;
    plan.keepsWorkgroupOrder = keepsOrder_;
    plan.keepsWorkgroupOrder.resize(programs_[p].dispatches.size());
    plan.timeoutSeconds = secondsLeft();
    plan.inputsNumber = contents_.inputsNumber(poisonOf(order));
    plan.stepLimit = stepLimit();
    // A rewrite may take more steps than the original got away with; one that never ends takes all.
    if (p != 0) plan.stepLimit = 2 * workOf(p) * std::max(plan.stepLimit, interpreter::kLoopSlice);
    return plan;
  }

  RunStatus runProgram(size_t p, const NamedOrder& order, const InterpreterPlan& plan,
                       Touched& outputs) {
    RunStatus failed = execute(p, order, plan, outputs);
    countInstructions();
    return failed;
  }

  RunStatus execute(size_t p, const NamedOrder& order, const InterpreterPlan& plan,
                    Touched& outputs) {
    RunStatus failed = runner_.execute(*slots_[p], contents_.inputs(poisonOf(order)), plan);
    for (uint32_t buffer : contents_.comparedOf(p)) outputs.push_back(runner_.touched(buffer));
    return failed;
  }

  void countInstructions() {
    for (uint64_t instructions : runner_.instructions()) report_.instructions += instructions;
  }

  // Invocations of the original whose work one of the program's does (--coarsen-invocations).
  uint64_t workOf(size_t p) const {
    uint64_t most = 1;
    for (size_t s = 0; s < std::min(programs_[0].shaders.size(), programs_[p].shaders.size());
         ++s) {
      const uint64_t own = programs_[p].shaders[s].reflection.invocations();
      most = std::max(most, programs_[0].shaders[s].reflection.invocations() /
                                std::max<uint64_t>(own, 1));
    }
    return most;
  }

  // What takes long with the inputs of a round shows no more than what does not.
  uint64_t stepLimit() const {
    if (scenario_.round.empty()) return InterpreterPlan().stepLimit;
    const uint64_t lanes = programs_[0].shaders[0].reflection.invocations();
    return std::min(kRoundStepsOfLane, kRoundStepsOfWorkgroup / std::max<uint64_t>(lanes, 1));
  }

  // False when there is no point in going on.
  bool runSet(const InputSet& set) {
    contents_.fill(set);
    std::vector<Touched> expected;
    for (const NamedOrder& order : ordersOf(set))
      if (!runOriginal(set, order, expected)) return false;
    tryOtherWorkgroupOrders(set, expected[0]);
    findDeterministicPlaces();
    for (size_t p = 1; p < programs_.size(); ++p)
      for (size_t n = 0; n < expected.size() && slots_[p]; ++n)
        runOther(p, set, kOrders[n], expected[n]);
    return true;
  }

  bool runOriginal(const InputSet& set, const NamedOrder& order, std::vector<Touched>& expected) {
    Touched outputs;
    InterpreterPlan plan = planOf(0, order);
    // Runs take about as long as one another: with one that takes twice its share there is no end.
    const double start = running_.seconds();
    plan.timeoutSeconds = std::min(plan.timeoutSeconds, 2 * patience() / double(ordersOfAll()));
    RunStatus failed = runProgram(0, order, plan, outputs);
    takeOriginalFindings();
    if (failed) {
      report_.reason =
          "the original: " + reasonOf(*failed, "a run of it", plan.timeoutSeconds, start);
      // What was seen of the original is no longer all there is to see.
      report_.hasRun = false;
      for (InterpreterCheckRow& row : result_.rows) row = {};
      return false;
    }
    for (size_t n = 0; n < outputs.size(); ++n)
      (void)contents_.unpack(0, contents_.compared()[n], poisonOf(order), nullptr, outputs[n]);
    if (std::find(report_.orders.begin(), report_.orders.end(), order.name) == report_.orders.end())
      report_.orders.push_back(order.name);
    if (!expected.empty())
      noteOrders(
          expected[0], outputs, poisonOf(order),
          fmt::format("in {} versus {} order{}", kOrders[0].name, order.name, suffixOf(set)));
    expected.push_back(std::move(outputs));
    return true;
  }

  // Two runs of the original, the first in the first order.
  void noteOrders(const Touched& first, const Touched& other, Poison poison,
                  const std::string& which) {
    if (report_.isUnsound) return;
    for (size_t n = 0; n < first.size(); ++n) {
      const uint32_t buffer = contents_.compared()[n];
      while (auto one =
                 contents_.difference(buffer, first[n], poisonOf(kOrders[0]), other[n], poison))
        contents_.weaken(buffer, *one, which);
    }
  }

  // Workgroups that speak to one another have only run in their own order: the last may as well
  // come first. One that waits for those before it then does not end, which no device promises.
  void tryOtherWorkgroupOrders(const InputSet& set, const Touched& expected) {
    if (!runner_.hasAtomics(0)) return;
    if (std::find(keepsOrder_.begin(), keepsOrder_.end(), true) != keepsOrder_.end())
      tryOrder({LaneOrder::Reverse, "descending", kOrders[0].poison},
               "with workgroups in ascending versus descending order", set, expected);
    // What one order of lanes does and undoes in pairs, another does not. Rounds do without.
    if (!scenario_.round.empty()) return;
    tryOrder({LaneOrder::Random, "random", kOrders[0].poison}, "in forward versus random order",
             set, expected);
    // A device runs others between two atomics of an invocation.
    tryOrder({LaneOrder::Alternating, "alternating", kOrders[0].poison},
             "in forward order versus one that alternates at atomics", set, expected);
  }
  void tryOrder(const NamedOrder& order, const std::string& versus, const InputSet& set,
                const Touched& expected) {
    auto planFor = [&](size_t p) {
      InterpreterPlan plan = planOf(p, order);
      plan.keepsWorkgroupOrder = {};
      plan.stepLimit = std::min(plan.stepLimit, kStepsOfWaiting);
      return plan;
    };
    // One that waits for those before it shows nothing by not ending.
    auto ends = [&](size_t p, Touched& outputs) {
      const RunStatus failed = execute(p, order, planFor(p), outputs);
      if (failed) (void)runner_.takeFindings();
      return !failed;
    };
    Touched outputs;
    if (!ends(0, outputs)) return;
    takeOriginalFindings();
    for (size_t n = 0; n < outputs.size(); ++n)
      (void)contents_.unpack(0, contents_.compared()[n], poisonOf(order), nullptr, outputs[n]);
    noteOrders(expected, outputs, poisonOf(order), versus + suffixOf(set));
    // Of the others what they alone do wrong.
    for (size_t p = 1; p < programs_.size() && !report_.isUnsound; ++p)
      if (Touched others; slots_[p] && ends(p, others)) {
        takeOwnFindings(p, set);
        compareOutputs(p, set, order, outputs, others, planFor);
      }
  }

  // Of outputs that depend on the order, what does not. Needs all that writes them.
  void findDeterministicPlaces() {
    if (report_.isUnsound || !scenario_.round.empty() || !parts_.empty() ||
        report_.repeats != programs_[0].repeat || haveOtherSubgroups())
      return;
    std::vector<DeterministicPlaces::Buffer> buffers;
    for (uint32_t buffer : contents_.compared())
      // A scenario that asks for a multiset asks for no place.
      if (const ScenarioBuffer& shape = contents_.buffer(buffer);
          contents_.isOrderDependent(buffer) && contents_.plainBuffer(0, shape.name) &&
          !std::holds_alternative<CompareMultiset>(shape.compare))
        buffers.push_back({buffer, shape.bytes(), shape.smallestScalarBytes()});
    if (buffers.empty()) return;
    DeterministicPlaces places(programs_[0], buffers);
    for (LaneOrder order : {LaneOrder::Forward, LaneOrder::Interleaved, LaneOrder::Alternating,
                            LaneOrder::Reverse, LaneOrder::Random}) {
      InterpreterPlan plan = planOf(0, {order, "", kOrders[0].poison});
      plan.observer = &places;
      if (order == LaneOrder::Reverse || order == LaneOrder::Random) plan.keepsWorkgroupOrder = {};
      plan.stepLimit = std::min(plan.stepLimit, kStepsOfWaiting);
      places.beginRun();
      const RunStatus failed = runner_.execute(0, contents_.inputs(kOrders[0].poison), plan);
      (void)runner_.takeFindings();
      // Where workgroups wait for those before them, what depends on their order does not show.
      if (failed) return;
      places.endRun(runner_);
    }
    for (const DeterministicPlaces::Buffer& buffer : buffers)
      if (std::vector<uint8_t> is = places.of(buffer.number); !is.empty())
        contents_.setDeterministic(buffer.number,
                                   {std::move(is), places.contentsOf(buffer.number)});
  }

  // Whether some program asks for subgroups of another size than the original, on which it may
  // depend how many places are written.
  bool haveOtherSubgroups() const {
    const auto sizeOf = [](const ProgramShader& shader) { return shader.subgroupSize; };
    return std::ranges::any_of(programs_, [&](const Program& program) {
      return !std::ranges::equal(program.shaders, programs_[0].shaders, {}, sizeOf, sizeOf);
    });
  }

  void takeOriginalFindings() {
    std::vector<RunFinding> found = runner_.takeFindings();
    for (RunFinding& finding : found) {
      // What only the missing part of a dispatch makes wrong is not held against anybody.
      if (finding.isAfterPart || isByTheLetter(finding)) finding.decides = false;
      report_.isUnsound |= finding.decides && isUnpredictable(finding);
    }
    known_.insert(known_.end(), found.begin(), found.end());
    addFindings(result_.originalFindings, std::move(found));
  }

  // What the original does not do.
  void takeOwnFindings(size_t p, const InputSet& set) {
    InterpreterCheckRow& row = result_.rows[p];
    std::vector<RunFinding> own;
    for (RunFinding& finding : runner_.takeFindings())
      if (!hasDefect(known_, finding)) own.push_back(std::move(finding));
    auto decides = [](const RunFinding& finding) { return finding.decides; };
    if (std::none_of(row.findings.begin(), row.findings.end(), decides)) row.suffix = suffixOf(set);
    addFindings(row.findings, std::move(own));
  }

  void runOther(size_t p, const InputSet& set, const NamedOrder& order, const Touched& expected) {
    InterpreterCheckRow& row = result_.rows[p];
    Touched outputs;
    RunStatus failed = runProgram(p, order, planOf(p, order), outputs);
    takeOwnFindings(p, set);
    if (failed) {
      row.reason = reasonOf(*failed, "it", patience());
      slots_[p].reset();
      return;
    }
    compareOutputs(p, set, order, expected, outputs,
                   [&](size_t program) { return planOf(program, order); });
  }

  // `planFor` gives the plan by which a program ran.
  void compareOutputs(size_t p, const InputSet& set, const NamedOrder& order,
                      const Touched& expected, Touched& outputs,
                      const std::function<InterpreterPlan(size_t program)>& planFor) {
    InterpreterCheckRow& row = result_.rows[p];
    if (!row.differences.empty()) return;
    for (size_t n = 0; n < outputs.size() && row.differences.empty(); ++n) {
      const uint32_t buffer = contents_.compared()[n];
      auto stray = contents_.unpack(p, buffer, poisonOf(order), &expected[n], outputs[n]);
      if (stray)
        addDifference(row, set, order, std::move(*stray));
      else
        compareBuffer(row, set, order, buffer, expected[n], outputs[n]);
    }
    if (!row.differences.empty()) lookForWriters(p, order, planFor, row.differences);
  }

  // Once more, so that only what differs pays for being watched.
  void lookForWriters(size_t p, const NamedOrder& order,
                      const std::function<InterpreterPlan(size_t program)>& planFor,
                      std::vector<BufferDifference>& differences) {
    nameWriters(
        contents_, {p, programs_[0], programs_[p]},
        [&](size_t program, RunObserver& observer) {
          InterpreterPlan plan = planFor(program);
          plan.observer = &observer;
          return runner_.execute(*slots_[program], contents_.inputs(poisonOf(order)), plan);
        },
        differences);
    (void)runner_.takeFindings();
  }

  static void addDifference(InterpreterCheckRow& row, const InputSet& set, const NamedOrder& order,
                            BufferDifference difference) {
    row.differences.push_back(std::move(difference));
    row.differsIn = fmt::format("with invocations in {} order{}", order.name, suffixOf(set));
  }

  void compareBuffer(InterpreterCheckRow& row, const InputSet& set, const NamedOrder& order,
                     uint32_t buffer, const TouchedPages& expected, const TouchedPages& outputs) {
    Poison poison = poisonOf(order);
    auto difference = contents_.difference(buffer, expected, poison, outputs, poison);
    if (!difference) return;
    if (!contents_.difference(buffer, expected, poison, outputs, poison,
                              Strictness::UpToRounding)) {
      if (row.rounding.empty()) row.rounding = describe(*difference);
      return;
    }
    addDifference(row, set, order, std::move(*difference));
  }

  ScenarioContents& contents_;
  const Scenario& scenario_;
  std::span<const Program> programs_;
  const std::vector<bool>& isAsked_;
  double budget_;
  InterpreterRunner runner_;
  InterpreterCheckResult result_;
  InterpreterReport& report_ = result_.report;
  std::vector<RunFinding> known_; ///< of the original, with the first time in each order
  std::vector<InputSet> sets_;
  std::vector<std::optional<uint32_t>> slots_; ///< by program: the runner's number for it
  std::vector<std::vector<uint32_t>> parts_;   ///< by dispatch: the workgroups; empty: all
  std::vector<bool> keepsOrder_;               ///< by dispatch: workgroups start in their order
  Stopwatch running_;
};

} // namespace

InterpreterCheckResult checkWithInterpreter(ScenarioContents& contents, const Scenario& scenario,
                                            std::span<const Program> programs,
                                            const std::vector<bool>& isAsked,
                                            const InterpreterOptions& options) {
  return InterpreterCheck(contents, scenario, programs, isAsked, options).run();
}

} // namespace lanewise::driver
