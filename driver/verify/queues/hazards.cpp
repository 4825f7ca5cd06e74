#include "verify/queues/hazards.h"

#include "verify/queues/mends.h"

#include <algorithm>
#include <fmt/format.h>
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

struct Transfer {
  CommandRef at;
  OwnershipTransfer half;
};

std::vector<Transfer> transfersOf(const QueuePlan& plan, uint32_t buffer) {
  std::vector<Transfer> all;
  for (uint32_t s = 0; s < plan.submissions.size(); ++s)
    for (uint32_t c = 0; c < plan.submissions[s].commands.size(); ++c) {
      const PlannedCommand& command = plan.submissions[s].commands[c];
      if (command.kind == PlannedCommand::Kind::Ownership && command.ownership.buffer == buffer)
        all.push_back({{s, c}, command.ownership});
    }
  return all;
}

const PlannedQueue& queueOf(const QueuePlan& plan, CommandRef at) {
  return plan.queues[plan.submissions[at.submission].queue];
}
bool areOnOneQueue(const QueuePlan& plan, CommandRef a, CommandRef b) {
  return plan.submissions[a.submission].queue == plan.submissions[b.submission].queue;
}

// The halves of a transfer from `a` to `b`: a release behind `a` on its queue, an acquire before
// `b` on its own, the first before the second.
struct Halves {
  bool hasRelease = false, hasAcquire = false, areOrdered = false;
};
Halves halvesBetween(const QueuePlan& plan, const HappensBefore& order, CommandRef a, CommandRef b,
                     uint32_t buffer) {
  Halves found;
  const std::vector<Transfer> all = transfersOf(plan, buffer);
  for (const Transfer& release : all) {
    if (!release.half.isRelease || !areOnOneQueue(plan, a, release.at) || !(a < release.at) ||
        !plan.queues[release.half.otherQueue].isInFamilyOf(queueOf(plan, b)))
      continue;
    found.hasRelease = true;
    for (const Transfer& acquire : all)
      if (!acquire.half.isRelease && areOnOneQueue(plan, b, acquire.at) && acquire.at < b &&
          plan.queues[acquire.half.otherQueue].isInFamilyOf(queueOf(plan, a)))
        found.areOrdered |= order.isBefore(release.at, acquire.at);
  }
  for (const Transfer& acquire : all)
    found.hasAcquire |= !acquire.half.isRelease && areOnOneQueue(plan, b, acquire.at) &&
                        acquire.at < b &&
                        plan.queues[acquire.half.otherQueue].isInFamilyOf(queueOf(plan, a));
  return found;
}

// ----- order -----

// Whether what `a` does to the buffer is done and visible before what `b` does.
bool isOrdered(const QueuePlan& plan, const HappensBefore& order, const Use& a, const Use& b) {
  if (order.isBefore(a.command, a.accesses->stage, b.command, b.accesses->stage)) return true;
  return !areOnOneQueue(plan, a.command, b.command) &&
         halvesBetween(plan, order, a.command, b.command, a.accesses->buffer).areOrdered;
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

class Finder {
public:
  Finder(const QueuePlan& plan, const AccessTable& accesses, std::span<const std::string> buffers)
      : plan_(plan), buffers_(buffers), order_(plan), uses_(usesByBuffer(accesses)) {}

  std::vector<QueueFinding> run() {
    for (const PlanFault& fault : order_.faults()) findings_.push_back(findingOf(plan_, fault));
    findUnordered();
    checkSignals();
    for (uint32_t buffer : plan_.exclusive) checkOwner(buffer);
    for (QueueFinding& found : findings_) noteMore(found);
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const QueueFinding& a, const QueueFinding& b) { return a.at < b.at; });
    return std::move(findings_);
  }

