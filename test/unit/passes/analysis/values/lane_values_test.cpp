#include "affine_shader.h"
#include "analysis/values/lane_values.h"

#include <gtest/gtest.h>
#include <map>

namespace lanewise {
namespace {

using test::computeShader;
using test::kInputs;
using test::Shader;

constexpr std::array<uint32_t, 3> kWorkgroup{8, 4, 1};
constexpr uint32_t kLanesOfSubgroup = 16, kLanes = 32;
constexpr uint8_t kOnlyUnknown = LaneColumn::IsUnknown;

/// What terms have that an execution carries.
struct Carried : CarriedColumns {
  const LaneColumn* of(uint32_t term) const override {
    const auto at = columns.find(term);
    return at == columns.end() ? nullptr : &at->second;
  }
  std::map<uint32_t, LaneColumn> columns;
};

/// %less: the first four lanes of a row. %50: of memory, so never known.
struct LaneColumns : testing::Test {
  Shader shader{computeShader(kInputs + R"(
     %np = OpAccessChain %p_number %buffer %u0 %t
     %50 = OpLoad %uint %np
   %less = OpULessThan %bool %x %u4
    %100 = OpUDiv %uint %u16 %x
    %101 = OpSelect %uint %less %x %p
    %102 = OpSelect %uint %less %x %50
    %103 = OpSelect %uint %less %u5 %100
    %104 = OpIAdd %uint %50 %y
)"),
                kWorkgroup};
  Carried carried;
  LaneValues values{*shader.affine, kWorkgroup, kLanesOfSubgroup, &carried};

  const LaneColumn& of(uint32_t id, uint32_t seed = 0) { return values.of(shader.of(id), seed); }
  /// The term that %50 is.
  uint32_t noise() { return shader.of(50).terms.front().first; }
};

TEST_F(LaneColumns, WhatIsUndefinedHasNoValueButIsNotUnknown) {
  const LaneColumn& column = of(100);
  EXPECT_EQ(column.facts[0], 0);
  EXPECT_EQ(column.value(1), 16u);
  EXPECT_EQ(column.value(kLanes - 1), 2u);
}

TEST_F(LaneColumns, OnlyTheArmThatIsTakenCounts) {
  EXPECT_EQ(of(101).facts[3], LaneColumn::HasValue);
  EXPECT_EQ(of(101).facts[4], LaneColumn::HasValue | LaneColumn::IsSampled);
  EXPECT_EQ(of(102).value(3), 3u);
  EXPECT_EQ(of(102).facts[3], LaneColumn::HasValue);
  EXPECT_EQ(of(102).facts[4], kOnlyUnknown);
  EXPECT_EQ(of(103).value(0), 5u); // 16 / 0 in the arm that is not taken
}

TEST_F(LaneColumns, SeedsChooseWhatIsUniformAndNotKnown) {
  const uint32_t first = of(101).values[4];
  EXPECT_EQ(of(101).values[12], first); // the lane above it
  EXPECT_NE(of(101, 1).values[4], first);
  EXPECT_EQ(of(101, 0).values[4], first);
}

TEST_F(LaneColumns, CarriedValuesComeFirstUntilTheyChange) {
  LaneColumn& column = carried.columns[noise()];
  column.values.assign(kLanes, 7);
  column.facts.assign(kLanes, LaneColumn::HasValue);
  column.facts[9] = 0;
  EXPECT_EQ(of(104).value(8), 8u); // 7 + 1: the second row
  EXPECT_EQ(of(104).facts[9], kOnlyUnknown);
  column.values[8] = 20;
  EXPECT_EQ(of(104).value(8), 8u);
  values.forget();
  EXPECT_EQ(of(104).value(8), 21u);
}

TEST_F(LaneColumns, WhatNothingIsCarriedForStaysComputed) {
  carried.columns[noise()] = {std::vector<uint32_t>(kLanes), std::vector<uint8_t>(kLanes)};
  of(103);
  const uint64_t before = values.computed();
  values.forget();
  of(103);
  EXPECT_EQ(values.computed() - before, kLanes); // the sum alone
  of(102);
  const uint64_t with = values.computed();
  values.forget();
  of(102);
  EXPECT_GT(values.computed() - with, kLanes);
}

} // namespace
} // namespace lanewise
