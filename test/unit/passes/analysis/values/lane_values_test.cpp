#include "affine_shader.h"
#include "analysis/module/entry_points.h"
#include "analysis/values/lane_values.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

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
    %105 = OpIAdd %uint %p %u0
)"),
                kWorkgroup};
  Carried carried;
  LaneValues values{*shader.affine, kWorkgroup, kLanesOfSubgroup, &carried};

  const LaneColumn& of(uint32_t id, uint32_t seed = 0) { return values.of(shader.of(id), seed); }
  /// The term that %50 is.
  uint32_t noise() { return shader.of(50).terms.front().first; }
  /// That %p is.
  uint32_t pushed() { return shader.of(105).terms.front().first; }
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

TEST_F(LaneColumns, NoSeedNeedChooseAnything) {
  LaneColumn& column = carried.columns[pushed()];
  column.fill(kLanes, 0, 0);
  LaneValues unknown{*shader.affine, kWorkgroup, kLanesOfSubgroup, &carried, Uncarried::Unknown};
  EXPECT_EQ(unknown.of(shader.of(101)).value(3), 3u); // the arm that needs nothing else
  EXPECT_EQ(unknown.of(shader.of(101)).facts[4], kOnlyUnknown);
  column.fill(kLanes, 9, LaneColumn::HasValue);
  unknown.forget();
  EXPECT_EQ(unknown.of(shader.of(101)).value(3), 3u);
  EXPECT_EQ(unknown.of(shader.of(101)).value(4), 9u);
  EXPECT_EQ(unknown.of(shader.of(101)).facts[4], LaneColumn::HasValue);
}

/// Operations go by columns, but give each lane what it would have alone.
TEST(LaneColumnsOfOperations, AreWhatEachLaneComputes) {
  const char* const operations[] = {
      "OpIMul %uint %v %y",
      "OpUDiv %uint %v %x",
      "OpUMod %uint %v %x",
      "OpSDiv %uint %v %x",
      "OpSRem %uint %v %x",
      "OpSMod %uint %v %x",
      "OpShiftLeftLogical %uint %v %shift",
      "OpShiftRightLogical %uint %v %shift",
      "OpShiftRightArithmetic %uint %v %shift",
      "OpBitwiseAnd %uint %v %square",
      "OpBitwiseOr %uint %v %square",
      "OpBitwiseXor %uint %v %square",
      "OpExtInst %uint %glsl UMin %v %square",
      "OpExtInst %uint %glsl SMax %v %square",
      "OpBitFieldUExtract %uint %v %x %y",
      "OpBitCount %uint %v",
  };
  const char* const tests[] = {"OpULessThan %bool %v %square", "OpSLessThan %bool %v %square",
                               "OpIEqual %bool %square %y"};
  std::string body = kInputs + R"(
       %low = OpBitwiseXor %uint %x %u3
         %v = OpISub %uint %low %u5
    %square = OpIMul %uint %x %x
     %shift = OpIMul %uint %x %u5
)";
  uint32_t id = 100;
  for (const char* text : operations) body += "%" + std::to_string(id++) + " = " + text + "\n";
  const uint32_t firstTest = id;
  for (const char* text : tests) body += "%" + std::to_string(id++) + " = " + text + "\n";
  const uint32_t firstChoice = id;
  for (uint32_t test = firstTest; test < firstChoice; ++test) {
    const std::string condition = "%" + std::to_string(test);
    body += "%" + std::to_string(id++) + " = OpSelect %uint " + condition + " %101 %106\n";
    for (const char* op : {"OpLogicalAnd", "OpLogicalOr"}) {
      body += "%" + std::to_string(id) + " = " + op + " %bool " + condition + " %undefined\n";
      body +=
          "%" + std::to_string(id + 1) + " = OpSelect %uint %" + std::to_string(id) + " %u1 %u2\n";
      id += 2;
    }
  }
  // 16 / 0 in the first column.
  const size_t place = body.find("%100 =");
  body.insert(place, "%quotient = OpUDiv %uint %u16 %x\n"
                     "%undefined = OpULessThan %bool %quotient %u4\n");
  Shader shader{computeShader(body), kWorkgroup};
  LaneValues values{*shader.affine, kWorkgroup, kLanesOfSubgroup};
  uint32_t undefined = 0;
  for (uint32_t n = 100; n < id; ++n) {
    const AffineExpr& form = shader.of(n);
    const LaneColumn& column = values.of(form);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const LaneContext context{localIdOf(lane, kWorkgroup), lane % kLanesOfSubgroup,
                                lane / kLanesOfSubgroup, 0};
      EXPECT_EQ(column.value(lane), shader.affine->evaluate(form, context))
          << "%" << n << " of lane " << lane;
      undefined += !column.value(lane);
    }
  }
  EXPECT_GT(undefined, 0u);
}

/// What divides or shifts all lanes alike has columns of its own, where it is defined.
TEST(LaneColumnsOfOperations, WithSharedNumbersAreWhatEachLaneComputes) {
  std::string body = kInputs + R"(
     %least = OpShiftLeftLogical %uint %x %u31
       %low = OpISub %uint %y %u5
         %v = OpSelect %uint %even %least %low
)";
  body.insert(body.find("%low ="), "%odd = OpBitwiseAnd %uint %x %u1\n"
                                   "%even = OpIEqual %bool %odd %u1\n");
  uint32_t id = 100;
  for (const char* op : {"UDiv", "UMod", "SDiv", "SRem", "SMod", "ShiftLeftLogical",
                         "ShiftRightLogical", "ShiftRightArithmetic"})
    body += "%" + std::to_string(id++) + " = Op" + op + " %uint %v %p\n";
  body += "%200 = OpIAdd %uint %p %u0\n";
  Shader shader{computeShader(body), kWorkgroup};
  Carried carried;
  const uint32_t shared = shader.of(200).terms.front().first;
  LaneValues values{*shader.affine, kWorkgroup, kLanesOfSubgroup, &carried, Uncarried::Unknown};
  for (uint32_t number : {0u, 1u, 3u, 4u, 31u, 32u, 0x80000000u, 0xFFFFFFFFu}) {
    carried.columns[shared].fill(kLanes, number, LaneColumn::HasValue);
    values.forget();
    const Affine::Assignment given[] = {{shared, number}};
    for (uint32_t n = 100; n < id; ++n)
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        EXPECT_EQ(values.of(shader.of(n)).value(lane),
                  shader.affine->evaluate(shader.of(n), localIdOf(lane, kWorkgroup), given))
            << "%" << n << " by " << number << " of lane " << lane;
  }
}

} // namespace
} // namespace lanewise
