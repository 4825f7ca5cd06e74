#include "analysis/control_flow/loops.h"
#include "analysis/shared_memory/access_pattern.h"
#include "analysis/shared_memory/shared_layout.h"
#include "analysis/shared_memory/shared_variables.h"
#include "analysis/values/lane_values.h"
#include "assemble.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

/// A compute shader of 32 by 8 invocations; `body` stands in main, behind %x and %y.
std::vector<uint32_t> shader(const std::string& body, const std::string& variables = "") {
  return test::assemble(R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %lid
               OpExecutionMode %main LocalSize 32 8 1
               OpDecorate %lid BuiltIn LocalInvocationId
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
    %v2float = OpTypeVector %float 2
     %v3uint = OpTypeVector %uint 3
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %u4 = OpConstant %uint 4
        %u8 = OpConstant %uint 8
       %u16 = OpConstant %uint 16
       %u32 = OpConstant %uint 32
        %f0 = OpConstant %float 0
        %row = OpTypeArray %float %u32
      %array = OpTypeArray %row %u16
    %p_array = OpTypePointer Workgroup %array
      %p_row = OpTypePointer Workgroup %row
       %p_wg = OpTypePointer Workgroup %float
     %struct = OpTypeStruct %uint %v2float
    %structs = OpTypeArray %struct %u8
  %p_structs = OpTypePointer Workgroup %structs
   %p_scalar = OpTypePointer Workgroup %float
       %p_in = OpTypePointer Input %v3uint
        %lid = OpVariable %p_in Input
       %tile = OpVariable %p_array Workgroup
    %records = OpVariable %p_structs Workgroup
     %single = OpVariable %p_wg Workgroup
)" + variables + R"(
       %main = OpFunction %void None %fn
      %entry = OpLabel
         %id = OpLoad %v3uint %lid
          %x = OpCompositeExtract %uint %id 0
          %y = OpCompositeExtract %uint %id 1
)" + body + R"(
               OpReturn
               OpFunctionEnd
)");
}

struct Collected {
  Module module;
  Assumptions assumptions;
  TargetProfile target;
  std::unique_ptr<Analyses> analyses;
  std::vector<SharedVariable> arrays;

  explicit Collected(std::vector<uint32_t> words)
      : module(std::move(Module::read(std::move(words)).value())) {
    analyses = std::make_unique<Analyses>(module, assumptions);
    arrays = collectSharedVariables(*analyses, target);
  }
  AccessCost cost(size_t array, size_t access) {
    Affine affine(*analyses, std::array<uint32_t, 3>{32, 8, 1});
    LaneValues values(affine, {32, 8, 1}, target.subgroupSize);
    auto pattern = AccessPattern::build(*analyses, affine, values, arrays[array],
                                        arrays[array].accesses[access], target);
    EXPECT_TRUE(pattern.has_value());
    return pattern ? pattern->cost(target, addressForm(arrays[array], SharedLayout(arrays[array]),
                                                       arrays[array].accesses[access].node))
                   : AccessCost{};
  }
};

TEST(SharedVariables, FindsArraysAndNotScalars) {
  Collected c(shader(""));
  ASSERT_EQ(c.arrays.size(), 2u);
  const SharedLayout tile(c.arrays[0]), records(c.arrays[1]);
  EXPECT_EQ(tile.extents, (std::vector<uint64_t>{16, 32, 0}));
  const AddressForm form = addressForm(c.arrays[0], tile, 2);
  ASSERT_EQ(form.parts.size(), 2u);
  EXPECT_EQ(form.parts[0].bytes, 128u);
  EXPECT_EQ(form.parts[1].bytes, 4u);
  EXPECT_EQ(records.extents[0], 8u);
  EXPECT_EQ(records.sizes[1].size, 16u); // uint, 4 bytes of padding, vec2 aligned to 8
}

