// What is made of the layer's logs, and of an environment.
#include "assemble.h"
#include "layer/protocol.h"
#include "run/pipelines_file.h"
#include "run/program.h"
#include "run/run_data.h"
#include "run/run_report.h"
#include "run/run_text.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

RunData dataOf(const std::vector<std::string>& logs) {
  const ScratchFolder folder;
  for (size_t n = 0; n < logs.size(); ++n)
    folder.write("7-" + std::to_string(n) + ".jsonl", logs[n]);
  Result<RunData> data = readRunData(folder.path(""));
  EXPECT_TRUE(data);
  return data ? *data : RunData();
}

constexpr const char* kPipeline =
    R"({"pipeline":1,"device":1,"module":"","entry":"main","constants":[[3,"0a000000"]],"subgroup":32,"name":"blur","code":"optimized"})"
    "\n"
    R"({"row":1,"pipeline":1,"groups":[4,2,1],"overlaps":false,"unordered":false})"
    "\n";

TEST(RunDataTest, AddsUpProcesses) {
  const std::string log =
      std::string(R"({"process":7,"program":"/x"})") + "\n" + kPipeline +
      R"({"counts":1,"dispatches":2,"timed":2,"total":300,"weight":1,"samples":[100,200]})" + "\n";
  const RunData data = dataOf({log, log});
  EXPECT_EQ(data.processes, 2u);
  ASSERT_EQ(data.pipelines.size(), 1u);
  const PipelineTimes& pipeline = data.pipelines[0];
  EXPECT_EQ(pipeline.created, 2u);
  EXPECT_EQ(pipeline.optimized, 2u);
  EXPECT_EQ(pipeline.constants.at(3), 10u);
  EXPECT_EQ(pipeline.dispatches(), 4u);
  EXPECT_EQ(pipeline.total(), 600);
  EXPECT_EQ(pipeline.median(), 150);
}

TEST(RunDataTest, KnowsWhatItsTimesAndLinesAreOf) {
  const std::string layer =
      R"({"process":7,"program":"/x","protocol":)" + std::to_string(layer::kProtocol) + "}\n";
  const std::string cpu = R"({"device":1,"name":"a","cpu":true})"
                          "\n",
                    gpu = R"({"device":1,"name":"b","cpu":false})"
                          "\n";
  EXPECT_FALSE(dataOf({layer}).isOnCpu());
  EXPECT_TRUE(dataOf({layer + cpu}).isOnCpu());
  EXPECT_FALSE(dataOf({layer + cpu, layer + gpu}).isOnCpu());
  EXPECT_FALSE(dataOf({layer, layer}).isOfOtherLayer);
  EXPECT_TRUE(dataOf({layer, R"({"process":7,"program":"/x"})"
                             "\n"})
                  .isOfOtherLayer);
}

TEST(RunDataTest, WeighsSamples) {
  const RunData data = dataOf(
      {std::string(kPipeline) +
       R"({"counts":1,"dispatches":2,"timed":2,"total":30,"weight":1,"samples":[10,20]})" + "\n" +
       R"({"counts":1,"dispatches":8,"timed":8,"total":330,"weight":3,"samples":[50,50]})" + "\n"});
  EXPECT_EQ(data.pipelines[0].dispatches(), 8u);
  EXPECT_EQ(data.pipelines[0].total(), 330);
  EXPECT_EQ(data.pipelines[0].median(), 50);
}

