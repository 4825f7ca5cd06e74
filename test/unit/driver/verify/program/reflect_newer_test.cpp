// What programs ask for where buffers have no type, or floats an encoding of their own.
#include "assembly/assembler.h"
#include "verify/program/reflect.h"

#include <gtest/gtest.h>

namespace {

using namespace lanewise;
using driver::ReflectedBinding;
using driver::ScalarType;

driver::Reflection reflectText(const std::string& dataType) {
  Assembled assembled = assembleText(R"(
OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability BFloat16TypeKHR
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %untyped %typed
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %untyped DescriptorSet 0
OpDecorate %untyped Binding 0
OpDecorate %typed DescriptorSet 0
OpDecorate %typed Binding 1
OpDecorate %array ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 0 NonWritable
%void = OpTypeVoid
%function = OpTypeFunction %void
%bf16 = OpTypeFloat 16 BFloat16KHR
%array = OpTypeRuntimeArray %bf16
%block = OpTypeStruct %array
%uint = OpTypeInt 32 0
%n0 = OpConstant %uint 0
%toElement = OpTypePointer StorageBuffer %bf16
%pointer = OpTypeUntypedPointerKHR StorageBuffer
%toBlock = OpTypePointer StorageBuffer %block
%untyped = OpUntypedVariableKHR %pointer StorageBuffer )" +
                                         dataType +
                                         R"(
%typed = OpVariable %toBlock StorageBuffer
%main = OpFunction %void None %function
%entry = OpLabel
%p = OpUntypedAccessChainKHR %pointer %block %untyped %n0 %n0
%q = OpAccessChain %toElement %typed %n0 %n0
%x = OpLoad %bf16 %q
OpStore %p %x
OpReturn
OpFunctionEnd
)",
                                     0x00010600);
  EXPECT_FALSE(assembled.words.empty()) << assembled.error.message;
  Result<driver::Reflection> reflection = driver::reflect(assembled.words, "main", {});
  EXPECT_TRUE(reflection) << reflection.error().message;
  return reflection ? std::move(*reflection) : driver::Reflection();
}

TEST(ReflectNewer, UntypedVariablesHaveTheTypeThatTheyAreDeclaredWith) {
  const driver::Reflection r = reflectText("%block");
  ASSERT_EQ(r.bindings.size(), 2u);
  for (const ReflectedBinding& binding : r.bindings) {
    EXPECT_EQ(binding.kind, ReflectedBinding::Kind::StorageBuffer);
    ASSERT_EQ(binding.block.element.size(), 1u);
    EXPECT_EQ(binding.block.element[0].type, ScalarType::U16); // the bits of a bfloat16
  }
  // An access of the untyped one may go by another type, whose members may be written.
  EXPECT_FALSE(r.bindings[0].isReadOnly);
  EXPECT_TRUE(r.bindings[1].isReadOnly);
}

TEST(ReflectNewer, WithoutOneTheyAreNamed) {
  const driver::Reflection r = reflectText("");
  ASSERT_EQ(r.bindings.size(), 2u);
  EXPECT_EQ(r.bindings[0].kind, ReflectedBinding::Kind::Unsupported);
  EXPECT_NE(r.bindings[0].unsupported.find("untyped pointers"), std::string::npos);
}

} // namespace
