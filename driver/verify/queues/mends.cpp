#include "verify/queues/mends.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

std::string stageNames(Stages stages) {
  if (stages == kAllStages) return "all";
  std::string names;
  for (auto [stage, name] :
       {std::pair(kComputeStage, "compute"), std::pair(kTransferStage, "transfer"),
        std::pair(kIndirectStage, "indirect")})
    if (stages & stage) names += (names.empty() ? "" : "+") + std::string(name);
  return names;
}

// One pair of commands, and what is tried for it.
class Mender {
public:
  Mender(const QueuePlan& plan, const HappensBefore& order, StagedCommand first,
         StagedCommand second, Dependency need, uint64_t& effort)
      : plan_(plan), order_(order), first_(first.command), second_(second.command),
        firstStage_(first.stage), secondStage_(second.stage), need_(need),
        faults_(order_.faults().size()), effort_(effort), size_(plan.submissions.size()) {
    for (const PlannedSubmission& submission : plan.submissions)
      size_ += submission.commands.size();
  }

  std::vector<QueueNote> run() {
    const uint32_t queue = submission(first_).queue;
    std::optional<QueueNote> mend;
    if (queue == submission(second_).queue) mend = withBarrier();
    if (!mend) mend = withWiderStages();
    if (!mend) mend = withOtherValue(true);
    if (!mend) mend = withLaterSignal();
    if (!mend) mend = withOtherValue(false);
    if (!mend) mend = withWait();
    if (!mend) mend = withSemaphore();
    std::vector<QueueNote> notes;
    if (mend) notes.push_back(std::move(*mend));
    if (std::optional<QueueNote> fewer = withFewerFrames()) notes.push_back(std::move(*fewer));
    return notes;
  }

private:
  const PlannedSubmission& submission(CommandRef at) const {
    return plan_.submissions[at.submission];
  }
  std::string nameOf(CommandRef at) const {
    return fmt::format("`{}`{}", commandAt(plan_, at).name, frameOf(at));
  }
  std::string frameOf(CommandRef at) const {
    return plan_.frames > 1 ? fmt::format(" (frame {})", submission(at).frame) : "";
  }

  bool orders(const QueuePlan& changed) const {
    effort_ -= std::min(effort_, size_);
    const HappensBefore order(changed);
    return order.faults().size() <= faults_ &&
           order.isBefore(first_, firstStage_, second_, secondStage_, need_);
  }

  std::optional<QueueNote> withBarrier() const {
    if (effort_ == 0) return std::nullopt;
    QueuePlan changed = plan_;
    PlannedCommand& command = changed.submissions[second_.submission].commands[second_.command];
    command.barrier = PlannedBarrier{};
    if (!orders(changed)) return std::nullopt;
    return QueueNote{command.at,
                     fmt::format("mend: `barrier = true` for `{}`: the order of submission alone "
                                 "orders nothing",
                                 command.name)};
  }

  // A wait, or the signal that it waits for, that leaves out a stage.
  std::optional<QueueNote> withWiderStages() const {
    const auto& waits = submission(second_).waits;
    for (size_t w = 0; w < waits.size() && effort_ != 0; ++w) {
      QueuePlan changed = plan_;
      changed.submissions[second_.submission].waits[w].stages |= secondStage_;
      if (orders(changed))
        return QueueNote{waits[w].at,
                         fmt::format("mend: this wait holds back stage `{}` only; `{}` runs in "
                                     "stage `{}`",
                                     stageNames(waits[w].stages), commandAt(plan_, second_).name,
                                     stageNames(secondStage_))};
    }
    const auto& signals = submission(first_).signals;
    for (size_t s = 0; s < signals.size() && effort_ != 0; ++s) {
      QueuePlan changed = plan_;
      changed.submissions[first_.submission].signals[s].stages |= firstStage_;
      if (orders(changed))
        return QueueNote{signals[s].at,
                         fmt::format("mend: this signal covers stage `{}` only; `{}` runs in stage "
                                     "`{}`",
                                     stageNames(signals[s].stages), commandAt(plan_, first_).name,
                                     stageNames(firstStage_))};
    }
    return std::nullopt;
  }

  // Values with which the semaphore is signalled behind the first command, lowest first.
  std::vector<uint64_t> valuesBehind(uint32_t semaphore, bool isNear) const {
    std::vector<uint64_t> values;
    const uint32_t from = isNear ? first_.submission : 0;
    const uint32_t end = isNear ? from + 1 : uint32_t(plan_.submissions.size());
    for (uint32_t s = from; s < end; ++s)
      for (uint32_t n = 0; n < plan_.submissions[s].signals.size(); ++n)
        if (plan_.submissions[s].signals[n].semaphore == semaphore &&
            order_.isCovered(first_, firstStage_, {s, n}))
          values.push_back(plan_.submissions[s].signals[n].value);
    std::sort(values.begin(), values.end());
    return values;
  }