private:
  void findUnordered() {
    for (const auto& [buffer, uses] : uses_)
      for (size_t i = 0; i < uses.size(); ++i)
        for (size_t j = i + 1; j < uses.size(); ++j) {
          // The counts of an indirect dispatch are read before it does anything.
          if (uses[i].command == uses[j].command) continue;
          if (isOrdered(plan_, order_, uses[i], uses[j]) ||
              isOrdered(plan_, order_, uses[j], uses[i]))
            continue;
          const ByteRanges conflict = conflictOf(*uses[i].accesses, *uses[j].accesses);
          if (!conflict.empty()) addHazard(uses[i], uses[j], conflict);
        }
  }

  // Each two places of the file once, with the first frames in which they meet.
  void addHazard(const Use& first, const Use& second, const ByteRanges& where) {
    const PlannedCommand& a = commandAt(plan_, first.command);
    const PlannedCommand& b = commandAt(plan_, second.command);
    const uint32_t buffer = first.accesses->buffer;
    const auto key = std::pair(std::min(a.at, b.at), std::max(a.at, b.at));
    if (auto known = hazards_.find(key); known != hazards_.end()) {
      QueueFinding& found = findings_[known->second];
      const std::pair pair(first.command, second.command);
      if (std::find(found.pairs.begin(), found.pairs.end(), pair) == found.pairs.end())
        found.pairs.push_back(pair);
      if (std::find(found.buffers.begin(), found.buffers.end(), buffer) == found.buffers.end())
        found.buffers.push_back(buffer);
      return;
    }
    hazards_[key] = findings_.size();
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
    for (QueueNote& mend : mendsOf(plan_, first.command, first.accesses->stage, second.command,
                                   second.accesses->stage))
      found.notes.push_back(std::move(mend));
    findings_.push_back(std::move(found));
  }

  void noteMore(QueueFinding& found) const {
    if (found.rule != QueueRule::Hazard) return;
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
      for (const Use& earlier : uses->second) {
        if (queueOf(plan_, earlier.command).isInFamilyOf(queueOf(plan_, reader.command))) continue;
        if (order_.isBefore(reader.command, earlier.command)) continue;
        const ByteRanges left = stillOf(earlier, reader, reads, uses->second);
        if (left.empty()) continue;
        const Halves halves = halvesBetween(plan_, order_, earlier.command, reader.command, buffer);
        if (halves.areOrdered) continue;
        const auto places =
            std::pair(commandAt(plan_, earlier.command).at, commandAt(plan_, reader.command).at);
        if (told.insert(places).second) tellOwner(earlier, reader, buffer, halves);
      }
    }
  }

  // The bytes that `reader` reads as `earlier` left them: those that nobody of the reader's family
  // has written in between.
  ByteRanges stillOf(const Use& earlier, const Use& reader, const ByteRanges& reads,
                     const std::vector<Use>& uses) const {
    const BufferAccesses& e = *earlier.accesses;
    ByteRanges left = intersection(unionOf(unionOf(e.reads, e.writes), e.atomics), reads);
    for (const Use& between : uses)
      if (!left.empty() && order_.isBefore(earlier.command, between.command) &&
          order_.isBefore(between.command, reader.command) &&
          queueOf(plan_, between.command).isInFamilyOf(queueOf(plan_, reader.command)))
        left = difference(left, between.accesses->writes);
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
  std::map<uint32_t, std::vector<Use>> uses_;
  std::map<std::pair<TextPlace, TextPlace>, size_t> hazards_; ///< in findings_
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

std::vector<QueueFinding> findHazards(const QueuePlan& plan, const AccessTable& accesses,
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
class NeededOrder {
public:
  NeededOrder(const QueuePlan& plan, const HappensBefore& now, const AccessTable& accesses)
      : uses_(usesByBuffer(accesses)) {
    for (const auto& [buffer, uses] : uses_)
      for (size_t i = 0; i < uses.size(); ++i)
        for (size_t j = i + 1; j < uses.size(); ++j)
          if (!conflictOf(*uses[i].accesses, *uses[j].accesses).empty()) {
            if (isOrdered(plan, now, uses[i], uses[j])) conflicts_.push_back({uses[i], uses[j]});
            if (isOrdered(plan, now, uses[j], uses[i])) conflicts_.push_back({uses[j], uses[i]});
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
          if (now.isSignalBefore(a, b)) signals_.emplace_back(a, b);
    for (CommandRef a : owners)
      for (CommandRef b : owners)
        if (now.isBefore(a, b)) halves_.emplace_back(a, b);
  }

  bool isKept(const QueuePlan& plan) const {
    const HappensBefore order(plan);
    auto isStill = [&](const auto& pair) {
      return isOrdered(plan, order, pair.first, pair.second);
    };
    return std::all_of(conflicts_.begin(), conflicts_.end(), isStill) &&
           std::all_of(
               signals_.begin(), signals_.end(),
               [&](const auto& pair) { return order.isSignalBefore(pair.first, pair.second); }) &&
           std::all_of(halves_.begin(), halves_.end(),
                       [&](const auto& pair) { return order.isBefore(pair.first, pair.second); });
  }

private:
  std::map<uint32_t, std::vector<Use>> uses_;
  std::vector<std::pair<Use, Use>> conflicts_;
  std::vector<std::pair<CommandRef, CommandRef>> signals_, halves_;
};

} // namespace

std::vector<RedundantWait> findRedundantWaits(const QueuePlan& plan, const AccessTable& accesses) {
  std::vector<RedundantWait> redundant;
  const HappensBefore now(plan);
  if (!now.faults().empty()) return redundant;
  const NeededOrder needed(plan, now, accesses);
  std::set<TextPlace> places;
  for (uint32_t s = 0; s < plan.submissions.size(); ++s)
    for (const SemaphoreUse& wait : plan.submissions[s].waits)
      if (places.insert(wait.at).second && needed.isKept(without(plan, wait.at)))
        redundant.push_back({wait, s});
  return redundant;
}

} // namespace lanewise::driver
