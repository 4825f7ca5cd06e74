#include "assemble.h"
#include "validity/check_module.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace lanewise {
namespace {

/// A valid compute shader with a little of everything. Each test breaks one rule by an edit.
constexpr std::string_view kShader = R"(
OpCapability Shader
OpCapability GroupNonUniformArithmetic
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %gid
OpExecutionMode %main LocalSize 64 1 1
OpSource GLSL 450
OpName %main "main"
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %spec SpecId 7
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v2float = OpTypeVector %float 2
%v4float = OpTypeVector %float 4
%v3uint = OpTypeVector %uint 3
%mat2 = OpTypeMatrix %v2float 2
%uint_0 = OpConstant %uint 0
%uint_1 = OpConstant %uint 1
%uint_2 = OpConstant %uint 2
%uint_3 = OpConstant %uint 3
%uint_264 = OpConstant %uint 264
%int_1 = OpConstant %int 1
%int_minus = OpConstant %int -1
%float_1 = OpConstant %float 1
%true = OpConstantTrue %bool
%v2_one = OpConstantComposite %v2float %float_1 %float_1
%spec = OpSpecConstant %uint 4
%spec2 = OpSpecConstantOp %uint IAdd %spec %uint_1
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %v4float %array
%pair = OpTypeStruct %uint %uint
%shared = OpTypeArray %uint %uint_3
%_block = OpTypePointer StorageBuffer %block
%_uint = OpTypePointer StorageBuffer %uint
%_shared = OpTypePointer Workgroup %shared
%_shareduint = OpTypePointer Workgroup %uint
%_v3uint = OpTypePointer Input %v3uint
%_float = OpTypePointer Function %float
%void_fn = OpTypeFunction %void
%float_fn = OpTypeFunction %float %float %_float
%buffer = OpVariable %_block StorageBuffer
%tile = OpVariable %_shared Workgroup
%gid = OpVariable %_v3uint Input
%main = OpFunction %void None %void_fn
%entry = OpLabel
%local = OpVariable %_float Function
%g = OpLoad %v3uint %gid
%x = OpCompositeExtract %uint %g 0
%sum = OpIAdd %uint %x %uint_1
%less = OpULessThan %bool %sum %uint_3
%place = OpAccessChain %_uint %buffer %uint_1 %x
%cell = OpAccessChain %_shareduint %tile %uint_1
OpStore %local %float_1
OpSelectionMerge %join None
OpBranchConditional %less %then %join
%then = OpLabel
%called = OpFunctionCall %float %f %float_1 %local
%vector = OpCompositeConstruct %v4float %v2_one %called %called
%shuffled = OpVectorShuffle %v2float %vector %v2_one 0 5
%long = OpExtInst %float %1 Length %shuffled
OpStore %place %sum
OpBranch %join
%join = OpLabel
%phi = OpPhi %uint %x %entry %sum %then
%old = OpAtomicIAdd %uint %cell %uint_1 %uint_0 %phi
OpControlBarrier %uint_2 %uint_2 %uint_264
%all = OpGroupNonUniformIAdd %uint %uint_3 Reduce %old
OpSelectionMerge %done None
OpSwitch %all %second 1 %first 2 %second
%first = OpLabel
OpBranch %second
%second = OpLabel
OpBranch %done
%done = OpLabel
OpBranch %loop
%loop = OpLabel
%n = OpPhi %uint %uint_0 %done %n1 %next
%go = OpULessThan %bool %n %uint_3
OpLoopMerge %out %next None
OpBranchConditional %go %body %out
%body = OpLabel
OpSelectionMerge %rest None
OpBranchConditional %go %skip %rest
%skip = OpLabel
OpBranch %next
%rest = OpLabel
OpBranch %next
%next = OpLabel
%n1 = OpIAdd %uint %n %uint_1
OpBranch %loop
%out = OpLabel
OpReturn
OpFunctionEnd
%f = OpFunction %float None %float_fn
%a = OpFunctionParameter %float
%p = OpFunctionParameter %_float
%f_entry = OpLabel
%loaded = OpLoad %float %p
%product = OpFMul %float %a %loaded
OpReturnValue %product
OpFunctionEnd
)";

