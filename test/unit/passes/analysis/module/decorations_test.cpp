#include "analysis/module/decorations.h"
#include "subject.h"

namespace lanewise {
namespace {

using test::Subject;

constexpr const char* kHead = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n";

TEST(Decorations, OfIdsAndMembersInOrder) {
  Subject s(std::string(kHead) + R"(OpName %10 "Params"
    OpName %10 "again"
    OpName %12 ""
    OpMemberDecorate %10 2 Offset 16
    OpMemberDecorate %10 0 Offset 0
    OpMemberDecorate %10 0 NonWritable
    OpDecorate %12 DescriptorSet 3
    OpDecorate %10 Block
    OpDecorate %12 Binding 7
    %9 = OpTypeFloat 32
    %10 = OpTypeStruct %9 %9 %9
    %11 = OpTypePointer Uniform %10
    %12 = OpVariable %11 Uniform
  )");
  const Decorations& d = s.analyses().get<Decorations>();
  const Module& m = s.module();
  const auto all = d.of(Id(10));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].decoration, spv::Decoration::Block);
  EXPECT_EQ(all[1].decoration, spv::Decoration::Offset); // of member 0, in module order
  EXPECT_EQ(all[2].decoration, spv::Decoration::NonWritable);
  EXPECT_EQ(all[3].member, 2u);
  EXPECT_EQ(d.operand(m, Id(10), spv::Decoration::Offset, 2), 16u);
  EXPECT_EQ(d.operand(m, Id(12), spv::Decoration::Binding), 7u);
  EXPECT_EQ(d.operand(m, Id(12), spv::Decoration::DescriptorSet), 3u);
  EXPECT_TRUE(d.has(Id(10), spv::Decoration::Block));
  EXPECT_TRUE(d.hasMember(Id(10), 0, spv::Decoration::NonWritable));
  EXPECT_EQ(d.name(m, Id(10)), "Params");
  EXPECT_EQ(d.name(m, Id(12)), "");
}

TEST(Decorations, NotOfOtherIdsOrMembers) {
  Subject s(std::string(kHead) + R"(OpMemberDecorate %10 0 Offset 0
    OpMemberDecorate %10 1 NonWritable
    %9 = OpTypeFloat 32
    %10 = OpTypeStruct %9 %9
  )");
  const Decorations& d = s.analyses().get<Decorations>();
  const Module& m = s.module();
  EXPECT_FALSE(d.has(Id(10), spv::Decoration::NonWritable)); // a member's is not the struct's
  EXPECT_FALSE(d.hasMember(Id(10), 0, spv::Decoration::NonWritable));
  EXPECT_FALSE(d.operand(m, Id(10), spv::Decoration::Offset).has_value());
  EXPECT_FALSE(d.operand(m, Id(10), spv::Decoration::Offset, 1).has_value());
  EXPECT_FALSE(d.operand(m, Id(10), spv::Decoration::NonWritable, 1).has_value()); // has no operand
  EXPECT_TRUE(d.of(Id(9)).empty());
  EXPECT_TRUE(d.of(Id(UINT32_MAX)).empty());
  EXPECT_FALSE(d.builtIn(m, Id(10)).has_value());
  EXPECT_EQ(d.name(m, Id(9)), "");
  EXPECT_EQ(d.name(m, Id(UINT32_MAX)), "");
}

TEST(Decorations, ExpandsGroups) {
  Subject s(std::string(kHead) + R"(OpDecorate %20 NonWritable
    OpDecorate %20 Offset 8
    OpDecorate %21 Restrict
    %20 = OpDecorationGroup
    %21 = OpDecorationGroup
    %22 = OpDecorationGroup
    OpGroupMemberDecorate %20 %10 1 %11 0
    OpGroupDecorate %21 %12 %13
    OpGroupDecorate %22 %13
    OpMemberDecorate %10 0 Offset 0
    %9 = OpTypeFloat 32
    %10 = OpTypeStruct %9 %9
    %11 = OpTypeStruct %9
    %14 = OpTypePointer Uniform %10
    %12 = OpVariable %14 Uniform
    %13 = OpVariable %14 Uniform
  )");
  const Decorations& d = s.analyses().get<Decorations>();
  EXPECT_EQ(d.operand(s.module(), Id(10), spv::Decoration::Offset, 1), 8u);
  EXPECT_EQ(d.operand(s.module(), Id(10), spv::Decoration::Offset, 0), 0u);
  EXPECT_TRUE(d.hasMember(Id(11), 0, spv::Decoration::NonWritable));
  EXPECT_TRUE(d.has(Id(12), spv::Decoration::Restrict));
  EXPECT_EQ(d.of(Id(13)).size(), 1u); // the empty group adds nothing
  EXPECT_FALSE(d.has(Id(12), spv::Decoration::NonWritable));
  EXPECT_FALSE(d.hasMember(Id(10), 0, spv::Decoration::NonWritable));
}

TEST(Decorations, ReadsIdAndStringDecorations) {
  Subject s(std::string(kHead) + R"(OpDecorateString %12 UserSemantic "SV_Position"
    OpMemberDecorateString %10 0 UserSemantic "COLOR"
    OpDecorate %12 BuiltIn LocalInvocationId
    OpDecorateId %12 UniformId %8
    %7 = OpTypeInt 32 0
    %8 = OpConstant %7 2
    %9 = OpTypeFloat 32
    %10 = OpTypeStruct %9
    %11 = OpTypePointer Input %10
    %12 = OpVariable %11 Input
  )");
  const Decorations& d = s.analyses().get<Decorations>();
  EXPECT_TRUE(d.has(Id(12), spv::Decoration::UserSemantic));
  EXPECT_TRUE(d.hasMember(Id(10), 0, spv::Decoration::UserSemantic));
  EXPECT_EQ(d.operand(s.module(), Id(12), spv::Decoration::UniformId), 8u);
  EXPECT_EQ(d.builtIn(s.module(), Id(12)), spv::BuiltIn::LocalInvocationId);
}

} // namespace
} // namespace lanewise
