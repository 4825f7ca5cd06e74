#include "assemble.h"
#include "verify/formats/scalars.h"
#include "verify/inputs/synthesize.h"
#include "verify/program/rebind.h"
#include "verify/program/reflect.h"
#include "verify/verify.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

// A shader that touches everything it declares, so that all of it counts as used. `types` and
// `uses` may name %uint, %float, %u0, %v3uint; the interface is whatever `interface` lists.
Words module(const std::string& decorations, const std::string& types, const std::string& uses,
             const std::string& interface, const std::string& mode = "LocalSize 8 4 1") {
  return test::assemble("OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                        "OpEntryPoint GLCompute %main \"work\" " +
                        interface + "\nOpExecutionMode %main " + mode + "\n" + decorations + R"(
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v3uint = OpTypeVector %uint 3
%v3float = OpTypeVector %float 3
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u5 = OpConstant %uint 5
)" + types + R"(
%main = OpFunction %void None %fn
%entry = OpLabel
)" + uses + "\nOpReturn\nOpFunctionEnd\n");
}

// struct { uint n; struct { vec3 at; float mass; } items[]; } readonly, at 1.2; push { uint, float
// at 8 }.
Words particles() {
  return module(R"(
OpName %Particles "Particles"
OpName %data "data"
OpMemberDecorate %item 0 Offset 0
OpMemberDecorate %item 1 Offset 12
OpDecorate %items ArrayStride 16
OpDecorate %Particles Block
OpMemberDecorate %Particles 0 Offset 0
OpMemberDecorate %Particles 0 NonWritable
OpMemberDecorate %Particles 1 Offset 16
OpMemberDecorate %Particles 1 NonWritable
OpDecorate %data DescriptorSet 1
OpDecorate %data Binding 2
OpDecorate %Push Block
OpMemberDecorate %Push 0 Offset 0
OpMemberDecorate %Push 1 Offset 8)",
                R"(
%item = OpTypeStruct %v3float %float
%items = OpTypeRuntimeArray %item
%Particles = OpTypeStruct %uint %items
%ptr = OpTypePointer StorageBuffer %Particles
%ptr_uint = OpTypePointer StorageBuffer %uint
%data = OpVariable %ptr StorageBuffer
%Push = OpTypeStruct %uint %float
%push_ptr = OpTypePointer PushConstant %Push
%push_uint = OpTypePointer PushConstant %uint
%push = OpVariable %push_ptr PushConstant)",
                R"(
%a = OpAccessChain %ptr_uint %data %u0
%n = OpLoad %uint %a
%b = OpAccessChain %push_uint %push %u0
%m = OpLoad %uint %b)",
                "%data %push");
}

Result<Scenario> synthesize(const Words& words, std::vector<std::string>& notes,
                            const Assumptions& assumptions = {}) {
  ShaderPair pair{"main", words, words};
  return synthesizeScenario({&pair, 1}, assumptions, 1, notes);
}

TEST(Reflect, SeesBindingsAndLayout) {
  Result<Reflection> reflection = reflect(particles(), "work", {});
  ASSERT_TRUE(reflection) << reflection.error().str();
  EXPECT_EQ(reflection->workgroupSize, (std::array<uint32_t, 3>{8, 4, 1}));
  ASSERT_EQ(reflection->bindings.size(), 1u);
  const ReflectedBinding& binding = reflection->bindings[0];
  EXPECT_EQ(binding.set, 1u);
  EXPECT_EQ(binding.binding, 2u);
  EXPECT_EQ(binding.name, "data");
  EXPECT_EQ(binding.kind, ReflectedBinding::Kind::StorageBuffer);
  EXPECT_TRUE(binding.isReadOnly);
  EXPECT_FALSE(binding.isWriteOnly);
  EXPECT_EQ(binding.block.header.size(), 1u);
  EXPECT_EQ(binding.block.arrayOffset, 16u);
  EXPECT_EQ(binding.block.arrayStride, 16u);
  EXPECT_EQ(binding.block.arrayLength, 0u);
  ASSERT_EQ(binding.block.element.size(), 4u);
  EXPECT_EQ(binding.block.element[3].offset, 12u);
  EXPECT_EQ(reflection->pushConstantBytes, 12u);
}

