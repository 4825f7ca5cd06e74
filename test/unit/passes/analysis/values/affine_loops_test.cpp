// Loop counters, recurrences, joins, and what is uniform round them.
#include "affine_shader.h"
#include "analysis/uniformity/uniformity.h"

#include <random>

namespace lanewise {
namespace {

using test::computeShader;
using test::kInputs;
using test::Shader;

/// for (i = %init; i OP %bound; i = NEXT) { body }: %50 is i, %51 its next value, `body` may name
/// both, `after` stands behind the loop. `test` computes the bool %52 from %50, %51 is computed in
/// the continue block.
std::string loop(const std::string& init, const std::string& test, const std::string& next,
                 const std::string& body, const std::string& after = "") {
  return kInputs + "OpBranch %header\n%header = OpLabel\n%50 = OpPhi %uint " + init +
         " %entry %51 %continue\n" + test +
         "OpLoopMerge %exit %continue None\nOpBranchConditional %52 %body %exit\n%body = "
         "OpLabel\n" +
         body + "OpBranch %continue\n%continue = OpLabel\n" + next +
         "OpBranch %header\n%exit = OpLabel\n" + after;
}
const std::string kNext = "%51 = OpIAdd %uint %50 %u1\n";
std::string below(const std::string& bound) {
  return "%52 = OpULessThan %bool %50 %" + bound + "\n";
}

/// Without what the forms know beyond it.
bool isUniformValue(Shader& s, uint32_t id) {
  return Uniformity(*s.analyses).isUniform(Id(id));
}

using Range = std::optional<std::pair<uint32_t, uint32_t>>;

TEST(AffineLoops, CountersGrowWithTheIteration) {
  Shader s(computeShader(
      loop("%u0", below("u32"), kNext,
           "%100 = OpIAdd %uint %50 %x\n%101 = OpUMod %uint %50 %u32\n"
           "%1 = OpIMul %uint %y %u32\n%2 = OpIAdd %uint %1 %50\n%102 = OpUDiv %uint %2 %u32\n",
           "%103 = OpUMod %uint %50 %u32\n%104 = OpCopyObject %uint %50\n")));
  EXPECT_EQ(s.form(100), "loop + x");
  EXPECT_EQ(s.form(101), "loop"); // in the body it is below 32
  EXPECT_EQ(s.form(102), "y");
  EXPECT_EQ(s.form(103), "UMod(loop, 32)"); // behind the loop it is 32
  EXPECT_EQ(s.of(104).range, (Range{{0, 32}}));
  EXPECT_EQ(s.of(101).range, (Range{{0, 31}}));
  EXPECT_TRUE(s.isUniform(50));
  EXPECT_TRUE(s.isUniform(104));
}

TEST(AffineLoops, SeedsTakeTheValuesOfTheBody) {
  Shader s(computeShader(loop("%u4", below("u8"), kNext, "%100 = OpIMul %uint %50 %x\n")));
  EXPECT_EQ(s.states({100}).count, 4u);
  std::vector<uint32_t> seen;
  for (uint32_t seed = 0; seed < 4; ++seed) seen.push_back(*s.at(100, {1, 0, 0}, seed));
  EXPECT_EQ(seen[0], 4u);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<uint32_t>{4, 5, 6, 7}));
}

TEST(AffineLoops, SeedsAreCompleteForOneCounterInItsLoop) {
  Shader s(computeShader(loop("%u0", below("u5"), kNext,
                              "%1 = OpIMul %uint %50 %50\n%100 = OpIAdd %uint %1 %50\n"
                              "%101 = OpIMul %uint %50 %x\n%102 = OpIMul %uint %50 %p\n"
                              "%103 = OpIAdd %uint %x %y\n",
                              "%104 = OpIMul %uint %50 %x\n")));
  // A counter that stands there twice, or in two forms, is one.
  for (auto ids : {std::initializer_list<uint32_t>{100}, {101}, {100, 101}, {103, 101}}) {
    EXPECT_EQ(s.states(ids).count, 5u);
    EXPECT_TRUE(s.states(ids).isComplete);
  }
  EXPECT_EQ(s.states({103}).count, 1u);
  EXPECT_TRUE(s.states({103}).isComplete);
  EXPECT_FALSE(s.states({102}).isComplete); // p may be anything
  EXPECT_FALSE(s.states({104}).isComplete); // behind the loop only the last value is left
  Shader longer(computeShader(loop("%u0", below("u32"), kNext, "%100 = OpIMul %uint %50 %x\n")));
  EXPECT_EQ(longer.states({100}).count, 16u);
  EXPECT_FALSE(longer.states({100}).isComplete);
}