/// The shader with the first `from` replaced.
std::string edited(std::string_view from, std::string_view to) {
  std::string text(kShader);
  const size_t at = text.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << "the shader does not hold: " << from;
    return text;
  }
  return text.replace(at, from.size(), to);
}

/// What the checker says of a text, empty for nothing.
std::string verdictOf(std::string_view text, spv_target_env env = SPV_ENV_UNIVERSAL_1_3) {
  Result<Module> module = Module::read(test::assemble(text, env));
  if (!module) return "not read: " + module.error().message;
  const Status status = checkModule(*module);
  return status ? std::string() : status.error().message;
}

struct Edit {
  std::string_view from, to;
  std::string_view message; ///< a part of it, empty where the edited shader is valid
};

/// Holds each edit to its message, and its verdict to the validator's.
void expectVerdicts(std::initializer_list<Edit> edits) {
  for (const Edit& e : edits) {
    SCOPED_TRACE(std::string(e.from) + "  ->  " + std::string(e.to));
    const std::string text = edited(e.from, e.to), said = verdictOf(text);
    if (e.message.empty())
      EXPECT_EQ(said, "");
    else
      EXPECT_NE(said.find(e.message), std::string::npos) << "said: " << said;
    EXPECT_EQ(
        bool(test::validate(test::assemble(text, SPV_ENV_UNIVERSAL_1_3), SPV_ENV_UNIVERSAL_1_3)),
        e.message.empty());
  }
}

TEST(CheckModule, AcceptsWhatIsValid) {
  EXPECT_EQ(verdictOf(kShader), "");
  EXPECT_TRUE(
      test::validate(test::assemble(kShader, SPV_ENV_UNIVERSAL_1_3), SPV_ENV_UNIVERSAL_1_3));
}

TEST(CheckModule, SaysWhereTheFaultIs) {
  const std::vector<uint32_t> words = test::assemble(
      edited("%product = OpFMul %float %a", "%product = OpFMul %float %p"), SPV_ENV_UNIVERSAL_1_3);
  Result<Module> module = Module::read(words);
  ASSERT_TRUE(module);
  const Status status = checkModule(*module);
  ASSERT_FALSE(status);
  const Error& error = status.error();
  EXPECT_EQ(error.message.substr(0, 41),
            "OpFMul: operand 1 has type Pointer %" + error.message.substr(36, 5));
  ASSERT_TRUE(error.wordOffset);
  EXPECT_EQ(words[*error.wordOffset] & 0xFFFF, uint32_t(spv::Op::OpFMul));
  EXPECT_NE(error.id, 0u);
}

TEST(CheckModule, Layout) {
  expectVerdicts({
      {"OpMemoryModel Logical GLSL450\n", "", "no OpMemoryModel"},
      {"OpMemoryModel Logical GLSL450\n",
       "OpMemoryModel Logical GLSL450\nOpMemoryModel Logical GLSL450\n", "second memory model"},
      {"OpCapability GroupNonUniformArithmetic\n%1 = OpExtInstImport \"GLSL.std.450\"\n",
       "%1 = OpExtInstImport \"GLSL.std.450\"\nOpCapability GroupNonUniformArithmetic\n",
       "OpCapability: stands behind OpExtInstImport"},
      {"OpDecorate %spec SpecId 7\n%void = OpTypeVoid\n",
       "%void = OpTypeVoid\nOpDecorate %spec SpecId 7\n", "OpDecorate: stands behind OpTypeVoid"},
      {"OpName %main \"main\"\n", "OpName %main \"main\"\nOpName %gid \"gid\"\n", ""},
      {"OpStore %local %float_1\n",
       "OpStore %local %float_1\n%late = OpVariable %_float Function\n",
       "OpVariable: comes after an instruction"},
      {"%local = OpVariable %_float Function\n",
       "%local = OpVariable %_float Function\n%late = OpVariable %_float Function\n", ""},
      {"%then = OpLabel\n", "%then = OpLabel\n%late = OpVariable %_float Function\n",
       "is not in the first block"},
      {"%join = OpLabel\n", "%join = OpLabel\n%early = OpIAdd %uint %x %x\n",
       "OpPhi: comes after an instruction"},
      {"OpSelectionMerge %join None", "OpLoopMerge %join %then None", "OpLoopMerge: heads a loop"},
      {"OpSelectionMerge %done None\nOpSwitch", "OpLoopMerge %done %second None\nOpSwitch",
       "OpLoopMerge: stands before OpSwitch"},
  });
}

