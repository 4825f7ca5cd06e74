// The public interface of the library, lanewise.h: what it takes, refuses and gives back, beside
// what the program does with the same flags.
#include "assemble.h"
#include "interpreted.h"
#include "lanewise/lanewise.h"
#include "pipeline/pipeline.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace lanewise {
namespace {

using driver::Words;

constexpr const char* kTranspose = R"(#version 450
layout(local_size_x = 32, local_size_y = 8) in;
layout(binding = 0) readonly buffer Source { float source[]; };
layout(binding = 1) writeonly buffer Target { float result[]; };
shared float tile[32][32];
void main() {
  uvec2 t = gl_LocalInvocationID.xy;
  for (uint y = t.y; y < 32; y += 8) tile[y][t.x] = source[y * 32 + t.x];
  barrier();
  for (uint y = t.y; y < 32; y += 8) result[y * 32 + t.x] = tile[t.x][y];
}
)";

constexpr const char* kAgents = R"(#version 450
layout(local_size_x = 64) in;
struct Agent { uint kind; uint age; float energy; float x; float y; float dx; float dy; uint home; };
layout(binding = 0) buffer Agents { Agent agents[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  agents[i].age = agents[i].age + 1u;
  agents[i].kind = 3u;
}
)";

/// Compiled, and with values in place of local variables.
Words moduleOf(const char* glsl) {
  const std::vector<std::string> flags{"--inline-entry-points-exhaustive", "--ssa-rewrite"};
  Result<Words> words = driver::runSpirvOpt(test::compileGlsl(glsl), flags, {});
  if (words) return *words;
  ADD_FAILURE() << words.error().message;
  return {};
}

OptimizeOptions passes(std::vector<PassRequest> requests) {
  OptimizeOptions options;
  options.passes = std::move(requests);
  return options;
}

/// The message of the error that these options give, "" if they give none.
std::string refusal(const OptimizeOptions& options) {
  Result<Optimized> result = optimize(moduleOf(kTranspose), options);
  return result ? "" : result.error().str();
}

/// What `lanewise opt FLAG` makes.
Words byProgram(const Words& input, const std::string& flag) {
  auto step = driver::parseStep(flag);
  if (!step || !*step) {
    ADD_FAILURE() << flag;
    return {};
  }
  driver::PipelineOptions options;
  options.runSpirvOpt = driver::runSpirvOpt;
  options.validate = driver::validateWords;
  auto outcome = driver::runPipeline(input, {&**step, 1}, options);
  if (outcome) return outcome->words;
  ADD_FAILURE() << outcome.error().message;
  return {};
}

uint32_t countApplied(const Remarks& remarks) {
  uint32_t n = 0;
  for (const Remark& r : remarks) n += r.kind == Remark::Kind::Applied ? 1 : 0;
  return n;
}

TEST(LanewiseLibrary, ListsThePassesOfTheRegistry) {
  const std::vector<PassDescription> listed = listPasses();
  ASSERT_EQ(listed.size(), allPasses().size());
  for (size_t i = 0; i < listed.size(); ++i) {
    EXPECT_EQ(listed[i].name, allPasses()[i].flag);
    EXPECT_EQ(listed[i].values, allPasses()[i].values);
    EXPECT_FALSE(listed[i].summary.empty());
    // -O holds only passes that keep the interface.
    EXPECT_FALSE(listed[i].changesInterface && allPasses()[i].inO) << listed[i].name;
  }
  EXPECT_FALSE(version().empty());
}

TEST(LanewiseLibrary, DoesWhatTheProgramDoes) {
  const Words input = moduleOf(kTranspose);
  Result<Optimized> result = optimize(input, passes({{"pad-shared-memory", ""}}));
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_TRUE(result->changed);
  EXPECT_NE(result->words, input);
  EXPECT_EQ(result->words, byProgram(input, "--pad-shared-memory"));
  EXPECT_TRUE(test::validate(result->words));
  EXPECT_EQ(countApplied(result->remarks), 1u);
  EXPECT_TRUE(result->layouts.buffers.empty());
}

