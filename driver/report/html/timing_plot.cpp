#include "report/html/timing_plot.h"

#include "report/html/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <vector>

namespace lanewise::driver {

namespace {

constexpr int kStripHeight = 44, kScaleHeight = 22;
constexpr double kScaleLeft = 7, kScaleRight = 93; // per cent of the width: where the scale runs
constexpr double kOutside = 98;                    // where samples beyond the scale stand
constexpr size_t kMostTitles = 200;                // samples that say their value when pointed at

struct Quartiles {
  double low = 0, median = 0, high = 0;
};

/// By linear interpolation between order statistics (Hyndman and Fan 1996, type 7).
Quartiles quartilesOf(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  auto at = [&](double fraction) {
    const double place = fraction * double(sorted.size() - 1);
    const auto below = size_t(place);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - double(below)) * (sorted[above] - sorted[below]);
  };
  return {at(0.25), at(0.5), at(0.75)};
}

/// One strip of a plot.
struct Strip {
  std::string label; ///< HTML
  std::string role;  ///< its class: "before" or "after"
  std::span<const double> values;
  double low = 0, high = 0; ///< of the interval to be drawn; equal: none
};

/// From values to per cent of the width.
struct Scale {
  double from = 0, to = 1;
  std::vector<double> ticks;
  int decimals = 0; ///< of the ticks' labels
  bool isInside(double value) const { return value <= to; }
  double place(double value) const {
    return value > to ? kOutside
                      : kScaleLeft + (kScaleRight - kScaleLeft) * (value - from) / (to - from);
  }
};

/// Ticks at 1, 2 or 5 times a power of ten, four to six of them; the ends are ticks.
Scale scaleOver(double low, double high) {
  if (!(high > low)) high = low + std::max(std::fabs(low) * 0.01, 1e-9);
  const double rough = (high - low) / 4;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough / power > 5   ? 10
                               : rough / power > 2 ? 5
                               : rough / power > 1 ? 2
                                                   : 1);
  Scale scale;
  scale.from = std::floor(low / step + 1e-9) * step;
  scale.to = std::ceil(high / step - 1e-9) * step;
  scale.decimals = std::max(0, -int(std::floor(std::log10(step) + 1e-9)));
  const auto count = int(std::lround((scale.to - scale.from) / step));
  for (int i = 0; i <= count; ++i) scale.ticks.push_back(scale.from + i * step);
  return scale;
}

/// A few samples that were interrupted must not squeeze all others into one spot: the scale ends
/// four interquartile ranges above the highest third quartile.
Scale scaleFor(const std::vector<Strip>& strips, std::optional<double> reference) {
  double low = reference.value_or(strips[0].values[0]), high = low, end = low;
  for (const Strip& strip : strips) {
    const Quartiles q = quartilesOf(strip.values);
    end = std::max(end, q.high + 4 * (q.high - q.low));
    for (double value : strip.values) low = std::min(low, value), high = std::max(high, value);
    if (strip.high > strip.low) low = std::min(low, strip.low), end = std::max(end, strip.high);
    if (strip.high > strip.low) high = std::max(high, strip.high);
  }
  if (high > end) high = end;
  // From nought on, where that wastes little: lengths then compare as times do.
  if (low > 0 && low < 0.5 * high) low = 0;
  return scaleOver(low, high);
}

std::string line(const char* role, double x, int y1, int y2) {
  return fmt::format(R"(<line class="{}" x1="{:.2f}%" x2="{:.2f}%" y1="{}" y2="{}"/>)", role, x, x,
                     y1, y2);
}

std::string rect(const char* role, double from, double to, int y, int height) {
  return fmt::format(R"(<rect class="{}" x="{:.2f}%" width="{:.2f}%" y="{}" height="{}"/>)", role,
                     from, std::max(to - from, 0.0), y, height);
}

/// Every sample, or evenly chosen ones, from the top down.
std::string points(const Strip& strip, const Scale& scale, double unit) {
  const size_t drawn = std::min(strip.values.size(), kMostPoints);
  std::string svg;
  for (size_t n = 0; n < drawn; ++n) {
    const size_t sample = n * strip.values.size() / drawn;
    const double value = strip.values[sample];
    const double y = 7 + (kStripHeight - 14) * (drawn > 1 ? double(n) / double(drawn - 1) : 0.5);
    svg += fmt::format(R"(<circle class="pt{}" cx="{:.2f}%" cy="{:.1f}" r="3">)",
                       scale.isInside(value) ? "" : " out", scale.place(value), y);
    if (drawn <= kMostTitles)
      svg += fmt::format("<title>round {}: {}</title>", sample + 1, shortNumber(value / unit));
    svg += "</circle>";
  }
  return svg;
}

std::string stripSvg(const Strip& strip, const Scale& scale, std::optional<double> reference,
                     double unit, const std::string& description) {
  const Quartiles q = quartilesOf(strip.values);
  std::string svg =
      fmt::format(R"(<svg class="strip {}" width="100%" height="{}" role="img" aria-label="{}">)",
                  strip.role, kStripHeight, escaped(description));
  for (double tick : scale.ticks) svg += line("grid", scale.place(tick), 0, kStripHeight);
  if (reference) svg += line("ref", scale.place(*reference), 0, kStripHeight);
  if (strip.high > strip.low)
    svg += rect("ci", scale.place(strip.low), scale.place(std::min(strip.high, scale.to)), 2,
                kStripHeight - 4);
  else
    svg += rect("box", scale.place(q.low), scale.place(std::min(q.high, scale.to)), 8,
                kStripHeight - 16);
  svg += points(strip, scale, unit);
  svg += line("med", scale.place(q.median), 2, kStripHeight - 2);
  return svg + "</svg>";
}

