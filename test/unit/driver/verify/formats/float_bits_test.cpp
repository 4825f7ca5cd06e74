#include "verify/formats/float_bits.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace lanewise::driver {
namespace {

constexpr Rounding kNearest = Rounding::NearestEven, kZero = Rounding::TowardZero;
constexpr uint64_t kHalfInfinity = 0x7C00;
constexpr FloatMode kToZero{kZero, false}, kFlush{kNearest, true};

double halfByDefinition(uint32_t bits) {
  double sign = bits & 0x8000 ? -1 : 1;
  int exponent = int(bits >> 10 & 31), fraction = int(bits & 1023);
  if (exponent == 31) return fraction ? NAN : sign * HUGE_VAL;
  return sign * (exponent ? std::ldexp(1 + fraction / 1024.0, exponent - 15)
                          : std::ldexp(fraction / 1024.0, -14));
}

TEST(FloatBits, EveryHalfKeepsItsValueThroughDouble) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double value = decodeFloat(16, bits);
    if ((bits & 0x7FFF) > kHalfInfinity) {
      EXPECT_TRUE(std::isnan(value) && isNan(16, bits)) << bits;
      EXPECT_EQ(encodeFloat(16, value), bits | 0x200); // quiet, with sign and payload
      continue;
    }
    ASSERT_EQ(bitsOf(value), bitsOf(halfByDefinition(bits))) << bits; // tells -0 from 0
    for (Rounding rounding : {kNearest, kZero})
      ASSERT_EQ(encodeFloat(16, value, rounding), bits) << bits;
    ASSERT_EQ(convertFloat(32, convertFloat(16, bits, 32), 16), bits) << bits;
    ASSERT_EQ(convertFloat(64, convertFloat(16, bits, 64), 16), bits) << bits;
  }
}

TEST(FloatBits, HalvesRoundToTheNearestOrTowardZeroBetweenAllNeighbours) {
  for (uint32_t below = 0; below < kHalfInfinity; ++below) {
    double low = decodeFloat(16, below);
    // As if the exponent had no end: 65536 is what follows 65504.
    double high = below + 1 == kHalfInfinity ? 65536 : decodeFloat(16, below + 1);
    double middle = (low + high) / 2;
    uint64_t even = below % 2 ? below + 1 : below;
    for (uint64_t sign : {0, 0x8000}) {
      double one = sign ? -1 : 1;
      ASSERT_EQ(encodeFloat(16, one * middle), sign | even) << below;
      ASSERT_EQ(encodeFloat(16, one * std::nextafter(middle, 0)), sign | below) << below;
      ASSERT_EQ(encodeFloat(16, one * std::nextafter(middle, 1e9)), sign | (below + 1)) << below;
      ASSERT_EQ(encodeFloat(16, one * std::nextafter(high, 0), kZero), sign | below) << below;
      ASSERT_EQ(encodeFloat(16, one * middle, kZero), sign | below) << below;
    }
  }
  EXPECT_EQ(encodeFloat(16, 1e300), kHalfInfinity);
  EXPECT_EQ(encodeFloat(16, -1e300, kZero), 0xFBFFu);
  EXPECT_EQ(encodeFloat(16, HUGE_VAL, kZero), kHalfInfinity);
  EXPECT_EQ(encodeFloat(16, -1e-300), 0x8000u);
  EXPECT_EQ(encodeFloat(16, 5e-324, kZero), 0u);
}

TEST(FloatBits, SinglesRoundTowardZeroWhenAsked) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    double value = doubleOf(random());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(encodeFloat(32, value), bitsOf(float(value)));
    double towardZero = decodeFloat(32, encodeFloat(32, value, kZero));
    ASSERT_LE(std::fabs(towardZero), std::fabs(value));
    float next = std::nextafter(float(towardZero), std::signbit(value) ? -HUGE_VALF : HUGE_VALF);
    ASSERT_GT(std::fabs(double(next)), std::fabs(value));
  }
  EXPECT_EQ(encodeFloat(32, 1e300, kZero), 0x7F7FFFFFu);
  EXPECT_EQ(encodeFloat(32, 1e300), 0x7F800000u);
  EXPECT_EQ(encodeFloat(32, -1e-300, kZero), 0x80000000u);
}

