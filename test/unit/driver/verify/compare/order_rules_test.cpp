// The rules by which outputs are compared that depend on the order of invocations, one after the
// other, and what each of them still sees.
#include "verify/compare/order_rules.h"

#include <cstring>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

/// A header of two values, and elements of two.
ScenarioBuffer listOf(uint64_t count, Compare compare = CompareExact{}) {
  ScenarioBuffer buffer;
  buffer.name = "list";
  buffer.header = {{ScalarType::U32, {}}, {ScalarType::U16, {}}};
  buffer.elements = {ScalarType::U16, ScalarType::F32};
  buffer.count = count;
  buffer.compare = compare;
  return buffer;
}

std::vector<uint8_t> countedBytes(const ScenarioBuffer& buffer) {
  std::vector<uint8_t> bytes(buffer.bytes());
  for (size_t n = 0; n < bytes.size(); ++n) bytes[n] = uint8_t(n);
  return bytes;
}

TEST(OrderRules, WholeBuffersFirst) {
  const ScenarioBuffer list = listOf(3);
  OrderDependence one{"list", OrderRule::InPlace, ""};
  one.weaken(list, {});
  EXPECT_EQ(one.rule, OrderRule::Multiset);
  one.weaken(list, {});
  EXPECT_EQ(one.rule, OrderRule::Rounding);
  EXPECT_FALSE(one.leavesOut());
  one.weaken(list, {});
  EXPECT_EQ(one.rule, OrderRule::Parts);
  EXPECT_FALSE(one.leavesOut());
  EXPECT_EQ(describe(one), "compared value by value");
  EXPECT_EQ(bytesLeftOut(one, list), 0u);
}

TEST(OrderRules, ThenEachScalarByItself) {
  const ScenarioBuffer list = listOf(3);
  OrderDependence one{"list", OrderRule::Rounding, ""};
  one.weaken(list, {});
  for (OrderRule rule : {OrderRule::Multiset, OrderRule::Rounding, OrderRule::Ignored}) {
    one.weaken(list, 2);
    EXPECT_EQ(one.parts[2], rule);
    EXPECT_EQ(one.parts[1], OrderRule::InPlace);
  }
  EXPECT_EQ(describe(one), "compared without value 0 of an element");
  EXPECT_EQ(bytesLeftOut(one, list), 3 * 2u);
  for (int n = 0; n < 3; ++n) one.weaken(list, 1);
  EXPECT_EQ(describe(one), "compared without value 1 of the header, value 0 of an element");
  EXPECT_EQ(bytesLeftOut(one, list), 3 * 2u + 2u);
  EXPECT_TRUE(one.leavesOut());
  for (uint32_t part : {0, 0, 0, 3, 3}) one.weaken(list, part);
  EXPECT_EQ(one.rule, OrderRule::Parts);
  one.weaken(list, 3);
  EXPECT_EQ(one.rule, OrderRule::Ignored);
  EXPECT_EQ(describe(one), "not compared");
  EXPECT_EQ(bytesLeftOut(one, list), list.bytes());
}

TEST(OrderRules, ABufferOfOneScalarHasNoParts) {
  ScenarioBuffer numbers = listOf(3);
  numbers.header.clear();
  numbers.elements = {ScalarType::U32};
  OrderDependence one{"list", OrderRule::Rounding, ""};
  one.weaken(numbers, {});
  EXPECT_EQ(one.rule, OrderRule::Ignored);
}

TEST(OrderRules, ComponentsOfImagesAreParts) {
  ScenarioBuffer image;
  image.name = "image";
  const auto ruleOf = [&](ImageFormat format) {
    ImageShape shape;
    shape.format = format;
    image.setImage(shape);
    OrderDependence one{"image", OrderRule::Rounding, ""};
    one.weaken(image, {});
    return one.rule;
  };
  EXPECT_EQ(ruleOf(ImageFormat::Rgba32f), OrderRule::Parts);
  EXPECT_EQ(ruleOf(ImageFormat::Rg16ui), OrderRule::Parts);
  EXPECT_EQ(ruleOf(ImageFormat::R32ui), OrderRule::Ignored);        // one component
  EXPECT_EQ(ruleOf(ImageFormat::R11fG11fB10f), OrderRule::Ignored); // of no bytes of their own
  EXPECT_EQ(ruleOf(ImageFormat::Rgba8), OrderRule::Ignored);        // rounded by the device
}

TEST(OrderRules, HalvesLoosenNothingBesideThem) {
  ScenarioBuffer mixed = listOf(3);
  mixed.elements = {ScalarType::F16, ScalarType::F32};
  OrderDependence one{"list", OrderRule::Multiset, ""};
  one.weaken(mixed, {});
  EXPECT_EQ(one.rule, OrderRule::Parts);
  mixed.elements = {ScalarType::F16, ScalarType::F16};
  OrderDependence halves{"list", OrderRule::Multiset, ""};
  halves.weaken(mixed, {});
  EXPECT_EQ(halves.rule, OrderRule::Rounding);
}

TEST(OrderRules, BytesThatNoOrderChangesAreNotLeftOut) {
  const ScenarioBuffer list = listOf(3);
  OrderDependence one{"list", OrderRule::Ignored, ""};
  one.deterministicBytes = 8;
  EXPECT_EQ(describe(one), "not compared but for 8 bytes that no order changes");
  EXPECT_EQ(bytesLeftOut(one, list), list.bytes() - 8);
  EXPECT_TRUE(one.leavesOut());
  one.rule = OrderRule::Multiset;
  EXPECT_EQ(describe(one), "compared as a multiset");
}

