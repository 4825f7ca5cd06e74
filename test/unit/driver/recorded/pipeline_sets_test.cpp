// What recorded pipelines say of a module: sets, their order, and modules with the constants fixed.
#include "recorded/pipeline_sets.h"
#include "spirv/assembly.h"
#include "support/sha256.h"

#include <fstream>
#include <gtest/gtest.h>
#include <optional>

namespace lanewise::driver {
namespace {

constexpr const char* kTwoConstants = R"(
OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %a SpecId 3
OpDecorate %b SpecId 4
OpDecorate %c SpecId 5
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%long = OpTypeInt 64 1
%a = OpSpecConstant %uint 7
%b = OpSpecConstant %long -2
%c = OpSpecConstantTrue %bool
%main = OpFunction %void None %function
%start = OpLabel
OpReturn
OpFunctionEnd
)";

class PipelineSets : public testing::Test {
protected:
  PipelineSets() {
    Result<Words> words = assemble(kTwoConstants, "module", SPV_ENV_VULKAN_1_2);
    EXPECT_TRUE(words);
    words_ = *words;
    module_.emplace(std::move(*Module::read(words_)));
  }
  RecordedPipeline pipeline(std::map<uint32_t, uint64_t> constants, uint32_t groups) const {
    RecordedPipeline p;
    p.module = hexOf(sha256(std::string_view(reinterpret_cast<const char*>(words_.data()),
                                             words_.size() * sizeof(uint32_t))))
                   .substr(0, 12);
    p.entry = "main";
    p.constants = std::move(constants);
    if (groups != 0) p.dispatches.push_back({std::array<uint32_t, 3>{groups, 2, 1}, 3});
    return p;
  }
  std::vector<PipelineSet> sets(const RecordedPipelines& pipelines, const std::string& entry = "",
                                const Assumptions& given = {}) const {
    const Result<std::vector<PipelineSet>> sets =
        setsOf(pipelines, "nowhere.spv", words_, *module_, entry, given);
    EXPECT_TRUE(sets) << sets.error().message;
    return *sets;
  }

  Words words_;
  std::optional<Module> module_;
};

TEST_F(PipelineSets, EqualOnesAreOneAndTheHeaviestIsFirst) {
  const auto all = sets({pipeline({{3, 1}}, 1), pipeline({{3, 9}}, 5), pipeline({{3, 1}}, 1)});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].assumptions.specConstants.at(3), 9u);
  EXPECT_EQ(all[0].workgroups, 30);
  EXPECT_EQ(all[1].workgroups, 12);
}

TEST_F(PipelineSets, ConstantsThatAreLeftAloneHaveTheirDefaults) {
  // What the module does not have is nobody's; a default that is named is the same pipeline.
  const auto all = sets({pipeline({}, 0), pipeline({{3, 7}, {99, 1}}, 0)});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].assumptions.specConstants,
            (std::map<uint32_t, uint64_t>{{3, 7}, {4, uint64_t(-2)}, {5, 1}}));
  EXPECT_EQ(all[0].workgroups, 1); // nobody counted
}

TEST_F(PipelineSets, OtherModulesAndEntryPointsAreNotMeant) {
  RecordedPipeline other = pipeline({}, 1);
  other.module = "0123456789ab";
  other.file = "nowhere.spv"; // the hash decides
  EXPECT_TRUE(sets({other}).empty());
  EXPECT_TRUE(sets({pipeline({}, 1)}, "second").empty());
  other.module.clear();
  EXPECT_EQ(sets({other}).size(), 1u);
}

TEST_F(PipelineSets, WhatTheCommandLineSaysGoesFirst) {
  Assumptions given;
  given.specConstants[3] = 64;
  EXPECT_EQ(sets({pipeline({{3, 1}}, 1)}, "", given)[0].assumptions.specConstants.at(3), 64u);
}

TEST_F(PipelineSets, FrozenModulesHaveTheValuesAndNoSpecId) {
  const auto all = sets({pipeline({{3, 40}, {4, uint64_t(-5)}, {5, 0}}, 1)});
  Result<Words> frozen = frozenFor(all[0], *module_);
  ASSERT_TRUE(frozen);
  Result<std::string> text = disassemble(*frozen);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find("SpecId"), std::string::npos);
  for (const char* line : {"OpConstant %uint 40", "OpConstant %long -5", "OpConstantFalse %bool"})
    EXPECT_NE(text->find(line), std::string::npos) << line << *text;
}