TEST(CheckModule, Ids) {
  expectVerdicts({
      {"%sum = OpIAdd %uint %x", "%sum = OpIAdd %uint %nothing", "which nothing defines"},
      {"%sum = OpIAdd %uint %x", "%sum = OpIAdd %uint %sum", "which is defined later"},
      {"%sum = OpIAdd %uint %x", "%sum = OpIAdd %uint %uint", "(OpTypeInt), where a value belongs"},
      {"%sum = OpIAdd %uint %x", "%sum = OpIAdd %uint %then", "(OpLabel), where a value belongs"},
      {"%product = OpFMul %float %a", "%product = OpFMul %float %called",
       "which belongs to another function"},
      {"%product = OpFMul %float %a", "%product = OpFMul %float %float_1", ""},
      {"%called = OpFunctionCall %float %f", "%called = OpFunctionCall %float %float_1",
       "where a function belongs"},
      {"%old = OpAtomicIAdd %uint %cell %uint_1 %uint_0 %phi",
       "%length = OpExtInst %float %1 FAbs %called\n"
       "%old = OpAtomicIAdd %uint %cell %uint_1 %uint_0 %phi",
       "does not dominate this use"},
      {"OpName %main", "OpName %nothing", "which nothing defines"},
      {"OpMemberDecorate %block 0 Offset 0", "OpMemberDecorate %uint 0 Offset 0",
       "where a structure type belongs"},
  });
}

TEST(CheckModule, WhatMustBeDeclared) {
  expectVerdicts({
      {"OpCapability GroupNonUniformArithmetic\n", "",
       "needs capability GroupNonUniformArithmetic"},
      {"%float = OpTypeFloat 32\n", "%float = OpTypeFloat 32\n%double = OpTypeFloat 64\n",
       "capability Float64"},
      {"OpCapability Shader\n", "OpCapability Shader\nOpCapability Float64\n", ""},
      {"%float = OpTypeFloat 32\n", "%float = OpTypeFloat 32\n%short = OpTypeInt 16 1\n",
       "capability Int16"},
      {"OpDecorate %spec SpecId 7", "OpDecorate %sum NoSignedWrap\nOpDecorate %spec SpecId 7",
       "NoSignedWrap needs extension SPV_KHR_no_integer_wrap_decoration or a later SPIR-V"},
      {"OpExecutionMode %main LocalSize 64 1 1", "OpExecutionMode %main SubgroupSize 8",
       "needs capability"},
  });
}

TEST(CheckModule, TypesAndConstants) {
  expectVerdicts({
      {"%v2float = OpTypeVector %float 2", "%v2float = OpTypeVector %float 5",
       "vectors have 2 to 4"},
      {"%mat2 = OpTypeMatrix %v2float 2", "%mat2 = OpTypeMatrix %v3uint 2", "no vectors of floats"},
      {"%shared = OpTypeArray %uint %uint_3", "%shared = OpTypeArray %uint %uint_0",
       "an array has at least 1"},
      {"%shared = OpTypeArray %uint %uint_3", "%shared = OpTypeArray %uint %spec2", ""},
      {"%shared = OpTypeArray %uint %uint_3", "%shared = OpTypeArray %uint %float_1", "no integer"},
      {"%pair = OpTypeStruct %uint %uint", "%pair = OpTypeStruct %uint %void", "cannot hold void"},
      {"%int = OpTypeInt 32 1\n", "%int = OpTypeInt 32 1\n%again = OpTypeInt 32 1\n",
       "declares int again"},
      {"%pair = OpTypeStruct %uint %uint\n",
       "%pair = OpTypeStruct %uint %uint\n%again = OpTypeStruct %uint %uint\n", ""},
      {"%true = OpConstantTrue %bool", "%true = OpConstantTrue %uint", "not bool"},
      {"OpConstantComposite %v2float %float_1 %float_1", "OpConstantComposite %v2float %float_1",
       "has 1 constituents"},
      {"OpConstantComposite %v2float %float_1 %float_1",
       "OpConstantComposite %v2float %float_1 %uint_1", "constituent"},
      {"%true = OpConstantTrue %bool", "%true = OpConstantTrue %bool\n%null = OpConstantNull %void",
       "no null value"},
  });
}

