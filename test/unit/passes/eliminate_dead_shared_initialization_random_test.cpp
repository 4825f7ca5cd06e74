// Random kernels that fill Workgroup memory with zeros and then write some of it, in some order,
// under some conditions: what --eliminate-dead-shared-initialization removes must not be missed.
// The interpreter is the judge, which reports reads of what nobody wrote.
#include "canonical.h"
#include "interpreted.h"
#include "seeds.h"
#include "spirv/spirv_tools.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace lanewise {
namespace {

class ZeroedKernel {
public:
  explicit ZeroedKernel(uint32_t seed) : random_(seed) {
    width_ = 4u << draw(3);
    height_ = 1u << draw(3);
    lanes_ = width_ * height_;
    length_ = chance(50) ? lanes_ : lanes_ * (1 + draw(3)) + draw(3) - (lanes_ > 8 ? draw(3) : 0);
    hasInitializer_ = chance(25);
    zero();
    const bool isRepeated = chance(30);
    if (isRepeated) body_ += "for (uint k = 0u; k < n; ++k) {\n";
    for (uint32_t rounds = 1 + draw(2); rounds > 0; --rounds) {
      for (uint32_t n = 1 + (chance(30) ? draw(3) : 0); n > 0; --n) write();
      barrier(92);
      for (uint32_t n = 1 + draw(2); n > 0; --n) read();
      if (isRepeated || rounds > 1) barrier(95);
      if (chance(6)) zero();
    }
    if (isRepeated) body_ += "}\n";
  }

  std::string text() const {
    return fmt::format(R"(#version 460
#extension GL_EXT_null_initializer : require
layout(local_size_x = {}, local_size_y = {}) in;
layout(binding = 0) readonly buffer In {{ uint a[]; }};
layout(binding = 1) writeonly buffer Out {{ uint result[]; }};
layout(push_constant) uniform Push {{ uint n, m; }};
shared uint s[{}]{};
void main() {{
  const uint t = gl_LocalInvocationIndex, x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint sum = 0u;
{}  result[gl_WorkGroupID.x * {}u + t] = sum;
}}
)",
                       width_, height_, length_, hasInitializer_ ? " = {}" : "", body_, lanes_);
  }

private:
  uint32_t draw(uint32_t n) { return uint32_t(random_() % n); }
  bool chance(uint32_t percent) { return draw(100) < percent; }
  std::string data() { return fmt::format("a[(t * {}u + {}u) & 255u]", 1 + draw(5), draw(64)); }
  void barrier(uint32_t percent) {
    if (chance(percent)) body_ += "  barrier();\n";
  }

  void zero() {
    switch (draw(5)) {
    case 0:
      body_ += fmt::format("  if (t < {}u) s[t] = 0u;\n", std::min(lanes_, length_));
      break;
    case 1:
      body_ +=
          fmt::format("  if (all(equal(gl_LocalInvocationID, uvec3(0)))) for (uint i = 0u; i < "
                      "{}u; ++i) s[i] = 0u;\n",
                      length_);
      break;
    default:
      body_ += fmt::format("  for (uint i = t; i < {}u; i += {}u) s[i] = 0u;\n", length_, lanes_);
      break;
    }
    barrier(95);
  }

  /// An index that goes round the array, from something that goes over it.
  std::string permuted(const std::string& i) {
    switch (draw(6)) {
    case 0:
      return fmt::format("({} + {}u) % {}u", i, draw(64), length_);
    case 1:
      return fmt::format("{}u - {}", length_ - 1, i);
    case 2:
      return fmt::format("({} * {}u + {}u) % {}u", i, 1 + draw(9), draw(8), length_);
    case 3:
      return fmt::format("min({} ^ {}u, {}u)", i, draw(8), length_ - 1);
    default:
      return i;
    }
  }

  std::string condition() {
    switch (draw(8)) {
    case 0:
      return fmt::format("t < {}u", lanes_ - draw(3));
    case 1:
      return fmt::format("(t & {}u) == {}u", 1 + draw(3), draw(2));
    case 2:
      return fmt::format("{} != 0u", data());
    case 3:
      return fmt::format("m > {}u", draw(3));
    case 4:
      return fmt::format("x + y * {}u < {}u", draw(5), 4 + draw(40));
    default:
      return "true";
    }
  }

