// Random kernels of guarded indices, clamps, divisors and loops: what --eliminate-redundant-checks
// removes makes no difference, for any of the inputs that matter. Every invocation has another pair
// of them: small numbers, and those at which integers wrap around.
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

class CheckedKernel {
public:
  explicit CheckedKernel(uint32_t seed) : random_(seed) {
    unsigned_ = {"x", "y", "t", "len", "p"};
    signed_ = {"i", "j", "int(t)", "k"};
    for (uint32_t n = 3 + draw(5); n > 0; --n) statement(0);
  }

  std::string text() const {
    return fmt::format(R"(#version 460
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In {{ uint a[]; }};
layout(binding = 1) buffer Out {{ uint result[]; }};
layout(binding = 2) readonly buffer Other {{ uint other[]; }};
layout(push_constant) uniform Push {{ uint p; int k; }};
void main() {{
  const uint t = gl_LocalInvocationIndex, g = gl_WorkGroupID.x * 64u + t;
  const uint x = a[g * 2u], y = a[g * 2u + 1u], len = uint(other.length());
  const int i = int(x), j = int(y);
  uint sum = 0u;
{}  result[g] = sum;
}}
)",
                       body_);
  }

private:
  uint32_t draw(uint32_t n) { return uint32_t(random_() % n); }
  bool chance(uint32_t percent) { return draw(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[draw(uint32_t(from.size()))];
  }
  std::string number() {
    static const std::vector<std::string> few{"0u",  "1u",  "2u",          "3u",
                                              "7u",  "8u",  "15u",         "16u",
                                              "63u", "64u", "4294967295u", "2147483648u"};
    return pick(few);
  }
  std::string signedNumber() {
    static const std::vector<std::string> few{"0", "1",  "-1", "2",  "7",
                                              "8", "63", "64", "-8", "2147483647"};
    return pick(few);
  }

  std::string value(uint32_t depth) {
    if (depth == 0 || chance(30)) return chance(70) ? pick(unsigned_) : number();
    const auto a = [&] { return value(depth - 1); };
    switch (draw(16)) {
    case 0:
      return fmt::format("({} + {})", a(), a());
    case 1:
      return fmt::format("({} - {})", a(), a());
    case 2:
      return fmt::format("({} * {})", a(), number());
    case 3:
      return fmt::format("min({}, {})", a(), a());
    case 4:
      return fmt::format("max({}, {})", a(), a());
    case 5:
      return fmt::format("clamp({}, 0u, {})", a(), a());
    case 6:
      return fmt::format("({} & {})", a(), chance(70) ? number() : a());
    case 7:
      return fmt::format("({} >> {}u)", a(), draw(32));
    case 8:
      return fmt::format("({} % {}u)", a(), 1 + draw(70));
    case 9:
      return fmt::format("({} / ({} | 1u))", a(), a());
    case 10: {
      const std::string b = pick(unsigned_);
      return fmt::format("({} {} ({} == 0u ? {}u : {}))", a(), chance(50) ? "/" : "%", b,
                         1 + draw(4), b);
    }
    case 11:
      return fmt::format("({} ? {} : {})", condition(depth - 1), a(), a());
    case 12:
      return fmt::format("uint({})", signedValue(depth - 1));
    case 13:
      return fmt::format("({} << {}u)", a(), draw(32));
    case 14:
      return fmt::format("({} {} {})", a(), chance(50) ? "|" : "^", a());
    default:
      return fmt::format("bitfieldExtract({}, {}, {})", a(), draw(16), draw(17));
    }
  }

  std::string signedValue(uint32_t depth) {
    if (depth == 0 || chance(30)) return chance(70) ? pick(signed_) : signedNumber();
    const auto a = [&] { return signedValue(depth - 1); };
    switch (draw(11)) {
    case 0:
      return fmt::format("({} + {})", a(), a());
    case 1:
      return fmt::format("({} - {})", a(), a());
    case 2:
      return fmt::format("min({}, {})", a(), a());
    case 3:
      return fmt::format("max({}, {})", a(), a());
    case 4:
      return fmt::format("clamp({}, {}, {})", a(), -int(draw(9)), draw(70));
    case 5:
      return fmt::format("({} / {})", a(), 1 + draw(9));
    case 6: // GLSL's remainder of negative numbers is undefined
      return fmt::format("(max({}, 0) % {})", a(), 1u << draw(5));
    case 7:
      return fmt::format("abs({})", a());
    case 8:
      return fmt::format("({} >> {})", a(), draw(32));
    case 9:
      return fmt::format("({} ? {} : {})", condition(depth - 1), a(), a());
    default:
      return fmt::format("int({})", value(depth - 1));
    }
  }

  std::string condition(uint32_t depth) {
    static const std::vector<std::string> relations{"<", "<=", ">", ">=", "==", "!="};
    switch (depth == 0 ? 5 : draw(8)) {
    case 0:
      return fmt::format("({} && {})", condition(depth - 1), condition(depth - 1));
    case 1:
      return fmt::format("({} || {})", condition(depth - 1), condition(depth - 1));
    case 2:
      return fmt::format("!({})", condition(depth - 1));
    case 3:
    case 4:
      return fmt::format("({} {} {})", signedValue(depth > 0 ? depth - 1 : 0), pick(relations),
                         signedValue(depth > 0 ? depth - 1 : 0));
    default: // plain values, so that one test meets another
      return fmt::format(
          "({} {} {})", chance(60) ? pick(unsigned_) : value(depth > 0 ? depth - 1 : 0),
          pick(relations), chance(60) ? pick(unsigned_) : value(depth > 0 ? depth - 1 : 0));
    }
  }

  void use() {
    body_ += chance(60) ? fmt::format("sum = sum * 31u + {};\n", value(2))
                        : fmt::format("if ({}) sum += {}u; else sum = sum * 7u + {}u;\n",
                                      condition(2), draw(99), draw(99));
  }

  void block(uint32_t depth) {
    for (uint32_t n = 1 + draw(2); n > 0; --n) statement(depth + 1);
  }

  void statement(uint32_t depth) {
    if (depth > 2) return use();
    const size_t many = unsigned_.size(), manySigned = signed_.size();
    switch (draw(8)) {
    case 0:
    case 1:
      body_ += fmt::format("if ({}) {{\n", condition(2));
      block(depth);
      body_ += "}";
      if (chance(40)) {
        body_ += " else {\n";
        block(depth);
        body_ += "}";
      }
      body_ += "\n";
      break;
    case 2: {
      const std::string c = fmt::format("c{}", names_++);
      body_ += fmt::format("for (uint {0} = {1}; {0} {2} {3}u; {0} += {4}u) {{\n", c,
                           chance(50) ? "t" : number(), chance(80) ? "<" : "!=", 8 + draw(80),
                           1 + draw(20));
      body_ += "if (++rounds > 40u) break;\n";
      unsigned_.insert(unsigned_.end(), {c, c});
      block(depth);
      body_ += "}\n";
      break;
    }
    case 3: {
      const std::string c = fmt::format("c{}", names_++);
      body_ += fmt::format("for (int {0} = {1}; {0} {2} {3}; {0} -= {4}) {{\n", c,
                           chance(50) ? "int(t)" : signedNumber(), chance(50) ? ">=" : ">",
                           int(draw(20)) - 8, 1 + draw(9));
      body_ += "if (++rounds > 40u) break;\n";
      signed_.insert(signed_.end(), {c, c});
      block(depth);
      body_ += "}\n";
      break;
    }
    case 4: {
      const std::string v = fmt::format("v{}", names_++);
      body_ += fmt::format("const uint {} = {};\n", v, value(2));
      if (depth == 0) unsigned_.push_back(v);
      use();
      return;
    }
    case 5: {
      body_ += fmt::format("switch ({}) {{\ncase {}u:\n", pick(unsigned_), draw(4));
      block(depth);
      body_ += fmt::format("break;\ncase {}u:\ncase {}u:\n", 4 + draw(4), 8 + draw(9));
      block(depth);
      body_ += "break;\ndefault:\n";
      block(depth);
      body_ += "}\n";
      break;
    }
    default:
      use();
      return;
    }
    unsigned_.resize(many);
    signed_.resize(manySigned);
  }

  std::mt19937 random_;
  std::vector<std::string> unsigned_, signed_;
  uint32_t names_ = 0;
  std::string body_ = "uint rounds = 0u;\n";
};

