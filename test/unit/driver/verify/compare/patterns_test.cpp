// Patterns of elements that differ: named where they hold for all and would hardly do so by chance.
#include "verify/compare/compare.h"
#include "verify/compare/patterns.h"
#include "verify/formats/scalars.h"
#include "verify/scenario/fills.h"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace lanewise::driver {
namespace {

std::string patternOfIndices(const std::vector<uint64_t>& indices, uint64_t elements) {
  BufferDifference difference;
  difference.elements = elements;
  difference.differing = indices.size();
  for (uint64_t index : indices) difference.listed.push_back({index, 0, 4});
  return indexPattern(difference);
}

std::vector<uint64_t> range(uint64_t from, uint64_t to, uint64_t step = 1) {
  std::vector<uint64_t> all;
  for (uint64_t n = from; n < to; n += step) all.push_back(n);
  return all;
}

TEST(IndexPattern, NamesSteps) {
  EXPECT_EQ(patternOfIndices(range(31, 1024, 32), 1024), "every 32nd from 31");
  EXPECT_EQ(patternOfIndices(range(31, 512, 32), 1024), "every 32nd from 31 to 511");
  EXPECT_EQ(patternOfIndices(range(0, 64, 2), 64), "every 2nd from 0");
  EXPECT_EQ(patternOfIndices(range(3, 100, 11), 100), "every 11th from 3");
  // Values of some may agree by chance.
  EXPECT_EQ(patternOfIndices({31, 63, 127, 159}, 160), "only some of every 32nd from 31");
}

TEST(IndexPattern, NamesStretches) {
  EXPECT_EQ(patternOfIndices(range(960, 1000), 1000), "elements 960-999, the last 40");
  EXPECT_EQ(patternOfIndices(range(0, 40), 1000), "elements 0-39, the first 40");
  EXPECT_EQ(patternOfIndices(range(40, 80), 1000), "elements 40-79");
  std::vector<uint64_t> most = range(960, 1000);
  most.erase(most.begin() + 7);
  EXPECT_EQ(patternOfIndices(most, 1000), "elements 960-999, the last 40 (39 of them)");
}

TEST(IndexPattern, NamesAllAndTheLast) {
  EXPECT_EQ(patternOfIndices(range(0, 64), 64), "all");
  EXPECT_EQ(patternOfIndices({63}, 64), "the last element");
  EXPECT_EQ(patternOfIndices({62, 63}, 64), "the last 2 elements");
  BufferDifference many; // more than are listed
  many.elements = many.differing = 1 << 24;
  EXPECT_EQ(indexPattern(many), "all");
  --many.differing;
  EXPECT_EQ(indexPattern(many), "");
}

TEST(IndexPattern, NamesNothingThatSaysNothing) {
  EXPECT_EQ(patternOfIndices({0}, 1), "");
  EXPECT_EQ(patternOfIndices({5}, 64), "");
  EXPECT_EQ(patternOfIndices({0, 32}, 64), "");
  EXPECT_EQ(patternOfIndices({1, 63}, 64), "");
  EXPECT_EQ(patternOfIndices({3, 8, 17, 40, 41, 59}, 64), "");
  // Three even numbers are no step.
  EXPECT_EQ(patternOfIndices({2, 8, 10}, 64), "");
  // Half of a stretch of nearly everything.
  EXPECT_EQ(patternOfIndices({0, 1, 3, 6, 7, 8, 10, 11, 13, 14}, 16), "");
}

// ----- values -----

std::optional<BufferDifference> compareFloats(const std::vector<float>& a,
                                              const std::vector<float>& b,
                                              std::optional<uint8_t> poison = {}) {
  ScenarioBuffer buffer;
  buffer.name = "out";
  buffer.elements = {ScalarType::F32};
  buffer.count = a.size();
  buffer.compare = CompareExact{};
  auto bytesOf = [](const std::vector<float>& v) {
    return std::span(reinterpret_cast<const uint8_t*>(v.data()), v.size() * sizeof(float));
  };
  return compareContents(buffer, {bytesOf(a), poison}, {bytesOf(b), poison});
}

constexpr float kQuietNan = std::numeric_limits<float>::quiet_NaN();

TEST(ValuePattern, NamesNansNegativesAndWhatIsNotWritten) {
  std::vector<float> a(64, 1), b = a;
  for (size_t at : {3u, 10u, 40u}) a[at] = kQuietNan;
  EXPECT_EQ(compareFloats(a, b)->values, "only where the original is NaN");
  EXPECT_EQ(compareFloats(b, a)->values, "only where the transformed module gives NaN");
  for (size_t at : {3u, 10u, 40u}) a[at] = -1;
  EXPECT_EQ(compareFloats(a, b)->values, "only negative values");
  EXPECT_EQ(compareFloats(a, b)->pattern, "");
  const uint8_t poison = poisonByte(Poison::Positive);
  for (size_t at : {3u, 10u, 40u}) std::memset(&b[at], poison, 4);
  EXPECT_EQ(compareFloats(a, b, poison)->values,
            "only elements that the transformed module never writes");
  EXPECT_EQ(compareFloats(b, a, poison)->values, "only elements that the original never writes");
}

TEST(ValuePattern, NotWhereOneIsOtherwise) {
  std::vector<float> a(64, 1), b = a;
  for (size_t at : {3u, 10u, 40u}) a[at] = kQuietNan;
  b[50] = 2;
  EXPECT_EQ(compareFloats(a, b)->values, "");
}

TEST(ValuePattern, NotWhereMostElementsAreLikeIt) {
  std::vector<float> a(64, -1), b = a;
  a[0] = 1;
  for (size_t at : {3u, 10u, 40u}) b[at] = 2;
  EXPECT_EQ(compareFloats(a, b)->values, "");
}

TEST(ValuePattern, NotOfTwo) {
  std::vector<float> a(64, 1), b = a;
  a[3] = a[10] = kQuietNan;
  EXPECT_EQ(compareFloats(a, b)->values, "");
}

// ----- invocations -----

WriterGrid gridOf(std::array<uint32_t, 3> groups, uint32_t lanes) {
  WriterGrid grid;
  grid.groups = groups;
  grid.lanes = lanes;
  grid.wrote.assign(size_t(groups[0]) * groups[1] * groups[2], true);
  grid.laneWrote.assign(lanes, true);
  return grid;
}

template <class Wanted>
std::string patternOf(const WriterGrid& grid, Wanted isWanted) {
  std::vector<Invocation> writers;
  for (uint32_t group = 0; group < grid.wrote.size(); ++group)
    for (uint32_t lane = 0; lane < grid.lanes; ++lane)
      if (isWanted(group, lane)) writers.push_back({group, lane});
  return invocationPattern(writers, grid);
}

TEST(InvocationPattern, NamesWorkgroups) {
  const WriterGrid row = gridOf({16, 1, 1}, 64);
  EXPECT_EQ(patternOf(row, [](auto group, auto) { return group == 15; }),
            "only the last workgroup");
  EXPECT_EQ(patternOf(row, [](auto group, auto) { return group == 0; }),
            "only the first workgroup");
  EXPECT_EQ(patternOf(row, [](auto group, auto lane) { return group == 7 && lane % 3 == 1; }),
            "only workgroup 7");
  const WriterGrid plane = gridOf({8, 4, 1}, 64);
  EXPECT_EQ(patternOf(plane, [](auto group, auto) { return group % 8 == 7; }),
            "only workgroups with x = 7, the last");
  EXPECT_EQ(patternOf(plane, [](auto group, auto) { return group / 8 == 1; }),
            "only workgroups with y = 1");
}

TEST(InvocationPattern, NamesInvocations) {
  const WriterGrid grid = gridOf({16, 1, 1}, 64);
  EXPECT_EQ(patternOf(grid, [](auto, auto lane) { return lane == 0; }),
            "only invocation 0 of each workgroup");
  EXPECT_EQ(patternOf(grid, [](auto, auto lane) { return lane == 63; }),
            "only invocation 63, the last, of each workgroup");
  EXPECT_EQ(patternOf(grid, [](auto group, auto lane) { return lane == 5 && group != 3; }),
            "only invocation 5 of some workgroups");
  EXPECT_EQ(patternOf(grid, [](auto, auto lane) { return lane % 32 == 31; }),
            "every 32nd invocation from 31 of each workgroup");
  EXPECT_EQ(patternOf(grid, [](auto, auto lane) { return lane >= 48; }),
            "only invocations 48-63 of each workgroup");
  EXPECT_EQ(patternOf(gridOf({1, 1, 1}, 64), [](auto, auto lane) { return lane >= 48; }),
            "only invocations 48-63");
}

TEST(InvocationPattern, NamesNothingThatSaysNothing) {
  const WriterGrid grid = gridOf({16, 1, 1}, 64);
  EXPECT_EQ(patternOf(grid, [](auto, auto) { return true; }), "");
  EXPECT_EQ(patternOf(grid, [](auto group, auto lane) { return (group * 64 + lane) % 37 == 5; }),
            "");
  EXPECT_EQ(patternOf(grid, [](auto group, auto lane) { return group == 3 && lane < 2; }), "");
  // Only one workgroup writes there at all, and only one invocation of it.
  WriterGrid one = grid;
  one.wrote.assign(16, false), one.wrote[3] = true;
  one.laneWrote.assign(64, false), one.laneWrote[0] = true;
  EXPECT_EQ(invocationPattern(std::vector<Invocation>(40, {3, 0}), one), "");
  // Of two workgroups, three elements of one are chance.
  EXPECT_EQ(patternOf(gridOf({2, 1, 1}, 64),
                      [](auto group, auto lane) {
                        return group == 1 && (lane == 7 || lane == 20 || lane == 41);
                      }),
            "");
}

TEST(InvocationPattern, StandsBehindAStretchOfElements) {
  BufferDifference difference;
  difference.elements = 1000, difference.differing = 40;
  for (uint64_t n = 960; n < 1000; ++n) difference.listed.push_back({n, 0, 4});
  EXPECT_EQ(withInvocations(difference, "only the last workgroup"),
            "elements 960-999: only the last workgroup");
  difference.listed[0].index = 400;
  EXPECT_EQ(withInvocations(difference, "only the last workgroup"), "only the last workgroup");
}

} // namespace
} // namespace lanewise::driver
