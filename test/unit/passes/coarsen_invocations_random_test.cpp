// Random kernels before and after --coarsen-invocations: the interpreter must leave the same bits
// and find nothing, in any order of the lanes.
#include "canonical.h"
#include "interpreted.h"
#include "random_branches.h"
#include "seeds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace lanewise {
namespace {

using Factors = std::array<uint32_t, 3>;

/// Kernels of one to three dimensions: tiles behind barriers, loops and branches that all go the
/// same way and such that they do not, variables of the invocation's own. Binding 0 holds the
/// inputs, binding 1 four words an invocation.
class TiledKernel {
public:
  explicit TiledKernel(uint32_t seed) : random_(seed) {
    static constexpr Factors kSizes[] = {{8, 4, 1}, {4, 4, 2}, {16, 2, 1}, {6, 4, 1}, {24, 1, 1}};
    size_ = kSizes[draw(uint32_t(std::size(kSizes)))];
    hasBarriers_ = draw(4) != 0;
  }

  /// Divides the size in each dimension; one of them at least is not 1.
  Factors factors() {
    Factors f{1, 1, 1};
    while (f == Factors{1, 1, 1})
      for (uint32_t d = 0; d < 3; ++d) do {
          f[d] = 1 + draw(size_[d]);
        } while (size_[d] % f[d] != 0 || f[d] > 8);
    return f;
  }

  std::string text() {
    const uint32_t lanes = size_[0] * size_[1] * size_[2];
    std::string body;
    if (!hasBarriers_ && draw(2) == 0)
      body += fmt::format("  if ({}) {{ b[at] = 5u; return; }}\n", condition());
    for (int n = 0; n < 3; ++n) {
      body += block(0, false);
      if (hasBarriers_) body += tile();
    }
    if (hasBarriers_ && draw(2) == 0)
      body += fmt::format("  for (uint j = 0u; j < {}; ++j) {{\n{}{}  }}\n",
                          draw(2) == 0 ? "3u" : "(n[0] & 3u)", block(1, false), tile());
    return fmt::format(R"(#version 450
layout(local_size_x = {}, local_size_y = {}, local_size_z = {}) in;
layout(binding = 0) readonly buffer A {{ uint a[256]; }};
layout(binding = 1) buffer B {{ uint b[]; }};
layout(binding = 2) buffer C {{ uint c[16]; }};
layout(push_constant) uniform P {{ uint n[4]; }};
shared uint s[{}];
uint own = 3u;
void main() {{
  uvec3 l = gl_LocalInvocationID, g = gl_GlobalInvocationID, size = gl_WorkGroupSize;
  uint t = gl_LocalInvocationIndex, group = gl_WorkGroupID.x, i = 1u;
  uint v0 = g.x + g.y * 7u, v1 = t * 3u, v2 = l.y, v3 = a[l.x];
  uint at = (group * {}u + t) * 4u, w[4] = uint[4](1u, n[1], 3u, 5u), m[4];
  for (uint k = 0u; k < 4u; ++k) m[k] = k * n[2];
{}  b[at] ^= v0 + v1 * 3u;
  b[at + 1u] ^= v2 + v3 * 5u;
  b[at + 2u] ^= w[v0 & 3u] * m[n[0] & 3u] + own;
  b[at + 3u] ^= g.x * 3u + g.y * 5u + g.z;
  {}
}}
)",
                       size_[0], size_[1], size_[2], lanes, lanes, body,
                       draw(3) == 0 ? "atomicAdd(c[v1 & 7u], v0); atomicMax(c[8], v2);" : "");
  }

private:
  uint32_t draw(uint32_t below) { return uint32_t(random_() % below); }
  std::string pick(std::initializer_list<const char*> from) {
    return from.begin()[draw(uint32_t(from.size()))];
  }
  std::string variable() { return pick({"v0", "v1", "v2", "v3"}); }

  std::string value(uint32_t depth = 0) {
    if (depth > 2 || draw(3) == 0)
      return draw(3) == 0 ? fmt::format("{}u", draw(40))
                          : pick({"v0", "v1", "v2", "v3", "l.x", "l.y", "l.z", "t", "g.x", "g.y",
                                  "size.x", "size.y", "n[0]", "n[1]", "i", "own", "group"});
    const std::string part = value(depth + 1);
    switch (draw(9)) {
    case 0:
      return fmt::format("a[{} & 255u]", part);
    case 1:
      return fmt::format("w[{} & 3u]", part);
    case 2:
      return fmt::format("m[{} & 3u]", part);
    case 3:
      return fmt::format("({} / ({} | 1u))", part, value(depth + 1));
    case 4:
      return fmt::format("({} >> {}u)", part, draw(8));
    case 5:
      return fmt::format("({} % {}u)", part, 2 + draw(15));
    default:
      return fmt::format("({} {} {})", part, pick({"+", "-", "*", "^", "&"}), value(depth + 1));
    }
  }

  /// One that all invocations of the workgroup share, now and then.
  std::string condition() {
    if (draw(3) == 0) return fmt::format("n[{}] > {}u", draw(4), draw(3));
    return fmt::format("({} & {}u) {} {}u", value(1), 1 + draw(15), pick({"<", "!=", ">"}),
                       draw(8));
  }