TEST(CheckModule, Operations) {
  expectVerdicts({
      {"%sum = OpIAdd %uint %x %uint_1", "%sum = OpIAdd %uint %x %int_1", ""},
      {"%sum = OpIAdd %uint %x %uint_1", "%sum = OpIAdd %uint %x %float_1",
       "operand 2 has type float, but it must be a integer scalar or vector"},
      {"%sum = OpIAdd %uint %x %uint_1", "%sum = OpUDiv %uint %x %int_1", "operand 2 has type int"},
      {"%product = OpFMul %float %a %loaded", "%product = OpFMul %float %a %v2_one",
       "operand 2 has type v2float, but the result type is float"},
      {"%less = OpULessThan %bool %sum %uint_3", "%less = OpULessThan %bool %sum %int_1", ""},
      {"%less = OpULessThan %bool %sum %uint_3",
       "%less = OpULessThan %bool %sum %uint_3\n%other = OpULessThan %uint %sum %uint_3",
       "the result type is uint"},
      {"%less = OpULessThan %bool %sum %uint_3", "%less = OpFOrdLessThan %bool %sum %uint_3",
       "operand 1 has type uint"},
      {"%product = OpFMul %float %a %loaded", "%product = OpDot %float %v2_one %v2_one", ""},
      {"%product = OpFMul %float %a %loaded", "%product = OpDot %float %a %loaded",
       "vector of floats"},
      {"%product = OpFMul %float %a %loaded", "%product = OpSelect %float %true %a %loaded", ""},
      {"%product = OpFMul %float %a %loaded", "%product = OpSelect %float %a %a %loaded",
       "Boolean"},
      {"%product = OpFMul %float %a %loaded", "%product = OpConvertUToF %float %uint_1", ""},
      {"%product = OpFMul %float %a %loaded", "%product = OpConvertUToF %float %a",
       "operand 1 has type float"},
      {"%product = OpFMul %float %a %loaded", "%product = OpBitcast %float %uint_1", ""},
      {"%product = OpFMul %float %a %loaded", "%product = OpBitcast %float %v2_one",
       "not as many bits"},
      {"%sum = OpIAdd %uint %x %uint_1",
       "%two = OpUMulExtended %pair %x %uint_1\n"
       "%sum = OpCompositeExtract %uint %two 1",
       ""},
      {"%sum = OpIAdd %uint %x %uint_1",
       "%two = OpUMulExtended %pair %x %int_1\n"
       "%sum = OpCompositeExtract %uint %two 1",
       "operand 2 has type int"},
      {"%long = OpExtInst %float %1 Length %shuffled",
       "%long = OpExtInst %float %1 FMin %float_1 %float_1", ""},
      {"%long = OpExtInst %float %1 Length %shuffled",
       "%long = OpExtInst %float %1 FMin %called %uint_1", "operand 4 has type uint"},
      {"%long = OpExtInst %float %1 Length %shuffled",
       "%long = OpExtInst %uint %1 PackHalf2x16 %shuffled", ""},
      {"%long = OpExtInst %float %1 Length %shuffled",
       "%long = OpExtInst %uint %1 PackHalf2x16 %vector", "does not go with"},
  });
}

