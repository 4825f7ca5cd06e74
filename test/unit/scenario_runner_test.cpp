// The paths that a GPU takes and a CPU device does not: staging buffers, several chunks, restoring.
#include "assemble.h"
#include "verify/runner.h"

#include <gtest/gtest.h>
#include <numeric>

namespace lanewise::driver {
namespace {

// data[i] += 1 for the first 64 words.
Words increment() {
  return test::assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %lid %data
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %lid BuiltIn LocalInvocationId
OpDecorate %array ArrayStride 4
OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v3uint = OpTypeVector %uint 3
%in = OpTypePointer Input %v3uint
%in_uint = OpTypePointer Input %uint
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%array = OpTypeRuntimeArray %uint
%Block = OpTypeStruct %array
%ptr = OpTypePointer StorageBuffer %Block
%ptr_uint = OpTypePointer StorageBuffer %uint
%lid = OpVariable %in Input
%data = OpVariable %ptr StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpAccessChain %in_uint %lid %u0
%i = OpLoad %uint %x
%at = OpAccessChain %ptr_uint %data %u0 %i
%old = OpLoad %uint %at
%new = OpIAdd %uint %old %u1
OpStore %at %new
OpReturn
OpFunctionEnd
)");
}

class RunnerPaths : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    RunnerOptions options;
    options.device = "cpu";
    options.validationLayer = true;
    options.alwaysStages = GetParam();
    Result<std::unique_ptr<Runner>> opened = Runner::open(options);
    ASSERT_TRUE(opened) << opened.error().message;
    runner_ = std::move(*opened);
    Words words = increment();
    Result<Reflection> reflection = reflect(words, "main", {});
    ASSERT_TRUE(reflection) << reflection.error().str();
    program_.name = "increment";
    program_.shaders.push_back({"increment", words, {}, *reflection});
    program_.dispatches.push_back({0, {1, 1, 1}, {{0, 0, 0}}, {}});
  }
  void TearDown() override {
    if (!runner_) return;
    EXPECT_EQ(runner_->takeValidationErrors(), std::vector<std::string>());
  }

  std::unique_ptr<Runner> runner_;
  Program program_;
};

// Larger than one staging chunk, and no multiple of it nor of a word.
TEST_P(RunnerPaths, LargeBuffersComeBackWhole) {
  constexpr uint64_t kBytes = (uint64_t(64) << 20) + (uint64_t(1) << 20) + 3;
  ASSERT_FALSE(runner_->makeBuffers(std::vector<uint64_t>{kBytes}));
  ASSERT_FALSE(runner_->addProgram(program_));
  std::vector<uint8_t> bytes(kBytes);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = uint8_t(i * 7 + (i >> 16));
  std::vector<BufferInput> inputs{{bytes, {}}};
  std::vector<std::vector<uint8_t>> outputs;
  RunStatus failed = runner_->run(0, inputs, std::vector<uint32_t>{0}, outputs);
  ASSERT_FALSE(failed) << failed->message;
  ASSERT_EQ(outputs[0].size(), kBytes);
  EXPECT_EQ(outputs[0][0], uint8_t(bytes[0] + 1));
  EXPECT_TRUE(std::equal(bytes.begin() + 256, bytes.end(), outputs[0].begin() + 256));
}

TEST_P(RunnerPaths, FillReachesEveryByte) {
  ASSERT_FALSE(runner_->makeBuffers(std::vector<uint64_t>{259}));
  ASSERT_FALSE(runner_->addProgram(program_));
  std::vector<BufferInput> inputs{{{}, uint8_t(0xFA)}};
  std::vector<std::vector<uint8_t>> outputs;
  ASSERT_FALSE(runner_->run(0, inputs, std::vector<uint32_t>{0}, outputs));
  EXPECT_EQ(outputs[0][0], 0xFB);
  EXPECT_EQ(outputs[0][256], 0xFA);
  EXPECT_EQ(outputs[0][258], 0xFA);
}

TEST_P(RunnerPaths, TimingPutsInputsBackAndRunsAsOftenAsAsked) {
  ASSERT_FALSE(runner_->makeBuffers(std::vector<uint64_t>{256}));
  ASSERT_FALSE(runner_->addProgram(program_));
  std::vector<uint8_t> zeros(256);
  std::vector<BufferInput> inputs{{zeros, {}}};
  for (bool isRestored : {true, false}) {
    std::vector<uint32_t> restored;
    if (isRestored) restored.push_back(0);
    ASSERT_FALSE(runner_->beginTiming(inputs, restored));
    double microseconds = 0;
    for (uint32_t repetitions : {1, 5, 5}) {
      RunStatus failed = runner_->time(0, repetitions, microseconds);
      ASSERT_FALSE(failed) << failed->message;
      EXPECT_GT(microseconds, 0);
    }
    EXPECT_EQ(runner_->contents(0)[0], isRestored ? 1 : 11);
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, RunnerPaths, testing::Bool(),
                         [](const auto& info) { return info.param ? "Staged" : "HostVisible"; });

} // namespace
} // namespace lanewise::driver
