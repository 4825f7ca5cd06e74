#include "verify/queues/hazards.h"

#include "verify/queues/mends.h"
#include "verify/queues/submission_order.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace lanewise::driver {
namespace {

// One command's accesses to one buffer.
struct Use {
  CommandRef command;
  const BufferAccesses* accesses = nullptr;
};

std::map<uint32_t, std::vector<Use>> usesByBuffer(const AccessTable& table) {
  std::map<uint32_t, std::vector<Use>> uses;
  for (uint32_t s = 0; s < table.size(); ++s)
    for (uint32_t c = 0; c < table[s].size(); ++c)
      for (const BufferAccesses& accesses : table[s][c])
        uses[accesses.buffer].push_back({{s, c}, &accesses});
  return uses;
}

// ----- ownership -----

const PlannedQueue& queueOf(const QueuePlan& plan, CommandRef at) {
  return plan.queues[plan.submissions[at.submission].queue];
}
bool areOnOneQueue(const QueuePlan& plan, CommandRef a, CommandRef b) {
  return plan.submissions[a.submission].queue == plan.submissions[b.submission].queue;
}

struct Transfer {
  CommandRef at;
  OwnershipTransfer half;
};

// The halves of a transfer from `a` to `b`: a release behind `a` on its queue, an acquire before
// `b` on its own, the first before the second.
struct Halves {
  bool hasRelease = false, hasAcquire = false, areOrdered = false;
};

class Transfers {
public:
  Transfers(const QueuePlan& plan, const HappensBefore& order) : plan_(plan) {
    for (uint32_t s = 0; s < plan.submissions.size(); ++s)
      for (uint32_t c = 0; c < plan.submissions[s].commands.size(); ++c) {
        const PlannedCommand& command = plan.submissions[s].commands[c];
        if (command.kind == PlannedCommand::Kind::Ownership)
          all_[command.ownership.buffer].push_back({{s, c}, command.ownership});
      }
    for (const auto& [buffer, all] : all_)
      for (const Transfer& acquire : all)
        if (!acquire.half.isRelease) addAcquire(order, buffer, acquire);
  }

  std::span<const Transfer> of(uint32_t buffer) const {
    const auto found = all_.find(buffer);
    return found == all_.end() ? std::span<const Transfer>() : std::span(found->second);
  }

  /// A release gives the buffer to the family that an acquire takes it from it for.
  bool areHalves(const Transfer& release, const Transfer& acquire) const {
    return release.half.isRelease && !acquire.half.isRelease &&
           plan_.queues[release.half.otherQueue].isInFamilyOf(queueOf(plan_, acquire.at)) &&
           plan_.queues[acquire.half.otherQueue].isInFamilyOf(queueOf(plan_, release.at));
  }

  bool areOrdered(CommandRef a, CommandRef b, uint32_t buffer) const {
    const auto found = acquired_.find({buffer, queueNumber(b), queueNumber(a)});
    if (found == acquired_.end()) return false;
    // What the last acquire before `b` has, or one before it: the last of the releases.
    const auto behind =
        std::lower_bound(found->second.begin(), found->second.end(), b,
                         [](const Acquired& one, CommandRef at) { return one.acquire < at; });
    return behind != found->second.begin() && a < std::prev(behind)->release;
  }

  Halves between(CommandRef a, CommandRef b, uint32_t buffer) const {
    Halves found;
    for (const Transfer& one : of(buffer)) {
      const PlannedQueue& other = plan_.queues[one.half.otherQueue];
      if (one.half.isRelease)
        found.hasRelease |=
            areOnOneQueue(plan_, a, one.at) && a < one.at && other.isInFamilyOf(queueOf(plan_, b));
      else
        found.hasAcquire |=
            areOnOneQueue(plan_, b, one.at) && one.at < b && other.isInFamilyOf(queueOf(plan_, a));
    }
    found.areOrdered = areOrdered(a, b, buffer);
    return found;
  }

private:
  struct Acquired {
    CommandRef acquire, release; ///< the last before it, or before an earlier acquire
  };
  uint32_t queueNumber(CommandRef at) const { return plan_.submissions[at.submission].queue; }