TEST(Reflect, NamesTheEntryPointsWhenOneIsMissing) {
  Result<Reflection> reflection = reflect(particles(), "main", {});
  ASSERT_FALSE(reflection);
  EXPECT_EQ(reflection.error().message,
            "the module has no compute entry point `main`; it has `work`");
  EXPECT_FALSE(reflect(Words{1, 2, 3}, "main", {}));
}

TEST(Reflect, SpecializationConstantsDecideSizes) {
  const char* decorations = R"(
OpDecorate %x SpecId 3
OpDecorate %size BuiltIn WorkgroupSize
OpDecorate %n SpecId 4)";
  const char* types = R"(
%x = OpSpecConstant %uint 2
%size = OpSpecConstantComposite %v3uint %x %u1 %u1
%n = OpSpecConstant %uint 16
%tile = OpTypeArray %float %n
%tile_ptr = OpTypePointer Workgroup %tile
%float_ptr = OpTypePointer Workgroup %float
%shared = OpVariable %tile_ptr Workgroup)";
  Words words =
      module(decorations, types, "%a = OpAccessChain %float_ptr %shared %u0\n%v = OpLoad %float %a",
             "%shared", "LocalSize 1 1 1");
  Result<Reflection> plain = reflect(words, "work", {});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->workgroupSize[0], 2u);
  EXPECT_EQ(plain->workgroupSpecIds[0], 3u);
  EXPECT_FALSE(plain->workgroupSpecIds[1]);
  EXPECT_EQ(plain->sharedBytes, 64u);
  EXPECT_EQ(plain->specConstants.at(4).defaultBits, 16u);
  Result<Reflection> given = reflect(words, "work", {{3, 32}, {4, 100}});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->workgroupSize[0], 32u);
  EXPECT_EQ(given->sharedBytes, 400u);
}

TEST(Synthesize, FitsTheDeclaredLayout) {
  std::vector<std::string> notes;
  Result<Scenario> scenario = synthesize(particles(), notes);
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_TRUE(scenario->path.empty());
  EXPECT_EQ(scenario->shaders[0].name, "main");
  EXPECT_EQ(scenario->shaders[0].entry, "work");
  const ScenarioBuffer& buffer = scenario->buffers[0];
  EXPECT_EQ(buffer.headerBytes(), 16u); // n and 12 bytes of padding
  EXPECT_EQ(buffer.elementBytes(), 16u);
  EXPECT_GE(buffer.count, 65536u);
  const ScenarioDispatch& dispatch = scenario->dispatches[0];
  EXPECT_EQ(dispatch.groups, (std::array<uint32_t, 3>{4, 1, 1})); // it asks for none
  ASSERT_EQ(dispatch.bindings.size(), 1u);
  EXPECT_EQ(dispatch.bindings[0].set, 1u);
  ASSERT_EQ(dispatch.pushConstants.size(), 12u);
  // 4 groups of 8, and a little less for the second integer: one taken for the other then shows.
  EXPECT_EQ(decodeScalar(ScalarType::U32, buffer.header[0].bytes.data()), 32);
  EXPECT_EQ(decodeScalar(ScalarType::U32, dispatch.pushConstants.data()), 31);
  ASSERT_EQ(notes.size(), 2u); // what was generated, and that it writes nothing
  EXPECT_NE(notes[1].find("wrote nothing"), std::string::npos) << notes[1];
}

