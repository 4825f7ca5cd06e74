#include "verify/queue_check/queue_check.h"

#include "support/failure.h"
#include "support/progress_line.h"
#include "support/stopwatch.h"
#include "verify/compare/difference.h"
#include "verify/inputs/contents.h"
#include "verify/interpreter/interpreter_runner.h"
#include "verify/program/bind_program.h"
#include "verify/program/marshal.h"
#include "verify/queue_check/footprints.h"
#include "verify/queues/critical_path.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

namespace lanewise::driver {
namespace {

// Orders that are run for one report: each costs two runs of the whole scenario.
constexpr uint32_t kMostOrders = 16;
// Frames of a hazard whose two commands change places in them.
constexpr size_t kMostTurned = 64;
// Redundant waits that are told.
constexpr size_t kMostWaits = 50;
// Of buffers whose accesses are watched byte by byte.
constexpr uint64_t kMostBytes = uint64_t(256) << 20;

class Checker {
public:
  Checker(const Marshalling& marshalling, const Program& program, const QueueCheckOptions& options)
      : scenario_(marshalling.scenario), program_(program), plan_(*program.queues),
        options_(options), contents_(marshalling, std::span(&program, 1), options.seed, caches_),
        runner_(options.timeoutSeconds, options.subgroupSize, &caches_.code) {}

  Result<QueueCheckReport> run() {
    if (Status files = contents_.readFiles(); !files) return files.error();
    contents_.fill(contents_.inputSets()[0]);
    for (const PlannedSubmission& submission : plan_.submissions)
      report_.commands += uint32_t(submission.commands.size());
    report_.submissions = uint32_t(plan_.submissions.size());
    watch();
    std::vector<std::string> names;
    for (const ScenarioBuffer& buffer : scenario_.buffers) names.push_back(buffer.name);
    QueueFindings found = findHazards(plan_, accesses_, names);
    report_.findings = std::move(found.told);
    report_.hazardsLeftOut = found.hazardsLeftOut;
    report_.areMoreLeftOut = found.areMoreLeftOut;
    const bool isRunnable = HappensBefore(plan_).faults().empty();
    if (isRunnable && report_.notWatched.empty()) runOrders();
    if (isRunnable) addRedundantWaits();
    return std::move(report_);
  }

private:
  void watch() {
    ProgressLine::tell(ProgressLine::Level::Detail, "watching what each command touches");
    std::vector<uint64_t> bytes;
    for (const ScenarioBuffer& buffer : scenario_.buffers) bytes.push_back(buffer.bytes());
    const uint64_t all = std::accumulate(bytes.begin(), bytes.end(), uint64_t(0));
    if (all > kMostBytes) {
      report_.notWatched = fmt::format("the buffers take {} MiB, and at most {} MiB are watched; "
                                       "choose a smaller size",
                                       (all >> 20) + 1, kMostBytes >> 20);
      accesses_ = accessesOf(program_, scenario_.buffers, {});
      return;
    }
    FootprintObserver observer(std::move(bytes));
    (void)runner_.makeResources(contents_.shapes());
    RunStatus failed = runner_.addProgram(program_);
    if (!failed) {
      InterpreterPlan plan;
      plan.timeoutSeconds = options_.timeoutSeconds;
      plan.observer = &observer;
      failed = runner_.execute(0, contents_.inputs(Poison::Positive), plan);
    }
    if (failed)
      report_.notWatched = failed->message;
    else
      instructions_ = runner_.instructions();
    accesses_ = accessesOf(program_, scenario_.buffers,
                           failed ? std::map<uint32_t, CommandAccesses>() : observer.take());
  }

  // ----- hazardous orders -----

  void runOrders() {
    const Stopwatch running;
    uint32_t orders = 0;
    for (QueueFinding& found : report_.findings) {
      if (found.rule != QueueRule::Hazard || orders == kMostOrders) continue;
      if (running.seconds() > options_.timeoutSeconds) return;
      ++orders;
      found.notes.push_back({found.at, outcomeOf(found)});
    }
  }

