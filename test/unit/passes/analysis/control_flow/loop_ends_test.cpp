// Whether a counter fails its test, against trying: all starts, steps and bounds of four bits.
#include "analysis/control_flow/loop_ends.h"
#include "ir/integer_semantics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

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

} // namespace
} // namespace lanewise
