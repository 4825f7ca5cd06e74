// Which code runs have exercised: blocks, lines, branches that went one way.
#include "interpreted.h"
#include "verify/coverage.h"
#include "verify/program/exercised.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

const std::string kHead = "#version 450\n"
                          "layout(local_size_x = 8) in;\n"
                          "layout(set = 0, binding = 0) buffer A { uint a[]; };\n";

// Eight lanes over `words` at binding 0.
ExercisedShader exercise(std::vector<uint32_t> module, std::vector<uint32_t> words,
                         uint32_t threads = 0) {
  test::Interpreted one;
  words.resize(64);
  one.buffers = {std::move(words)};
  one.groups = {4, 1, 1};
  one.options.threads = threads;
  EXPECT_TRUE(one.run(std::move(module)));
  return {"main", one.program, true, one.result.edges};
}

// The body of main() begins in line 5; `v` is the lane's word, line 4.
ShaderCoverage coverageOfMain(const std::string& body, std::vector<uint32_t> words = {},
                              const std::string& functions = "") {
  const std::string text =
      kHead + functions + "void main() { uint v = a[gl_LocalInvocationIndex];\n" + body + "}\n";
  return coverageOf({exercise(test::compileGlsl(text), std::move(words))}).shaders[0];
}

std::string text(const ShaderCoverage& seen) {
  const std::vector<std::string> lines = describe(Coverage{{seen}});
  return lines.empty() ? "complete" : lines[0];
}

TEST(Coverage, OfAnArmThatNeverRanIsItsLines) {
  const ShaderCoverage seen = coverageOfMain("if (v == 9u) {\n"
                                             "  a[0] = 1u;\n"
                                             "  a[1] = 2u;\n"
                                             "}\n"
                                             "a[2] = 3u;\n");
  EXPECT_EQ(seen.blocks, 3u);
  EXPECT_EQ(seen.ran, 2u);
  EXPECT_EQ(seen.notRun.size(), 1u);
  EXPECT_EQ(seen.notRunLines, (std::vector<LineRange>{{"test.comp", 6, 7}}));
  EXPECT_EQ(text(seen), "test.comp lines 6-7 (1 of 3 blocks); always false: line 5");
}

TEST(Coverage, IsCompleteWhereBothWaysWereTaken) {
  const ShaderCoverage seen = coverageOfMain("if (v == 9u) {\n  a[0] = 1u;\n}\n", {9});
  EXPECT_TRUE(seen.isComplete());
  EXPECT_EQ(seen.blocks, 3u);
  EXPECT_TRUE(seen.notRunLines.empty());
}

TEST(Coverage, OfAnEmptyElseIsTheBranchAlone) {
  const ShaderCoverage seen = coverageOfMain("if (v != 9u)\n  a[8] = 1u;\n");
  EXPECT_EQ(seen.ran, seen.blocks);
  EXPECT_FALSE(seen.isComplete());
  EXPECT_EQ(text(seen), "always true: line 5");
}

TEST(Coverage, OfALoopThatRunsIsBothWays) {
  EXPECT_TRUE(coverageOfMain("for (uint n = 0u; n < 3u; ++n)\n  a[n + 8u] = n;\n").isComplete());
  const ShaderCoverage none = coverageOfMain("for (uint n = 0u; n < v; ++n)\n  a[n + 8u] = n;\n");
  EXPECT_LT(none.ran, none.blocks);
  ASSERT_EQ(none.oneWay.size(), 1u);
  EXPECT_EQ(none.oneWay[0].always, "false");
}

