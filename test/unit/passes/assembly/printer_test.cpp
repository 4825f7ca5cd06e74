#include "assemble.h"
#include "assembly/assembler.h"
#include "assembly/printer.h"
#include "newer_modules.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

std::string printed(const std::vector<uint32_t>& words) {
  Result<Module> module = Module::read(words);
  EXPECT_TRUE(module) << module.error().str();
  return module ? printAssembly(*module) : std::string();
}

/// As `spirv-dis --no-header` of the installed SPIRV-Tools.
std::string printedBySpirvDis(const std::vector<uint32_t>& words) {
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  std::string text;
  EXPECT_TRUE(tools.Disassemble(words, &text,
                                SPV_BINARY_TO_TEXT_OPTION_INDENT |
                                    SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                                    SPV_BINARY_TO_TEXT_OPTION_NO_HEADER));
  return text;
}

// Everything that has a name of its own, and each kind of operand.
constexpr const char* kNamesAndOperands = R"(
    OpCapability Kernel
    OpCapability Addresses
    %glsl = OpExtInstImport "OpenCL.std"
    %dbg = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
    %pf = OpExtInstImport "NonSemantic.DebugPrintf"
    OpMemoryModel Physical32 OpenCL
    OpEntryPoint GLCompute %main "main"
    %str = OpString "a \"quoted\\ text"
    OpName %main "main"
    OpName %a "same"
    OpName %b "same"
    OpName %c "not-an[id]"
    OpName %d ""
    OpName %e "17"
    OpMemberName %s 0 "member"
    OpDecorate %wg BuiltIn WorkgroupSize
    OpDecorate %x BuiltIn GlobalInvocationId
    OpDecorate %y BuiltIn SubgroupId
    OpDecorate %z BuiltIn SubgroupEqMask
    OpDecorate %f FPFastMathMode NotNaN|NSZ
    OpMemberDecorate %s 0 Offset 0
    %void = OpTypeVoid
    %bool = OpTypeBool
    %fn = OpTypeFunction %void
    %char = OpTypeInt 8 1
    %ushort = OpTypeInt 16 0
    %int = OpTypeInt 32 1
    %long = OpTypeInt 64 1
    %odd = OpTypeInt 24 0
    %half = OpTypeFloat 16
    %float = OpTypeFloat 32
    %double = OpTypeFloat 64
    %vec = OpTypeVector %float 3
    %mat = OpTypeMatrix %vec 3
    %c3 = OpConstant %int -3
    %cl = OpConstant %long -8589934592
    %ch = OpConstant %half -1.5
    %cf = OpConstant %float 0x1.8p+128
    %cg = OpConstant %float 1e-20
    %cd = OpConstant %double 0.1
    %ct = OpConstantTrue %bool
    %arr = OpTypeArray %vec %c3
    %rt = OpTypeRuntimeArray %arr
    %s = OpTypeStruct %rt %int
    %ptr = OpTypePointer Uniform %s
    %pipe = OpTypePipe ReadOnly
    %event = OpTypeEvent
    %opaque = OpTypeOpaque "o p"
    %img = OpTypeImage %float 2D 0 0 0 1 Unknown
    %wg = OpTypeSampler
    %x = OpTypeSampledImage %img
    %y = OpTypeQueue
    %z = OpTypeReserveId
    %a = OpConstantNull %int
    %b = OpUndef %int
    %c = OpConstantNull %float
    %d = OpConstantNull %vec
    %e = OpConstantNull %bool
    %sc = OpSpecConstantOp %int ShiftLeftLogical %c3 %c3
    %main = OpFunction %void Inline|Const %fn
    %l = OpLabel
    %f = OpFAdd %float %c %c
    %g = OpExtInst %float %glsl fmax %c %c
    %dd = OpExtInst %void %dbg DebugInfoNone
    %pp = OpExtInst %void %pf 1 %str
    OpLoopMerge %m %l Unroll|DependencyLength 4
    OpBranchConditional %ct %l %m 1 2
    %m = OpLabel
    OpReturn
    OpFunctionEnd
)";

TEST(Printer, EqualsSpirvDis) {
  const auto words = test::assemble(kNamesAndOperands, SPV_ENV_UNIVERSAL_1_6);
  EXPECT_EQ(printed(words), printedBySpirvDis(words));
}

TEST(Printer, FriendlyNamesOfNewerTypes) {
  const std::string text = printed(assembleText(test::kNewerModule, 0x00010600).words);
  for (const char* line :
       {"   %bfloat16 = OpTypeFloat 16 BFloat16KHR\n",
        "    %fp8e4m3 = OpTypeFloat 8 Float8E4M3EXT\n",
        "%bfloat16_0x1_8p_0 = OpConstant %bfloat16 0x1.8p+0\n",
        "%fp8e4m3_n0x1_cp_8 = OpConstant %fp8e4m3 -0x1.cp+8\n",
        "%_ptr_StorageBuffer = OpTypeUntypedPointerKHR StorageBuffer\n",
        "         %23 = OpTypeCooperativeMatrixKHR %float %uint_3 %uint_16 %uint_16 %uint_0\n"})
    EXPECT_NE(text.find(line), text.npos) << line << text;
}

TEST(Printer, WhatTheGrammarDoesNotKnowIsPrintedAsWords) {
  const char* kText = R"(               OpCapability Shader
               OpUnknown(17, 2) 9999
          %1 = OpTypeVoid
          %2 = OpTypeFunction %1
          %3 = OpFunction %1 None %2
          %4 = OpLabel
               OpUnknown(9000, 4) 1 77 123
               OpReturn
               OpFunctionEnd
)";
  const Assembled read = assembleText(kText, 0x00010600);
  ASSERT_FALSE(read.words.empty()) << read.error.message;
  Result<Module> module = Module::read(read.words);
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_TRUE(module->hasUnknown());
  EXPECT_EQ(printAssembly(*module, {.hasFriendlyNames = false}), kText);
}

} // namespace
} // namespace lanewise
