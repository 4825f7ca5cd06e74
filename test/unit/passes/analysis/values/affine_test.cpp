// Forms of single values: each simplification beside the nearest case in which it would be wrong.
#include "affine_shader.h"

namespace lanewise {
namespace {

using test::computeShader;
using test::kInputs;
using test::Shader;

Shader shaderOf(const std::string& body, const std::string& globals = "",
                const std::string& decorations = "",
                Shader::Size size = std::array<uint32_t, 3>{32, 8, 1}) {
  return Shader(computeShader(kInputs + body, globals, decorations), size);
}

/// Form of %100 in a body, with a workgroup of 32 x 8.
std::string formOf(const std::string& body) {
  return shaderOf(body).form(100);
}

using Range = std::optional<std::pair<uint32_t, uint32_t>>;
Range rangeOf(const std::string& body) {
  return shaderOf(body).of(100).range;
}

TEST(Affine, Sums) {
  EXPECT_EQ(formOf("%1 = OpIMul %uint %y %u32\n%100 = OpIAdd %uint %1 %x"), "32*y + x");
  EXPECT_EQ(formOf("%1 = OpShiftLeftLogical %uint %y %u5\n%100 = OpISub %uint %1 %u8"),
            "-8 + 32*y");
  EXPECT_EQ(formOf("%1 = OpSNegate %int %x\n%100 = OpIAdd %uint %1 %x"), "0");
  EXPECT_EQ(formOf("%1 = OpNot %uint %x\n%100 = OpIAdd %uint %1 %u1"), "-1*x");
  EXPECT_EQ(formOf("%1 = OpIMul %uint %x %u3\n%100 = OpISub %uint %1 %x"), "2*x");
}

TEST(Affine, RangesEndWhereASumMayWrap) {
  EXPECT_EQ(rangeOf("%1 = OpIMul %uint %y %u32\n%100 = OpIAdd %uint %1 %x"), (Range{{0, 255}}));
  EXPECT_EQ(rangeOf("%100 = OpIAdd %uint %x %uhigh"), (Range{{0xFFFFFFE0, UINT32_MAX}}));
  EXPECT_EQ(rangeOf("%1 = OpIAdd %uint %x %u1\n%100 = OpIAdd %uint %1 %uhigh"), std::nullopt);
  EXPECT_EQ(rangeOf("%100 = OpISub %uint %u31 %x"), (Range{{0, 31}}));
  EXPECT_EQ(rangeOf("%100 = OpISub %uint %x %u1"), std::nullopt); // 0 - 1
  EXPECT_EQ(rangeOf("%100 = OpIMul %uint %x %uhigh"), std::nullopt);
  EXPECT_EQ(rangeOf("%1 = OpUMod %uint %p %u4\n%100 = OpIAdd %uint %1 %uhigh"),
            (Range{{0xFFFFFFE0, 0xFFFFFFE3}})); // a large constant and no wrap
  EXPECT_EQ(rangeOf("%100 = OpIAdd %uint %p %x"), std::nullopt);
}

TEST(Affine, Products) {
  EXPECT_EQ(formOf("%100 = OpIMul %uint %x %y"), "IMul(x, y)");
  EXPECT_EQ(rangeOf("%100 = OpIMul %uint %x %y"), (Range{{0, 217}}));
  EXPECT_EQ(formOf("%1 = OpIMul %uint %x %y\n%2 = OpIMul %uint %y %x\n%100 = OpISub %uint %1 %2"),
            "0");
  EXPECT_EQ(formOf("%100 = OpIMul %uint %x %p"), "IMul(uniform, x)");
  EXPECT_EQ(rangeOf("%100 = OpIMul %uint %x %p"), std::nullopt);
}

TEST(Affine, RemainderThatIsTheValue) {
  EXPECT_EQ(formOf("%100 = OpUMod %uint %x %u32"), "x");
  EXPECT_EQ(formOf("%100 = OpUMod %uint %x %u31"), "UMod(x, 31)"); // x may be 31
  EXPECT_EQ(formOf("%1 = OpIAdd %uint %x %u1\n%100 = OpUMod %uint %1 %u32"), "UMod(1 + x, 32)");
  EXPECT_EQ(formOf("%100 = OpBitwiseAnd %uint %x %u31"), "x");
  EXPECT_EQ(formOf("%100 = OpBitwiseAnd %uint %u31 %t"), "x");
  EXPECT_EQ(formOf("%100 = OpBitwiseAnd %uint %x %u16"), "-1*UMod(x, 16) + x");
  EXPECT_EQ(formOf("%100 = OpBitwiseAnd %uint %p %u31"), "UMod(uniform, 32)");
}

TEST(Affine, DivisionOfASumOfMultiples) {
  EXPECT_EQ(formOf("%100 = OpUDiv %uint %t %u32"), "y");
  EXPECT_EQ(formOf("%100 = OpUMod %uint %t %u32"), "x");
  EXPECT_EQ(formOf("%100 = OpShiftRightLogical %uint %t %u5"), "y");
  EXPECT_EQ(formOf("%1 = OpIAdd %uint %t %u1\n%100 = OpUDiv %uint %1 %u32"), "UDiv(1 + x, 32) + y");
  EXPECT_EQ(formOf("%100 = OpUDiv %uint %t %u16"), "2*y + UDiv(x, 16)");
  EXPECT_EQ(formOf("%100 = OpUDiv %uint %t %u33"), "UDiv(32*y + x, 33)");
  EXPECT_EQ(formOf("%1 = OpISub %uint %u31 %x\n%100 = OpUDiv %uint %1 %u32"), "0");
  // (32 * w + x) may wrap, so its quotient is not w; the remainder by a power of two is x all the
  // same.
  EXPECT_EQ(formOf("%100 = OpUDiv %uint %gx %u32"), "UDiv(32*wx, 32)");
  EXPECT_EQ(formOf("%100 = OpUMod %uint %gx %u32"), "x");
  EXPECT_EQ(formOf("%100 = OpUMod %uint %gx %u33"), "UMod(32*wx + x, 33)");
}

TEST(Affine, WhatIsBelowAPowerOfTwoIsRoundedAway) {
  const auto isUniform = [](const std::string& body) { return shaderOf(body).isUniform(100); };
  EXPECT_TRUE(isUniform("%100 = OpUDiv %uint %gx %u32"));
  EXPECT_TRUE(isUniform("%100 = OpUDiv %uint %gx %u64"));
  EXPECT_FALSE(isUniform("%100 = OpUDiv %uint %gx %u16")); // two halves of the row
  EXPECT_FALSE(isUniform("%1 = OpIAdd %uint %gx %u1\n%100 = OpUDiv %uint %1 %u32"));
  EXPECT_TRUE(isUniform("%1 = OpIAdd %uint %gx %u32\n%100 = OpUDiv %uint %1 %u32"));
  EXPECT_FALSE(isUniform("%100 = OpUDiv %uint %gx %u33"));
  EXPECT_EQ(formOf("%1 = OpIMul %uint %u32 %u3\n%100 = OpUDiv %uint %gx %1"), "UDiv(32*wx, 96)");

  EXPECT_EQ(formOf("%100 = OpShiftRightArithmetic %int %gx %u5"), "ShiftRightArithmetic(32*wx, 5)");
  EXPECT_FALSE(isUniform("%100 = OpShiftRightArithmetic %int %gx %u4"));
  EXPECT_FALSE(isUniform("%100 = OpSDiv %int %gx %i32")); // -32 and -31 part
  EXPECT_EQ(formOf("%100 = OpBitwiseOr %uint %gx %u31"), "31 + 32*wx");
  EXPECT_EQ(formOf("%100 = OpBitwiseOr %uint %u31 %gx"), "31 + 32*wx");
  EXPECT_FALSE(isUniform("%100 = OpBitwiseOr %uint %gx %u3"));
  EXPECT_FALSE(isUniform("%100 = OpBitwiseOr %uint %gx %u32")); // not the bits below
  EXPECT_EQ(formOf("%100 = OpBitwiseOr %uint %gx %uall"), "BitwiseOr(-1, 32*wx + x)");

  const std::string row = "%1 = OpShiftRightLogical %uint %gx %u5\n";
  EXPECT_EQ(formOf(row + "%2 = OpIMul %uint %1 %u32\n%100 = OpIAdd %uint %2 %x"), "32*wx + x");
  EXPECT_EQ(formOf(row + "%100 = OpIMul %uint %1 %u64"), "64*wx");
  EXPECT_EQ(formOf(row + "%100 = OpIMul %uint %1 %u16"), "16*UDiv(32*wx, 32)");
  EXPECT_EQ(formOf("%1 = OpUDiv %uint %p %u8\n%100 = OpIMul %uint %1 %u8"), "8*UDiv(uniform, 8)");
}

TEST(Affine, QuotientAndRemainderMeetAgain) {
  const std::string parts = "%1 = OpUDiv %uint %p %u8\n%2 = OpUMod %uint %p %u8\n";
  EXPECT_EQ(formOf(parts + "%3 = OpIMul %uint %1 %u8\n%100 = OpIAdd %uint %3 %2"), "uniform");
  EXPECT_EQ(formOf(parts + "%3 = OpIMul %uint %1 %u16\n%100 = OpIAdd %uint %3 %2"),
            "16*UDiv(uniform, 8) + UMod(uniform, 8)");
  EXPECT_EQ(formOf("%1 = OpUDiv %uint %p %u8\n%100 = OpUDiv %uint %1 %u4"), "UDiv(uniform, 32)");
  EXPECT_EQ(formOf("%1 = OpUMod %uint %p %u32\n%100 = OpUMod %uint %1 %u8"), "UMod(uniform, 8)");
  EXPECT_EQ(formOf("%1 = OpUMod %uint %p %u8\n%100 = OpUMod %uint %1 %u3"),
            "UMod(UMod(uniform, 8), 3)");
}

TEST(Affine, DivisionByZeroIsUndefined) {
  Shader s = shaderOf("%100 = OpUDiv %uint %x %u0\n%101 = OpUDiv %uint %x %y\n"
                      "%1 = OpIEqual %bool %y %u0\n%102 = OpSelect %uint %1 %u5 %101");
  EXPECT_EQ(s.at(100, {1, 1, 0}), std::nullopt);
  EXPECT_EQ(s.at(101, {7, 0, 0}), std::nullopt);
  EXPECT_EQ(s.at(101, {7, 2, 0}), 3u);
  EXPECT_EQ(s.at(102, {7, 0, 0}), 5u); // the side that is not taken may be undefined
}

TEST(Affine, SignedDivisionIsUnsignedOnlyAboveZero) {
  EXPECT_EQ(formOf("%100 = OpSDiv %int %t %i32"), "y");
  EXPECT_EQ(formOf("%1 = OpISub %int %x %i1\n%100 = OpSDiv %int %1 %i32"), "SDiv(-1 + x, 32)");
  EXPECT_EQ(formOf("%1 = OpISub %int %x %i1\n%100 = OpSRem %int %1 %i8"), "SRem(-1 + x, 8)");
  EXPECT_EQ(formOf("%100 = OpSDiv %int %p %i8"), "SDiv(uniform, 8)");
  EXPECT_EQ(formOf("%100 = OpShiftRightArithmetic %int %t %i31"), "0");
  EXPECT_EQ(formOf("%1 = OpISub %int %x %i1\n%100 = OpShiftRightArithmetic %int %1 %i2"),
            "ShiftRightArithmetic(-1 + x, 2)");
  Shader s =
      shaderOf("%1 = OpISub %int %x %i8\n%100 = OpSDiv %int %1 %i2\n%101 = OpUDiv %uint %1 %u2\n"
               "%102 = OpSRem %int %1 %i32\n%103 = OpSMod %int %1 %i32\n"
               "%2 = OpIAdd %int %x %i8\n%104 = OpSMod %int %2 %i32");
  EXPECT_EQ(s.at(100, {1, 0, 0}), uint32_t(-3));
  EXPECT_EQ(s.at(101, {1, 0, 0}), uint32_t(-7) / 2);
  EXPECT_EQ(s.at(102, {1, 0, 0}), uint32_t(-7));
  EXPECT_EQ(s.at(103, {1, 0, 0}), std::nullopt); // drivers differ
  EXPECT_EQ(s.at(104, {30, 0, 0}), 6u);
}

TEST(Affine, BitsThatDoNotMeetAdd) {
  const std::string row = "%1 = OpShiftLeftLogical %uint %y %u5\n";
  EXPECT_EQ(formOf(row + "%100 = OpBitwiseOr %uint %1 %x"), "32*y + x");
  EXPECT_EQ(formOf(row + "%100 = OpBitwiseXor %uint %1 %x"), "32*y + x");
  EXPECT_EQ(formOf("%1 = OpShiftLeftLogical %uint %y %u4\n%100 = OpBitwiseOr %uint %1 %x"),
            "BitwiseOr(16*y, x)"); // bit 4 of x
  // Also without a range: the low bits of a multiple of 32 are 0.
  EXPECT_EQ(formOf("%1 = OpShiftLeftLogical %uint %p %u5\n%100 = OpBitwiseOr %uint %1 %x"),
            "32*uniform + x");
  // 31 + 7 carries into bit 5.
  EXPECT_EQ(formOf("%1 = OpIAdd %uint %x %y\n%100 = OpBitwiseOr %uint %1 %u32"),
            "BitwiseOr(32, x + y)");
  EXPECT_EQ(formOf("%1 = OpIAdd %uint %x %y\n%100 = OpBitwiseOr %uint %1 %u64"), "64 + x + y");
  EXPECT_EQ(formOf("%100 = OpBitwiseXor %uint %x %y"), "BitwiseXor(x, y)");
  EXPECT_EQ(formOf("%100 = OpBitwiseXor %uint %x %uall"), "-1 + -1*x");
  EXPECT_EQ(formOf(row + "%100 = OpBitwiseAnd %uint %1 %x"), "0");
}

TEST(Affine, BitFields) {
  EXPECT_EQ(formOf("%100 = OpBitFieldUExtract %uint %t %u5 %u3"), "y");
  EXPECT_EQ(formOf("%100 = OpBitFieldUExtract %uint %t %u5 %u2"), "UMod(y, 4)");
  Shader s = shaderOf("%100 = OpBitFieldUExtract %uint %t %u31 %u2\n%101 = OpBitReverse %uint %x");
  EXPECT_EQ(s.at(100, {1, 1, 0}), std::nullopt); // beyond the width
  EXPECT_EQ(s.at(101, {1, 0, 0}), 0x80000000u);
}

TEST(Affine, Comparisons) {
  EXPECT_EQ(formOf("%100 = OpULessThan %bool %x %u32"), "1");
  EXPECT_EQ(formOf("%100 = OpULessThan %bool %x %u31"), "ULessThan(x, 31)");
  EXPECT_EQ(formOf("%100 = OpUGreaterThanEqual %bool %x %u32"), "0");
  EXPECT_EQ(formOf("%100 = OpIEqual %bool %x %u32"), "0");
  EXPECT_EQ(formOf("%1 = OpIAdd %uint %p %u1\n%100 = OpIEqual %bool %1 %p"), "0");
  // p + 1 > p does not hold for the largest p.
  EXPECT_EQ(formOf("%1 = OpIAdd %uint %p %u1\n%100 = OpUGreaterThan %bool %1 %p"),
            "ULessThan(uniform, 1 + uniform)");
  EXPECT_EQ(formOf("%100 = OpSGreaterThanEqual %bool %x %i0"), "1");
  EXPECT_EQ(formOf("%1 = OpISub %int %x %i1\n%100 = OpSGreaterThanEqual %bool %1 %i0"),
            "1 + -1*SLessThan(-1 + x, 0)");
  EXPECT_EQ(formOf("%1 = OpISub %int %x %i1\n%100 = OpSLessThan %bool %1 %i31"), "1");
  EXPECT_EQ(formOf("%1 = OpISub %int %x %i1\n%100 = OpULessThan %bool %1 %i31"),
            "ULessThan(-1 + x, 31)");
  EXPECT_EQ(formOf("%1 = OpULessThan %bool %x %u3\n%100 = OpLogicalNot %bool %1"),
            "1 + -1*ULessThan(x, 3)");
  EXPECT_EQ(formOf("%1 = OpULessThan %bool %x %u3\n%100 = OpLogicalAnd %bool %1 %true"),
            "ULessThan(x, 3)");
}

TEST(Affine, MinimaAndMaxima) {
  EXPECT_EQ(formOf("%100 = OpExtInst %uint %glsl UMin %x %u31"), "x");
  EXPECT_EQ(rangeOf("%100 = OpExtInst %uint %glsl UMin %p %u31"), (Range{{0, 31}}));
  EXPECT_EQ(formOf("%1 = OpExtInst %uint %glsl UMin %p %u31\n%100 = OpUMod %uint %1 %u32"),
            "Ext38(uniform, 31)");
  EXPECT_EQ(rangeOf("%1 = OpISub %int %x %i1\n%100 = OpExtInst %int %glsl SMax %1 %i0"),
            (Range{{0, 30}}));
  EXPECT_EQ(rangeOf("%1 = OpISub %int %x %i1\n%100 = OpExtInst %int %glsl SMin %1 %i0"),
            std::nullopt);
  EXPECT_EQ(rangeOf("%100 = OpExtInst %int %glsl SClamp %p %i0 %i31"), (Range{{0, 31}}));
}

TEST(Affine, NarrowIntegersWrapAtTheirWidth) {
  const std::string globals = "%s1 = OpConstant %short -1\n%c7 = OpConstant %ushort 7\n"
                              "%big = OpConstant %ushort 65535\n";
  Shader s = shaderOf(
      "%1 = OpUConvert %ushort %x\n%2 = OpIAdd %ushort %1 %c7\n%100 = OpUConvert %uint %2\n"
      "%3 = OpIAdd %ushort %1 %big\n%101 = OpUConvert %uint %3\n%102 = OpSConvert %int %3\n"
      "%4 = OpIMul %ushort %1 %c7\n%103 = OpSConvert %int %4\n"
      "%104 = OpUConvert %ushort %p",
      globals);
  EXPECT_EQ(s.form(100), "7 + x");
  EXPECT_EQ(s.form(101), "UMod(65535 + x, 65536)");
  EXPECT_EQ(s.at(101, {0, 0, 0}), 65535u);
  EXPECT_EQ(s.at(102, {0, 0, 0}), 0xFFFFFFFFu);
  EXPECT_EQ(s.at(102, {5, 0, 0}), 4u);
  EXPECT_EQ(s.form(103), "7*x");
  EXPECT_EQ(s.form(104), "UMod(uniform, 65536)");
}

TEST(Affine, WideIntegersAreOpaque) {
  Shader s = shaderOf("%100 = OpUConvert %ulong %x\n%101 = OpUConvert %uint %100\n"
                      "%102 = OpUConvert %ulong %p\n%103 = OpUConvert %uint %102");
  EXPECT_EQ(s.form(100), "varying");
  EXPECT_EQ(s.form(101), "varying");
  EXPECT_EQ(s.form(103), "uniform");
}

TEST(Affine, BuiltIns) {
  Shader s = shaderOf(
      "%100 = OpCopyObject %uint %gx\n%101 = OpCopyObject %uint %z\n"
      "%102 = OpCopyObject %uint %t\n%1 = OpAccessChain %p_in %lid %u1\n%103 = OpLoad %uint %1\n"
      "%104 = OpLoad %uint %sgsize\n%105 = OpLoad %uint %sglane\n%106 = OpLoad %uint %sgid\n"
      "%2 = OpLoad %v3uint %groups\n%107 = OpCompositeExtract %uint %2 1");
  EXPECT_EQ(s.form(100), "32*wx + x");
  EXPECT_EQ(s.form(101), "0"); // one invocation deep
  EXPECT_EQ(s.form(102), "32*y + x");
  EXPECT_EQ(s.form(103), "y");
  EXPECT_EQ(s.form(104), "uniform");
  EXPECT_EQ(s.form(105), "lane");
  EXPECT_EQ(s.form(106), "subgroup");
  EXPECT_EQ(s.form(107), "uniform");
  EXPECT_TRUE(s.isUniform(104));
  EXPECT_FALSE(s.isUniform(105));
  EXPECT_FALSE(s.isUniform(106));
  EXPECT_FALSE(s.isUniform(100));
}

TEST(Affine, BuiltInsWithoutAWorkgroupSize) {
  Shader s = shaderOf(
      "%100 = OpCopyObject %uint %gx\n%101 = OpCopyObject %uint %z\n%102 = OpCopyObject %uint %t\n"
      "%103 = OpUMod %uint %x %u32\n%104 = OpISub %uint %t %t",
      "", "", std::nullopt);
  EXPECT_EQ(s.form(100), "varying");
  EXPECT_EQ(s.form(101), "z");
  EXPECT_EQ(s.of(101).range, std::nullopt);
  EXPECT_EQ(s.form(102), "varying");
  EXPECT_EQ(s.form(103), "UMod(x, 32)");
  EXPECT_EQ(s.form(104), "0");
  EXPECT_FALSE(s.isEvaluable(102));
}

TEST(Affine, VectorsComponentByComponent) {
  Shader s = shaderOf(
      "%1 = OpCompositeConstruct %v3uint %u32 %u16 %u8\n%2 = OpIMul %v3uint %l %1\n"
      "%3 = OpVectorShuffle %v2uint %2 %1 1 3\n%4 = OpCompositeInsert %v2uint %x %3 1\n"
      "%5 = OpCompositeConstruct %v3uint %u5 %4\n"
      "%100 = OpCompositeExtract %uint %2 0\n%101 = OpCompositeExtract %uint %3 0\n"
      "%102 = OpCompositeExtract %uint %3 1\n%103 = OpCompositeExtract %uint %4 0\n"
      "%104 = OpCompositeExtract %uint %4 1\n%105 = OpCompositeExtract %uint %5 1\n"
      "%106 = OpVectorExtractDynamic %uint %2 %u1\n%107 = OpVectorExtractDynamic %uint %2 %y\n"
      "%6 = OpULessThan %v3bool %2 %1\n%108 = OpAll %bool %6\n%109 = OpAny %bool %6");
  EXPECT_EQ(s.form(100), "32*x");
  EXPECT_EQ(s.form(101), "16*y");
  EXPECT_EQ(s.form(102), "32");
  EXPECT_EQ(s.form(103), "16*y");
  EXPECT_EQ(s.form(104), "x");
  EXPECT_EQ(s.form(105), "16*y");
  EXPECT_EQ(s.form(106), "16*y");
  EXPECT_EQ(s.form(107), "varying");
  EXPECT_EQ(s.at(108, {0, 0, 0}), 1u);
  EXPECT_EQ(s.at(108, {0, 1, 0}), 0u);
  EXPECT_EQ(s.at(109, {3, 0, 0}), 1u);
}

TEST(Affine, VariablesStoredOnce) {
  const std::string variables =
      "%v = OpVariable %p_local Function\n%twice = OpVariable %p_local Function\n"
      "%volatile = OpVariable %p_local Function\n"
      "%late = OpVariable %p_local Function\n%set = OpVariable %p_local Function %u5\n";
  Shader s(
      computeShader(variables + kInputs +
                    "OpStore %v %t\n%100 = OpLoad %uint %v\nOpStore %twice %x\nOpStore %twice %y\n"
                    "%101 = OpLoad %uint %twice\n%102 = OpLoad %uint %late\nOpStore %late %x\n"
                    "%103 = OpLoad %uint %set\nOpStore %volatile %x\n"
                    "%104 = OpLoad %uint %volatile Volatile"));
  EXPECT_EQ(s.form(100), "32*y + x");
  EXPECT_EQ(s.form(101), "varying");
  EXPECT_EQ(s.form(102), "varying"); // read before it is written
  EXPECT_EQ(s.form(103), "5");
  EXPECT_EQ(s.form(104), "varying");
}

TEST(Affine, MemoryThatMayChangeIsNeverUniform) {
  Shader s = shaderOf(
      "%1 = OpAccessChain %p_number %buffer %u0 %u5\n%100 = OpLoad %uint %1\n"
      "%101 = OpLoad %uint %shared\n"
      "%2 = OpAccessChain %p_number %readonly %u0 %u5\n%102 = OpLoad %uint %2\n"
      "%3 = OpAccessChain %p_number %readonly %u0 %x\n%103 = OpLoad %uint %3\n"
      "%104 = OpIAdd %uint %p %q\n%4 = OpAccessChain %p_push %push %u0\n%5 = OpLoad %uint %4\n"
      "%105 = OpISub %uint %p %5\n%106 = OpISub %uint %p %q\n"
      "%107 = OpLoad %uint %2 Volatile");
  EXPECT_EQ(s.form(100), "varying");
  EXPECT_EQ(s.form(101), "varying");
  EXPECT_EQ(s.form(102), "uniform");
  EXPECT_TRUE(s.isUniform(102));
  EXPECT_EQ(s.form(103), "varying");
  EXPECT_EQ(s.form(104), "uniform + uniform");
  EXPECT_EQ(s.form(105), "0"); // one push constant, loaded twice
  EXPECT_NE(s.form(106), "0");
  EXPECT_EQ(s.form(107), "varying");
}

TEST(Affine, ReadOnlyViewsChangeWhereAtomicsHandDataOver) {
  const std::string body =
      "%2 = OpAccessChain %p_number %readonly %u0 %u5\n%100 = OpLoad %uint %2\n"
      "%3 = OpAccessChain %p_number %buffer %u0 %u5\n"
      "%101 = OpAtomicIAdd %uint %3 %u1 %u0 %u1";
  EXPECT_FALSE(shaderOf(body).isUniform(100));
  EXPECT_FALSE(shaderOf(body).isUniform(101));
  EXPECT_TRUE(shaderOf(body, "", "OpDecorate %readonly Restrict\n").isUniform(100));
}

TEST(Affine, SpecializationConstants) {
  const std::string decorations =
      "OpDecorate %spec SpecId 3\nOpDecorate %size BuiltIn WorkgroupSize\n"
      "OpDecorate %sx SpecId 4\n";
  const std::string globals = "%spec = OpSpecConstant %uint 16\n%sx = OpSpecConstant %uint 1\n"
                              "%size = OpSpecConstantComposite %v3uint %sx %u8 %u1\n"
                              "%twice = OpSpecConstantOp %uint IMul %spec %u2\n"
                              "%sx2 = OpSpecConstantOp %uint IMul %sx %u2\n";
  const std::string text =
      computeShader(kInputs + "%100 = OpIMul %uint %y %spec\n%101 = OpIMul %uint %y %twice\n"
                              "%102 = OpCopyObject %uint %sx\n%103 = OpCopyObject %uint %sx2\n"
                              "%104 = OpCopyObject %uint %x\n"
                              "%105 = OpCompositeExtract %uint %size 0",
                    globals, decorations);
  // Left at its default, a value says nothing.
  Shader unknown(text, std::array<uint32_t, 3>{32, 8, 1});
  EXPECT_EQ(unknown.form(100), "IMul(uniform, y)");
  EXPECT_TRUE(unknown.isUniform(102));
  // But the size was given, and so were the constants that make it up.
  EXPECT_EQ(unknown.form(102), "32");
  EXPECT_EQ(unknown.form(103), "64");
  EXPECT_EQ(unknown.form(105), "32");
  EXPECT_TRUE(unknown.of(102).dependsOnSpec);
  EXPECT_TRUE(unknown.of(103).dependsOnSpec);
  EXPECT_TRUE(unknown.of(105).dependsOnSpec);
  EXPECT_FALSE(unknown.of(104).dependsOnSpec);

  Assumptions given;
  given.specConstants[3] = 64;
  Shader assumed(text, std::array<uint32_t, 3>{32, 8, 1}, given);
  EXPECT_EQ(assumed.form(100), "64*y");
  EXPECT_EQ(assumed.form(101), "128*y");
  EXPECT_TRUE(assumed.of(100).dependsOnSpec);
  EXPECT_TRUE(assumed.of(101).dependsOnSpec);
}

TEST(Affine, ParametersOfFunctionsCalledOnce) {
  const std::string functions = R"(
     %once = OpFunction %uint None %f_uint
       %11 = OpFunctionParameter %uint
       %12 = OpLabel
      %100 = OpIAdd %uint %11 %u1
             OpReturnValue %100
             OpFunctionEnd
    %twice = OpFunction %uint None %f_uint
       %21 = OpFunctionParameter %uint
       %22 = OpLabel
      %101 = OpIAdd %uint %21 %u1
             OpReturnValue %101
             OpFunctionEnd
)";
  Shader s(computeShader(
      kInputs + "%102 = OpFunctionCall %uint %once %t\n%2 = OpFunctionCall %uint %twice %u1\n"
                "%3 = OpFunctionCall %uint %twice %u2",
      "%f_uint = OpTypeFunction %uint %uint\n", "", functions));
  EXPECT_EQ(s.form(100), "1 + 32*y + x");
  EXPECT_EQ(s.form(101), "1 + varying");
  EXPECT_EQ(s.form(102), "varying");
}

TEST(Affine, LongChainsAreLinearAndDoNotRecurse) {
  std::string body = "%1000 = OpIAdd %uint %x %y\n";
  for (int n = 1000; n < 60000; ++n) {
    static const char* kOps[] = {"OpIAdd", "OpBitwiseXor", "OpUDiv", "OpIMul"};
    body += "%" + std::to_string(n + 1) + " = " + kOps[n % 4] + " %uint %" + std::to_string(n) +
            " %" +
            (n % 3 == 0   ? "p"
             : n % 3 == 1 ? "x"
                          : "u33") +
            "\n";
  }
  Shader s = shaderOf(body);
  EXPECT_EQ(s.form(60000).find("varying") != std::string::npos, true);
  std::string doubling = "%1000 = OpBitwiseXor %uint %x %y\n";
  for (int n = 1000; n < 1200; ++n)
    doubling += "%" + std::to_string(n + 1) + " = OpIMul %uint %" + std::to_string(n) + " %" +
                std::to_string(n) + "\n";
  Shader d = shaderOf(doubling);
  EXPECT_FALSE(d.isEvaluable(1200));
  EXPECT_TRUE(d.isEvaluable(1003));
}

TEST(Affine, SeedsCoverWhatIsKnown) {
  Shader s = shaderOf(
      "%1 = OpUMod %uint %p %u4\n%100 = OpIAdd %uint %x %y\n%101 = OpIMul %uint %1 %x\n"
      "%102 = OpIMul %uint %p %x\n%103 = OpULessThan %bool %gx %p\n%104 = OpLoad %uint %sgsize");
  EXPECT_EQ(s.states({100}).count, 1u);
  EXPECT_EQ(s.states({102}).count, 16u);
  EXPECT_EQ(s.states({104}).count, 1u);
  // The same seed gives the same value, whatever the lane.
  EXPECT_EQ(*s.at(102, {3, 0, 0}, 7), 3 * *s.at(102, {1, 5, 0}, 7));
  EXPECT_NE(s.at(102, {1, 0, 0}, 1), s.at(102, {1, 0, 0}, 2));
  // A guard against a size that is not known holds.
  for (uint32_t seed = 0; seed < 16; ++seed) EXPECT_EQ(s.at(103, {31, 7, 0}, seed), 1u);
}

TEST(Affine, ConditionsOfBlocks) {
  Shader s = shaderOf(R"(
        %1 = OpULessThan %bool %x %u8
        %2 = OpULessThan %bool %y %u4
             OpSelectionMerge %merge None
             OpBranchConditional %1 %then %else
     %then = OpLabel
             OpSelectionMerge %inner None
             OpBranchConditional %2 %inner %deep
     %deep = OpLabel
             OpBranch %inner
    %inner = OpLabel
             OpBranch %merge
     %else = OpLabel
             OpBranch %merge
    %merge = OpLabel
)");
  const Module& m = *s.module;
  FunctionRef main(1);
  BlockRef entry = m.firstBlock(main);
  auto block = [&](uint32_t n) { return BlockRef(entry.value + n); };
  auto conditions = [&](uint32_t n) {
    std::string text;
    for (BlockCondition c : collectConditions(*s.analyses, block(n)))
      text += (c.negated ? "!" : "") + std::to_string(c.condition.value) + " ";
    return text;
  };
  EXPECT_EQ(conditions(0), "");
  EXPECT_EQ(conditions(1), "1 ");
  EXPECT_EQ(conditions(2), "1 !2 ");
  EXPECT_EQ(conditions(3), "1 "); // reached from both sides of the inner branch
  EXPECT_EQ(conditions(4), "!1 ");
  EXPECT_EQ(conditions(5), "");
}

} // namespace
} // namespace lanewise