TEST(Coverage, AfterAnEarlyReturnNothingRan) {
  const ShaderCoverage seen = coverageOfMain("if (v < 9u)\n"
                                             "  return;\n"
                                             "a[8] = 1u;\n"
                                             "a[9] = 2u;\n");
  // To glslang of some versions the return at the end stands on a line of its own.
  const bool isEndALine = !seen.notRunLines.empty() && seen.notRunLines[0].last == 9;
  EXPECT_EQ(seen.notRunLines, (std::vector<LineRange>{{"test.comp", 7, isEndALine ? 9u : 8u}}));
  ASSERT_EQ(seen.oneWay.size(), 1u);
  EXPECT_EQ(seen.oneWay[0].always, "true");
}

TEST(Coverage, OfASwitchIsByCase) {
  const std::string body = "switch (v) {\n"
                           "case 3u: a[8] = 1u; break;\n"
                           "case 4u:\n"
                           "case 5u: a[9] = 2u; break;\n"
                           "default: a[10] = 3u;\n"
                           "}\n";
  EXPECT_TRUE(coverageOfMain(body, {3, 4, 5, 6}).isComplete());
  const ShaderCoverage seen = coverageOfMain(body, {4, 4, 4, 4, 4, 4, 4, 4});
  ASSERT_EQ(seen.oneWay.size(), 1u);
  EXPECT_EQ(seen.oneWay[0].never, (std::vector<std::string>{"default", "3", "5"}));
  EXPECT_EQ(seen.blocks - seen.ran, 2u) << "5 shares its block with 4";
  EXPECT_EQ(seen.notRunLines, (std::vector<LineRange>{{"test.comp", 6, 6}, {"test.comp", 9, 9}}));
}

TEST(Coverage, OfAFunctionThatIsNeverCalledIsItsBlocks) {
  const std::string f = "uint f(uint x) { return x * 3u; }\n";
  const ShaderCoverage seen = coverageOfMain("if (v == 9u) a[8] = f(v);\n", {}, f);
  EXPECT_EQ(seen.blocks - seen.ran, 2u);
  EXPECT_EQ(seen.notRunLines[0], (LineRange{"test.comp", 4, 4}));
  EXPECT_TRUE(coverageOfMain("if (v == 9u) a[8] = f(v);\n", {9}, f).isComplete());
}

TEST(Coverage, LinesThatOtherBlocksOfThemRanAreRun) {
  const ShaderCoverage seen = coverageOfMain("a[8] = v == 9u ? a[9] : a[10];\n");
  EXPECT_LT(seen.ran, seen.blocks);
  EXPECT_TRUE(seen.notRunLines.empty());
  EXPECT_NE(text(seen).find("1 of 4 blocks (%"), std::string::npos) << text(seen);
}

TEST(Coverage, WhatTheModuleItselfRulesOutDoesNotCount) {
  // `while (true)` leaves its merge block without a way to it; a literal has one way.
  EXPECT_TRUE(coverageOfMain("if (false) a[8] = 1u;\n"
                             "while (true) {\n"
                             "  if (v == 9u) break;\n"
                             "  ++v;\n"
                             "}\n")
                  .isComplete());
  EXPECT_TRUE(coverageOfMain("while (true) {\n"
                             "  if (v > 9u) return;\n"
                             "  ++v;\n"
                             "}\n")
                  .isComplete());
}

const char* kUnreachable = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %Words Block
OpMemberDecorate %Words 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
OpDecorate %flag SpecId 4
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
%u0 = OpConstant %uint 0
%u8 = OpConstant %uint 8
%flag = OpSpecConstantFalse %bool
%in_uint = OpTypePointer Input %uint
%index = OpVariable %in_uint Input
%words = OpTypeRuntimeArray %uint
%Words = OpTypeStruct %words
%ptr = OpTypePointer StorageBuffer %Words
%ptr_uint = OpTypePointer StorageBuffer %uint
%data = OpVariable %ptr StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %index
%no = OpLogicalNot %bool %flag
OpSelectionMerge %end None
OpSwitch %i %never 0 %some 1 %some 2 %some 3 %some 4 %some 5 %some 6 %some 7 %some
%some = OpLabel
OpSelectionMerge %dead None
OpBranchConditional %no %yes %other
%yes = OpLabel
OpBranch %end
%other = OpLabel
OpBranch %end
%dead = OpLabel
OpUnreachable
%never = OpLabel
OpUnreachable
%end = OpLabel
OpReturn
OpFunctionEnd)";

