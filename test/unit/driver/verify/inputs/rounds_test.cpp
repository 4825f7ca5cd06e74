// What is tried beside the first generated inputs, and what a module's code suggests for it.
#include "assemble.h"
#include "verify/formats/scalars.h"
#include "verify/inputs/rounds.h"
#include "verify/inputs/synthesize.h"
#include "verify/inputs/value_hints.h"
#include "verify/program/bind_program.h"
#include "verify/scenario/fills.h"
#include "verify/verify.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <optional>
#include <set>

namespace lanewise::driver {
namespace {

// if (push.mode == 17) ...; switch (push.kind) {case 5}; atomicAdd(counters.n[3]); x = data[9] * 12
Words shader(const std::string& isFlag = "%isFlag = OpSpecConstantFalse %bool",
             const std::string& decoration = "OpDecorate %isFlag SpecId 4") {
  return test::assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %Words Block
OpMemberDecorate %Words 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 1
OpDecorate %counters DescriptorSet 0
OpDecorate %counters Binding 2
OpDecorate %Push Block
OpMemberDecorate %Push 0 Offset 0
OpMemberDecorate %Push 1 Offset 4
OpMemberDecorate %Push 2 Offset 8
)" + decoration + R"(
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v3uint = OpTypeVector %uint 3
%fn = OpTypeFunction %void
)" + isFlag + R"(
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u9 = OpConstant %uint 9
%u12 = OpConstant %uint 12
%u17 = OpConstant %uint 17
%f = OpConstant %float 2.5
%in_ptr = OpTypePointer Input %v3uint
%in_uint = OpTypePointer Input %uint
%id = OpVariable %in_ptr Input
%words = OpTypeRuntimeArray %uint
%Words = OpTypeStruct %words
%ptr = OpTypePointer StorageBuffer %Words
%ptr_uint = OpTypePointer StorageBuffer %uint
%data = OpVariable %ptr StorageBuffer
%counters = OpVariable %ptr StorageBuffer
%Push = OpTypeStruct %uint %uint %uint
%push_ptr = OpTypePointer PushConstant %Push
%push_uint = OpTypePointer PushConstant %uint
%push = OpVariable %push_ptr PushConstant
%main = OpFunction %void None %fn
%entry = OpLabel
%mode_at = OpAccessChain %push_uint %push %u1
%mode = OpLoad %uint %mode_at
%same = OpIEqual %bool %mode %u17
%both = OpLogicalOr %bool %same %isFlag
%kind_at = OpAccessChain %push_uint %push %u2
%kind = OpLoad %uint %kind_at
%x = OpAccessChain %in_uint %id %u0
%i = OpLoad %uint %x
%at = OpAccessChain %ptr_uint %data %u0 %i
%some = OpLoad %uint %at
%more = OpIMul %uint %some %u12
%scaled = OpConvertUToF %float %more
%half = OpFMul %float %scaled %f
%back = OpConvertFToU %uint %half
%chosen = OpSelect %uint %both %more %back
OpStore %at %chosen
%counter = OpAccessChain %ptr_uint %counters %u0 %u9
%old = OpAtomicIAdd %uint %counter %u1 %u0 %u1
OpSelectionMerge %end None
OpSwitch %kind %end 5 %five
%five = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd)");
}

TEST(ValueHints, AreWhatCodeComputesAndComparesWith) {
  const ValueHints hints = valueHintsOf(shader());
  EXPECT_EQ(hints.compared, (std::vector<int64_t>{5, 17}));
  EXPECT_EQ(hints.floats, std::vector<double>{2.5});
  EXPECT_TRUE(std::count(hints.integers.begin(), hints.integers.end(), 12));
  EXPECT_FALSE(std::count(hints.integers.begin(), hints.integers.end(), 9)) << "an index";
  const ParameterPlace mode{true, 0, 0, 4}, kind{true, 0, 0, 8};
  EXPECT_EQ(hints.parameters,
            (std::set<std::pair<ParameterPlace, int64_t>>{{mode, 17}, {kind, 5}}));
  EXPECT_EQ(hints.atomicTargets, (std::set<std::pair<uint32_t, uint32_t>>{{0, 2}}));
}

TEST(ValueHints, OfABrokenModuleAreNone) {
  const Words broken{1, 2, 3};
  EXPECT_TRUE(valueHintsOf(broken).integers.empty());
}

std::vector<std::string> roundsOf(const Words& original, const Words& other,
                                  const Assumptions& assumptions = {},
                                  std::optional<uint32_t> firstConstant = {}) {
  ShaderPair pair{"main", original, other};
  std::vector<std::string> notes;
  Result<Scenario> base = synthesizeScenario({&pair, 1}, assumptions, 1, notes);
  EXPECT_TRUE(base) << base.error().str();
  if (firstConstant)
    std::memcpy(base->dispatches[0].pushConstants.data(), &*firstConstant, sizeof(uint32_t));
  std::vector<Program> programs;
  for (const Words& words : {original, other}) {
    ProgramVariant variant;
    variant.name = "program";
    variant.modules["main"] = words;
    Result<Program> program = bindProgram(*base, variant, notes);
    EXPECT_TRUE(program) << program.error().str();
    programs.push_back(std::move(*program));
  }
  std::vector<std::string> names;
  for (const RoundAim& aim : planRounds(*base, programs))
    for (const Scenario& scenario : aim.tries) names.push_back(scenario.round);
  return names;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(PlanRounds, ChangesWhatTheFirstInputsLeave) {
  const std::vector<std::string> names = roundsOf(shader(), shader());
  for (const char* name :
       {"values near the shader's constants", "full-range integers", "counters at zero",
        "17 in the push constant at byte 4", "16 in the push constant at byte 4",
        "5 in the push constant at byte 8", "1 in specialization constant 4",
        "5 in the push constant at byte 8 and full-range integers", "smallest and largest integers",
        "counts of 593, beyond the grid", "full-range single integers",
        "any integer in the push constant at byte 4"})
    EXPECT_TRUE(has(names, name)) << name;
  EXPECT_FALSE(has(names, "17 in the push constant at byte 8")) << "it is not compared with that";
  for (const char* name :
       {"floats of all magnitudes", "negative floats", "negative single integers",
        "images below the grid", "subgroups of 64", "odd lengths"})
    EXPECT_FALSE(has(names, name)) << "there are none";
}

TEST(PlanRounds, LeavesAFrozenConstantAlone) {
  const Words frozen = shader("%isFlag = OpConstantFalse %bool", "");
  EXPECT_FALSE(has(roundsOf(shader(), frozen), "1 in specialization constant 4"));
  Assumptions given;
  given.specConstants[4] = 0;
  EXPECT_FALSE(has(roundsOf(shader(), shader(), given), "1 in specialization constant 4"));
}

// -1 of a signed count: the square of the first number that could divide no longer fits in 32 bits.
TEST(PlanRounds, FindsPrimesBelowTheLargestNumber) {
  EXPECT_TRUE(has(roundsOf(shader(), shader(), {}, ~0u), "counts of 4294967291"));
}

ScenarioBuffer bufferOf(std::vector<ScalarType> elements, Fill fill) {
  ScenarioBuffer buffer;
  buffer.name = "b";
  buffer.elements = std::move(elements);
  buffer.count = 512;
  buffer.fill = std::move(fill);
  return buffer;
}

TEST(InitialBytes, WideOnesReachEveryBitAndDecade) {
  const std::vector<uint8_t> bytes =
      initialBytes(bufferOf({ScalarType::I64, ScalarType::F32}, FillWide{}), 1, InputStyle::Seeded,
                   Poison::Positive, {});
  ASSERT_EQ(bytes.size(), 512u * 12);
  uint64_t ones = 0, zeros = 0;
  bool isSmall = false, isLarge = false, isNegative = false;
  for (size_t at = 0; at < bytes.size(); at += 12) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[at], 8);
    ones |= bits, zeros |= ~bits;
    const double value = decodeScalar(ScalarType::F32, &bytes[at + 8]);
    isSmall |= std::abs(value)<0.01, isLarge |= std::abs(value)> 1e5, isNegative |= value < 0;
  }
  EXPECT_EQ(ones, ~uint64_t(0));
  EXPECT_EQ(zeros, ~uint64_t(0));
  EXPECT_TRUE(isSmall && isLarge && isNegative);
}

