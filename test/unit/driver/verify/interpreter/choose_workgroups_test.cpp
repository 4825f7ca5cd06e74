#include "verify/interpreter/choose_workgroups.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

using Workgroups = std::vector<uint32_t>;

TEST(ChooseWorkgroups, RunsAllWorkgroupsWhereThereAreNoMore) {
  EXPECT_EQ(chooseWorkgroups({2, 2, 1}, 4, false), (Workgroups{0, 1, 2, 3}));
  EXPECT_EQ(chooseWorkgroups({2, 2, 1}, 100, false), (Workgroups{0, 1, 2, 3}));
  EXPECT_EQ(chooseWorkgroups({1, 1, 1}, 2, true), (Workgroups{0}));
}

TEST(ChooseWorkgroups, RunsTheEndsTheirNeighboursAndOthersBetween) {
  EXPECT_EQ(chooseWorkgroups({100, 1, 1}, 2, false), (Workgroups{0, 99}));
  EXPECT_EQ(chooseWorkgroups({100, 1, 1}, 4, false), (Workgroups{0, 1, 98, 99}));
  // Neighbours along each dimension: a halo is shared with the row above, too.
  EXPECT_EQ(chooseWorkgroups({10, 10, 10}, 8, false),
            (Workgroups{0, 1, 10, 100, 899, 989, 998, 999}));
  Workgroups many = chooseWorkgroups({1000, 1000, 1}, 1000, false);
  ASSERT_EQ(many.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(many.begin(), many.end()));
  EXPECT_EQ(std::adjacent_find(many.begin(), many.end()), many.end());
  for (size_t n = 1; n < many.size(); ++n) EXPECT_LT(many[n] - many[n - 1], 10000u);
}

TEST(ChooseWorkgroups, RunsTheFirstWorkgroupsWhereTheyMayWaitForOneAnother) {
  EXPECT_EQ(chooseWorkgroups({100, 100, 1}, 3, true), (Workgroups{0, 1, 2}));
}

} // namespace
} // namespace lanewise::driver