TEST(LanewiseLibrary, StandardPassesAreThoseOfTheProgram) {
  const std::vector<PassRequest> requests = standardPasses();
  const std::vector<driver::PipelineStep> steps = driver::standardPipeline();
  ASSERT_EQ(requests.size(), steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(requests[i].name, steps[i].pass->flag);
    EXPECT_EQ(requests[i].value, steps[i].mode);
    EXPECT_EQ(requests[i].onlyAfter.size(), steps[i].onlyAfter.size());
  }
  Result<Optimized> result = optimize(moduleOf(kTranspose), passes(requests));
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(countApplied(result->remarks), 1u);
  EXPECT_TRUE(test::validate(result->words));
}

TEST(LanewiseLibrary, ValuesReachThePass) {
  const Words input = moduleOf(kTranspose);
  Result<Optimized> swizzled = optimize(input, passes({{"pad-shared-memory", "swizzle"}}));
  ASSERT_TRUE(swizzled) << swizzled.error().str();
  EXPECT_EQ(swizzled->words, byProgram(input, "--pad-shared-memory=swizzle"));
  EXPECT_NE(swizzled->words, byProgram(input, "--pad-shared-memory"));
}

TEST(LanewiseLibrary, TheTargetReachesThePass) {
  OptimizeOptions options = passes({{"pad-shared-memory", ""}});
  options.target.maxSharedMemory = 4096; // the tile as it is, and no word more
  Result<Optimized> result = optimize(moduleOf(kTranspose), options);
  ASSERT_TRUE(result) << result.error().str();
  for (const Remark& r : result->remarks) EXPECT_NE(r.name, "padded");
}

TEST(LanewiseLibrary, LeavesBytesAloneWhereNothingChanges) {
  const Words input = moduleOf(kTranspose);
  for (const OptimizeOptions& options :
       {OptimizeOptions(), passes({{"branch-to-predication", ""}})}) {
    Result<Optimized> result = optimize(input, options);
    ASSERT_TRUE(result) << result.error().str();
    EXPECT_FALSE(result->changed);
    EXPECT_EQ(result->words, input);
  }
}

TEST(LanewiseLibrary, LeavesAModuleAloneThatHasSomethingUnknown) {
  std::vector<uint32_t> words =
      test::assemble("OpCapability Shader\nOpMemoryModel Logical GLSL450\n");
  constexpr uint32_t kUnknownOpcode = 9999;
  words.push_back(1u << 16 | kUnknownOpcode);
  OptimizeOptions options;
  options.passes = {{"eliminate-redundant-barriers", ""}, {"branch-to-predication", ""}};
  Result<Optimized> result = optimize(words, options);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(result->words, words);
  EXPECT_FALSE(result->changed);
  ASSERT_EQ(result->remarks.size(), 1u); // not one a pass
  EXPECT_EQ(result->remarks[0].kind, Remark::Kind::Note);
  EXPECT_EQ(result->remarks[0].name, "beyond-grammar");
}

TEST(LanewiseLibrary, AsksBeforeEachRewrite) {
  const Words input = moduleOf(kTranspose);
  OptimizeOptions options = passes({{"pad-shared-memory", ""}});
  std::vector<std::string> asked;
  options.maySite = [&](std::string_view pass, std::string_view site) {
    asked.push_back(std::string(pass) + ":" + std::string(site));
    return false;
  };
  Result<Optimized> result = optimize(input, options);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(asked, std::vector<std::string>{"pad-shared-memory:tile"});
  EXPECT_FALSE(result->changed);
  EXPECT_EQ(result->words, input);
}

TEST(LanewiseLibrary, GivesTheLayoutsThatTheHostMustFollow) {
  const Words input = moduleOf(kAgents);
  Result<Optimized> result = optimize(input, passes({{"aos-to-soa", "soa"}}));
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_TRUE(result->changed);
  EXPECT_TRUE(test::validate(result->words));
  ASSERT_EQ(result->layouts.buffers.size(), 1u);
  const BufferLayout& layout = result->layouts.buffers[0];
  EXPECT_EQ(layout.fields.size(), 8u);
  EXPECT_EQ(layout.strideBefore, 32u);
  EXPECT_TRUE(result->layouts.assumesDistinctBindings);
}