TEST(CheckModule, Composites) {
  expectVerdicts({
      {"OpCompositeExtract %uint %g 0", "OpCompositeExtract %uint %g 3",
       "picks element 3 of v3uint, which has 3"},
      {"OpCompositeExtract %uint %g 0", "OpCompositeExtract %uint %g 2", ""},
      {"OpCompositeExtract %uint %g 0", "OpCompositeExtract %float %g 0",
       "the indices lead to uint"},
      {"%v4float %v2_one %called %called", "%v4float %v2_one %called",
       "have 3 components, but the result type v4float has 4"},
      {"%v4float %v2_one %called %called", "%v4float %v2_one %v2_one", ""},
      {"%vector %v2_one 0 5", "%vector %v2_one 0 6", "picks component 6"},
      {"%vector %v2_one 0 5", "%vector %v2_one 0 0xFFFFFFFF", ""},
      {"%vector %v2_one 0 5", "%vector %v2_one 0", "has 1 component literals"},
  });
}

TEST(CheckModule, Memory) {
  expectVerdicts({
      {"%loaded = OpLoad %float %p", "%loaded = OpLoad %uint %p", "operand 1 points to float"},
      {"%loaded = OpLoad %float %p", "%loaded = OpLoad %float %a", "which is no pointer"},
      {"OpStore %place %sum", "OpStore %place %float_1", "but operand 1 points to uint"},
      {"OpStore %place %sum", "OpStore %gid %g", "read-only"},
      {"OpAccessChain %_uint %buffer %uint_1 %x", "OpAccessChain %_uint %buffer %uint_2 %x",
       "picks member 2 of structure"},
      {"OpAccessChain %_uint %buffer %uint_1 %x", "OpAccessChain %_uint %buffer %x %x",
       "is no OpConstant"},
      {"OpAccessChain %_uint %buffer %uint_1 %x", "OpAccessChain %_uint %buffer %uint_1",
       "the indices lead to RuntimeArray"},
      {"OpAccessChain %_uint %buffer %uint_1 %x", "OpAccessChain %_uint %buffer %int_1 %x", ""},
      {"OpAccessChain %_uint %buffer %uint_1 %x", "OpAccessChain %_shareduint %buffer %uint_1 %x",
       "another storage class"},
      {"%tile = OpVariable %_shared Workgroup", "%tile = OpVariable %_shared Private",
       "another storage class"},
      {"%local = OpVariable %_float Function", "%local = OpVariable %_float Function %float_1", ""},
      {"%local = OpVariable %_float Function", "%local = OpVariable %_float Function %uint_1",
       "operand 2 has type uint"},
      {"OpStore %local %float_1", "%count = OpArrayLength %uint %buffer 1\nOpStore %local %float_1",
       ""},
      {"OpStore %local %float_1", "%count = OpArrayLength %uint %buffer 0\nOpStore %local %float_1",
       "is not the runtime array"},
  });
}

TEST(CheckModule, FunctionsAndSynchronization) {
  expectVerdicts({
      {"%f %float_1 %local", "%f %float_1", "passes 1 arguments to a function that takes 2"},
      {"%f %float_1 %local", "%f %uint_1 %local", "but the function takes float"},
      {"%called = OpFunctionCall %float", "%called = OpFunctionCall %uint",
       "the function returns float"},
      {"OpReturnValue %product", "OpReturn", "returns nothing"},
      {"%a = OpFunctionParameter %float\n", "%a = OpFunctionParameter %uint\n",
       "the function type has float there"},
      {"%uint_1 %uint_0 %phi", "%x %uint_0 %phi", "must be one in a shader"},
      {"%uint_1 %uint_0 %phi", "%uint_1 %uint_0 %float_1", "operand 4 has type float"},
      {"%old = OpAtomicIAdd %uint %cell", "%old = OpAtomicIAdd %uint %local", "points to float"},
      {"OpControlBarrier %uint_2 %uint_2 %uint_264", "OpControlBarrier %uint_2 %uint_2 %x",
       "no constant"},
      {"%all = OpGroupNonUniformIAdd %uint %uint_3 Reduce %old",
       "%all = OpGroupNonUniformIAdd %uint %x Reduce %old", "must be one in a shader"},
  });
}