TEST(RunDataTest, PassesOverWhatIsCutOff) {
  const RunData data = dataOf(
      {std::string(kPipeline) +
       R"({"counts":1,"dispatches":2,"timed":2,"total":300,"weight":1,"samples":[100,200]})" +
       "\n" + R"({"counts":1,"dispatches":3,"ti)"});
  EXPECT_EQ(data.pipelines[0].dispatches(), 2u);
}

TEST(RunDataTest, LeavesOverlappingOnesOut) {
  const RunData data = dataOf(
      {std::string(kPipeline) +
       R"({"row":2,"pipeline":1,"groups":[4,2,1],"overlaps":true,"unordered":true})" + "\n" +
       R"({"counts":1,"dispatches":1,"timed":1,"total":100,"weight":1,"samples":[100]})" + "\n" +
       R"({"counts":2,"dispatches":2,"timed":2,"total":900,"weight":1,"samples":[400,500]})" +
       "\n"});
  const PipelineTimes& pipeline = data.pipelines[0];
  EXPECT_EQ(pipeline.dispatches(), 3u);
  EXPECT_EQ(pipeline.overlapping(), 2u);
  EXPECT_EQ(pipeline.total(), 100);
  EXPECT_EQ(pipeline.median(), 100);
  EXPECT_NE(runAsText(data).find(" 3* "), std::string::npos) << runAsText(data);
}

TEST(RunDataTest, TellsWhatNobodyWaitedForFromWhatNeverRan) {
  const RunData data = dataOf(
      {std::string(kPipeline) +
       R"({"counts":1,"dispatches":2,"timed":2,"total":300,"weight":1,"samples":[100,200]})" +
       "\n" + R"({"submitted":1,"dispatches":5})" + "\n" + R"({"refused":"abc"})" + "\n" +
       R"({"refused":"abc"})" + "\n"});
  EXPECT_EQ(data.pipelines[0].dispatches(), 2u);
  EXPECT_EQ(data.pipelines[0].pending, 3u);
  EXPECT_EQ(data.refused, std::vector<std::string>{"abc"});
  const RunData none =
      dataOf({std::string(kPipeline) + R"({"submitted":1,"dispatches":5})" + "\n"});
  EXPECT_EQ(notesOf(none),
            "5 dispatches could not be counted: the program had not waited for them.\n");
}

TEST(RunDataTest, SaysWhyDispatchesHaveNoTime) {
  const std::string counts =
      std::string(kPipeline) +
      R"({"counts":1,"dispatches":3,"timed":1,"total":100,"weight":1,"samples":[100]})" + "\n";
  const char* why = "a queue without timestamps or in a protected command buffer";
  EXPECT_EQ(notesOf(dataOf({counts})),
            "2 dispatches could not be timed; not in total and share.\n");
  EXPECT_NE(notesOf(dataOf({counts + R"({"untimable":2})"})).find(std::string("timed, on ") + why),
            std::string::npos);
  EXPECT_NE(notesOf(dataOf({counts + R"({"untimable":1})"}))
                .find(std::string("timed, 1 of them on ") + why),
            std::string::npos);
}

TEST(RunText, NamesFitIntoATable) {
  EXPECT_EQ(nameText("a\nb\tc"), "a b c");
  EXPECT_EQ(nameText(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(nameText(std::string(61, 'x')), std::string(57, 'x') + "...");
  std::string umlauts;
  for (int n = 0; n < 70; ++n) umlauts += "\xc3\xa4";
  EXPECT_EQ(nameText(umlauts), umlauts.substr(0, 2 * 57) + "...");
}

TEST(RunText, ConstantsAreValuesOfTheirTypes) {
  const ScratchFolder folder;
  const std::vector<uint32_t> words = test::assemble(R"(
    OpCapability Shader OpMemoryModel Logical GLSL450 OpEntryPoint GLCompute %f "main"
    OpExecutionMode %f LocalSize 1 1 1
    OpDecorate %a SpecId 0 OpDecorate %b SpecId 1 OpDecorate %c SpecId 2 OpDecorate %d SpecId 3
    %v = OpTypeVoid %t = OpTypeFunction %v %int = OpTypeInt 32 1 %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32 %bool = OpTypeBool
    %a = OpSpecConstant %int 1 %b = OpSpecConstant %uint 1 %c = OpSpecConstant %float 1
    %d = OpSpecConstantTrue %bool
    %f = OpFunction %v None %t %l = OpLabel OpReturn OpFunctionEnd)");
  folder.write("m.spv", std::string(reinterpret_cast<const char*>(words.data()), words.size() * 4));
  PipelineTimes pipeline;
  pipeline.module = "m";
  pipeline.entry = "main";
  pipeline.constants = {{0, 0xffffffff}, {1, 0xffffffff}, {2, 0x3fc00000}, {3, 1}, {9, 16}};
  EXPECT_EQ(constantsText(pipeline), "0=0xffffffff 1=0xffffffff 2=0x3fc00000 3=0x1 9=0x10");
  describe(pipeline, folder.path(""));
  EXPECT_EQ(constantsText(pipeline), "0=-1 1=4294967295 2=1.5 3=true 9=0x10");
}

TEST(PipelinesFile, AnEntryPointWithoutNameIsNotAnyEntryPoint) {
  const ScratchFolder folder;
  RunData data;
  data.pipelines.resize(1);
  data.pipelines[0].module = std::string(64, 'a');
  OutputFiles files;
  const auto troubles = addRecording(files, data, folder.path(""), folder.path("pipelines.toml"));
  ASSERT_TRUE(troubles);
  ASSERT_EQ(troubles->size(), 1u);
  EXPECT_NE((*troubles)[0].find("its entry point has no name"), std::string::npos);
  ASSERT_TRUE(files.commit());
  const Result<std::string> text = readFile(folder.path("pipelines.toml"));
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find("[[pipeline]]"), std::string::npos);
}

std::string valueIn(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& each : environment)
    if (each.starts_with(name + "=")) return each.substr(name.size() + 1);
  return "unset";
}

TEST(LayeredEnvironment, KeepsWhatTheUserHas) {
  ProgramRequest request;
  request.data = "/data";
  request.times = true;
  const auto plain = layeredEnvironment({"A=1"}, "/layers", request);
  EXPECT_EQ(valueIn(plain, "A"), "1");
  EXPECT_EQ(valueIn(plain, "VK_ADD_LAYER_PATH"), "/layers");
  EXPECT_EQ(valueIn(plain, "VK_LAYER_PATH"), "unset");
  EXPECT_EQ(valueIn(plain, "VK_INSTANCE_LAYERS"), "VK_LAYER_LANEWISE_optimize");
  EXPECT_EQ(valueIn(plain, "LANEWISE_LAYER_DATA"), "/data");
  EXPECT_EQ(valueIn(plain, "LANEWISE_LAYER_TIME"), "1");
  EXPECT_EQ(valueIn(plain, "LANEWISE_LAYER_OPTIMIZER"), "unset");

  const auto theirs = layeredEnvironment(
      {"VK_LAYER_PATH=/theirs", "VK_INSTANCE_LAYERS=VK_LAYER_A:VK_LAYER_B"}, "/layers", request);
  EXPECT_EQ(valueIn(theirs, "VK_LAYER_PATH"), "/theirs:/layers");
  EXPECT_EQ(valueIn(theirs, "VK_ADD_LAYER_PATH"), "unset");
  EXPECT_EQ(valueIn(theirs, "VK_INSTANCE_LAYERS"),
            "VK_LAYER_A:VK_LAYER_B:VK_LAYER_LANEWISE_optimize");
  // Set to nothing, it hides the other one as well.
  EXPECT_EQ(valueIn(layeredEnvironment({"VK_LAYER_PATH="}, "/layers", request), "VK_LAYER_PATH"),
            "/layers");
}

TEST(LayeredEnvironment, NamesItselfOnce) {
  const auto again = layeredEnvironment(
      {"VK_INSTANCE_LAYERS=VK_LAYER_LANEWISE_optimize:VK_LAYER_A"}, "/layers", {});
  EXPECT_EQ(valueIn(again, "VK_INSTANCE_LAYERS"), "VK_LAYER_LANEWISE_optimize:VK_LAYER_A");
}

} // namespace
} // namespace lanewise::driver