// Workgroups that differ in nothing that the shader asks for would race.
TEST(Synthesize, GivesWorkgroupsWhereTheyAreAskedFor) {
  using Groups = std::array<uint32_t, 3>;
  for (const auto& [uses, groups] : std::initializer_list<std::pair<std::string, Groups>>{
           {"%v = OpLoad %v3uint %id\n%x = OpCompositeExtract %uint %v 0", {4, 1, 1}},
           {"%v = OpLoad %v3uint %id\n%y = OpCompositeExtract %uint %v 1", {1, 4, 1}},
           {"%v = OpLoad %v3uint %id\n%w = OpVectorShuffle %v2uint %v %v 0 4", {4, 4, 1}},
           {"%v = OpLoad %v3uint %id\n%w = OpVectorShuffle %v2uint %v %v 0 3", {4, 1, 1}},
           {"%v = OpLoad %v3uint %id\n%n = OpCompositeConstruct %v2uint %u1 %u1\n"
            "%w = OpVectorShuffle %v2uint %n %v 0 3",
            {4, 4, 1}},
           {"%v = OpLoad %v3uint %id\n%w = OpIAdd %v3uint %v %v", {4, 4, 1}},
           {"%c = OpAccessChain %in_uint %id %u0\n%x = OpLoad %uint %c", {4, 1, 1}},
           {"%c = OpAccessChain %in_uint %id %u1\n%y = OpLoad %uint %c", {1, 4, 1}},
           {"%p = OpCopyObject %in_v3uint %id", {4, 4, 1}},
           {"", {4, 1, 1}}})
    for (const char* builtIn : {"GlobalInvocationId", "WorkgroupId"}) {
      std::vector<std::string> notes;
      const Words words = module(std::string("OpDecorate %id BuiltIn ") + builtIn,
                                 "%v2uint = OpTypeVector %uint 2\n"
                                 "%in_uint = OpTypePointer Input %uint\n"
                                 "%in_v3uint = OpTypePointer Input %v3uint\n"
                                 "%id = OpVariable %in_v3uint Input",
                                 uses, "%id");
      Result<Scenario> scenario = synthesize(words, notes);
      ASSERT_TRUE(scenario) << scenario.error().message;
      EXPECT_EQ(scenario->dispatches[0].groups, groups) << uses;
    }
}

TEST(Synthesize, IsTheSameEveryTime) {
  std::vector<std::string> notes;
  Result<Scenario> a = synthesize(particles(), notes), b = synthesize(particles(), notes);
  EXPECT_EQ(a->dispatches[0].pushConstants, b->dispatches[0].pushConstants);
}

TEST(Synthesize, GivesAWorkgroupSizeThatIsLeftOpen) {
  Words words = module("OpDecorate %x SpecId 3\nOpDecorate %size BuiltIn WorkgroupSize",
                       "%x = OpSpecConstant %uint 1\n"
                       "%size = OpSpecConstantComposite %v3uint %x %u1 %u1",
                       "", "", "LocalSize 1 1 1");
  std::vector<std::string> notes;
  Result<Scenario> guessed = synthesize(words, notes);
  ASSERT_TRUE(guessed);
  EXPECT_EQ(guessed->shaders[0].specConstants.at(3), 64u);
  EXPECT_NE(notes.at(0).find("workgroup size 64x1x1"), std::string::npos) << notes[0];
  Assumptions size;
  size.workgroupSize = {16, 1, 1};
  EXPECT_EQ(synthesize(words, notes, size)->shaders[0].specConstants.at(3), 16u);
  Assumptions constant;
  constant.specConstants[3] = 1; // given: not guessed, even if it is 1
  EXPECT_EQ(synthesize(words, notes, constant)->shaders[0].specConstants.at(3), 1u);
}

