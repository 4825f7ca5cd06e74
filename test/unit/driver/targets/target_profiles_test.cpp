#include "targets/target_profiles.h"

#include <cmath>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

TEST(Targets, EveryBuiltInProfileIsRead) {
  std::vector<std::string> names = builtInTargets();
  EXPECT_EQ(names.size(), 8u);
  for (const std::string& name : names) {
    Result<TargetProfile> target = loadTarget(name);
    ASSERT_TRUE(target) << target.error().message;
    EXPECT_EQ(target->name, name);
    EXPECT_GE(target->maxSharedMemory, 16384u) << "Vulkan requires that much";
  }
}

// The library's defaults are those of `generic` (target_profile.h).
TEST(Targets, GenericIsTheDefault) {
  Result<TargetProfile> generic = loadTarget("generic");
  ASSERT_TRUE(generic);
  TargetProfile d;
  for (const TargetFigure& f : targetFigures()) EXPECT_EQ(f.get(*generic), f.get(d)) << f.name;
  EXPECT_EQ(generic->broadcast, d.broadcast);
}

TEST(Targets, NvidiaIsWhatItsGuideSays) {
  Result<TargetProfile> t = loadTarget("nvidia");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->banks, 32u);
  EXPECT_EQ(t->bankBytes, 4u);
  EXPECT_EQ(t->lanesPerPhase64, 16u);
  EXPECT_EQ(t->lanesPerPhase128, 8u);
  EXPECT_EQ(t->sectorBytes, 32u);
  EXPECT_EQ(t->maxSharedMemory, 49152u);
}

std::string targetError(const char* text) {
  Result<TargetProfile> t = parseTarget(text, "my.toml");
  return t ? "no error" : t.error().message;
}

TEST(Targets, ErrorsNameLineAndKey) {
  EXPECT_EQ(targetError("[subgroup]\nsize = 0\n"),
            "my.toml:2: 'subgroup.size' must be a whole number from 1 to 128");
  EXPECT_EQ(targetError("[subgroup]\n\nsiz = 8\n"),
            "my.toml:3: unknown key 'subgroup.siz'; did you mean 'subgroup.size'?");
  EXPECT_EQ(targetError("[shared-memry]\n"),
            "my.toml:1: unknown key 'shared-memry'; did you mean 'shared-memory'?");
  EXPECT_EQ(targetError("[shared-memory]\nbroadcast = 1\n"),
            "my.toml:2: 'shared-memory.broadcast' must be true or false");
  EXPECT_EQ(targetError("[shared-memory]\nbanks = 2.5\n"),
            "my.toml:2: 'shared-memory.banks' must be a whole number from 1 to 1024");
  EXPECT_TRUE(targetError("[subgroup\n").starts_with("my.toml:1: "));
  EXPECT_EQ(targetError("name = 3\n"), "my.toml:1: 'name' must be a string");
  EXPECT_EQ(targetError("cost = 3\n"), "my.toml:1: 'cost' must be a table");
}

TEST(Targets, LeftOutKeysAreThoseOfGeneric) {
  Result<TargetProfile> t =
      parseTarget("[shared-memory]\nbanks = 16\n[cost]\nbranch = 1.5\n", "my.toml");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->banks, 16u);
  EXPECT_EQ(t->branchCost, 1.5);
  EXPECT_EQ(t->subgroupSize, 32u);
}

TEST(Targets, UnknownNamesGetASuggestion) {
  Result<TargetProfile> t = loadTarget("nvida");
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().message, "unknown target 'nvida'; did you mean 'nvidia'?");
  EXPECT_FALSE(loadTarget("no-such-file.toml"));
}

} // namespace
} // namespace lanewise::driver