TEST(OrderRules, WhatTheScenarioToleratesIsNotMadeStricter) {
  OrderDependence one{"list", OrderRule::InPlace, ""};
  const ScenarioBuffer list = listOf(3, CompareMultiset{CompareExact{}});
  one.weaken(list, {});
  EXPECT_EQ(one.rule, OrderRule::Parts);
  one.weaken(list, 3);
  EXPECT_EQ(one.parts[3], OrderRule::Ignored);
}

TEST(OrderRules, TheWeakerOfTwo) {
  const ScenarioBuffer list = listOf(3);
  OrderDependence left{"list", OrderRule::Rounding, ""}, right = left;
  left.weaken(list, {});
  right.weaken(list, {});
  left.weaken(list, 0);
  right.weaken(list, 3);
  OrderDependence both = left;
  both.weakenAs(right);
  EXPECT_EQ(both.parts, (std::vector{OrderRule::Multiset, OrderRule::InPlace, OrderRule::InPlace,
                                     OrderRule::Multiset}));
  OrderDependence strict{"list", OrderRule::Multiset, ""};
  both.weakenAs(strict);
  EXPECT_EQ(both.rule, OrderRule::Parts);
  strict.weakenAs(both);
  EXPECT_EQ(strict.parts, both.parts);
  EXPECT_EQ(describe(strict), describe(both));
}

TEST(OrderRules, PartsAreTheBytesOfTheirScalars) {
  const ScenarioBuffer list = listOf(3);
  const std::vector<uint8_t> a = countedBytes(list);
  std::vector<uint8_t> b = a;
  for (uint8_t& byte : b) byte = uint8_t(byte + 100);
  using Bytes = std::vector<uint8_t>;
  const Bytes expected[] = {
      {0, 1, 2, 3}, {4, 5}, {6, 7, 12, 13, 18, 19}, {8, 9, 10, 11, 14, 15, 16, 17, 20, 21, 22, 23}};
  for (uint32_t n = 0; n < 4; ++n) {
    BufferPart part = partOf(list, {&n, 1}, {a, {}}, {b, {}});
    EXPECT_EQ(part.original, expected[n]);
    EXPECT_EQ(part.transformed[0], uint8_t(expected[n][0] + 100));
    EXPECT_EQ(part.buffer.bytes(), expected[n].size());
  }
}

TEST(OrderRules, WhatIsComparedOfAnElementStaysTogether) {
  ScenarioBuffer list = listOf(2);
  list.elements = {ScalarType::U16, ScalarType::U16, ScalarType::U32};
  OrderDependence one{"list", OrderRule::Rounding, ""};
  one.weaken(list, {});
  EXPECT_TRUE(jointParts(one).empty()); // in place, each by itself says as much
  one.weaken(list, 2);
  EXPECT_EQ(jointParts(one), (std::vector<uint32_t>{2, 3, 4}));
  for (int n = 0; n < 3; ++n) one.weaken(list, 4);
  const std::vector<uint32_t> together = jointParts(one);
  EXPECT_EQ(together, (std::vector<uint32_t>{2, 3}));
  const std::vector<uint8_t> a = countedBytes(list);
  const BufferPart part = partOf(list, together, {a, {}}, {a, {}});
  EXPECT_EQ(part.original, (std::vector<uint8_t>{6, 7, 8, 9, 14, 15, 16, 17}));
  EXPECT_EQ(part.buffer.bytes(), 8u);

  one.weaken(list, 5);
  EXPECT_TRUE(jointParts(one).empty());
  EXPECT_EQ(one.parts[3], OrderRule::InPlace);
  OrderDependence other{"list", OrderRule::Parts, "", one.parts, 2, true};
  other.weakenAs(one);
  EXPECT_FALSE(other.isJoint);
}

TEST(OrderRules, LongHeadersAreNotTakenApart) {
  ScenarioBuffer list = listOf(2);
  list.header.assign(1000, {ScalarType::U32, {}});
  OrderDependence one{"list", OrderRule::Rounding, ""};
  one.weaken(list, {});
  EXPECT_EQ(one.rule, OrderRule::Ignored);
}

TEST(OrderRules, DifferencesHaveTheirPlaceInTheBuffer) {
  const ScenarioBuffer list = listOf(3);
  const std::vector<uint8_t> a = countedBytes(list);
  const auto differenceOf = [&](size_t byte, uint32_t number) {
    std::vector<uint8_t> b = a;
    b[byte] ^= 1;
    const BufferPart part = partOf(list, {&number, 1}, {a, {}}, {b, {}});
    auto difference =
        compareContents(part.buffer, {part.original, {}}, {part.transformed, {}}).value();
    placePart(difference, list, number);
    return difference;
  };
  const BufferDifference header = differenceOf(4, 1), element = differenceOf(14, 3);
  EXPECT_EQ(header.part, 1u);
  EXPECT_EQ(header.differing, 0u);
  EXPECT_TRUE(header.listed.empty());
  EXPECT_EQ(header.detail, "value 1 of the header: bitwise");
  EXPECT_EQ(element.part, 3u);
  EXPECT_EQ(element.firstIndex, 1u);
  ASSERT_EQ(element.listed.size(), 1u);
  EXPECT_EQ(element.listed[0].offset, 2u);
  EXPECT_EQ(element.detail, "value 1 of the element: bitwise");
}

} // namespace
} // namespace lanewise::driver
