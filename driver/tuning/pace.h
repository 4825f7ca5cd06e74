// How long the next step of a search takes, judged by the last ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

namespace lanewise::driver {

/// Of the last sixteen steps the third quartile: an estimate that is rather too long, but that a
/// few steps do not ruin in which the device or the machine stalled. Of two the shorter counts.
class Pace {
public:
  void add(double seconds) {
    constexpr size_t kKept = 16;
    last_.push_back(seconds);
    if (last_.size() > kKept) last_.pop_front();
  }
  bool isKnown() const { return !last_.empty(); }
  /// 0 where nothing is known yet.
  double seconds() const {
    if (last_.empty()) return 0;
    std::vector<double> sorted(last_.begin(), last_.end());
    std::ranges::sort(sorted);
    return sorted[(sorted.size() - 1) * 3 / 4];
  }

private:
  std::deque<double> last_; ///< the oldest first
};

} // namespace lanewise::driver
