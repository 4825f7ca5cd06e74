// Random shaders before and after the canonical passes: the interpreter must leave the same bits
// and find nothing, and what they write must be valid. spirv-opt's passes stand before some, so
// that each pass meets the form that it works on.
#include "canonical.h"
#include "interpreted.h"
#include "random_branches.h"
#include "seeds.h"
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
    {{}, {"sroa", "mem2reg", "licm"}},
    {{}, {"inline", "sroa", "mem2reg", "gvn", "sink"}},
    {{},
     {"inline", "sroa", "mem2reg", "gvn", "simplifycfg", "gvn", "adce", "licm", "sink", "reg2mem"}},
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
  for (uint32_t seed : test::Seeds(12)) {
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

/// Loops of all kinds with several `continue` each, which step by what the body makes.
class RandomContinues {
public:
  explicit RandomContinues(uint32_t seed) : random_(seed) {}

  std::string text() {
    return fmt::format(R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer A {{ uint a[64]; }};
layout(binding = 1) buffer B {{ uint b[128]; }};
layout(binding = 2) buffer C {{ uint c[8]; }};
layout(push_constant) uniform P {{ uint p[4]; }};
void main() {{
  uint v0 = a[gl_GlobalInvocationID.x], v1 = p[0], v2 = b[gl_LocalInvocationID.x], v3 = 7u;
  uvec2 w = uvec2(v0, v1);
  float f = 1.0;
  bool t = (v2 & 1u) != 0u;
  uint old = v1;
{}  b[64u + gl_GlobalInvocationID.x] = v0 ^ v1 * 3u ^ v2 * 5u ^ v3 * 7u ^ w.x ^ w.y ^ floatBitsToUint(f) ^ uint(t);
}}
)",
                       loop(0) + loop(0));
  }

private:
  uint32_t below(uint32_t bound) { return uint32_t(random_() % bound); }
  std::string variable() { return fmt::format("v{}", below(4)); }
  std::string condition() {
    return fmt::format("({} & {}u) {} {}u", variable(), 1 + below(7),
                       below(2) ? "==" : "!=", below(4));
  }
  std::string update() {
    switch (below(6)) {
    case 0:
      return fmt::format("{0} = {1}; ", variable(), variable());
    case 1:
      return fmt::format("w = w.yx + uvec2({}, 1u); ", variable());
    case 2:
      return fmt::format("f = f * 0.5 + float({} & 255u); ", variable());
    case 3:
      return fmt::format("t = {} != t; ", condition());
    case 4:
      return fmt::format("{{ uint s = {0}; {0} = {1} + w.x; {1} = s; }} ", variable(), variable());
    default:
      return fmt::format("{} = {} * 5u + {}; ", variable(), variable(), variable());
    }
  }
  std::string statement(uint32_t depth) {
    switch (below(9)) {
    case 0:
      return fmt::format("if ({}) {{ {}break; }}\n", condition(), update());
    case 1:
      return fmt::format("if ({}) {{ {}}} else {{ {}continue; }}\n", condition(), update(),
                         update());
    case 2:
      return fmt::format(
          "switch ({} & 3u) {{ case 0u: {}continue; case 1u: {}break; default: {}}}\n", variable(),
          update(), update(), update());
    case 3:
      return depth < 2 ? loop(depth + 1) : update();
    case 4:
      return fmt::format("if (t) {{ if ({}) continue; {}}}\n", condition(), update());
    case 5:
      return fmt::format("if ({}) {{ {}}}\n", condition(), update());
    case 6:
      return fmt::format("switch ({} & 3u) {{ case 0u: {}break; case 1u: {} = old; default: {}}}\n",
                         variable(), update(), variable(), update());
    default:
      return update() + "\n";
    }
  }
  std::string loop(uint32_t depth) {
    const std::string n = fmt::format("n{}", depth);
    std::string body = below(2) ? fmt::format("old = {};\n", variable()) : "";
    body += fmt::format("if (++{0} > {1}u) break;\n", n, 3 + below(6));
    for (uint32_t k = 2 + below(4); k > 0; --k) body += statement(depth);
    if (below(2))
      body += fmt::format("if ({}) continue;\n{}if ({}) continue;\n{}", condition(), update(),
                          condition(), update());
    const std::string start = fmt::format("{{ uint {} = 0u;\n", n);
    switch (below(3)) {
    case 0:
      return start + fmt::format("while ({}) {{\n{}}} }}\n", condition(), body);
    case 1:
      return start + fmt::format("do {{\n{}}} while ({}); }}\n", body, condition());
    default: {
      const std::string i = fmt::format("i{}", depth);
      const std::string steps[] = {
          "++" + i, fmt::format("++{}, t = {} < {}", i, variable(), variable()),
          fmt::format("{0} += {1} & 3u, {1} ^= {0} + old", i, variable()),
          fmt::format("{0} += 1u + (old & 1u), f += float({1})", i, variable())};
      const std::string& step = steps[below(4)];
      return start + fmt::format("for (uint {0} = {1}; {0} < 40u; {2}) {{\n{3}{4} ^= {0};\n}} }}\n",
                                 i, below(2) ? "0u" : variable() + " & 7u", step, body, variable());
    }
    }
  }

  std::mt19937 random_;
};

TEST(CanonicalRandomContinues, LeaveTheSameBits) {
  constexpr spv_target_env kEnv = SPV_ENV_VULKAN_1_1;
  size_t changed = 0;
  for (uint32_t seed : test::Seeds(40)) {
    const std::string text = RandomContinues(seed).text();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    const std::vector<uint32_t> source = test::compileGlsl(text, "vulkan1.1");
    const std::vector<uint32_t> before =
        seed % 4 == 0
            ? test::runPasses(source, {"sroa", "mem2reg"})
            : test::runPasses(source, {"sroa", "mem2reg", "gvn", "simplifycfg", "gvn", "adce"});
    const std::vector<uint32_t> after = test::runPasses(before, {"reg2mem"});
    changed += after != before ? 1 : 0;
    ASSERT_TRUE(test::validate(after, kEnv));
    expectSameBits(seed, before, after);
  }
  EXPECT_GT(changed, 30u);
}

INSTANTIATE_TEST_SUITE_P(Passes, CanonicalRandom, ::testing::ValuesIn(kRuns), nameOfRun);

} // namespace
} // namespace lanewise