TEST(AffineLoops, SeedsOfRecurrencesAreCompleteUnlessTheyGoRound) {
  Shader halved(computeShader(loop("%u128", "%52 = OpUGreaterThan %bool %50 %u0\n",
                                   "%51 = OpShiftRightLogical %uint %50 %u1\n",
                                   "%100 = OpIMul %uint %50 %x\n")));
  EXPECT_TRUE(halved.states({100}).isComplete);
  // 0 1 0 1 ... for as long as it is below 5.
  Shader turn(computeShader(loop("%u0", below("u5"), "%51 = OpBitwiseXor %uint %50 %u1\n",
                                 "%100 = OpIMul %uint %50 %x\n")));
  EXPECT_EQ(turn.states({100}).count, 2u);
  EXPECT_FALSE(turn.states({100}).isComplete);
}

TEST(AffineLoops, CountersThatStartPerLane) {
  // for (i = t; i < 128; i += 64), i = 32y + x < 256
  Shader s(computeShader(loop("%t", below("u128"), "%51 = OpIAdd %uint %50 %u64\n",
                              "%100 = OpCopyObject %uint %50\n%101 = OpISub %uint %50 %t\n")));
  EXPECT_EQ(s.form(100), "32*y + 64*loop + x");
  EXPECT_EQ(s.of(101).range, (Range{{0, 64}}));
  // Lanes leave in different iterations.
  EXPECT_FALSE(s.isUniform(50));
  EXPECT_FALSE(s.isUniform(101));
  EXPECT_TRUE(s.isEvaluable(100));
}

TEST(AffineLoops, CountersThatMayWrapHaveNoRange) {
  // Steps of 33 may jump over the end of the integers before they reach a bound near it.
  Shader s(computeShader(loop("%u0", below("uhigh"), "%51 = OpIAdd %uint %50 %u33\n", "")));
  EXPECT_EQ(s.form(50), "33*loop");
  EXPECT_EQ(s.of(50).range, std::nullopt);
  // i >= 0 holds for every unsigned i.
  Shader down(
      computeShader(loop("%u31", "%52 = OpUGreaterThanEqual %bool %50 %u0\n",
                         "%51 = OpISub %uint %50 %u1\n", "%100 = OpCopyObject %uint %50\n")));
  EXPECT_EQ(down.of(100).range, std::nullopt);
  // As a signed number it ends at -1, which only the body does not see.
  Shader isSigned(
      computeShader(loop("%u31", "%52 = OpSGreaterThanEqual %bool %50 %i0\n",
                         "%51 = OpISub %uint %50 %u1\n", "%100 = OpCopyObject %uint %50\n")));
  EXPECT_EQ(isSigned.of(100).range, (Range{{0, 31}}));
  EXPECT_EQ(isSigned.of(50).range, std::nullopt);
}

TEST(AffineLoops, RecurrencesWithFewValues) {
  // for (s = 128; s > 0; s >>= 1)
  Shader s(computeShader(loop("%u128", "%52 = OpUGreaterThan %bool %50 %u0\n",
                              "%51 = OpShiftRightLogical %uint %50 %u1\n",
                              "%100 = OpIMul %uint %50 %x\n%101 = OpCopyObject %uint %50\n")));
  EXPECT_TRUE(s.isUniform(50));
  EXPECT_EQ(s.of(101).range, (Range{{1, 128}}));
  EXPECT_EQ(s.of(50).range, (Range{{0, 128}}));
  EXPECT_EQ(s.states({100}).count, 8u);
  std::vector<uint32_t> seen;
  for (uint32_t seed = 0; seed < 8; ++seed) seen.push_back(*s.at(100, {1, 0, 0}, seed));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<uint32_t>{1, 2, 4, 8, 16, 32, 64, 128}));

  // Two buffers in turn, in a loop of unknown length.
  Shader turn(computeShader(
      loop("%u0", "%52 = OpULessThan %bool %u5 %p\n", "%51 = OpBitwiseXor %uint %50 %u1\n", "")));
  EXPECT_EQ(turn.of(50).range, (Range{{0, 1}}));
  EXPECT_TRUE(turn.isUniform(50));

  // Too many values, or values that memory decides.
  Shader many(computeShader(loop("%u1", below("uhigh"), "%51 = OpIMul %uint %50 %u3\n", "")));
  EXPECT_EQ(many.form(50), "uniform");
  Shader memory(computeShader(loop("%u1", below("u32"), "%51 = OpLoad %uint %shared\n", "")));
  EXPECT_EQ(memory.form(50), "varying");
}