  std::string statement(uint32_t depth, bool inLoop) {
    switch (depth > 2 ? 0 : draw(12)) {
    case 4:
    case 5:
      return fmt::format("  if ({}) {{\n{}  }} else {{\n{}  }}\n", condition(),
                         block(depth + 1, inLoop), block(depth + 1, inLoop));
    case 6:
      return fmt::format("  for (uint i = 0u; i < {}; ++i) {{\n{}  }}\n",
                         pick({"3u", "(n[1] & 3u)", "(v0 & 3u)", "min(l.y, 3u)"}),
                         block(depth + 1, true));
    case 7:
      return fmt::format("  switch ({} & 3u) {{\n  case 0u:\n{}  {}\n  case 2u:\n{}  break;\n  "
                         "default:\n{}  break;\n  }}\n",
                         value(1), block(depth + 1, false), pick({"break;", ""}),
                         block(depth + 1, false), block(depth + 1, false));
    case 8:
      return inLoop ? fmt::format("  if ({}) {};\n", condition(), pick({"break", "continue"})) : "";
    case 9:
      return fmt::format("  {}[{} & 3u] = {};\n", pick({"w", "m"}), value(1), value());
    case 10:
      return fmt::format("  own = {};\n", value());
    default:
      return fmt::format("  {} = {};\n", variable(), value());
    }
  }

  std::string block(uint32_t depth, bool inLoop) {
    std::string text;
    for (uint32_t n = 0, count = 1 + draw(3); n < count; ++n) text += statement(depth, inLoop);
    return text;
  }

  std::string tile() {
    const uint32_t lanes = size_[0] * size_[1] * size_[2];
    return fmt::format(
        "  barrier();\n  s[(t + {}u) % {}u] = {};\n  barrier();\n  {} ^= s[{} % {}u];\n"
        "  if ({}) {} += s[{} % {}u];\n",
        draw(lanes), lanes, value(), variable(), value(1), lanes, condition(), variable(),
        pick({"l.x", "l.y", "n[0]", "(t + 1u)"}), lanes);
  }

  std::mt19937 random_;
  Factors size_{};
  bool hasBarriers_ = false;
};

/// The same bits, whatever the order of the lanes.
void expectSameBits(uint32_t seed, uint32_t groups, const std::vector<uint32_t>& before,
                    const std::vector<uint32_t>& after) {
  test::Interpreted first;
  std::mt19937 random(seed);
  first.buffers = {std::vector<uint32_t>(256), std::vector<uint32_t>(512),
                   std::vector<uint32_t>(16)};
  for (auto& buffer : first.buffers)
    for (uint32_t& word : buffer) word = uint32_t(random()) >> (random() % 32);
  first.pushConstants = {uint32_t(random() % 4), uint32_t(random() % 8), uint32_t(random()), 1};
  first.groups = {groups, 1, 1};
  first.options = test::allOrders()[seed % test::allOrders().size()];
  test::Interpreted second = first;
  second.options = test::allOrders()[seed / 3 % test::allOrders().size()];
  ASSERT_TRUE(first.run(before));
  ASSERT_EQ(first.findings(), "") << "the kernel itself is wrong";
  ASSERT_TRUE(second.run(after));
  ASSERT_EQ(second.findings(), "");
  ASSERT_EQ(first.buffers, second.buffers);
}

/// Runs the pass behind some of the canonical ones. True if it did something.
bool compare(uint32_t seed, uint32_t groups, const std::string& text, Factors f) {
  static const std::vector<std::string_view> kForms[] = {
      {"inline"},
      {"inline", "sroa", "mem2reg"},
      {"inline", "sroa", "mem2reg", "gvn", "simplifycfg", "adce"}};
  std::vector<uint32_t> before = test::compileGlsl(text, "vulkan1.1");
  before = test::runPasses(before, kForms[seed % std::size(kForms)]);
  Remarks remarks;
  const std::vector<uint32_t> after = test::runPasses(
      before, {"coarsen-invocations"}, false, &remarks, fmt::format("{},{},{}", f[0], f[1], f[2]));
  if (after == before) return false;
  EXPECT_TRUE(test::validate(after, SPV_ENV_VULKAN_1_1));
  expectSameBits(seed, groups, before, after);
  return true;
}

TEST(CoarsenInvocationsRandom, TilesKeepTheirBits) {
  const test::Seeds seeds(240);
  uint32_t changed = 0;
  for (uint32_t seed : seeds) {
    TiledKernel kernel(seed);
    const Factors f = kernel.factors();
    const std::string text = kernel.text();
    SCOPED_TRACE(fmt::format("seed {} by {},{},{}\n{}", seed, f[0], f[1], f[2], text));
    changed += compare(seed, 2, text, f) ? 1 : 0;
  }
  EXPECT_GT(changed, seeds.count() * 2 / 3);
  RecordProperty("changed", int(changed));
}

TEST(CoarsenInvocationsRandom, BranchesKeepTheirBits) {
  const test::Seeds seeds(40);
  uint32_t changed = 0;
  for (uint32_t seed : seeds) {
    const std::string text = test::RandomBranches(seed).text();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    changed += compare(seed, 1, text, {1u << (1 + seed % 4), 1, 1}) ? 1 : 0;
  }
  EXPECT_GT(changed, seeds.count() / 2);
  RecordProperty("changed", int(changed));
}

} // namespace
} // namespace lanewise
