#include "analysis/control_flow/loops.h"
#include "subject.h"

#include <random>

namespace lanewise {
namespace {

using test::Subject;
using Range = std::optional<std::pair<int64_t, int64_t>>;

/// Constants for loops: %20 0, %21 1, %22 8, %23 10, %24 3, %25 -1 as i32; %30 a specialization
/// constant 16.
constexpr const char* kConstants = R"(%8 = OpTypeInt 32 1
  %20 = OpConstant %8 0
  %21 = OpConstant %8 1
  %22 = OpConstant %8 8
  %23 = OpConstant %8 10
  %24 = OpConstant %8 3
  %25 = OpConstant %8 -1
  %26 = OpConstant %8 32
  %30 = OpSpecConstant %8 16
  %31 = OpUndef %8
  %32 = OpUndef %3
)";

/// for (i = init; condition; i = next) with blocks 101 header, 102 test, 103 body, 104 continue,
/// 105 merge. `next` defines %201 from the phi %200, `test` defines %202.
std::string forLoop(const std::string& init, const std::string& next, const std::string& test,
                    const std::string& branch = "%103 %105") {
  return test::shaderModule(kConstants,
                            "%100 = OpLabel\nOpBranch %101\n%101 = OpLabel\n%200 = OpPhi %8 " +
                                init + " %100 %201 %104\n" +
                                "OpLoopMerge %105 %104 None\nOpBranch %102\n"
                                "%102 = OpLabel\n" +
                                test + "\nOpBranchConditional %202 " + branch +
                                "\n%103 = OpLabel\nOpBranch %104\n%104 = OpLabel\n" + next +
                                "\nOpBranch %101\n%105 = OpLabel\nOpReturn\n");
}
constexpr const char* kUp = "%201 = OpIAdd %8 %200 %21";
constexpr const char* kLess8 = "%202 = OpSLessThan %3 %200 %22";

struct OneLoop : Subject {
  using Subject::Subject;
  const Loop& loop() {
    EXPECT_EQ(analyses().get<Loops>().all().size(), 1u);
    return analyses().get<Loops>().all()[0];
  }
  const InductionVariable& induction() {
    static const InductionVariable kNone;
    EXPECT_EQ(loop().inductions.size(), 1u);
    return loop().inductions.empty() ? kNone : loop().inductions[0];
  }
};

TEST(Loops, OfACountedLoop) {
  OneLoop s(forLoop("%20", kUp, kLess8));
  EXPECT_TRUE(test::validate(s.module().words()));
  const Loop& loop = s.loop();
  EXPECT_EQ(loop.header, s.block(101));
  EXPECT_EQ(loop.parent, -1);
  EXPECT_EQ(loop.depth, 1u);
  EXPECT_EQ(std::vector(loop.blocks.begin(), loop.blocks.end()),
            (std::vector{s.block(101), s.block(102), s.block(103), s.block(104)}));
  EXPECT_EQ(loop.tripCount, 8u);
  EXPECT_TRUE(loop.tripCountIsLiteral);
  EXPECT_EQ(loop.conditionBlock, s.block(102));
  EXPECT_EQ(loop.bodyEntry, s.block(103));
  const InductionVariable& i = s.induction();
  EXPECT_EQ(i.phi, s.def(200));
  EXPECT_EQ(i.init, Id(20));
  EXPECT_EQ(i.step, 1);
  EXPECT_TRUE(i.stepIsLiteral);
  EXPECT_EQ(i.range, Range({0, 7}));
  EXPECT_EQ(i.wholeRange, Range({0, 8})); // the test sees one value more
  const Loops& loops = s.analyses().get<Loops>();
  const Dominance& dominance = s.analyses().get<Dominance>();
  EXPECT_EQ(loops.rangeAt(i.phi, s.block(104), dominance), Range({0, 7}));
  EXPECT_EQ(loops.rangeAt(i.phi, s.block(102), dominance), Range({0, 8}));
  EXPECT_EQ(loops.rangeAt(i.phi, s.block(105), dominance), Range({0, 8}));
  EXPECT_EQ(loops.rangeAt(s.def(201), s.block(104), dominance), std::nullopt);
}

TEST(Loops, FindTheInductionOfAPhi) {
  OneLoop s(forLoop("%20", kUp, kLess8));
  const Loop* loop = nullptr;
  const Loops& loops = s.analyses().get<Loops>();
  EXPECT_EQ(loops.inductionOf(s.def(200), &loop), &s.induction());
  EXPECT_EQ(loop, &s.loop());
  EXPECT_EQ(loops.inductionOf(s.def(201)), nullptr);
  EXPECT_EQ(loops.inductionOf(InstRef()), nullptr);
}

TEST(Loops, CountDown) {
  // for (i = 8; i > 0; i--), step by OpISub, the condition's operands exchanged.
  OneLoop s(forLoop("%22", "%201 = OpISub %8 %200 %21", "%202 = OpSLessThan %3 %20 %200"));
  EXPECT_EQ(s.induction().step, -1);
  EXPECT_EQ(s.loop().tripCount, 8u);
  EXPECT_EQ(s.induction().range, Range({1, 8}));
  EXPECT_EQ(s.induction().wholeRange, Range({0, 8}));
}

TEST(Loops, CountWithANegatedCondition) {
  OneLoop swapped(forLoop("%20", kUp, "%202 = OpSGreaterThanEqual %3 %200 %22", "%105 %103"));
  EXPECT_EQ(swapped.loop().tripCount, 8u);
  OneLoop negated(forLoop("%20", kUp,
                          "%203 = OpSGreaterThanEqual %3 %200 %22\n"
                          "%202 = OpLogicalNot %3 %203"));
  EXPECT_EQ(negated.loop().tripCount, 8u);
}

TEST(Loops, CountAtTheLoopsEnd) {
  // do { } while (++i < 8): the test is in the latch and looks at phi + step.
  const char* body = R"(%100 = OpLabel
    OpBranch %101
    %101 = OpLabel
    %200 = OpPhi %8 %20 %100 %201 %104
    OpLoopMerge %105 %104 None
    OpBranch %104
    %104 = OpLabel
    %201 = OpIAdd %8 %200 %21
    %202 = OpSLessThan %3 %201 %22
    OpBranchConditional %202 %101 %105
    %105 = OpLabel
    OpReturn
  )";
  OneLoop s(test::shaderModule(kConstants, body));
  EXPECT_EQ(s.loop().tripCount, 8u);
  EXPECT_EQ(s.loop().bodyEntry, s.block(101));
  EXPECT_EQ(s.induction().range, Range({0, 7}));
  EXPECT_EQ(s.induction().wholeRange, Range({0, 7}));
}

