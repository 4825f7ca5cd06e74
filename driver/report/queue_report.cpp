#include "report/queue_report.h"

#include <fmt/format.h>

namespace lanewise::driver {

std::vector<std::string> linesOf(const QueueTiming& timing) {
  std::vector<std::string> lines, places;
  for (const TimedQueue& queue : timing.queues)
    places.push_back(
        fmt::format("`{}` on {}, busy {:.1f} us", queue.name, queue.place, queue.busy));
  lines.push_back(fmt::format("queues: {}", fmt::join(places, "; ")));
  if (timing.deviceQueues == 1)
    lines.push_back(fmt::format("nothing overlapped: the device has one queue for all of them; one "
                                "run took {:.1f} us",
                                timing.span));
  else if (!timing.areComparable)
    lines.push_back("overlap unknown: the device has no calibrated timestamps, so its queues' "
                    "times are not on one clock");
  else
    lines.push_back(fmt::format("overlap: {:.1f} us of {:.1f} us ({:.0f}%)", timing.overlap,
                                timing.span,
                                timing.span > 0 ? 100 * timing.overlap / timing.span : 0));
  lines.push_back(fmt::format("critical path: {:.1f} us", timing.criticalPath));
  if (timing.oneQueue)
    lines.push_back(fmt::format("on one queue, one after the other: {:.1f} us", *timing.oneQueue));
  return lines;
}

nlohmann::ordered_json toJson(const QueueTiming& timing) {
  nlohmann::ordered_json json;
  for (const TimedQueue& queue : timing.queues)
    json["queues"].push_back(
        {{"name", queue.name}, {"place", queue.place}, {"busy-us", queue.busy}});
  json["device-queues"] = timing.deviceQueues;
  json["comparable"] = timing.areComparable;
  json["span-us"] = timing.span;
  json["overlap-us"] = timing.overlap;
  json["critical-path-us"] = timing.criticalPath;
  if (timing.oneQueue) json["one-queue-us"] = *timing.oneQueue;
  json["commands"] = nlohmann::ordered_json::array();
  for (const TimedCommand& command : timing.commands)
    json["commands"].push_back({{"name", command.name},
                                {"queue", timing.queues[command.queue].name},
                                {"frame", command.frame},
                                {"line", command.line},
                                {"begin-us", command.begin},
                                {"end-us", command.end},
                                {"critical", command.isCritical}});
  return json;
}

} // namespace lanewise::driver
