// Vector clocks over the invocations of a dispatch, as long as what is known of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace lanewise::driver::interpreter {

/// Accesses of one lane, or of all lanes of a workgroup, up to a tick.
struct ClockEntry {
  static constexpr uint32_t kAll = 0;
  static constexpr uint32_t ofLane(uint32_t lane) { return lane + 1; }

  uint32_t workgroup = 0;
  uint32_t lane = kAll; ///< kAll, or ofLane()
  uint32_t tick = 0;
};

/// Sorted by workgroup and lane; of a lane only what is above all lanes' tick.
using Clock = std::vector<ClockEntry>;
/// Shared by all who know the same. Null knows nothing.
using ClockPtr = std::shared_ptr<const Clock>;

/// The first of the lanes [first, last] other than `self` whose access at `tick` the clock does not
/// know; UINT32_MAX if it knows all.
uint32_t firstUnknown(const ClockPtr& clock, uint32_t workgroup, uint32_t first, uint32_t last,
                      uint32_t tick, uint32_t self = UINT32_MAX);

/// What either knows; one of the two where it knows all of the other.
ClockPtr joined(const ClockPtr& a, const ClockPtr& b);

/// Puts a clock together from many.
class ClockJoin {
public:
  void add(const ClockPtr& clock) { clock_ = joined(clock_, clock); }
  void add(const ClockEntry& entry);
  ClockPtr take();

private:
  ClockPtr clock_;
  Clock entries_;
};

} // namespace lanewise::driver::interpreter