TEST(Synthesize, MakesUpImagesOfTheDeclaredKind) {
  auto synthesized = [](const std::string& type, const std::string& decoration = "") {
    Words words = module(R"(
OpName %img "img"
OpDecorate %img DescriptorSet 0
OpDecorate %img Binding 7
)" + decoration,
                         type + R"(
%image_ptr = OpTypePointer UniformConstant %type
%img = OpVariable %image_ptr UniformConstant)",
                         "%v = OpLoad %type %img", "%img");
    std::vector<std::string> notes;
    Result<Scenario> scenario = synthesize(words, notes);
    EXPECT_TRUE(scenario) << scenario.error().message;
    EXPECT_NE(notes.at(0).find("0 random buffers, 1 random image"), std::string::npos) << notes[0];
    EXPECT_EQ(scenario->dispatches[0].bindings[0].binding, 7u);
    return scenario->buffers.at(0);
  };
  ScenarioBuffer storage = synthesized("%type = OpTypeImage %float 2D 0 0 0 2 Rgba8");
  ASSERT_TRUE(storage.image);
  EXPECT_EQ(storage.image->format, ImageFormat::Rgba8);
  EXPECT_EQ(storage.image->width, 256u);
  EXPECT_EQ(storage.image->height, 256u);
  EXPECT_EQ(std::get<FillRandom>(storage.fill).low, 0);
  ScenarioBuffer written =
      synthesized("%type = OpTypeImage %float 3D 0 0 0 2 R32f", "OpDecorate %img NonReadable");
  EXPECT_TRUE(std::holds_alternative<FillPoison>(written.fill));
  EXPECT_EQ(written.image->depth, 64u);
  ScenarioBuffer sampled = synthesized("%image = OpTypeImage %uint 2D 0 1 0 1 Unknown\n"
                                       "%type = OpTypeSampledImage %image");
  EXPECT_EQ(sampled.image->format, ImageFormat::Rgba32ui);
  EXPECT_TRUE(sampled.image->isArray);
  EXPECT_GT(sampled.image->levels, 1u);
  EXPECT_TRUE(synthesized("%type = OpTypeSampler").image); // something to take settings from
}

// An array of `length` (an id, or nothing for a runtime array) buffers { uint } at 0.0.
Words descriptorArray(const std::string& length) {
  const std::string type =
      length.empty() ? "OpTypeRuntimeArray %Data" : "OpTypeArray %Data " + length;
  return module(R"(
OpDecorate %Data Block
OpMemberDecorate %Data 0 Offset 0
OpName %all "all"
OpDecorate %all DescriptorSet 0
OpDecorate %all Binding 0
)",
                R"(
%Data = OpTypeStruct %uint
%many = )" + type + R"(
%many_ptr = OpTypePointer StorageBuffer %many
%uint_ptr = OpTypePointer StorageBuffer %uint
%all = OpVariable %many_ptr StorageBuffer)",
                R"(
%a = OpAccessChain %uint_ptr %all %u0 %u0
%v = OpLoad %uint %a
%b = OpAccessChain %uint_ptr %all %u1 %u0
OpStore %b %v)",
                "%all");
}

TEST(Synthesize, GivesEachDescriptorOfAnArrayABufferOfItsOwn) {
  std::vector<std::string> notes;
  Result<Reflection> reflection = reflect(descriptorArray("%u5"), "work", {});
  ASSERT_TRUE(reflection) << reflection.error().str();
  EXPECT_TRUE(reflection->bindings.at(0).isDescriptorArray);
  EXPECT_EQ(reflection->bindings[0].descriptors, 5u);
  Result<Scenario> scenario = synthesize(descriptorArray("%u5"), notes);
  ASSERT_TRUE(scenario) << scenario.error().message;
  ASSERT_EQ(scenario->dispatches[0].bindings.size(), 5u);
  EXPECT_EQ(scenario->buffers.size(), 5u);
  for (uint32_t n = 0; n < 5; ++n) {
    EXPECT_EQ(scenario->dispatches[0].bindings[n].element, n);
    EXPECT_EQ(scenario->dispatches[0].bindings[n].buffer, "all[" + std::to_string(n) + "]");
  }
  EXPECT_EQ(reflect(descriptorArray(""), "work", {})->bindings.at(0).descriptors, 0u);
  scenario = synthesize(descriptorArray(""), notes);
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->dispatches[0].bindings.size(), 16u);
}