TEST(InitialBytes, EdgesAreFewSoThatTheyMeet) {
  const std::vector<uint8_t> bytes =
      initialBytes(bufferOf({ScalarType::I16, ScalarType::I16}, FillEdges{}), 1, InputStyle::Seeded,
                   Poison::Positive, {});
  std::set<int16_t> values;
  bool doLowestMeet = false;
  for (size_t at = 0; at < bytes.size(); at += 4) {
    int16_t pair[2];
    std::memcpy(pair, &bytes[at], 4);
    values.insert(pair[0]);
    doLowestMeet |= pair[0] == -32768 && pair[1] == -32768;
  }
  EXPECT_EQ(values, (std::set<int16_t>{-32768, -32767, -1, 0, 1, 2, 3, 255, 256, 257, 32767}));
  EXPECT_TRUE(doLowestMeet);
}

TEST(InitialBytes, DrawnOnesAreOfTheList) {
  FillDrawn drawn;
  drawn.integers = {int64_t(0x8000000000000001), 7};
  const std::vector<uint8_t> bytes =
      initialBytes(bufferOf({ScalarType::U64}, drawn), 1, InputStyle::Seeded, Poison::Positive, {});
  bool isFirst = false;
  for (size_t at = 0; at < bytes.size(); at += 8) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[at], 8);
    EXPECT_TRUE(bits == 7 || bits == 0x8000000000000001u);
    isFirst |= bits == 0x8000000000000001u;
  }
  EXPECT_TRUE(isFirst);
}

} // namespace
} // namespace lanewise::driver
