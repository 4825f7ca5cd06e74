#include "tuning/value_search.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lanewise::driver {

namespace {

constexpr size_t kMostDrawsPerPoint = 64; // where constraints allow little

/// The digits of `n` in base `base` behind the point, in reverse: 1/2, 1/4, 3/4, 1/8, ...
double radicalInverse(size_t n, size_t base) {
  double result = 0, digit = 1;
  for (; n != 0; n /= base) {
    digit /= double(base);
    result += digit * double(n % base);
  }
  return result;
}

/// The `n`th prime, from 0.
size_t primeAt(size_t n) {
  for (size_t candidate = 2;; ++candidate) {
    bool isPrime = true;
    for (size_t d = 2; d * d <= candidate; ++d) isPrime &= candidate % d != 0;
    if (isPrime && n-- == 0) return candidate;
  }
}

/// `place` moved by `by`, at most to an end of an axis of `count`.
size_t moved(size_t place, ptrdiff_t by, size_t count) {
  return size_t(std::clamp<ptrdiff_t>(ptrdiff_t(place) + by, 0, ptrdiff_t(count) - 1));
}

} // namespace

size_t ValueGrid::size() const {
  size_t size = 1;
  for (const Tunable& tunable : tunables_)
    size = std::min(size, SIZE_MAX / std::max<size_t>(tunable.values.size(), 1)) *
           tunable.values.size();
  return size;
}

Parameters ValueGrid::at(const Places& places) const {
  Parameters point;
  for (size_t axis = 0; axis < places.size(); ++axis) {
    const Tunable& tunable = tunables_[axis];
    const int64_t value = tunable.values[places[axis]];
    if (value != own_.at(tunable.name)) point[tunable.name] = value;
  }
  return point;
}

ValueGrid::Places ValueGrid::placesOf(const Parameters& point) const {
  Places places;
  for (const Tunable& tunable : tunables_) {
    const auto value = point.find(tunable.name);
    const int64_t sought = value != point.end() ? value->second : own_.at(tunable.name);
    places.push_back(size_t(std::ranges::find(tunable.values, sought) - tunable.values.begin()));
  }
  return places;
}

std::vector<Parameters> ValueGrid::all() const {
  std::vector<Places> places{{}};
  for (const Tunable& tunable : tunables_) {
    std::vector<Places> more;
    for (const Places& start : places)
      for (size_t place = 0; place < tunable.values.size(); ++place) {
        more.push_back(start);
        more.back().push_back(place);
      }
    places = std::move(more);
  }
  std::vector<Parameters> points;
  for (const Places& p : places) points.push_back(at(p));
  std::erase_if(points, [](const Parameters& p) { return p.empty(); });
  std::ranges::stable_sort(points, {}, [](const Parameters& p) { return p.size(); });
  return points;
}

std::vector<Parameters> ValueGrid::spread(size_t few) const {
  std::vector<Parameters> points;
  std::set<Parameters> seen{{}};
  const auto add = [&](const std::function<size_t(size_t)>& placeOf) {
    Places places;
    for (size_t axis = 0; axis < tunables_.size(); ++axis) places.push_back(placeOf(axis));
    Parameters point = at(places);
    if (seen.insert(point).second && isAllowed_(point)) points.push_back(std::move(point));
  };
  add([&](size_t axis) { return tunables_[axis].values.size() - 1; });
  add([](size_t) { return 0; });
  for (size_t draw = 1; draw <= few * kMostDrawsPerPoint && points.size() < few; ++draw)
    add([&](size_t axis) {
      return size_t(radicalInverse(draw, primeAt(axis)) * double(tunables_[axis].values.size()));
    });
  return points;
}

std::vector<Parameters> ValueGrid::around(const Parameters& from, size_t stride) const {
  const Places start = placesOf(from);
  std::vector<Parameters> points;
  const auto add = [&](const Places& places) {
    Parameters point = at(places);
    if (places != start && isAllowed_(point)) points.push_back(std::move(point));
  };
  const auto step = ptrdiff_t(stride);
  const auto move = [&](Places& places, size_t axis, ptrdiff_t by) {
    places[axis] = moved(places[axis], by, tunables_[axis].values.size());
  };
  for (size_t axis = 0; axis < start.size(); ++axis)
    for (const ptrdiff_t by : {-step, step}) {
      Places places = start;
      move(places, axis, by);
      add(places);
      for (size_t other = 0; other < axis; ++other) {
        Places both = places;
        move(both, other, -by);
        if (both[other] != start[other] && both[axis] != start[axis]) add(both);
      }
    }
  return points;
}

size_t ValueGrid::firstStride() const {
  size_t longest = 1;
  for (const Tunable& tunable : tunables_) longest = std::max(longest, tunable.values.size());
  return std::bit_floor(std::max<size_t>(longest / 8, 1));
}

Status searchValues(const ValueGrid& grid, size_t few, const PointTrial& trial) {
  std::set<Parameters> seen{{}};
  Parameters best;
  const auto tryNew = [&](std::vector<Parameters> points) -> Status {
    std::erase_if(points, [&](const Parameters& p) { return !seen.insert(p).second; });
    if (points.empty()) return ok();
    Result<Parameters> found = trial(std::move(points));
    if (!found) return found.error();
    best = std::move(*found);
    return ok();
  };
  if (Status s = tryNew(grid.spread(few)); !s) return s;
  // Each gain is another point, so this ends.
  for (size_t stride = grid.firstStride(); stride > 0;) {
    const Parameters before = best;
    if (Status s = tryNew(grid.around(before, stride)); !s) return s;
    stride = best == before ? stride / 2 : stride * 2;
  }
  return ok();
}

} // namespace lanewise::driver