  // `isNear`: a value that the first command's own submission signals.
  std::optional<QueueNote> withOtherValue(bool isNear) const {
    const auto& waits = submission(second_).waits;
    for (size_t w = 0; w < waits.size(); ++w)
      for (uint64_t value : valuesBehind(waits[w].semaphore, isNear)) {
        if (value <= waits[w].value || effort_ == 0) continue;
        QueuePlan changed = plan_;
        changed.submissions[second_.submission].waits[w].value = value;
        if (orders(changed))
          return QueueNote{waits[w].at,
                           fmt::format("mend: wait for `{}` to reach {}{}, not {}: the signal of "
                                       "{} does not come behind {}",
                                       plan_.semaphores[waits[w].semaphore].name, value,
                                       frameOf(second_), waits[w].value, waits[w].value,
                                       nameOf(first_))};
      }
    return std::nullopt;
  }

  // A signal that an earlier submission of the first command's queue gives too early.
  std::optional<QueueNote> withLaterSignal() const {
    for (const SemaphoreUse& wait : submission(second_).waits)
      for (uint32_t s = 0; s < first_.submission; ++s) {
        const PlannedSubmission& early = plan_.submissions[s];
        if (early.queue != submission(first_).queue) continue;
        for (size_t n = 0; n < early.signals.size(); ++n) {
          if (early.signals[n].semaphore != wait.semaphore || early.signals[n].value < wait.value ||
              effort_ == 0)
            continue;
          QueuePlan changed = plan_;
          auto& from = changed.submissions[s].signals;
          changed.submissions[first_.submission].signals.push_back(from[n]);
          from.erase(from.begin() + ptrdiff_t(n));
          if (orders(changed))
            return QueueNote{early.signals[n].at,
                             fmt::format("mend: signal `{}` in `{}`, behind {}; here it comes "
                                         "before it",
                                         plan_.semaphores[wait.semaphore].name,
                                         submission(first_).name, nameOf(first_))};
        }
      }
    return std::nullopt;
  }

  // Signals that there are, the nearest behind the first command first.
  std::optional<QueueNote> withWait() const {
    for (uint32_t s = first_.submission; s < plan_.submissions.size(); ++s)
      for (uint32_t n = 0; n < plan_.submissions[s].signals.size(); ++n) {
        const SemaphoreUse& signal = plan_.submissions[s].signals[n];
        if (effort_ == 0 || !order_.isCovered(first_, firstStage_, {s, n})) continue;
        QueuePlan changed = plan_;
        changed.submissions[second_.submission].waits.push_back(
            {signal.semaphore, signal.value, secondStage_, {}});
        if (orders(changed))
          return QueueNote{submission(second_).at,
                           fmt::format("mend: let `{}`{} wait for `{}` to reach {} at stage `{}`",
                                       submission(second_).name, frameOf(second_),
                                       plan_.semaphores[signal.semaphore].name, signal.value,
                                       stageNames(secondStage_))};
      }
    return std::nullopt;
  }

  std::optional<QueueNote> withSemaphore() const {
    if (effort_ == 0) return std::nullopt;
    QueuePlan changed = plan_;
    const uint32_t semaphore = uint32_t(changed.semaphores.size());
    changed.semaphores.push_back({});
    changed.submissions[first_.submission].signals.push_back({semaphore, 1, kAllStages, {}});
    changed.submissions[second_.submission].waits.push_back({semaphore, 1, secondStage_, {}});
    if (!orders(changed)) return std::nullopt;
    return QueueNote{submission(second_).at,
                     fmt::format("mend: let `{}`{} signal a semaphore, and `{}`{} wait for it at "
                                 "stage `{}`",
                                 submission(first_).name, frameOf(first_), submission(second_).name,
                                 frameOf(second_), stageNames(secondStage_))};
  }

  std::optional<QueueNote> withFewerFrames() const {
    const uint32_t apart = submission(second_).frame - submission(first_).frame;
    if (submission(second_).frame <= submission(first_).frame || plan_.framesInFlight <= apart ||
        effort_ == 0)
      return std::nullopt;
    QueuePlan changed = plan_;
    changed.framesInFlight = apart;
    if (!orders(changed)) return std::nullopt;
    return QueueNote{commandAt(plan_, first_).at,
                     fmt::format("or: {} frame{} in flight instead of {}, or another copy of the "
                                 "buffer: frames {} and {} use the same",
                                 apart, apart == 1 ? "" : "s", plan_.framesInFlight,
                                 submission(first_).frame, submission(second_).frame)};
  }

  const QueuePlan& plan_;
  const HappensBefore& order_;
  CommandRef first_, second_;
  Stages firstStage_, secondStage_;
  Dependency need_;
  size_t faults_;
  uint64_t& effort_;
  uint64_t size_; ///< submissions and commands
};

} // namespace

std::vector<QueueNote> mendsOf(const QueuePlan& plan, const HappensBefore& order,
                               StagedCommand first, StagedCommand second, Dependency need,
                               uint64_t& effort) {
  return Mender(plan, order, first, second, need, effort).run();
}

} // namespace lanewise::driver