TEST(RecordedPipelines, AFileThatIsWrittenIsReadAgain) {
  RecordedPipeline p;
  p.module = std::string(64, 'a');
  p.entry = "ma\"in";
  p.constants = {{0, uint64_t(-1)}, {7, 3}};
  p.workgroupSize = std::array<uint32_t, 3>{8, 8, 1};
  p.subgroupSize = 32;
  p.dispatches = {{std::array<uint32_t, 3>{4, 1, 1}, 2}, {std::nullopt, 5}};
  const std::string path = testing::TempDir() + "recorded.toml";
  std::ofstream(path) << asToml(p);
  const Result<RecordedPipelines> read = readPipelines(path);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(asToml(read->front()), asToml(p));
  EXPECT_EQ(read->front().constants, p.constants);
  EXPECT_EQ(read->front().workgroups(), 13);
}

/// A module with a constant of each type, and what a file's `constants` make of it.
Result<std::vector<PipelineSet>> setsOfWritten(const std::string& constants) {
  Result<Words> words = assemble(R"(OpCapability Shader
OpCapability Int64
OpCapability Float64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %u SpecId 0
OpDecorate %i SpecId 1
OpDecorate %ul SpecId 2
OpDecorate %f SpecId 3
OpDecorate %d SpecId 4
OpDecorate %b SpecId 5
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%u = OpSpecConstant %uint 1
%i = OpSpecConstant %int 1
%ul = OpSpecConstant %ulong 1
%f = OpSpecConstant %float 1
%d = OpSpecConstant %double 1
%b = OpSpecConstantFalse %bool
%main = OpFunction %void None %function
%start = OpLabel
OpReturn
OpFunctionEnd
)",
                                 "types", SPV_ENV_VULKAN_1_2);
  EXPECT_TRUE(words);
  const std::string path = testing::TempDir() + "written.toml";
  std::ofstream(path) << "[[pipeline]]\nfile = \"m.spv\"\nconstants = { " << constants << " }\n";
  const Result<RecordedPipelines> read = readPipelines(path);
  if (!read) return read.error();
  return setsOf(*read, testing::TempDir() + "m.spv", *words, *Module::read(*words), "", {});
}

TEST(WrittenConstants, AreBitsWhereTheyAreIntegersAndElseWhatTheTypeMakesOfThem) {
  using Bits = std::map<uint32_t, uint64_t>;
  const std::pair<const char*, Bits> good[] = {
      {"0 = 4294967295, 1 = -1", {{0, 4294967295}, {1, uint64_t(-1)}}},
      {"1 = 4294967295", {{1, 4294967295}}}, // as they are recorded
      {"2 = -1", {{2, UINT64_MAX}}},
      {"3 = 1065353216, 5 = 2", {{3, 0x3f800000}, {5, 1}}},
      {"3 = 2.0, 4 = 2.0, 5 = true", {{3, 0x40000000}, {4, uint64_t(0x4000000000000000)}, {5, 1}}},
      {"3 = 0, 77 = 1", {{3, 0}}},
  };
  for (const auto& [text, bits] : good) {
    const Result<std::vector<PipelineSet>> sets = setsOfWritten(text);
    ASSERT_TRUE(sets) << sets.error().message;
    EXPECT_EQ(sets->at(0).constants, bits) << text;
  }
  const std::pair<const char*, const char*> bad[] = {
      {"0 = 4294967296", "an unsigned 32-bit integer (0 to 4294967295); 4294967296 has more bits"},
      {"0 = -1", "an unsigned 32-bit integer (0 to 4294967295); -1 is none"},
      {"0 = 1.5", "1.5 is none"},
      {"5 = 1.5", "constant 5 is a Boolean; 1.5 is none"},
      {"3 = 2", "constant 3 is a 32-bit float, and an integer here is the bits of its value; write "
                "2.0"},
      {"4 = -2", "write -2.0"},
      {"3 = true", "true is none"},
  };
  for (const auto& [text, what] : bad) {
    const Result<std::vector<PipelineSet>> sets = setsOfWritten(text);
    ASSERT_FALSE(sets) << text;
    EXPECT_NE(sets.error().message.find(what), std::string::npos) << sets.error().message;
    EXPECT_NE(sets.error().message.find("written.toml:1: constants: "), std::string::npos)
        << sets.error().message;
  }
}

} // namespace
} // namespace lanewise::driver
