// Who wrote the elements that differ: the scalar that differs, through headers, structs, vectors,
// atomics and texels; nobody; two instructions.
#include "interpreted.h"
#include "verify/verify.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

class Writers : public testing::Test {
protected:
  // One buffer `out` of zeros at binding 0, 4 workgroups. Gives what differs in it.
  BufferDifference differenceOf(const std::string& original, const std::string& other) {
    Scenario scenario;
    scenario.path = "s.toml";
    scenario.shaders.resize(1);
    scenario.shaders[0].name = "main";
    scenario.buffers.push_back(buffer_);
    ScenarioDispatch dispatch;
    dispatch.shader = "main";
    dispatch.groups = {4, 1, 1};
    dispatch.bindings.push_back({0, 0, "out"});
    scenario.dispatches.push_back(dispatch);
    VerifyOptions options;
    options.device = "interpreter";
    options.timing = false;
    auto verifier = Verifier::create(options);
    if (!verifier) return ADD_FAILURE() << verifier.error().message, BufferDifference();
    const ShaderPair pair{"main", test::compileGlsl(original), test::compileGlsl(other)};
    Result<VerifyReport> report = (*verifier)->verify(scenario, {&pair, 1});
    if (!report) return ADD_FAILURE() << report.error().str(), BufferDifference();
    EXPECT_EQ(report->state, VerifyState::Differs) << report->reason;
    if (report->differences.size() != 1)
      return ADD_FAILURE() << "no difference", BufferDifference();
    return report->differences[0];
  }

  static std::string shader(const std::string& declarations, const std::string& body) {
    return "#version 450\nlayout(local_size_x = 64) in;\n" + declarations +
           "\nvoid main() {\nuint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;\n" +
           body + "\n}\n"; // the body begins on line 6
  }

  void SetUp() override {
    buffer_.name = "out";
    buffer_.elements = {ScalarType::U32};
    buffer_.count = 256;
    buffer_.fill = FillConstant{0};
  }

  ScenarioBuffer buffer_;
};

constexpr const char* kWords = "layout(binding = 0) buffer Out { uint y[]; };";

TEST_F(Writers, NamesLineAndInvocation) {
  const BufferDifference d = differenceOf(shader(kWords, "y[255 - i] = i;"),
                                          shader(kWords, "\ny[255 - i] = i + uint(i == 100);"));
  ASSERT_TRUE(d.originalWriters && d.originalWriters->first);
  ASSERT_TRUE(d.transformedWriters && d.transformedWriters->first);
  const ElementWriter& before = *d.originalWriters->first;
  EXPECT_EQ(before.source.line, 6u);
  EXPECT_EQ(before.opcode, "OpStore");
  EXPECT_EQ(before.shader, "main");
  EXPECT_EQ(before.workgroup, 1u);
  EXPECT_EQ(before.invocation, 36u);
  EXPECT_EQ(before.elements, 1u);
  EXPECT_EQ(d.transformedWriters->first->source.line, 7u);
  EXPECT_EQ(d.pattern, "");
  EXPECT_TRUE(d.listed.empty());
}

TEST_F(Writers, TellsTheScalarOfAStructBehindAHeader) {
  buffer_.header.push_back({ScalarType::U32, {}});
  buffer_.header.push_back({ScalarType::U32, {}});
  buffer_.elements = {ScalarType::U32, ScalarType::U32};
  const char* block = "struct P { uint a; uint b; };\n"
                      "layout(binding = 0) buffer Out { uint n; uint m; P y[]; };";
  // Only `b` differs: the store to `a` of the same element is not the one.
  const BufferDifference d = differenceOf(shader(block, "y[i].b = 1;\ny[i].a = 2;"),
                                          shader(block, "y[i].b = 1 + uint(l == 7);\ny[i].a = 2;"));
  ASSERT_TRUE(d.originalWriters && d.originalWriters->first);
  EXPECT_EQ(d.firstIndex, 7u);
  EXPECT_EQ(d.originalWriters->first->source.line, 7u); // a line more of declarations
  EXPECT_EQ(d.originalWriters->first->invocation, 7u);
  EXPECT_TRUE(d.originalWriters->others.empty());
  EXPECT_EQ(d.pattern, "only invocation 7 of each workgroup");
}

