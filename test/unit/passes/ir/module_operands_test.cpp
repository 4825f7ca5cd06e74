// The ids that forEachIdOperand() finds are those that SPIRV-Tools' own parser finds, over
// instructions whose operands are written in every way that the grammar knows.
#include "assemble.h"
#include "ir/module.h"

#include <gtest/gtest.h>
#include <spirv-tools/libspirv.h>

namespace lanewise {
namespace {

/// Word indices of the id operands of each instruction, result not included, as SPIRV-Tools sees
/// them.
std::vector<std::vector<uint32_t>> idOperandsBySpirvTools(const std::vector<uint32_t>& words) {
  std::vector<std::vector<uint32_t>> all;
  auto onInst = [](void* user, const spv_parsed_instruction_t* inst) {
    auto& out = *static_cast<std::vector<std::vector<uint32_t>>*>(user);
    out.emplace_back();
    for (uint16_t n = 0; n < inst->num_operands; ++n) {
      const spv_parsed_operand_t& o = inst->operands[n];
      if (o.type == SPV_OPERAND_TYPE_ID || o.type == SPV_OPERAND_TYPE_TYPE_ID ||
          o.type == SPV_OPERAND_TYPE_SCOPE_ID || o.type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID)
        out.back().push_back(o.offset);
    }
    return SPV_SUCCESS;
  };
  spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  spv_result_t result =
      spvBinaryParse(context, &all, words.data(), words.size(), nullptr, onInst, nullptr);
  EXPECT_EQ(result, SPV_SUCCESS);
  spvContextDestroy(context);
  return all;
}

class IdOperands : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(IdOperands, AgreeWithSpirvTools) {
  std::vector<uint32_t> words = test::assemble(GetParam().second, SPV_ENV_UNIVERSAL_1_6);
  std::vector<std::vector<uint32_t>> expected = idOperandsBySpirvTools(words);
  Result<Module> m = Module::read(words);
  ASSERT_TRUE(m) << m.error().str();
  EXPECT_FALSE(m->hasUnknown());
  ASSERT_EQ(m->instCount(), expected.size());
  for (InstRef i : m->insts()) {
    std::vector<uint32_t> found;
    m->forEachIdOperand(i, [&](uint32_t n, Id id) {
      found.push_back(n);
      EXPECT_EQ(id, m->idAt(i, n));
    });
    EXPECT_EQ(found, expected[i.value - 1]) << m->facts(i).name << " at word " << m->wordOffset(i);
  }
}

constexpr std::pair<const char*, const char*> kModules[] = {
    {"Annotations", R"(
      OpCapability Shader
      OpCapability Linkage
      OpMemoryModel Logical GLSL450
      OpExecutionModeId %90 LocalSizeId %5 %5 %5
      OpExecutionMode %90 LocalSize 1 2 3
      %80 = OpString "source.comp"
      OpSource GLSL 450 %80 "text"
      OpSource GLSL 450
      OpName %6 "a somewhat longer name"
      OpMemberName %6 0 "x"
      OpDecorate %7 BuiltIn WorkgroupSize
      OpDecorate %5 SpecId 3
      OpDecorate %90 LinkageAttributes "f" Export
      OpDecorateId %8 UniformId %5
      OpDecorateString %8 UserSemantic "semantic"
      OpMemberDecorate %6 0 Offset 0
      OpMemberDecorateString %6 0 UserSemantic "s"
      OpDecorateId %8 HlslCounterBufferGOOGLE %7
      OpDecorate %9 FPRoundingMode RTE
      OpDecorate %10 Restrict
      %10 = OpDecorationGroup
      OpGroupDecorate %10 %8 %9
      OpGroupMemberDecorate %10 %6 0 %6 0
      %1 = OpTypeVoid
      %2 = OpTypeFunction %1
      %3 = OpTypeInt 32 0
      %5 = OpSpecConstant %3 1
      %6 = OpTypeStruct %3
      %11 = OpTypeVector %3 3
      %7 = OpSpecConstantComposite %11 %5 %5 %5
      %8 = OpUndef %3
      %9 = OpUndef %3
      %90 = OpFunction %1 None %2
      %91 = OpLabel
      OpReturn
      OpFunctionEnd)"},
    {"NumbersAndSpecConstantOps", R"(
      OpCapability Shader
      OpCapability Kernel
      OpCapability Linkage
      OpCapability Int64
      OpCapability Float64
      OpCapability Int8
      OpMemoryModel Logical GLSL450
      %1 = OpTypeInt 64 0
      %2 = OpTypeInt 8 1
      %3 = OpTypeFloat 64
      %4 = OpTypeInt 32 0
      %5 = OpTypeVector %4 2
      %10 = OpConstant %1 0x0000000200000001
      %11 = OpConstant %2 -1
      %12 = OpSpecConstant %3 1.5
      %13 = OpSpecConstant %4 7
      %14 = OpSpecConstantOp %4 IAdd %13 %13
      %15 = OpConstantComposite %5 %13 %14
      %16 = OpSpecConstantOp %4 CompositeExtract %15 1
      %17 = OpSpecConstantOp %5 CompositeInsert %16 %15 1
      %18 = OpSpecConstantOp %5 VectorShuffle %15 %17 0 3
      %19 = OpConstantNull %5
      %20 = OpSpecConstantOp %1 UConvert %13
      %21 = OpTypeArray %4 %13
      %22 = OpTypePointer Workgroup %21
      %23 = OpTypePointer Workgroup %4
      %24 = OpVariable %22 Workgroup
      %25 = OpSpecConstantOp %23 AccessChain %24 %13
      %26 = OpTypeSampler
      %27 = OpConstantSampler %26 Clamp 0 Nearest)"},
    {"MemoryAndImageOperands", R"(
      OpCapability Shader
      OpCapability Linkage
      OpCapability VulkanMemoryModel
      OpCapability StorageImageReadWithoutFormat
      OpCapability ImageGatherExtended
      OpMemoryModel Logical Vulkan
      %1 = OpTypeVoid
      %2 = OpTypeFunction %1
      %3 = OpTypeInt 32 1
      %4 = OpTypeFloat 32
      %5 = OpTypeVector %4 4
      %6 = OpTypeVector %4 2
      %7 = OpTypeVector %3 2
      %8 = OpTypeImage %4 2D 0 0 0 1 Unknown
      %9 = OpTypeSampledImage %8
      %10 = OpTypePointer UniformConstant %9
      %11 = OpTypePointer Private %4
      %12 = OpVariable %10 UniformConstant
      %13 = OpVariable %11 Private
      %14 = OpVariable %11 Private
      %15 = OpConstant %3 5
      %16 = OpConstant %4 0
      %17 = OpConstantComposite %6 %16 %16
      %18 = OpConstantComposite %7 %15 %15
      %20 = OpFunction %1 None %2
      %21 = OpLabel
      %22 = OpLoad %9 %12
      %23 = OpLoad %4 %13 Volatile|Aligned|NonPrivatePointer|MakePointerVisible 4 %15
      OpStore %13 %16 Aligned|NonPrivatePointer|MakePointerAvailable 4 %15
      OpStore %13 %16
      OpCopyMemory %13 %14 Aligned 4 Aligned|NonPrivatePointer|MakePointerVisible 8 %15
      OpCopyMemorySized %13 %14 %15 Volatile
      %24 = OpImageSampleImplicitLod %5 %22 %17 Bias|ConstOffset|MinLod %16 %18 %16
      %25 = OpImageSampleExplicitLod %5 %22 %17 Grad|Offset %17 %17 %18
      %26 = OpImageSampleExplicitLod %5 %22 %17 Lod %16
      %27 = OpImage %8 %22
      %28 = OpImageRead %5 %27 %18 NonPrivateTexel|MakeTexelVisible %15
      OpImageWrite %27 %18 %28 NonPrivateTexel|MakeTexelAvailable %15
      %29 = OpImageFetch %5 %27 %18 Lod %15
      %30 = OpImageGather %5 %22 %17 %15
      %31 = OpAtomicIAdd %3 %13 %15 %15 %15
      OpControlBarrier %15 %15 %15
      OpReturn
      OpFunctionEnd)"},
    {"ControlFlow", R"(
      OpCapability Shader
      OpCapability Linkage
      OpMemoryModel Logical GLSL450
      %90 = OpString "f"
      %1 = OpTypeVoid
      %2 = OpTypeFunction %1
      %3 = OpTypeInt 32 0
      %4 = OpTypeBool
      %5 = OpConstant %3 1
      %6 = OpConstantTrue %4
      %10 = OpFunction %1 None %2
      %11 = OpLabel
      OpBranch %12
      %12 = OpLabel
      OpLine %90 1 2
      %13 = OpPhi %3 %5 %11 %14 %15
      OpNoLine
      OpLoopMerge %16 %15 DependencyLength|Unroll 4
      OpBranchConditional %6 %15 %16 3 4
      %15 = OpLabel
      %14 = OpIAdd %3 %13 %5
      OpBranch %12
      %16 = OpLabel
      OpSelectionMerge %17 Flatten
      OpSwitch %5 %17 0 %18 4294967295 %17
      %18 = OpLabel
      OpUnreachable
      %17 = OpLabel
      %19 = OpFunctionCall %1 %10
      OpKill
      OpFunctionEnd)"},
    {"GroupsAndDotProducts", R"(
      OpCapability Shader
      OpCapability Linkage
      OpCapability GroupNonUniformClustered
      OpCapability GroupNonUniformArithmetic
      OpCapability DotProduct
      OpCapability DotProductInput4x8BitPacked
      OpMemoryModel Logical GLSL450
      %1 = OpTypeVoid
      %2 = OpTypeFunction %1
      %3 = OpTypeInt 32 0
      %5 = OpConstant %3 3
      %10 = OpFunction %1 None %2
      %11 = OpLabel
      %12 = OpGroupNonUniformIAdd %3 %5 ClusteredReduce %5 %5
      %13 = OpGroupNonUniformIAdd %3 %5 Reduce %5
      %14 = OpUDot %3 %5 %5 PackedVectorFormat4x8Bit
      OpReturn
      OpFunctionEnd)"},
    {"Kernel", R"(
      OpCapability Kernel
      OpCapability Addresses
      OpCapability Linkage
      OpCapability Vector16
      %90 = OpExtInstImport "OpenCL.std"
      OpMemoryModel Physical64 OpenCL
      OpEntryPoint Kernel %10 "k" %30
      OpExecutionMode %10 LocalSizeHint 1 2 3
      OpExecutionMode %10 VecTypeHint 4
      OpDecorate %9 FuncParamAttr NoWrite
      OpDecorate %9 FPFastMathMode NotNaN|NSZ
      %1 = OpTypeVoid
      %3 = OpTypeInt 64 0
      %4 = OpTypeFloat 32
      %5 = OpTypePointer CrossWorkgroup %4
      %2 = OpTypeFunction %1 %5
      %6 = OpTypeVector %4 4
      %7 = OpConstant %3 1
      %8 = OpTypePipe ReadOnly
      %31 = OpTypeOpaque "name"
      %32 = OpTypePointer Input %3
      %30 = OpVariable %32 Input
      %10 = OpFunction %1 Inline|DontInline %2
      %9 = OpFunctionParameter %5
      %11 = OpLabel
      %12 = OpExtInst %6 %90 vloadn %7 %9 4
      %13 = OpExtInst %1 %90 vstoren %12 %7 %9
      %14 = OpExtInst %4 %90 fma %7 %7 %7
      %15 = OpExtInst %1 %90 vstore_half_r %14 %7 %9 RTZ
      %16 = OpExtInst %1 %90 printf %9 %14 %12
      OpLifetimeStart %9 0
      OpReturn
      OpFunctionEnd)"},
    {"DebugInfo", R"(
      OpCapability Shader
      OpCapability Linkage
      OpExtension "SPV_KHR_non_semantic_info"
      %90 = OpExtInstImport "OpenCL.DebugInfo.100"
      %91 = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
      OpMemoryModel Logical GLSL450
      %80 = OpString "f"
      %1 = OpTypeVoid
      %3 = OpTypeInt 32 0
      %5 = OpConstant %3 32
      %10 = OpExtInst %1 %90 DebugSource %80
      %11 = OpExtInst %1 %90 DebugCompilationUnit 1 4 %10 HLSL
      %12 = OpExtInst %1 %90 DebugTypeBasic %80 %5 Float
      %13 = OpExtInst %1 %90 DebugTypeMember %80 %12 %10 4 5 %14 %5 %5 FlagIsPublic
      %14 = OpExtInst %1 %90 DebugTypeComposite %80 Structure %10 1 1 %11 %80 %5 FlagIsPublic %13
      %15 = OpExtInst %1 %90 DebugOperation PlusUconst 4
      %16 = OpExtInst %1 %90 DebugExpression %15
      %17 = OpExtInst %1 %91 DebugSource %80
      %18 = OpExtInst %1 %91 DebugCompilationUnit %5 %5 %17 %5
      %19 = OpExtInst %1 %91 DebugTypeBasic %80 %5 %5 %5)"},
    {"RayTracingAndMesh", R"(
      OpCapability RayTracingKHR
      OpCapability MeshShadingEXT
      OpCapability Linkage
      OpExtension "SPV_KHR_ray_tracing"
      OpExtension "SPV_EXT_mesh_shader"
      OpMemoryModel Logical GLSL450
      %1 = OpTypeVoid
      %2 = OpTypeFunction %1
      %3 = OpTypeInt 32 0
      %5 = OpConstant %3 1
      %10 = OpFunction %1 None %2
      %11 = OpLabel
      OpIgnoreIntersectionKHR
      OpFunctionEnd
      %12 = OpFunction %1 None %2
      %13 = OpLabel
      OpTerminateRayKHR
      OpFunctionEnd
      %14 = OpFunction %1 None %2
      %15 = OpLabel
      OpEmitMeshTasksEXT %5 %5 %5
      OpFunctionEnd)"},
};

INSTANTIATE_TEST_SUITE_P(Grammar, IdOperands, ::testing::ValuesIn(kModules),
                         [](const auto& info) { return info.param.first; });

} // namespace
} // namespace lanewise
