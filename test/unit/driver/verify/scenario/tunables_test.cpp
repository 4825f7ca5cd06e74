// [tunable], `constraints`, and the comparisons in them.
#include "verify/scenario/scenario.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

class TunableScenario : public testing::Test {
protected:
  TunableScenario() {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        ("tunable_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "a.comp") << "void main() {}";
  }
  ~TunableScenario() override { std::filesystem::remove_all(folder_); }

  Result<Scenario> parse(const std::string& top, const std::string& tunable,
                         const Parameters& values = {}) {
    const std::string text = top + R"(
[parameters]
n = 1024
wg = 128
[tunable]
)" + tunable + R"(
[[shader]]
name = "a"
file = "a.comp"
spec_constants = { 0 = "wg" }
[[buffer]]
name = "b"
type = "u32"
count = "n"
[[dispatch]]
shader = "a"
groups = ["n / wg"]
bind = { 0 = "b" }
)";
    return parseScenario(text, (folder_ / "s.toml").string(), {}, values);
  }
  std::string errorOf(const std::string& top, const std::string& tunable) {
    Result<Scenario> scenario = parse(top, tunable);
    if (scenario) return "no error";
    return scenario.error().message.substr((folder_ / "s.toml").string().size());
  }

  std::filesystem::path folder_;
};

TEST_F(TunableScenario, HasItsValuesInTheOrderOfTheFile) {
  Result<Scenario> s = parse("", "wg = [256, 128, 64, 128]");
  ASSERT_TRUE(s) << s.error().message;
  ASSERT_EQ(1u, s->tunables.size());
  EXPECT_EQ((std::vector<int64_t>{256, 128, 64}), s->tunables[0].values);
  EXPECT_EQ(128, s->parameters.at("wg"));
}

TEST_F(TunableScenario, ReadsRanges) {
  Result<Scenario> steps = parse("", "wg = { from = 64, to = 200, step = 64 }");
  ASSERT_TRUE(steps) << steps.error().message;
  EXPECT_EQ((std::vector<int64_t>{64, 128, 192}), steps->tunables[0].values);
  Result<Scenario> times = parse("", "wg = { from = 32, to = \"n/2\", times = 2 }");
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ((std::vector<int64_t>{32, 64, 128, 256, 512}), times->tunables[0].values);
}

TEST_F(TunableScenario, OtherValuesReachConstantsAndGroups) {
  Result<Scenario> s = parse("", "wg = [64, 128]", {{"wg", 64}});
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(64u, s->shaders[0].specConstants.at(0));
  EXPECT_EQ(16u, s->dispatches[0].groups[0]);
}

TEST_F(TunableScenario, SaysWhichConstraintOtherValuesDoNotMeet) {
  const std::string top = "constraints = [\"wg <= 256\", \"n % wg == 0\"]";
  Result<Scenario> fits = parse(top, "wg = [64, 128]", {{"wg", 64}});
  ASSERT_TRUE(fits) << fits.error().message;
  EXPECT_EQ("", fits->unmet);
  Result<Scenario> s = parse(top, "wg = [96, 128]", {{"wg", 96}});
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ("n % wg == 0", s->unmet);
}

TEST_F(TunableScenario, ItsOwnValuesMustMeetThem) {
  EXPECT_EQ(":1:16: `wg < 128` does not hold for the values in [parameters]",
            errorOf("constraints = [\"wg < 128\"]", "wg = [64, 128]"));
}

TEST_F(TunableScenario, SaysWhereItIsWrong) {
  EXPECT_NE(std::string::npos, errorOf("", "wq = [64]").find(":6:1: parameter `wq` is unknown"));
  EXPECT_NE(std::string::npos, errorOf("", "wg = [64]").find(":6:6: `wg` is 128 in [parameters]"));
  EXPECT_NE(std::string::npos, errorOf("", "wg = 64").find(":6:6: `wg` must be a list"));
  EXPECT_NE(std::string::npos,
            errorOf("", "wg = { from = 1, to = 9 }").find("either `step` or `times`"));
  EXPECT_NE(std::string::npos,
            errorOf("", "wg = { from = 1, to = 100000, step = 1 }").find("more than 1024 values"));
  EXPECT_NE(std::string::npos,
            errorOf("constraints = [\"wg\"]", "wg = [128]").find("expected one of =="));
  EXPECT_NE(std::string::npos,
            errorOf("constraints = \"wg > 1\"", "wg = [128]").find("must be a list"));
}

TEST(Condition, Compares) {
  const Parameters p{{"a", 6}};
  for (const char* text :
       {"a == 6", "a != 5", "a < 7", "a <= 6", "a > 5", "a >= 6", "a*2 == 3*4"}) {
    const Result<bool> holds = evaluateCondition(text, p);
    ASSERT_TRUE(holds) << text;
    EXPECT_TRUE(*holds) << text;
  }
  for (const char* text : {"a == 5", "a != 6", "a < 6", "a <= 5", "a > 6", "a >= 7"})
    EXPECT_FALSE(*evaluateCondition(text, p)) << text;
  for (const char* text : {"a", "a =", "a < 1 < 2", "a == b", "a < 7)"})
    EXPECT_FALSE(evaluateCondition(text, p)) << text;
}

} // namespace
} // namespace lanewise::driver
