#include "analysis/module/constants.h"
#include "subject.h"

#include <functional>
#include <random>

namespace lanewise {
namespace {

using test::Subject;

/// Types: %2 bool, %3 u32, %4 i32, %5 u64, %6 i64, %7 u16, %8 i16, %9 f32, %10 u32x3, %11 bool x2,
/// %12 i16x2.
std::string withTypes(std::string_view decorations, std::string_view constants) {
  return "OpCapability Shader\nOpCapability Int64\nOpCapability Int16\nOpCapability Kernel\n"
         "OpCapability Linkage\nOpMemoryModel Logical GLSL450\n" +
         std::string(decorations) +
         "%2 = OpTypeBool\n%3 = OpTypeInt 32 0\n%4 = OpTypeInt 32 1\n%5 = OpTypeInt 64 0\n"
         "%6 = OpTypeInt 64 1\n%7 = OpTypeInt 16 0\n%8 = OpTypeInt 16 1\n%9 = OpTypeFloat 32\n"
         "%10 = OpTypeVector %3 3\n%11 = OpTypeVector %2 2\n%12 = OpTypeVector %8 2\n" +
         std::string(constants);
}

std::optional<ConstantValue> value(Subject& s, uint32_t id) {
  return s.analyses().get<Constants>().value(Id(id));
}
std::optional<uint64_t> bits(Subject& s, uint32_t id) {
  const auto v = value(s, id);
  return v ? std::optional(v->bits) : std::nullopt;
}

TEST(Constants, ReadsLiteralsOfEveryWidth) {
  Subject s(withTypes("", R"(%20 = OpConstant %3 4000000000
    %21 = OpConstant %4 -5
    %22 = OpConstant %5 0x123456789ABCDEF0
    %23 = OpConstant %6 -2
    %24 = OpConstant %7 65535
    %25 = OpConstant %8 -1
    %26 = OpConstantTrue %2
    %27 = OpConstantFalse %2
    %28 = OpConstantNull %4
  )"));
  EXPECT_EQ(value(s, 20), (ConstantValue{4000000000u, 32, false, true}));
  EXPECT_EQ(value(s, 21), (ConstantValue{0xFFFFFFFB, 32, true, true}));
  EXPECT_EQ(value(s, 21)->asSigned(), -5);
  EXPECT_EQ(value(s, 22), (ConstantValue{0x123456789ABCDEF0, 64, false, true}));
  EXPECT_EQ(value(s, 23)->asSigned(), -2);
  EXPECT_EQ(value(s, 24), (ConstantValue{0xFFFF, 16, false, true}));
  EXPECT_EQ(value(s, 25), (ConstantValue{0xFFFF, 16, true, true})); // sign-extended in its word
  EXPECT_EQ(value(s, 25)->asSigned(), -1);
  EXPECT_EQ(value(s, 26), (ConstantValue{1, 1, false, true}));
  EXPECT_EQ(bits(s, 27), 0u);
  EXPECT_EQ(bits(s, 28), 0u);
  EXPECT_EQ(s.analyses().get<Constants>().literal(Id(20)), 4000000000u);
}

TEST(Constants, NotOfAnythingElse) {
  Subject s(withTypes("", R"(%20 = OpConstant %9 1.5
    %21 = OpUndef %3
    %22 = OpConstant %3 1
    %23 = OpConstantComposite %10 %22 %22 %22
    %24 = OpConstantNull %9
    %25 = OpConstantNull %10
  )"));
  for (uint32_t id : {0u, 3u, 20u, 21u, 23u, 24u, 25u, 99u, UINT32_MAX}) {
    EXPECT_EQ(value(s, id), std::nullopt) << id;
    EXPECT_EQ(s.analyses().get<Constants>().literal(Id(id)), std::nullopt) << id;
    EXPECT_FALSE(s.analyses().get<Constants>().isUnassumedSpec(Id(id))) << id;
  }
}

constexpr const char* kSpecDecorations = "OpDecorate %20 SpecId 5\nOpDecorate %21 SpecId 6\n"
                                         "OpDecorate %22 SpecId 7\n";
constexpr const char* kSpecConstants = R"(%20 = OpSpecConstant %3 64
  %21 = OpSpecConstantTrue %2
  %22 = OpSpecConstant %8 -3
  %23 = OpSpecConstant %3 9
  %24 = OpConstant %3 2
  %25 = OpSpecConstantOp %3 IMul %20 %24
  %26 = OpSpecConstantOp %3 Select %21 %20 %24
  %27 = OpSpecConstantOp %3 IAdd %24 %24
  %28 = OpSpecConstantComposite %10 %20 %24 %23
  %19 = OpSpecConstantTrue %2
  %29 = OpSpecConstantOp %3 Select %19 %20 %24
)";

TEST(Constants, SpecializationConstantsHaveTheirDefaults) {
  Subject s(withTypes(kSpecDecorations, kSpecConstants));
  const Constants& c = s.analyses().get<Constants>();
  EXPECT_EQ(value(s, 20), (ConstantValue{64, 32, false, false}));
  EXPECT_EQ(c.literal(Id(20)), std::nullopt);
  EXPECT_EQ(value(s, 22)->asSigned(), -3);
  EXPECT_EQ(value(s, 25), (ConstantValue{128, 32, false, false}));
  for (uint32_t id : {20u, 21u, 22u, 23u, 25u, 26u, 28u})
    EXPECT_TRUE(c.isUnassumedSpec(Id(id))) << id;
  EXPECT_FALSE(c.isUnassumedSpec(Id(24)));
  EXPECT_FALSE(c.isUnassumedSpec(Id(27)));
  EXPECT_EQ(c.literal(Id(27)), 4u); // an operation on literals is literal
}

TEST(Constants, AssumptionsReplaceDefaults) {
  Subject s(withTypes(kSpecDecorations, kSpecConstants),
            {{{5, 10}, {6, 0}, {7, uint64_t(-7)}, {99, 1}}, {}, {}});
  const Constants& c = s.analyses().get<Constants>();
  EXPECT_EQ(value(s, 20), (ConstantValue{10, 32, false, false})); // known, but still not literal
  EXPECT_EQ(value(s, 21), (ConstantValue{0, 1, false, false}));
  EXPECT_EQ(value(s, 22), (ConstantValue{0xFFF9, 16, true, false}));
  EXPECT_EQ(bits(s, 25), 20u);
  EXPECT_EQ(bits(s, 26), 2u);
  EXPECT_FALSE(c.isUnassumedSpec(Id(20)));
  EXPECT_FALSE(c.isUnassumedSpec(Id(26)));
  EXPECT_TRUE(c.isUnassumedSpec(Id(29))); // chosen by one that is not given
  EXPECT_TRUE(c.isUnassumedSpec(Id(23))); // has no SpecId
  EXPECT_EQ(bits(s, 23), 9u);
  EXPECT_TRUE(c.isUnassumedSpec(Id(28)));
  EXPECT_FALSE(c.isUnassumedSpec(Id(28), 0));
  EXPECT_TRUE(c.isUnassumedSpec(Id(28), 2));
}

TEST(Constants, AssumptionsReachThroughDecorationGroups) {
  Subject s(withTypes("OpDecorate %30 SpecId 5\n%30 = OpDecorationGroup\nOpGroupDecorate %30 %20\n",
                      "%20 = OpSpecConstant %3 64\n"),
            {{{5, 10}}, {}, {}});
  EXPECT_EQ(bits(s, 20), 10u);
}

TEST(Constants, LooksIntoComposites) {
  Subject s(withTypes("OpDecorate %20 SpecId 0\n", R"(%20 = OpSpecConstant %3 64
    %21 = OpConstant %3 3
    %22 = OpConstant %9 1
    %23 = OpSpecConstantComposite %10 %20 %21 %21
    %24 = OpTypeStruct %9 %10
    %25 = OpSpecConstantComposite %24 %22 %23
    %26 = OpSpecConstantOp %3 CompositeExtract %23 0
    %27 = OpSpecConstantOp %3 CompositeExtract %25 1 2
    %28 = OpSpecConstantOp %9 CompositeExtract %25 0
    %29 = OpSpecConstantOp %10 IAdd %23 %23
    %30 = OpSpecConstantOp %10 VectorShuffle %23 %29 0 3 5
    %31 = OpSpecConstantOp %10 CompositeInsert %21 %23 0
    %32 = OpConstantNull %24
    %33 = OpSpecConstantOp %3 CompositeExtract %32 1 0
    %34 = OpSpecConstantOp %3 CompositeExtract %25 1 3
    %35 = OpConstantNull %10
    %36 = OpSpecConstantOp %10 VectorShuffle %23 %29 0xFFFFFFFF 6 2
  )"));
  const Constants& c = s.analyses().get<Constants>();
  EXPECT_EQ(value(s, 26), (ConstantValue{64, 32, false, false}));
  EXPECT_EQ(value(s, 27), (ConstantValue{3, 32, false, true}));
  EXPECT_EQ(value(s, 28), std::nullopt); // a float
  EXPECT_EQ(c.component(Id(29), 0)->bits, 128u);
  EXPECT_EQ(c.component(Id(29), 2), std::optional(ConstantValue{6, 32, false, true}));
  EXPECT_EQ(c.component(Id(30), 0)->bits, 64u);
  EXPECT_EQ(c.component(Id(30), 1)->bits, 128u);
  EXPECT_EQ(c.component(Id(30), 2)->bits, 6u);
  EXPECT_EQ(c.component(Id(31), 0)->bits, 3u);
  EXPECT_EQ(c.component(Id(31), 1)->bits, 3u);
  EXPECT_EQ(bits(s, 33), 0u);
  EXPECT_EQ(bits(s, 34), std::nullopt); // out of range
  EXPECT_EQ(c.component(Id(35), 2)->bits, 0u);
  EXPECT_EQ(c.component(Id(35), 3), std::nullopt);
  EXPECT_EQ(c.component(Id(36), 0), std::nullopt); // undefined
  EXPECT_EQ(c.component(Id(36), 1), std::nullopt); // out of range
  EXPECT_EQ(c.component(Id(36), 2)->bits, 3u);
  EXPECT_EQ(c.component(Id(21), 0), std::nullopt); // a scalar has no components
}

TEST(Constants, NotAValueThatIsUndefined) {
  Subject s(withTypes("", R"(%20 = OpSpecConstant %4 -2147483648
    %21 = OpSpecConstant %4 0
    %22 = OpSpecConstant %4 -1
    %23 = OpSpecConstant %4 32
    %30 = OpSpecConstantOp %4 SDiv %20 %21
    %31 = OpSpecConstantOp %4 SDiv %20 %22
    %32 = OpSpecConstantOp %4 SRem %20 %22
    %33 = OpSpecConstantOp %4 SMod %20 %21
    %34 = OpSpecConstantOp %4 UDiv %20 %21
    %35 = OpSpecConstantOp %4 UMod %20 %21
    %36 = OpSpecConstantOp %4 ShiftLeftLogical %20 %23
    %37 = OpSpecConstantOp %4 ShiftRightArithmetic %20 %22
    %38 = OpSpecConstantOp %4 IAdd %30 %22
    %39 = OpSpecConstantOp %2 IEqual %21 %21
    %40 = OpSpecConstantOp %4 Select %39 %22 %30
    %41 = OpSpecConstantOp %4 Select %39 %30 %22
  )"));
  for (uint32_t id : {30u, 31u, 32u, 33u, 34u, 35u, 36u, 37u, 38u, 41u})
    EXPECT_EQ(value(s, id), std::nullopt) << id;
  EXPECT_EQ(value(s, 40)->asSigned(), -1); // what is not selected need not be defined
}

TEST(Constants, FoldsInstructionsOnConstants) {
  Subject s(withTypes("OpDecorate %20 SpecId 0\n", R"(%20 = OpSpecConstant %3 64
    %21 = OpConstant %3 4
    %22 = OpSpecConstantComposite %10 %20 %21 %21
    %30 = OpTypeVoid
    %31 = OpTypeFunction %30 %3
    %40 = OpFunction %30 None %31
    %41 = OpFunctionParameter %3
    %42 = OpLabel
    %43 = OpCompositeExtract %3 %22 0
    %44 = OpUDiv %3 %43 %21
    %45 = OpIAdd %3 %41 %21
    %46 = OpIAdd %3 %21 %21
    %47 = OpULessThan %2 %44 %43
    %48 = OpSelect %3 %47 %46 %41
    OpReturn
    OpFunctionEnd
  )"));
  const Constants& c = s.analyses().get<Constants>();
  auto folded = [&](uint32_t id) { return c.folded(s.module(), Id(id)); };
  EXPECT_EQ(folded(21), std::optional(ConstantValue{4, 32, false, true}));
  EXPECT_EQ(folded(44), std::optional(ConstantValue{16, 32, false, false}));
  EXPECT_EQ(folded(46), std::optional(ConstantValue{8, 32, false, true}));
  EXPECT_EQ(folded(48), std::optional(ConstantValue{8, 32, false, false}));
  EXPECT_EQ(folded(45), std::nullopt); // a parameter
  EXPECT_EQ(value(s, 46), std::nullopt);
}

/// One operation, evaluated here in the way the specification words it.
struct Case {
  const char* name;
  std::function<std::optional<uint64_t>(uint64_t a, uint64_t b, uint32_t width)> run;
  bool isComparison = false;
};

int64_t extend(uint64_t v, uint32_t width) {
  const uint64_t sign = uint64_t(1) << (width - 1);
  return int64_t((v ^ sign) - sign);
}

std::vector<Case> binaryCases() {
  using U = uint64_t;
  using Maybe = std::optional<U>;
  auto S = extend;
  auto overflows = [S](U a, U b, uint32_t w) {
    return S(a, w) == S(U(1) << (w - 1), w) && S(b, w) == -1;
  };
  auto rem = [S](U a, U b, uint32_t w) { // by magnitudes, so that no sign rule of C++ is relied on
    const bool negative = S(a, w) < 0;
    const U x = negative ? 0 - U(S(a, w)) : U(S(a, w)),
            y = S(b, w) < 0 ? 0 - U(S(b, w)) : U(S(b, w));
    return negative ? 0 - x % y : x % y;
  };
  return {
      {"IAdd", [](U a, U b, uint32_t) -> Maybe { return a + b; }},
      {"ISub", [](U a, U b, uint32_t) -> Maybe { return a - b; }},
      {"IMul", [](U a, U b, uint32_t) -> Maybe { return a * b; }},
      {"UDiv", [](U a, U b, uint32_t) { return b ? Maybe(a / b) : Maybe(); }},
      {"UMod", [](U a, U b, uint32_t) { return b ? Maybe(a - a / b * b) : Maybe(); }},
      {"SDiv",
       [=](U a, U b, uint32_t w) {
         return b && !overflows(a, b, w) ? Maybe(U(S(a, w) / S(b, w))) : Maybe();
       }},
      {"SRem", // the sign of the first operand
       [=](U a, U b, uint32_t w) {
         return b && !overflows(a, b, w) ? Maybe(rem(a, b, w)) : Maybe();
       }},
      {"SMod", // the sign of the second operand
       [=](U a, U b, uint32_t w) {
         if (!b || overflows(a, b, w)) return Maybe();
         const U r = rem(a, b, w);
         return Maybe(r != 0 && (int64_t(r) < 0) != (S(b, w) < 0) ? r + U(S(b, w)) : r);
       }},
      {"ShiftLeftLogical", [](U a, U b, uint32_t w) { return b < w ? Maybe(a << b) : Maybe(); }},
      {"ShiftRightLogical", [](U a, U b, uint32_t w) { return b < w ? Maybe(a >> b) : Maybe(); }},
      {"ShiftRightArithmetic",
       [=](U a, U b, uint32_t w) { return b < w ? Maybe(U(S(a, w) >> b)) : Maybe(); }},
      {"BitwiseAnd", [](U a, U b, uint32_t) -> Maybe { return a & b; }},
      {"BitwiseOr", [](U a, U b, uint32_t) -> Maybe { return a | b; }},
      {"BitwiseXor", [](U a, U b, uint32_t) -> Maybe { return a ^ b; }},
      {"IEqual", [](U a, U b, uint32_t) -> Maybe { return a == b; }, true},
      {"INotEqual", [](U a, U b, uint32_t) -> Maybe { return a != b; }, true},
      {"ULessThan", [](U a, U b, uint32_t) -> Maybe { return a < b; }, true},
      {"ULessThanEqual", [](U a, U b, uint32_t) -> Maybe { return a <= b; }, true},
      {"UGreaterThan", [](U a, U b, uint32_t) -> Maybe { return a > b; }, true},
      {"UGreaterThanEqual", [](U a, U b, uint32_t) -> Maybe { return a >= b; }, true},
      {"SLessThan", [=](U a, U b, uint32_t w) -> Maybe { return S(a, w) < S(b, w); }, true},
      {"SLessThanEqual", [=](U a, U b, uint32_t w) -> Maybe { return S(a, w) <= S(b, w); }, true},
      {"SGreaterThan", [=](U a, U b, uint32_t w) -> Maybe { return S(a, w) > S(b, w); }, true},
      {"SGreaterThanEqual", [=](U a, U b, uint32_t w) -> Maybe { return S(a, w) >= S(b, w); },
       true},
  };
}

uint64_t mask(uint64_t v, uint32_t width) {
  return width == 64 ? v : v & ((uint64_t(1) << width) - 1);
}

TEST(Constants, EvaluatesOperationsOfEveryWidth) {
  std::mt19937_64 random(2);
  const std::vector<Case> cases = binaryCases();
  struct Expected {
    uint32_t id;
    std::optional<uint64_t> bits;
    std::string what;
  };
  std::vector<Expected> expected;
  std::string text;
  uint32_t next = 100;
  auto pick = [&](uint32_t width) {
    const uint64_t corners[] = {0,
                                1,
                                2,
                                31,
                                uint64_t(-1),
                                uint64_t(-2),
                                uint64_t(1) << (width - 1),
                                (uint64_t(1) << (width - 1)) - 1};
    return mask(random() % 2   ? corners[random() % 8]
                : random() % 3 ? random() % 100
                               : random(),
                width);
  };
  struct Width {
    uint32_t type, width;
  };
  for (int round = 0; round < 40; ++round)
    for (const Width w : {Width{7, 16}, Width{3, 32}, Width{5, 64}}) {
      const uint64_t a = pick(w.width), b = pick(w.width);
      const std::string type = "%" + std::to_string(w.type);
      const std::string x = "%" + std::to_string(next++), y = "%" + std::to_string(next++);
      text += x + " = OpSpecConstant " + type + " " + std::to_string(a) + "\n";
      text += y + " = OpSpecConstant " + type + " " + std::to_string(b) + "\n";
      for (const Case& c : cases) {
        auto want = c.run(a, b, w.width);
        if (want) want = mask(*want, w.width);
        expected.push_back({next, want,
                            std::string(c.name) + " " + std::to_string(a) + " " +
                                std::to_string(b) + " of " + std::to_string(w.width)});
        text += "%" + std::to_string(next++) + " = OpSpecConstantOp " +
                (c.isComparison ? "%2" : type) + " " + c.name + " " + x + " " + y + "\n";
      }
      auto unary = [&](const char* name, uint32_t toType, uint32_t toWidth, uint64_t want) {
        expected.push_back({next, mask(want, toWidth),
                            name + (" " + std::to_string(a)) + " to " + std::to_string(toWidth)});
        text += "%" + std::to_string(next++) + " = OpSpecConstantOp %" + std::to_string(toType) +
                " " + name + " " + x + "\n";
      };
      unary("SNegate", w.type, w.width, 0 - a);
      unary("Not", w.type, w.width, ~a);
      for (const Width to : {Width{7, 16}, Width{4, 32}, Width{6, 64}}) {
        unary("UConvert", to.type, to.width, a);
        unary("SConvert", to.type, to.width, uint64_t(extend(a, w.width)));
      }
    }
  Subject s(withTypes("", text));
  for (const Expected& e : expected) {
    EXPECT_EQ(bits(s, e.id), e.bits) << e.what;
    if (e.bits) {
      EXPECT_FALSE(value(s, e.id)->isLiteral);
    }
  }
}

TEST(Constants, EvaluatesBooleans) {
  std::string text = "%20 = OpSpecConstantFalse %2\n%21 = OpSpecConstantTrue %2\n";
  uint32_t next = 30;
  for (const char* name : {"LogicalAnd", "LogicalOr", "LogicalEqual", "LogicalNotEqual"})
    for (uint32_t a : {20u, 21u})
      for (uint32_t b : {20u, 21u})
        text += "%" + std::to_string(next++) + " = OpSpecConstantOp %2 " + name + " %" +
                std::to_string(a) + " %" + std::to_string(b) + "\n";
  text += "%46 = OpSpecConstantOp %2 LogicalNot %20\n%47 = OpSpecConstantOp %2 LogicalNot %21\n";
  Subject s(withTypes("", text));
  const std::vector<uint64_t> expected{0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0};
  for (uint32_t n = 0; n < expected.size(); ++n) EXPECT_EQ(bits(s, 30 + n), expected[n]) << 30 + n;
}

} // namespace
} // namespace lanewise