  void write() {
    const std::string value = fmt::format("{} + {}u", data(), 1 + draw(9));
    const std::string stored = chance(8) ? "0u" : value;
    switch (draw(9)) {
    case 0: // both sides of what data decides
      body_ += fmt::format("  if (t < {3}u) {{ if ({0} != 0u) s[t] = {1}; else s[t] = {2}; }}\n",
                           data(), value, chance(50) ? "0u" : "7u", std::min(lanes_, length_));
      break;
    case 1: { // some, then the others
      const uint32_t at = draw(length_ + 1);
      body_ += fmt::format("  for (uint i = t; i < {}u; i += {}u) s[i] = {};\n", at, lanes_, value);
      body_ += fmt::format("  for (uint i = t + {}u; i < {}u; i += {}u) s[i] = {};\n",
                           at + (chance(15) ? 1 : 0), length_, lanes_, value);
      break;
    }
    case 2: // some of the lanes do it all
      body_ += fmt::format("  if (t < {0}u) for (uint i = 0u; i < {1}u; ++i) if (i % {0}u == t) "
                           "s[{2}] = {3};\n",
                           1 + draw(lanes_), length_ - (chance(20) ? 1 : 0), permuted("i"), stored);
      break;
    case 3: // up to what data or the host says
      body_ += fmt::format("  for (uint i = t; i < min({}, {}u); i += {}u) s[i] = {};\n",
                           chance(50) ? "m * 16u" : data() + " * 9u", length_, lanes_, value);
      break;
    case 4: // left early
      body_ +=
          fmt::format("  for (uint i = t; i < {}u; i += {}u) {{ if ({}) break; s[i] = {}; }}\n",
                      length_, lanes_, chance(50) ? "i > 60u" : data() + " > 3u", value);
      break;
    case 5:
      body_ += fmt::format("  if ({}) if (t < {}u) s[{}] = {};\n", condition(),
                           std::min(lanes_, length_), permuted("t"), stored);
      break;
    default:
      body_ += fmt::format("  for (uint i = t; i < {}u; i += {}u) {}s[{}] = {};\n", length_, lanes_,
                           chance(20) ? fmt::format("if ({}) ", condition()) : "", permuted("i"),
                           stored);
      break;
    }
  }

  void read() {
    switch (draw(6)) {
    case 0:
      body_ += fmt::format("  sum += s[{} % {}u];\n", data(), length_);
      break;
    case 1:
      body_ += fmt::format("  for (uint i = 0u; i < {}u; ++i) sum = sum * 3u + s[i];\n", length_);
      break;
    case 2:
      body_ += fmt::format("  sum += atomicAdd(s[{} % {}u], 0u);\n", data(), length_);
      break;
    case 3:
      body_ += fmt::format("  if ({}) sum += s[t % {}u];\n", condition(), length_);
      break;
    case 4:
      body_ += fmt::format("  if (t > 0u && t <= {0}u) sum += s[{0}u - t];\n", length_ - 1);
      break;
    default:
      body_ += fmt::format("  sum += s[(t + {}u) % {}u];\n", draw(64), length_);
      break;
    }
  }

  std::mt19937 random_;
  uint32_t width_ = 1, height_ = 1, lanes_ = 1, length_ = 1;
  bool hasInitializer_ = false;
  std::string body_;
};

/// Different data, counts and orders of the lanes.
test::Interpreted inputOf(uint32_t seed, uint32_t round) {
  test::Interpreted input;
  std::mt19937 random(seed * 8 + round);
  input.buffers = {std::vector<uint32_t>(256), std::vector<uint32_t>(256)};
  for (uint32_t& word : input.buffers[0]) word = random() % (round == 0 ? 1 : round * 4);
  input.pushConstants = {round, round * 2};
  input.groups = {2, 1, 1};
  input.options = test::allOrders()[(seed + round * 5) % test::allOrders().size()];
  return input;
}

bool isClean(const test::Interpreted& run) {
  using Kind = test::interp::FindingKind;
  for (Kind kind :
       {Kind::RaceReadWrite, Kind::RaceWriteWrite, Kind::RaceSameValue, Kind::RaceIncomplete,
        Kind::UninitializedRead, Kind::OutOfRange, Kind::DivergentBarrier})
    if (run.has(kind)) return false;
  return true;
}

TEST(EliminateDeadSharedInitializationRandom, NobodyMissesTheZeros) {
  const test::Seeds seeds(400);
  const std::vector<std::string_view> before{"inline", "sroa", "mem2reg"};
  const std::string_view pass = "eliminate-dead-shared-initialization";
  uint32_t changed = 0, kept = 0;
  for (uint32_t seed : seeds) {
    const std::string text = ZeroedKernel(seed).text();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    std::vector<uint32_t> words = test::compileGlsl(text, "vulkan1.3");
    if (seed % 3 != 0) words = test::runPasses(words, before);
    const std::vector<uint32_t> after = test::runPasses(words, {pass});
    if (after == words) {
      ++kept;
      continue;
    }
    ++changed;
    ASSERT_TRUE(test::validate(after, SPV_ENV_VULKAN_1_3));
    for (uint32_t round = 0; round < 4; ++round) {
      test::Interpreted first = inputOf(seed, round), second = first;
      ASSERT_TRUE(first.run(words));
      if (!isClean(first)) continue;
      ASSERT_TRUE(second.run(after));
      ASSERT_TRUE(isClean(second)) << second.findings();
      ASSERT_EQ(first.buffers, second.buffers);
    }
  }
  EXPECT_GT(changed, seeds.count() / 8);
  EXPECT_GT(kept, seeds.count() / 4);
  RecordProperty("changed", int(changed));
}

} // namespace
} // namespace lanewise
