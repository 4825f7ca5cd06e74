// Many ranges in little room: in 24 bytes each as far as they fit into 32 bits.
#pragma once

#include "analysis/ranges/integer_range.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace lanewise {

/// By number; the caller knows the width of each.
class RangeTable {
public:
  /// Of empty ranges.
  void assign(size_t count) { packed_.assign(count, IntegerRange().packed()); }

  IntegerRange get(uint32_t n, uint32_t width) const {
    const IntegerRange::Packed& packed = packed_[n];
    return packed == kElsewhere ? others_.at(n) : IntegerRange::unpacked(width, packed);
  }
  void set(uint32_t n, uint32_t width, const IntegerRange& range) {
    const IntegerRange::Packed packed = range.packed();
    const bool fits = packed != kElsewhere && IntegerRange::unpacked(width, packed) == range;
    packed_[n] = fits ? packed : kElsewhere;
    if (!fits) others_[n] = range;
  }

private:
  /// Empty, and with a bit that is 0: no operation leaves a range like that.
  static constexpr IntegerRange::Packed kElsewhere = {1, 0, 1, 0, 1, 0};

  std::vector<IntegerRange::Packed> packed_;
  std::unordered_map<uint32_t, IntegerRange> others_; ///< looked up only, never iterated
};

} // namespace lanewise
