// Whether a test fails at some time, against trying: counters with all starts, steps and bounds of
// four bits; numbers that are divided, by chains of operations at random.
#include "analysis/control_flow/loop_ends.h"
#include "ir/integer_semantics.h"
#include "subject.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace lanewise {
namespace {

constexpr uint32_t kWidth = 4;
constexpr uint32_t kNumbers = 1u << kWidth;

bool holds(const Comparison& c, uint64_t x, uint64_t bound) {
  const int64_t a = c.isSigned ? signedOf(x, kWidth) : int64_t(x);
  const int64_t b = c.isSigned ? signedOf(bound, kWidth) : int64_t(bound);
  switch (c.relation) {
  case Relation::Less:
    return a < b;
  case Relation::LessEqual:
    return a <= b;
  case Relation::Greater:
    return a > b;
  case Relation::GreaterEqual:
    return a >= b;
  case Relation::Equal:
    return a == b;
  case Relation::NotEqual:
    return a != b;
  }
  return false;
}

bool failsWhenTried(const Comparison& c, uint64_t start, uint64_t step, uint64_t bound) {
  for (uint32_t n = 0; n < kNumbers; ++n)
    if (!holds(c, wrapped(start + n * step, kWidth), bound)) return true;
  return false;
}

class Counters : public ::testing::TestWithParam<Comparison> {};

TEST_P(Counters, FailWhereTryingSaysSo) {
  const Comparison c = GetParam();
  for (uint64_t step = 1; step < kNumbers; ++step) {
    bool always = true;
    for (uint64_t start = 0; start < kNumbers; ++start) {
      bool forEveryBound = true;
      for (uint64_t bound = 0; bound < kNumbers; ++bound) {
        const bool fails = failsWhenTried(c, start, step, bound);
        EXPECT_EQ(failsAtSomeTime(c, kWidth, start, step, bound), fails)
            << fmt::format("start {} step {} bound {}", start, step, bound);
        forEveryBound = forEveryBound && fails;
      }
      EXPECT_EQ(failsAtSomeTime(c, kWidth, start, step, {}), forEveryBound)
          << fmt::format("start {} step {}", start, step);
      always = always && forEveryBound;
    }
    EXPECT_EQ(failsAtSomeTime(c, kWidth, {}, step, {}), always) << fmt::format("step {}", step);
    for (uint64_t bound = 0; bound < kNumbers; ++bound) {
      bool forEveryStart = true;
      for (uint64_t start = 0; start < kNumbers; ++start)
        forEveryStart = forEveryStart && failsWhenTried(c, start, step, bound);
      EXPECT_EQ(failsAtSomeTime(c, kWidth, {}, step, bound), forEveryStart)
          << fmt::format("step {} bound {}", step, bound);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Comparisons, Counters,
    ::testing::Values(Comparison{Relation::Less, false}, Comparison{Relation::Less, true},
                      Comparison{Relation::LessEqual, false}, Comparison{Relation::LessEqual, true},
                      Comparison{Relation::Greater, false}, Comparison{Relation::Greater, true},
                      Comparison{Relation::GreaterEqual, false},
                      Comparison{Relation::GreaterEqual, true}, Comparison{Relation::Equal, false},
                      Comparison{Relation::NotEqual, false}));

TEST(CountersOfAllWidths, HaveNoLimit) {
  const Comparison less{Relation::Less, true};
  EXPECT_TRUE(failsAtSomeTime(less, 64, {}, 1, {}));
  EXPECT_FALSE(failsAtSomeTime(less, 64, {}, 2, {}));
  EXPECT_TRUE(failsAtSomeTime(less, 64, 0, uint64_t(1) << 63, uint64_t(0)));
  EXPECT_FALSE(failsAtSomeTime({Relation::LessEqual, false}, 32, {}, 1, 0xFFFFFFFF));
  EXPECT_TRUE(failsAtSomeTime({Relation::LessEqual, false}, 32, {}, 1, 0xFFFFFFFE));
}

// ---- numbers that are divided ----

struct Step {
  const char* op;
  uint32_t number;
};

/// for (s = %6; s `relation` bound; s = what the steps make of it)
struct Halving {
  const char* relation;
  uint32_t bound;
  std::vector<Step> steps;
  const char* decoration = "";

  std::string text() const {
    std::string constants = decoration, steps;
    constants += fmt::format("%20 = OpConstant %5 {}\n", bound);
    uint32_t id = 200;
    for (const Step& step : this->steps) {
      constants += fmt::format("%{} = OpConstant %5 {}\n", id + 200, step.number);
      steps += fmt::format("%{} = {} %5 %{} %{}\n", id + 1, step.op, id, id + 200);
      ++id;
    }
    return test::shaderModule(constants,
                              fmt::format("%100 = OpLabel\nOpBranch %101\n"
                                          "%101 = OpLabel\n%200 = OpPhi %5 %6 %100 %{} %104\n"
                                          "OpLoopMerge %105 %104 None\nOpBranch %102\n"
                                          "%102 = OpLabel\n%500 = {} %3 %200 %20\n"
                                          "OpBranchConditional %500 %103 %105\n%103 = OpLabel\n"
                                          "OpBranch %104\n%104 = OpLabel\n{}OpBranch %101\n"
                                          "%105 = OpLabel\nOpReturn\n",
                                          id, relation, steps));
  }

  bool isCounter() const {
    return std::none_of(steps.begin(), steps.end(), [](const Step& s) {
      return std::string_view(s.op).ends_with("Div") ||
             (std::string_view(s.op).starts_with("OpShift") && s.number > 0);
    });
  }

  bool staysOn(uint32_t p) const {
    const std::string_view r = relation;
    if (r == "OpUGreaterThan") return p > bound;
    if (r == "OpUGreaterThanEqual") return p >= bound;
    if (r == "OpSGreaterThan") return int32_t(p) > int32_t(bound);
    if (r == "OpSGreaterThanEqual") return int32_t(p) >= int32_t(bound);
    return p != bound;
  }

  uint32_t next(uint32_t p) const {
    for (const auto& [op, number] : steps) {
      const std::string_view o = op;
      if (o == "OpIAdd") p += number;
      if (o == "OpISub") p -= number;
      if (o == "OpUDiv") p /= number;
      if (o == "OpSDiv") p = uint32_t(int64_t(int32_t(p)) / int32_t(number));
      if (o == "OpShiftRightLogical") p >>= number;
      if (o == "OpShiftRightArithmetic") p = uint32_t(int32_t(p) >> number);
    }
    return p;
  }

  /// How often it goes on at most; nothing where that is not proved.
  std::optional<uint64_t> most() const {
    test::Subject subject(text());
    const auto end = LoopEnds(subject.analyses()).endOf(subject.analyses().get<Loops>().all()[0]);
    return end ? std::optional(end->most) : std::nullopt;
  }
};

TEST(Halvings, EndAfterAsManyStepsAsThereAreBits) {
  const Step half{"OpUDiv", 2}, signedHalf{"OpSDiv", 2}, one{"OpISub", 1};
  EXPECT_EQ((Halving{"OpUGreaterThan", 0, {half}}.most()), 32);
  EXPECT_EQ((Halving{"OpINotEqual", 0, {{"OpShiftRightLogical", 1}}}.most()), 32);
  EXPECT_EQ((Halving{"OpSGreaterThan", 0, {signedHalf}}.most()), 31);
  EXPECT_EQ((Halving{"OpSGreaterThanEqual", 1, {{"OpShiftRightArithmetic", 2}}}.most()), 16);
  EXPECT_EQ((Halving{"OpUGreaterThan", 1, {one, half, {"OpIAdd", 1}}}.most()), 32);
  EXPECT_EQ((Halving{"OpUGreaterThan", 7, {{"OpUDiv", 10}}}.most()), 9);
}

TEST(Halvings, AreNotProvedWhereTheyMayNotEnd) {
  const Step half{"OpUDiv", 2}, signedHalf{"OpSDiv", 2};
  EXPECT_FALSE((Halving{"OpUGreaterThanEqual", 0, {half}}.most())); // of 0 it is 0
  EXPECT_FALSE((Halving{"OpINotEqual", 1, {half}}.most()));         // from 0
  EXPECT_FALSE((Halving{"OpSGreaterThan", 0xFFFFFFFF, {signedHalf}}.most()));
  EXPECT_FALSE((Halving{"OpUGreaterThan", 0, {{"OpIAdd", 1}, half}}.most())); // of 1 it is 1
  EXPECT_FALSE((Halving{"OpUGreaterThan", 0, {{"OpUDiv", 1}}}.most()));
  EXPECT_FALSE((Halving{"OpUGreaterThan", 0, {{"OpShiftRightLogical", 0}}}.most()));
  EXPECT_FALSE((Halving{"OpUGreaterThan", 0, {signedHalf}}.most())); // -2: -1, and so 2^32 - 1
  EXPECT_FALSE((Halving{"OpUGreaterThan", 0, {{"OpShiftRightArithmetic", 1}}}.most()));
  EXPECT_FALSE((Halving{"OpSGreaterThan", 0, {{"OpSDiv", 0xFFFFFFFE}}}.most()));
  // The sum may wrap around: of 2^32 - 1 it is 2^32 - 5.
  EXPECT_FALSE((Halving{"OpUGreaterThan", 20, {{"OpIAdd", 16}, half, {"OpISub", 12}}}.most()));
  // With RelaxedPrecision it may do so at 2^16.
  const Halving less{"OpUGreaterThan", 1, {{"OpISub", 1}, half}};
  EXPECT_TRUE(less.most());
  for (const char* value : {"%200", "%201", "%202"}) {
    const std::string decoration = fmt::format("OpDecorate {} RelaxedPrecision\n", value);
    EXPECT_FALSE((Halving{less.relation, less.bound, less.steps, decoration.c_str()}.most()))
        << value;
  }
}

TEST(Halvings, AtRandomEndAsTheyAreProvedTo) {
  constexpr const char* kRelations[] = {"OpUGreaterThan", "OpUGreaterThanEqual", "OpSGreaterThan",
                                        "OpSGreaterThanEqual", "OpINotEqual"};
  constexpr const char* kOps[] = {
      "OpIAdd", "OpISub", "OpUDiv", "OpSDiv", "OpShiftRightLogical", "OpShiftRightArithmetic"};
  constexpr uint32_t kNumbers32[] = {
      0, 1, 2, 3, 7, 1000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x40000000, 16};
  std::mt19937 random(25);
  const auto pick = [&](const auto& of) { return of[random() % std::size(of)]; };
  uint32_t proved = 0;
  for (int n = 0; n < 3000; ++n) {
    Halving loop{pick(kRelations), pick(kNumbers32), {}, ""};
    if (random() % 2) loop.bound = random() % 3;
    for (uint32_t steps = 1 + random() % 3; steps > 0; --steps) {
      Step step{pick(kOps), pick(kNumbers32)};
      if (random() % 3) step.number = random() % 4;
      if (std::string_view(step.op).starts_with("OpShift")) step.number %= 32;
      const bool isDivision = std::string_view(step.op).ends_with("Div");
      if (isDivision && (step.number == 0 || step.number == 0xFFFFFFFF)) step.number = 2;
      loop.steps.push_back(step);
    }
    loop.steps.push_back({"OpShiftRightLogical", uint32_t(random() % 2)}); // 0: it stays as it is
    if (loop.isCounter()) continue;
    const auto most = loop.most();
    if (!most) continue;
    ++proved;
    std::vector<uint32_t> starts(std::begin(kNumbers32), std::end(kNumbers32));
    for (uint32_t d = 0; d < 8; ++d) starts.insert(starts.end(), {loop.bound + d, loop.bound - d});
    for (int k = 0; k < 20; ++k) starts.push_back(uint32_t(random()));
    for (uint32_t p : starts) {
      uint64_t times = 0;
      for (uint32_t tries = 0; tries < 300 && loop.staysOn(p); ++tries, ++times) {
        const uint32_t next = loop.next(p);
        if (loop.staysOn(next)) {
          ASSERT_LT(next, p) << loop.text();
        }
        p = next;
      }
      ASSERT_LE(times, *most) << loop.text();
    }
  }
  EXPECT_GT(proved, 300u);
}

} // namespace
} // namespace lanewise
