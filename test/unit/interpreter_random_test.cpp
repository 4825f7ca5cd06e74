// The interpreter and Mesa's CPU device leave the same bits.
#include "interpreted.h"
#include "random_program.h"
#include "verify/runner.h"

#include <cstring>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

std::vector<uint8_t> bytesOf(const std::vector<uint32_t>& words) {
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
    Result<std::unique_ptr<Runner>> opened = Runner::open(options);
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
      contents.push_back(bytesOf(buffers[b]));
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

constexpr uint32_t kGroups = 2, kPrograms = 60;

TEST_F(InterpreterAgainstDevice, RandomProgramsAgreeInEveryBit) {
  constexpr uint32_t kInvocations = kGroups * test::RandomProgram::kLanes;
  for (uint32_t seed = 1; seed <= kPrograms; ++seed) {
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
    for (size_t b = 1; b < 3; ++b)
      for (size_t i = 0; i < expected[b].size(); ++i)
        ASSERT_EQ(interpreted.buffers[b][i], expected[b][i])
            << "seed " << seed << ", buffer " << b << ", word " << i << "\n" << text;
  }
}

} // namespace
} // namespace lanewise::driver
