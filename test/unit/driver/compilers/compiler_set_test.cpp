#include "assemble.h"
#include "compilers/compiler_messages.h"
#include "compilers/compiler_set.h"
#include "isolation.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace lanewise::driver {
namespace {

std::vector<StageRequest> requests() {
  const Words words = test::assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 4 2 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
)");
  return *requestsFor(words, {}, "");
}

TEST(CompilerMessages, HoldWholeRequests) {
  StageRequest request = requests()[0];
  request.problem = "none";
  PipelineRequest& p = request.pipeline;
  p.stages[0].constants = {{7, 8, uint64_t(1) << 40}};
  p.subject = 1;
  p.bindings = {{2, 3, "STORAGE_BUFFER", 4}};
  p.pushConstantBytes = 16;
  p.workgroupSize = {5, 6, 7};
  p.sharedBytes = uint64_t(1) << 33;
  p.subgroupSize = 32;
  p.attributes = {{1, AttributeKind::Unsigned, 64, 3}};
  p.colorAttachments = {AttributeKind::Signed};
  p.hasDualSource = true;
  p.patchControlPoints = 3;
  p.primitives = "lines";
  p.wantsRepresentations = true;
  MessageWriter sent;
  sent.put(std::vector{request});
  MessageReader reader(sent.head());
  const auto received = reader.get<std::vector<StageRequest>>();
  EXPECT_TRUE(reader.isAtEnd());
  MessageWriter again;
  again.put(received);
  EXPECT_EQ(again.head(), sent.head());
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].pipeline.stages[0].words, p.stages[0].words);
  EXPECT_EQ(received[0].pipeline.stages[0].constants[0].bits, uint64_t(1) << 40);
  EXPECT_EQ(received[0].workgroupSize, (std::array<uint32_t, 3>{4, 2, 1}));
}

std::vector<pid_t> children() {
  std::ifstream list("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  return {std::istream_iterator<pid_t>(list), {}};
}

TEST(CompilerSet, SaysTheSameFromAnyProcess) {
  const test::WithIsolation isolated;
  CompilerSet together(*chooseCompilers("navi21"), CompilerIsolation::Together);
  CompilerSet each(*chooseCompilers("navi21"), CompilerIsolation::Each);
  const std::vector<CompilerRow> rows = together.compile(requests());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].problem, "");
  EXPECT_TRUE(rows[0].figures[Figure::Latency]);
  EXPECT_EQ(pack(rows), pack(each.compile(requests())));
}

TEST(CompilerSet, KeepsItsProcessAndOutlivesIt) {
  const test::WithIsolation isolated;
  const size_t others = children().size();
  CompilerSet compilers(*chooseCompilers("navi21"), CompilerIsolation::Together);
  const std::string first = pack(compilers.compile(requests()));
  const std::vector<pid_t> process = children();
  ASSERT_EQ(process.size(), others + 1);
  EXPECT_EQ(pack(compilers.compile(requests())), first);
  EXPECT_EQ(children(), process);
  ::kill(process.back(), SIGKILL);
  for (int n = 0; n < 2; ++n) EXPECT_EQ(pack(compilers.compile(requests())), first);
  EXPECT_NE(children(), process);
  EXPECT_EQ(children().size(), others + 1);
}

} // namespace
} // namespace lanewise::driver
