#include "report/html/queue_plot.h"

#include "report/html/text.h"
#include "report/queue_report.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

constexpr int kRowHeight = 28, kBarHeight = 18, kAxisHeight = 22;
constexpr double kLeft = 4, kRight = 96; // per cent of the width between which the time runs
constexpr double kLeast = 0.15;          // per cent of the width: a bar that short is still seen

double placeOf(double time, double span) {
  return kLeft + (kRight - kLeft) * time / span;
}

std::string bar(const TimedCommand& command, double span) {
  const double from = placeOf(command.begin, span);
  const double width = std::max(placeOf(command.end, span) - from, kLeast);
  return fmt::format(R"(<rect class="run f{}{}" x="{:.3f}%" width="{:.3f}%" y="{}" height="{}">)"
                     "<title>{}, frame {}: {:.1f} to {:.1f} us ({:.1f} us){}</title></rect>",
                     command.frame % 2, command.isCritical ? " critical" : "", from, width,
                     (kRowHeight - kBarHeight) / 2, kBarHeight, escaped(command.name),
                     command.frame, command.begin, command.end, command.end - command.begin,
                     command.isCritical ? ", on the critical path" : "");
}

// Quarters of the time that all took.
std::string axis(double span) {
  std::string svg =
      fmt::format(R"(<svg class="axis" width="100%" height="{}" aria-hidden="true">)", kAxisHeight);
  for (int quarter = 0; quarter <= 4; ++quarter)
    svg += fmt::format(R"(<text x="{:.2f}%" y="16">{}</text>)", placeOf(quarter * span / 4, span),
                       timeText(quarter * span / 4));
  return svg + "</svg>";
}

} // namespace

std::string queuePlot(const QueueTiming& timing) {
  if (timing.commands.empty() || timing.span <= 0) return {};
  std::string html = R"(<div class="plot queues">)";
  for (uint32_t q = 0; q < timing.queues.size(); ++q) {
    const TimedQueue& queue = timing.queues[q];
    html += fmt::format(R"(<p class="small"><b>{}</b> ({}): busy {}</p>)", escaped(queue.name),
                        escaped(queue.place), timeText(queue.busy));
    html += fmt::format(R"(<svg class="lane" width="100%" height="{}" role="img" )"
                        R"(aria-label="what ran when on queue {}">)",
                        kRowHeight, escaped(queue.name));
    for (const TimedCommand& command : timing.commands)
      if (command.queue == q) html += bar(command, timing.span);
    html += "</svg>";
  }
  html += axis(timing.span) + "</div>";
  for (const std::string& line : linesOf(timing))
    html += fmt::format(R"(<p class="small">{}</p>)", escaped(line));
  return html;
}

} // namespace lanewise::driver
