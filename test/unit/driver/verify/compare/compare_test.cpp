#include "verify/compare/compare.h"
#include "verify/formats/scalars.h"
#include "verify/scenario/fills.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace lanewise::driver {
namespace {

template <class T>
std::vector<uint8_t> bytesOf(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

ScenarioBuffer bufferOf(ScalarType type, uint64_t count, Compare compare) {
  ScenarioBuffer buffer;
  buffer.name = "out";
  buffer.elements = {type};
  buffer.count = count;
  buffer.compare = compare;
  return buffer;
}

std::optional<BufferDifference> compareFloats(const std::vector<float>& a,
                                              const std::vector<float>& b, Compare compare) {
  std::vector<uint8_t> left = bytesOf(a), right = bytesOf(b);
  return compareContents(bufferOf(ScalarType::F32, a.size(), compare), {left, {}}, {right, {}});
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Compare, ExactNamesTheFirstDifferenceAndCountsAll) {
  auto difference = compareFloats({1, 2, 3, 4}, {1, 2.5, 3, 5}, CompareExact{});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->buffer, "out");
  EXPECT_EQ(difference->firstIndex, 1u);
  EXPECT_EQ(difference->differing, 2u);
  EXPECT_EQ(difference->elements, 4u);
  EXPECT_EQ(difference->original, "2");
  EXPECT_EQ(difference->transformed, "2.5");
}

TEST(Compare, ExactSeesSignsOfZeroAndNanPayloads) {
  EXPECT_FALSE(compareFloats({kNan, 0}, {kNan, 0}, CompareExact{}));
  EXPECT_TRUE(compareFloats({0.0f}, {-0.0f}, CompareExact{}));
  std::vector<uint8_t> a = bytesOf<uint32_t>({0x7FC00000}), b = bytesOf<uint32_t>({0x7FC00001});
  EXPECT_TRUE(compareContents(bufferOf(ScalarType::F32, 1, CompareExact{}), {a, {}}, {b, {}}));
}

TEST(Compare, AnyNanEqualsAnyOtherWhereThatIsAsked) {
  const Compare rule = CompareExact{true};
  std::vector<uint8_t> a = bytesOf<uint32_t>({0x7FC00000}), b = bytesOf<uint32_t>({0xFFC00001});
  EXPECT_FALSE(compareContents(bufferOf(ScalarType::F32, 1, rule), {a, {}}, {b, {}}));
  // The same bits as integers are two numbers, and everything else stays exact.
  EXPECT_TRUE(compareContents(bufferOf(ScalarType::U32, 1, rule), {a, {}}, {b, {}}));
  EXPECT_TRUE(compareFloats({kNan}, {1}, rule));
  EXPECT_TRUE(compareFloats({kNan}, {kInfinity}, rule));
  EXPECT_TRUE(compareFloats({0.0f}, {-0.0f}, rule));
  EXPECT_TRUE(compareFloats({1}, {std::nextafter(1.0f, 2.0f)}, rule));
  auto difference = compareFloats({kNan}, {1}, rule);
  EXPECT_EQ(difference->detail, "only one is a NaN");
}

TEST(Compare, UlpAllowsExactlyThatMany) {
  float one = 1, next = std::nextafter(one, 2.0f), second = std::nextafter(next, 2.0f);
  EXPECT_FALSE(compareFloats({one}, {next}, CompareUlp{1}));
  EXPECT_TRUE(compareFloats({one}, {second}, CompareUlp{1}));
  EXPECT_FALSE(compareFloats({one}, {second}, CompareUlp{2}));
}

TEST(Compare, UlpTreatsSpecialValuesAsDocumented) {
  EXPECT_FALSE(compareFloats({0.0f}, {-0.0f}, CompareUlp{0}));
  EXPECT_FALSE(compareFloats({kNan}, {-kNan}, CompareUlp{0}));
  EXPECT_TRUE(compareFloats({kNan}, {1}, CompareUlp{1000}));
  EXPECT_FALSE(compareFloats({kInfinity}, {kInfinity}, CompareUlp{0}));
  EXPECT_TRUE(compareFloats({kInfinity}, {std::numeric_limits<float>::max()}, CompareUlp{1000}));
  EXPECT_TRUE(compareFloats({kInfinity}, {-kInfinity}, CompareUlp{1000}));
  // The smallest numbers on both sides of zero are two apart.
  float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_TRUE(compareFloats({tiny}, {-tiny}, CompareUlp{1}));
  EXPECT_FALSE(compareFloats({tiny}, {-tiny}, CompareUlp{2}));
}

TEST(Compare, UlpCountsInTheBuffersOwnWidth) {
  std::vector<uint8_t> half = bytesOf<uint16_t>({0x3C00}), halfNext = bytesOf<uint16_t>({0x3C01});
  EXPECT_EQ(ulpDistance(ScalarType::F16, half.data(), halfNext.data()), 1u);
  std::vector<uint8_t> a = bytesOf<double>({1}), b = bytesOf<double>({std::nextafter(1.0, 0.0)});
  EXPECT_EQ(ulpDistance(ScalarType::F64, a.data(), b.data()), 1u);
}

TEST(Compare, UlpLeavesIntegersExact) {
  std::vector<uint8_t> a = bytesOf<uint32_t>({7}), b = bytesOf<uint32_t>({8});
  EXPECT_TRUE(compareContents(bufferOf(ScalarType::U32, 1, CompareUlp{4}), {a, {}}, {b, {}}));
}

TEST(Compare, ToleranceTakesTheWiderOfBoth) {
  EXPECT_FALSE(compareFloats({100}, {101}, CompareTolerance{1, 0}));
  EXPECT_TRUE(compareFloats({100}, {101.5}, CompareTolerance{1, 0}));
  EXPECT_FALSE(compareFloats({100}, {101.5}, CompareTolerance{1, 0.02}));
  EXPECT_TRUE(compareFloats({1e-6f}, {2e-6f}, CompareTolerance{0, 0.1}));
  EXPECT_FALSE(compareFloats({1e-6f}, {2e-6f}, CompareTolerance{1e-3, 0.1}));
  EXPECT_TRUE(compareFloats({kNan}, {0}, CompareTolerance{1e30, 1}));
  EXPECT_TRUE(compareFloats({kInfinity}, {1e30f}, CompareTolerance{1e30, 1}));
}

TEST(Compare, ToleranceHoldsForIntegers) {
  std::vector<uint8_t> a = bytesOf<uint8_t>({10, 20}), b = bytesOf<uint8_t>({11, 22});
  auto difference =
      compareContents(bufferOf(ScalarType::U8, 2, CompareTolerance{1, 0}), {a, {}}, {b, {}});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->firstIndex, 1u);
}

