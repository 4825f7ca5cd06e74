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

/// Every number of four bits of which the lowest ones are known; some of which, or all.
std::vector<KnownNumber> knownNumbers() {
  std::vector<KnownNumber> all;
  for (uint64_t isKnown = 0; isKnown < kNumbers; isKnown = 2 * isKnown + 1)
    for (uint64_t bits = 0; bits <= isKnown; ++bits) all.push_back({bits, isKnown});
  return all;
}

TEST_P(Counters, FailWhereTryingSaysSo) {
  const Comparison c = GetParam();
  for (const KnownNumber& known : knownNumbers())
    for (uint64_t step = 1; step < kNumbers; ++step) {
      bool always = true;
      for (uint64_t start = 0; start < kNumbers; ++start) {
        bool fails = true;
        for (uint64_t bound = 0; bound < kNumbers; ++bound)
          if ((bound & known.isKnown) == known.bits)
            fails = fails && failsWhenTried(c, start, step, bound);
        EXPECT_EQ(failsAtSomeTime(c, kWidth, start, step, known), fails)
            << fmt::format("start {} step {} bound {}/{}", start, step, known.bits, known.isKnown);
        always = always && fails;
      }
      EXPECT_EQ(failsAtSomeTime(c, kWidth, {}, step, known), always)
          << fmt::format("step {} bound {}/{}", step, known.bits, known.isKnown);
    }
}

/// With limits it is not exact where a bound of no possible number, or only one, is known.
TEST_P(Counters, FailBelowALimitWhereItIsProved) {
  const Comparison c = GetParam();
  uint32_t proved = 0;
  for (KnownNumber known : knownNumbers())
    for (known.most = 0; known.most < kNumbers; ++known.most)
      for (uint64_t step = 1; step < kNumbers; ++step)
        for (uint64_t start = 0; start < kNumbers; ++start) {
          if (!failsAtSomeTime(c, kWidth, start, step, known)) continue;
          ++proved;
          for (uint64_t bound = 0; bound <= known.most; ++bound) {
            if ((bound & known.isKnown) != known.bits) continue;
            ASSERT_TRUE(failsWhenTried(c, start, step, bound))
                << fmt::format("start {} step {} bound {}/{} to {}", start, step, known.bits,
                               known.isKnown, known.most);
          }
        }
  EXPECT_GT(proved, 50000u);
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
  EXPECT_TRUE(failsAtSomeTime(less, 64, 0, uint64_t(1) << 63, KnownNumber::literal(0, 64)));
  const Comparison lessEqual{Relation::LessEqual, false};
  EXPECT_FALSE(failsAtSomeTime(lessEqual, 32, {}, 1, KnownNumber::literal(0xFFFFFFFF, 32)));
  EXPECT_TRUE(failsAtSomeTime(lessEqual, 32, {}, 1, KnownNumber::literal(0xFFFFFFFE, 32)));
}

// ---- numbers that are divided ----

struct Step {
  const char* op;
  uint32_t number;
};

/// for (s = start; s `relation` bound; s = what the steps make of it); any start, or a literal
struct Halving {
  const char* relation;
  uint32_t bound;
  std::vector<Step> steps;
  const char* decoration = "";
  std::optional<uint32_t> start = {};

