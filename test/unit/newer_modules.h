// Modules of 2024 to 2026 as text, in the form that spirv-dis gives them.
#pragma once

#include "analysis/module/analyses.h"
#include "assembly/assembler.h"
#include "ir/module.h"
#include "lanewise/assumptions.h"

#include <gtest/gtest.h>
#include <string_view>
#include <utility>

namespace lanewise::test {

/// As Subject (subject.h), of a text that the installed SPIRV-Tools need not know.
class NewerSubject {
public:
  explicit NewerSubject(std::string_view text)
      : module_(read(text)), analyses_(module_, assumptions_) {}
  const Module& module() const { return module_; }
  Analyses& analyses() { return analyses_; }

private:
  static Module read(std::string_view text) {
    Assembled assembled = assembleText(text, 0x00010600);
    EXPECT_FALSE(assembled.words.empty())
        << assembled.error.place.line << ": " << assembled.error.message;
    Result<Module> module = Module::read(std::move(assembled.words));
    EXPECT_TRUE(module) << module.error().str();
    return std::move(*module);
  }

  Assumptions assumptions_;
  Module module_;
  Analyses analyses_;
};

/// Cooperative matrices, bfloat16 and 8-bit floats, replicated composites, untyped pointers,
/// maximal reconvergence, float controls 2. Every id is a number.
inline constexpr const char* kNewerModule = R"(               OpCapability Shader
               OpCapability UntypedPointersKHR
               OpCapability FloatControls2
               OpCapability BFloat16TypeKHR
               OpCapability Float8EXT
               OpCapability ReplicatedCompositesEXT
               OpCapability CooperativeMatrixKHR
               OpCapability VulkanMemoryModel
               OpExtension "SPV_KHR_maximal_reconvergence"
          %1 = OpExtInstImport "GLSL.std.450"
          %2 = OpExtInstImport "NonSemantic.Shader.DebugInfo.101"
          %3 = OpExtInstImport "NonSemantic.Whatever"
               OpMemoryModel Logical Vulkan
               OpEntryPoint GLCompute %4 "main" %5 %6
               OpExecutionMode %4 LocalSize 32 1 1
               OpExecutionMode %4 MaximallyReconvergesKHR
               OpExecutionModeId %4 FPFastMathDefault %9 %20
          %7 = OpString "quoted \"text\" and \\"
               OpDecorate %5 DescriptorSet 0
               OpDecorate %5 Binding 3
               OpDecorate %28 FPFastMathMode NotNaN|AllowContract|AllowReassoc
          %8 = OpTypeVoid
          %9 = OpTypeFloat 32
         %10 = OpTypeFloat 16 BFloat16KHR
         %11 = OpTypeFloat 8 Float8E4M3EXT
         %12 = OpTypeInt 32 0
         %13 = OpTypeVector %9 4
         %14 = OpTypeFunction %8
         %15 = OpConstant %12 0
         %16 = OpConstant %12 16
         %17 = OpConstant %12 3
         %18 = OpConstant %10 0x1.8p+0
         %19 = OpConstant %11 -0x1.cp+8
         %20 = OpConstant %12 65536
         %21 = OpConstant %9 0x1p+128
         %22 = OpConstantCompositeReplicateEXT %13 %21
         %23 = OpTypeCooperativeMatrixKHR %9 %17 %16 %16 %15
         %24 = OpTypeUntypedPointerKHR StorageBuffer
         %25 = OpTypeUntypedPointerKHR Workgroup
          %5 = OpUntypedVariableKHR %24 StorageBuffer
          %6 = OpUntypedVariableKHR %25 Workgroup %13
          %4 = OpFunction %8 None %14
         %26 = OpLabel
         %27 = OpUntypedAccessChainKHR %25 %13 %6 %15
         %28 = OpExtInst %9 %1 FAbs %21
         %29 = OpExtInst %8 %2 DebugTypeVectorIdEXT %15 %15
         %30 = OpExtInst %8 %3 7 %7 %15
         %31 = OpCompositeConstructReplicateEXT %13 %28
         %32 = OpCooperativeMatrixLoadKHR %23 %27 %15 %16 Aligned|MakePointerVisible|NonPrivatePointer 16 %17
               OpCooperativeMatrixStoreKHR %5 %32 %15 %16 None
               OpReturn
               OpFunctionEnd
)";

} // namespace lanewise::test