TEST(Compare, ToleranceHoldsForLongIntegersToTheLastBit) {
  constexpr int64_t kLong = int64_t(1) << 60; // doubles leave 255 of 256 out there
  const auto compare = [](ScalarType type, std::vector<int64_t> a, std::vector<int64_t> b,
                          Compare how) {
    const std::vector<uint8_t> left = bytesOf<int64_t>(a), right = bytesOf<int64_t>(b);
    return compareContents(bufferOf(type, a.size(), how), {left, {}}, {right, {}});
  };
  for (ScalarType type : {ScalarType::I64, ScalarType::U64}) {
    EXPECT_FALSE(compare(type, {kLong}, {kLong + 3}, CompareTolerance{3, 0}));
    auto difference = compare(type, {kLong}, {kLong + 50}, CompareTolerance{3, 0});
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->detail, "50 apart, 3 allowed");
    EXPECT_FALSE(compare(type, {kLong}, {kLong + 50}, CompareTolerance{0, 1e-16}));
    // The n-th by value.
    EXPECT_FALSE(compare(type, {kLong + 9, kLong}, {kLong + 1, kLong + 8},
                         CompareMultiset{CompareTolerance{1, 0}}));
  }
  EXPECT_FALSE(compare(ScalarType::I64, {-1}, {1}, CompareTolerance{2, 0}));
  EXPECT_TRUE(compare(ScalarType::U64, {-1}, {1}, CompareTolerance{2, 0}));
  EXPECT_TRUE(compare(ScalarType::I64, {INT64_MIN}, {INT64_MAX}, CompareTolerance{1e18, 0}));
}