TEST(AffineLoops, ADivergentExitMakesRecurrencesVary) {
  Shader s(computeShader(loop("%u128", "%52 = OpUGreaterThan %bool %50 %x\n",
                              "%51 = OpShiftRightLogical %uint %50 %u1\n",
                              "%100 = OpIMul %uint %50 %x\n", "%101 = OpCopyObject %uint %50\n")));
  EXPECT_FALSE(s.isUniform(50));
  EXPECT_FALSE(s.isUniform(101));
  Uniformity uniformity(*s.analyses);
  EXPECT_FALSE(uniformity.isUniform(Id(50)));
}

TEST(AffineLoops, ADivergentBranchInsideDoesNot) {
  const std::string arm =
      "%1 = OpULessThan %bool %x %50\nOpSelectionMerge %join None\n"
      "OpBranchConditional %1 %then %join\n%then = OpLabel\nOpBranch %join\n%join = OpLabel\n"
      "%100 = OpPhi %uint %u1 %body %u2 %then\n%101 = OpPhi %uint %u5 %body %u5 %then\n";
  std::string text = loop("%u128", "%52 = OpUGreaterThan %bool %50 %u0\n",
                          "%51 = OpShiftRightLogical %uint %50 %u1\n", arm);
  Shader s(computeShader(text));
  EXPECT_TRUE(s.isUniform(50));
  EXPECT_FALSE(s.isUniform(100)); // which arm a lane took
  EXPECT_EQ(s.form(101), "5");
}

TEST(AffineLoops, ADivergentContinueOrBreakMakesCountersVary) {
  auto with = [](const std::string& target) {
    return computeShader(loop("%u0", below("p"), kNext,
                              "%1 = OpULessThan %bool %x %50\nOpSelectionMerge %join None\n"
                              "OpBranchConditional %1 %then %join\n%then = OpLabel\nOpBranch " +
                                  target + "\n%join = OpLabel\n"));
  };
  EXPECT_TRUE(Shader(with("%continue")).isUniform(50)); // all meet again before the next iteration
  EXPECT_FALSE(Shader(with("%exit")).isUniform(50));
  EXPECT_TRUE(Shader(with("%exit")).isEvaluable(50));
  // A uniform break in an arm that only some lanes enter.
  const std::string nested =
      "%1 = OpULessThan %bool %x %u5\nOpSelectionMerge %join None\n"
      "OpBranchConditional %1 %then %join\n%then = OpLabel\n%2 = OpULessThan %bool %p %50\n"
      "OpBranchConditional %2 %exit %join\n%join = OpLabel\n";
  EXPECT_FALSE(Shader(computeShader(loop("%u0", below("p"), kNext, nested))).isUniform(50));
}

std::string diamond(const std::string& condition, const std::string& arms = "") {
  return kInputs + "OpSelectionMerge %merge None\nOpBranchConditional " + condition +
         " %then %else\n%then = OpLabel\n" + arms +
         "OpBranch %merge\n%else = OpLabel\nOpBranch %merge\n%merge = OpLabel\n";
}