TEST(Loops, CountWithSpecializationConstants) {
  const std::string text = forLoop("%20", kUp, "%202 = OpSLessThan %3 %200 %30");
  OneLoop s(text);
  EXPECT_EQ(s.loop().tripCount, 16u);
  EXPECT_FALSE(s.loop().tripCountIsLiteral);
  EXPECT_EQ(s.induction().range, std::nullopt); // must hold for every specialization
  EXPECT_EQ(s.loop().conditionBlock, BlockRef());

  OneLoop stepped(forLoop("%20", "%201 = OpIAdd %8 %30 %200", "%202 = OpSLessThan %3 %200 %26"));
  EXPECT_EQ(stepped.induction().step, 16);
  EXPECT_FALSE(stepped.induction().stepIsLiteral);
  EXPECT_EQ(stepped.loop().tripCount, 2u);
  EXPECT_FALSE(stepped.loop().tripCountIsLiteral);
  EXPECT_EQ(stepped.induction().range, std::nullopt);
}

TEST(Loops, NoBodyAtAll) {
  OneLoop s(forLoop("%22", kUp, kLess8));
  EXPECT_EQ(s.loop().tripCount, 0u);
  EXPECT_EQ(s.induction().wholeRange, Range({8, 8}));
}

TEST(Loops, NotARangeThatWraps) {
  // From -1 to 7: nine turns, but as unsigned numbers the counter wraps.
  OneLoop s(forLoop("%25", kUp, kLess8));
  EXPECT_EQ(s.loop().tripCount, 9u);
  EXPECT_EQ(s.induction().range, std::nullopt);
  EXPECT_EQ(s.induction().wholeRange, std::nullopt);
}