TEST(Compare, MultisetIgnoresOrderButNotMultiplicity) {
  EXPECT_FALSE(compareFloats({3, 1, 2, 2}, {2, 2, 1, 3}, CompareMultiset{}));
  auto difference = compareFloats({3, 1, 2, 2}, {2, 3, 1, 3}, CompareMultiset{});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->differing, 1u);
  EXPECT_EQ(difference->original, "2");
  EXPECT_EQ(difference->transformed, "3");
}

TEST(Compare, MultisetUpToRoundingTakesTheNthByValue) {
  const CompareMultiset near{CompareTolerance{0.01, 0}};
  EXPECT_FALSE(compareFloats({3, 1, 2, 2}, {2.001f, 3.001f, 1, 2}, near));
  auto difference = compareFloats({3, 1, 2, 2}, {2, 3, 1, 2.5f}, near);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->differing, 1u);
  EXPECT_EQ(difference->original, "2");
  EXPECT_EQ(difference->transformed, "2.5");
  EXPECT_TRUE(compareFloats({1, 2}, {1, 2.001f}, CompareMultiset{}));
}

TEST(Compare, MultisetUpToRoundingSortsStructsByTheirFirstScalar) {
  ScenarioBuffer buffer = bufferOf(ScalarType::F32, 3, CompareMultiset{CompareUlp{4}});
  buffer.elements = {ScalarType::U32, ScalarType::U32};
  std::vector<uint8_t> a = bytesOf<uint32_t>({9, 1, 2, 7, 2, 3});
  EXPECT_FALSE(compareContents(buffer, {a, {}}, {bytesOf<uint32_t>({2, 3, 9, 1, 2, 7}), {}}));
  auto difference = compareContents(buffer, {a, {}}, {bytesOf<uint32_t>({2, 3, 9, 7, 2, 1}), {}});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->original, "(2, 3)");
  EXPECT_EQ(difference->transformed, "(2, 1)");
}

TEST(Compare, MultisetMayTakeAnyNanForAnother) {
  const float other = -kNan;
  EXPECT_TRUE(compareFloats({1, kNan}, {other, 1}, CompareMultiset{}));
  EXPECT_FALSE(compareFloats({1, kNan}, {other, 1}, CompareMultiset{CompareExact{true}}));
  EXPECT_TRUE(compareFloats({1, kNan}, {2, 1}, CompareMultiset{CompareExact{true}}));
}

TEST(Compare, NoneNeverDiffers) {
  EXPECT_FALSE(compareFloats({1}, {2}, CompareNone{}));
}

TEST(Compare, StructsAreComparedScalarByScalar) {
  ScenarioBuffer buffer = bufferOf(ScalarType::F32, 2, CompareUlp{1});
  buffer.elements = {ScalarType::F32, ScalarType::U32};
  float next = std::nextafter(1.0f, 2.0f);
  uint32_t nextBits;
  std::memcpy(&nextBits, &next, 4);
  std::vector<uint8_t> a = bytesOf<uint32_t>({0x3F800000, 5, 0, 6});
  std::vector<uint8_t> b = bytesOf<uint32_t>({nextBits, 5, 0, 7});
  auto difference = compareContents(buffer, {a, {}}, {b, {}});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->firstIndex, 1u);
  EXPECT_EQ(difference->original, "(0, 6)");
  EXPECT_EQ(difference->transformed, "(0, 7)");
}

TEST(Compare, HeaderStandsBeforeTheElements) {
  ScenarioBuffer buffer = bufferOf(ScalarType::U32, 1, CompareMultiset{});
  buffer.header = {{ScalarType::U32, {}}};
  std::vector<uint8_t> a = bytesOf<uint32_t>({1, 2}), b = bytesOf<uint32_t>({2, 1});
  auto difference = compareContents(buffer, {a, {}}, {b, {}});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->original, "1");
  EXPECT_NE(difference->detail.find("header"), std::string::npos);
}

class ComparePoison : public testing::TestWithParam<Compare> {};