  void addAcquire(const HappensBefore& order, uint32_t buffer, const Transfer& acquire) {
    std::map<uint32_t, CommandRef> last; // releases, by queue
    for (const Transfer& release : all_[buffer])
      if (areHalves(release, acquire) && order.isBefore(release.at, acquire.at))
        last[queueNumber(release.at)] = release.at;
    for (const auto& [queue, release] : last) {
      auto& known = acquired_[{buffer, queueNumber(acquire.at), queue}];
      known.push_back(
          {acquire.at, known.empty() ? release : std::max(known.back().release, release)});
    }
  }

  const QueuePlan& plan_;
  std::map<uint32_t, std::vector<Transfer>> all_; ///< by buffer, in the host's order
  /// By buffer, the acquire's queue, the release's.
  std::map<std::array<uint32_t, 3>, std::vector<Acquired>> acquired_;
};

// ----- order -----

// What `b` needs of an `a` that comes before it: a read has nothing to make visible.
Dependency needOf(const Use& a, const Use& b) {
  return isWrittenFor(*a.accesses, *b.accesses) ? Dependency::Memory : Dependency::Execution;
}

// Whether what `a` does to the buffer is done and visible before what `b` does.
bool isOrdered(const HappensBefore& order, const Transfers& transfers, const Use& a, const Use& b) {
  const auto isBefore = [&](Dependency dependency) {
    return order.isBefore(a.command, a.accesses->stage, b.command, b.accesses->stage, dependency);
  };
  // What is visible has come first: only of the rest it is asked what it needs.
  return isBefore(Dependency::Memory) ||
         (isBefore(Dependency::Execution) && needOf(a, b) == Dependency::Execution) ||
         transfers.areOrdered(a.command, b.command, a.accesses->buffer);
}

std::string bytesText(const ByteRanges& ranges) {
  uint64_t count = 0;
  for (const ByteRange& range : ranges) count += range.end - range.begin;
  const uint64_t first = ranges.front().begin, last = ranges.back().end - 1;
  if (count == 1) return fmt::format("byte {}", first);
  if (count == last - first + 1) return fmt::format("bytes {} to {}", first, last);
  return fmt::format("{} bytes between {} and {}", count, first, last);
}

std::string_view verbOf(const BufferAccesses& accesses, const ByteRanges& where) {
  if (!intersection(accesses.writes, where).empty()) return "writes";
  return intersection(accesses.atomics, where).empty() ? "reads" : "updates by atomics";
}

// Hazards that are described, and those that are counted behind them.
constexpr size_t kMostHazards = 50, kMostLeftOut = 1000;
// Commands in all of the plans in which mends are tried: some seconds.
constexpr uint64_t kMendEffort = 2000000;

class Finder {
public:
  Finder(const QueuePlan& plan, const AccessTable& accesses, std::span<const std::string> buffers)
      : plan_(plan), buffers_(buffers), order_(plan), transfers_(plan, order_),
        uses_(usesByBuffer(accesses)) {}

  QueueFindings run() {
    tellFaults();
    findUnordered();
    checkSignals();
    for (uint32_t buffer : plan_.exclusive) {
      checkOwner(buffer);
      checkWayBack(buffer);
      checkHalves(buffer);
    }
    for (QueueFinding& found : findings_) noteMore(found);
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const QueueFinding& a, const QueueFinding& b) { return a.at < b.at; });
    return {std::move(findings_), leftOut_.size(), leftOut_.size() == kMostLeftOut};
  }

