// Edge cases by width and signedness, with the results that the specification gives; and, at 8
// bits, every pair of operands beside arithmetic on mathematical integers.
#include "ir/integer_semantics.h"

#include <array>
#include <gtest/gtest.h>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise {
namespace {

using Op = spv::Op;
constexpr uint32_t kWidths[] = {8, 16, 32, 64};

// The numbers at the edges of a width, zero-extended.
struct Edges {
  explicit Edges(uint32_t width)
      : ones(wrapped(~uint64_t(0), width)), least(uint64_t(1) << (width - 1)), most(least - 1) {}
  uint64_t ones;  ///< -1, and the largest unsigned number
  uint64_t least; ///< of the signed numbers
  uint64_t most;
};

uint64_t defined(IntegerResult r) {
  EXPECT_EQ(r.definedness, Definedness::Defined);
  return r.bits;
}
uint64_t two(Op op, uint32_t width, uint64_t a, uint64_t b) {
  return defined(evaluateInteger(op, width, std::array{a, b}));
}
Definedness of(Op op, uint32_t width, uint64_t a, uint64_t b) {
  return evaluateInteger(op, width, std::array{a, b}).definedness;
}

TEST(IntegerSemantics, SumsAndProductsWrapAround) {
  for (uint32_t w : kWidths) {
    const Edges e(w);
    EXPECT_EQ(two(Op::OpIAdd, w, e.ones, 1), 0u) << w;
    EXPECT_EQ(two(Op::OpIAdd, w, e.most, 1), e.least) << w;
    EXPECT_EQ(two(Op::OpISub, w, 0, 1), e.ones) << w;
    EXPECT_EQ(two(Op::OpISub, w, e.least, 1), e.most) << w;
    EXPECT_EQ(two(Op::OpIMul, w, e.ones, e.ones), 1u) << w;
    EXPECT_EQ(two(Op::OpIMul, w, e.least, 2), 0u) << w;
    EXPECT_EQ(defined(evaluateUnary(Op::OpSNegate, w, e.least)), e.least) << w;
    EXPECT_EQ(defined(evaluateUnary(Op::OpNot, w, 0)), e.ones) << w;
  }
}

TEST(IntegerSemantics, DivisionIsUndefinedBehaviorByZeroAndWhereTheQuotientDoesNotFit) {
  for (uint32_t w : kWidths) {
    const Edges e(w);
    for (Op op : {Op::OpUDiv, Op::OpUMod, Op::OpSDiv, Op::OpSRem, Op::OpSMod}) {
      EXPECT_EQ(of(op, w, 7, 0), Definedness::UndefinedBehavior) << w;
      EXPECT_EQ(evaluateDivision(op, w, 7, 0).bits, 0u) << w;
      EXPECT_FALSE(evaluateDivision(op, w, 7, 0).value()) << w;
    }
    for (Op op : {Op::OpSDiv, Op::OpSRem, Op::OpSMod})
      EXPECT_EQ(of(op, w, e.least, e.ones), Definedness::UndefinedBehavior) << w;
    // Without a sign the same bits are ordinary numbers.
    EXPECT_EQ(two(Op::OpUDiv, w, e.least, e.ones), 0u) << w;
    EXPECT_EQ(two(Op::OpUMod, w, e.least, e.ones), e.least) << w;
    EXPECT_EQ(two(Op::OpSDiv, w, e.least, 1), e.least) << w;
    EXPECT_EQ(two(Op::OpSDiv, w, e.most, e.ones), wrapped(0 - e.most, w)) << w;
    EXPECT_EQ(two(Op::OpSDiv, w, e.ones, 2), 0u) << w; // -1 / 2 toward zero
    EXPECT_EQ(two(Op::OpUDiv, w, e.ones, 2), e.most) << w;
    EXPECT_TRUE(dividesEverything(true, w, 1)) << w;
    EXPECT_FALSE(dividesEverything(true, w, 0)) << w;
    EXPECT_FALSE(dividesEverything(true, w, e.ones)) << w;
    EXPECT_TRUE(dividesEverything(false, w, e.ones)) << w;
    EXPECT_FALSE(dividesEverything(false, w, 0)) << w;
  }
}

TEST(IntegerSemantics, RemaindersHaveTheSignOfOneOperand) {
  struct Row {
    int64_t a, b, rem, mod;
  };
  for (uint32_t w : kWidths)
    for (Row r : {Row{7, 3, 1, 1}, Row{-7, 3, -1, 2}, Row{7, -3, 1, -2}, Row{-7, -3, -1, -1},
                  Row{6, -3, 0, 0}, Row{-6, 3, 0, 0}}) {
      const uint64_t a = wrapped(uint64_t(r.a), w), b = wrapped(uint64_t(r.b), w);
      EXPECT_EQ(signedOf(two(Op::OpSRem, w, a, b), w), r.rem) << w;
      EXPECT_EQ(signedOf(two(Op::OpSMod, w, a, b), w), r.mod) << w;
    }
}

TEST(IntegerSemantics, ShiftsAreUndefinedValuesFromTheWidthOn) {
  for (uint32_t w : kWidths) {
    const Edges e(w);
    EXPECT_EQ(two(Op::OpShiftLeftLogical, w, 1, w - 1), e.least) << w;
    EXPECT_EQ(two(Op::OpShiftLeftLogical, w, e.ones, 1), e.ones - 1) << w;
    EXPECT_EQ(two(Op::OpShiftRightLogical, w, e.ones, w - 1), 1u) << w;
    EXPECT_EQ(two(Op::OpShiftRightArithmetic, w, e.least, w - 1), e.ones) << w;
    EXPECT_EQ(two(Op::OpShiftRightArithmetic, w, e.most, w - 1), 0u) << w;
    for (Op op : {Op::OpShiftLeftLogical, Op::OpShiftRightLogical, Op::OpShiftRightArithmetic}) {
      EXPECT_TRUE(isShift(op));
      EXPECT_EQ(two(op, w, e.least, 0), e.least) << w;
      // The amount is unsigned and may be wider than what is shifted.
      for (uint64_t amount : {uint64_t(w), uint64_t(w) + 1, e.ones, uint64_t(1) << 32 | 1})
        EXPECT_EQ(of(op, w, e.ones, amount), Definedness::UndefinedValue) << w << " " << amount;
    }
  }
}

TEST(IntegerSemantics, ComparisonsReadTheSignOrNot) {
  for (uint32_t w : kWidths) {
    const Edges e(w);
    EXPECT_EQ(two(Op::OpULessThan, w, e.most, e.least), 1u) << w;
    EXPECT_EQ(two(Op::OpSLessThan, w, e.most, e.least), 0u) << w;
    EXPECT_EQ(two(Op::OpSGreaterThan, w, 0, e.ones), 1u) << w;
    EXPECT_EQ(two(Op::OpUGreaterThan, w, 0, e.ones), 0u) << w;
    EXPECT_EQ(two(Op::OpULessThanEqual, w, e.ones, e.ones), 1u) << w;
    EXPECT_EQ(two(Op::OpSGreaterThanEqual, w, e.least, e.least), 1u) << w;
    EXPECT_EQ(two(Op::OpSLessThanEqual, w, e.least, e.most), 1u) << w;
    EXPECT_EQ(two(Op::OpUGreaterThanEqual, w, e.most, e.least), 0u) << w;
    EXPECT_EQ(two(Op::OpIEqual, w, e.ones, e.ones), 1u) << w;
    EXPECT_EQ(two(Op::OpINotEqual, w, e.ones, e.ones), 0u) << w;
  }
}

TEST(IntegerSemantics, EveryPairOfBytes) {
  for (int64_t x = -128; x < 128; ++x)
    for (int64_t y = -128; y < 128; ++y) {
      const uint64_t a = wrapped(uint64_t(x), 8), b = wrapped(uint64_t(y), 8);
      EXPECT_EQ(two(Op::OpIAdd, 8, a, b), uint64_t(uint8_t(x + y)));
      EXPECT_EQ(two(Op::OpISub, 8, a, b), uint64_t(uint8_t(x - y)));
      EXPECT_EQ(two(Op::OpIMul, 8, a, b), uint64_t(uint8_t(x * y)));
      EXPECT_EQ(two(Op::OpSLessThan, 8, a, b), uint64_t(x < y));
      EXPECT_EQ(two(Op::OpULessThan, 8, a, b), uint64_t(a < b));
      const bool isDivision = y != 0 && !(x == -128 && y == -1);
      EXPECT_EQ(isDefinedDivision(true, 8, a, b), isDivision);
      EXPECT_EQ(isDefinedDivision(false, 8, a, b), y != 0);
      if (isDivision) {
        EXPECT_EQ(two(Op::OpSDiv, 8, a, b), uint64_t(uint8_t(x / y)));
        EXPECT_EQ(two(Op::OpSRem, 8, a, b), uint64_t(uint8_t(x % y)));
        EXPECT_EQ(two(Op::OpSMod, 8, a, b), uint64_t(uint8_t((x % y + y) % y)));
      }
      if (y != 0) {
        EXPECT_EQ(two(Op::OpUDiv, 8, a, b), a / b);
        EXPECT_EQ(two(Op::OpUMod, 8, a, b), a % b);
      }
      EXPECT_EQ(evaluatePair(Op::OpUMulExtended, 8, a, b).high, (a * b) >> 8);
      EXPECT_EQ(evaluatePair(Op::OpSMulExtended, 8, a, b).high, uint64_t(uint8_t((x * y) >> 8)));
      EXPECT_EQ(evaluatePair(Op::OpIAddCarry, 8, a, b).high, (a + b) >> 8);
      EXPECT_EQ(evaluatePair(Op::OpISubBorrow, 8, a, b).high, uint64_t(a < b));
    }
}

TEST(IntegerSemantics, PairsAtTheLargestNumbers) {
  for (uint32_t w : kWidths) {
    const Edges e(w);
    const IntegerPair product = evaluatePair(Op::OpUMulExtended, w, e.ones, e.ones);
    EXPECT_EQ(product.low, 1u) << w;
    EXPECT_EQ(product.high, e.ones - 1) << w;
    EXPECT_EQ(evaluatePair(Op::OpSMulExtended, w, e.ones, 1).high, e.ones) << w; // -1 * 1
    EXPECT_EQ(evaluatePair(Op::OpIAddCarry, w, e.ones, e.ones).high, 1u) << w;
    EXPECT_EQ(evaluatePair(Op::OpIAddCarry, w, e.ones, 0).high, 0u) << w;
    EXPECT_EQ(evaluatePair(Op::OpISubBorrow, w, 0, e.ones).low, 1u) << w;
  }
}

TEST(IntegerSemantics, ConversionsCutOrExtend) {
  EXPECT_EQ(defined(convertInteger(Op::OpSConvert, 8, 32, 0x80)), 0xFFFFFF80u);
  EXPECT_EQ(defined(convertInteger(Op::OpUConvert, 8, 32, 0x80)), 0x80u);
  EXPECT_EQ(defined(convertInteger(Op::OpSConvert, 16, 64, 0x8000)), 0xFFFFFFFFFFFF8000u);
  EXPECT_EQ(defined(convertInteger(Op::OpSConvert, 64, 16, 0xFFFFFFFF00018000u)), 0x8000u);
  EXPECT_EQ(defined(convertInteger(Op::OpUConvert, 64, 8, 0x1FF)), 0xFFu);
  EXPECT_EQ(defined(convertInteger(Op::OpBitcast, 32, 32, 0xFFFFFFFF)), 0xFFFFFFFFu);
  // Between widths a bit cast is between vectors, which is not a matter of one scalar.
  EXPECT_EQ(convertInteger(Op::OpBitcast, 32, 64, 1).definedness, Definedness::NotEvaluated);
}

TEST(IntegerSemantics, BitFieldsEndWithTheWidth) {
  for (uint32_t w : kWidths) {
    const Edges e(w);
    EXPECT_EQ(defined(extractBitField(false, w, e.ones, 0, w)), e.ones) << w;
    EXPECT_EQ(defined(extractBitField(true, w, e.least, w - 1, 1)), e.ones) << w;
    EXPECT_EQ(defined(extractBitField(false, w, e.least, w - 1, 1)), 1u) << w;
    EXPECT_EQ(defined(extractBitField(true, w, e.ones, 3, 0)), 0u) << w;
    EXPECT_EQ(defined(insertBitField(w, e.ones, 0, w - 1, 1)), e.most) << w;
    EXPECT_EQ(defined(insertBitField(w, 0, e.ones, 0, w)), e.ones) << w;
    // Nothing at the end is still inside.
    EXPECT_EQ(defined(insertBitField(w, 5, e.ones, w, 0)), 5u) << w;
    EXPECT_EQ(defined(extractBitField(false, w, e.ones, w, 0)), 0u) << w;
    for (auto [offset, count] : {std::pair<uint64_t, uint64_t>{w, 1},
                                 {1, w},
                                 {w + 1, 0},
                                 {0, w + 1},
                                 {~uint64_t(0), 2},
                                 {2, ~uint64_t(0)}}) {
      EXPECT_EQ(insertBitField(w, 1, 1, offset, count).definedness, Definedness::UndefinedValue);
      EXPECT_EQ(extractBitField(true, w, 1, offset, count).definedness,
                Definedness::UndefinedValue);
    }
    EXPECT_EQ(
        defined(evaluateInteger(Op::OpBitFieldInsert, w, std::array<uint64_t, 4>{0, 3, 1, 2})), 6u);
    EXPECT_EQ(defined(evaluateInteger(Op::OpBitFieldSExtract, w, std::array<uint64_t, 3>{6, 1, 2})),
              e.ones);
  }
}

TEST(IntegerSemantics, CountsAndReversesTheBitsOfAWidth) {
  for (uint32_t w : kWidths) {
    const Edges e(w);
    EXPECT_EQ(defined(evaluateUnary(Op::OpBitReverse, w, 1)), e.least) << w;
    EXPECT_EQ(defined(evaluateUnary(Op::OpBitReverse, w, e.most)), e.ones - 1) << w;
    EXPECT_EQ(defined(evaluateUnary(Op::OpBitCount, w, e.ones)), w) << w;
    EXPECT_EQ(defined(evaluateUnary(Op::OpBitCount, w, 0)), 0u) << w;
  }
}

TEST(IntegerSemantics, Booleans) {
  for (uint64_t a : {0, 1})
    for (uint64_t b : {0, 1}) {
      EXPECT_EQ(two(Op::OpLogicalAnd, 1, a, b), uint64_t(a && b));
      EXPECT_EQ(two(Op::OpLogicalOr, 1, a, b), uint64_t(a || b));
      EXPECT_EQ(two(Op::OpLogicalEqual, 1, a, b), uint64_t(a == b));
      EXPECT_EQ(two(Op::OpLogicalNotEqual, 1, a, b), uint64_t(a != b));
      EXPECT_EQ(defined(evaluateUnary(Op::OpLogicalNot, 1, a)), uint64_t(!a));
    }
}

TEST(IntegerSemantics, GlslMinimaMaximaAndClamps) {
  for (uint32_t w : kWidths) {
    const Edges e(w);
    auto glsl = [&](uint32_t instruction, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
      return evaluateGlslInteger(instruction, w, std::array{a, b, c});
    };
    EXPECT_EQ(defined(glsl(GLSLstd450SAbs, e.ones)), 1u) << w;
    EXPECT_EQ(defined(glsl(GLSLstd450SAbs, e.least)), e.least) << w;
    EXPECT_EQ(defined(glsl(GLSLstd450SSign, e.least)), e.ones) << w;
    EXPECT_EQ(defined(glsl(GLSLstd450SSign, 0)), 0u) << w;
    EXPECT_EQ(defined(glsl(GLSLstd450SSign, e.most)), 1u) << w;
    EXPECT_EQ(defined(glsl(GLSLstd450UMin, e.least, 1)), 1u) << w;
    EXPECT_EQ(defined(glsl(GLSLstd450SMin, e.least, 1)), e.least) << w;
    EXPECT_EQ(defined(glsl(GLSLstd450UMax, e.least, 1)), e.least) << w;
    EXPECT_EQ(defined(glsl(GLSLstd450SMax, e.least, 1)), 1u) << w;
    EXPECT_EQ(defined(glsl(GLSLstd450SClamp, e.least, e.ones, 5)), e.ones) << w;
    EXPECT_EQ(defined(glsl(GLSLstd450UClamp, e.least, 2, 5)), 5u) << w;
    EXPECT_EQ(defined(glsl(GLSLstd450UClamp, 3, 4, 4)), 4u) << w;
    // Bounds in the wrong order, which depends on the sign.
    EXPECT_EQ(glsl(GLSLstd450UClamp, 3, e.ones, 5).definedness, Definedness::UndefinedValue) << w;
    EXPECT_EQ(glsl(GLSLstd450SClamp, 3, 5, e.ones).definedness, Definedness::UndefinedValue) << w;
    EXPECT_EQ(glsl(GLSLstd450FMin, 3, 5).definedness, Definedness::NotEvaluated) << w;
  }
}

TEST(IntegerSemantics, GlslPlacesOfBits) {
  for (uint32_t w : kWidths) {
    const Edges e(w);
    auto place = [&](uint32_t instruction, uint64_t a) {
      return signedOf(defined(evaluateGlslInteger(instruction, w, std::array{a})), w);
    };
    EXPECT_EQ(place(GLSLstd450FindILsb, 0), -1) << w;
    EXPECT_EQ(place(GLSLstd450FindILsb, e.least), int64_t(w) - 1) << w;
    EXPECT_EQ(place(GLSLstd450FindUMsb, 0), -1) << w;
    EXPECT_EQ(place(GLSLstd450FindUMsb, e.ones), int64_t(w) - 1) << w;
    EXPECT_EQ(place(GLSLstd450FindSMsb, 0), -1) << w;
    EXPECT_EQ(place(GLSLstd450FindSMsb, e.ones), -1) << w;
    EXPECT_EQ(place(GLSLstd450FindSMsb, e.least), int64_t(w) - 2) << w;
    EXPECT_EQ(place(GLSLstd450FindSMsb, e.most), int64_t(w) - 2) << w;
  }
}

TEST(IntegerSemantics, OtherInstructionsAreNotEvaluated) {
  EXPECT_EQ(of(Op::OpFAdd, 32, 1, 1), Definedness::NotEvaluated);
  EXPECT_EQ(evaluateInteger(Op::OpIAdd, 32, std::array<uint64_t, 1>{1}).definedness,
            Definedness::NotEvaluated);
  EXPECT_EQ(evaluateInteger(Op::OpUConvert, 32, std::array<uint64_t, 1>{1}).definedness,
            Definedness::NotEvaluated);
  EXPECT_EQ(evaluateInteger(Op::OpIAdd, 32, {}).definedness, Definedness::NotEvaluated);
}

} // namespace
} // namespace lanewise
