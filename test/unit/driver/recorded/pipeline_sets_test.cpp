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
    return setsOf(pipelines, "nowhere.spv", words_, *module_, entry, given);
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

} // namespace
} // namespace lanewise::driver