TEST(Loops, NotACountWhenTheBoundIsJumpedOver) {
  // 0, 3, 6, 9, ...: never 8 before it wraps.
  OneLoop s(forLoop("%20", "%201 = OpIAdd %8 %200 %24", "%202 = OpINotEqual %3 %200 %22"));
  EXPECT_EQ(s.loop().tripCount, std::nullopt);
  EXPECT_EQ(s.induction().range, std::nullopt);
}

TEST(Loops, NotACountWithoutConstants) {
  OneLoop bound(forLoop("%20", kUp, "%202 = OpSLessThan %3 %200 %31"));
  EXPECT_EQ(bound.loop().tripCount, std::nullopt);
  EXPECT_EQ(bound.induction().step, 1); // still an induction variable
  EXPECT_EQ(bound.induction().range, std::nullopt);
  OneLoop init(forLoop("%31", kUp, kLess8));
  EXPECT_EQ(init.loop().tripCount, std::nullopt);
  EXPECT_EQ(init.induction().range, std::nullopt);
  OneLoop condition(forLoop("%20", kUp, "%202 = OpCopyObject %3 %32"));
  EXPECT_EQ(condition.loop().tripCount, std::nullopt);
}

TEST(Loops, NotInductionsThatDoNotGrowByAConstant) {
  const char* tests[] = {"%201 = OpShiftRightLogical %8 %200 %21", // halving
                         "%201 = OpIMul %8 %200 %24",
                         "%201 = OpIAdd %8 %200 %200",
                         "%201 = OpIAdd %8 %200 %31",
                         "%201 = OpISub %8 %21 %200",
                         "%201 = OpIAdd %8 %200 %20", // does not move
                         "%201 = OpIAdd %8 %21 %24"};
  for (const char* next : tests) {
    OneLoop s(forLoop("%20", next, kLess8));
    EXPECT_TRUE(s.loop().inductions.empty()) << next;
    EXPECT_EQ(s.loop().tripCount, std::nullopt) << next;
  }
}

TEST(Loops, AreCountedAcrossCastsOfTheSign) {
  OneLoop s(forLoop("%20",
                    "%203 = OpBitcast %5 %200\n%204 = OpIAdd %5 %203 %21\n%201 = OpBitcast %8 %204",
                    kLess8));
  EXPECT_TRUE(test::validate(s.module().words()));
  EXPECT_EQ(s.induction().step, 1);
  EXPECT_EQ(s.loop().tripCount, 8u);
  EXPECT_EQ(s.induction().range, Range({0, 7}));
}

TEST(Loops, NotInductionsAcrossOtherCasts) {
  const char* types = "%33 = OpTypeInt 16 0\n%34 = OpTypeVector %33 2\n%35 = OpConstant %33 1\n"
                      "%36 = OpConstantComposite %34 %35 %35\n%37 = OpTypeFloat 32\n";
  const char* tests[] = {
      // Two halves, and a float.
      "%203 = OpBitcast %34 %200\n%204 = OpIAdd %34 %203 %36\n%201 = OpBitcast %8 %204",
      "%203 = OpBitcast %37 %200\n%204 = OpFAdd %37 %203 %203\n%201 = OpBitcast %8 %204",
      // A step that is a specialization constant is looked up only where no cast is.
      "%203 = OpBitcast %5 %200\n%204 = OpIAdd %5 %203 %30\n%201 = OpBitcast %8 %204"};
  for (const char* next : tests) {
    std::string text = forLoop("%20", next, kLess8);
    text.insert(text.find("%20 ="), types);
    OneLoop s(text);
    EXPECT_TRUE(s.loop().inductions.empty()) << next;
  }
}

/// A loop to 8 whose body (from %103) is given; the continue block is %104.
std::string withBody(const std::string& body) {
  return test::shaderModule(kConstants,
                            "%100 = OpLabel\nOpBranch %101\n%101 = OpLabel\n"
                            "%200 = OpPhi %8 %20 %100 %201 %104\n%202 = OpSLessThan %3 %200 %22\n"
                            "OpLoopMerge %105 %104 None\nOpBranchConditional %202 %103 %105\n"
                            "%103 = OpLabel\n" +
                                body +
                                "%104 = OpLabel\n%201 = OpIAdd %8 %200 %21\nOpBranch %101\n"
                                "%105 = OpLabel\nOpReturn\n");
}