// Which elements are written must agree, whatever the rule for values.
TEST_P(ComparePoison, UnwrittenElementsMustBeTheSame) {
  uint8_t positive = poisonByte(Poison::Positive), negative = poisonByte(Poison::Negative);
  ScenarioBuffer buffer = bufferOf(ScalarType::F32, 2, GetParam());
  std::vector<uint8_t> a = bytesOf<float>({1, 0}), b = a, written = a;
  std::fill(a.begin() + 4, a.end(), positive);
  std::fill(b.begin() + 4, b.end(), negative);
  EXPECT_FALSE(compareContents(buffer, {a, positive}, {b, negative}));
  auto difference = compareContents(buffer, {a, positive}, {written, positive});
  ASSERT_TRUE(difference);
  EXPECT_TRUE(compareContents(buffer, {written, negative}, {b, negative}));
  // A value that happens to be the first pattern is told from an unwritten one by the second.
  EXPECT_TRUE(compareContents(buffer, {a, negative}, {b, negative}));
}

INSTANTIATE_TEST_SUITE_P(Rules, ComparePoison,
                         testing::Values(Compare(CompareExact{}), Compare(CompareUlp{100}),
                                         Compare(CompareTolerance{1e30, 0.5}),
                                         Compare(CompareMultiset{}),
                                         Compare(CompareMultiset{CompareUlp{100}})));

TEST(Scalars, HalfRoundsToNearestEven) {
  EXPECT_EQ(toHalf(1), 0x3C00);
  EXPECT_EQ(toHalf(-2), 0xC000);
  EXPECT_EQ(toHalf(65504), 0x7BFF);
  EXPECT_EQ(toHalf(65519), 0x7BFF);
  EXPECT_EQ(toHalf(65520), 0x7C00);
  EXPECT_EQ(toHalf(1 + 0x1p-11), 0x3C00);
  EXPECT_EQ(toHalf(1 + 3 * 0x1p-11), 0x3C02);
  EXPECT_EQ(toHalf(2 - 0x1p-12), 0x4000);
  EXPECT_EQ(toHalf(0x1p-24), 0x0001);
  EXPECT_EQ(toHalf(0x1p-25), 0x0000);
  EXPECT_EQ(toHalf(0x1p-14), 0x0400);
}