TEST(AffineLoops, PhisOfDiamonds) {
  const std::string phis =
      "%100 = OpPhi %uint %u1 %then %u2 %else\n%101 = OpPhi %uint %p %then %p %else\n"
      "%102 = OpPhi %uint %x %then %1 %else\n%103 = OpPhi %uint %p %then %q %else\n";
  const std::string before = "%1 = OpIAdd %uint %x %u1\n%c = OpULessThan %bool %x %u5\n";
  auto shader = [&](const std::string& condition) {
    std::string body = diamond(condition) + phis;
    return computeShader(body.insert(kInputs.size(), before + "%d = OpULessThan %bool %p %u5\n"));
  };
  Shader divergent(shader("%c"));
  EXPECT_EQ(divergent.form(100), "Select(ULessThan(x, 5), 1, 2)");
  EXPECT_EQ(divergent.form(101), "uniform");
  EXPECT_EQ(divergent.at(102, {4, 0, 0}), 4u);
  EXPECT_EQ(divergent.at(102, {5, 0, 0}), 6u);
  EXPECT_FALSE(divergent.isUniform(100));
  EXPECT_FALSE(divergent.isUniform(103));
  EXPECT_FALSE(isUniformValue(divergent, 100));
  EXPECT_FALSE(isUniformValue(divergent, 103));
  EXPECT_TRUE(isUniformValue(divergent, 101));
  Shader uniform(shader("%d"));
  EXPECT_TRUE(uniform.isUniform(100));
  EXPECT_TRUE(uniform.isUniform(103));
  EXPECT_TRUE(isUniformValue(uniform, 100));
  EXPECT_FALSE(uniform.isUniform(102));
}

TEST(Uniformity, JoinsInsideADivergentArmMayBeUniform) {
  // if (x < 5) { r = p < 5 ? 1 : 2; }: whoever is in the arm agrees. Three edges, so no Select
  // hides it.
  const std::string body = kInputs + R"(
        %1 = OpULessThan %bool %x %u5
        %2 = OpULessThan %bool %p %u5
             OpSelectionMerge %merge None
             OpBranchConditional %1 %then %merge
     %then = OpLabel
             OpSelectionMerge %inner None
             OpSwitch %q %default 1 %one 2 %two
  %default = OpLabel
             OpBranch %inner
      %one = OpLabel
             OpBranch %inner
      %two = OpLabel
             OpBranch %inner
    %inner = OpLabel
      %100 = OpPhi %uint %u1 %default %u2 %one %p %two
             OpBranch %merge
    %merge = OpLabel
      %101 = OpPhi %uint %u0 %entry %100 %inner
)";
  Shader s(computeShader(body));
  EXPECT_TRUE(s.isUniform(100));
  EXPECT_TRUE(isUniformValue(s, 100));
  EXPECT_FALSE(s.isUniform(101));
  EXPECT_FALSE(isUniformValue(s, 101));
}

TEST(Uniformity, LanesThatStayLongerArriveByAnotherExit) {
  // Some lanes break at once, the others leave later through the header's test: they meet behind
  // the loop.
  Shader s(computeShader(
      loop("%u0", below("p"), kNext,
           "%1 = OpULessThan %bool %x %u5\nOpBranchConditional %1 %exit %rest\n%rest = OpLabel\n",
           "%100 = OpPhi %uint %u1 %header %u2 %body\n")));
  EXPECT_FALSE(s.isUniform(100));
  EXPECT_FALSE(isUniformValue(s, 100));
}

TEST(Uniformity, EarlyReturnsLeaveTheRestUniform) {
  const std::string body = kInputs + R"(
        %1 = OpUGreaterThanEqual %bool %gx %p
             OpSelectionMerge %go None
             OpBranchConditional %1 %stop %go
     %stop = OpLabel
             OpReturn
       %go = OpLabel
        %2 = OpULessThan %bool %p %u5
             OpSelectionMerge %merge None
             OpBranchConditional %2 %then %merge
     %then = OpLabel
             OpBranch %merge
    %merge = OpLabel
      %100 = OpPhi %uint %u1 %go %q %then
)";
  EXPECT_TRUE(Shader(computeShader(body)).isUniform(100));
}

