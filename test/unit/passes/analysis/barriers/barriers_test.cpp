// Barriers, what stands between them, and who touches what.
#include "analysis/barriers/barrier_flow.h"
#include "analysis/barriers/memory_effects.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/barriers.h"
#include "subject.h"

#include <gtest/gtest.h>

namespace lanewise::test {
namespace {

TEST(Barriers, UnionOfSemanticsHasOneOrder) {
  EXPECT_EQ(unionOfSemantics(0x2 | 0x40, 0x4 | 0x100), 0x8u | 0x40 | 0x100); // acquire, release
  EXPECT_EQ(unionOfSemantics(0x2 | 0x40, 0x2 | 0x800), 0x2u | 0x40 | 0x800);
  EXPECT_EQ(unionOfSemantics(0x10 | 0x40, 0x8 | 0x100), 0x10u | 0x40 | 0x100);
  EXPECT_EQ(unionOfSemantics(0, 0x8 | 0x100), 0x8u | 0x100);
}

TEST(Barriers, OrdersOnlyInBothDirections) {
  Barrier b;
  b.semantics = 0x2 | 0x100; // acquire
  EXPECT_TRUE(b.touches(MemoryClass::Workgroup));
  EXPECT_FALSE(b.orders(MemoryClass::Workgroup));
  b.semantics = 0x8 | 0x100;
  EXPECT_TRUE(b.orders(MemoryClass::Workgroup));
  EXPECT_FALSE(b.orders(MemoryClass::Buffer));
  b.semantics = 0x100; // no order: orders nothing
  EXPECT_FALSE(b.touches(MemoryClass::Workgroup));
}

TEST(Barriers, CrossingsAddUp) {
  using C = Crossings;
  EXPECT_EQ(C::sum({C::kNone}, {C::kNone}).ways, C::kNone);
  EXPECT_EQ(C::sum({C::kNone}, {C::kOnce}).ways, C::kOnce);
  EXPECT_EQ(C::sum({C::kOnce}, {C::kOnce}).ways, C::kMany);
  EXPECT_EQ(C::sum({C::kNone | C::kOnce}, {C::kNone}).ways, C::kNone | C::kOnce);
  EXPECT_EQ(C::sum({C::kNone}, {C::kMany}).ways, C::kMany);
}

/// A loop: %100 header, %101 body with two barriers, %102 continue, %103 behind.
Subject loopSubject() {
  return Subject(shaderModule("%8 = OpConstant %5 2\n%9 = OpConstant %5 264\n%10 = OpUndef %3\n",
                              "%99 = OpLabel\nOpBranch %100\n%100 = OpLabel\n"
                              "OpLoopMerge %103 %102 None\nOpBranchConditional %10 %101 %103\n"
                              "%101 = OpLabel\nOpControlBarrier %8 %8 %9\n"
                              "%50 = OpIAdd %5 %6 %7\nOpControlBarrier %8 %8 %9\n"
                              "OpBranch %102\n%102 = OpLabel\nOpBranch %100\n"
                              "%103 = OpLabel\nOpReturn\n"));
}

TEST(BarrierFlow, SearchGoesRoundTheLoopUntilItIsStopped) {
  Subject s = loopSubject();
  const EntryPoint& entry = s.analyses().get<EntryPoints>().all()[0];
  BarrierFlow flow(s.analyses(), entry);
  ASSERT_EQ(flow.barriers().size(), 2u);
  auto blocksOf = [&](const BarrierFlow::Region& region) {
    std::vector<BlockRef> blocks;
    for (uint32_t n : region.segments) blocks.push_back(flow.segments()[n].block);
    return blocks;
  };
  auto any = [](uint32_t) { return true; };
  auto none = [](uint32_t) { return false; };
  // From the first barrier forward, the second one stops: only the body.
  auto ahead = flow.search(0, Direction::Forward, any);
  EXPECT_EQ(blocksOf(ahead), std::vector<BlockRef>{s.block(101)});
  EXPECT_EQ(ahead.stoppedBy, std::vector<uint32_t>{1});
  EXPECT_FALSE(ahead.reachesEnd);
  // From the second one, round the loop to the first, and out of it.
  auto round = flow.search(1, Direction::Forward, any);
  EXPECT_EQ(round.stoppedBy, std::vector<uint32_t>{0});
  EXPECT_TRUE(round.reachesEnd);
  EXPECT_EQ(round.segments.size(), 5u); // rest of 101, 102, 100, start of 101, 103
  // Without anything that stops it: also through itself.
  auto all = flow.search(1, Direction::Backward, none);
  EXPECT_EQ(all.passed, std::vector<uint32_t>{0});
  EXPECT_TRUE(all.reachesEnd);
}

TEST(BarrierFlow, CountsHowOftenAHeaderIsPassed) {
  Subject s = loopSubject();
  const EntryPoint& entry = s.analyses().get<EntryPoints>().all()[0];
  BarrierFlow flow(s.analyses(), entry);
  const Loop& loop = s.analyses().get<Loops>().all()[0];
  auto waysAt = [&](const std::vector<Crossings>& crossings, uint32_t segment) {
    return crossings[segment].ways;
  };
  auto stopped = flow.crossings(
      1, Direction::Forward, [](uint32_t) { return true; }, loop);
  EXPECT_EQ(waysAt(stopped, flow.segmentBefore(1) + 1), Crossings::kNone);
  EXPECT_EQ(waysAt(stopped, flow.segmentBefore(0)), Crossings::kOnce) << "the next iteration";
  auto endless = flow.crossings(
      1, Direction::Forward, [](uint32_t) { return false; }, loop);
  EXPECT_EQ(waysAt(endless, flow.segmentBefore(0)), Crossings::kOnce | Crossings::kMany);
}

TEST(MemoryEffects, NamesVariablesAndAtomics) {
  Subject s(shaderModule("%8 = OpConstant %5 2\n%9 = OpTypeArray %5 %8\n"
                         "%10 = OpTypePointer Workgroup %9\n%11 = OpTypePointer Workgroup %5\n"
                         "%12 = OpVariable %10 Workgroup\n%13 = OpTypePointer Function %5\n",
                         "%99 = OpLabel\n%14 = OpVariable %13 Function\nOpStore %14 %6\n"
                         "%50 = OpAccessChain %11 %12 %7\nOpStore %50 %6\n"
                         "%51 = OpAtomicIAdd %5 %50 %7 %6 %7\n%52 = OpLoad %9 %12\nOpReturn\n"));
  MemoryEffects effects(s.analyses());
  auto all = effects.all();
  ASSERT_EQ(all.size(), 3u) << "memory of one invocation does not count";
  EXPECT_TRUE(all[0].isWrite && !all[0].isRead);
  EXPECT_EQ(all[0].variable, Id(12));
  EXPECT_EQ(all[0].indices, std::vector<Id>{Id(7)});
  EXPECT_TRUE(all[1].isAtomic && all[1].isWrite && all[1].isRead);
  EXPECT_EQ(all[1].signalReach, kWorkgroupRank) << "shared memory is nowhere else";
  EXPECT_EQ(all[0].signalReach, 0);
  EXPECT_EQ(all[1].orderedClasses, 0u) << "relaxed";
  EXPECT_TRUE(all[2].indices.empty()) << "the whole array";
  EXPECT_EQ(effects.aliasing(Id(12), Id(12)), Aliasing::Same);
  EXPECT_EQ(effects.aliasing(Id(12), Id()), Aliasing::Possible);
}

TEST(MemoryEffects, DescriptorsMayBeOneBufferUnlessReadOnlyOrRestricted) {
  // %21 and %22 are read-only, %23 is restricted, %24 and %25 are plain; %25 shares %22's binding.
  std::string decorations;
  const char* bindings[] = {"0", "1", "2", "3", "1"};
  for (uint32_t n = 0; n < 5; ++n) {
    const std::string id = "%" + std::to_string(21 + n);
    decorations += "OpDecorate " + id + " DescriptorSet 0\nOpDecorate " + id + " Binding " +
                   bindings[n] + "\n";
  }
  decorations += "OpDecorate %21 NonWritable\nOpDecorate %22 NonWritable\n"
                 "OpDecorate %23 Restrict\nOpDecorate %8 Block\nOpMemberDecorate %8 0 Offset 0\n";
  std::string text = shaderModule("%8 = OpTypeStruct %5\n%9 = OpTypePointer StorageBuffer %8\n"
                                  "%21 = OpVariable %9 StorageBuffer\n"
                                  "%22 = OpVariable %9 StorageBuffer\n"
                                  "%23 = OpVariable %9 StorageBuffer\n"
                                  "%24 = OpVariable %9 StorageBuffer\n"
                                  "%25 = OpVariable %9 StorageBuffer\n",
                                  "%99 = OpLabel\nOpReturn\n");
  text.insert(text.find("%1 = OpTypeVoid"), decorations);
  Subject s(text);
  MemoryEffects effects(s.analyses());
  EXPECT_EQ(effects.aliasing(Id(21), Id(22)), Aliasing::None);
  EXPECT_EQ(effects.aliasing(Id(21), Id(24)), Aliasing::Possible);
  EXPECT_EQ(effects.aliasing(Id(23), Id(24)), Aliasing::None);
  EXPECT_EQ(effects.aliasing(Id(22), Id(25)), Aliasing::Same);
  EXPECT_EQ(effects.aliasing(Id(24), Id()), Aliasing::Possible);
}

} // namespace
} // namespace lanewise::test
