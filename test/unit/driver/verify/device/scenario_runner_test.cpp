// The paths that a GPU takes and a CPU device does not: staging buffers, several chunks, restoring.
#include "assemble.h"
#include "input/front_end.h"
#include "verify/device/device_host.h"
#include "verify/program/runner.h"

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
    Result<std::unique_ptr<Runner>> opened = openRunner(options);
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

TEST_P(RunnerPaths, WhatIsLeftOutKeepsWhatItHolds) {
  ASSERT_FALSE(runner_->makeBuffers(std::vector<uint64_t>{256, 256}));
  ASSERT_FALSE(runner_->addProgram(program_));
  std::vector<BufferInput> inputs{{{}, uint8_t(1)}, {{}, uint8_t(7)}};
  std::vector<std::vector<uint8_t>> outputs;
  ASSERT_FALSE(runner_->run(0, inputs, std::vector<uint32_t>{0, 1}, outputs));
  EXPECT_GT(runner_->secondsOfRun(), 0);
  inputs[1].fill.reset();
  ASSERT_TRUE(inputs[1].isLeftOut());
  ASSERT_FALSE(runner_->run(0, inputs, std::vector<uint32_t>{0, 1}, outputs));
  EXPECT_EQ(outputs[0][0], 2);
  EXPECT_EQ(outputs[1], std::vector<uint8_t>(256, 7));
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

// Images and texel buffers go the same ways. The shader adds 1 to the first row of the first level
// and layer, and to the first texels of the buffer.
class RunnerImages : public RunnerPaths {
protected:
  void SetUp() override {
    RunnerPaths::SetUp();
    CompileRequest request;
    request.name = "images.comp";
    request.stage = "comp";
    request.text = R"(#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, r16ui) uniform uimage2DArray picture;
layout(set = 0, binding = 1, r32ui) uniform uimageBuffer row;
void main() {
  int i = int(gl_LocalInvocationIndex);
  imageStore(picture, ivec3(i, 0, 0), imageLoad(picture, ivec3(i, 0, 0)) + 1u);
  imageAtomicAdd(row, i, 1u);
}
)";
    Result<Compiled> compiled = compileSource(request, LoadOptions());
    ASSERT_TRUE(compiled && compiled->errors.empty());
    Result<Reflection> reflection = reflect(compiled->words, "main", {});
    ASSERT_TRUE(reflection);
    program_.shaders[0] = {"images", compiled->words, {}, *reflection};
    program_.dispatches[0].bindings = {{0, 0, 0}, {0, 1, 1}};
    picture_.format = ImageFormat::R16ui;
    picture_.width = 9, picture_.height = 5, picture_.levels = 3;
    picture_.layers = 3, picture_.isArray = true;
    row_.format = ImageFormat::R32ui;
    row_.dimension = ImageDimension::Buffer;
    row_.width = 11;
    std::vector<ResourceShape> shapes{{picture_.bytes(), picture_}, {row_.bytes(), row_}};
    RunStatus failed = runner_->makeResources(shapes);
    ASSERT_FALSE(failed) << failed->message;
    failed = runner_->addProgram(program_);
    ASSERT_FALSE(failed) << failed->message;
  }
  ImageShape picture_, row_;
};

TEST_P(RunnerImages, ComeBackWhole) {
  std::vector<uint8_t> picture(picture_.bytes()), row(row_.bytes());
  for (size_t i = 0; i < picture.size(); ++i) picture[i] = uint8_t(i * 7);
  for (size_t i = 0; i < row.size(); ++i) row[i] = uint8_t(i * 5);
  std::vector<BufferInput> inputs{{picture, {}}, {row, {}}};
  std::vector<std::vector<uint8_t>> outputs;
  ASSERT_FALSE(runner_->run(0, inputs, std::vector<uint32_t>{0, 1}, outputs));
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(outputs[0][2 * i], uint8_t(picture[2 * i] + 1));
    EXPECT_EQ(outputs[1][4 * i], uint8_t(row[4 * i] + 1));
  }
  EXPECT_TRUE(std::equal(picture.begin() + 16, picture.end(), outputs[0].begin() + 16));
  EXPECT_TRUE(std::equal(row.begin() + 32, row.end(), outputs[1].begin() + 32));
}

TEST_P(RunnerImages, FillReachesEveryTexelOfEveryLevel) {
  std::vector<BufferInput> inputs{{{}, uint8_t(0x7B)}, {{}, uint8_t(0x7B)}};
  std::vector<std::vector<uint8_t>> outputs;
  ASSERT_FALSE(runner_->run(0, inputs, std::vector<uint32_t>{0, 1}, outputs));
  EXPECT_EQ(outputs[0][0], 0x7C);
  for (size_t i = 16; i < outputs[0].size(); ++i) ASSERT_EQ(outputs[0][i], 0x7B) << i;
  for (size_t i = 32; i < outputs[1].size(); ++i) ASSERT_EQ(outputs[1][i], 0x7B) << i;
}

TEST_P(RunnerImages, TimingPutsThemBack) {
  std::vector<uint8_t> picture(picture_.bytes()), row(row_.bytes());
  std::vector<BufferInput> inputs{{picture, {}}, {row, {}}};
  for (bool isRestored : {true, false}) {
    std::vector<uint32_t> restored;
    if (isRestored) restored = {0, 1};
    ASSERT_FALSE(runner_->beginTiming(inputs, restored));
    double microseconds = 0;
    for (uint32_t repetitions : {1, 5, 5}) {
      RunStatus failed = runner_->time(0, repetitions, microseconds);
      ASSERT_FALSE(failed) << failed->message;
    }
    EXPECT_EQ(runner_->contents(0)[0], isRestored ? 1 : 11);
    EXPECT_EQ(runner_->contents(1)[0], isRestored ? 1 : 11);
  }
}

TEST_P(RunnerImages, FormatsThatTheDeviceLacksAreTold) {
  ImageShape shape = picture_;
  shape.format = ImageFormat::R64ui;
  std::vector<ResourceShape> shapes{{shape.bytes(), shape}, {row_.bytes(), row_}};
  RunStatus failed = runner_->makeResources(shapes);
  if (!failed) failed = runner_->addProgram(program_);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->kind, RunFailure::Kind::Unsupported);
  EXPECT_NE(failed->message.find("r64ui"), std::string::npos) << failed->message;
  shape.format = ImageFormat::R8;
  shape.width = 1 << 20;
  shapes = {{shape.bytes(), shape}, {row_.bytes(), row_}};
  failed = runner_->makeResources(shapes);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->kind, RunFailure::Kind::Unsupported);
}

INSTANTIATE_TEST_SUITE_P(Memory, RunnerImages, testing::Bool(),
                         [](const auto& info) { return info.param ? "Staged" : "HostVisible"; });
INSTANTIATE_TEST_SUITE_P(Memory, RunnerPaths, testing::Bool(),
                         [](const auto& info) { return info.param ? "Staged" : "HostVisible"; });

} // namespace
} // namespace lanewise::driver
