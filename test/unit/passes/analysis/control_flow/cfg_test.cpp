#include "analysis/control_flow/cfg.h"
#include "subject.h"

namespace lanewise {
namespace {

using test::Subject;

using Labels = std::vector<uint32_t>;

Labels labels(const Subject& s, std::span<const BlockRef> blocks) {
  Labels out;
  for (BlockRef b : blocks) out.push_back(s.module().labelId(b).value);
  return out;
}
Labels successors(Subject& s, uint32_t label) {
  return labels(s, s.analyses().get<Cfg>().successors(s.block(label)));
}
Labels predecessors(Subject& s, uint32_t label) {
  return labels(s, s.analyses().get<Cfg>().predecessors(s.block(label)));
}

TEST(Cfg, FollowsBranchesAndSwitches) {
  Subject s(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpBranchConditional %4 %102 %101
    %101 = OpLabel
    OpBranch %103
    %102 = OpLabel
    OpSwitch %6 %103 1 %104 2 %101
    %103 = OpLabel
    OpReturn
    %104 = OpLabel
    OpUnreachable
    OpFunctionEnd
  )"));
  EXPECT_EQ(successors(s, 100), (Labels{102, 101})); // in the order of the terminator
  EXPECT_EQ(successors(s, 102), (Labels{103, 104, 101}));
  EXPECT_EQ(successors(s, 103), Labels{});
  EXPECT_EQ(predecessors(s, 103), (Labels{101, 102})); // in module order
  EXPECT_EQ(predecessors(s, 100), Labels{});
}

TEST(Cfg, NamesEachNeighbourOnce) {
  Subject s(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpSwitch %6 %101 1 %102 2 %101 3 %102
    %101 = OpLabel
    OpBranchConditional %4 %102 %102
    %102 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  EXPECT_EQ(successors(s, 100), (Labels{101, 102}));
  EXPECT_EQ(successors(s, 101), Labels{102});
  EXPECT_EQ(predecessors(s, 102), (Labels{100, 101}));
}

TEST(Cfg, ReadsWideSwitchLiterals) {
  // The high word of the first case is 102, the label of a block that the switch does not name.
  Subject s(test::flowModule(R"(%8 = OpTypeInt 64 0
    %9 = OpConstant %8 0
    %50 = OpFunction %1 None %2
    %100 = OpLabel
    OpSwitch %9 %101 0x6600000066 %103
    %101 = OpLabel
    OpReturn
    %102 = OpLabel
    OpReturn
    %103 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  EXPECT_EQ(successors(s, 100), (Labels{101, 103}));
}

TEST(Cfg, OrdersReachableBlocksOfEachFunction) {
  Subject s(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpBranchConditional %4 %101 %102
    %102 = OpLabel
    OpBranch %103
    %101 = OpLabel
    OpBranch %103
    %104 = OpLabel
    OpBranch %103
    %103 = OpLabel
    OpReturn
    OpFunctionEnd
    %51 = OpFunction %1 None %2
    OpFunctionEnd
    %52 = OpFunction %1 None %2
    %110 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  const Cfg& cfg = s.analyses().get<Cfg>();
  EXPECT_EQ(labels(s, cfg.reversePostOrder(FunctionRef(1))), (Labels{100, 101, 102, 103}));
  EXPECT_TRUE(cfg.reversePostOrder(FunctionRef(2)).empty()); // an import
  EXPECT_EQ(labels(s, cfg.reversePostOrder(FunctionRef(3))), Labels{110});
  EXPECT_EQ(cfg.rpoIndex(s.block(103)), 3u);
  EXPECT_FALSE(cfg.isReachable(s.block(104)));
  EXPECT_TRUE(cfg.isReachable(s.block(101)));
  EXPECT_EQ(predecessors(s, 103), (Labels{102, 101, 104})); // unreachable ones are edges too
}

TEST(Cfg, KnowsConstructs) {
  Subject s(test::shaderModule("", R"(%100 = OpLabel
    OpBranch %101
    %101 = OpLabel
    OpLoopMerge %109 %108 None
    OpBranch %102
    %102 = OpLabel
    OpSelectionMerge %105 None
    OpBranchConditional %4 %103 %105
    %103 = OpLabel
    OpSelectionMerge %104 None
    OpSwitch %6 %104 1 %104
    %104 = OpLabel
    OpBranch %105
    %105 = OpLabel
    OpBranch %108
    %108 = OpLabel
    OpBranchConditional %4 %101 %109
    %109 = OpLabel
    OpReturn
  )"));
  EXPECT_TRUE(test::validate(s.module().words()));
  const Cfg& cfg = s.analyses().get<Cfg>();
  using Kind = Construct::Kind;
  const std::vector<Construct> expected{{Kind::Loop, s.block(101), s.block(109), s.block(108)},
                                        {Kind::Selection, s.block(102), s.block(105), BlockRef()},
                                        {Kind::Switch, s.block(103), s.block(104), BlockRef()}};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), cfg.constructs().begin(),
                         cfg.constructs().end()));
  ASSERT_NE(cfg.constructAt(s.block(102)), nullptr);
  EXPECT_EQ(*cfg.constructAt(s.block(102)), expected[1]);
  EXPECT_EQ(cfg.constructAt(s.block(100)), nullptr);
}

TEST(Cfg, NotEdgesIntoAnotherFunction) {
  // Invalid, but the reader takes it.
  auto words = test::assemble(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpBranch %110
    OpFunctionEnd
    %51 = OpFunction %1 None %2
    %110 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  const auto module = Module::read(std::move(words));
  if (!module) return; // refused: all the better
  const Cfg cfg(*module);
  EXPECT_TRUE(cfg.successors(BlockRef(1)).empty());
  EXPECT_TRUE(cfg.predecessors(BlockRef(2)).empty());
}

TEST(Cfg, StandsAVeryLongFunction) {
  constexpr uint32_t kBlocks = 100000;
  std::string body = "%50 = OpFunction %1 None %2\n";
  for (uint32_t b = 0; b < kBlocks; ++b)
    body +=
        "%" + std::to_string(100 + b) + " = OpLabel\nOpBranch %" + std::to_string(101 + b) + "\n";
  body += "%" + std::to_string(100 + kBlocks) + " = OpLabel\nOpReturn\nOpFunctionEnd\n";
  Subject s(test::flowModule(body));
  EXPECT_EQ(s.analyses().get<Cfg>().rpoIndex(s.block(100 + kBlocks)), kBlocks);
}

} // namespace
} // namespace lanewise