TEST(SharedVariables, FollowsChainsOfChains) {
  Collected c(shader(R"(
     %r = OpAccessChain %p_row %tile %y
     %e = OpAccessChain %p_wg %r %x
          OpStore %e %f0
)"));
  const SharedVariable& tile = c.arrays[0];
  ASSERT_EQ(tile.accesses.size(), 1u);
  EXPECT_EQ(tile.accesses[0].indices.size(), 2u);
  EXPECT_EQ(tile.accesses[0].bytes, 4u);
  ASSERT_EQ(tile.chains.size(), 2u);
  EXPECT_EQ(tile.chains[0].node, 1u);
  EXPECT_EQ(tile.chains[1].node, 2u);
  EXPECT_EQ(tile.chains[1].steps.size(), 2u);
  EXPECT_TRUE(tile.obstacles.empty());
}

TEST(SharedVariables, KnowsThePlaceInsideAnElement) {
  Collected c(shader(R"(
     %e = OpAccessChain %p_wg %records %x %u1 %u1
          OpStore %e %f0
     %d = OpAccessChain %p_wg %records %u0 %u1 %y
          OpStore %d %f0
)"));
  const SharedVariable& records = c.arrays[1];
  ASSERT_EQ(records.accesses.size(), 2u);
  EXPECT_EQ(records.accesses[0].node, 3u); // behind the struct and its first member
  EXPECT_EQ(records.accesses[0].offset, 4u);
  EXPECT_TRUE(records.accesses[0].dynamicOffsets.empty());
  EXPECT_EQ(records.accesses[1].offset, 0u);
  ASSERT_EQ(records.accesses[1].dynamicOffsets.size(), 1u);
  EXPECT_EQ(records.accesses[1].dynamicOffsets[0].second, 4u);
}

TEST(SharedVariables, NamesWhatItDoesNotSeeThrough) {
  Collected c(shader(R"(
     %r = OpAccessChain %p_row %tile %y
     %v = OpLoad %row %r
)"));
  ASSERT_EQ(c.arrays[0].obstacles.size(), 1u);
  EXPECT_EQ(c.arrays[0].obstacles[0].name, "whole-array-load");
  EXPECT_TRUE(c.arrays[0].accesses.empty());
}

// What may do anything is no atomic: this one goes on from the element that it is given.
TEST(SharedVariables, NamesWhatNobodyHasRead) {
  Collected c(shader(R"(
     %e = OpAccessChain %p_wg %tile %y %x
%event = OpGroupAsyncCopy %ev %u2 %e %single %u4 %u1 %null
)",
                     R"(
        %u2 = OpConstant %uint 2
        %ev = OpTypeEvent
      %null = OpConstantNull %ev
)"));
  ASSERT_EQ(c.arrays[0].obstacles.size(), 1u);
  EXPECT_EQ(c.arrays[0].obstacles[0].name, "unsupported-use");
  EXPECT_TRUE(c.arrays[0].accesses.empty());
}

TEST(SharedVariables, CountsRowsAndColumns) {
  Collected c(shader(R"(
     %a = OpAccessChain %p_wg %tile %y %x
          OpStore %a %f0
     %x16 = OpUMod %uint %x %u16
     %b = OpAccessChain %p_wg %tile %x16 %y
          OpStore %b %f0
     %d = OpAccessChain %p_wg %tile %y %u4
          OpStore %d %f0
)"));
  EXPECT_EQ(c.cost(0, 0).degree, 1u);
  EXPECT_EQ(c.cost(0, 1).degree, 16u); // 32 lanes, two on each word
  EXPECT_EQ(c.cost(0, 2).degree, 1u);  // all on one word
}

TEST(SharedVariables, CountsNoLongerThanIsAsked) {
  Collected c(shader(R"(
          %p = OpAccessChain %p_wg %tile %y %x
               OpStore %p %f0
)"));
  Affine affine(*c.analyses, std::array<uint32_t, 3>{32, 8, 1});
  LaneValues values(affine, {32, 8, 1}, c.target.subgroupSize);
  const SharedVariable& tile = c.arrays[0];
  const auto pattern =
      AccessPattern::build(*c.analyses, affine, values, tile, tile.accesses[0], c.target);
  ASSERT_TRUE(pattern);
  AddressForm form = addressForm(tile, SharedLayout(tile), tile.accesses[0].node);
  for (const bool isLinear : {true, false}) {
    form.isLinear = isLinear;
    const AccessCost all = pattern->cost(c.target, form);
    double least = -1;
    const auto never = [&](double cycles) {
      EXPECT_GE(cycles, least);
      EXPECT_LE(cycles, all.cycles);
      least = cycles;
      return false;
    };
    EXPECT_EQ(pattern->cost(c.target, form, never).cycles, all.cycles);
    const AccessCost some = pattern->cost(c.target, form, [](double) { return true; });
    EXPECT_GT(some.cycles, 0);
    EXPECT_LE(some.cycles, all.cycles);
  }
}

TEST(SharedVariables, MasksLanesByConditions) {
  Collected c(shader(R"(
     %is = OpULessThan %bool %x %u4
           OpSelectionMerge %end None
           OpBranchConditional %is %then %end
   %then = OpLabel
      %a = OpAccessChain %p_wg %tile %x %y
           OpStore %a %f0
           OpBranch %end
    %end = OpLabel
)"));
  EXPECT_EQ(c.cost(0, 0).degree, 4u);
}

TEST(SharedVariables, WeighsLoopsByTheirTripCount) {
  Collected c(shader(R"(
           OpBranch %head
   %head = OpLabel
      %i = OpPhi %uint %u0 %entry %next %latch
     %is = OpULessThan %bool %i %u16
           OpLoopMerge %end %latch None
           OpBranchConditional %is %body %end
   %body = OpLabel
      %a = OpAccessChain %p_wg %tile %i %x
           OpStore %a %f0
           OpBranch %latch
  %latch = OpLabel
   %next = OpIAdd %uint %i %u1
           OpBranch %head
    %end = OpLabel
)"));
  ASSERT_EQ(c.arrays[0].accesses.size(), 1u);
  EXPECT_EQ(
      blockFrequency(c.analyses->get<Loops>(), c.module.blockOf(c.arrays[0].accesses[0].inst)),
      16.0);
  EXPECT_EQ(c.cost(0, 0).degree, 1u);
}

TEST(SharedVariables, HasNoPatternForIndicesFromMemory) {
  Collected c(shader(R"(
     %s = OpLoad %float %single
     %n = OpConvertFToU %uint %s
     %a = OpAccessChain %p_wg %tile %u0 %n
          OpStore %a %f0
)"));
  Affine affine(*c.analyses, std::array<uint32_t, 3>{32, 8, 1});
  LaneValues values(affine, {32, 8, 1}, c.target.subgroupSize);
  EXPECT_FALSE(AccessPattern::build(*c.analyses, affine, values, c.arrays[0],
                                    c.arrays[0].accesses[0], c.target));
}

TEST(SharedVariables, SumsTheMemoryOfAnEntryPoint) {
  Collected c(shader(R"(
     %a = OpAccessChain %p_wg %tile %y %x
          OpStore %a %f0
          OpStore %single %f0
)"));
  const EntryPoint& entry = c.analyses->get<EntryPoints>().all()[0];
  EXPECT_EQ(sharedMemoryBytes(*c.analyses, entry, c.target), 16u * 32 * 4 + 4);
}

} // namespace
} // namespace lanewise