TEST_F(Writers, TellsTheLastOfSeveralAndTheOthers) {
  const BufferDifference d =
      differenceOf(shader(kWords, "y[i] = 1;\nif (l > 32) y[i] = 2;"),
                   shader(kWords, "y[i] = l < 16 ? 1 : 5;\nif (l > 32) y[i] = 6;"));
  ASSERT_TRUE(d.originalWriters && d.originalWriters->first);
  EXPECT_EQ(d.firstIndex, 16u);
  EXPECT_EQ(d.originalWriters->first->source.line, 6u);
  EXPECT_EQ(d.originalWriters->first->elements, 4u * 17);
  ASSERT_EQ(d.originalWriters->others.size(), 1u);
  EXPECT_EQ(d.originalWriters->others[0].source.line, 7u);
  EXPECT_EQ(d.originalWriters->others[0].elements, 4u * 31);
}

TEST_F(Writers, TellsThatNobodyWroteIt) {
  buffer_.fill = FillPoison{};
  const BufferDifference d =
      differenceOf(shader(kWords, "y[i] = i;"), shader(kWords, "if (i < 200) y[i] = i;"));
  ASSERT_TRUE(d.originalWriters && d.originalWriters->first);
  ASSERT_TRUE(d.transformedWriters);
  EXPECT_FALSE(d.transformedWriters->first);
  EXPECT_TRUE(d.transformedWriters->others.empty());
  EXPECT_EQ(d.values, "only elements that the transformed module never writes");
  EXPECT_EQ(d.pattern, "elements 200-255: only the last workgroup");
}

TEST_F(Writers, SeesAtomics) {
  const BufferDifference d = differenceOf(shader(kWords, "atomicAdd(y[i], 3);"),
                                          shader(kWords, "atomicAdd(y[i], 3 + i / 192);"));
  ASSERT_TRUE(d.originalWriters && d.originalWriters->first);
  EXPECT_EQ(d.originalWriters->first->opcode, "OpAtomicIAdd");
  EXPECT_EQ(d.pattern, "elements 192-255: only the last workgroup");
}

TEST_F(Writers, SeesTexels) {
  ImageShape shape;
  shape.format = ImageFormat::R32ui;
  shape.width = 16, shape.height = 16;
  buffer_.setImage(shape);
  buffer_.fill = FillConstant{0};
  const char* image = "layout(binding = 0, r32ui) uniform uimage2D y;";
  const BufferDifference d = differenceOf(
      shader(image, "imageStore(y, ivec2(i % 16, i / 16), uvec4(i));"),
      shader(image, "imageStore(y, ivec2(i % 16, i / 16), uvec4(i + uint(l % 16 == 15)));"));
  ASSERT_TRUE(d.originalWriters && d.originalWriters->first);
  EXPECT_EQ(d.originalWriters->first->opcode, "OpImageWrite");
  EXPECT_EQ(d.originalWriters->first->invocation, 15u);
  EXPECT_EQ(d.pattern, "every 16th invocation from 15 of each workgroup");
}

TEST_F(Writers, FindsElementsFarApart) {
  buffer_.count = 1 << 16;
  const BufferDifference d =
      differenceOf(shader(kWords, "y[i * 200] = 1;"),
                   shader(kWords, "y[i * 200] = 1 + uint(i == 100 || i == 101);"));
  ASSERT_TRUE(d.originalWriters && d.originalWriters->first);
  EXPECT_EQ(d.firstIndex, 20000u);
  EXPECT_EQ(d.originalWriters->first->invocation, 36u);
  EXPECT_EQ(d.originalWriters->first->elements, 2u);
}

TEST_F(Writers, LeavesAMultisetAlone) {
  buffer_.compare = CompareMultiset{};
  const BufferDifference d =
      differenceOf(shader(kWords, "y[i] = i;"), shader(kWords, "y[i] = i + uint(i > 200);"));
  EXPECT_FALSE(d.originalWriters);
  EXPECT_EQ(d.pattern, "");
}

} // namespace
} // namespace lanewise::driver