private:
  // Each place once: a wait of all frames is one mistake.
  void tellFaults() {
    std::map<TextPlace, size_t> told;
    for (const PlanFault& fault : order_.faults())
      if (told[fault.at]++ == 0) {
        findings_.push_back(findingOf(plan_, fault));
        if (fault.kind == PlanFault::Kind::Cycle)
          noteCycle(findings_.back(), submissionCycle(plan_, &fault.at));
      }
    for (QueueFinding& found : findings_)
      if (const size_t times = told[found.at]; times > 1)
        found.notes.push_back({found.at, fmt::format("in {} frames in all", times)});
    if (order_.faults().empty()) tellHeldBack();
  }

  // Stages have an order, whole submissions have none: a driver that starts nothing of a submission
  // before all of its waits are over never starts these.
  void tellHeldBack() {
    const std::vector<SubmissionStep> steps = submissionCycle(plan_);
    if (steps.empty()) return;
    std::vector<std::string> names;
    for (const SubmissionStep& step : steps)
      if (const std::string name = nameOf(step.submission);
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    QueueFinding found;
    found.rule = QueueRule::Deadlock;
    found.isPossible = true;
    found.at = placeOf(steps[0]);
    found.message = fmt::format(
        "{}, though stages of {} can begin: a driver that holds back a whole submission until its "
        "waits are over hangs here",
        names.size() == 1 ? fmt::format("{} waits for itself", names[0])
                          : fmt::format("{} wait for one another", fmt::join(names, " and ")),
        names.size() == 1 ? "it" : "them");
    noteCycle(found, steps);
    findings_.push_back(std::move(found));
  }

  std::string nameOf(uint32_t submission) const {
    const PlannedSubmission& named = plan_.submissions[submission];
    return plan_.frames > 1 ? fmt::format("`{}` (frame {})", named.name, named.frame)
                            : fmt::format("`{}`", named.name);
  }

  const TextPlace& placeOf(const SubmissionStep& step) const {
    const PlannedSubmission& submission = plan_.submissions[step.submission];
    return step.reason == SubmissionStep::Reason::Wait       ? submission.waits[step.wait].at
           : step.reason == SubmissionStep::Reason::HostWait ? submission.hostWaits[step.wait].at
                                                             : submission.at;
  }

  // One note a step; a long way is cut.
  void noteCycle(QueueFinding& found, const std::vector<SubmissionStep>& steps) const {
    constexpr size_t kMostSteps = 12;
    if (steps.size() < 2) return;
    for (size_t n = 0; n < std::min(steps.size(), kMostSteps); ++n)
      found.notes.push_back({placeOf(steps[n]), textOf(steps[n])});
    if (steps.size() > kMostSteps)
      found.notes.push_back(
          {found.at, fmt::format("and {} more steps until {} again", steps.size() - kMostSteps,
                                 nameOf(steps[0].submission))});
  }

  std::string textOf(const SubmissionStep& step) const {
    const std::string later = nameOf(step.submission), earlier = nameOf(step.behind);
    const PlannedSubmission& submission = plan_.submissions[step.submission];
    using Reason = SubmissionStep::Reason;
    switch (step.reason) {
    case Reason::Wait: {
      const SemaphoreUse& wait = submission.waits[step.wait];
      return fmt::format("{} waits for `{}` to reach {}, which {} signals", later,
                         plan_.semaphores[wait.semaphore].name, wait.value, earlier);
    }
    case Reason::HostWait: {
      const HostWait& wait = submission.hostWaits[step.wait];
      const std::string what =
          wait.fence ? fmt::format("fence `{}` of {}",
                                   plan_.submissions[*wait.fence].fence.value_or(""), earlier)
                     : fmt::format("`{}` to reach {}, which {} signals",
                                   plan_.semaphores[wait.semaphore].name, wait.value, earlier);
      return fmt::format("before it submits {}, the host waits for {}", later, what);
    }
    case Reason::Queue:
      return fmt::format("{} comes behind {} on queue `{}`", later, earlier,
                         plan_.queues[submission.queue].name);
    case Reason::FramesInFlight:
      return fmt::format("before it submits {}, the host waits for {}: `frames_in_flight` is {}",
                         later, earlier, plan_.framesInFlight);
    default:
      return fmt::format("the host submits {} behind {}", later, earlier);
    }
  }

  void findUnordered() {
    for (const auto& [buffer, uses] : uses_)
      for (size_t i = 0; i < uses.size(); ++i)
        for (size_t j = i + 1; j < uses.size(); ++j) {
          // The counts of an indirect dispatch are read before it does anything.
          if (uses[i].command == uses[j].command) continue;
          if (isOrdered(order_, transfers_, uses[i], uses[j]) ||
              isOrdered(order_, transfers_, uses[j], uses[i]))
            continue;
          if (areAtOdds(*uses[i].accesses, *uses[j].accesses)) addHazard(uses[i], uses[j]);
          if (leftOut_.size() == kMostLeftOut) return;
        }
  }

  // Each two places of the file once, with the first frames in which they meet.
  void addHazard(const Use& first, const Use& second) {
    const PlannedCommand& a = commandAt(plan_, first.command);
    const PlannedCommand& b = commandAt(plan_, second.command);
    const uint32_t buffer = first.accesses->buffer;
    const auto key = std::pair(std::min(a.at, b.at), std::max(a.at, b.at));
    if (auto known = hazards_.find(key); known != hazards_.end()) {
      QueueFinding& found = findings_[known->second];
      found.pairs.emplace_back(first.command, second.command);
      if (std::find(found.buffers.begin(), found.buffers.end(), buffer) == found.buffers.end())
        found.buffers.push_back(buffer);
      return;
    }
    if (hazards_.size() == kMostHazards) {
      leftOut_.insert(key);
      return;
    }
    hazards_[key] = findings_.size();
    const ByteRanges where = conflictOf(*first.accesses, *second.accesses);
    QueueFinding found;
    found.at = b.at;
    found.pairs = {{first.command, second.command}};
    found.buffers = {buffer};
    found.message = fmt::format("nothing orders {} and {}: the one {} {} of `{}` that the other {}",
                                describe(plan_, first.command), describe(plan_, second.command),
                                verbOf(*first.accesses, where), bytesText(where), buffers_[buffer],
                                verbOf(*second.accesses, where));
    found.notes.push_back(
        {a.at, fmt::format("`{}` {} them here", a.name, verbOf(*first.accesses, where))});
    for (QueueNote& mend :
         mendsOf(plan_, order_, {first.command, first.accesses->stage},
                 {second.command, second.accesses->stage}, needOf(first, second), mendEffort_))
      found.notes.push_back(std::move(mend));
    findings_.push_back(std::move(found));
  }

  void noteMore(QueueFinding& found) const {
    if (found.rule != QueueRule::Hazard) return;
    // Two commands may meet over several buffers; the pair that is described stays the first.
    std::sort(found.pairs.begin() + 1, found.pairs.end());
    found.pairs.erase(std::unique(found.pairs.begin() + 1, found.pairs.end()), found.pairs.end());
    if (const auto again = std::find(found.pairs.begin() + 1, found.pairs.end(), found.pairs[0]);
        again != found.pairs.end())
      found.pairs.erase(again);
    std::vector<std::string> others;
    for (size_t n = 1; n < found.buffers.size(); ++n)
      others.push_back(fmt::format("`{}`", buffers_[found.buffers[n]]));
    std::string text;
    if (found.pairs.size() > 1)
      text = fmt::format("in {} pairs of frames in all", found.pairs.size());
    if (!others.empty())
      text += fmt::format("{}also over {}", text.empty() ? "" : ", ", fmt::join(others, ", "));
    if (!text.empty()) found.notes.insert(found.notes.begin() + 1, {found.at, std::move(text)});
  }

  // ----- signals -----

  struct Signal {
    CommandRef at; ///< submission, place among its signals
    const SemaphoreUse* use = nullptr;
  };

  void checkSignals() {
    for (uint32_t semaphore = 0; semaphore < plan_.semaphores.size(); ++semaphore) {
      std::vector<Signal> signals;
      for (uint32_t s = 0; s < plan_.submissions.size(); ++s)
        for (uint32_t n = 0; n < plan_.submissions[s].signals.size(); ++n)
          if (plan_.submissions[s].signals[n].semaphore == semaphore)
            signals.push_back({{s, n}, &plan_.submissions[s].signals[n]});
      std::stable_sort(signals.begin(), signals.end(), [](const Signal& a, const Signal& b) {
        return a.use->value < b.use->value;
      });
      const PlannedSemaphore& known = plan_.semaphores[semaphore];
      if (!signals.empty() && signals[0].use->value <= known.initial)
        tellBackwards(signals[0],
                      fmt::format("`{}` starts at {}, and {} signals {}", known.name, known.initial,
                                  nameOf(signals[0]), signals[0].use->value),
                      {});
      for (size_t n = 1; n < signals.size(); ++n) checkPair(known, signals[n - 1], signals[n]);
    }
  }

  void checkPair(const PlannedSemaphore& semaphore, const Signal& low, const Signal& high) {
    const QueueNote other{low.use->at,
                          fmt::format("{} signals {} here", nameOf(low), low.use->value)};
    if (low.use->value == high.use->value)
      tellBackwards(high,
                    fmt::format("`{}` is signalled with {} twice, and must grow each time",
                                semaphore.name, high.use->value),
                    other);
    else if (order_.isSignalBefore(high.at, low.at))
      tellBackwards(low,
                    fmt::format("`{}` goes backwards: {} signals {} after {} has signalled {}",
                                semaphore.name, nameOf(low), low.use->value, nameOf(high),
                                high.use->value),
                    QueueNote{high.use->at,
                              fmt::format("{} signals {} here", nameOf(high), high.use->value)});
    else if (!order_.isSignalBefore(low.at, high.at))
      tellBackwards(high,
                    fmt::format("`{}` may go backwards: nothing orders the signal of {} by {} "
                                "before that of {} by {}",
                                semaphore.name, low.use->value, nameOf(low), high.use->value,
                                nameOf(high)),
                    other);
  }

  std::string nameOf(const Signal& signal) const {
    const PlannedSubmission& submission = plan_.submissions[signal.at.submission];
    return plan_.frames > 1 ? fmt::format("`{}` (frame {})", submission.name, submission.frame)
                            : fmt::format("`{}`", submission.name);
  }

  void tellBackwards(const Signal& signal, std::string message, std::optional<QueueNote> other) {
    for (const QueueFinding& known : findings_)
      if (known.rule == QueueRule::SignalBackwards && known.at == signal.use->at) return;
    QueueFinding found;
    found.rule = QueueRule::SignalBackwards;
    found.at = signal.use->at;
    found.message = std::move(message);
    if (other) found.notes.push_back(std::move(*other));
    findings_.push_back(std::move(found));
  }

  // ----- ownership -----

  // What a queue of one family leaves in an exclusive buffer is lost to one of another family, if
  // the buffer does not change hands in between.
  void checkOwner(uint32_t buffer) {
    const auto uses = uses_.find(buffer);
    if (uses == uses_.end()) return;
    std::set<std::pair<TextPlace, TextPlace>> told;
    for (const Use& reader : uses->second) {
      const ByteRanges reads = unionOf(reader.accesses->reads, reader.accesses->atomics);
      if (reads.empty()) continue;
      for (const Use& earlier : uses->second) {
        if (queueOf(plan_, earlier.command).isInFamilyOf(queueOf(plan_, reader.command))) continue;
        const auto places =
            std::pair(commandAt(plan_, earlier.command).at, commandAt(plan_, reader.command).at);
        if (told.count(places) || order_.isBefore(reader.command, earlier.command) ||
            transfers_.areOrdered(earlier.command, reader.command, buffer) ||
            stillOf(earlier, reader, reads, uses->second).empty())
          continue;
        told.insert(places);
        tellOwner(earlier, reader, buffer,
                  transfers_.between(earlier.command, reader.command, buffer));
      }
    }
  }

  bool isBehind(CommandRef late, CommandRef early) const {
    return order_.isBefore(early, late) || (areOnOneQueue(plan_, early, late) && early < late);
  }

  // A family that has released a buffer reads nothing of it before it has acquired it back, but for
  // what it has written anew.
  void checkWayBack(uint32_t buffer) {
    const auto uses = uses_.find(buffer);
    if (uses == uses_.end()) return;
    for (const Use& reader : uses->second) {
      const ByteRanges reads = unionOf(reader.accesses->reads, reader.accesses->atomics);
      if (reads.empty()) continue;
      const PlannedQueue& family = queueOf(plan_, reader.command);
      const Transfer *released = nullptr, *acquired = nullptr; // the last before the reader
      for (const Transfer& one : transfers_.of(buffer)) {
        if (!queueOf(plan_, one.at).isInFamilyOf(family) || !isBehind(reader.command, one.at) ||
            plan_.queues[one.half.otherQueue].isInFamilyOf(family))
          continue;
        const Transfer*& last = one.half.isRelease ? released : acquired;
        if (!last || isBehind(one.at, last->at)) last = &one;
      }
      if (!released || (acquired && isBehind(acquired->at, released->at))) continue;
      ByteRanges left = reads;
      for (const Use& between : uses->second)
        if (!left.empty() && queueOf(plan_, between.command).isInFamilyOf(family) &&
            isBehind(between.command, released->at) &&
            order_.isBefore(between.command, reader.command))
          left = difference(left, between.accesses->writes);
      const PlannedCommand& command = commandAt(plan_, reader.command);
      // What another family has used since is told with that.
      const bool isTold =
          std::any_of(findings_.begin(), findings_.end(), [&](const QueueFinding& known) {
            return known.rule == QueueRule::Ownership && known.at == command.at &&
                   known.buffers[0] == buffer;
          });
      if (left.empty() || isTold) continue;
      QueueFinding found;
      found.rule = QueueRule::Ownership;
      found.at = command.at;
      found.pairs = {{released->at, reader.command}};
      found.buffers = {buffer};
      const std::string& other = plan_.queues[released->half.otherQueue].name;
      found.message = fmt::format("{} reads `{}`, which its own queue family has released to "
                                  "`{}` and not acquired back",
                                  describe(plan_, reader.command), buffers_[buffer], other);
      found.notes.push_back({commandAt(plan_, released->at).at, "it is released here"});
      found.notes.push_back(
          {command.at, fmt::format("mend: release `{0}` on `{1}` behind its last use there, and "
                                   "acquire it in front of `{2}`; or release it behind `{2}`",
                                   buffers_[buffer], other, command.name)});
      findings_.push_back(std::move(found));
    }
  }

  // An acquire needs its release, each time; a release that is acquired in no frame is for nothing.
  // What a reader lacks has been told with it.
  void checkHalves(uint32_t buffer) {
    for (const QueueFinding& known : findings_)
      if (known.rule == QueueRule::Ownership && known.buffers[0] == buffer) return;
    std::map<TextPlace, std::pair<CommandRef, bool>> releases; // the first; whether one is acquired
    std::set<TextPlace> told;
    for (const Transfer& one : transfers_.of(buffer)) {
      bool isPaired = false, hasOther = false;
      for (const Transfer& other : transfers_.of(buffer)) {
        const Transfer &release = one.half.isRelease ? one : other,
                       &acquire = one.half.isRelease ? other : one;
        if (!transfers_.areHalves(release, acquire)) continue;
        hasOther = true;
        isPaired |= order_.isBefore(release.at, acquire.at);
        if (isPaired) break;
      }
      const TextPlace& at = commandAt(plan_, one.at).at;
      if (one.half.isRelease)
        releases.emplace(at, std::pair(one.at, false)).first->second.second |= isPaired;
      else if (!isPaired && told.insert(at).second)
        tellHalf(one.at, buffer,
                 hasOther ? "no release comes before it for sure" : "nothing releases it to here");
    }
    for (const auto& [at, release] : releases)
      if (!release.second) tellHalf(release.first, buffer, "no acquire comes behind it for sure");
  }

  void tellHalf(CommandRef at, uint32_t buffer, std::string_view what) {
    QueueFinding found;
    found.rule = QueueRule::Ownership;
    found.at = commandAt(plan_, at).at;
    found.pairs = {{at, at}};
    found.buffers = {buffer};
    found.message = fmt::format("{} is half of a transfer: {}", describe(plan_, at), what);
    findings_.push_back(std::move(found));
  }

  // The bytes that `reader` reads as `earlier` left them: those that nobody of the reader's family
  // has written in between.
  ByteRanges stillOf(const Use& earlier, const Use& reader, const ByteRanges& reads,
                     const std::vector<Use>& uses) const {
    const BufferAccesses& e = *earlier.accesses;
    ByteRanges left = intersection(unionOf(unionOf(e.reads, e.writes), e.atomics), reads);
    auto takeAway = [&](const Use& between) {
      if (!left.empty() && !between.accesses->writes.empty() &&
          order_.isBefore(earlier.command, between.command) &&
          order_.isBefore(between.command, reader.command) &&
          queueOf(plan_, between.command).isInFamilyOf(queueOf(plan_, reader.command)))
        left = difference(left, between.accesses->writes);
    };
    // From the reader back: what it reads was most often written right before it.
    const auto at = std::find_if(uses.begin(), uses.end(),
                                 [&](const Use& one) { return !(one.command < reader.command); });
    std::for_each(std::reverse_iterator(at), uses.rend(), takeAway);
    std::for_each(at, uses.end(), takeAway);
    return left;
  }

  void tellOwner(const Use& earlier, const Use& reader, uint32_t buffer, const Halves& halves) {
    QueueFinding found;
    found.rule = QueueRule::Ownership;
    const PlannedCommand& a = commandAt(plan_, earlier.command);
    const PlannedCommand& b = commandAt(plan_, reader.command);
    found.at = b.at;
    found.pairs = {{earlier.command, reader.command}};
    found.buffers = {buffer};
    found.message = fmt::format(
        "{} reads `{}`, which is exclusive and which {} used in another queue family: {}",
        describe(plan_, reader.command), buffers_[buffer], describe(plan_, earlier.command),
        !halves.hasRelease && !halves.hasAcquire ? "its ownership is never transferred"
        : !halves.hasRelease                     ? "it is acquired but never released"
        : !halves.hasAcquire                     ? "it is released but never acquired"
                                                 : "nothing orders its release before the acquire");
    found.notes.push_back({a.at, fmt::format("`{}` uses it here", a.name)});
    found.notes.push_back(
        {b.at,
         fmt::format("mend: release `{0}` behind `{1}`, acquire it in front of `{2}`, and let "
                     "the one wait for the other; or make it `sharing = \"concurrent\"`",
                     buffers_[buffer], a.name, b.name)});
    findings_.push_back(std::move(found));
  }

  const QueuePlan& plan_;
  std::span<const std::string> buffers_;
  HappensBefore order_;
  Transfers transfers_;
  std::map<uint32_t, std::vector<Use>> uses_;
  using Places = std::pair<TextPlace, TextPlace>;
  std::map<Places, size_t> hazards_; ///< in findings_
  std::set<Places> leftOut_;
  uint64_t mendEffort_ = kMendEffort;
  std::vector<QueueFinding> findings_;
};

} // namespace

