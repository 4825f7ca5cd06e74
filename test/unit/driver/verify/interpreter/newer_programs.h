// Modules of 2023 to 2026 that the interpreter runs: cooperative matrices, narrow floats, mixed dot
// products.
#pragma once

#include "assembly/assembler.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace lanewise::test {

inline std::vector<uint32_t> assembleNewer(const std::string& text) {
  Assembled assembled = assembleText(text, 0x00010600);
  EXPECT_FALSE(assembled.words.empty())
      << assembled.error.place.line << ": " << assembled.error.message;
  return std::move(assembled.words);
}

/// Eight invocations, one subgroup; `l` is the index of each. results[l] is what the body leaves in
/// `r`; words[l] is `x`.
inline std::string newerProgram(const std::string& globals, const std::string& body) {
  return R"(
OpCapability Shader
OpCapability Float16
OpCapability Int8
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixConversionsEXT
OpCapability BFloat16TypeKHR
OpCapability BFloat16DotProductKHR
OpCapability Float8EXT
OpCapability Float4EXT
OpCapability BitcastExtractEXT
OpCapability ReplicatedCompositesEXT
OpCapability FMAKHR
OpCapability DotProductFloat16AccFloat32VALVE
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %index %results %words %shared
OpExecutionMode %main LocalSize 8 1 1
OpExecutionMode %main MaximallyReconvergesKHR
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %uints ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %results DescriptorSet 0
OpDecorate %results Binding 0
OpDecorate %words DescriptorSet 0
OpDecorate %words Binding 1
OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%byte = OpTypeInt 8 0
%float = OpTypeFloat 32
%half = OpTypeFloat 16
%v2half = OpTypeVector %half 2
%v2float = OpTypeVector %float 2
%v4uint = OpTypeVector %uint 4
%bf16 = OpTypeFloat 16 BFloat16KHR
%v2bf16 = OpTypeVector %bf16 2
%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%v4e4m3 = OpTypeVector %e4m3 4
%e5m2 = OpTypeFloat 8 Float8E5M2EXT
%e2m1 = OpTypeFloat 4 Float4E2M1EXT
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n5 = OpConstant %uint 5
%n8 = OpConstant %uint 8
%n64 = OpConstant %uint 64
%n264 = OpConstant %uint 264
%f3 = OpConstant %float 3
%uints = OpTypeRuntimeArray %uint
%many = OpTypeArray %uint %n64
%block = OpTypeStruct %uints
%toBlock = OpTypePointer StorageBuffer %block
%toWord = OpTypePointer StorageBuffer %uint
%toShared = OpTypePointer Workgroup %many
%toSharedWord = OpTypePointer Workgroup %uint
%toIndex = OpTypePointer Input %uint
%A = OpTypeCooperativeMatrixKHR %uint %n3 %n4 %n8 %n0
%B = OpTypeCooperativeMatrixKHR %uint %n3 %n8 %n4 %n1
%C = OpTypeCooperativeMatrixKHR %uint %n3 %n4 %n4 %n2
%CF = OpTypeCooperativeMatrixKHR %float %n3 %n4 %n4 %n2
%toOwn = OpTypePointer Function %C
%toOwnWord = OpTypePointer Function %uint
)" + globals +
         R"(
%results = OpVariable %toBlock StorageBuffer
%words = OpVariable %toBlock StorageBuffer
%shared = OpVariable %toShared Workgroup
%index = OpVariable %toIndex Input
%main = OpFunction %void None %function
%entry = OpLabel
%own = OpVariable %toOwn Function
%l = OpLoad %uint %index
%word = OpAccessChain %toWord %words %n0 %l
%x = OpLoad %uint %word
%f = OpBitcast %float %x
%first = OpAccessChain %toWord %words %n0 %n0
%result = OpAccessChain %toWord %results %n0 %n0
%tile = OpAccessChain %toSharedWord %shared %n0
)" + body +
         R"(
%to = OpAccessChain %toWord %results %n0 %l
OpStore %to %r
OpReturn
OpFunctionEnd
)";
}

/// Programs that leave a number for each invocation in results[l].
struct NewerCase {
  const char* name;
  const char* globals;
  const char* body;
  uint32_t (*expected)(uint32_t x, uint32_t l);
};
extern const std::vector<NewerCase> kNewerCases;
inline void PrintTo(const NewerCase& c, std::ostream* out) {
  *out << c.name;
}

/// results = A B + C of integers: A (4 x 8) from words[0] on, by rows; B (8 x 4) from words[32] on,
/// by columns; C all 5s, once through shared memory.
inline std::string matrixProduct() {
  std::string text = newerProgram("%five = OpConstantCompositeReplicateEXT %C %n5", R"(
%second = OpAccessChain %toWord %words %n0 %n32
%a = OpCooperativeMatrixLoadKHR %A %first %n0 %n8
%b = OpCooperativeMatrixLoadKHR %B %second %n1 %n8
OpCooperativeMatrixStoreKHR %tile %five %n0 %n4 MakePointerAvailable|NonPrivatePointer %n2
OpControlBarrier %n3 %n2 %barrier
%c = OpCooperativeMatrixLoadKHR %C %tile %n0 %n4 MakePointerVisible|NonPrivatePointer %n2
%d = OpCooperativeMatrixMulAddKHR %C %a %b %c
OpCooperativeMatrixStoreKHR %result %d %n0 %n4
OpReturn
OpFunctionEnd
)");
  text.resize(text.find("%to = OpAccessChain"));
  const size_t at = text.find("%n264 =");
  text.insert(at, "%n32 = OpConstant %uint 32\n%barrier = OpConstant %uint 24840\n");
  return text;
}

} // namespace lanewise::test