  std::string text() const {
    std::string constants = decoration, steps;
    constants +=
        start ? fmt::format("%21 = OpConstant %5 {}\n", *start) : "%21 = OpSpecConstant %5 0\n";
    constants += fmt::format("%20 = OpConstant %5 {}\n", bound);
    uint32_t id = 200;
    for (const Step& step : this->steps) {
      constants += fmt::format("%{} = OpConstant %5 {}\n", id + 200, step.number);
      steps += fmt::format("%{} = {} %5 %{} %{}\n", id + 1, step.op, id, id + 200);
      ++id;
    }
    return test::shaderModule(constants,
                              fmt::format("%100 = OpLabel\nOpBranch %101\n"
                                          "%101 = OpLabel\n%200 = OpPhi %5 %21 %100 %{} %104\n"
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

  bool isProvedToEnd() const {
    test::Subject subject(text());
    return LoopEnds(subject.analyses()).ends(subject.analyses().get<Loops>().all()[0]);
  }
};

TEST(Halvings, AreProvedToEnd) {
  const Step half{"OpUDiv", 2}, signedHalf{"OpSDiv", 2}, one{"OpISub", 1};
  EXPECT_TRUE((Halving{"OpUGreaterThan", 0, {half}}.isProvedToEnd()));
  EXPECT_TRUE((Halving{"OpINotEqual", 0, {{"OpShiftRightLogical", 1}}}.isProvedToEnd()));
  EXPECT_TRUE((Halving{"OpSGreaterThan", 0, {signedHalf}}.isProvedToEnd()));
  EXPECT_TRUE((Halving{"OpSGreaterThanEqual", 1, {{"OpShiftRightArithmetic", 2}}}.isProvedToEnd()));
  EXPECT_TRUE((Halving{"OpUGreaterThan", 1, {one, half, {"OpIAdd", 1}}}.isProvedToEnd()));
  EXPECT_TRUE((Halving{"OpUGreaterThan", 7, {{"OpUDiv", 10}}}.isProvedToEnd()));
}

TEST(Halvings, AreNotProvedWhereTheyMayNotEnd) {
  const Step half{"OpUDiv", 2}, signedHalf{"OpSDiv", 2};
  EXPECT_FALSE((Halving{"OpUGreaterThanEqual", 0, {half}}.isProvedToEnd())); // of 0 it is 0
  EXPECT_FALSE((Halving{"OpINotEqual", 1, {half}}.isProvedToEnd()));         // from 0
  EXPECT_FALSE((Halving{"OpSGreaterThan", 0xFFFFFFFF, {signedHalf}}.isProvedToEnd()));
  EXPECT_FALSE(
      (Halving{"OpUGreaterThan", 0, {{"OpIAdd", 1}, half}}.isProvedToEnd())); // of 1 it is 1
  EXPECT_FALSE((Halving{"OpUGreaterThan", 0, {{"OpUDiv", 1}}}.isProvedToEnd()));
  EXPECT_FALSE((Halving{"OpUGreaterThan", 0, {{"OpShiftRightLogical", 0}}}.isProvedToEnd()));
  EXPECT_FALSE(
      (Halving{"OpUGreaterThan", 0, {signedHalf}}.isProvedToEnd())); // -2: -1, and so 2^32 - 1
  EXPECT_FALSE((Halving{"OpUGreaterThan", 0, {{"OpShiftRightArithmetic", 1}}}.isProvedToEnd()));
  EXPECT_FALSE((Halving{"OpSGreaterThan", 0, {{"OpSDiv", 0xFFFFFFFE}}}.isProvedToEnd()));
  // The sum may wrap around.
  EXPECT_FALSE(
      (Halving{"OpUGreaterThan", 20, {{"OpIAdd", 16}, half, {"OpISub", 12}}}.isProvedToEnd()));
  // With RelaxedPrecision it may do so at 2^16.
  const Halving less{"OpUGreaterThan", 1, {{"OpISub", 1}, half}};
  EXPECT_TRUE(less.isProvedToEnd());
  for (const char* value : {"%200", "%201", "%202", "%500"}) {
    const std::string decoration = fmt::format("OpDecorate {} RelaxedPrecision\n", value);
    EXPECT_FALSE(
        (Halving{less.relation, less.bound, less.steps, decoration.c_str(), {}}.isProvedToEnd()))
        << value;
  }
}

TEST(Literals, AreTried) {
  const Step twice{"OpIMul", 2};
  const auto ends = [](Halving loop, uint32_t start) {
    loop.start = start;
    return loop.isProvedToEnd();
  };
  EXPECT_TRUE(ends({"OpULessThan", 64, {twice}}, 1));
  EXPECT_TRUE(ends({"OpULessThan", 64, {twice}}, 64));
  EXPECT_TRUE(ends({"OpINotEqual", 0, {{"OpShiftLeftLogical", 1}}}, 1));
  EXPECT_FALSE(ends({"OpULessThan", 64, {twice}}, 0));                      // stays 0
  EXPECT_FALSE(ends({"OpULessThan", 0xFFFFFFFF, {twice}}, 1));              // 2^31, then 0
  EXPECT_FALSE(ends({"OpULessThan", 64, {{"OpShiftLeftLogical", 40}}}, 1)); // undefined
  EXPECT_FALSE((Halving{"OpULessThan", 64, {twice}}.isProvedToEnd()));
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
    Halving loop{pick(kRelations), pick(kNumbers32), {}, "", {}};
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
    if (!loop.isProvedToEnd()) continue;
    ++proved;
    std::vector<uint32_t> starts(std::begin(kNumbers32), std::end(kNumbers32));
    for (uint32_t d = 0; d < 8; ++d) starts.insert(starts.end(), {loop.bound + d, loop.bound - d});
    for (int k = 0; k < 20; ++k) starts.push_back(uint32_t(random()));
    for (uint32_t p : starts) {
      for (uint32_t tries = 0; tries < 300 && loop.staysOn(p); ++tries) {
        const uint32_t next = loop.next(p);
        if (loop.staysOn(next)) {
          ASSERT_LT(next, p) << loop.text();
        }
        p = next;
      }
    }
  }
  EXPECT_GT(proved, 300u);
}

} // namespace
} // namespace lanewise