std::string describe(const QueuePlan& plan, CommandRef at) {
  const PlannedSubmission& submission = plan.submissions[at.submission];
  std::string text = fmt::format("`{}` (line {}, queue `{}`", commandAt(plan, at).name,
                                 commandAt(plan, at).at.line, plan.queues[submission.queue].name);
  if (plan.frames > 1) text += fmt::format(", frame {}", submission.frame);
  return text + ")";
}

QueueFinding findingOf(const QueuePlan& plan, const PlanFault& fault) {
  const PlannedSubmission& submission = plan.submissions[fault.submission];
  QueueFinding found;
  found.at = fault.at;
  const std::string who = plan.frames > 1
                              ? fmt::format("`{}` (frame {})", submission.name, submission.frame)
                              : fmt::format("`{}`", submission.name);
  if (fault.kind == PlanFault::Kind::NeverSignalled) {
    found.rule = QueueRule::NeverSignalled;
    const std::string& semaphore = plan.semaphores[*fault.semaphore].name;
    found.message = fmt::format(
        "{} waits for `{}` to reach {}, which never comes: {}", who, semaphore, fault.value,
        fault.greatest == plan.semaphores[*fault.semaphore].initial
            ? fmt::format("nothing signals it above {}", fault.greatest)
            : fmt::format("{} is the last that is signalled", fault.greatest));
  } else {
    found.rule = QueueRule::Deadlock;
    found.message =
        fault.semaphore
            ? fmt::format("{} waits for `{}` to reach {}, which is signalled only behind that wait",
                          who, plan.semaphores[*fault.semaphore].name, fault.value)
            : fmt::format("the host waits, before it submits {}, for a fence that comes only "
                          "behind it",
                          who);
  }
  return found;
}

