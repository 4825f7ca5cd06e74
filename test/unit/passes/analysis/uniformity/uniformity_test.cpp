// Over which invocations values and blocks are uniform, and what proves that they are not.
#include "analysis/branches/divergence.h"
#include "analysis/uniformity/uniformity.h"
#include "subject.h"

#include <gtest/gtest.h>

namespace lanewise::test {
namespace {

/// Built-in inputs %20 local id, %21 workgroup id, %22 subgroup id, %23 workgroup counts, %24 the
/// lane in its subgroup; %30 a shared uint, %31 a buffer of uints.
constexpr const char* kHead =
    "OpCapability Shader\nOpCapability GroupNonUniformBallot\n"
    "OpCapability GroupNonUniformArithmetic\nOpMemoryModel Logical GLSL450\n"
    "OpEntryPoint GLCompute %90 \"main\" %20 %21 %22 %23 %24 %30 %31\n"
    "OpExecutionMode %90 LocalSize 64 1 1\n"
    "OpDecorate %20 BuiltIn LocalInvocationId\nOpDecorate %21 BuiltIn WorkgroupId\n"
    "OpDecorate %22 BuiltIn SubgroupId\nOpDecorate %23 BuiltIn NumWorkgroups\n"
    "OpDecorate %24 BuiltIn SubgroupLocalInvocationId\n"
    "OpDecorate %13 Block\nOpMemberDecorate %13 0 Offset 0\n"
    "OpDecorate %31 DescriptorSet 0\nOpDecorate %31 Binding 0\n"
    "%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpTypeBool\n%4 = OpTypeVector %5 3\n"
    "%6 = OpConstant %5 0\n%7 = OpConstant %5 1\n%8 = OpConstant %5 32\n%9 = OpConstant %5 2\n"
    "%10 = OpConstant %5 3\n%11 = OpConstant %5 264\n"
    "%12 = OpTypePointer Input %4\n%13 = OpTypeStruct %5\n%14 = OpTypePointer StorageBuffer %13\n"
    "%15 = OpTypePointer StorageBuffer %5\n%16 = OpTypePointer Input %5\n"
    "%17 = OpTypePointer Workgroup %5\n%18 = OpTypeVector %5 4\n%19 = OpConstantTrue %3\n"
    "%20 = OpVariable %12 Input\n%21 = OpVariable %12 Input\n%22 = OpVariable %16 Input\n"
    "%23 = OpVariable %12 Input\n%24 = OpVariable %16 Input\n%30 = OpVariable %17 Workgroup\n"
    "%31 = OpVariable %14 StorageBuffer\n";

std::string moduleOf(std::string_view body, std::string_view functions = "") {
  // The integer type goes before the vectors of it.
  std::string head(kHead);
  head.insert(head.find("%1 = OpTypeVoid"), "%5 = OpTypeInt 32 0\n");
  return head + std::string(functions) + "%90 = OpFunction %1 None %2\n%91 = OpLabel\n" +
         "%40 = OpLoad %4 %20\n%41 = OpCompositeExtract %5 %40 0\n%42 = OpLoad %4 %21\n"
         "%43 = OpCompositeExtract %5 %42 0\n%44 = OpLoad %5 %22\n%45 = OpLoad %4 %23\n"
         "%46 = OpCompositeExtract %5 %45 0\n" +
         std::string(body) + "OpFunctionEnd\n";
}

UniformScope scopeOf(Subject& s, uint32_t id) {
  return uniformScopeOf(s.analyses(), Id(id));
}

TEST(Uniformity, BuiltInsHaveTheirScope) {
  Subject s(moduleOf("%50 = OpIAdd %5 %43 %46\n%51 = OpIAdd %5 %44 %43\nOpReturn\n"));
  EXPECT_EQ(scopeOf(s, 41), UniformScope::Divergent);
  EXPECT_EQ(scopeOf(s, 43), UniformScope::Workgroup);
  EXPECT_EQ(scopeOf(s, 44), UniformScope::Subgroup);
  EXPECT_EQ(scopeOf(s, 46), UniformScope::Dispatch);
  EXPECT_EQ(scopeOf(s, 50), UniformScope::Workgroup);
  EXPECT_EQ(scopeOf(s, 51), UniformScope::Subgroup);
}

TEST(Uniformity, SubgroupOperationsShareTheirResultWhereTheSubgroupIsTogether) {
  Subject s(moduleOf("%50 = OpGroupNonUniformIAdd %5 %10 Reduce %41\n"
                     "%51 = OpGroupNonUniformIAdd %5 %10 InclusiveScan %41\n"
                     "%52 = OpGroupNonUniformBroadcastFirst %5 %10 %41\n"
                     "%53 = OpULessThan %3 %41 %8\n"
                     "OpSelectionMerge %101 None\nOpBranchConditional %53 %100 %101\n"
                     "%100 = OpLabel\n%54 = OpGroupNonUniformIAdd %5 %10 Reduce %41\n"
                     "OpBranch %101\n%101 = OpLabel\nOpReturn\n"));
  EXPECT_EQ(scopeOf(s, 50), UniformScope::Subgroup);
  EXPECT_EQ(scopeOf(s, 51), UniformScope::Divergent);
  EXPECT_EQ(scopeOf(s, 52), UniformScope::Subgroup);
  EXPECT_EQ(scopeOf(s, 54), UniformScope::Divergent) << "only some lanes may be together";
}

TEST(Uniformity, BlocksBehindADivergentBranch) {
  Subject s(moduleOf("%50 = OpULessThan %3 %41 %8\nOpSelectionMerge %102 None\n"
                     "OpBranchConditional %50 %100 %101\n%100 = OpLabel\nOpBranch %102\n"
                     "%101 = OpLabel\nOpBranch %102\n%102 = OpLabel\n"
                     "%51 = OpULessThan %3 %43 %8\nOpSelectionMerge %104 None\n"
                     "OpBranchConditional %51 %103 %104\n%103 = OpLabel\nOpBranch %104\n"
                     "%104 = OpLabel\nOpReturn\n"));
  const Uniformity& u = uniformityOf(s.analyses());
  EXPECT_FALSE(u.isUniform(s.block(100)));
  EXPECT_FALSE(u.isUniform(s.block(101)));
  EXPECT_EQ(u.divergenceOf(s.block(101)), s.block(91));
  EXPECT_TRUE(u.isUniform(s.block(102))) << "all meet again";
  EXPECT_TRUE(u.isUniform(s.block(103))) << "the workgroup id is one for all";
  EXPECT_EQ(uniformScopeOf(s.analyses(), s.block(103)), UniformScope::Workgroup);
  EXPECT_EQ(uniformScopeOf(s.analyses(), s.block(100)), UniformScope::Divergent);
}

TEST(Uniformity, NobodyMeetsBehindAnEarlyReturn) {
  Subject s(moduleOf("%50 = OpULessThan %3 %41 %8\nOpSelectionMerge %101 None\n"
                     "OpBranchConditional %50 %100 %101\n%100 = OpLabel\nOpReturn\n"
                     "%101 = OpLabel\nOpBranch %102\n%102 = OpLabel\nOpReturn\n"));
  EXPECT_FALSE(uniformityOf(s.analyses()).isUniform(s.block(101)));
  EXPECT_FALSE(uniformityOf(s.analyses()).isUniform(s.block(102)));
}

TEST(Uniformity, FunctionsAreAsUniformAsTheirCalls) {
  const char* functions = "%60 = OpFunction %1 None %2\n%61 = OpLabel\nOpReturn\nOpFunctionEnd\n"
                          "%62 = OpFunction %1 None %2\n%63 = OpLabel\nOpReturn\nOpFunctionEnd\n";
  Subject s(moduleOf("%50 = OpFunctionCall %1 %60\n%51 = OpULessThan %3 %41 %8\n"
                     "OpSelectionMerge %101 None\nOpBranchConditional %51 %100 %101\n"
                     "%100 = OpLabel\n%52 = OpFunctionCall %1 %62\nOpBranch %101\n"
                     "%101 = OpLabel\nOpReturn\n",
                     functions));
  EXPECT_TRUE(uniformityOf(s.analyses()).isUniform(s.block(61)));
  EXPECT_FALSE(uniformityOf(s.analyses()).isUniform(s.block(63)));
}

TEST(Uniformity, SharedMemoryIsUniformOnlyBetweenBarriersThatKeepWritesAway) {
  const std::string write = "OpStore %30 %41\n", barrier = "OpControlBarrier %9 %9 %11\n";
  Subject kept(moduleOf(write + barrier + "%50 = OpLoad %5 %30\nOpReturn\n"));
  EXPECT_EQ(scopeOf(kept, 50), UniformScope::Workgroup);
  Subject before(moduleOf(write + "%50 = OpLoad %5 %30\n" + barrier + "OpReturn\n"));
  EXPECT_EQ(scopeOf(before, 50), UniformScope::Divergent);
  Subject behind(moduleOf(write + barrier + "%50 = OpLoad %5 %30\n" + write + "OpReturn\n"));
  EXPECT_EQ(scopeOf(behind, 50), UniformScope::Divergent);
  Subject again(
      moduleOf(write + barrier + "%50 = OpLoad %5 %30\n" + barrier + write + "OpReturn\n"));
  EXPECT_EQ(scopeOf(again, 50), UniformScope::Workgroup);
  // 8: a barrier that acquires and releases no memory.
  Subject weak(moduleOf(write + "OpControlBarrier %9 %9 %6\n%50 = OpLoad %5 %30\nOpReturn\n"));
  EXPECT_EQ(scopeOf(weak, 50), UniformScope::Divergent);
  Subject unwritten(moduleOf("%50 = OpLoad %5 %30\nOpReturn\n"));
  EXPECT_EQ(scopeOf(unwritten, 50), UniformScope::Divergent) << "what nobody wrote is undefined";
}

TEST(Uniformity, SharedMemoryIsFollowedOverAllBlocks) {
  const std::string write = "OpStore %30 %41\n", barrier = "OpControlBarrier %9 %9 %11\n",
                    load = "%50 = OpLoad %5 %30\n";
  // Only what stands behind the last barrier of a block comes out of it, and only what stands ahead
  // of its first one is met by those who come.
  const auto blocks = [&](const std::string& first, const std::string& second,
                          const std::string& third) {
    return moduleOf(first + "OpBranch %100\n%100 = OpLabel\n" + second +
                    "OpBranch %101\n%101 = OpLabel\n" + third + "OpReturn\n");
  };
  const auto scope = [](const std::string& text) {
    Subject s(text);
    return scopeOf(s, 50);
  };
  EXPECT_EQ(scope(blocks(write + barrier, load, barrier + write)), UniformScope::Workgroup);
  EXPECT_EQ(scope(blocks(write + barrier + write, load, barrier)), UniformScope::Divergent);
  EXPECT_EQ(scope(blocks(write + barrier, load, write + barrier)), UniformScope::Divergent);
  EXPECT_EQ(scope(blocks(write, barrier + load + barrier, write)), UniformScope::Workgroup);
  EXPECT_EQ(scope(blocks(barrier + write + barrier, load, barrier + write + barrier)),
            UniformScope::Workgroup);
  // Round a loop, the write of the last iteration comes before the load of the next one.
  const auto loop = [&](const std::string& body) {
    return moduleOf(write + barrier + "OpBranch %100\n%100 = OpLabel\n" + load +
                    "OpLoopMerge %103 %102 None\nOpBranchConditional %19 %101 %103\n"
                    "%101 = OpLabel\n" +
                    body +
                    "OpBranch %102\n%102 = OpLabel\nOpBranch %100\n%103 = OpLabel\nOpReturn\n");
  };
  EXPECT_EQ(scope(loop(barrier + write + barrier)), UniformScope::Workgroup);
  EXPECT_EQ(scope(loop(barrier + write)), UniformScope::Divergent);
  EXPECT_EQ(scope(loop(write + barrier)), UniformScope::Divergent);
}

TEST(Uniformity, AtomicsAndFencesMayHandSharedMemoryOn) {
  const std::string text = "OpStore %30 %41\nOpControlBarrier %9 %9 %11\n%50 = OpLoad %5 %30\n"
                           "OpControlBarrier %9 %9 %11\n%51 = OpAtomicIAdd %5 %30 %9 %6 %7\n";
  Subject relaxed(moduleOf(text + "OpReturn\n"));
  EXPECT_EQ(scopeOf(relaxed, 50), UniformScope::Workgroup);
  Subject fenced(moduleOf(text + "OpMemoryBarrier %9 %11\nOpReturn\n"));
  EXPECT_EQ(scopeOf(fenced, 50), UniformScope::Divergent);
}

TEST(Divergence, IsProvedWhereInvocationsOfOneWorkgroupDisagree) {
  Subject s(moduleOf("%47 = OpAccessChain %15 %31 %6\n%48 = OpLoad %5 %47\n"
                     "%50 = OpULessThan %3 %41 %8\n"
                     "%51 = OpULessThan %3 %43 %8\n"
                     "%52 = OpULessThan %3 %41 %48\n"
                     "%53 = OpIAdd %5 %43 %41\n%54 = OpULessThan %3 %53 %8\n"
                     "%55 = OpUGreaterThanEqual %3 %41 %6\nOpReturn\n"));
  const EntryPoint& entry = s.analyses().get<EntryPoints>().all()[0];
  Affine affine(s.analyses(), entry.workgroupSize->size);
  EXPECT_TRUE(isProvedDivergent(affine, entry, Id(50)));
  EXPECT_FALSE(isProvedDivergent(affine, entry, Id(51))) << "uniform";
  EXPECT_FALSE(isProvedDivergent(affine, entry, Id(52))) << "depends on data";
  EXPECT_TRUE(isProvedDivergent(affine, entry, Id(54))) << "in the first workgroup";
  EXPECT_FALSE(isProvedDivergent(affine, entry, Id(55))) << "always true";
}

} // namespace
} // namespace lanewise::test
