#include "verify/formats/narrow_floats.h"

#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace lanewise::driver;
using E = FloatEncoding;

struct Narrow {
  E encoding;
  uint32_t width;
};
constexpr Narrow kAll[] = {{E::BFloat16, 16},  {E::Float8E4M3, 8}, {E::Float8E5M2, 8},
                           {E::Float6E2M3, 6}, {E::Float6E3M2, 6}, {E::Float4E2M1, 4},
                           {E::Float8E8M0, 8}};

TEST(NarrowFloats, EveryValueComesBack) {
  for (const Narrow& n : kAll)
    for (uint64_t bits = 0; bits < uint64_t(1) << n.width; ++bits) {
      const double value = decodeNarrow(n.encoding, n.width, bits);
      const uint64_t back = encodeNarrow(n.encoding, n.width, value);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(decodeNarrow(n.encoding, n.width, back)));
      else
        ASSERT_EQ(back, bits) << int(n.encoding);
    }
}

TEST(NarrowFloats, BetweenTwoValuesTheNearestOneIsTakenAndTheEvenOneOfTwo) {
  for (const Narrow& n : kAll) {
    if (n.encoding == E::Float8E8M0) continue;
    const uint64_t positive = uint64_t(1) << (n.width - 1);
    for (uint64_t bits = 0; bits + 1 < positive; ++bits) {
      const double low = decodeNarrow(n.encoding, n.width, bits);
      const double high = decodeNarrow(n.encoding, n.width, bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double middle = (low + high) / 2;
      const uint64_t even = bits + bits % 2;
      ASSERT_EQ(encodeNarrow(n.encoding, n.width, middle), even);
      ASSERT_EQ(encodeNarrow(n.encoding, n.width, (middle + high) / 2), bits + 1);
      ASSERT_EQ(encodeNarrow(n.encoding, n.width, -(low + middle) / 2), bits | positive);
      ASSERT_EQ(encodeNarrow(n.encoding, n.width, (middle + high) / 2, false, Rounding::TowardZero),
                bits);
    }
  }
}

TEST(NarrowFloats, KnownValues) {
  EXPECT_EQ(encodeNarrow(E::BFloat16, 16, 1.0), 0x3F80u);
  EXPECT_EQ(encodeNarrow(E::Float8E4M3, 8, 448), 0x7Eu);
  EXPECT_EQ(encodeNarrow(E::Float8E5M2, 8, 57344), 0x7Bu);
  EXPECT_EQ(encodeNarrow(E::Float4E2M1, 4, -6), 0xFu);
  EXPECT_EQ(decodeNarrow(E::Float8E4M3, 8, 1), std::ldexp(1, -9));
  EXPECT_EQ(decodeNarrow(E::Float8E8M0, 8, 127), 1.0);
}

// SPV_EXT_float8: a NaN of the one that has no infinities, an infinity of the other, the largest
// value where that was asked for.
TEST(NarrowFloats, TooLarge) {
  EXPECT_EQ(encodeNarrow(E::Float8E4M3, 8, 1000), 0x7Fu);
  EXPECT_EQ(encodeNarrow(E::Float8E4M3, 8, -1000), 0xFFu);
  EXPECT_EQ(encodeNarrow(E::Float8E5M2, 8, 1e6), 0x7Cu);
  EXPECT_EQ(encodeNarrow(E::Float8E4M3, 8, 1000, true), 0x7Eu);
  EXPECT_EQ(encodeNarrow(E::Float8E5M2, 8, -HUGE_VAL, true), 0xFBu);
  EXPECT_EQ(encodeNarrow(E::BFloat16, 16, 1e300), 0x7F80u);
  EXPECT_EQ(encodeNarrow(E::Float4E2M1, 4, 100), 0x7u);
}

} // namespace