TEST(Scalars, EveryHalfSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double value = fromHalf(uint16_t(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(toHalf(value), bits);
  }
}

TEST(Scalars, IntegersWrapAndKeepTheirSign) {
  uint8_t bytes[8] = {};
  encodeScalar(ScalarType::U8, 300, bytes);
  EXPECT_EQ(decodeScalar(ScalarType::U8, bytes), 44);
  encodeScalar(ScalarType::I16, -5, bytes);
  EXPECT_EQ(decodeScalar(ScalarType::I16, bytes), -5);
  EXPECT_EQ(formatScalar(ScalarType::I16, bytes), "-5");
  encodeScalar(ScalarType::U64, 1e30, bytes);
  EXPECT_EQ(formatScalar(ScalarType::U64, bytes), "18446744073709551615");
}

TEST(Compare, SaysWhatIsComparedAndHow) {
  ScenarioBuffer buffer = bufferOf(ScalarType::F32, 8, CompareUlp{4});
  EXPECT_EQ(describeCompared(buffer).type, "f32");
  EXPECT_EQ(describeCompared(buffer).rule, "at most 4 ulp apart");
  buffer.elements = {ScalarType::F32, ScalarType::F32, ScalarType::F32, ScalarType::U32};
  buffer.compare = CompareMultiset{};
  ComparedResource compared = describeCompared(buffer);
  EXPECT_EQ(compared.type, "[f32x3, u32]");
  EXPECT_EQ(compared.rule, "bitwise, in any order");
  EXPECT_EQ(compared.elements, 8u);
  EXPECT_EQ(compared.bytes, 8u * 16);
  ImageShape shape;
  shape.width = 4, shape.height = 2;
  buffer.setImage(shape);
  compared = describeCompared(buffer);
  EXPECT_EQ(compared.type, "2d rgba8");
  EXPECT_EQ(compared.elements, 8u);
  EXPECT_TRUE(compared.isImage);
}

TEST(Scalars, PoisonIsFiniteAndHugeInEveryFloatType) {
  for (ScalarType type : {ScalarType::F16, ScalarType::F32, ScalarType::F64}) {
    std::vector<uint8_t> a(8, poisonByte(Poison::Positive)), b(8, poisonByte(Poison::Negative));
    EXPECT_GT(decodeScalar(type, a.data()), 50000);
    EXPECT_LT(decodeScalar(type, b.data()), -50000);
    EXPECT_TRUE(std::isfinite(decodeScalar(type, a.data())));
    EXPECT_TRUE(std::isfinite(decodeScalar(type, b.data())));
  }
}

TEST(Scalars, RandomFillStaysInRangeAndFollowsItsSeed) {
  ScenarioBuffer buffer = bufferOf(ScalarType::I32, 1000, CompareExact{});
  buffer.fill = FillRandom{-3, 3, 0};
  auto make = [&](uint64_t seed, InputStyle style) {
    return initialBytes(buffer, seed, style, Poison::Positive, {});
  };
  std::vector<uint8_t> bytes = make(1, InputStyle::Seeded);
  EXPECT_EQ(bytes, make(1, InputStyle::Seeded));
  EXPECT_NE(bytes, make(2, InputStyle::Seeded));
  bool hasLow = false, hasHigh = false;
  for (const auto& some : {bytes, make(1, InputStyle::Boundary)})
    for (size_t i = 0; i < 1000; ++i) {
      double value = decodeScalar(ScalarType::I32, &some[4 * i]);
      ASSERT_GE(value, -3);
      ASSERT_LE(value, 3);
      hasLow |= value == -3;
      hasHigh |= value == 3;
    }
  EXPECT_TRUE(hasLow && hasHigh);
}

TEST(Scalars, FillsWriteHeaderThenElements) {
  ScenarioBuffer buffer = bufferOf(ScalarType::U16, 3, CompareExact{});
  buffer.header = {{ScalarType::U32, {9}}};
  buffer.fill = FillIota{5, 2};
  EXPECT_EQ(initialBytes(buffer, 0, InputStyle::Seeded, Poison::Positive, {}),
            (std::vector<uint8_t>{9, 0, 0, 0, 5, 0, 7, 0, 9, 0}));
  buffer.fill = FillValues{{1, 2}};
  EXPECT_EQ(initialBytes(buffer, 0, InputStyle::Seeded, Poison::Positive, {}),
            (std::vector<uint8_t>{9, 0, 0, 0, 1, 0, 2, 0, 1, 0}));
  buffer.fill = FillPoison{};
  EXPECT_EQ(initialBytes(buffer, 0, InputStyle::Seeded, Poison::Negative, {}),
            (std::vector<uint8_t>{9, 0, 0, 0, 0xFA, 0xFA, 0xFA, 0xFA, 0xFA, 0xFA}));
}

TEST(InitialBytes, SpecialValuesStandAmongOrdinaryOnes) {
  ScenarioBuffer buffer = bufferOf(ScalarType::F32, 4096, CompareExact{});
  buffer.elements = {ScalarType::F32, ScalarType::U32};
  buffer.fill = FillRandom{0, 1, 0};
  const std::vector<uint8_t> bytes = initialBytes(buffer, 1, InputStyle::Special, {}, {});
  size_t nans = 0, infinities = 0, denormals = 0, negativeZeros = 0, ordinary = 0;
  for (size_t n = 0; n < buffer.count; ++n) {
    float value;
    uint32_t integer;
    std::memcpy(&value, &bytes[8 * n], 4);
    std::memcpy(&integer, &bytes[8 * n + 4], 4);
    EXPECT_LE(integer, 1u); // integers may be indices: they stay as the range says
    nans += std::isnan(value);
    infinities += std::isinf(value);
    denormals += std::fpclassify(value) == FP_SUBNORMAL;
    negativeZeros += value == 0 && std::signbit(value);
    ordinary += value != 0 && std::fabs(value) < 1 && std::isnormal(value);
  }
  for (size_t count : {nans, infinities, denormals, negativeZeros}) EXPECT_GT(count, 10u);
  EXPECT_GT(ordinary, buffer.count / 2);
}

} // namespace
} // namespace lanewise::driver