TEST(Uniformity, WhatDependsOnOthersVaries) {
  Shader s(computeShader(
      kInputs + "%u3scope = OpCopyObject %uint %u3\n%100 = OpGroupNonUniformElect %bool %u3\n"
                "%101 = OpUndef %uint\n%102 = OpIAdd %uint %p %q\n%103 = OpISub %uint %x %x\n"));
  EXPECT_FALSE(s.isUniform(100));
  EXPECT_FALSE(s.isUniform(101));
  EXPECT_TRUE(s.isUniform(102));
  EXPECT_TRUE(s.isUniform(103));
}

TEST(Uniformity, ManyBranchesStayWithinTheBudget) {
  // Thousands of divergent early returns: the analysis gives up, it does not slow down.
  std::string body = kInputs + "%1 = OpULessThan %bool %x %u5\n";
  for (int n = 0; n < 3000; ++n) {
    std::string go = "%go" + std::to_string(n), stop = "%stop" + std::to_string(n);
    body += "OpSelectionMerge " + go + " None\nOpBranchConditional %1 " + stop + " " + go + "\n" +
            stop + " = OpLabel\nOpReturn\n" + go + " = OpLabel\n";
  }
  Shader s(computeShader(body + "%100 = OpIAdd %uint %p %x\n"));
  EXPECT_FALSE(s.isUniform(100));
}

// ---- Random loops ----

struct RandomLoop {
  uint32_t init, initPerLane, step, bound;
  bool subtracts, isSigned, testsNext, testsAtEnd;
  uint32_t relation; ///< < <= > >= !=, for going on

  bool goesOn(uint32_t v) const {
    int64_t a = isSigned ? int64_t(int32_t(v)) : v, b = isSigned ? int64_t(int32_t(bound)) : bound;
    switch (relation) {
    case 0:
      return a < b;
    case 1:
      return a <= b;
    case 2:
      return a > b;
    case 3:
      return a >= b;
    default:
      return v != bound;
    }
  }
  uint32_t following(uint32_t v) const { return subtracts ? v - step : v + step; }

  std::string text() const {
    auto number = [](uint32_t n) { return std::to_string(n); };
    static const char* kOps[2][5] = {
        {"OpULessThan", "OpULessThanEqual", "OpUGreaterThan", "OpUGreaterThanEqual", "OpINotEqual"},
        {"OpSLessThan", "OpSLessThanEqual", "OpSGreaterThan", "OpSGreaterThanEqual",
         "OpINotEqual"}};
    std::string constants = "%init = OpConstant %uint " + number(init) +
                            "\n%per = OpConstant %uint " + number(initPerLane) +
                            "\n%step = OpConstant %uint " + number(step) +
                            "\n%bound = OpConstant %uint " + number(bound) + "\n";
    std::string next =
        std::string("%51 = ") + (subtracts ? "OpISub" : "OpIAdd") + " %uint %50 %step\n";
    std::string test = std::string("%52 = ") + kOps[isSigned][relation] + " %bool " +
                       (testsNext ? "%51" : "%50") + " %bound\n";
    std::string copy =
        "%60 = OpIMul %uint %50 %u1\n%61 = OpUDiv %uint %50 %u3\n%62 = OpUMod %uint %50 %u32\n";
    std::string start =
        kInputs + "%m = OpIMul %uint %x %per\n%start = " +
        (initPerLane != 0 ? "OpIAdd %uint %m %init\n" : "OpCopyObject %uint %init\n");
    std::string phi = "%50 = OpPhi %uint " + std::string(initPerLane != 0 ? "%start" : "%init") +
                      " %entry %51 %continue\n";
    std::string body = start + "OpBranch %header\n%header = OpLabel\n" + phi;
    if (testsAtEnd) {
      body += "%70 = OpIMul %uint %50 %u1\nOpLoopMerge %exit %continue None\nOpBranch %body\n%body "
              "= OpLabel\n" +
              copy + "OpBranch %continue\n%continue = OpLabel\n" + next + test +
              "OpBranchConditional %52 %header %exit\n%exit = OpLabel\n";
    } else {
      body += "%70 = OpIMul %uint %50 %u1\n" + (testsNext ? next : std::string()) + test +
              "OpLoopMerge %exit %continue None\nOpBranchConditional %52 %body %exit\n%body = "
              "OpLabel\n" +
              copy + "OpBranch %continue\n%continue = OpLabel\n" +
              (testsNext ? std::string() : next) + "OpBranch %header\n%exit = OpLabel\n";
    }
    return computeShader(body + "%80 = OpIMul %uint %50 %u1\n%81 = OpUMod %uint %50 %u32\n",
                         constants);
  }
};