TEST(Loops, NotACountWithABreakButARange) {
  OneLoop s(withBody("OpSelectionMerge %106 None\nOpBranchConditional %32 %105 %106\n"
                     "%106 = OpLabel\nOpBranch %104\n"));
  EXPECT_TRUE(test::validate(s.module().words()));
  EXPECT_EQ(s.loop().tripCount, std::nullopt);
  EXPECT_EQ(s.induction().range, Range({0, 7}));
}

TEST(Loops, NotACountWithAReturn) {
  OneLoop s(withBody("OpSelectionMerge %106 None\nOpBranchConditional %32 %107 %106\n"
                     "%107 = OpLabel\nOpReturn\n%106 = OpLabel\nOpBranch %104\n"));
  EXPECT_TRUE(test::validate(s.module().words()));
  EXPECT_EQ(s.loop().tripCount, std::nullopt);
  EXPECT_EQ(s.induction().range, Range({0, 7}));
  EXPECT_FALSE(s.analyses().get<Loops>().contains(s.loop(), s.block(107)));
}

TEST(Loops, TheTighterOfTwoTestsBounds) {
  // A second test that breaks at 3, in the body.
  OneLoop s(withBody("%203 = OpSLessThan %3 %200 %24\nOpSelectionMerge %106 None\n"
                     "OpBranchConditional %203 %106 %105\n%106 = OpLabel\nOpBranch %104\n"));
  EXPECT_EQ(s.loop().conditionBlock, s.block(103));
  EXPECT_EQ(s.loop().bodyEntry, s.block(106));
  EXPECT_EQ(s.induction().range, Range({0, 2}));
  EXPECT_EQ(s.induction().wholeRange, Range({0, 3}));
  EXPECT_EQ(s.loop().tripCount, std::nullopt);
}

TEST(Loops, NotATestThatSomeIterationsSkip) {
  // The test at 3 stands in one arm only: the other arm goes past it.
  OneLoop s(withBody("%203 = OpSLessThan %3 %200 %24\nOpSelectionMerge %106 None\n"
                     "OpBranchConditional %32 %107 %106\n%107 = OpLabel\n"
                     "OpBranchConditional %203 %106 %105\n%106 = OpLabel\nOpBranch %104\n"));
  EXPECT_EQ(s.loop().conditionBlock, s.block(101));
  EXPECT_EQ(s.induction().range, Range({0, 7}));
}

