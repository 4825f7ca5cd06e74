// Ranges of integers against all of their values, for widths at which that is quick: whatever
// operands a range holds, what an instruction makes of them is in the range of its result.
#include "analysis/ranges/integer_range.h"

#include <bit>
#include <gtest/gtest.h>
#include <random>
#include <spirv/unified1/GLSL.std.450.h>
#include <vector>

namespace lanewise {
namespace {

constexpr uint32_t kSmallWidth = 4;
constexpr uint64_t kSmallCount = uint64_t(1) << kSmallWidth;

/// A range around a few values, and the values that it holds.
struct SmallRange {
  IntegerRange range;
  std::vector<uint64_t> values;
};

SmallRange rangeAround(std::mt19937& random, uint32_t width = kSmallWidth) {
  IntegerRange range = IntegerRange::none(width);
  const uint64_t mask = wrapped(~uint64_t(0), width);
  for (uint32_t n = 1 + random() % 3; n > 0; --n)
    range = range.joined(IntegerRange::single(width, random() & mask));
  if (random() % 4 == 0) range = IntegerRange::all(width);
  if (random() % 3 == 0) range = range.intersected(IntegerRange::ofBits(width, random() & 5, 0));
  if (random() % 3 == 0)
    range = range.intersected(IntegerRange::ofUnsigned(width, random() & mask / 4, mask));
  if (random() % 3 == 0)
    range = range.intersected(IntegerRange::ofSigned(
        width, signedOf(uint64_t(1) << (width - 1), width), int64_t(random() & mask / 2)));
  SmallRange small{range, {}};
  for (uint64_t v = 0; v <= mask; ++v)
    if (range.mayHold(v)) small.values.push_back(v);
  return small;
}

void expectHolds(const IntegerRange& range, uint64_t bits) {
  ASSERT_TRUE(range.mayHold(bits)) << bits << " is not in " << range.least() << ".." << range.most()
                                   << ", " << range.leastSigned() << ".." << range.mostSigned();
}

constexpr spv::Op kBinary[] = {spv::Op::OpIAdd,
                               spv::Op::OpISub,
                               spv::Op::OpIMul,
                               spv::Op::OpUDiv,
                               spv::Op::OpUMod,
                               spv::Op::OpSDiv,
                               spv::Op::OpSRem,
                               spv::Op::OpSMod,
                               spv::Op::OpShiftLeftLogical,
                               spv::Op::OpBitwiseAnd,
                               spv::Op::OpBitwiseOr,
                               spv::Op::OpShiftRightLogical,
                               spv::Op::OpBitwiseXor,
                               spv::Op::OpULessThan,
                               spv::Op::OpShiftRightArithmetic,
                               spv::Op::OpIEqual,
                               spv::Op::OpINotEqual,
                               spv::Op::OpULessThanEqual,
                               spv::Op::OpSLessThan,
                               spv::Op::OpSGreaterThan,
                               spv::Op::OpSLessThanEqual,
                               spv::Op::OpUGreaterThan,
                               spv::Op::OpUGreaterThanEqual,
                               spv::Op::OpSGreaterThanEqual};

bool isComparisonOfSmall(spv::Op op) {
  return op >= spv::Op::OpIEqual && op <= spv::Op::OpSLessThanEqual;
}

TEST(IntegerRange, BinaryInstructionsStayInside) {
  std::mt19937 random(1);
  for (uint32_t round = 0; round < 20000 && !testing::Test::HasFatalFailure(); ++round) {
    const spv::Op op = kBinary[round % std::size(kBinary)];
    const SmallRange a = rangeAround(random), b = rangeAround(random);
    const IntegerRange pair[] = {a.range, b.range};
    const IntegerRange result = rangeOfInteger(op, isComparisonOfSmall(op) ? 1 : kSmallWidth, pair);
    SCOPED_TRACE(uint32_t(op));
    for (uint64_t x : a.values)
      for (uint64_t y : b.values)
        if (const auto value = evaluateBinary(op, kSmallWidth, x, y).value())
          expectHolds(result, *value);
  }
}

/// What is undefined for some operands may give anything.
TEST(IntegerRange, UndefinedResultsAreAnything) {
  const IntegerRange all = IntegerRange::all(32);
  const IntegerRange small = IntegerRange::ofUnsigned(32, 0, 40);
  for (spv::Op op : {spv::Op::OpUDiv, spv::Op::OpUMod, spv::Op::OpSDiv, spv::Op::OpSRem,
                     spv::Op::OpSMod, spv::Op::OpShiftLeftLogical, spv::Op::OpShiftRightLogical,
                     spv::Op::OpShiftRightArithmetic}) {
    const IntegerRange pair[] = {small, small};
    EXPECT_EQ(rangeOfInteger(op, 32, pair), all) << uint32_t(op);
  }
  const IntegerRange overflow[] = {IntegerRange::all(32), IntegerRange::ofSigned(32, -2, -1)};
  EXPECT_EQ(rangeOfInteger(spv::Op::OpSDiv, 32, overflow), all);
  const IntegerRange unordered[] = {small, IntegerRange::single(32, 5), small};
  EXPECT_EQ(rangeOfGlslInteger(GLSLstd450UClamp, 32, unordered), all);
  const IntegerRange field[] = {small, IntegerRange::single(32, 30), IntegerRange::single(32, 4)};
  EXPECT_EQ(rangeOfInteger(spv::Op::OpBitFieldUExtract, 32, field), all);
}

TEST(IntegerRange, UnaryInstructionsStayInside) {
  std::mt19937 random(2);
  for (uint32_t round = 0; round < 2000 && !testing::Test::HasFatalFailure(); ++round) {
    const SmallRange a = rangeAround(random);
    for (spv::Op op :
         {spv::Op::OpSNegate, spv::Op::OpNot, spv::Op::OpBitReverse, spv::Op::OpBitCount}) {
      const IntegerRange result = rangeOfInteger(op, kSmallWidth, {&a.range, 1});
      for (uint64_t x : a.values) expectHolds(result, evaluateUnary(op, kSmallWidth, x).bits);
    }
    for (spv::Op op : {spv::Op::OpUConvert, spv::Op::OpSConvert})
      for (uint32_t width : {2u, 3u, 4u, 7u}) {
        const IntegerRange result = rangeOfInteger(op, width, {&a.range, 1});
        for (uint64_t x : a.values)
          expectHolds(result, convertInteger(op, kSmallWidth, width, x).bits);
      }
  }
}

TEST(IntegerRange, BitFieldsStayInside) {
  std::mt19937 random(3);
  for (uint32_t round = 0; round < 4000 && !testing::Test::HasFatalFailure(); ++round) {
    const SmallRange base = rangeAround(random), insert = rangeAround(random);
    const uint64_t offset = random() % (kSmallWidth + 1), count = random() % (kSmallWidth + 1);
    const IntegerRange where[] = {IntegerRange::single(kSmallWidth, offset),
                                  IntegerRange::single(kSmallWidth, count)};
    const IntegerRange three[] = {base.range, where[0], where[1]};
    const IntegerRange four[] = {base.range, insert.range, where[0], where[1]};
    const IntegerRange u = rangeOfInteger(spv::Op::OpBitFieldUExtract, kSmallWidth, three);
    const IntegerRange s = rangeOfInteger(spv::Op::OpBitFieldSExtract, kSmallWidth, three);
    const IntegerRange i = rangeOfInteger(spv::Op::OpBitFieldInsert, kSmallWidth, four);
    for (uint64_t x : base.values) {
      if (const auto v = extractBitField(false, kSmallWidth, x, offset, count).value())
        expectHolds(u, *v);
      if (const auto v = extractBitField(true, kSmallWidth, x, offset, count).value())
        expectHolds(s, *v);
      for (uint64_t y : insert.values)
        if (const auto v = insertBitField(kSmallWidth, x, y, offset, count).value())
          expectHolds(i, *v);
    }
  }
}

TEST(IntegerRange, GlslInstructionsStayInside) {
  std::mt19937 random(4);
  for (uint32_t round = 0; round < 2000 && !testing::Test::HasFatalFailure(); ++round) {
    const SmallRange v[] = {rangeAround(random), rangeAround(random), rangeAround(random)};
    const IntegerRange ranges[] = {v[0].range, v[1].range, v[2].range};
    const auto check = [&](uint32_t instruction, size_t operands) {
      const IntegerRange result =
          rangeOfGlslInteger(instruction, kSmallWidth, std::span(ranges, operands));
      const std::vector<uint64_t> one{0};
      for (uint64_t x : v[0].values)
        for (uint64_t y : operands > 1 ? v[1].values : one)
          for (uint64_t z : operands > 2 ? v[2].values : one) {
            const uint64_t given[] = {x, y, z};
            const auto r =
                evaluateGlslInteger(instruction, kSmallWidth, std::span(given, operands)).value();
            if (r) expectHolds(result, *r);
          }
    };
    for (uint32_t one : {GLSLstd450SAbs, GLSLstd450SSign, GLSLstd450FindILsb, GLSLstd450FindSMsb,
                         GLSLstd450FindUMsb})
      check(one, 1);
    for (uint32_t two : {GLSLstd450UMin, GLSLstd450SMin, GLSLstd450UMax, GLSLstd450SMax})
      check(two, 2);
    for (uint32_t three : {GLSLstd450UClamp, GLSLstd450SClamp}) check(three, 3);
  }
}

TEST(IntegerRange, SetsStayInside) {
  std::mt19937 random(5);
  for (uint32_t round = 0; round < 4000 && !testing::Test::HasFatalFailure(); ++round) {
    const SmallRange a = rangeAround(random), b = rangeAround(random);
    const IntegerRange joined = a.range.joined(b.range), both = a.range.intersected(b.range);
    const IntegerRange widened = a.range.widened(b.range, round % 2 == 0);
    for (uint64_t v = 0; v < kSmallCount; ++v) {
      const bool inA = a.range.mayHold(v), inB = b.range.mayHold(v);
      if (inA || inB) {
        expectHolds(joined, v);
        expectHolds(widened, v);
      }
      if (inA && inB) expectHolds(both, v);
    }
    EXPECT_EQ(a.range.isEmpty(), a.values.empty() && a.range.isEmpty());
  }
}

TEST(IntegerRange, FullWidthDoesNotOverflow) {
  std::mt19937_64 random(6);
  for (uint32_t width : {32u, 64u})
    for (uint32_t round = 0; round < 4000 && !testing::Test::HasFatalFailure(); ++round) {
      const auto draw = [&] { return wrapped(random() >> random() % 64, width); };
      const uint64_t a[] = {draw(), draw()}, b[] = {draw(), draw()};
      const IntegerRange pair[] = {
          IntegerRange::single(width, a[0]).joined(IntegerRange::single(width, a[1])),
          IntegerRange::single(width, b[0]).joined(IntegerRange::single(width, b[1]))};
      for (spv::Op op : kBinary) {
        const IntegerRange result = rangeOfInteger(op, isComparisonOfSmall(op) ? 1 : width, pair);
        for (uint64_t x : a)
          for (uint64_t y : b)
            if (const auto value = evaluateBinary(op, width, x, y).value())
              expectHolds(result, *value);
      }
    }
}

/// What makes the analysis worth having.
TEST(IntegerRange, IsSharp) {
  const IntegerRange t = IntegerRange::ofUnsigned(32, 0, 63);
  const IntegerRange four[] = {t, IntegerRange::single(32, 4)};
  EXPECT_EQ(rangeOfInteger(spv::Op::OpIMul, 32, four).most(), 252u);
  EXPECT_EQ(rangeOfInteger(spv::Op::OpIMul, 32, four).zeros() & 3, 3u);
  EXPECT_EQ(rangeOfInteger(spv::Op::OpUMod, 32, four), IntegerRange::ofUnsigned(32, 0, 3));
  EXPECT_EQ(rangeOfInteger(spv::Op::OpISub, 32, four).leastSigned(), -4);
  const IntegerRange any[] = {IntegerRange::all(32), IntegerRange::single(32, 31)};
  EXPECT_EQ(rangeOfInteger(spv::Op::OpBitwiseAnd, 32, any), IntegerRange::ofUnsigned(32, 0, 31));
  EXPECT_EQ(rangeOfInteger(spv::Op::OpIAdd, 32, any), IntegerRange::all(32));
  EXPECT_TRUE(t.intersected(IntegerRange::ofUnsigned(32, 64, 70)).isEmpty());
}

} // namespace
} // namespace lanewise
