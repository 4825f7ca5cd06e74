#include "analysis/ranges/range_table.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(RangeTable, GivesBackWhatWasPutInWhateverItsWidth) {
  const IntegerRange ranges[] = {
      IntegerRange::all(1),
      IntegerRange::none(1),
      IntegerRange::single(8, 200),
      IntegerRange::all(32),
      IntegerRange::none(32),
      IntegerRange::ofSigned(32, -5, 7),
      IntegerRange::ofUnsigned(32, 1, UINT32_MAX),
      IntegerRange::all(64),
      IntegerRange::none(64),
      IntegerRange::single(64, 5),
      IntegerRange::ofUnsigned(64, uint64_t(1) << 40, uint64_t(1) << 41),
      IntegerRange::ofSigned(64, INT64_MIN, -1),
  };
  RangeTable table;
  table.assign(std::size(ranges));
  for (uint32_t n = 0; n < std::size(ranges); ++n)
    EXPECT_EQ(table.get(n, ranges[n].width()), IntegerRange::none(ranges[n].width()));
  for (uint32_t n = 0; n < std::size(ranges); ++n) table.set(n, ranges[n].width(), ranges[n]);
  for (uint32_t n = 0; n < std::size(ranges); ++n)
    EXPECT_EQ(table.get(n, ranges[n].width()), ranges[n]) << n;
}

TEST(RangeTable, TakesASmallRangeInPlaceOfALargeOne) {
  RangeTable table;
  table.assign(1);
  table.set(0, 64, IntegerRange::all(64));
  table.set(0, 64, IntegerRange::none(64));
  EXPECT_TRUE(table.get(0, 64).isEmpty());
}

} // namespace
} // namespace lanewise