TEST(CheckModule, ControlFlow) {
  expectVerdicts({
      {"OpBranchConditional %less %then %join", "OpBranchConditional %x %then %join",
       "a condition must be a Boolean"},
      {"OpBranchConditional %less %then %join", "OpBranchConditional %less %f_entry %join",
       "in another function"},
      {"OpBranchConditional %less %then %join", "OpBranchConditional %less %entry %join",
       "the first block"},
      {"%sum %then\n", "%sum %done\n", "no predecessor"},
      {"OpPhi %uint %x %entry %sum %then", "OpPhi %uint %x %entry", "has 2 predecessors"},
      {"OpPhi %uint %x %entry %sum %then", "OpPhi %uint %x %entry %float_1 %then",
       "operand 3 has type float"},
      {"OpPhi %uint %x %entry %sum %then", "OpPhi %uint %x %entry %sum %entry", "twice"},
      {"OpSelectionMerge %join None\n", "", "without OpSelectionMerge"},
      {"OpSelectionMerge %done None\n", "", "no OpSelectionMerge before it"},
      {"OpSelectionMerge %rest None", "OpSelectionMerge %out None", "that of block"},
      {"%skip = OpLabel\nOpBranch %next", "%skip = OpLabel\nOpBranch %out", ""},
      {"%skip = OpLabel\nOpBranch %next", "%skip = OpLabel\nOpBranch %loop", "3 predecessors"},
      {"%skip = OpLabel\nOpBranch %next", "%skip = OpLabel\nOpReturn", ""},
      {"OpBranch %loop\n%out = OpLabel", "OpReturn\n%out = OpLabel", "1 predecessors"},
      {"%second = OpLabel\nOpBranch %done", "%second = OpLabel\nOpBranch %then", "branches back"},
      {"OpSwitch %all %second 1 %first 2 %second", "OpSwitch %all %done 2 %second 1 %first",
       "not right before"},
      {"OpSwitch %all %second 1 %first 2 %second", "OpSwitch %all %done 1 %first 2 %second", ""},
      {"OpLoopMerge %out %next None", "OpLoopMerge %next %out None", "has the continue target"},
      {"OpLoopMerge %out %next None", "OpLoopMerge %out %out None", "as merge block and continue"},
      {"OpLoopMerge %out %next None", "OpLoopMerge %out %rest None", "does not dominate"},
  });
}

TEST(CheckModule, Decorations) {
  expectVerdicts({
      {"OpDecorate %block Block", "OpDecorate %uint Block", "cannot decorate"},
      {"OpMemberDecorate %block 1 Offset 16\n", "", "has no Offset"},
      {"OpMemberDecorate %block 1 Offset 16", "OpMemberDecorate %block 2 Offset 16",
       "decorates member 2 of structure"},
      {"OpDecorate %array ArrayStride 4\n", "", ""},
      {"OpDecorate %array ArrayStride 4\n",
       "OpDecorate %array ArrayStride 4\nOpDecorate %array ArrayStride 4\n", "a second time"},
      {"OpDecorate %spec SpecId 7", "OpDecorate %uint_1 SpecId 7", "SpecId cannot decorate"},
      {"OpDecorate %block Block", "OpDecorate %block Block\nOpDecorate %block BufferBlock",
       "both Block and BufferBlock"},
      {"OpDecorate %gid BuiltIn GlobalInvocationId", "OpDecorate %x BuiltIn GlobalInvocationId",
       "BuiltIn cannot decorate"},
      {"OpMemberDecorate %block 0 Offset 0",
       "OpMemberDecorate %block 0 Offset 0\n"
       "OpMemberDecorate %block 0 Binding 0",
       "not for members"},
      {"OpDecorate %buffer Binding 0",
       "OpDecorate %buffer Binding 0\nOpDecorate %x RelaxedPrecision", ""},
  });
}

TEST(CheckModule, ArraysInBlocksHaveStrides) {
  constexpr std::string_view kText = R"(
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%uint_4 = OpConstant %uint 4
%array = OpTypeArray %float %uint_4
%block = OpTypeStruct %array
%_block = OpTypePointer Uniform %block
%buffer = OpVariable %_block Uniform
)";
  EXPECT_NE(verdictOf(kText).find("has no ArrayStride"), std::string::npos);
  std::string text(kText);
  text.replace(text.find("OpDecorate"), 0, "OpDecorate %array ArrayStride 16\n");
  EXPECT_EQ(verdictOf(text), "");
}