TEST(FloatBits, TellsClassesApart) {
  EXPECT_TRUE(isInfinite(16, 0xFC00) && isInfinite(32, 0x7F800000));
  EXPECT_FALSE(isInfinite(32, 0x7F800001) || isInfinite(64, bitsOf(1.0)));
  EXPECT_TRUE(isNan(64, bitsOf(std::nan(""))) && isNan(32, 0xFF800001));
  EXPECT_TRUE(isDenormal(16, 0x83FF) && isDenormal(32, 1) && isDenormal(64, 1));
  EXPECT_FALSE(isDenormal(16, 0x400) || isDenormal(32, 0) || isDenormal(32, 0x80000000));
  EXPECT_EQ(flushDenormal(16, 0x83FF), 0x8000u);
  EXPECT_EQ(flushDenormal(32, bitsOf(1.5f)), bitsOf(1.5f));
}

// Exact sums and products of halves, in units of 2^-48.
__extension__ using Exact = __int128;
Exact exactOf(uint64_t half) {
  return Exact(std::ldexp(decodeFloat(16, half), 24));
}

Exact magnitude(Exact x) {
  return x < 0 ? -x : x;
}

void expectRounded(uint64_t half, Exact exact, Rounding rounding) {
  uint64_t size = half & 0x7FFF;
  if (size == kHalfInfinity) {
    ASSERT_EQ(rounding, kNearest);
    ASSERT_GE(magnitude(exact), Exact(65520) << 48);
    return;
  }
  Exact value = exactOf(half) * (Exact(1) << 24), error = magnitude(exact) - magnitude(value);
  ASSERT_TRUE(exact == 0 || value == 0 || (exact < 0) == (value < 0));
  Exact above = size + 1 == kHalfInfinity ? Exact(65536) << 48 : exactOf(size + 1) << 24;
  Exact gapAbove = above - magnitude(value);
  if (rounding == kZero) {
    ASSERT_GE(error, 0);
    ASSERT_TRUE(error < gapAbove || size + 1 == kHalfInfinity);
    return;
  }
  Exact gapBelow = size ? magnitude(value) - (exactOf(size - 1) << 24) : 1;
  Exact gap = error > 0 ? gapAbove : gapBelow;
  ASSERT_LE(2 * magnitude(error), gap);
  ASSERT_TRUE(2 * magnitude(error) < gap || size % 2 == 0) << "ties go to even";
}

TEST(FloatBits, HalfArithmeticIsCorrectlyRounded) {
  std::mt19937 random(2);
  auto draw = [&] {
    uint64_t half;
    do half = random() & 0xFFFF;
    while ((half & 0x7FFF) >= kHalfInfinity);
    return half;
  };
  for (int i = 0; i < 200000; ++i) {
    uint64_t a = draw(), b = draw(), c = draw();
    for (Rounding rounding : {kNearest, kZero}) {
      FloatMode mode{rounding, false};
      Exact product = exactOf(a) * exactOf(b);
      expectRounded(floatArithmetic(FloatOperation::Add, 16, a, b, mode),
                    (exactOf(a) + exactOf(b)) * (Exact(1) << 24), rounding);
      expectRounded(floatArithmetic(FloatOperation::Sub, 16, a, b, mode),
                    (exactOf(a) - exactOf(b)) * (Exact(1) << 24), rounding);
      expectRounded(floatArithmetic(FloatOperation::Mul, 16, a, b, mode), product, rounding);
      expectRounded(floatMulAdd(16, a, b, c, mode), product + exactOf(c) * (Exact(1) << 24),
                    rounding);
      if (HasFatalFailure()) FAIL() << std::hex << a << " " << b << " " << c;
    }
  }
}

TEST(FloatBits, MulAddRoundsOnce) {
  // 3 * 683 is a tie between 2048 and 2050; what is added decides it.
  uint64_t three = encodeFloat(16, 3), other = encodeFloat(16, 683);
  EXPECT_EQ(floatMulAdd(16, three, other, 0x0000), encodeFloat(16, 2048));
  EXPECT_EQ(floatMulAdd(16, three, other, 0x0001), encodeFloat(16, 2050));
  float x = 1 + 0x1p-12f; // x * x is a tie of singles
  EXPECT_EQ(floatMulAdd(32, bitsOf(x), bitsOf(x), 1), bitsOf(1 + 0x1p-11f + 0x1p-23f));
  EXPECT_EQ(floatMulAdd(32, bitsOf(x), bitsOf(x), 0), bitsOf(1 + 0x1p-11f));
}

