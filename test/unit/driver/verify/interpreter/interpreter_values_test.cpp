// Families of instructions, bit for bit against the Vulkan CPU device, in every order of lanes.
#include "interpreted.h"
#include "interpreter_families.h"
#include "verify/device/device_host.h"
#include "verify/interpreter/lower/lower_program.h"
#include "verify/program/runner.h"

#include <cstring>
#include <random>

namespace {

using namespace lanewise;
using namespace lanewise::test;

class InterpreterValues : public testing::TestWithParam<Family> {
protected:
  static constexpr uint32_t kGroups = 2, kLanes = 64, kOutputs = 32;

  void SetUp() override {
    std::mt19937 random(7);
    inputs_ = {std::vector<uint32_t>(256), std::vector<uint32_t>(4352),
               std::vector<uint32_t>(4096)};
    for (uint32_t& word : inputs_[0]) word = uint32_t(random()) >> (random() % 24);
    words_ = compileGlsl(GetParam().text());
    Result<driver::Reflection> reflection = driver::reflect(words_, "main", {});
    ASSERT_TRUE(reflection) << reflection.error().str();
    runOnDevice(*reflection);
  }

  // Fills `expected_`, or leaves it empty where the device cannot run it.
  void runOnDevice(const driver::Reflection& reflection) {
    driver::RunnerOptions options;
    options.device = "cpu";
    auto runner = driver::openRunner(options);
    if (!runner) GTEST_SKIP() << runner.error().message;
    subgroup_ = (*runner)->device().subgroupSize;
    driver::Program program;
    program.shaders.push_back({"values", words_, {}, reflection});
    program.dispatches.push_back({0, {kGroups, 1, 1}, {}, {}});
    for (const driver::ReflectedBinding& binding : reflection.bindings)
      program.dispatches[0].bindings.push_back({0, binding.binding, binding.binding});
    std::vector<uint64_t> sizes;
    std::vector<driver::BufferInput> contents;
    for (const std::vector<uint32_t>& buffer : inputs_) {
      sizes.push_back(buffer.size() * 4);
      contents.push_back(
          {{reinterpret_cast<const uint8_t*>(buffer.data()), buffer.size() * 4}, {}});
    }
    ASSERT_FALSE((*runner)->makeBuffers(sizes));
    if (auto failed = (*runner)->addProgram(program)) GTEST_SKIP() << failed->message;
    std::vector<std::vector<uint8_t>> outputs;
    auto failed = (*runner)->run(0, contents, std::vector<uint32_t>{0, 1, 2}, outputs);
    ASSERT_FALSE(failed) << failed->message;
    for (const std::vector<uint8_t>& bytes : outputs) {
      expected_.emplace_back(bytes.size() / 4);
      std::memcpy(expected_.back().data(), bytes.data(), bytes.size());
    }
  }

