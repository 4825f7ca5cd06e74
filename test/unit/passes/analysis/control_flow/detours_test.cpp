// What a walk leaves out: each rule that keeps it from doing so has a case of its own.
#include "analysis/control_flow/detours.h"
#include "subject.h"

#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lanewise {
namespace {

using test::flowModule;
using test::Subject;

/// A choice at 101 with the arms 102 and 103, a loop at 104 with the test 105 and the body 106, the
/// end at 107. `arm`: how 103 ends.
std::string function(const std::string& arm = "OpBranch %104") {
  return flowModule("%90 = OpFunction %1 None %2\n"
                    "%100 = OpLabel\nOpBranch %101\n"
                    "%101 = OpLabel\nOpBranchConditional %4 %102 %103\n"
                    "%102 = OpLabel\nOpBranch %104\n"
                    "%103 = OpLabel\n" +
                    arm +
                    "\n%104 = OpLabel\nOpBranch %105\n"
                    "%105 = OpLabel\nOpBranchConditional %4 %106 %107\n"
                    "%106 = OpLabel\nOpBranch %104\n"
                    "%107 = OpLabel\nOpReturn\nOpFunctionEnd\n");
}

struct Found : Subject {
  explicit Found(const std::string& text) : Subject(text), areLoud(module().blockCount() + 1) {}

  void find() {
    detours.emplace(analyses(), std::array{module().functionOf(block(100))}, areLoud);
    detours->find({[&](BlockRef b) { return phis.contains(b); },
                   [&](BlockRef b, const auto& isInside) {
                     EXPECT_TRUE(isInside(b));
                     EXPECT_FALSE(isInside(block(100)));
                     return seenOutside.contains(b);
                   }});
  }
  BlockRef pastChoice() { return detours->pastChoice(block(101)); }
  BlockRef pastLoop() { return detours->pastLoop(block(104)); }

  std::vector<bool> areLoud;
  std::set<BlockRef> phis, seenOutside;
  std::optional<Detours> detours;
};

TEST(Detours, LeadPastQuietArmsAndLoops) {
  Found s(function());
  s.find();
  EXPECT_EQ(s.pastChoice(), s.block(104));
  EXPECT_EQ(s.pastLoop(), s.block(107));
  for (uint32_t label : {102, 103, 104, 105, 106})
    EXPECT_TRUE(s.detours->isLeftOut(s.block(label))) << label;
  for (uint32_t label : {100, 101, 107})
    EXPECT_FALSE(s.detours->isLeftOut(s.block(label))) << label;
}

TEST(Detours, NotPastLoudBlocks) {
  for (uint32_t loud : {102, 106}) {
    Found s(function());
    s.areLoud[s.block(loud).value] = true;
    s.find();
    EXPECT_EQ(s.pastChoice(), loud == 102 ? BlockRef() : s.block(104));
    EXPECT_EQ(s.pastLoop(), loud == 106 ? BlockRef() : s.block(107));
  }
  Found s(function()); // what is in front and behind does not count
  s.areLoud[s.block(101).value] = s.areLoud[s.block(107).value] = true;
  s.find();
  EXPECT_EQ(s.pastChoice(), s.block(104));
  EXPECT_EQ(s.pastLoop(), s.block(107));
}

TEST(Detours, NotWhereAPhiTellsTheWay) {
  Found s(function());
  s.phis = {s.block(104)};
  s.find();
  EXPECT_EQ(s.pastChoice(), BlockRef());
  EXPECT_EQ(s.pastLoop(), s.block(107));
  s.phis = {s.block(107)};
  s.find();
  EXPECT_EQ(s.pastChoice(), s.block(104));
  EXPECT_EQ(s.pastLoop(), BlockRef());
}

TEST(Detours, NotWhereWhatALoopComputesIsSeenBehindIt) {
  Found s(function());
  s.seenOutside = {s.block(106), s.block(102)}; // an arm computes nothing that is
  s.find();
  EXPECT_EQ(s.pastChoice(), s.block(104));
  EXPECT_EQ(s.pastLoop(), BlockRef());
  EXPECT_FALSE(s.detours->isLeftOut(s.block(105)));
}

TEST(Detours, NotWhereAnArmLeaves) {
  Found s(function("OpReturn"));
  s.find();
  EXPECT_EQ(s.pastChoice(), BlockRef());
  EXPECT_EQ(s.pastLoop(), s.block(107));
}

TEST(Detours, NotWhereAnArmGoesOnInABlockThatOthersReach) {
  Found s(flowModule("%90 = OpFunction %1 None %2\n"
                     "%100 = OpLabel\nOpBranchConditional %4 %101 %108\n"
                     "%101 = OpLabel\nOpBranchConditional %4 %102 %103\n"
                     "%102 = OpLabel\nOpBranch %104\n"
                     "%103 = OpLabel\nOpBranch %108\n"
                     "%108 = OpLabel\nOpBranch %104\n"
                     "%104 = OpLabel\nOpReturn\nOpFunctionEnd\n"));
  s.areLoud[s.block(101).value] = true; // or the whole is left out
  s.find();
  EXPECT_EQ(s.pastChoice(), BlockRef());
  EXPECT_EQ(s.detours->pastChoice(s.block(100)), BlockRef());
}

TEST(Detours, NotWhereAnArmIsEnteredFromElsewhere) {
  // 103 goes on to 102: the arms have 104 in common, and 102 is entered from within.
  Found within(function("OpBranch %102"));
  within.find();
  EXPECT_EQ(within.pastChoice(), within.block(102));
  // From the loop's body, back to an arm of the choice in front of it: no natural loop is left.
  Found s(flowModule("%90 = OpFunction %1 None %2\n"
                     "%100 = OpLabel\nOpBranch %101\n"
                     "%101 = OpLabel\nOpBranchConditional %4 %102 %103\n"
                     "%102 = OpLabel\nOpBranch %104\n"
                     "%103 = OpLabel\nOpBranch %104\n"
                     "%104 = OpLabel\nOpBranchConditional %4 %103 %105\n"
                     "%105 = OpLabel\nOpReturn\nOpFunctionEnd\n"));
  s.find();
  EXPECT_EQ(s.pastChoice(), BlockRef());
}

} // namespace
} // namespace lanewise