std::string axis(const Scale& scale, double unit) {
  std::string svg = fmt::format(R"(<svg class="axis" width="100%" height="{}" aria-hidden="true">)",
                                kScaleHeight);
  svg += fmt::format(R"(<line class="base" x1="{}%" x2="{}%" y1="1" y2="1"/>)", kScaleLeft,
                     kScaleRight);
  const double step = scale.ticks[1] - scale.ticks[0];
  const int decimals = std::max(0, -int(std::floor(std::log10(step / unit) + 1e-9)));
  for (double tick : scale.ticks) {
    svg += line("base", scale.place(tick), 1, 6);
    svg += fmt::format(R"(<text x="{:.2f}%" y="19">{:.{}f}</text>)", scale.place(tick), tick / unit,
                       decimals);
  }
  return svg + "</svg>";
}

/// How many stand beyond the scale, and where the farthest is.
std::string outsideText(const std::vector<Strip>& strips, const Scale& scale, double unit) {
  size_t count = 0;
  double farthest = 0;
  for (const Strip& strip : strips)
    for (double value : strip.values)
      if (!scale.isInside(value)) ++count, farthest = std::max(farthest, value);
  if (count == 0) return {};
  return fmt::format("; {} at the right edge (hollow) lie{} beyond the scale, up to {}",
                     countText(count, "sample"), count == 1 ? "s" : "",
                     shortNumber(farthest / unit));
}

std::string timePlot(const VerifyReport& report, const TimingResult& any) {
  std::vector<Strip> strips;
  auto add = [&](const std::string& name, const char* role, const std::vector<double>& samples,
                 double median) {
    if (samples.empty()) return;
    strips.push_back(
        {fmt::format("<b>{}</b> median {}", escaped(name), timeText(median)), role, samples});
  };
  add(report.originalName, "before", any.originalSamples, any.originalMedian);
  for (const VariantReport& variant : report.variants)
    if (variant.timing)
      add(variant.name, "after", variant.timing->transformedSamples,
          variant.timing->transformedMedian);
  if (strips.empty()) return {};
  const Scale scale = scaleFor(strips, std::nullopt);
  const TimeUnit unit = unitFor(scale.to);
  std::string html = R"(<figure class="plot times">)";
  for (const Strip& strip : strips)
    html += fmt::format(R"(<div class="lab">{}</div>{})", strip.label,
                        stripSvg(strip, scale, std::nullopt, unit.microseconds,
                                 countText(strip.values.size(), "sample")));
  html += axis(scale, unit.microseconds);
  html +=
      fmt::format("<figcaption>time of one run, {}{}; points: samples, first round on top; box: "
                  "quartiles; line: median{}</figcaption></figure>",
                  unit.name, scale.from > 0 ? " (the axis does not start at 0)" : "",
                  outsideText(strips, scale, unit.microseconds));
  return html;
}

std::vector<double> pairedRatios(const TimingResult& timing) {
  std::vector<double> ratios;
  const size_t rounds = std::min(timing.originalSamples.size(), timing.transformedSamples.size());
  for (size_t n = 0; n < rounds; ++n)
    ratios.push_back(timing.originalSamples[n] > 0
                         ? timing.transformedSamples[n] / timing.originalSamples[n]
                         : 1);
  return ratios;
}

std::string ratioPlot(const VerifyReport& report) {
  std::vector<std::vector<double>> ratios; // what the strips look at
  ratios.reserve(report.variants.size());
  std::vector<Strip> strips;
  for (const VariantReport& variant : report.variants) {
    if (!variant.timing || variant.timing->transformedSamples.empty()) continue;
    const TimingResult& timing = *variant.timing;
    ratios.push_back(pairedRatios(timing));
    const bool isBounded = std::isfinite(timing.ratioHigh);
    std::string interval =
        isBounded ? fmt::format("95% interval {:.3f} to {:.3f}", timing.ratioLow, timing.ratioHigh)
                  : "too few rounds for an interval";
    strips.push_back(
        {fmt::format("<b>{}</b> {:.3f}, {}", escaped(variant.name), timing.ratio, interval),
         "after", ratios.back(), isBounded ? timing.ratioLow : 0,
         isBounded ? timing.ratioHigh : 0});
  }
  if (strips.empty()) return {};
  const Scale scale = scaleFor(strips, 1.0);
  std::string html = R"(<figure class="plot ratios">)";
  for (const Strip& strip : strips)
    html +=
        fmt::format(R"(<div class="lab">{}</div>{})", strip.label,
                    stripSvg(strip, scale, 1.0, 1, countText(strip.values.size(), "paired ratio")));
  html += axis(scale, 1);
  html += fmt::format("<figcaption>time relative to <b>{}</b> in the same round (1, dashed: the "
                      "same; left of it: faster); line: median; band: its 95% confidence "
                      "interval{}</figcaption></figure>",
                      escaped(report.originalName), outsideText(strips, scale, 1));
  return html;
}

} // namespace

std::string timingPlots(const VerifyReport& report) {
  const TimingResult* any = nullptr;
  for (const VariantReport& variant : report.variants)
    if (variant.timing) any = &*variant.timing;
  return any ? timePlot(report, *any) + ratioPlot(report) : std::string();
}

} // namespace lanewise::driver
