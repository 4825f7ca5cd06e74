// Random shaders full of branches, before and after --branch-to-predication=always: the interpreter
// must leave the same bits, and find nothing that it did not find before. What branches guard is
// undefined without them: divisions by zero, indices out of range, shifts by too much, floats that
// do not fit.
#include "analysis/module/analyses.h"
#include "interpreted.h"
#include "pass.h"
#include "random_branches.h"
#include "seeds.h"
#include "spirv/spirv_tools.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace lanewise {
namespace {

constexpr uint32_t kLanes = 32;

struct Outcome {
  std::vector<uint32_t> words;
  std::map<std::string, size_t> verdicts; ///< remarks by name
  std::vector<std::string> applied;       ///< what they say of rewrites
};

Outcome predicate(const std::vector<uint32_t>& words, std::string_view mode,
                  bool explainsMissed = true) {
  Outcome outcome;
  Result<Module> module = Module::read(words);
  if (!module) {
    ADD_FAILURE() << module.error().message;
    return outcome;
  }
  const Assumptions assumptions;
  Analyses analyses(*module, assumptions);
  const TargetProfile target;
  Remarks remarks;
  PassContext context{.module = *module,
                      .analyses = analyses,
                      .target = target,
                      .assumptions = assumptions,
                      .mode = mode,
                      .maySite = [](std::string_view) { return true; },
                      .remarks = remarks,
                      .explainsMissed = explainsMissed};
  const PassResult done = runPass(*findPass("branch-to-predication"), context);
  if (!done) ADD_FAILURE() << done.error().str();
  for (const Remark& r : remarks) {
    outcome.verdicts[r.name] += r.count;
    if (r.kind == Remark::Kind::Applied) outcome.applied.push_back(r.message);
    EXPECT_EQ(r.message.empty(), !explainsMissed && r.kind == Remark::Kind::Missed);
  }
  outcome.words.assign(module->words().begin(), module->words().end());
  return outcome;
}

struct Environment {
  const char* name;
  spv_target_env env;
};
constexpr Environment kEnvironments[] = {{"vulkan1.0", SPV_ENV_VULKAN_1_0},
                                         {"vulkan1.1", SPV_ENV_VULKAN_1_1},
                                         {"vulkan1.2", SPV_ENV_VULKAN_1_2},
                                         {"vulkan1.3", SPV_ENV_VULKAN_1_3}};

/// What comes before the pass: little, and much.
const std::vector<std::string> kBefore[] = {
    {"--inline-entry-points-exhaustive", "--ssa-rewrite", "--eliminate-dead-code-aggressive"},
    {"--merge-return", "--inline-entry-points-exhaustive", "--eliminate-local-single-block",
     "--scalar-replacement=100", "--ssa-rewrite", "--ccp", "--eliminate-dead-branches",
     "--merge-blocks", "--redundancy-elimination", "--eliminate-dead-code-aggressive",
     "--cfg-cleanup"}};

void checkShader(uint32_t seed, std::string_view mode, std::map<std::string, size_t>& verdicts) {
  const std::string text = test::RandomBranches(seed).text();
  const Environment& environment = kEnvironments[seed % std::size(kEnvironments)];
  SCOPED_TRACE(fmt::format("seed {}, {}\n{}", seed, environment.name, text));
  const std::vector<uint32_t> source = test::compileGlsl(text, environment.name);
  const Result<driver::Words> before =
      driver::runSpirvOpt(source, kBefore[seed / 4 % 2], {.env = environment.env});
  ASSERT_TRUE(before) << before.error().message;
  const Outcome after = predicate(*before, mode);
  for (const auto& [name, count] : after.verdicts) verdicts[name] += count;
  ASSERT_TRUE(test::validate(after.words, environment.env));
  // Whoever does not read why gets the same.
  const Outcome unread = predicate(*before, mode, false);
  ASSERT_EQ(unread.words, after.words);
  ASSERT_EQ(unread.verdicts, after.verdicts);
  ASSERT_EQ(unread.applied, after.applied);

  test::Interpreted first;
  std::mt19937 random(seed);
  first.buffers = {std::vector<uint32_t>(64), std::vector<uint32_t>(4 * kLanes),
                   std::vector<uint32_t>(8)};
  for (auto& buffer : first.buffers)
    for (uint32_t& word : buffer) word = uint32_t(random()) >> (random() % 32);
  first.pushConstants = {3, uint32_t(random()), 1, 0};
  test::Interpreted second = first;
  ASSERT_TRUE(first.run(*before));
  ASSERT_TRUE(second.run(after.words));
  ASSERT_EQ(first.findings(), "") << "the shader itself is wrong";
  ASSERT_EQ(second.findings(), "");
  ASSERT_EQ(first.buffers, second.buffers);
}

TEST(BranchToPredicationRandom, LeavesTheSameBits) {
  std::map<std::string, size_t> verdicts;
  for (uint32_t seed : test::Seeds(40)) checkShader(seed, "always", verdicts);
  if (HasFailure()) return;
  // The test would prove little if nothing happened, or if little was at stake.
  EXPECT_GT(verdicts["flattened"], 200u);
  EXPECT_GT(verdicts["partly-flattened"], 15u);
  for (const char* refused : {"division", "load", "store", "conversion", "loop", "leaves",
                              "shared-block", "inner-branch"})
    EXPECT_GT(verdicts[refused], 5u) << refused;
}

TEST(BranchToPredicationRandom, LeavesTheSameBitsWhereItPays) {
  std::map<std::string, size_t> verdicts;
  for (uint32_t seed : test::Seeds(24, 101)) checkShader(seed, {}, verdicts);
  if (HasFailure()) return;
  EXPECT_GT(verdicts["flattened"], 50u);
  for (const char* refused : {"uniform", "too-costly", "inner-branch"})
    EXPECT_GT(verdicts[refused], 2u) << refused;
}

} // namespace
} // namespace lanewise
