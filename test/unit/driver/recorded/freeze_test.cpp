// Specialization constants fixed to the values of one pipeline.
#include "recorded/freeze.h"
#include "spirv/assembly.h"
#include "spirv/validation.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

constexpr const char* kWithConstants = R"(
OpCapability Shader
OpCapability Int16
OpCapability Int64
OpCapability Float64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpDecorate %u SpecId 0
OpDecorate %f SpecId 1
OpDecorate %t SpecId 2
OpDecorate %n SpecId 3
OpDecorate %s SpecId 4
OpDecorate %d SpecId 5
OpDecorate %l SpecId 6
OpDecorate %size BuiltIn WorkgroupSize
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%short = OpTypeInt 16 1
%long = OpTypeInt 64 0
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%uint3 = OpTypeVector %uint 3
%one = OpConstant %uint 1
%u = OpSpecConstant %uint 7
%f = OpSpecConstant %float 2
%t = OpSpecConstantTrue %bool
%n = OpSpecConstantFalse %bool
%s = OpSpecConstant %short 3
%d = OpSpecConstant %double 1
%l = OpSpecConstant %long 1
%twice = OpSpecConstantOp %uint IAdd %u %u
%size = OpSpecConstantComposite %uint3 %u %one %one
%other = OpSpecConstantComposite %uint3 %u %twice %one
%main = OpFunction %void None %function
%entry = OpLabel
OpReturn
OpFunctionEnd
)";

std::string bytesOf(uint64_t bits, size_t size) {
  return {reinterpret_cast<const char*>(&bits), size};
}

std::string frozen(const std::map<uint32_t, std::string>& values,
                   const std::string& module = kWithConstants) {
  Result<Words> words = assemble(module, "module", SPV_ENV_VULKAN_1_2);
  EXPECT_TRUE(words) << words.error().message;
  Result<std::vector<uint32_t>> made = freezeConstants(*words, values);
  if (!made) return made.error().message;
  EXPECT_TRUE(validateWords(*made, SPV_ENV_VULKAN_1_2));
  Result<std::string> text = disassemble(*made);
  EXPECT_TRUE(text);
  return *text;
}

bool hasLine(const std::string& text, const std::string& line) {
  return text.find(line + "\n") != text.npos;
}

TEST(FreezeConstants, KeepsDefaults) {
  const std::string text = frozen({});
  EXPECT_EQ(text.find("SpecId"), text.npos) << text;
  EXPECT_TRUE(hasLine(text, "= OpConstant %uint 7")) << text;
  EXPECT_TRUE(hasLine(text, "= OpConstantTrue %bool")) << text;
  EXPECT_TRUE(hasLine(text, "= OpConstantFalse %bool")) << text;
}

TEST(FreezeConstants, WritesValuesOfEveryType) {
  const std::string text = frozen({{0, bytesOf(96, 4)},
                                   {1, bytesOf(0x7fc00001, 4)}, // not a number, of these bits
                                   {2, bytesOf(0, 4)},
                                   {3, bytesOf(5, 4)}, // any VkBool32 but 0 is true
                                   {4, bytesOf(0xfffe, 2)},
                                   {5, bytesOf(0x4008000000000000, 8)},
                                   {6, bytesOf(0x100000002, 8)},
                                   {9, bytesOf(1, 4)}}); // that the module does not have
  EXPECT_TRUE(hasLine(text, "= OpConstant %uint 96")) << text;
  EXPECT_TRUE(hasLine(text, "= OpConstant %float 0x1.800002p+128")) << text;
  EXPECT_TRUE(hasLine(text, "= OpConstantFalse %bool")) << text;
  EXPECT_TRUE(hasLine(text, "= OpConstantTrue %bool")) << text;
  EXPECT_TRUE(hasLine(text, "= OpConstant %short -2")) << text;
  EXPECT_TRUE(hasLine(text, "= OpConstant %double 3")) << text;
  EXPECT_TRUE(hasLine(text, "= OpConstant %ulong 4294967298")) << text;
}

TEST(FreezeConstants, LeavesComputedOnes) {
  const std::string text = frozen({{0, bytesOf(64, 4)}});
  EXPECT_NE(text.find("= OpConstantComposite %v3uint"), text.npos) << text;
  EXPECT_NE(text.find("OpSpecConstantOp %uint IAdd"), text.npos) << text;
  EXPECT_NE(text.find("OpSpecConstantComposite"), text.npos) << text;
}

TEST(FreezeConstants, RefusesValuesOfAnotherSize) {
  EXPECT_EQ(frozen({{0, bytesOf(1, 8)}}), "constant 0: a value of another size");
  EXPECT_EQ(frozen({{2, bytesOf(1, 1)}}), "constant 2: a value of another size");
  EXPECT_EQ(frozen({{4, bytesOf(1, 4)}}), "constant 4: a value of another size");
}

TEST(FreezeConstants, RefusesGroups) {
  std::string module = kWithConstants;
  const std::string plain = "OpDecorate %u SpecId 0\n";
  module.replace(module.find(plain), plain.size(),
                 "OpDecorate %group SpecId 0\n%group = OpDecorationGroup\n"
                 "OpGroupDecorate %group %u\n");
  EXPECT_EQ(frozen({}, module), "decorations in groups");
}

} // namespace
} // namespace lanewise::driver
