// What analyses make of opcodes that nobody has read, of cooperative matrices, of pointers without
// a type and of floats in encodings of their own.
#include "analysis/barriers/memory_effects.h"
#include "analysis/branches/speculation.h"
#include "analysis/buffers/buffer_uses.h"
#include "analysis/module/indirect_calls.h"
#include "analysis/module/types.h"
#include "analysis/shared_memory/matrix_conflicts.h"
#include "analysis/uniformity/uniformity.h"
#include "analysis/values/data_dependence.h"
#include "analysis/values/index_bounds.h"
#include "lint/lint.h"
#include "newer_modules.h"

#include <gtest/gtest.h>

namespace lanewise::test {
namespace {

/// %20 a shared array, %21 a shared variable and %22 a buffer without types, %23 a buffer that is
/// only read, at the same binding; the body stands in the only block of %90.
std::string newerShader(std::string_view body) {
  return R"(
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %90 "main" %20 %21 %22 %23
    OpExecutionMode %90 LocalSize 64 1 1
    OpDecorate %22 DescriptorSet 0
    OpDecorate %22 Binding 3
    OpDecorate %23 DescriptorSet 0
    OpDecorate %23 Binding 3
    OpDecorate %23 NonWritable
    OpDecorate %13 Block
    OpMemberDecorate %13 0 Offset 0
    OpDecorate %12 ArrayStride 16
    OpDecorate %11 Block
    OpMemberDecorate %11 0 Offset 0
    %1 = OpTypeVoid
    %2 = OpTypeFunction %1
    %3 = OpTypeInt 32 0
    %4 = OpTypeFloat 32
    %5 = OpTypeVector %4 4
    %6 = OpConstant %3 0
    %7 = OpConstant %3 64
    %8 = OpConstant %3 3
    %9 = OpConstant %3 8
    %10 = OpTypeCooperativeMatrixKHR %4 %8 %9 %9 %6
    %11 = OpTypeStruct %3
    %12 = OpTypeRuntimeArray %5
    %13 = OpTypeStruct %12
    %14 = OpTypeArray %4 %7
    %15 = OpTypePointer Workgroup %14
    %16 = OpTypePointer Workgroup %4
    %17 = OpTypeUntypedPointerKHR Workgroup
    %18 = OpTypeUntypedPointerKHR StorageBuffer
    %19 = OpTypePointer StorageBuffer %13
    %30 = OpTypePointer StorageBuffer %5
    %31 = OpTypeFloat 16 BFloat16KHR
    %32 = OpTypeFloat 8 Float8E4M3EXT
    %33 = OpTypeFloat 4 Float4E2M1EXT
    %34 = OpConstant %3 2
    %37 = OpConstant %3 1
    %38 = OpConstant %3 12
    %111 = OpTypeFunction %4 %3 %3 %4
    %110 = OpTypeFunction %1 %3
    %36 = OpTypeTensorLayoutNV %34 %6
    %35 = OpConstant %3 264
    %20 = OpVariable %15 Workgroup
    %21 = OpUntypedVariableKHR %17 Workgroup %5
    %22 = OpUntypedVariableKHR %18 StorageBuffer
    %23 = OpVariable %19 StorageBuffer
    %90 = OpFunction %1 None %2
    %91 = OpLabel
    %40 = OpAccessChain %16 %20 %6
  )" + std::string(body) +
         "OpReturn\nOpFunctionEnd\n";
}

std::vector<MemoryAccess> accessesOf(NewerSubject& s, InstRef inst) {
  const MemoryEffects effects(s.analyses());
  const auto all = effects.in({inst, InstRef(inst.value + 1)});
  return {all.begin(), all.end()};
}

TEST(NewerOpcodes, WhatNobodyHasReadTouchesEverything) {
  NewerSubject s(newerShader("%50 = OpArithmeticFenceEXT %4 %6\n"));
  const InstRef inst = s.module().def(Id(50));
  EXPECT_TRUE(s.module().isUnread(inst));
  const auto accesses = accessesOf(s, inst);
  ASSERT_EQ(accesses.size(), 3u); // each class of memory
  for (const MemoryAccess& a : accesses) {
    EXPECT_TRUE(a.isRead && a.isWrite);
    EXPECT_FALSE(a.variable);
  }
  EXPECT_EQ(uniformScopeOf(s.analyses(), Id(50)), UniformScope::Divergent);
}

TEST(NewerOpcodes, CooperativeMatricesReadAndWriteTheWholeVariable) {
  NewerSubject s(newerShader("%50 = OpCooperativeMatrixLoadKHR %10 %40 %6 %9\n"
                             "OpCooperativeMatrixStoreKHR %40 %50 %6 %9\n"));
  const InstRef load = s.module().def(Id(50));
  for (bool isStore : {false, true}) {
    const auto accesses = accessesOf(s, InstRef(load.value + isStore));
    ASSERT_EQ(accesses.size(), 1u);
    EXPECT_EQ(accesses[0].memory, MemoryClass::Workgroup);
    EXPECT_EQ(accesses[0].variable, Id(20));
    EXPECT_EQ(accesses[0].isWrite, isStore);
    EXPECT_TRUE(accesses[0].indices.empty()); // how far it goes is not followed
  }
  EXPECT_EQ(uniformScopeOf(s.analyses(), Id(50)), UniformScope::Divergent);
}

TEST(NewerOpcodes, CooperativeMatricesBelongToTheSubgroup) {
  NewerSubject s(newerShader("%50 = OpUndef %10\n%51 = OpFAdd %10 %50 %50\n"
                             "%52 = OpCompositeExtract %4 %51 0\n%53 = OpFAdd %4 %52 %52\n"
                             "%54 = OpCooperativeMatrixLengthKHR %3 %10\n"
                             "%55 = OpCompositeConstruct %10 %53\n"));
  auto isOfSubgroup = [&](uint32_t id) {
    return has(s.module().effects(s.module().def(Id(id))), Effect::Subgroup);
  };
  EXPECT_TRUE(isOfSubgroup(51));
  EXPECT_TRUE(isOfSubgroup(52));
  EXPECT_FALSE(isOfSubgroup(53)); // a number like any other
  EXPECT_FALSE(isOfSubgroup(54)); // asks the type
  EXPECT_TRUE(isOfSubgroup(55));  // of a number
  EXPECT_EQ(Speculation(s.analyses()).blockerOfMoving(s.module().def(Id(51))),
            SpeculationBlocker::SubgroupOperation);
}

TEST(NewerOpcodes, ALoadThatCallsAFunctionBackMayDoAnything) {
  auto isUnread = [](std::string_view operands) {
    NewerSubject s(newerShader("%50 = OpUndef %10\n%51 = OpCreateTensorLayoutNV %36\n%52 = "
                               "OpCooperativeMatrixLoadTensorNV %10 %40 %50 %51 None " +
                               std::string(operands) + "\n"));
    EXPECT_TRUE(has(s.module().effects(s.module().def(Id(52))), Effect::Subgroup));
    return s.module().isUnread(s.module().def(Id(52)));
  };
  EXPECT_FALSE(isUnread("None"));
  EXPECT_TRUE(isUnread("DecodeFunc %90"));
}

/// %90 runs `instruction`, which may name %80; %80 calls %70.
std::string callingBack(std::string_view instruction) {
  return newerShader("%50 = OpUndef %10\n%51 = OpCreateTensorLayoutNV %36\n" +
                     std::string(instruction) +
                     "OpReturn\nOpFunctionEnd\n"
                     "%80 = OpFunction %4 None %111\n%81 = OpFunctionParameter %3\n"
                     "%82 = OpFunctionParameter %3\n%83 = OpFunctionParameter %4\n"
                     "%84 = OpLabel\n%85 = OpFunctionCall %1 %70 %37\nOpReturnValue %83\n"
                     "OpFunctionEnd\n"
                     "%70 = OpFunction %1 None %110\n%71 = OpFunctionParameter %3\n"
                     "%72 = OpLabel\n");
}

/// Of the first parameter of %80 as an index into 8 elements.
IndexVerdict judgeArgument(NewerSubject& s) {
  const EntryPoint& entry = s.analyses().get<EntryPoints>().all()[0];
  Affine affine(s.analyses(), entry.workgroupSize->size);
  IndexBounds bounds(s.analyses(), affine, entry, 32);
  return bounds.judge(Id(81), 8, s.module().blockOfLabel(Id(84)));
}

TEST(NewerOpcodes, FunctionsThatAreCalledBackRunAnyhow) {
  for (const char* instruction :
       {"%52 = OpCooperativeMatrixPerElementOpNV %10 %50 %80\n",
        "%52 = OpCooperativeMatrixReduceNV %10 %50 Row %80\n",
        "%52 = OpCooperativeMatrixLoadTensorNV %10 %40 %50 %51 None DecodeFunc %80\n"}) {
    NewerSubject s(callingBack(instruction));
    for (uint32_t function : {80, 70}) {
      const FunctionRef f = s.module().functionOfId(Id(function));
      EXPECT_TRUE(s.analyses().get<IndirectCalls>().mayRun(f)) << instruction << function;
      EXPECT_FALSE(uniformityOf(s.analyses()).isUniform(s.module().firstBlock(f)));
    }
    EXPECT_FALSE(uniformityOf(s.analyses()).isUniform(Id(83)));
    EXPECT_TRUE(DataDependence(s.analyses()).dependsOnData(Id(81)));
    EXPECT_EQ(judgeArgument(s), IndexVerdict::OnData);
    const FunctionRef main = s.module().functionOfId(Id(90));
    EXPECT_FALSE(s.analyses().get<IndirectCalls>().mayRun(main)); // its entry point names it
    EXPECT_TRUE(uniformityOf(s.analyses()).isUniform(s.module().firstBlock(main)));
  }
}

TEST(NewerOpcodes, FunctionsThatAreOnlyCalledRunWhereTheyAreCalled) {
  NewerSubject s(callingBack("%52 = OpFunctionCall %4 %80 %6 %6 %6\n"));
  for (uint32_t function : {80, 70}) {
    const FunctionRef f = s.module().functionOfId(Id(function));
    EXPECT_FALSE(s.analyses().get<IndirectCalls>().mayRun(f));
    EXPECT_TRUE(uniformityOf(s.analyses()).isUniform(s.module().firstBlock(f)));
  }
  EXPECT_FALSE(DataDependence(s.analyses()).dependsOnData(Id(81)));
  EXPECT_EQ(judgeArgument(s), IndexVerdict::Stays);
}

TEST(NewerOpcodes, MixedDotProductsAreValues) {
  NewerSubject s(newerShader("%50 = OpUndef %5\n%51 = OpFDot2MixAcc32VALVE %4 %50 %50 %50\n"
                             "%52 = OpBitcastExtractEXT %32 %6 %6\n"));
  for (uint32_t id : {51, 52}) {
    const InstRef inst = s.module().def(Id(id));
    EXPECT_EQ(s.module().effects(inst), Effect::None);
    EXPECT_TRUE(s.module().facts(inst).speculatable);
  }
}

// Matrices of 8 x 8 floats; %40 points to the start of 64 of them.
TEST(NewerOpcodes, MatricesInSharedMemoryMeetInItsBanks) {
  NewerSubject s(newerShader("%50 = OpCooperativeMatrixLoadKHR %10 %40 %6 %7\n"  // by rows
                             "%51 = OpCooperativeMatrixLoadKHR %10 %40 %37 %9\n" // by columns
                             "OpCooperativeMatrixStoreKHR %40 %50 %6 %38\n"      // 12 apart
                             "%52 = OpLoad %3 %22\n"
                             "%53 = OpCooperativeMatrixLoadKHR %10 %40 %6 %52\n")); // unknown
  const auto transfers = collectMatrixTransfers(s.analyses(), {});
  ASSERT_EQ(transfers.size(), 3u);
  EXPECT_EQ(transfers[0].strideBytes, 256u);
  EXPECT_FALSE(transfers[0].isByColumns);
  EXPECT_TRUE(transfers[1].isByColumns);
  EXPECT_TRUE(transfers[2].isStore);
  // Two pieces of 16 bytes of 8 lines each.
  auto cycles = [&](size_t n) { return costOf(transfers[n], {}).cycles; };
  EXPECT_EQ(cycles(0), 16u); // all lines in the same four banks
  EXPECT_EQ(cycles(1), 4u);  // every other line
  EXPECT_EQ(cycles(2), 2u);  // none: 12 words are 3 pieces, and 3 has no factor in common with 8
  EXPECT_EQ(costOf(transfers[0], {}).cleanCycles, 2u);
  EXPECT_EQ(costOf(transfers[0], {}).degree, 8u);
}

TEST(NewerOpcodes, LintNamesMatricesThatMeetInBanks) {
  auto findingsOf = [](std::string_view stride) {
    NewerSubject s(
        newerShader("%50 = OpCooperativeMatrixLoadKHR %10 %40 %6 " + std::string(stride) + "\n"));
    const LintRule* rule = findLintRule("shared-memory-bank-conflict");
    const Assumptions assumptions;
    return runLint(s.module(), assumptions, {}, {&rule, 1});
  };
  const LintFindings found = findingsOf("%7");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(
      found[0].message.find("8-way bank conflict on %20: a matrix of 8 x 8 whose rows lie 256 "
                            "bytes apart takes 16 cycles instead of 2"),
      std::string::npos)
      << found[0].message;
  ASSERT_EQ(found[0].notes.size(), 1u);
  EXPECT_NE(found[0].notes[0].message.find("with rows 272 bytes apart it takes 2 cycles"),
            std::string::npos)
      << found[0].notes[0].message;
  EXPECT_TRUE(findingsOf("%38").empty());
}

TEST(NewerOpcodes, PointersWithoutATypeReachTheirStorageClass) {
  NewerSubject s(newerShader("%50 = OpUntypedAccessChainKHR %17 %5 %21 %6\n"
                             "%51 = OpLoad %4 %50\n%52 = OpLoad %4 %20\n"));
  EXPECT_EQ(s.analyses().get<Types>().storageOf(Id(50)), spv::StorageClass::Workgroup);
  EXPECT_FALSE(s.analyses().get<Types>().pointee(Id(50)));
  const auto accesses = accessesOf(s, s.module().def(Id(51)));
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0].memory, MemoryClass::Workgroup);
  EXPECT_FALSE(accesses[0].variable);
  const MemoryEffects effects(s.analyses());
  EXPECT_EQ(effects.aliasing(accesses[0].variable, Id(20)), Aliasing::Possible);
}

