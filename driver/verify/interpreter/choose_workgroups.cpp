#include "verify/interpreter/choose_workgroups.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace lanewise::driver {

std::vector<uint32_t> chooseWorkgroups(const std::array<uint32_t, 3>& groups, uint32_t count,
                                       bool isPrefix) {
  uint64_t all = uint64_t(groups[0]) * groups[1] * groups[2];
  count = uint32_t(std::min<uint64_t>(count, all));
  std::set<uint32_t> chosen;
  auto add = [&](uint64_t workgroup) {
    if (chosen.size() < count) chosen.insert(uint32_t(workgroup));
  };
  if (!isPrefix) {
    add(0);
    add(all - 1);
    const uint64_t strides[] = {1, groups[0], uint64_t(groups[0]) * groups[1]};
    for (uint32_t d = 0; d < 3; ++d)
      if (groups[d] > 1) add(strides[d]), add(all - 1 - strides[d]);
    // Steps of the golden ratio fall evenly into the gaps.
    constexpr double kGolden = 0.6180339887498949;
    double at = 0.5;
    for (uint32_t n = 0; n < count; ++n, at = std::fmod(at + kGolden, 1.0))
      add(uint64_t(at * double(all)));
  }
  for (uint64_t n = 0; n < all && chosen.size() < count; ++n) add(n);
  return {chosen.begin(), chosen.end()};
}

} // namespace lanewise::driver
