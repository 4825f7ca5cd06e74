#include "analysis/control_flow/dominance.h"
#include "subject.h"

#include <random>

namespace lanewise {
namespace {

using test::Subject;

uint32_t idom(Subject& s, uint32_t label) {
  const BlockRef b = s.analyses().get<Dominance>().idom(s.block(label));
  return b ? s.module().labelId(b).value : 0;
}
uint32_t ipdom(Subject& s, uint32_t label) {
  const BlockRef b = s.analyses().get<Dominance>().ipdom(s.block(label));
  return b ? s.module().labelId(b).value : 0;
}
bool dominates(Subject& s, uint32_t a, uint32_t b) {
  return s.analyses().get<Dominance>().dominates(s.block(a), s.block(b));
}
bool postDominates(Subject& s, uint32_t a, uint32_t b) {
  return s.analyses().get<Dominance>().postDominates(s.block(a), s.block(b));
}

TEST(Dominance, OfADiamondInALoop) {
  Subject s(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpBranch %101
    %101 = OpLabel
    OpBranchConditional %4 %102 %103
    %102 = OpLabel
    OpBranch %104
    %103 = OpLabel
    OpBranch %104
    %104 = OpLabel
    OpBranchConditional %4 %101 %105
    %105 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  EXPECT_EQ(idom(s, 100), 0u);
  EXPECT_EQ(idom(s, 101), 100u);
  EXPECT_EQ(idom(s, 104), 101u);
  EXPECT_EQ(idom(s, 105), 104u);
  EXPECT_EQ(ipdom(s, 101), 104u);
  EXPECT_EQ(ipdom(s, 102), 104u);
  EXPECT_EQ(ipdom(s, 105), 0u);
  EXPECT_TRUE(dominates(s, 101, 101));
  EXPECT_TRUE(dominates(s, 100, 105));
  EXPECT_FALSE(dominates(s, 102, 104));
  EXPECT_FALSE(dominates(s, 105, 100));
  EXPECT_TRUE(postDominates(s, 104, 100));
  EXPECT_FALSE(postDominates(s, 102, 101));
}

TEST(Dominance, CommonDominator) {
  Subject s(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpBranchConditional %4 %101 %106
    %101 = OpLabel
    OpBranchConditional %4 %102 %103
    %102 = OpLabel
    OpBranch %104
    %103 = OpLabel
    OpBranch %105
    %104 = OpLabel
    OpReturn
    %105 = OpLabel
    OpReturn
    %106 = OpLabel
    OpReturn
    %107 = OpLabel
    OpReturn
    OpFunctionEnd
    %51 = OpFunction %1 None %2
    %110 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  const auto common = [&](uint32_t a, uint32_t b) {
    const Dominance& dominance = s.analyses().get<Dominance>();
    const BlockRef c = dominance.commonDominator(s.block(a), s.block(b));
    EXPECT_EQ(c, dominance.commonDominator(s.block(b), s.block(a)));
    return c ? s.module().labelId(c).value : 0;
  };
  EXPECT_EQ(common(104, 105), 101u);
  EXPECT_EQ(common(104, 103), 101u);
  EXPECT_EQ(common(104, 106), 100u);
  EXPECT_EQ(common(104, 102), 102u);
  EXPECT_EQ(common(104, 104), 104u);
  EXPECT_EQ(common(104, 107), 0u); // not reached
  EXPECT_EQ(common(104, 110), 0u); // of another function
}

TEST(Dominance, OfInstructions) {
  Subject s(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    %201 = OpIAdd %5 %6 %7
    %202 = OpIAdd %5 %6 %7
    OpBranchConditional %4 %101 %102
    %101 = OpLabel
    %203 = OpIAdd %5 %6 %7
    OpBranch %102
    %102 = OpLabel
    %204 = OpIAdd %5 %6 %7
    OpReturn
    %103 = OpLabel
    %205 = OpIAdd %5 %6 %7
    %206 = OpIAdd %5 %6 %7
    OpReturn
    OpFunctionEnd
  )"));
  const Dominance& d = s.analyses().get<Dominance>();
  auto before = [&](uint32_t a, uint32_t b) { return d.dominates(s.module(), s.def(a), s.def(b)); };
  EXPECT_TRUE(before(201, 202));
  EXPECT_FALSE(before(202, 201));
  EXPECT_FALSE(before(201, 201));
  EXPECT_TRUE(before(202, 204));
  EXPECT_FALSE(before(203, 204));
  EXPECT_FALSE(before(205, 206)); // unreachable
  EXPECT_FALSE(before(6, 201));   // not in a block
}

TEST(Dominance, NotOfUnreachableBlocksNorAcrossFunctions) {
  Subject s(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpBranch %102
    %101 = OpLabel
    OpBranch %102
    %102 = OpLabel
    OpReturn
    OpFunctionEnd
    %51 = OpFunction %1 None %2
    %110 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  EXPECT_EQ(idom(s, 102), 100u); // 101 is no way there
  EXPECT_EQ(idom(s, 101), 0u);
  EXPECT_EQ(ipdom(s, 101), 0u);
  EXPECT_FALSE(dominates(s, 101, 101));
  EXPECT_FALSE(dominates(s, 101, 102));
  EXPECT_FALSE(postDominates(s, 102, 101));
  EXPECT_FALSE(dominates(s, 100, 110));
  EXPECT_FALSE(dominates(s, 102, 110));
  EXPECT_FALSE(postDominates(s, 110, 100));
  EXPECT_FALSE(s.analyses().get<Dominance>().dominates(BlockRef(), s.block(100)));
}

TEST(Dominance, NotPostDominanceWithoutAnExit) {
  Subject s(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpBranchConditional %4 %101 %103
    %101 = OpLabel
    OpBranch %102
    %102 = OpLabel
    OpBranch %101
    %103 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  EXPECT_EQ(ipdom(s, 101), 0u);
  EXPECT_FALSE(postDominates(s, 102, 101));
  EXPECT_FALSE(postDominates(s, 101, 101));
  EXPECT_TRUE(postDominates(s, 103, 100)); // of the paths that end, every one passes 103
  EXPECT_EQ(ipdom(s, 100), 103u);
}

/// Blocks that `from` reaches along `edges` without passing `without`.
std::vector<bool> reach(const std::vector<std::vector<uint32_t>>& edges, std::vector<uint32_t> from,
                        uint32_t without) {
  std::vector<bool> seen(edges.size(), false);
  while (!from.empty()) {
    const uint32_t b = from.back();
    from.pop_back();
    if (b == without || seen[b]) continue;
    seen[b] = true;
    for (uint32_t t : edges[b]) from.push_back(t);
  }
  return seen;
}

/// A function with arbitrary flow, and its edges as a check against the analysis.
struct RandomFlow {
  std::vector<std::vector<uint32_t>> edges;
  std::string text;

  RandomFlow(std::mt19937& random, uint32_t blocks, uint32_t returnsPerMille) : edges(blocks) {
    auto label = [](uint32_t b) { return "%" + std::to_string(100 + b); };
    text = "%50 = OpFunction %1 None %2\n";
    for (uint32_t b = 0; b < blocks; ++b) {
      const bool ends = blocks == 1 || random() % 1000 < returnsPerMille;
      const uint32_t count = ends ? 0 : 1 + random() % 3;
      // Nothing may branch to the entry block.
      for (uint32_t n = 0; n < count; ++n) edges[b].push_back(1 + random() % (blocks - 1));
      text += label(b) + " = OpLabel\n";
      if (count == 0) text += "OpReturn\n";
      if (count == 1) text += "OpBranch " + label(edges[b][0]) + "\n";
      if (count == 2)
        text += "OpBranchConditional %4 " + label(edges[b][0]) + " " + label(edges[b][1]) + "\n";
      if (count == 3)
        text += "OpSwitch %6 " + label(edges[b][0]) + " 1 " + label(edges[b][1]) + " 2 " +
                label(edges[b][2]) + "\n";
    }
    text += "OpFunctionEnd\n";
  }
};

TEST(Dominance, AgreesWithItsDefinitionOnRandomFlow) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const uint32_t n = 1 + random() % 24;
    const RandomFlow flow(random, n, std::array{50u, 150u, 400u}[random() % 3]);
    Subject s(test::flowModule(flow.text));
    const Dominance& d = s.analyses().get<Dominance>();

    std::vector<std::vector<uint32_t>> reversed(n);
    std::vector<uint32_t> exits;
    const std::vector<bool> reachable = reach(flow.edges, {0}, UINT32_MAX);
    for (uint32_t b = 0; b < n; ++b) {
      if (!reachable[b]) continue;
      if (flow.edges[b].empty()) exits.push_back(b);
      for (uint32_t t : flow.edges[b]) reversed[t].push_back(b);
    }
    const std::vector<bool> ends = reach(reversed, exits, UINT32_MAX);

    for (uint32_t a = 0; a < n; ++a) {
      const std::vector<bool> past = reach(flow.edges, {0}, a), before = reach(reversed, exits, a);
      uint32_t strictDominators = 0;
      for (uint32_t b = 0; b < n; ++b) {
        const bool dom = reachable[a] && reachable[b] && !past[b];
        const bool pdom = reachable[a] && ends[a] && reachable[b] && ends[b] && !before[b];
        ASSERT_EQ(dominates(s, 100 + a, 100 + b), dom) << flow.text << a << " dominates " << b;
        ASSERT_EQ(postDominates(s, 100 + a, 100 + b), pdom)
            << flow.text << a << " post-dominates " << b;
        strictDominators += b != a && dominates(s, 100 + b, 100 + a);
      }
      // The immediate dominator is the strict one that all others dominate.
      const BlockRef i = d.idom(s.block(100 + a));
      ASSERT_EQ(bool(i), strictDominators != 0) << flow.text << a;
      for (uint32_t b = 0; b < n && i; ++b)
        if (b != a && dominates(s, 100 + b, 100 + a)) {
          ASSERT_TRUE(d.dominates(s.block(100 + b), i)) << flow.text << a;
        }
      const BlockRef p = d.ipdom(s.block(100 + a));
      ASSERT_FALSE(p == s.block(100 + a));
      for (uint32_t b = 0; b < n; ++b)
        if (b != a && postDominates(s, 100 + b, 100 + a)) {
          ASSERT_TRUE(p && d.postDominates(s.block(100 + b), p)) << flow.text << a;
        }
    }
  }
}

TEST(Dominance, StandsALongChainOfEarlyExits) {
  // Every block may leave to the same place: quadratic for a walk up the tree.
  constexpr uint32_t kBlocks = 50000;
  const std::string exit = "%" + std::to_string(100 + kBlocks);
  std::string body = "%50 = OpFunction %1 None %2\n";
  for (uint32_t b = 0; b < kBlocks; ++b)
    body += "%" + std::to_string(100 + b) + " = OpLabel\nOpBranchConditional %4 %" +
            std::to_string(101 + b) + " " + exit + "\n";
  body += exit + " = OpLabel\nOpReturn\nOpFunctionEnd\n";
  Subject s(test::flowModule(body));
  EXPECT_EQ(idom(s, 100 + kBlocks), 100u);
  EXPECT_EQ(ipdom(s, 100), 100 + kBlocks);
  EXPECT_TRUE(dominates(s, 100, 100 + kBlocks - 1));
}

} // namespace
} // namespace lanewise
