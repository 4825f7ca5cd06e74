// Random shaders before and after the canonical passes: the interpreter must leave the same bits
// and find nothing, and what they write must be valid. spirv-opt's passes stand before some, so
// that each pass meets the form that it works on.
#include "canonical.h"
#include "interpreted.h"
#include "random_branches.h"
#include "spirv/spirv_tools.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace lanewise {
namespace {

using Flags = std::vector<std::string>;

struct CanonicalRun {
  Flags before; ///< of spirv-opt
  std::vector<std::string_view> passes;
  bool unrolls = false; ///< every loop asks for it
};

const CanonicalRun kRuns[] = {
    {{}, {"gvn"}},
    {{"--merge-return", "--inline-entry-points-exhaustive", "--scalar-replacement=100",
      "--convert-local-access-chains", "--ssa-rewrite"},
     {"gvn"}},
    {{}, {"sroa", "mem2reg"}},
    {{"--merge-return", "--inline-entry-points-exhaustive"}, {"sroa", "mem2reg"}},
    {{}, {"inline", "globaldce"}},
    {{}, {"inline", "sroa", "mem2reg", "simplifycfg"}},
    {{}, {"inline", "sroa", "mem2reg", "adce"}},
    {{}, {"inline", "sroa", "mem2reg", "adce", "loop-deletion", "adce"}},
    {{},
     {"inline", "globaldce", "sroa", "mem2reg", "gvn", "simplifycfg", "gvn", "simplifycfg",
      "adce"}},
    {{}, {"inline", "sroa", "mem2reg", "gvn", "simplifycfg", "adce", "loop-deletion"}},
    {{}, {"inline", "sroa", "mem2reg", "gvn", "simplifycfg", "loop-unroll-full"}, true},
    {{"--merge-return", "--inline-entry-points-exhaustive", "--scalar-replacement=100",
      "--convert-local-access-chains", "--ssa-rewrite"},
     {"loop-unroll-full", "gvn", "simplifycfg", "sroa", "mem2reg", "adce"},
     true},
};

/// Every loop gets the hint.
std::string hinted(std::string text) {
  const std::string hint = "[[unroll]] ";
  for (size_t at = text.find("for ("); at != std::string::npos;
       at = text.find("for (", at + hint.size() + 1))
    text.insert(at, hint);
  return text.insert(text.find('\n') + 1, "#extension GL_EXT_control_flow_attributes : require\n");
}

void expectSameBits(uint32_t seed, const std::vector<uint32_t>& before,
                    const std::vector<uint32_t>& after) {
  test::Interpreted first;
  std::mt19937 random(seed);
  first.buffers = {std::vector<uint32_t>(64), std::vector<uint32_t>(128), std::vector<uint32_t>(8)};
  for (auto& buffer : first.buffers)
    for (uint32_t& word : buffer) word = uint32_t(random()) >> (random() % 32);
  first.pushConstants = {3, uint32_t(random()), 1, 0};
  test::Interpreted second = first;
  ASSERT_TRUE(first.run(before));
  ASSERT_TRUE(second.run(after));
  ASSERT_EQ(first.findings(), "") << "the shader itself is wrong";
  ASSERT_EQ(second.findings(), "");
  ASSERT_EQ(first.buffers, second.buffers);
}

class CanonicalRandom : public ::testing::TestWithParam<CanonicalRun> {};

TEST_P(CanonicalRandom, LeavesTheSameBits) {
  constexpr spv_target_env kEnv = SPV_ENV_VULKAN_1_1;
  size_t changed = 0;
  for (uint32_t seed = 1; seed <= 12 && !HasFailure(); ++seed) {
    std::string text = test::RandomBranches(seed).text();
    if (GetParam().unrolls) text = hinted(std::move(text));
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    std::vector<uint32_t> before = test::compileGlsl(text, "vulkan1.1");
    if (!GetParam().before.empty()) {
      Result<driver::Words> prepared =
          driver::runSpirvOpt(before, GetParam().before, {.env = kEnv});
      ASSERT_TRUE(prepared) << prepared.error().message;
      before = std::move(*prepared);
    }
    const std::vector<uint32_t> after = test::runPasses(before, GetParam().passes);
    changed += after != before ? 1 : 0;
    ASSERT_TRUE(test::validate(after, kEnv));
    expectSameBits(seed, before, after);
  }
  EXPECT_GT(changed, 6u);
}

std::string nameOfRun(const ::testing::TestParamInfo<CanonicalRun>& run) {
  std::string name;
  for (std::string_view pass : run.param.passes) name += std::string(pass) + "_";
  std::replace(name.begin(), name.end(), '-', '_');
  return name + (run.param.before.empty() ? "Alone" : "BehindOthers");
}

INSTANTIATE_TEST_SUITE_P(Passes, CanonicalRandom, ::testing::ValuesIn(kRuns), nameOfRun);

} // namespace
} // namespace lanewise
