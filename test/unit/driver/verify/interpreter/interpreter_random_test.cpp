// The interpreter and Mesa's CPU device leave the same bits.
#include "interpreted.h"
#include "random_program.h"
#include "seeds.h"
#include "verify/device/device_host.h"
#include "verify/formats/float_bits.h"
#include "verify/program/runner.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

std::vector<uint8_t> bytesOfWords(const std::vector<uint32_t>& words) {
  std::vector<uint8_t> bytes(4 * words.size());
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::vector<uint32_t> wordsOf(const std::vector<uint8_t>& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

class InterpreterAgainstDevice : public testing::Test {
protected:
  void SetUp() override {
    RunnerOptions options;
    options.device = "cpu";
    Result<std::unique_ptr<Runner>> opened = openRunner(options);
    ASSERT_TRUE(opened) << opened.error().message;
    runner_ = std::move(*opened);
  }

  std::vector<std::vector<uint32_t>> runOnDevice(const Words& words, uint32_t groups,
                                                 std::vector<std::vector<uint32_t>> buffers) {
    Result<Reflection> reflection = reflect(words, "main", {});
    EXPECT_TRUE(reflection) << reflection.error().str();
    Program program;
    program.name = "random";
    program.shaders.push_back({"random", words, {}, *reflection});
    ProgramDispatch dispatch;
    dispatch.groups = {groups, 1, 1};
    std::vector<std::vector<uint8_t>> contents, outputs;
    std::vector<uint64_t> sizes;
    std::vector<uint32_t> all;
    for (uint32_t b = 0; b < buffers.size(); ++b) {
      contents.push_back(bytesOfWords(buffers[b]));
      sizes.push_back(contents[b].size());
      if (reflection->findBinding(0, b)) dispatch.bindings.push_back({0, b, b});
      all.push_back(b);
    }
    program.dispatches.push_back(dispatch);
    std::vector<BufferInput> inputs;
    for (const auto& bytes : contents) inputs.push_back({bytes, {}});
    RunStatus failed = runner_->makeBuffers(sizes);
    if (!failed) failed = runner_->addProgram(program);
    if (!failed) failed = runner_->run(0, inputs, all, outputs);
    EXPECT_FALSE(failed) << failed->message;
    if (failed) return {};
    for (uint32_t b = 0; b < buffers.size(); ++b) buffers[b] = wordsOf(outputs[b]);
    return buffers;
  }

  std::unique_ptr<Runner> runner_;
};

// "buffer 1, word 3: 5 against 7", or nothing.
std::string firstDifference(const std::vector<std::vector<uint32_t>>& left,
                            const std::vector<std::vector<uint32_t>>& right) {
  for (size_t b = 0; b < left.size(); ++b)
    for (size_t i = 0; i < left[b].size(); ++i)
      if (left[b][i] != right[b][i])
        return "buffer " + std::to_string(b) + ", word " + std::to_string(i) + ": " +
               std::to_string(left[b][i]) + " against " + std::to_string(right[b][i]);
  return {};
}

constexpr uint32_t kGroups = 2;

TEST_F(InterpreterAgainstDevice, RandomProgramsAgreeInEveryBit) {
  constexpr uint32_t kInvocations = kGroups * test::RandomProgram::kLanes;
  for (uint32_t seed : test::Seeds(24)) {
    std::string text = test::RandomProgram(seed).text();
    Words words = test::compileGlsl(text);
    ASSERT_FALSE(words.empty()) << text;
    std::mt19937 random(seed);
    test::Interpreted interpreted;
    interpreted.groups = {kGroups, 1, 1};
    interpreted.options.subgroupSize = runner_->device().subgroupSize;
    interpreted.buffers = {std::vector<uint32_t>(kInvocations),
                           std::vector<uint32_t>(8 * kInvocations), std::vector<uint32_t>(8)};
    for (uint32_t& word : interpreted.buffers[0]) word = uint32_t(random());
    auto expected = runOnDevice(words, kGroups, interpreted.buffers);
    ASSERT_FALSE(expected.empty()) << text;
    ASSERT_TRUE(interpreted.run(words)) << text;
    EXPECT_EQ(interpreted.findings(), "") << "seed " << seed << "\n" << text;
    EXPECT_EQ(firstDifference(interpreted.buffers, expected), "") << "seed " << seed << "\n"
                                                                  << text;
  }
}

// How far Vulkan lets a device be off ("Precision of GLSL.std.450 Instructions"), in units of the
// last place or absolutely. The interpreter's own result is within one of these units.
struct PrecisionCase {
  const char* expression;    // of x and y
  float low, high;           // operands
  double ulps;               // 0: correctly rounded or exact
  double absolute = 0;       // allowed in any case
  double ulpsPerOperand = 0; // times |x|
};

TEST_F(InterpreterAgainstDevice, FloatFunctionsDifferByNoMoreThanVulkanAllows) {
  const PrecisionCase cases[] = {
      {"x + y", -1e6f, 1e6f, 0},
      {"x * y", -1e6f, 1e6f, 0},
      {"x / y", 0.01f, 1e6f, 2.5},
      {"abs(x) + sign(y)", -10, 10, 0},
      {"floor(x) * ceil(y)", -100, 100, 0},
      {"roundEven(x) + trunc(y)", -100, 100, 0},
      {"min(x, y) - max(x, y)", -100, 100, 0},
      {"step(x, y)", -1, 1, 0},
      {"sqrt(x)", 0.01f, 1e6f, 4.5}, // 1 / inversesqrt(x)
      {"inversesqrt(x)", 0.01f, 1e6f, 2},
      {"exp(x)", -20, 20, 3, 0, 2},
      {"exp2(x)", -20, 20, 3, 0, 2},
      {"log(x)", 3, 1e6f, 3},
      {"log(x)", 0.5f, 2, 0, 0x1p-21},
      {"log2(x)", 3, 1e6f, 3},
      {"log2(x)", 0.5f, 2, 0, 0x1p-21},
      {"sin(x)", -3.14f, 3.14f, 0, 0x1p-11},
      {"cos(x)", -3.14f, 3.14f, 0, 0x1p-11},
      {"atan(x)", -50, 50, 4096},
      {"atan(x, y)", 0.1f, 50, 4096},
      {"asin(x)", -0.9f, 0.9f, 4096, 0x1p-10},
      {"acos(x)", -0.9f, 0.9f, 4096, 0x1p-10},
      {"radians(x) + degrees(y)", -360, 360, 4, 1e-3}, // of a product and a sum
      {"fract(x)", -100, 100, 0},
      {"mix(x, y, 0.25)", 1, 100, 4},
      {"smoothstep(x, x + 1.0, y)", 0, 3, 64, 1e-5},
      {"length(vec3(x, y, 1))", -100, 100, 8},
      {"normalize(vec3(x, y, 1)).x", 0.1f, 100, 12},
      {"cross(vec3(x, y, 1), vec3(y, x, 2)).z", 1, 2, 0, 1e-6},
      {"reflect(vec2(x, y), vec2(0, 1)).y", 1, 100, 4},
      {"ldexp(x, int(y))", -10, 10, 0},
      {"unpackHalf2x16(packHalf2x16(vec2(x, y))).x", -1e4f, 1e4f, 0x1p13}, // either way of rounding
      {"unpackUnorm4x8(packUnorm4x8(vec4(x, y, x, y))).y", -1, 2, 2, 1 / 255.0},
      {"determinant(mat2(x, y, 1, 2))", 1, 2, 0, 1e-6},
  };
  std::mt19937 random(21);
  for (const PrecisionCase& c : cases) {
    Words words = test::compileGlsl(std::string(R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer S { vec2 source[]; };
layout(set = 0, binding = 1) buffer T { float target[]; };
void main() {
  float x = source[gl_LocalInvocationIndex].x, y = source[gl_LocalInvocationIndex].y;
  precise float result = )") + c.expression +
                                    ";\n  target[gl_LocalInvocationIndex] = result;\n}\n");
    ASSERT_FALSE(words.empty()) << c.expression;
    test::Interpreted interpreted;
    interpreted.buffers = {std::vector<uint32_t>(128), std::vector<uint32_t>(64)};
    std::uniform_real_distribution<float> draw(c.low, c.high);
    for (uint32_t& word : interpreted.buffers[0]) word = uint32_t(bitsOf(draw(random)));
    auto device = runOnDevice(words, 1, interpreted.buffers);
    ASSERT_FALSE(device.empty()) << c.expression;
    ASSERT_TRUE(interpreted.run(words)) << c.expression;
    EXPECT_EQ(interpreted.findings(), "") << c.expression;
    for (size_t i = 0; i < 64; ++i) {
      float x = floatOf(interpreted.buffers[0][2 * i]);
      float got = floatOf(interpreted.buffers[1][i]), other = floatOf(device[1][i]);
      double ulp = std::nextafter(std::fabs(got), HUGE_VALF) - std::fabs(got);
      double allowed = std::max(c.absolute, ulp * (c.ulps + c.ulpsPerOperand * std::fabs(x)));
      if (c.ulps != 0) allowed += ulp; // the interpreter's own
      ASSERT_LE(std::fabs(double(got) - double(other)), allowed)
          << c.expression << " at x = " << x
          << ", y = " << floatOf(interpreted.buffers[0][2 * i + 1]) << ": " << got << " against "
          << other;
    }
  }
}

} // namespace
} // namespace lanewise::driver
