// What of two interfaces is told, and what a rewrite may drop without a word.
#include "interpreted.h"
#include "verify/compare/short_buffers.h"
#include "verify/program/interfaces.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

constexpr const char* kHead = "#version 450\nlayout(local_size_x = 64) in;\n";
constexpr const char* kIn = "layout(binding = 0) readonly buffer In { uint x[]; };\n";
constexpr const char* kOut = "layout(binding = 1) buffer Out { uint y[]; };\n";
constexpr const char* kExtra = "layout(binding = 2) buffer Extra { uint z[]; };\n";

std::vector<std::string> differences(const std::string& a, const std::string& b,
                                     bool comparesBlocks = true) {
  Result<Reflection> original = reflect(test::compileGlsl(a), "", {});
  Result<Reflection> other = reflect(test::compileGlsl(b), "", {});
  if (!original || !other) return {"not reflected"};
  std::vector<std::string> texts;
  for (const InterfaceDifference& one :
       compareInterfaces(*original, *other, {"a", "b"}, comparesBlocks))
    texts.push_back(one.what);
  return texts;
}

using Texts = std::vector<std::string>;
const std::string kA =
    std::string(kHead) + kIn + kOut + kExtra + "void main() { y[0] = x[0]; z[0] = 1; }";

TEST(Interfaces, NothingWhereTheyAreTheSame) {
  EXPECT_EQ(differences(kA, kA), Texts{});
}

TEST(Interfaces, WhatIsOnlyReadMayBeDropped) {
  const std::string b = std::string(kHead) + kOut + kExtra + "void main() { y[0] = 3; z[0] = 1; }";
  EXPECT_EQ(differences(kA, b), Texts{});
}

TEST(Interfaces, WhatIsWrittenMayNot) {
  const std::string b = std::string(kHead) + kIn + kOut + "void main() { y[0] = x[0]; }";
  EXPECT_EQ(differences(kA, b),
            Texts{"b has no storage buffer at binding 0.2 (`Extra`), which a may write"});
  EXPECT_EQ(differences(b, kA),
            Texts{"b has a storage buffer at binding 0.2 (`Extra`) that a does not have"});
}

TEST(Interfaces, ABindingThatMovedIsOneDifference) {
  std::string b = kA;
  b.replace(b.find("binding = 2"), 11, "binding = 7");
  EXPECT_EQ(differences(kA, b), Texts{"`Extra` is binding 0.2 in a, 0.7 in b"});
}

TEST(Interfaces, KindsOfDescriptors) {
  std::string b = kA;
  b.replace(b.find("readonly buffer In { uint x[]; }"), 32, "uniform In { uint x[4]; }");
  EXPECT_EQ(differences(kA, b),
            Texts{"binding 0.0 (`In`) is a storage buffer in a, a uniform buffer in b"});
}

TEST(Interfaces, Blocks) {
  auto with = [](const std::string& block) {
    return std::string(kHead) + "layout(binding = 1) buffer Out { " + block +
           " };\nvoid main() { y[0] = y[1]; }";
  };
  const std::string a = with("uint y[];");
  EXPECT_EQ(differences(a, with("uvec2 y[];")),
            Texts{"an element of binding 0.1 (`Out`) takes 4 bytes in a, 8 in b"});
  EXPECT_EQ(differences(a, with("uint n; uint y[];")),
            Texts{"the array of binding 0.1 (`Out`) begins at byte 0 in a, at byte 4 in b"});
  EXPECT_EQ(differences(a, with("uint y[16];")),
            Texts{"the array of binding 0.1 (`Out`) is unsized in a, has 16 elements in b"});
  // Another type of the same size is no other interface.
  EXPECT_EQ(differences(a, with("float y[];")), Texts{});
  EXPECT_EQ(differences(a, with("uvec2 y[];"), false), Texts{});
}

TEST(Interfaces, PushConstantsAndWorkgroups) {
  auto with = [](const std::string& size, const std::string& push) {
    return "#version 450\nlayout(local_size_x = " + size + ") in;\n" + kOut +
           "layout(push_constant) uniform P { " + push + " };\nvoid main() { y[0] = n; }";
  };
  const std::string a = with("64", "uint n;");
  EXPECT_EQ(differences(a, with("64", "uint m; uint n;")),
            Texts{"a takes 4 bytes of push constants, b takes 8"});
  EXPECT_EQ(
      differences(a, with("32", "uint n;")),
      Texts{"a workgroup is 64x1x1 in a, 32x1x1 in b, and both run the same number of workgroups"});
}

// ----- counts of a scenario -----

class ShortBuffers : public testing::Test {
protected:
  std::vector<ShortBuffer> found(int64_t offset, int64_t furthest, uint32_t bytes = 4) {
    RunFinding finding;
    finding.kind = "out-of-range";
    finding.file = "a.comp", finding.line = 6;
    finding.miss = RangeMiss{0, offset, furthest, bytes, false};
    findings_.push_back(finding);
    return shortBuffersOf(scenario_, findings_);
  }
  void SetUp() override {
    scenario_.path = "s.toml";
    ScenarioBuffer buffer;
    buffer.name = "data";
    buffer.elements = {ScalarType::U32, ScalarType::U32};
    buffer.header.push_back({ScalarType::U32, {}});
    buffer.count = 64;
    scenario_.buffers.push_back(buffer);
  }
  Scenario scenario_;
  std::vector<RunFinding> findings_;
};

TEST_F(ShortBuffers, NamesElementAndTheCountThatHoldsAll) {
  const auto all = found(4 + 8 * 64, 4 + 8 * 79 + 4);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].element, 64);
  EXPECT_EQ(all[0].leastCount, 80u);
  EXPECT_EQ(describe(all[0]),
            "the original reads element 64 of buffer `data`, whose `count` in s.toml is 64, at "
            "a.comp:6; set its `count` to 80 or more, or keep the index in range");
}

TEST_F(ShortBuffers, CountsAnAccessThatOnlyEndsOutside) {
  EXPECT_EQ(found(4 + 8 * 63, 4 + 8 * 63, 16)[0].element, 64);
}

TEST_F(ShortBuffers, OneForEachBuffer) {
  found(4 + 8 * 64, 4 + 8 * 64);
  const auto all = found(4 + 8 * 70, 4 + 8 * 90);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].leastCount, 91u);
}

TEST_F(ShortBuffers, NoCountHoldsAnIndexBelowZero) {
  const auto all = found(4 - 8, 4 + 8 * 70);
  EXPECT_EQ(all[0].element, -1);
  EXPECT_FALSE(all[0].leastCount);
  findings_.clear();
  EXPECT_FALSE(found(4 + 8 * int64_t(UINT32_MAX), 4 + 8 * int64_t(UINT32_MAX))[0].leastCount);
}

TEST_F(ShortBuffers, NotOfInputsThatWereGeneratedNorAfterAPart) {
  scenario_.path.clear();
  EXPECT_TRUE(found(4 + 8 * 64, 4 + 8 * 64).empty());
  scenario_.path = "s.toml";
  findings_[0].isAfterPart = true;
  EXPECT_TRUE(shortBuffersOf(scenario_, findings_).empty());
}

} // namespace
} // namespace lanewise::driver
