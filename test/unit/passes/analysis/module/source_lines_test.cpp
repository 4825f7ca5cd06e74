#include "analysis/module/source_lines.h"
#include "subject.h"

namespace lanewise {
namespace {

using test::Subject;

SourceLocation at(Subject& s, InstRef i) {
  return s.analyses().get<SourceLines>().at(s.module(), i);
}
uint32_t line(Subject& s, uint32_t id) {
  return at(s, s.def(id)).line;
}

std::string withStrings(std::string_view body) {
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
         "%80 = OpString \"a.comp\"\n%81 = OpString \"b.h\"\n"
         "%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpTypeBool\n%4 = OpConstantTrue %3\n"
         "%5 = OpTypeInt 32 0\n%6 = OpConstant %5 0\n" +
         std::string(body);
}

TEST(SourceLines, HoldsToTheNextLine) {
  Subject s(withStrings(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    %101 = OpIAdd %5 %6 %6
    OpLine %80 12 3
    %102 = OpIAdd %5 %6 %6
    %103 = OpIAdd %5 %6 %6
    OpLine %81 4 0
    %104 = OpIAdd %5 %6 %6
    OpReturn
    OpFunctionEnd
  )"));
  EXPECT_EQ(line(s, 101), 0u);
  EXPECT_EQ(at(s, s.def(102)), (SourceLocation{"a.comp", 12, 3}));
  EXPECT_EQ(at(s, s.def(103)), (SourceLocation{"a.comp", 12, 3}));
  EXPECT_EQ(at(s, s.def(104)), (SourceLocation{"b.h", 4, 0}));
  EXPECT_EQ(at(s, s.module().terminator(s.block(100))).line, 4u);
}

TEST(SourceLines, NotBehindTheEndOfTheBlockNorNoLine) {
  Subject s(withStrings(R"(%50 = OpFunction %1 None %2
    %100 = OpLabel
    OpLine %80 7 0
    OpBranch %110
    %110 = OpLabel
    %111 = OpIAdd %5 %6 %6
    OpLine %80 8 0
    %112 = OpIAdd %5 %6 %6
    OpNoLine
    %113 = OpIAdd %5 %6 %6
    OpLine %80 9 0
    OpReturn
    OpFunctionEnd
    %51 = OpFunction %1 None %2
    %120 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  EXPECT_EQ(at(s, s.module().terminator(s.block(100))).line, 7u);
  EXPECT_EQ(line(s, 110), 0u);
  EXPECT_EQ(line(s, 111), 0u);
  EXPECT_EQ(line(s, 112), 8u);
  EXPECT_EQ(line(s, 113), 0u);
  EXPECT_EQ(line(s, 51), 0u);
  EXPECT_EQ(line(s, 120), 0u);
}

TEST(SourceLines, HoldsForDeclarationsAndLabels) {
  Subject s(withStrings(R"(OpLine %80 2 0
    %10 = OpTypePointer Private %5
    %11 = OpVariable %10 Private
    OpNoLine
    %12 = OpVariable %10 Private
    %50 = OpFunction %1 None %2
    OpLine %80 3 0
    %100 = OpLabel
    OpReturn
    OpFunctionEnd
  )"));
  EXPECT_EQ(line(s, 11), 2u);
  EXPECT_EQ(line(s, 12), 0u);
  EXPECT_EQ(line(s, 50), 0u);
  EXPECT_EQ(line(s, 100), 3u);
}

constexpr const char* kDebugInfo = R"(OpCapability Shader
  OpCapability Linkage
  OpExtension "SPV_KHR_non_semantic_info"
  %90 = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
  %91 = OpExtInstImport "GLSL.std.450"
  OpMemoryModel Logical GLSL450
  %80 = OpString "a.comp"
  %1 = OpTypeVoid
  %2 = OpTypeFunction %1
  %5 = OpTypeInt 32 0
  %6 = OpConstant %5 0
  %7 = OpConstant %5 42
  %8 = OpConstant %5 43
  %9 = OpConstant %5 5
  %13 = OpTypeFloat 32
  %14 = OpConstant %13 1
  %92 = OpExtInst %1 %90 DebugSource %80
  %50 = OpFunction %1 None %2
  %100 = OpLabel
  %101 = OpIAdd %5 %6 %6
  %102 = OpExtInst %1 %90 DebugLine %92 %7 %8 %9 %9
  %103 = OpIAdd %5 %6 %6
  %104 = OpExtInst %13 %91 Sqrt %14
  %105 = OpExtInst %1 %90 DebugNoLine
  %106 = OpIAdd %5 %6 %6
  %107 = OpExtInst %1 %90 DebugLine %92 %8 %8 %6 %6
  OpBranch %110
  %110 = OpLabel
  %111 = OpIAdd %5 %6 %6
  OpReturn
  OpFunctionEnd
)";

TEST(SourceLines, ReadsDebugLine) {
  Subject s(kDebugInfo);
  EXPECT_TRUE(test::validate(s.module().words()));
  EXPECT_EQ(line(s, 101), 0u);
  EXPECT_EQ(at(s, s.def(103)), (SourceLocation{"a.comp", 42, 5}));
  EXPECT_EQ(line(s, 104), 42u); // another set's instructions are none of ours
  EXPECT_EQ(line(s, 106), 0u);
  EXPECT_EQ(at(s, s.module().terminator(s.block(100))).line, 43u);
  EXPECT_EQ(line(s, 111), 0u);
}

TEST(SourceLines, NoneWithoutLines) {
  Subject s(
      test::flowModule("%50 = OpFunction %1 None %2\n%100 = OpLabel\nOpReturn\nOpFunctionEnd\n"));
  for (InstRef i : s.module().insts()) EXPECT_EQ(at(s, i), SourceLocation());
}

} // namespace
} // namespace lanewise