TEST(LanewiseLibrary, NarrowingIsAPassOfItsOwn) {
  OptimizeOptions options;
  options.narrow = {{"Agents", "kind", 2}, {"Agents", "age", 30}};
  Result<Optimized> result = optimize(moduleOf(kAgents), options);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_TRUE(result->changed);
  EXPECT_TRUE(test::validate(result->words));
  ASSERT_EQ(result->layouts.buffers.size(), 1u);
  std::set<uint32_t> bits;
  for (const LayoutField& field : result->layouts.buffers[0].fields) bits.insert(field.bits);
  EXPECT_EQ(bits, (std::set<uint32_t>{0, 2, 30}));
}

TEST(LanewiseLibrary, RefusesRequestsThatItDoesNotKnow) {
  EXPECT_NE(refusal(passes({{"pad-memory", ""}})).find("unknown pass 'pad-memory'"),
            std::string::npos);
  EXPECT_NE(refusal(passes({{"pad-shared-memory", "more"}})).find("it takes auto|pad|swizzle"),
            std::string::npos);
  EXPECT_NE(refusal(passes({{"eliminate-redundant-barriers", "auto"}})).find("takes no value"),
            std::string::npos);
  EXPECT_NE(refusal(passes({{"aos-to-soa", ""}, {"aos-to-soa", "soa"}})).find("once"),
            std::string::npos);
  EXPECT_EQ(refusal(passes({{"aos-to-soa", "aosoa:64"}})), "");
}

TEST(LanewiseLibrary, RefusesFiguresThatNothingCanBeCountedWith) {
  OptimizeOptions options = passes({{"pad-shared-memory", ""}});
  options.target.banks = 0;
  EXPECT_NE(refusal(options).find("banks is 0"), std::string::npos);
  options.target = {};
  options.target.lanesPerPhase64 = 64; // more than a subgroup has
  EXPECT_NE(refusal(options).find("lanesPerPhase64"), std::string::npos);
  options.target = {};
  options.target.barrierCost = std::nan("");
  EXPECT_NE(refusal(options).find("barrierCost"), std::string::npos);
  options.target = {};
  options.assumptions.workgroupSize = {{32, 0, 1}};
  EXPECT_NE(refusal(options).find("workgroup size"), std::string::npos);
  options.assumptions = {};
  options.narrow = {{"agents", "kind", 32}};
  EXPECT_NE(refusal(options).find("1 to 31"), std::string::npos);
  options.narrow = {{"agents", "kind", 3}, {"agents", "kind", 4}};
  EXPECT_NE(refusal(options).find("twice"), std::string::npos);
}

TEST(LanewiseLibrary, NamesThePlaceOfAModuleThatCannotBeRead) {
  Words words = moduleOf(kTranspose);
  EXPECT_FALSE(optimize({}, {}));
  EXPECT_FALSE(optimize(Words{1, 2, 3, 4, 5}, {}));
  words.pop_back();
  Result<Optimized> cut = optimize(words, {});
  ASSERT_FALSE(cut);
  EXPECT_TRUE(cut.error().wordOffset);
}

TEST(LanewiseLibrary, RunsOnSeveralThreads) {
  const Words input = moduleOf(kTranspose);
  const OptimizeOptions options = passes({{"pad-shared-memory", ""}, {"aos-to-soa", ""}});
  std::vector<Words> results(4);
  std::vector<std::thread> threads;
  for (Words& result : results)
    threads.emplace_back([&] {
      Result<Optimized> one = optimize(input, options);
      if (one) result = one->words;
    });
  for (std::thread& t : threads) t.join();
  for (const Words& result : results) EXPECT_EQ(result, results[0]);
  EXPECT_NE(results[0], input);
}

} // namespace
} // namespace lanewise