TEST(Coverage, OfASpecializationConstantNamesIt) {
  const ShaderCoverage seen = coverageOf({exercise(test::assemble(kUnreachable), {})}).shaders[0];
  EXPECT_EQ(seen.blocks, 5u) << "two say themselves that nobody comes there";
  EXPECT_EQ(seen.ran, 4u);
  ASSERT_EQ(seen.oneWay.size(), 1u) << "the default is OpUnreachable";
  EXPECT_EQ(seen.oneWay[0].constant, "specialization constant 4");
  EXPECT_EQ(seen.oneWay[0].line, 0u);
  EXPECT_EQ(text(seen),
            fmt::format("1 of 5 blocks ({}); always true: {} (specialization constant 4)",
                        seen.notRun[0], seen.oneWay[0].block));
}

TEST(Coverage, MergesRuns) {
  const std::vector<uint32_t> module =
      test::compileGlsl(kHead + "void main() { if (a[0] == 9u) a[8] = 1u; }\n");
  Exercised both{exercise(module, {})};
  EXPECT_FALSE(coverageOf(both).isComplete());
  EXPECT_EQ(untakenEdges(both[0]).size(), 1u);
  merge(both, {exercise(module, std::vector<uint32_t>(8, 9))});
  EXPECT_TRUE(coverageOf(both).isComplete());
  EXPECT_TRUE(untakenEdges(both[0]).empty());
}

TEST(Coverage, IsTheSameOnAnyNumberOfThreads) {
  const std::vector<uint32_t> module = test::compileGlsl(
      kHead + "void main() {\n"
              "  for (uint n = 0u; n < gl_WorkGroupID.x; ++n)\n"
              "    if (a[gl_GlobalInvocationID.x] == n) a[32u + gl_GlobalInvocationID.x] = n;\n"
              "}\n");
  const std::vector<uint32_t> words{0, 1, 2, 3, 0, 1, 2, 3, 5, 5, 5, 5, 5, 5, 5, 5, 1};
  const std::vector<uint8_t> one = exercise(module, words, 1).edges;
  for (uint32_t threads : {2u, 3u, 8u}) EXPECT_EQ(exercise(module, words, threads).edges, one);
}

TEST(Coverage, OfWhatDidNotEndIsNone) {
  test::Interpreted one;
  one.buffers = {std::vector<uint32_t>(64)};
  one.options.stepLimit = 1000;
  ASSERT_TRUE(
      one.run(test::compileGlsl(kHead + "void main() { while (a[0] == 0u) a[1] = 2u; }\n")));
  EXPECT_FALSE(one.result.ended);
  EXPECT_TRUE(one.result.edges.empty());
}

TEST(Coverage, BeyondIsWhatTheOriginalRan) {
  const ShaderCoverage all = coverageOfMain("if (v == 9u)\n  a[8] = 1u;\n", {9});
  const ShaderCoverage part = coverageOfMain("if (v == 9u)\n  a[8] = 1u;\n");
  EXPECT_EQ(describeBeyond({{all}}, {{part}}),
            std::vector<std::string>{"test.comp line 6, which the original executes"});
  EXPECT_TRUE(describeBeyond({{part}}, {{part}}).empty());
  EXPECT_TRUE(describeBeyond({{part}}, {{all}}).empty());
  ShaderCoverage noLines = part;
  noLines.notRunLines.clear();
  ASSERT_EQ(describeBeyond({{all}}, {{noLines}}).size(), 1u);
  EXPECT_NE(describeBeyond({{all}}, {{noLines}})[0].find("1 of 3 blocks"), std::string::npos);
}

} // namespace
} // namespace lanewise::driver