TEST(CheckModule, EntryPoints) {
  expectVerdicts({
      {"OpEntryPoint GLCompute %main \"main\" %gid", "OpEntryPoint GLCompute %main \"main\"",
       "does not list it"},
      {"OpEntryPoint GLCompute %main \"main\" %gid",
       "OpEntryPoint GLCompute %main \"main\" %gid %tile", "neither in Input nor in Output"},
      {"OpEntryPoint GLCompute %main \"main\" %gid", "OpEntryPoint GLCompute %f \"main\" %gid",
       "no entry point"},
      {"OpExecutionMode %main LocalSize 64 1 1", "OpExecutionMode %main OriginUpperLeft",
       "another execution model"},
      {"OpExecutionMode %main LocalSize 64 1 1",
       "OpExecutionMode %main LocalSize 64 1 1\nOpExecutionMode %f LocalSize 64 1 1",
       "no entry point"},
      {"%out = OpLabel\nOpReturn", "%out = OpLabel\nOpKill", "no fragment shader"},
      {"%called = OpFunctionCall %float %f %float_1 %local",
       "%again = OpFunctionCall %void %main\n%called = OpFunctionCall %float %f %float_1 %local",
       "also called"},
  });
}

/// A small generator of the same numbers everywhere.
struct Numbers {
  uint64_t state = 88172645463325252;
  uint32_t next(uint32_t below) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return uint32_t(state >> 11) % below;
  }
};

TEST(CheckModule, SurvivesWhateverTheReaderAccepts) {
  const std::vector<uint32_t> words = test::assemble(kShader, SPV_ENV_UNIVERSAL_1_3);
  Numbers numbers;
  uint32_t read = 0, found = 0;
  for (uint32_t n = 0; n < 30'000; ++n) {
    std::vector<uint32_t> broken = words;
    for (uint32_t edits = 1 + numbers.next(3); edits != 0; --edits) {
      uint32_t& word = broken[5 + numbers.next(uint32_t(broken.size()) - 5)];
      switch (numbers.next(4)) {
      case 0:
        word = numbers.next(broken[3]);
        break;
      case 1:
        word ^= 1u << numbers.next(32);
        break;
      case 2:
        word = (word & 0xFFFF0000) | numbers.next(400);
        break;
      default:
        word = broken[numbers.next(uint32_t(broken.size()))];
        break;
      }
    }
    Result<Module> module = Module::read(std::move(broken));
    if (!module) continue;
    ++read;
    found += !checkModule(*module);
  }
  EXPECT_GT(read, 4'000u);
  EXPECT_GT(found, read / 2);
}

/// A loop around `depth` selections, each around the next.
std::string nested(uint32_t depth) {
  std::string text = R"(
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%bool = OpTypeBool
%fn = OpTypeFunction %void
%true = OpConstantTrue %bool
%f = OpFunction %void None %fn
%entry = OpLabel
OpBranch %h0
)";
  for (uint32_t n = 0; n < depth; ++n) {
    const std::string k = std::to_string(n), next = std::to_string(n + 1);
    text += "%h" + k + " = OpLabel\nOpSelectionMerge %m" + k +
            " None\nOpBranchConditional %true %h" + next + " %m" + k + "\n";
  }
  text +=
      "%h" + std::to_string(depth) + " = OpLabel\nOpBranch %m" + std::to_string(depth - 1) + "\n";
  for (uint32_t n = depth; n-- > 0;)
    text += "%m" + std::to_string(n) + " = OpLabel\n" +
            (n == 0 ? std::string("OpReturn\n") : "OpBranch %m" + std::to_string(n - 1) + "\n");
  return text + "OpFunctionEnd\n";
}

TEST(CheckModule, TakesDeepNestingAsItIs) {
  EXPECT_EQ(verdictOf(nested(200)), "");
  EXPECT_EQ(verdictOf(nested(20'000)), "");
}

} // namespace
} // namespace lanewise