  std::vector<std::vector<uint32_t>> inputs_, expected_;
  std::vector<uint32_t> words_;
  uint32_t subgroup_ = 8;
};

TEST_P(InterpreterValues, EqualToTheDevice) {
  for (interp::MachineOptions options : allOrders()) {
    if (options.subgroupSize != 32) continue;
    options.subgroupSize = subgroup_;
    Interpreted it;
    it.buffers = inputs_;
    it.groups = {kGroups, 1, 1};
    it.options = options;
    ASSERT_TRUE(it.run(words_));
    EXPECT_EQ(it.findings(), "");
    for (uint32_t word = 0; word < it.buffers[1].size(); ++word)
      ASSERT_EQ(it.buffers[1][word], expected_[1][word])
          << "invocation " << word / kOutputs << ", result " << word % kOutputs << ", order "
          << int(options.order);
    EXPECT_EQ(it.buffers[2], expected_[2]);
  }
}

// A block that leaves the loop belongs to the iteration that it leaves: lanes that leave in
// different iterations are not together there (maximal reconvergence). The CPU device of 2022 gives
// all lanes the sum of the last iteration, so the answer is computed here.
TEST(InterpreterSubgroups, LanesThatLeaveALoopTogether) {
  std::vector<uint32_t> words =
      compileGlsl("#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : require\n"
                  "#extension GL_KHR_shader_subgroup_ballot : require\n"
                  "layout(local_size_x = 64) in;\nlayout(binding = 0) buffer A { uint a[]; };\n"
                  "void main() { uint l = gl_LocalInvocationIndex, mine = l * 7u % 5u;\n"
                  "for (;;) { if (subgroupBroadcastFirst(mine) == mine) {\n"
                  "a[l] = subgroupAdd(l); break; } } }");
  for (const interp::MachineOptions& options : allOrders()) {
    Interpreted it;
    it.buffers = {std::vector<uint32_t>(64)};
    it.options = options;
    ASSERT_TRUE(it.run(words));
    for (uint32_t l = 0; l < 64; ++l) {
      uint32_t sum = 0, size = std::min(options.subgroupSize, 64u);
      for (uint32_t k = l / size * size; k < (l / size + 1) * size; ++k)
        if (k * 7 % 5 == l * 7 % 5) sum += k;
      EXPECT_EQ(it.buffers[0][l], sum) << "invocation " << l << ", subgroup " << size;
    }
  }
}

TEST(InterpreterAddresses, PhysicalPointers) {
  std::vector<uint32_t> words =
      compileGlsl("#version 450\n#extension GL_EXT_buffer_reference : require\n"
                  "#extension GL_EXT_buffer_reference_uvec2 : require\n"
                  "layout(local_size_x = 8) in;\n"
                  "layout(buffer_reference, std430) buffer Words { uint w[]; };\n"
                  "layout(binding = 0) buffer A { uvec2 address; uint a[]; };\n"
                  "void main() { uint l = gl_LocalInvocationIndex; Words p = Words(address);\n"
                  "p.w[l] = l * 3u + p.w[l + 8u]; }");
  Interpreted it;
  uint64_t address = interp::deviceAddress(1) + 16;
  it.buffers = {{uint32_t(address), uint32_t(address >> 32), 0}, std::vector<uint32_t>(20, 5)};
  ASSERT_TRUE(it.run(words));
  EXPECT_EQ(it.findings(), "");
  for (uint32_t l = 0; l < 8; ++l) EXPECT_EQ(it.buffers[1][4 + l], l * 3 + 5);
  it.buffers[0][1] = 0x7FFF;
  ASSERT_TRUE(it.run(words));
  EXPECT_TRUE(it.has(interp::FindingKind::OutOfRange, 8)) << it.findings();
}

TEST(InterpreterRefusals, ByName) {
  auto refusal = [](const std::string& text) {
    auto program = interp::lowerProgram(compileGlsl(text), {});
    return program ? std::string("not refused") : program.error().message;
  };
  EXPECT_EQ(refusal("#version 450\n#extension GL_ARB_shader_clock : require\n"
                    "layout(local_size_x = 8) in;\nlayout(binding = 0) buffer A { uvec2 a; };\n"
                    "void main() { a = clock2x32ARB(); }"),
            "the interpreter does not support OpReadClockKHR");
}

// Modules that no GLSL gives. `head` stands before the types, `extra` behind them, `body` in main.
std::string refusalOf(const std::string& head, const std::string& extra, const std::string& body) {
  auto program = interp::lowerProgram(assemble("OpCapability Shader\nOpCapability Float16\n"
                                               "OpCapability GroupNonUniformArithmetic\n" +
                                               head + R"(
       %void = OpTypeVoid
       %type = OpTypeFunction %void
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
       %half = OpTypeFloat 16
       %zero = OpConstant %uint 0
        %one = OpConstant %uint 1
      %three = OpConstant %uint 3
       %real = OpConstant %float 1.3
)" + extra + R"(
       %main = OpFunction %void None %type
      %entry = OpLabel
)" + body + R"(
               OpReturn
               OpFunctionEnd
)"),
                                      {});
  return program ? std::string("not refused") : program.error().message;
}

std::string headOf(const std::string& capabilities, const std::string& modes,
                   const std::string& interface = "") {
  return capabilities + "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" " +
         interface + "\nOpExecutionMode %main LocalSize 8 1 1\n" + modes;
}

TEST(InterpreterRefusals, PointerChainsIntoCells) {
  for (std::string storage : {"Function", "Private"}) {
    bool isFunction = storage == "Function";
    std::string variable = "%v = OpVariable %pointer " + storage + "\n";
    std::string extra = "%pointer = OpTypePointer " + storage + " %uint\n";
    EXPECT_EQ(refusalOf(headOf("OpCapability VariablePointers\n", ""),
                        extra + (isFunction ? "" : variable),
                        (isFunction ? variable : "") + "%p = OpPtrAccessChain %pointer %v %one\n"),
              "the interpreter does not support OpPtrAccessChain into Function or Private memory");
  }
}

TEST(InterpreterRefusals, PartitionedReductions) {
  EXPECT_EQ(refusalOf(headOf("OpCapability GroupNonUniformPartitionedNV\n", ""), "", ""),
            "the interpreter does not support capability GroupNonUniformPartitionedNV");
  std::string reduce = "%r = OpGroupNonUniformIAdd %uint %three ";
  EXPECT_EQ(refusalOf(headOf("", ""), "", reduce + "PartitionedReduceNV %one %zero\n"),
            "the interpreter does not support OpGroupNonUniformIAdd over partitions");
  EXPECT_EQ(refusalOf(headOf("", ""), "", reduce + "Reduce %one\n"), "not refused");
}

TEST(InterpreterRefusals, ExecutionModes) {
  for (std::string mode : {"RoundingModeRTE", "DenormPreserve", "SignedZeroInfNanPreserve"})
    EXPECT_EQ(
        refusalOf(headOf("OpCapability " + mode + "\nOpExtension \"SPV_KHR_float_controls\"\n",
                         "OpExecutionMode %main " + mode + " 32\n"),
                  "", ""),
        "not refused");
  for (std::string mode : {"RoundingModeRTZ", "DenormFlushToZero"})
    EXPECT_EQ(
        refusalOf(headOf("OpCapability " + mode + "\nOpExtension \"SPV_KHR_float_controls\"\n",
                         "OpExecutionMode %main " + mode + " 32\n"),
                  "", ""),
        "the interpreter does not support capability " + mode);
  EXPECT_EQ(refusalOf(headOf("", "OpExecutionMode %main LocalSizeHint 8 1 1\n"), "", ""),
            "the interpreter does not support execution mode LocalSizeHint");
}

TEST(InterpreterRefusals, RoundingOfConversions) {
  auto converted = [](const std::string& mode) {
    return refusalOf(headOf("", "") + "OpDecorate %c FPRoundingMode " + mode + "\n", "",
                     "%c = OpFConvert %half %real\n");
  };
  EXPECT_EQ(converted("RTE"), "not refused");
  EXPECT_EQ(converted("RTZ"), "not refused");
  EXPECT_EQ(converted("RTP"), "the interpreter does not support OpFConvert with FPRoundingMode 2");
}

TEST(InterpreterRefusals, BuiltIns) {
  auto reading = [](const std::string& builtIn) {
    return refusalOf(headOf("", "", "%input") + "OpDecorate %input BuiltIn " + builtIn + "\n",
                     "%inputs = OpTypePointer Input %uint\n%input = OpVariable %inputs Input\n",
                     "%v = OpLoad %uint %input\n");
  };
  EXPECT_EQ(reading("SubgroupId"), "not refused");
  EXPECT_EQ(reading("DeviceIndex"), "the interpreter does not support built-in number 4438");
}

// 1.3 lies between two halves, nearer to the lower one; 1.3004 nearer to the upper one.
TEST(InterpreterFloats, RoundAsDecorated) {
  for (auto [decoration, expected] : {std::pair{"", 0x3D34u},
                                      {"OpDecorate %c FPRoundingMode RTE\n", 0x3D34u},
                                      {"OpDecorate %c FPRoundingMode RTZ\n", 0x3D33u}}) {
    Interpreted it;
    it.buffers = {{0}};
    ASSERT_TRUE(it.run(assemble(std::string("OpCapability Shader\nOpCapability Float16\n"
                                            "OpMemoryModel Logical GLSL450\n"
                                            "OpEntryPoint GLCompute %main \"main\"\n"
                                            "OpExecutionMode %main LocalSize 1 1 1\n"
                                            "OpDecorate %block Block\n"
                                            "OpMemberDecorate %block 0 Offset 0\n"
                                            "OpDecorate %b DescriptorSet 0\n"
                                            "OpDecorate %b Binding 0\n") +
                                decoration + R"(
       %void = OpTypeVoid
       %type = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
       %half = OpTypeFloat 16
      %halves = OpTypeVector %half 2
      %block = OpTypeStruct %uint
     %blocks = OpTypePointer StorageBuffer %block
      %words = OpTypePointer StorageBuffer %uint
          %b = OpVariable %blocks StorageBuffer
       %zero = OpConstant %uint 0
       %none = OpConstant %half 0
       %real = OpConstant %float 1.3004
       %main = OpFunction %void None %type
      %entry = OpLabel
          %c = OpFConvert %half %real
       %pair = OpCompositeConstruct %halves %c %none
       %word = OpBitcast %uint %pair
          %p = OpAccessChain %words %b %zero
               OpStore %p %word
               OpReturn
               OpFunctionEnd
)")));
    EXPECT_EQ(it.buffers[0][0], expected) << decoration;
  }
}

// docs/design/interpreter.md, "What it does not see".
TEST(InterpreterPromises, NotSeenBrokenPromises) {
  Interpreted it;
  it.buffers = {std::vector<uint32_t>(8, INT32_MAX)};
  ASSERT_TRUE(it.run(assemble(R"(
               OpCapability Shader
               OpCapability GroupNonUniformBallot
               OpCapability ExpectAssumeKHR
               OpExtension "SPV_KHR_expect_assume"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %index %b
               OpExecutionMode %main LocalSize 8 1 1
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %array ArrayStride 4
               OpDecorate %b DescriptorSet 0
               OpDecorate %b Binding 0
               OpDecorate %sum NoSignedWrap
       %void = OpTypeVoid
       %type = OpTypeFunction %void
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
      %input = OpTypePointer Input %uint
      %index = OpVariable %input Input
      %array = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %array
     %blocks = OpTypePointer StorageBuffer %block
      %words = OpTypePointer StorageBuffer %uint
          %b = OpVariable %blocks StorageBuffer
       %zero = OpConstant %uint 0
        %one = OpConstant %uint 1
   %subgroup = OpConstant %uint 3
         %no = OpConstantFalse %bool
       %main = OpFunction %void None %type
      %entry = OpLabel
         %at = OpLoad %uint %index
       %word = OpAccessChain %words %b %zero %at
       %most = OpLoad %uint %word
        %sum = OpIAdd %uint %most %one
               OpAssumeTrueKHR %no
    %varying = OpGroupNonUniformBroadcast %uint %subgroup %sum %at
               OpStore %word %varying
               OpReturn
               OpFunctionEnd
)",
                              SPV_ENV_UNIVERSAL_1_6)));
  EXPECT_EQ(it.findings(), "");
  for (uint32_t word : it.buffers[0]) EXPECT_EQ(word, uint32_t(INT32_MAX) + 1);
}

INSTANTIATE_TEST_SUITE_P(Families, InterpreterValues, testing::ValuesIn(kFamilies),
                         [](const auto& info) { return std::string(info.param.name); });

} // namespace