  // Runs the commands in two orders that the plan allows: in the one, the first of the two places
  // comes before the second in each frame, in the other behind it.
  std::string outcomeOf(const QueueFinding& found) {
    const HappensBefore order(plan_);
    const auto pairs = std::vector(
        found.pairs.begin(),
        found.pairs.begin() + ptrdiff_t(std::min<size_t>(found.pairs.size(), kMostTurned)));
    auto turned = pairs;
    for (auto& [first, second] : turned) std::swap(first, second);
    std::array<Outputs, 2> left;
    const std::array<std::vector<CommandRef>, 2> orders{order.serialOrder(turned),
                                                        order.serialOrder(pairs)};
    for (size_t n = 0; n < 2; ++n) {
      InterpreterRunner runner(options_.timeoutSeconds, options_.subgroupSize, &caches_.code);
      (void)runner.makeResources(contents_.shapes());
      RunStatus failed = runner.addProgram(inOrder(orders[n]));
      if (!failed)
        failed = runner.run(0, contents_.inputs(Poison::Positive), contents_.compared(), left[n]);
      if (failed) return "the interpreter cannot run it in both orders: " + failed->message;
    }
    const auto differences =
        contents_.differences(left[0], Poison::Positive, left[1], Poison::Positive);
    const std::string& a = commandAt(plan_, found.pairs[0].first).name;
    const std::string& b = commandAt(plan_, found.pairs[0].second).name;
    if (differences.empty())
      return fmt::format("run one after the other in the interpreter, either order leaves the same "
                         "outputs; running at once they may still differ");
    return fmt::format("run in the interpreter, the outputs change with the order: {} (`{}` before "
                       "`{}`, then the other way)",
                       describe(differences[0]), a, b);
  }

  // The program as one sequence of these commands.
  Program inOrder(const std::vector<CommandRef>& order) const {
    Program sequence = program_;
    sequence.queues.reset();
    sequence.dispatches.clear();
    sequence.copies.clear();
    for (CommandRef at : order) {
      const PlannedCommand& command = commandAt(plan_, at);
      if (command.kind == PlannedCommand::Kind::Copy)
        sequence.copies.push_back({uint32_t(sequence.dispatches.size()), command.copy});
      if (command.kind == PlannedCommand::Kind::Dispatch)
        sequence.dispatches.push_back(program_.dispatches[command.dispatch]);
    }
    return sequence;
  }

  // ----- waits that order nothing -----

  void addRedundantWaits() {
    size_t told = 0;
    QueuePlan left = plan_; // without those that are told: all of them may go
    for (const RedundantWait& redundant : findRedundantWaits(plan_, accesses_)) {
      const PlannedSubmission& submission = plan_.submissions[redundant.submission];
      // What is wrong with a wait is said with the hazard that it leaves; and a transfer of
      // ownership that is missing will need one.
      const bool isTold = std::any_of(
          report_.findings.begin(), report_.findings.end(), [&](const QueueFinding& found) {
            return (found.rule == QueueRule::Hazard || found.rule == QueueRule::Ownership) &&
                   plan_.submissions[found.pairs[0].second.submission].at == submission.at;
          });
      if (isTold) continue;
      if (told++ >= kMostWaits) {
        ++report_.waitsLeftOut;
        continue;
      }
      QueuePlan less = without(left, redundant.wait.at);
      QueueFinding found;
      found.rule = QueueRule::RedundantWait;
      found.at = redundant.wait.at;
      found.message = fmt::format("`{}` waits for `{}` to reach {}, which orders nothing that is "
                                  "not in order without it{}",
                                  submission.name, plan_.semaphores[redundant.wait.semaphore].name,
                                  redundant.wait.value, worthOf(left, less));
      report_.findings.push_back(std::move(found));
      left = std::move(less);
    }
  }

  // By instructions of the interpreter, the only clock that there is without a device.
  std::string worthOf(const QueuePlan& before, const QueuePlan& after) const {
    if (instructions_.empty()) return {};
    const CommandWeight weight = [&](CommandRef at) {
      const PlannedCommand& command = commandAt(plan_, at);
      return command.kind == PlannedCommand::Kind::Dispatch
                 ? double(instructions_[command.dispatch])
                 : 0.0;
    };
    const double with = criticalPathOf(before, weight).length;
    const double less = criticalPathOf(after, weight).length;
    if (with <= 0 || less >= with) return "; the critical path is as long without it";
    return fmt::format("; without it the critical path is {:.0f}% shorter, by instructions of the "
                       "interpreter",
                       100 * (with - less) / with);
  }

  const Scenario& scenario_;
  const Program& program_;
  const QueuePlan& plan_;
  const QueueCheckOptions& options_;
  RunCaches caches_;
  ScenarioContents contents_;
  InterpreterRunner runner_;
  AccessTable accesses_;
  std::vector<uint64_t> instructions_;
  QueueCheckReport report_;
};

} // namespace

uint64_t QueueCheckReport::errors() const {
  return hazardsLeftOut +
         uint64_t(std::count_if(findings.begin(), findings.end(), [](const QueueFinding& found) {
           return found.rule != QueueRule::RedundantWait && !found.isPossible;
         }));
}

Result<QueueCheckReport> checkQueues(const Scenario& scenario, const ProgramVariant& variant,
                                     const QueueCheckOptions& options) {
  Result<Marshalling> marshalling = marshal(scenario, std::span(&variant, 1));
  if (!marshalling) return marshalling.error();
  std::vector<std::string> notes;
  Result<Program> program = bindProgram(marshalling->scenario, marshalling->programs[0], notes);
  if (!program) return program.error();
  return Checker(*marshalling, *program, options).run();
}

} // namespace lanewise::driver