// A uniform and a storage buffer at 0.0, a storage buffer at 0.1; `group` decorates through a
// group.
Words clashing(bool group = false) {
  return module(R"(
OpName %u "u"
OpName %s "s"
OpDecorate %Uniform Block
OpMemberDecorate %Uniform 0 Offset 0
OpDecorate %Storage Block
OpMemberDecorate %Storage 0 Offset 0
OpDecorate %u DescriptorSet 0
OpDecorate %s DescriptorSet 0
OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 1
)" + std::string(group ? R"(
OpDecorate %both Binding 0
%both = OpDecorationGroup
OpGroupDecorate %both %u %s
)"
                       : R"(
OpDecorate %u Binding 0
OpDecorate %s Binding 0
)"),
                R"(
%Uniform = OpTypeStruct %uint
%Storage = OpTypeStruct %uint
%ptr_Uniform = OpTypePointer Uniform %Uniform
%ptr_Storage = OpTypePointer StorageBuffer %Storage
%ptr_u = OpTypePointer Uniform %uint
%ptr_s = OpTypePointer StorageBuffer %uint
%u = OpVariable %ptr_Uniform Uniform
%s = OpVariable %ptr_Storage StorageBuffer
%t = OpVariable %ptr_Storage StorageBuffer)",
                R"(
%from = OpAccessChain %ptr_u %u %u0
%v = OpLoad %uint %from
%to = OpAccessChain %ptr_s %s %u0
OpStore %to %v
%too = OpAccessChain %ptr_s %t %u0
OpStore %too %v)",
                "%u %s %t");
}

TEST(Rebind, SeparatesKindsAndNothingElse) {
  Result<Reflection> reflection = reflect(clashing(), "work", {});
  ASSERT_TRUE(reflection);
  EXPECT_EQ(reflection->findBinding(0, 0)->kind, ReflectedBinding::Kind::Unsupported);
  std::vector<Rebinding> rebindings = separateBindings(*reflection);
  ASSERT_EQ(rebindings.size(), 1u);
  EXPECT_EQ(rebindings[0].kind, "uniform buffer");
  EXPECT_EQ(rebindings[0].to, 2u); // 0.1 is taken
  Result<Words> moved = rebind(clashing(), "work", {}, rebindings);
  ASSERT_TRUE(moved);
  size_t changed = 0;
  const Words before = clashing();
  for (size_t n = 0; n < before.size(); ++n) changed += (*moved)[n] != before[n];
  EXPECT_EQ(changed, 1u);
  Result<Reflection> after = reflect(*moved, "work", {});
  EXPECT_EQ(after->findBinding(0, 0)->kind, ReflectedBinding::Kind::StorageBuffer);
  EXPECT_EQ(after->findBinding(0, 2)->kind, ReflectedBinding::Kind::UniformBuffer);
  EXPECT_TRUE(separateBindings(*after).empty());
}

TEST(Rebind, RefusesAGroupOfDecorations) {
  Result<Reflection> reflection = reflect(clashing(true), "work", {});
  ASSERT_TRUE(reflection);
  Result<Words> moved = rebind(clashing(true), "work", {}, separateBindings(*reflection));
  ASSERT_FALSE(moved);
  EXPECT_NE(moved.error().message.find("decoration group"), std::string::npos);
}

TEST(Synthesize, RefusesWhatItCannotMakeUp) {
  Words image = module(R"(
OpName %img "img"
OpDecorate %img DescriptorSet 0
OpDecorate %img Binding 7)",
                       R"(
%image = OpTypeImage %float 2D 1 0 0 1 Unknown
%image_ptr = OpTypePointer UniformConstant %image
%img = OpVariable %image_ptr UniformConstant)",
                       "%v = OpLoad %image %img", "%img");
  std::vector<std::string> notes;
  Result<Scenario> scenario = synthesize(image, notes);
  ASSERT_FALSE(scenario);
  EXPECT_NE(scenario.error().message.find("binding 0.7 (`img`) is a depth image"),
            std::string::npos)
      << scenario.error().message;
  std::vector<ShaderPair> two(2);
  EXPECT_FALSE(synthesizeScenario(two, {}, 1, notes));
}

} // namespace
} // namespace lanewise::driver