/// Whether a load of shared memory gives all lanes the same when this stands between it and the
/// barrier before it.
bool isLoadUniformBehind(std::string_view before) {
  NewerSubject s(newerShader("%47 = OpUndef %4\nOpStore %40 %47\nOpControlBarrier %34 %34 %35\n" +
                             std::string(before) + "%60 = OpLoad %4 %40\n"));
  return uniformScopeOf(s.analyses(), Id(60)) != UniformScope::Divergent;
}

TEST(NewerOpcodes, SharedMemoryThatMayBeWrittenIsNotUniform) {
  EXPECT_TRUE(isLoadUniformBehind(""));
  EXPECT_TRUE(isLoadUniformBehind("%50 = OpCooperativeMatrixLoadKHR %10 %40 %6 %9\n"));
  EXPECT_FALSE(
      isLoadUniformBehind("%49 = OpUndef %10\nOpCooperativeMatrixStoreKHR %40 %49 %6 %9\n"));
  EXPECT_FALSE(isLoadUniformBehind("%49 = OpUndef %4\nOpStore %21 %49\n"));
  EXPECT_FALSE(isLoadUniformBehind("%50 = OpArithmeticFenceEXT %4 %6\n"));
}

TEST(NewerOpcodes, ReplicatedCompositesAreWhatTheyAreMadeOf) {
  NewerSubject s(newerShader("%50 = OpCompositeConstructReplicateEXT %5 %6\n"
                             "%51 = OpLoad %4 %21\n"
                             "%52 = OpCompositeConstructReplicateEXT %5 %51\n"));
  EXPECT_EQ(uniformScopeOf(s.analyses(), Id(50)), UniformScope::Dispatch);
  EXPECT_FALSE(s.module().isUnread(s.module().def(Id(52))));
}

TEST(NewerOpcodes, BuffersWithoutATypeAreNotLaidOutAnew) {
  NewerSubject s(newerShader(""));
  const BufferUses uses = collectBufferUses(s.analyses());
  ASSERT_EQ(uses.views.size(), 2u);
  EXPECT_EQ(uses.views[0].variable, Id(22));
  ASSERT_FALSE(uses.views[0].refusals.empty());
  EXPECT_EQ(uses.views[0].refusals.back().name, "untyped-pointer");
  EXPECT_TRUE(uses.views[0].hasBinding); // so that the other view of it stays, too
}

TEST(NewerOpcodes, FloatsOfOtherEncodingsHaveASizeAndNoMeaning) {
  NewerSubject s(newerShader(""));
  const Types& types = s.analyses().get<Types>();
  for (auto [id, size] : {std::pair(31u, 2u), {32u, 1u}}) {
    EXPECT_EQ(types.info(Id(id)).kind, TypeInfo::Kind::Other);
    EXPECT_EQ(types.naturalLayout(Id(id), 12), (SizeAlign{size, size}));
  }
  EXPECT_FALSE(types.naturalLayout(Id(33), 12)); // half a byte
}

} // namespace
} // namespace lanewise::test