/// The form's value in iteration `k`, and whether it is a function of lane and iteration.
std::optional<uint32_t> valueAt(Shader& s, const AffineExpr& e, uint32_t x, uint32_t k) {
  uint32_t sum = e.constant;
  for (auto [t, c] : e.terms) {
    const AffineTerm& term = s.affine->term(t);
    if (term.kind == AffineTerm::Kind::Induction && term.id != Id(50))
      sum += c * k;
    else if (term.kind == AffineTerm::Kind::LocalId && term.component == 0)
      sum += c * x;
    else
      return std::nullopt;
  }
  return sum;
}

void check(Shader& s, const RandomLoop& l, uint32_t id, uint32_t value, uint32_t x, uint32_t k,
           const char* where) {
  const AffineExpr& e = s.of(id);
  if (e.range) {
    ASSERT_GE(value, e.range->first) << where << " id " << id << " k " << k << "\n" << l.text();
    ASSERT_LE(value, e.range->second) << where << " id " << id << " k " << k << "\n" << l.text();
  }
  if (auto v = valueAt(s, e, x, k)) {
    ASSERT_EQ(*v, value) << where << " id " << id << " k " << k << "\n" << l.text();
  }
  for (auto [t, c] : e.terms) {
    const AffineTerm& term = s.affine->term(t);
    auto range = s.affine->termRange(t);
    if (term.kind != AffineTerm::Kind::Induction || term.id == Id(50) || !range) continue;
    ASSERT_LE(k, range->second) << where << "\n" << l.text();
  }
}

TEST(AffineLoops, RandomLoopsStayInTheirRanges) {
  std::mt19937 random(7);
  auto pick = [&](uint32_t n) { return uint32_t(random() % n); };
  static const uint32_t kEdges[] = {0,          1,          2,          3,          8,
                                    31,         32,         33,         100,        128,
                                    1000,       0x7FFFFFF0, 0x7FFFFFFF, 0x80000000, 0x80000010,
                                    0xFFFFFFF0, 0xFFFFFFFE, 0xFFFFFFFF};
  size_t ranged = 0, bodyRanged = 0;
  for (int n = 0; n < 600; ++n) {
    RandomLoop l{};
    l.init = pick(3) == 0 ? kEdges[pick(std::size(kEdges))] : pick(64);
    l.initPerLane = pick(3) == 0 ? 1 + pick(4) : 0;
    static const uint32_t kSteps[] = {
        1, 1, 2, 3, 4, 7, 16, 64, 0x10000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC};
    l.step = kSteps[pick(std::size(kSteps))];
    l.bound = pick(3) == 0 ? kEdges[pick(std::size(kEdges))] : pick(200);
    l.subtracts = pick(3) == 0;
    l.isSigned = pick(2) == 0;
    l.testsNext = pick(3) == 0;
    l.testsAtEnd = pick(3) == 0;
    l.relation = pick(5);
    Shader s(l.text());
    ASSERT_TRUE(s.module);
    ranged += s.of(50).range.has_value();
    bodyRanged += s.of(60).range.has_value();
    for (uint32_t x : {0u, 1u, 17u, 31u}) {
      uint32_t value = l.init + x * l.initPerLane;
      for (uint32_t k = 0; k < 1200; ++k, value = l.following(value)) {
        check(s, l, 50, value, x, k, "phi");
        check(s, l, 70, value, x, k, "header");
        bool goesOn = l.goesOn(l.testsNext ? l.following(value) : value);
        if (goesOn || l.testsAtEnd) {
          check(s, l, 60, value, x, k, "body");
          check(s, l, 61, value / 3, x, k, "body");
          check(s, l, 62, value % 32, x, k, "body");
        }
        if (!goesOn) {
          check(s, l, 80, value, x, k, "behind");
          check(s, l, 81, value % 32, x, k, "behind");
          break;
        }
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(ranged, 150u);
  EXPECT_GT(bodyRanged, ranged);
}

} // namespace
} // namespace lanewise
