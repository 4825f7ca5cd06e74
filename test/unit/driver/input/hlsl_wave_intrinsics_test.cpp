#include "assemble.h"
#include "input/hlsl_wave_intrinsics.h"

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

TEST(HlslWaveIntrinsics, InclusiveScansBecomeExclusive) {
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
    ASSERT_TRUE(mendWaveIntrinsics(compiled));
    EXPECT_EQ(compiled.words, with("ExclusiveScan").words) << operation;
    ASSERT_EQ(compiled.warnings.size(), 1u) << operation;
    EXPECT_TRUE(compiled.warnings[0].starts_with("a.hlsl:7: warning: ")) << compiled.warnings[0];
    EXPECT_NE(compiled.warnings[0].find(std::string("'") + name + "'"), std::string::npos);
    EXPECT_TRUE(compiled.errors.empty());
  }
}

TEST(HlslWaveIntrinsics, WhatIsRightStays) {
  for (const char* body : {"%50 = OpGroupNonUniformIAdd %4 %7 ExclusiveScan %7",
                           "%50 = OpGroupNonUniformFMul %6 %7 Reduce %9",
                           "%50 = OpGroupNonUniformAllEqual %3 %7 %7"}) {
    Compiled compiled = compiledOf(body);
    ASSERT_TRUE(mendWaveIntrinsics(compiled));
    EXPECT_EQ(compiled.words, compiledOf(body).words) << body;
    EXPECT_TRUE(compiled.warnings.empty() && compiled.errors.empty()) << body;
  }
}

TEST(HlslWaveIntrinsics, OneAnswerForAVectorIsRefused) {
  Compiled compiled = compiledOf("%50 = OpGroupNonUniformAllEqual %3 %7 %8");
  ASSERT_TRUE(mendWaveIntrinsics(compiled));
  ASSERT_EQ(compiled.errors.size(), 1u);
  EXPECT_TRUE(compiled.errors[0].starts_with("a.hlsl:7: error: ")) << compiled.errors[0];
  EXPECT_NE(compiled.errors[0].find("'WaveActiveAllEqual'"), std::string::npos);
}

TEST(HlslWaveIntrinsics, OnceForEachLine) {
  Compiled compiled = compiledOf("%50 = OpGroupNonUniformIAdd %4 %7 InclusiveScan %7\n"
                                 "%51 = OpGroupNonUniformIAdd %4 %7 InclusiveScan %50\n"
                                 "OpLine %80 8 0\n"
                                 "%52 = OpGroupNonUniformIAdd %4 %7 InclusiveScan %51");
  ASSERT_TRUE(mendWaveIntrinsics(compiled));
  EXPECT_EQ(compiled.warnings.size(), 2u);
}

TEST(HlslWaveIntrinsics, WordsThatAreNoModule) {
  Compiled compiled;
  compiled.words = {1, 2, 3};
  EXPECT_FALSE(mendWaveIntrinsics(compiled));
}

} // namespace
} // namespace lanewise::driver
