// Large grids of values: what is tried first, where the search goes, and that it ends.
#include "support/failure.h"
#include "tuning/value_search.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

Tunable range(const std::string& name, int64_t first, int64_t last, int64_t step) {
  Tunable tunable{name, {}};
  for (int64_t value = first; value <= last; value += step) tunable.values.push_back(value);
  return tunable;
}

class ValueSearch : public testing::Test {
protected:
  using Cost = std::function<double(int64_t, int64_t)>;
  using Condition = std::function<bool(int64_t, int64_t)>;

  std::vector<Tunable> tunables_{range("a", 32, 1024, 32), {"b", {1, 2, 4, 8, 16, 32, 64}}};
  Parameters own_{{"a", 64}, {"b", 1}};
  size_t tried_ = 0;
  bool wasAllowed_ = true;

  int64_t valueOf(const Parameters& point, const std::string& name) const {
    const auto given = point.find(name);
    return given != point.end() ? given->second : own_.at(name);
  }
  ValueGrid grid(Condition isAllowed = [](int64_t, int64_t) { return true; }) {
    return {tunables_, own_, [this, isAllowed](const Parameters& p) {
              return isAllowed(valueOf(p, "a"), valueOf(p, "b"));
            }};
  }
  /// Where the search ends.
  Parameters search(const ValueGrid& grid, const Cost& cost) {
    Parameters best;
    const auto costOf = [&](const Parameters& p) { return cost(valueOf(p, "a"), valueOf(p, "b")); };
    const auto trial = [&](std::vector<Parameters> points) -> Result<Parameters> {
      for (const Parameters& p : points) {
        ++tried_;
        if (costOf(p) < costOf(best)) best = p;
      }
      return best;
    };
    EXPECT_TRUE(searchValues(grid, 16, trial));
    return best;
  }
};

TEST_F(ValueSearch, AllOfASmallGridComesWithWhatChangesLeastFirst) {
  tunables_ = {{"a", {64, 128}}, {"b", {1, 2}}};
  const std::vector<Parameters> all = grid().all();
  EXPECT_EQ((std::vector<Parameters>{{{"b", 2}}, {{"a", 128}}, {{"a", 128}, {"b", 2}}}), all);
}

TEST_F(ValueSearch, BeginsFarApart) {
  const std::vector<Parameters> points = grid().spread(12);
  ASSERT_EQ(12u, points.size());
  EXPECT_EQ((Parameters{{"a", 1024}, {"b", 64}}), points[0]);
  EXPECT_EQ((Parameters{{"a", 32}}), points[1]);
  for (int64_t quarter = 0; quarter < 4; ++quarter)
    EXPECT_TRUE(std::ranges::any_of(points, [&](const Parameters& p) {
      const int64_t a = valueOf(p, "a");
      return a > quarter * 256 && a <= (quarter + 1) * 256;
    })) << quarter;
}

TEST_F(ValueSearch, BeginsWithWhatConstraintsAllow) {
  const std::vector<Parameters> points =
      grid([](int64_t a, int64_t b) { return a * b == 1024; }).spread(4);
  ASSERT_FALSE(points.empty());
  for (const Parameters& p : points) EXPECT_EQ(1024, valueOf(p, "a") * valueOf(p, "b"));
}

TEST_F(ValueSearch, FindsTheLowestPointByFewTries) {
  const auto bowl = [](int64_t a, int64_t b) {
    return std::pow(double(a - 416) / 32, 2) + std::pow(std::log2(double(b)) - 3, 2);
  };
  EXPECT_EQ((Parameters{{"a", 416}, {"b", 8}}), search(grid(), bowl));
  EXPECT_LT(tried_, 224u / 4);
}

TEST_F(ValueSearch, FollowsAProduct) {
  tunables_ = {{"a", {1, 2, 4, 8, 16, 32, 64, 128, 256}},
               {"b", {1, 2, 4, 8, 16, 32, 64, 128, 256}}};
  own_ = {{"a", 4}, {"b", 64}};
  // 256 invocations are best, and of these the widest.
  const auto cost = [](int64_t a, int64_t b) {
    return 10 * std::abs(std::log2(double(a * b)) - 8) - std::log2(double(a));
  };
  EXPECT_EQ((Parameters{{"a", 256}, {"b", 1}}), search(grid(), cost));
  EXPECT_LT(tried_, 81u / 2);
}

TEST_F(ValueSearch, StaysWithinConstraints) {
  const auto isAllowed = [](int64_t a, int64_t b) { return a * b <= 512; };
  const auto cost = [&](int64_t a, int64_t b) {
    wasAllowed_ &= isAllowed(a, b);
    return -double(a * b);
  };
  const Parameters best = search(grid(isAllowed), cost);
  EXPECT_EQ(512, valueOf(best, "a") * valueOf(best, "b"));
  EXPECT_TRUE(wasAllowed_);
}

TEST_F(ValueSearch, EndsWhereNothingGains) {
  EXPECT_TRUE(search(grid(), [](int64_t, int64_t) { return 1; }).empty());
  EXPECT_LT(tried_, 40u);
}

TEST_F(ValueSearch, HandsOnWhyATrialFailed) {
  const Status done = searchValues(grid(), 16, [](std::vector<Parameters>) -> Result<Parameters> {
    return failure("the device is gone");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ("the device is gone", done.error().message);
}

} // namespace
} // namespace lanewise::driver
