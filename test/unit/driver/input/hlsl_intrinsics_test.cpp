#include "assemble.h"
#include "input/hlsl_intrinsics.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

/// What glslang makes of a line of HLSL: `body` is line 7 of a.hlsl.
Compiled compiledOf(const std::string& body) {
  Compiled compiled;
  compiled.words = test::assemble(R"(
    OpCapability Shader
    OpCapability GroupNonUniformArithmetic
    OpCapability GroupNonUniformVote
    OpMemoryModel Logical GLSL450
    %80 = OpString "a.hlsl"
    %1 = OpTypeVoid
    %2 = OpTypeFunction %1
    %3 = OpTypeBool
    %4 = OpTypeInt 32 0
    %5 = OpTypeVector %4 2
    %6 = OpTypeFloat 32
    %7 = OpConstant %4 3
    %8 = OpConstantComposite %5 %7 %7
    %9 = OpConstant %6 1
    %10 = OpFunction %1 None %2
    %11 = OpLabel
    OpLine %80 7 0
  )" + body + "\nOpReturn\nOpFunctionEnd\n");
  return compiled;
}

TEST(HlslIntrinsics, InclusiveScansBecomeExclusive) {
  struct Case {
    const char *operation, *name;
  };
  for (auto [operation, name] :
       {Case{"IAdd %4 %7 {} %7", "WavePrefixSum"}, Case{"IAdd %5 %7 {} %8", "WavePrefixSum"},
        Case{"FAdd %6 %7 {} %9", "WavePrefixSum"}, Case{"IMul %4 %7 {} %7", "WavePrefixProduct"},
        Case{"FMul %6 %7 {} %9", "WavePrefixProduct"}}) {
    auto with = [&](const char* scan) {
      std::string text = std::string("%50 = OpGroupNonUniform") + operation;
      return compiledOf(text.replace(text.find("{}"), 2, scan));
    };
    Compiled compiled = with("InclusiveScan");
    ASSERT_TRUE(mendIntrinsics(compiled));
    EXPECT_EQ(compiled.words, with("ExclusiveScan").words) << operation;
    ASSERT_EQ(compiled.warnings.size(), 1u) << operation;
    EXPECT_TRUE(compiled.warnings[0].starts_with("a.hlsl:7: warning: ")) << compiled.warnings[0];
    EXPECT_NE(compiled.warnings[0].find(std::string("'") + name + "'"), std::string::npos);
    EXPECT_TRUE(compiled.errors.empty());
  }
}

TEST(HlslIntrinsics, WhatIsRightStays) {
  for (const char* body : {"%50 = OpGroupNonUniformIAdd %4 %7 ExclusiveScan %7",
                           "%50 = OpGroupNonUniformFMul %6 %7 Reduce %9",
                           "%50 = OpGroupNonUniformAllEqual %3 %7 %7"}) {
    Compiled compiled = compiledOf(body);
    ASSERT_TRUE(mendIntrinsics(compiled));
    EXPECT_EQ(compiled.words, compiledOf(body).words) << body;
    EXPECT_TRUE(compiled.warnings.empty() && compiled.errors.empty()) << body;
  }
}

TEST(HlslIntrinsics, RemaindersHaveTheSignOfTheDividend) {
  Compiled compiled = compiledOf("%50 = OpFMod %6 %9 %9");
  ASSERT_TRUE(mendIntrinsics(compiled));
  EXPECT_EQ(compiled.words, compiledOf("%50 = OpFRem %6 %9 %9").words);
  ASSERT_EQ(compiled.warnings.size(), 1u);
  EXPECT_TRUE(compiled.warnings[0].starts_with("a.hlsl:7: warning: ")) << compiled.warnings[0];
}

TEST(HlslIntrinsics, AmountsOfShiftsAreMasked) {
  for (const char* op : {"OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic"})
    for (const char* operands : {" %4 %7 %51", " %5 %8 %52"}) {
      const std::string shift = std::string("%53 = ") + op + operands;
      Compiled compiled = compiledOf("%51 = OpIAdd %4 %7 %7\n%52 = OpIAdd %5 %8 %8\n" + shift);
      ASSERT_TRUE(mendIntrinsics(compiled));
      const std::string text = test::disassemble(compiled.words);
      EXPECT_NE(text.find("OpBitwiseAnd"), std::string::npos) << shift;
      EXPECT_TRUE(compiled.warnings.empty());
    }
}

TEST(HlslIntrinsics, SmallConstantAmountsStay) {
  for (const char* shift :
       {"%50 = OpShiftLeftLogical %4 %7 %7", "%50 = OpShiftLeftLogical %5 %8 %8"}) {
    Compiled compiled = compiledOf(shift);
    ASSERT_TRUE(mendIntrinsics(compiled));
    EXPECT_EQ(compiled.words, compiledOf(shift).words) << shift;
  }
}

TEST(HlslIntrinsics, MacrosOnlyForWhatIsCalled) {
  EXPECT_EQ(intrinsicMacros("b.Store(0, 1); c.MyStore2(1, 2); d.Store23(3); Store2;"), "");
  const std::string two = intrinsicMacros("b.Store2 (0, v);");
  EXPECT_NE(two.find("#define Store2("), std::string::npos);
  EXPECT_EQ(two.find("Store3"), std::string::npos);
  EXPECT_NE(
      intrinsicMacros("InterlockedCompareStore(a, b, c);").find("InterlockedCompareExchange("),
      std::string::npos);
}

TEST(HlslIntrinsics, OneAnswerForAVectorIsRefused) {
  Compiled compiled = compiledOf("%50 = OpGroupNonUniformAllEqual %3 %7 %8");
  ASSERT_TRUE(mendIntrinsics(compiled));
  ASSERT_EQ(compiled.errors.size(), 1u);
  EXPECT_TRUE(compiled.errors[0].starts_with("a.hlsl:7: error: ")) << compiled.errors[0];
  EXPECT_NE(compiled.errors[0].find("'WaveActiveAllEqual'"), std::string::npos);
}

TEST(HlslIntrinsics, OnceForEachLine) {
  Compiled compiled = compiledOf("%50 = OpGroupNonUniformIAdd %4 %7 InclusiveScan %7\n"
                                 "%51 = OpGroupNonUniformIAdd %4 %7 InclusiveScan %50\n"
                                 "OpLine %80 8 0\n"
                                 "%52 = OpGroupNonUniformIAdd %4 %7 InclusiveScan %51");
  ASSERT_TRUE(mendIntrinsics(compiled));
  EXPECT_EQ(compiled.warnings.size(), 2u);
}

TEST(HlslIntrinsics, WordsThatAreNoModule) {
  Compiled compiled;
  compiled.words = {1, 2, 3};
  EXPECT_FALSE(mendIntrinsics(compiled));
}

} // namespace
} // namespace lanewise::driver