/// All pairs of numbers that are small or at an edge, in as many invocations.
test::Interpreted pairsOf(uint32_t seed) {
  static const std::vector<uint32_t> numbers{
      0,  1,  2,  3,   4,          7,          8,          15,         16,         31,        62,
      63, 64, 65, 100, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFC0, 0xFFFFFFFE, 0xFFFFFFFF};
  test::Interpreted input;
  std::vector<uint32_t> pairs;
  for (uint32_t a : numbers)
    for (uint32_t b : numbers) pairs.insert(pairs.end(), {a, b});
  const uint32_t groups = uint32_t(pairs.size() / 128 + 1);
  pairs.resize(groups * 128, 5);
  const uint32_t lengths[] = {1, 8, 63, 64, 100};
  input.buffers = {pairs, std::vector<uint32_t>(groups * 64),
                   std::vector<uint32_t>(lengths[seed % 5])};
  input.pushConstants = {numbers[seed % numbers.size()], numbers[seed * 7 % numbers.size()]};
  input.groups = {groups, 1, 1};
  return input;
}

TEST(EliminateRedundantChecksRandom, WhatGoesIsAlwaysTrue) {
  const test::Seeds seeds(300);
  uint32_t changed = 0, removed = 0;
  for (uint32_t seed : seeds) {
    const std::string text = CheckedKernel(seed).text();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    std::vector<uint32_t> words = test::compileGlsl(text, "vulkan1.3");
    words = seed % 2 == 0
                ? test::runPasses(words, {"inline", "sroa", "mem2reg"})
                : test::runPasses(words, {"inline", "sroa", "mem2reg", "gvn", "simplifycfg"});
    Remarks remarks;
    const std::vector<uint32_t> after =
        test::runPasses(words, {"eliminate-redundant-checks"}, false, &remarks);
    if (after == words) continue;
    ++changed;
    for (const Remark& remark : remarks) removed += remark.kind == Remark::Kind::Applied;
    ASSERT_TRUE(test::validate(after, SPV_ENV_VULKAN_1_3));
    test::Interpreted first = pairsOf(seed), second = first;
    ASSERT_TRUE(first.run(words));
    ASSERT_TRUE(second.run(after));
    if (first.result.findings.empty()) {
      ASSERT_EQ(first.buffers[1], second.buffers[1]);
    }
    const std::vector<uint32_t> behind = test::runPasses(after, {"gvn", "simplifycfg", "adce"});
    test::Interpreted third = pairsOf(seed);
    ASSERT_TRUE(third.run(behind));
    if (first.result.findings.empty()) {
      ASSERT_EQ(first.buffers[1], third.buffers[1]);
    }
  }
  EXPECT_GT(changed, seeds.count() / 4);
  RecordProperty("changed", int(changed));
  RecordProperty("removed", int(removed));
}

} // namespace
} // namespace lanewise