QueueFindings findHazards(const QueuePlan& plan, const AccessTable& accesses,
                          std::span<const std::string> buffers) {
  return Finder(plan, accesses, buffers).run();
}

QueuePlan without(const QueuePlan& plan, const TextPlace& wait) {
  QueuePlan less = plan;
  for (PlannedSubmission& submission : less.submissions)
    std::erase_if(submission.waits, [&](const SemaphoreUse& use) { return use.at == wait; });
  return less;
}

namespace {

// What is ordered and has to stay so: two uses that are at odds, two signals of one semaphore, the
// halves of a transfer.
void requireAll(const QueuePlan& plan, const AccessTable& accesses, HappensBefore& order) {
  const Transfers transfers(plan, order);
  auto requireUses = [&](const Use& a, const Use& b) {
    const Dependency need = needOf(a, b);
    if (!transfers.areOrdered(a.command, b.command, a.accesses->buffer) &&
        order.isBefore(a.command, a.accesses->stage, b.command, b.accesses->stage, need))
      order.require(a.command, a.accesses->stage, b.command, b.accesses->stage, need);
  };
  for (const auto& [buffer, uses] : usesByBuffer(accesses))
    for (size_t i = 0; i < uses.size(); ++i)
      for (size_t j = i + 1; j < uses.size(); ++j)
        if (areAtOdds(*uses[i].accesses, *uses[j].accesses)) {
          requireUses(uses[i], uses[j]);
          requireUses(uses[j], uses[i]);
        }
  std::map<uint32_t, std::vector<CommandRef>> signals; // by semaphore
  std::vector<CommandRef> owners;
  for (uint32_t s = 0; s < plan.submissions.size(); ++s) {
    for (uint32_t n = 0; n < plan.submissions[s].signals.size(); ++n)
      signals[plan.submissions[s].signals[n].semaphore].push_back({s, n});
    for (uint32_t c = 0; c < plan.submissions[s].commands.size(); ++c)
      if (plan.submissions[s].commands[c].kind == PlannedCommand::Kind::Ownership)
        owners.push_back({s, c});
  }
  for (const auto& [semaphore, all] : signals)
    for (CommandRef a : all)
      for (CommandRef b : all)
        if (order.isSignalBefore(a, b)) order.requireSignals(a, b);
  for (CommandRef a : owners)
    for (CommandRef b : owners)
      if (order.isBefore(a, b)) order.require(a, kAllStages, b, kAllStages);
}

} // namespace

std::vector<RedundantWait> findRedundantWaits(const QueuePlan& plan, const AccessTable& accesses) {
  std::vector<RedundantWait> redundant;
  HappensBefore order(plan);
  if (!order.faults().empty()) return redundant;
  requireAll(plan, accesses, order);
  std::map<TextPlace, RedundantWait> waits;
  for (uint32_t s = 0; s < plan.submissions.size(); ++s)
    for (const SemaphoreUse& wait : plan.submissions[s].waits)
      waits.emplace(wait.at, RedundantWait{wait, s});
  for (const auto& [at, wait] : waits)
    if (order.takeOut(at)) redundant.push_back(wait);
  return redundant;
}

} // namespace lanewise::driver
