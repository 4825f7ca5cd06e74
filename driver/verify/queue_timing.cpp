#include "verify/queue_timing.h"

#include "verify/queues/critical_path.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lanewise::driver {
namespace {

struct Interval {
  double begin = 0, end = 0;
};

// In order, with no overlap among themselves.
std::vector<Interval> merged(std::vector<Interval> all) {
  std::sort(all.begin(), all.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> merged;
  for (const Interval& one : all)
    if (!merged.empty() && one.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, one.end);
    else
      merged.push_back(one);
  return merged;
}

double lengthOf(const std::vector<Interval>& intervals) {
  double length = 0;
  for (const Interval& one : intervals) length += one.end - one.begin;
  return length;
}

// The time in which two or more of the lists have something.
double overlapOf(const std::vector<std::vector<Interval>>& lists) {
  std::vector<std::pair<double, int>> events; // ends before begins at the same time
  for (const std::vector<Interval>& list : lists)
    for (const Interval& one : list) {
      events.emplace_back(one.begin, 1);
      events.emplace_back(one.end, -1);
    }
  std::sort(events.begin(), events.end());
  double overlap = 0, since = 0;
  int running = 0;
  for (const auto& [time, change] : events) {
    if (running >= 2) overlap += time - since;
    running += change;
    since = time;
  }
  return overlap;
}

} // namespace

QueueTiming queueTimingOf(const QueuePlan& plan, const QueueTrace& trace) {
  QueueTiming timing;
  timing.deviceQueues = trace.deviceQueues;
  timing.areComparable = trace.areComparable;
  std::map<CommandRef, double> lengths;
  std::map<std::string, std::vector<Interval>> byPlace;
  std::vector<std::vector<Interval>> byQueue(plan.queues.size());
  for (const QueueTrace::Command& command : trace.commands) {
    const PlannedSubmission& submission = plan.submissions[command.submission];
    const PlannedCommand& planned = submission.commands[command.command];
    timing.commands.push_back({planned.name, submission.queue, submission.frame, planned.at.line,
                               command.begin, command.end, false});
    lengths[{command.submission, command.command}] = command.end - command.begin;
    byPlace[trace.queues[submission.queue]].push_back({command.begin, command.end});
    byQueue[submission.queue].push_back({command.begin, command.end});
    timing.span = std::max(timing.span, command.end);
  }
  for (size_t q = 0; q < plan.queues.size(); ++q)
    timing.queues.push_back(
        {plan.queues[q].name, trace.queues[q], lengthOf(merged(std::move(byQueue[q])))});
  std::vector<std::vector<Interval>> places;
  for (auto& [place, intervals] : byPlace) places.push_back(merged(std::move(intervals)));
  if (timing.areComparable) timing.overlap = overlapOf(places);
  const CriticalPath path = criticalPathOf(plan, [&](CommandRef at) {
    const auto known = lengths.find(at);
    return known == lengths.end() ? 0.0 : known->second;
  });
  timing.criticalPath = path.length;
  for (size_t n = 0; n < trace.commands.size(); ++n) {
    const CommandRef at{trace.commands[n].submission, trace.commands[n].command};
    timing.commands[n].isCritical =
        std::find(path.commands.begin(), path.commands.end(), at) != path.commands.end();
  }
  return timing;
}

} // namespace lanewise::driver
