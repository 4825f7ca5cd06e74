// Which accesses tell others of something, and how far.
#include "analysis/barriers/memory_effects.h"
#include "analysis/module/barriers.h"
#include "subject.h"

#include <gtest/gtest.h>

namespace lanewise::test {
namespace {

/// Buffers %30 and %31 (struct { u32; u32[4] } %20 and %21), images %32, shared memory %33; a
/// pointer to a u32 in a buffer has the type %16, to an array %17. Scopes: %6 CrossDevice (0),
/// %10 workgroup (2), %11 subgroup (3), %12 device (1), %13 is specialization-sized.
std::string module(bool isVulkan, const std::string& decorations, const std::string& body,
                   const std::string& functions = {}) {
  const std::string capabilities =
      isVulkan ? "OpCapability VulkanMemoryModel\nOpCapability VulkanMemoryModelDeviceScope\n" : "";
  return "OpCapability Shader\nOpCapability StorageImageExtendedFormats\n" + capabilities +
         "OpMemoryModel Logical " + (isVulkan ? "Vulkan" : "GLSL450") +
         "\nOpEntryPoint GLCompute %90 \"main\"\nOpExecutionMode %90 LocalSize 8 1 1\n"
         "OpDecorate %20 Block\nOpMemberDecorate %20 0 Offset 0\nOpMemberDecorate %20 1 Offset 16\n"
         "OpDecorate %21 Block\nOpMemberDecorate %21 0 Offset 0\nOpMemberDecorate %21 1 Offset 16\n"
         "OpDecorate %19 ArrayStride 4\nOpDecorate %13 SpecId 0\n" +
         decorations +
         "%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%5 = OpTypeInt 32 0\n%6 = OpConstant %5 0\n"
         "%7 = OpConstant %5 4\n%8 = OpTypeVector %5 4\n%9 = OpConstantComposite %8 %6 %6 %6 %6\n"
         "%10 = OpConstant %5 2\n%11 = OpConstant %5 3\n%12 = OpConstant %5 1\n"
         "%13 = OpSpecConstant %5 1\n%16 = OpTypePointer StorageBuffer %5\n"
         "%19 = OpTypeArray %5 %7\n%17 = OpTypePointer StorageBuffer %19\n"
         "%20 = OpTypeStruct %5 %19\n%21 = OpTypeStruct %5 %19\n"
         "%22 = OpTypePointer StorageBuffer %20\n%23 = OpTypePointer StorageBuffer %21\n"
         "%24 = OpTypeImage %5 2D 0 0 0 2 R32ui\n%25 = OpTypePointer UniformConstant %24\n"
         "%26 = OpTypeVector %5 2\n%27 = OpConstantComposite %26 %6 %6\n"
         "%28 = OpTypePointer Workgroup %5\n%29 = OpTypeFunction %5 %16\n"
         "%30 = OpVariable %22 StorageBuffer\n%31 = OpVariable %23 StorageBuffer\n"
         "%32 = OpVariable %25 UniformConstant\n%33 = OpVariable %28 Workgroup\n"
         "%90 = OpFunction %1 None %2\n%91 = OpLabel\n" +
         body + "OpReturn\nOpFunctionEnd\n" + functions;
}

/// The reach of the first access.
int reachOf(bool isVulkan, const std::string& decorations, const std::string& body,
            const std::string& functions = {}) {
  Subject s(module(isVulkan, decorations, body, functions));
  MemoryEffects effects(s.analyses());
  EXPECT_FALSE(effects.all().empty());
  return effects.all().empty() ? -1 : effects.all()[0].signalReach;
}

constexpr int kDeviceRank = 4;

// In memory models other than Vulkan, decorations say it.

const std::string kLoadMember = "%50 = OpAccessChain %16 %30 %6\n%51 = OpLoad %5 %50\n";
const std::string kLoadArray = "%50 = OpAccessChain %17 %30 %12\n%51 = OpLoad %19 %50\n";
const std::string kWriteTexel = "%50 = OpLoad %24 %32\nOpImageWrite %50 %27 %9\n";

TEST(MemorySignals, PlainAccessesAreNone) {
  EXPECT_EQ(reachOf(false, "", kLoadMember), 0);
  EXPECT_EQ(reachOf(false, "", kWriteTexel), 0);
  EXPECT_EQ(reachOf(false, "OpDecorate %31 Coherent\n", kLoadMember), 0) << "another buffer";
}

TEST(MemorySignals, DecoratedVariablesAndMembers) {
  EXPECT_EQ(reachOf(false, "OpDecorate %30 Coherent\n", kLoadMember), kWidestRank);
  EXPECT_EQ(reachOf(false, "OpDecorate %32 Volatile\n", kWriteTexel), kWidestRank);
  EXPECT_EQ(reachOf(false, "OpMemberDecorate %20 0 Volatile\n", kLoadMember), kWidestRank);
  EXPECT_EQ(reachOf(false, "OpMemberDecorate %20 1 Volatile\n", kLoadMember), 0);
  EXPECT_EQ(reachOf(false, "OpMemberDecorate %20 1 Coherent\n", kLoadArray), kWidestRank);
  EXPECT_EQ(reachOf(false, "OpMemberDecorate %20 1 Coherent\n", "%51 = OpLoad %20 %30\n"),
            kWidestRank)
      << "a whole block with a coherent member";
}

TEST(MemorySignals, WhatIsNotFollowedMayBeDecorated) {
  // Two calls: the parameter may be either buffer.
  const std::string calls = "%52 = OpAccessChain %16 %30 %6\n%53 = OpAccessChain %16 %31 %6\n"
                            "%54 = OpFunctionCall %5 %80 %52\n%55 = OpFunctionCall %5 %80 %53\n";
  const std::string callee = "%80 = OpFunction %5 None %29\n%81 = OpFunctionParameter %16\n"
                             "%82 = OpLabel\n%83 = OpLoad %5 %81\nOpReturnValue %83\n"
                             "OpFunctionEnd\n";
  EXPECT_EQ(reachOf(false, "", calls, callee), 0);
  EXPECT_EQ(reachOf(false, "OpDecorate %31 Coherent\n", calls, callee), kWidestRank);
  const std::string call = "%52 = OpAccessChain %16 %30 %6\n%54 = OpFunctionCall %5 %80 %52\n";
  EXPECT_EQ(reachOf(false, "OpDecorate %31 Coherent\n", call, callee), 0) << "only %30";
  EXPECT_EQ(reachOf(false, "OpDecorate %81 Coherent\n", call, callee), kWidestRank);
}

// In the Vulkan memory model, and for Volatile in any, operands say it.

std::string load(const std::string& operands) {
  return "%50 = OpAccessChain %16 %30 %6\n%51 = OpLoad %5 %50 " + operands + "\n";
}
std::string writeTexel(const std::string& operands) {
  return "%50 = OpLoad %24 %32\nOpImageWrite %50 %27 %9 " + operands + "\n";
}
std::string readTexel(const std::string& operands) {
  return "%50 = OpLoad %24 %32\n%51 = OpImageRead %8 %50 %27 " + operands + "\n";
}

TEST(MemorySignals, NonPrivateAsFarAsItIsMadeVisible) {
  EXPECT_EQ(reachOf(true, "", load("")), 0);
  EXPECT_EQ(reachOf(true, "", load("Aligned 4")), 0);
  EXPECT_EQ(reachOf(true, "", load("NonPrivatePointer")), kWidestRank);
  EXPECT_EQ(reachOf(true, "", load("Aligned|MakePointerVisible|NonPrivatePointer 4 %10")),
            kWorkgroupRank);
  EXPECT_EQ(reachOf(true, "", load("MakePointerVisible|NonPrivatePointer %12")), kDeviceRank);
  EXPECT_EQ(reachOf(true, "", load("MakePointerVisible|NonPrivatePointer %7")), kSubgroupRank)
      << "of its own invocation, and yet not private";
  EXPECT_EQ(reachOf(true, "", load("MakePointerVisible|NonPrivatePointer %13")), kWidestRank)
      << "a scope that is not known";
  EXPECT_EQ(reachOf(false, "", load("Volatile")), kWidestRank);
}

TEST(MemorySignals, CopiesHaveTwoSetsOfOperands) {
  const std::string copy = "%50 = OpAccessChain %16 %30 %6\n%51 = OpAccessChain %16 %31 %6\n"
                           "OpCopyMemory %50 %51 ";
  EXPECT_EQ(reachOf(true, "", copy + "None None\n"), 0);
  EXPECT_EQ(reachOf(true, "", copy + "None MakePointerVisible|NonPrivatePointer %12\n"),
            kDeviceRank);
}

TEST(MemorySignals, Texels) {
  EXPECT_EQ(reachOf(true, "", writeTexel("")), 0);
  EXPECT_EQ(reachOf(true, "", writeTexel("NonPrivateTexel")), kWidestRank);
  EXPECT_EQ(reachOf(true, "", writeTexel("MakeTexelAvailable|NonPrivateTexel %10")),
            kWorkgroupRank);
  EXPECT_EQ(reachOf(true, "", readTexel("MakeTexelVisible|NonPrivateTexel %12")), kDeviceRank);
  EXPECT_EQ(reachOf(true, "", readTexel("MakeTexelVisible|NonPrivateTexel %7")), kSubgroupRank);
  EXPECT_EQ(reachOf(true, "", readTexel("ConstOffset|MakeTexelVisible|NonPrivateTexel %27 %10")),
            kWorkgroupRank);
  EXPECT_EQ(reachOf(true, "", readTexel("VolatileTexel")), kWidestRank);
}

TEST(MemorySignals, OtherInstructionsMayBeNonPrivate) {
  const std::string matrix = "OpCapability CooperativeMatrixNV\n"
                             "OpExtension \"SPV_NV_cooperative_matrix\"\n";
  auto load = [&](bool isVulkan) {
    std::string text = module(isVulkan, "",
                              "%50 = OpAccessChain %16 %30 %12 %6\n"
                              "%51 = OpCooperativeMatrixLoadNV %70 %50 %7 %71\n");
    text.insert(text.find("OpMemoryModel"), matrix);
    text.insert(text.find("%90 = OpFunction"), "%72 = OpTypeBool\n%71 = OpConstantTrue %72\n"
                                               "%70 = OpTypeCooperativeMatrixNV %5 %11 %7 %7\n");
    Subject s(text);
    MemoryEffects effects(s.analyses());
    EXPECT_EQ(effects.all().size(), 1u);
    return effects.all().empty() ? -1 : effects.all()[0].signalReach;
  };
  EXPECT_EQ(load(false), 0);
  EXPECT_EQ(load(true), kWidestRank);
}

TEST(MemorySignals, AtomicsByTheirScope) {
  auto atomic = [](const std::string& scope) {
    return "%50 = OpAccessChain %16 %30 %6\n%51 = OpAtomicIAdd %5 %50 " + scope + " %6 %7\n";
  };
  EXPECT_EQ(reachOf(false, "", atomic("%10")), kWorkgroupRank);
  EXPECT_EQ(reachOf(false, "", atomic("%12")), kDeviceRank);
  EXPECT_EQ(reachOf(false, "", atomic("%13")), kWidestRank);
  EXPECT_EQ(reachOf(false, "OpDecorate %30 Coherent\n", atomic("%10")), kWorkgroupRank)
      << "an atomic says itself how far it reaches";
  EXPECT_EQ(reachOf(false, "", "OpAtomicStore %33 %12 %6 %7\n"), kWorkgroupRank)
      << "shared memory is nowhere else";
  EXPECT_EQ(reachOf(false, "", "OpAtomicStore %33 %11 %6 %7\n"), kSubgroupRank);
}

} // namespace
} // namespace lanewise::test