TEST(FloatBits, DivisionAndRootsBracketTheExactValue) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    float x = std::fabs(floatOf(random())), y = std::fabs(floatOf(random()));
    if (!(x > 1e-18f && x < 1e18f && y > 1e-18f && y < 1e18f)) continue;
    uint64_t a = bitsOf(x), b = bitsOf(y);
    EXPECT_EQ(floatArithmetic(FloatOperation::Div, 32, a, b), bitsOf(x / y));
    uint64_t quotient = floatArithmetic(FloatOperation::Div, 32, a, b, kToZero);
    // Products of two singles are exact as doubles.
    ASSERT_LE(double(floatOf(quotient)) * y, x);
    ASSERT_GT(double(floatOf(quotient + 1)) * y, x);
    uint64_t root = floatSquareRoot(32, a, kToZero);
    ASSERT_LE(double(floatOf(root)) * floatOf(root), x);
    ASSERT_GT(double(floatOf(root + 1)) * floatOf(root + 1), x);
    ASSERT_EQ(floatSquareRoot(32, a), bitsOf(std::sqrt(x)));
  }
}

TEST(FloatBits, DoublesRoundTowardZeroWhenAsked) {
  uint64_t tenth = floatArithmetic(FloatOperation::Div, 64, bitsOf(1.0), bitsOf(10.0));
  EXPECT_EQ(tenth, bitsOf(0.1)); // above the exact value
  EXPECT_EQ(floatArithmetic(FloatOperation::Div, 64, bitsOf(1.0), bitsOf(10.0), kToZero),
            tenth - 1);
  uint64_t largest = bitsOf(std::numeric_limits<double>::max());
  EXPECT_EQ(floatArithmetic(FloatOperation::Mul, 64, largest, largest, kToZero), largest);
  EXPECT_EQ(floatArithmetic(FloatOperation::Add, 64, bitsOf(1.0), bitsOf(-0x1p-80), kToZero),
            bitsOf(std::nextafter(1.0, 0.0)));
  EXPECT_EQ(floatMulAdd(64, bitsOf(1.0), bitsOf(1.0), bitsOf(-0x1p-80), kToZero),
            bitsOf(std::nextafter(1.0, 0.0)));
  // The mode is not left behind.
  EXPECT_EQ(floatArithmetic(FloatOperation::Add, 64, bitsOf(1.0), bitsOf(-0x1p-80)), bitsOf(1.0));
}

TEST(FloatBits, FlushesOperandsAndResultsWhenAsked) {
  uint64_t small = 1, negative = 0x80000001, smallestNormal = 0x00800000;
  EXPECT_EQ(floatArithmetic(FloatOperation::Add, 32, small, small), 2u);
  EXPECT_EQ(floatArithmetic(FloatOperation::Add, 32, small, small, kFlush), 0u);
  EXPECT_EQ(floatArithmetic(FloatOperation::Mul, 32, smallestNormal, bitsOf(0.5f), kFlush), 0u);
  EXPECT_EQ(floatArithmetic(FloatOperation::Mul, 32, negative, bitsOf(1e30f), kFlush), 0x80000000u);
  EXPECT_EQ(floatMulAdd(32, bitsOf(1.0f), smallestNormal, bitsOf(-0x1p-127f), kFlush),
            smallestNormal);
  EXPECT_EQ(floatSquareRoot(16, 0x0001, kFlush), 0u);
}

TEST(FloatBits, ConvertsToIntegersAndTellsWhatDoesNotFit) {
  struct Case {
    double value;
    uint32_t width;
    uint64_t asUnsigned;
    bool fitsUnsigned;
    uint64_t asSigned;
    bool fitsSigned;
  };
  const uint64_t all = ~uint64_t(0);
  for (const Case& c : std::initializer_list<Case>{
           {0, 32, 0, true, 0, true},
           {-0.0, 32, 0, true, 0, true},
           {-0.99, 32, 0, true, 0, true},
           {-1, 32, 0, false, 0xFFFFFFFF, true},
           {2.99, 32, 2, true, 2, true},
           {-2.99, 16, 0, false, 0xFFFE, true},
           {255.9, 8, 255, true, 127, false},
           {256, 8, 255, false, 127, false},
           {-128.9, 8, 0, false, 0x80, true},
           {-129, 8, 0, false, 0x80, false},
           {4294967295.5, 32, 0xFFFFFFFF, true, 0x7FFFFFFF, false},
           {4294967296.0, 32, 0xFFFFFFFF, false, 0x7FFFFFFF, false},
           {-2147483648.5, 32, 0, false, 0x80000000, true},
           {0x1p63, 64, uint64_t(1) << 63, true, all >> 1, false},
           {0x1p64, 64, all, false, all >> 1, false},
           {-0x1p63, 64, 0, false, uint64_t(1) << 63, true},
           {HUGE_VAL, 64, all, false, all >> 1, false},
           {-HUGE_VAL, 16, 0, false, 0x8000, false},
           {NAN, 32, 0, false, 0, false},
       }) {
    FloatResult u = floatToUnsigned(64, bitsOf(c.value), c.width);
    FloatResult s = floatToSigned(64, bitsOf(c.value), c.width);
    EXPECT_EQ(u.bits, c.asUnsigned) << c.value;
    EXPECT_EQ(u.isDefined, c.fitsUnsigned) << c.value;
    EXPECT_EQ(s.bits, c.asSigned) << c.value;
    EXPECT_EQ(s.isDefined, c.fitsSigned) << c.value;
  }
  EXPECT_EQ(floatToUnsigned(16, 0x7BFF, 16).bits, 65504u);
  EXPECT_TRUE(floatToUnsigned(16, 0x7BFF, 16).isDefined);
  EXPECT_FALSE(floatToSigned(16, 0x7BFF, 16).isDefined);
}

