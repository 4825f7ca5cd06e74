#include "analysis/module/def_use.h"
#include "subject.h"

namespace lanewise {
namespace {

using test::Subject;

std::vector<Use> usesOf(Subject& s, uint32_t id) {
  const auto uses = s.analyses().get<DefUse>().uses(Id(id));
  return {uses.begin(), uses.end()};
}

TEST(DefUse, ListsEveryOperandInModuleOrder) {
  Subject s(test::shaderModule("", R"(%100 = OpLabel
    %101 = OpIAdd %5 %7 %7
    %102 = OpIMul %5 %101 %7
    OpReturn
  )"));
  const InstRef add = s.def(101), mul = s.def(102);
  EXPECT_EQ(usesOf(s, 7), (std::vector<Use>{{add, 3}, {add, 4}, {mul, 4}}));
  EXPECT_EQ(usesOf(s, 101), (std::vector<Use>{{mul, 3}}));
  EXPECT_TRUE(usesOf(s, 102).empty());
}

TEST(DefUse, CountsTypesNamesAndDecorations) {
  Subject s(R"(OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpName %9 "buffer"
    OpDecorate %9 Block
    OpMemberDecorate %9 0 Offset 9
    %8 = OpTypeInt 32 0
    %9 = OpTypeStruct %8
    %10 = OpTypePointer Uniform %9
  )");
  ASSERT_EQ(usesOf(s, 9).size(), 4u);
  EXPECT_EQ(usesOf(s, 9).back(), (Use{s.def(10), 3}));
  EXPECT_EQ(usesOf(s, 8), (std::vector<Use>{{s.def(9), 2}}));
}

TEST(DefUse, NotLiteralsThatLookLikeIds) {
  // Words that equal an id but are literals: a switch case of 64 bits, a constant, an index.
  Subject s(test::flowModule(R"(%8 = OpTypeInt 64 0
    %9 = OpConstant %8 12
    %12 = OpConstant %5 12
    %50 = OpFunction %1 None %2
    %100 = OpLabel
    OpSwitch %9 %101 12 %101 0xC0000000C %102
    %101 = OpLabel
    OpReturn
    %102 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  EXPECT_TRUE(usesOf(s, 12).empty());
  EXPECT_EQ(usesOf(s, 101).size(), 2u);
  EXPECT_EQ(usesOf(s, 102).size(), 1u);
}

TEST(DefUse, AnUnknownInstructionMayUseAnything) {
  // An opcode that no specification has: each word may be an id; those beyond the bound cannot be.
  auto words = test::assemble(
      test::flowModule("%50 = OpFunction %1 None %2\n%100 = OpLabel\nOpReturn\nOpFunctionEnd\n"));
  const size_t terminator = words.size() - 2;
  const std::vector<uint32_t> unknown{4u << 16 | 0xFFF0, 7, 0, 0x7FFFFFFF};
  words.insert(words.begin() + ptrdiff_t(terminator), unknown.begin(), unknown.end());
  const auto module = Module::read(std::move(words));
  ASSERT_TRUE(module);
  ASSERT_TRUE(module->hasUnknown());
  const DefUse uses(*module);
  ASSERT_EQ(uses.uses(Id(7)).size(), 1u);
  EXPECT_EQ(uses.uses(Id(7))[0].word, 1u);
  EXPECT_TRUE(uses.uses(Id()).empty());
}

TEST(DefUse, NotBeyondTheIdsItKnew) {
  Subject s(test::flowModule(""));
  EXPECT_TRUE(usesOf(s, s.module().idBound()).empty());
  EXPECT_TRUE(usesOf(s, UINT32_MAX).empty());
}

} // namespace
} // namespace lanewise