TEST(Loops, OtherCountersMoveInStep) {
  OneLoop s(test::shaderModule(kConstants, R"(%100 = OpLabel
    OpBranch %101
    %101 = OpLabel
    %200 = OpPhi %8 %20 %100 %201 %104
    %210 = OpPhi %8 %23 %100 %211 %104
    %220 = OpPhi %8 %31 %100 %221 %104
    %202 = OpSLessThan %3 %200 %22
    OpLoopMerge %105 %104 None
    OpBranchConditional %202 %104 %105
    %104 = OpLabel
    %201 = OpIAdd %8 %200 %21
    %211 = OpIAdd %8 %210 %24
    %221 = OpIAdd %8 %220 %24
    OpBranch %101
    %105 = OpLabel
    OpReturn
  )"));
  ASSERT_EQ(s.loop().inductions.size(), 3u);
  EXPECT_EQ(s.loop().inductions[1].range, Range({10, 31}));
  EXPECT_EQ(s.loop().inductions[1].wholeRange, Range({10, 34}));
  EXPECT_EQ(s.loop().inductions[2].range, std::nullopt); // unknown start
}

TEST(Loops, NotARangeForACounterThatIsSpecialized) {
  // The tested counter is literal; the one beside it starts, or steps, by a specialization
  // constant.
  OneLoop s(test::shaderModule(kConstants, R"(%100 = OpLabel
    OpBranch %101
    %101 = OpLabel
    %200 = OpPhi %8 %20 %100 %201 %104
    %210 = OpPhi %8 %30 %100 %211 %104
    %220 = OpPhi %8 %20 %100 %221 %104
    %202 = OpSLessThan %3 %200 %22
    OpLoopMerge %105 %104 None
    OpBranchConditional %202 %104 %105
    %104 = OpLabel
    %201 = OpIAdd %8 %200 %21
    %211 = OpIAdd %8 %210 %24
    %221 = OpIAdd %8 %220 %30
    OpBranch %101
    %105 = OpLabel
    OpReturn
  )"));
  ASSERT_EQ(s.loop().inductions.size(), 3u);
  EXPECT_EQ(s.loop().inductions[0].range, Range({0, 7}));
  EXPECT_EQ(s.loop().inductions[1].wholeRange, std::nullopt);
  EXPECT_EQ(s.loop().inductions[2].wholeRange, std::nullopt);
}

TEST(Loops, NotInductionsOfAnotherWidth) {
  for (const char* type : {"OpTypeInt 16 0", "OpTypeInt 64 0"}) {
    OneLoop s(test::flowModule(std::string("%8 = ") + type + R"(
      %20 = OpConstantNull %8
      %21 = OpConstant %8 1
      %50 = OpFunction %1 None %2
      %100 = OpLabel
      OpBranch %101
      %101 = OpLabel
      %200 = OpPhi %8 %20 %100 %201 %101
      %201 = OpIAdd %8 %200 %21
      %202 = OpULessThan %3 %200 %21
      OpBranchConditional %202 %101 %102
      %102 = OpLabel
      OpReturn
      OpFunctionEnd
    )"));
    EXPECT_TRUE(s.loop().inductions.empty()) << type;
    EXPECT_EQ(s.loop().tripCount, std::nullopt) << type;
  }
}

TEST(Loops, NotWhatAnUnreachableBlockBrings) {
  // %103 names the header too, with another start, but never runs.
  OneLoop s(test::flowModule(R"(%20 = OpConstant %5 8
    %50 = OpFunction %1 None %2
    %100 = OpLabel
    OpBranch %101
    %103 = OpLabel
    OpBranch %101
    %101 = OpLabel
    %200 = OpPhi %5 %6 %100 %20 %103 %201 %101
    %201 = OpIAdd %5 %200 %7
    %202 = OpULessThan %3 %201 %20
    OpBranchConditional %202 %101 %102
    %102 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  EXPECT_EQ(s.induction().init, Id(6));
  EXPECT_EQ(s.induction().range, Range({0, 7}));
}

TEST(Loops, TheBodyMayStartWithALoop) {
  // The test leads straight to the header of an inner loop, which has a second way in: from its own
  // end.
  OneLoop s(test::flowModule(R"(%20 = OpConstant %5 8
    %50 = OpFunction %1 None %2
    %100 = OpLabel
    OpBranch %101
    %101 = OpLabel
    %200 = OpPhi %5 %6 %100 %201 %103
    %201 = OpIAdd %5 %200 %7
    %202 = OpULessThan %3 %200 %20
    OpBranchConditional %202 %102 %104
    %102 = OpLabel
    OpBranchConditional %4 %102 %103
    %103 = OpLabel
    OpBranch %101
    %104 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  const Loop& outer = s.analyses().get<Loops>().all()[0];
  EXPECT_EQ(outer.bodyEntry, s.block(102));
  EXPECT_EQ(outer.inductions.at(0).range, Range({0, 7}));
}

TEST(Loops, NestAndNotTheInnerTest) {
  OneLoop s(withBody(R"(OpBranch %111
    %111 = OpLabel
    %210 = OpPhi %8 %20 %103 %211 %114
    OpLoopMerge %115 %114 None
    OpBranch %112
    %112 = OpLabel
    %212 = OpSLessThan %3 %210 %24
    OpBranchConditional %212 %114 %115
    %114 = OpLabel
    %211 = OpIAdd %8 %210 %21
    OpBranch %111
    %115 = OpLabel
    OpBranch %104
  )"));
  EXPECT_TRUE(test::validate(s.module().words()));
  const Loops& loops = s.analyses().get<Loops>();
  ASSERT_EQ(loops.all().size(), 2u);
  const Loop &outer = loops.all()[0], &inner = loops.all()[1];
  EXPECT_EQ(inner.header, s.block(111));
  EXPECT_EQ(inner.parent, 0);
  EXPECT_EQ(inner.depth, 2u);
  EXPECT_EQ(loops.parent(inner), &outer);
  EXPECT_EQ(loops.parent(outer), nullptr);
  EXPECT_EQ(outer.tripCount, 8u);
  EXPECT_EQ(inner.tripCount, 3u);
  EXPECT_EQ(outer.blocks.size(), 7u);
  EXPECT_EQ(inner.blocks.size(), 3u);
  EXPECT_EQ(loops.innermost(s.block(112)), &inner);
  EXPECT_EQ(loops.innermost(s.block(115)), &outer);
  EXPECT_EQ(loops.innermost(s.block(105)), nullptr);
  EXPECT_TRUE(loops.contains(outer, s.block(112)));
  EXPECT_FALSE(loops.contains(inner, s.block(103)));
  EXPECT_EQ(inner.inductions[0].range, Range({0, 2}));
}

TEST(Loops, NotCyclesWithTwoEntries) {
  Subject s(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpBranchConditional %4 %101 %102
    %101 = OpLabel
    OpBranch %102
    %102 = OpLabel
    OpBranchConditional %4 %101 %103
    %103 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  EXPECT_TRUE(s.analyses().get<Loops>().all().empty());
  EXPECT_EQ(s.analyses().get<Loops>().innermost(s.block(101)), nullptr);
}

TEST(Loops, NotOfUnreachableBlocks) {
  Subject s(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpReturn
    %101 = OpLabel
    OpBranch %101
    OpFunctionEnd
  )"));
  EXPECT_TRUE(s.analyses().get<Loops>().all().empty());
}

TEST(Loops, SeveralBackEdgesMakeOneLoop) {
  Subject s(test::flowModule(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpBranch %101
    %101 = OpLabel
    %200 = OpPhi %5 %6 %100 %201 %102 %201 %103
    %201 = OpIAdd %5 %200 %7
    %202 = OpULessThan %3 %201 %201
    OpBranchConditional %4 %102 %103
    %102 = OpLabel
    OpBranchConditional %4 %101 %104
    %103 = OpLabel
    OpBranch %101
    %104 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  ASSERT_EQ(s.analyses().get<Loops>().all().size(), 1u);
  EXPECT_EQ(s.analyses().get<Loops>().all()[0].blocks.size(), 3u);
  EXPECT_EQ(s.analyses().get<Loops>().all()[0].inductions.size(), 1u);
}

TEST(Loops, StandADeepNest) {
  // Each loop is one block inside the next: quadratic where every loop holds a list of its own.
  constexpr uint32_t kDepth = 20000;
  std::string body = "%50 = OpFunction %1 None %2\n%99 = OpLabel\nOpBranch %100\n";
  auto label = [](uint32_t n) { return "%" + std::to_string(n); };
  for (uint32_t n = 0; n < kDepth; ++n)
    body += label(100 + n) + " = OpLabel\nOpBranch " + label(101 + n) + "\n";
  uint32_t at = 100 + kDepth;
  for (uint32_t n = kDepth; n-- > 0; ++at)
    body += label(at) + " = OpLabel\nOpBranchConditional %4 " + label(100 + n) + " " +
            label(at + 1) + "\n";
  body += label(at) + " = OpLabel\nOpReturn\nOpFunctionEnd\n";
  Subject s(test::flowModule(body));
  const Loops& loops = s.analyses().get<Loops>();
  ASSERT_EQ(loops.all().size(), kDepth);
  EXPECT_EQ(loops.all()[0].blocks.size(), 2 * kDepth);
  EXPECT_EQ(loops.all()[kDepth - 1].depth, kDepth);
  EXPECT_EQ(loops.all()[kDepth - 1].blocks.size(), 2u);
}

constexpr const char* kComparisons[] = {"OpSLessThan",
                                        "OpULessThan",
                                        "OpSLessThanEqual",
                                        "OpULessThanEqual",
                                        "OpIEqual",
                                        "OpSGreaterThan",
                                        "OpUGreaterThan",
                                        "OpSGreaterThanEqual",
                                        "OpUGreaterThanEqual",
                                        "OpINotEqual"};

/// Comparison number `op` of kComparisons.
bool holds(size_t op, uint32_t x, uint32_t bound) {
  const int32_t sx = int32_t(x), sb = int32_t(bound);
  const bool results[] = {sx<sb, x<bound, sx <= sb, x <= bound, x == bound, sx> sb, x> bound,
                          sx >= sb, x >= bound, x != bound};
  return results[op];
}

/// What a loop with one test does, by running it.
struct Trace {
  uint64_t body = 0;
  bool wraps = false;
  bool ends = false;
};

Trace simulate(size_t op, uint32_t init, uint32_t step, uint32_t bound, bool testsNext,
               bool continuesWhen) {
  Trace run;
  uint32_t i = init;
  constexpr uint64_t kMost = 3000;
  while (run.body < kMost) {
    const uint32_t x = testsNext ? i + step : i;
    if (holds(op, x, bound) != continuesWhen) {
      run.ends = true;
      return run;
    }
    ++run.body;
    const int64_t next = int64_t(i) + int32_t(step);
    run.wraps |= next < 0 || next > int64_t(UINT32_MAX);
    i += step;
  }
  return run;
}

TEST(Loops, CountsAgreeWithRunningThem) {
  std::mt19937 random(3);
  auto pick = [&]() -> uint32_t { // near the corners, where wrapping happens
    const uint32_t corners[] = {0, 20, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1000};
    return corners[random() % 6] + random() % 41 - 20;
  };
  int known = 0;
  for (int round = 0; round < 700; ++round) {
    const size_t op = random() % 10;
    const std::string opName = kComparisons[op];
    const uint32_t init = pick(), bound = pick();
    const uint32_t step = random() % 8 == 0 ? uint32_t(random()) | 1 : 1 + random() % 7;
    const uint32_t signedStep = random() % 2 ? step : 0 - step;
    const bool next = random() % 2, sense = random() % 2;
    const std::string constants = std::string(kConstants) + "%40 = OpConstant %5 " +
                                  std::to_string(init) + "\n%41 = OpConstant %5 " +
                                  std::to_string(signedStep) + "\n%42 = OpConstant %5 " +
                                  std::to_string(bound) + "\n";
    const std::string body =
        "%100 = OpLabel\nOpBranch %101\n%101 = OpLabel\n%200 = OpPhi %5 %40 %100 %201 %104\n"
        "%201 = OpIAdd %5 %200 %41\n%202 = " +
        opName + " %3 " + (next ? "%201" : "%200") +
        " %42\nOpLoopMerge %105 %104 None\nOpBranchConditional %202 " +
        (sense ? "%104 %105" : "%105 %104") +
        "\n%104 = OpLabel\nOpBranch %101\n%105 = OpLabel\nOpReturn\n";
    OneLoop s(test::shaderModule(constants, body));
    const Trace run = simulate(op, init, signedStep, bound, next, sense);
    const std::string what =
        opName + " init " + std::to_string(init) + " step " + std::to_string(int32_t(signedStep)) +
        " bound " + std::to_string(bound) + (next ? " next" : "") + (sense ? "" : " negated");
    const auto count = s.loop().tripCount;
    if (count && (run.ends || *count < run.body)) {
      ++known;
      ASSERT_TRUE(run.ends) << what;
      ASSERT_EQ(*count, run.body) << what;
      // A range exactly when nothing wraps.
      ASSERT_EQ(s.induction().wholeRange.has_value(), !run.wraps) << what;
      if (!run.wraps) {
        const int64_t end = int64_t(init) + int64_t(run.body) * int32_t(signedStep);
        ASSERT_EQ(s.induction().wholeRange,
                  Range({std::min<int64_t>(init, end), std::max<int64_t>(init, end)}))
            << what;
      }
    }
  }
  EXPECT_GT(known, 200); // the test must not pass by knowing nothing
}

} // namespace
} // namespace lanewise