TEST(FloatBits, ConvertsFromIntegersWithOneRounding) {
  EXPECT_EQ(unsignedToFloat(0, 32), 0u);
  EXPECT_EQ(unsignedToFloat(16777217, 32), bitsOf(16777216.0f)); // tie to even
  EXPECT_EQ(unsignedToFloat(16777219, 32), bitsOf(16777220.0f));
  EXPECT_EQ(unsignedToFloat(16777219, 32, kZero), bitsOf(16777218.0f));
  // As double first, this would become a tie and round down.
  EXPECT_EQ(unsignedToFloat(0x8000008000000001, 32), bitsOf(0x1.000002p63f));
  EXPECT_EQ(unsignedToFloat(~uint64_t(0), 32), bitsOf(0x1p64f));
  EXPECT_EQ(unsignedToFloat(~uint64_t(0), 32, kZero), bitsOf(0x1.fffffep63f));
  EXPECT_EQ(unsignedToFloat(~uint64_t(0), 64, kZero), bitsOf(0x1.fffffffffffffp63));
  EXPECT_EQ(unsignedToFloat(65519, 16), 0x7BFFu);
  EXPECT_EQ(unsignedToFloat(65520, 16), kHalfInfinity);
  EXPECT_EQ(unsignedToFloat(~uint64_t(0), 16, kZero), 0x7BFFu);
  EXPECT_EQ(unsignedToFloat(2049, 16), 0x6800u);
  EXPECT_EQ(unsignedToFloat(2051, 16, kZero), 0x6801u);
  EXPECT_EQ(signedToFloat(-1, 32), bitsOf(-1.0f));
  EXPECT_EQ(signedToFloat(-16777219, 32, kZero), bitsOf(-16777218.0f));
  EXPECT_EQ(signedToFloat(std::numeric_limits<int64_t>::min(), 64), bitsOf(-0x1p63));
  EXPECT_EQ(signedToFloat(-3, 16), 0xC200u);
}

TEST(FloatBits, RemaindersFollowTheirDefinition) {
  auto rem = [](float x, float y) { return floatRemainder(32, bitsOf(x), bitsOf(y)); };
  auto mod = [](float x, float y) { return floatModulo(32, bitsOf(x), bitsOf(y)); };
  EXPECT_EQ(rem(5.5f, 2).bits, bitsOf(1.5f));
  EXPECT_EQ(rem(-5.5f, 2).bits, bitsOf(-1.5f));
  EXPECT_EQ(rem(5.5f, -2).bits, bitsOf(1.5f));
  EXPECT_EQ(mod(5.5f, 2).bits, bitsOf(1.5f));
  EXPECT_EQ(mod(-5.5f, 2).bits, bitsOf(0.5f));
  EXPECT_EQ(mod(5.5f, -2).bits, bitsOf(-0.5f));
  EXPECT_TRUE(rem(5, 2).isDefined && mod(0, 2).isDefined);
  EXPECT_FALSE(rem(5, 0).isDefined || mod(5, -0.0f).isDefined);
  EXPECT_FALSE(floatModulo(32, bitsOf(1.0f), 1, kFlush).isDefined); // a flushed denormal
  EXPECT_TRUE(floatModulo(32, bitsOf(1.0f), 1).isDefined);
  EXPECT_EQ(floatModulo(16, 0xC580, 0x4000).bits, 0x3800u); // -5.5 mod 2 as halves
}

} // namespace
} // namespace lanewise::driver
