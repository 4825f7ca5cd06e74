#include "compilers/amd_families.h"
#include "compilers/figures.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace lanewise::driver {
namespace {

/// What RADV reports for a shader; GCN 5: 10 subgroups a SIMD, 256 registers, 800 scalar ones.
CompiledStage reported(const char* vector, const char* scalar, const char* shared,
                       const char* subgroups) {
  return {64,
          {{"VGPRs", vector},
           {"SGPRs", scalar},
           {"Spilled SGPRs", "2"},
           {"Spilled VGPRs", "3"},
           {"LDS size", shared},
           {"Subgroups per SIMD", subgroups},
           {"Hash", "77"}},
          {}};
}

constexpr SubgroupLimits kGcn{10, 256, 800, 4};
constexpr SubgroupLimits kRdna{16, 512, 0, 2};

TEST(CompilerFigures, GoIntoColumnsAndKeepTheirNames) {
  const StageFigures f = figuresOf(reported("24", "48", "0", "10"), {});
  EXPECT_EQ(f[Figure::VectorRegisters], 24);
  EXPECT_EQ(f[Figure::ScalarRegisters], 48);
  EXPECT_EQ(f[Figure::Spills], 5); // scalar and vector
  EXPECT_EQ(f[Figure::Occupancy], 10);
  EXPECT_EQ(f[Figure::Latency], std::nullopt); // not told, which is not 0
  EXPECT_EQ(f.all.size(), 7u);
  EXPECT_EQ(f.maxOccupancy, 0u); // without limits nothing is said of them
  EXPECT_TRUE(f.limits.empty());
}

std::vector<std::string> limitsOf(const CompiledStage& stage, const SubgroupLimits& limits,
                                  uint32_t sharedPerSimd, uint64_t invocations) {
  return figuresOf(stage, {&limits, sharedPerSimd, invocations}).limits;
}

TEST(CompilerFigures, SayWhatLimitsOccupancy) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(limitsOf(reported("24", "48", "0", "10"), kGcn, 16384, 64), Names());
  EXPECT_EQ(limitsOf(reported("28", "48", "0", "9"), kGcn, 16384, 64), Names{"vector registers"});
  EXPECT_EQ(limitsOf(reported("24", "96", "0", "8"), kGcn, 16384, 64), Names{"scalar registers"});
  // 65536 / 12288 = 5 workgroups of a subgroup over four SIMDs.
  EXPECT_EQ(limitsOf(reported("24", "48", "12288", "2"), kGcn, 16384, 64), Names{"shared memory"});
  // The same memory for eight subgroups: ten a SIMD.
  EXPECT_EQ(limitsOf(reported("24", "48", "12288", "10"), kGcn, 16384, 512), Names());
  // Two at once.
  EXPECT_EQ(limitsOf(reported("32", "96", "0", "8"), kGcn, 16384, 64),
            (Names{"vector registers", "scalar registers"}));
}

TEST(CompilerFigures, CountSubgroupsOf64TwiceOnRdna) {
  const StageFigures wide = figuresOf(reported("128", "128", "0", "8"), {&kRdna, 32768, 64});
  EXPECT_EQ(wide.maxOccupancy, 32u);
  EXPECT_EQ(wide.limits, std::vector<std::string>{"vector registers"}); // 512 / 128 * 2
  CompiledStage narrow = reported("128", "128", "0", "8");
  narrow.subgroupSize = 32;
  const StageFigures f = figuresOf(narrow, {&kRdna, 32768, 64});
  EXPECT_EQ(f.maxOccupancy, 32u);
  EXPECT_EQ(f.limits, std::vector<std::string>{"vector registers"}); // 1024 / 128
}

TEST(AmdFamilies, AreFoundByAnyOfTheirNames) {
  ASSERT_NE(findAmdFamily("navi31"), nullptr);
  EXPECT_EQ(findAmdFamily("gfx1100"), findAmdFamily("navi31"));
  EXPECT_EQ(findAmdFamily("navi31")->generation, "RDNA 3");
  EXPECT_EQ(findAmdFamily("NAVI31"), nullptr);
  EXPECT_EQ(findAmdFamily(""), nullptr);
}

TEST(AmdFamilies, HaveOneDefaultForEachGeneration) {
  std::map<std::string_view, int> defaults;
  for (const AmdFamily& family : amdFamilies()) defaults[family.generation] += family.isDefault;
  EXPECT_GE(defaults.size(), 9u);
  for (const auto& [generation, count] : defaults) EXPECT_EQ(count, 1) << generation;
}

} // namespace
} // namespace lanewise::driver
