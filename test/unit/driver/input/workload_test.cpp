// How the command line and a scenario together say what is loaded.
#include "input/workload.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

using Defines = std::vector<std::pair<std::string, std::string>>;

class WorkloadTest : public testing::Test {
protected:
  void SetUp() override {
    folder_.write("a.comp", kKernel);
    folder_.write("b.comp", kKernel);
    folder_.write("s.toml", R"([[shader]]
name = "first"
file = "a.comp"
defines = { N = "4", M = "5" }
spec_constants = { 0 = 7 }
[[shader]]
name = "second"
file = "b.comp"
[[shader]]
name = "rival"
file = "a.comp"
[[buffer]]
name = "out"
type = "u32"
count = 8
init = 0
[[dispatch]]
shader = "first"
groups = [1, 1, 1]
bind = { "0" = "out" }
[[dispatch]]
shader = "second"
groups = [1, 1, 1]
bind = { "0" = "out" }
[[variant]]
name = "by hand"
[[variant.dispatch]]
shader = "rival"
groups = [1, 1, 1]
bind = { "0" = "out" }
)");
  }

  ScenarioShaders shaders(LoadOptions given = {}, const std::string& shader = {}) {
    Result<ScenarioShaders> read =
        ScenarioShaders::read({folder_.path("s.toml"), {}, shader}, std::move(given));
    EXPECT_TRUE(read) << read.error().message;
    return std::move(*read);
  }

  static constexpr const char* kKernel = "#version 450\n"
                                         "layout(local_size_x = 8) in;\n"
                                         "layout(constant_id = 0) const uint one = 1;\n"
                                         "layout(binding = 0) buffer O { uint o[]; };\n"
                                         "void main() { o[gl_LocalInvocationIndex] = one; }\n";
  ScratchFolder folder_;
};

TEST_F(WorkloadTest, UsedShadersAreThoseOfTheOwnDispatches) {
  const ScenarioShaders s = shaders();
  std::vector<std::string> names;
  for (const ScenarioShader* shader : s.used()) names.push_back(shader->name);
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second"}));
  const auto rivals = shadersOf(s.scenario(), s.scenario().variants[0].dispatches);
  ASSERT_EQ(rivals.size(), 1u);
  EXPECT_EQ(rivals[0]->name, "rival");
}

TEST_F(WorkloadTest, MacrosOfTheCommandLineGoBeforeTheScenarios) {
  LoadOptions given;
  given.defines = {{"M", "9"}};
  given.kind = InputKind::Glsl;
  given.stage = "comp";
  given.entry = "other";
  const ScenarioShaders s = shaders(given);
  const ScenarioShader& first = s.scenario().shaders[0];
  const LoadOptions own = s.optionsFor(first);
  EXPECT_EQ(own.defines, (Defines{{"M", "9"}, {"N", "4"}}));
  EXPECT_EQ(own.kind, std::nullopt); // -x and --entry speak of what stands in
  EXPECT_EQ(own.stage, "");
  EXPECT_EQ(own.entry, "");
  const LoadOptions standIn = s.optionsForStandIn(first);
  EXPECT_EQ(standIn.defines, own.defines);
  EXPECT_EQ(standIn.kind, InputKind::Glsl);
  EXPECT_EQ(standIn.stage, "comp");
  EXPECT_EQ(standIn.entry, "other");
}

TEST_F(WorkloadTest, ConstantsOfTheCommandLineGoBeforeTheScenarios) {
  const ScenarioShaders s = shaders();
  const ScenarioShader& first = s.scenario().shaders[0];
  const Result<LoadedModule> module = s.load(first);
  ASSERT_TRUE(module) << module.error().message;
  const auto given = [&](const Assumptions& line) {
    const Result<Assumptions> all = ScenarioShaders::assumptionsFor(first, *module->read, line);
    return all ? all->specConstants : std::map<uint32_t, uint64_t>();
  };
  EXPECT_EQ(given({}).at(0), 7u);
  EXPECT_EQ(given({{{0, 3}}, {}, {}}).at(0), 3u);
}

TEST_F(WorkloadTest, AnInputStandsForTheShaderOfItsFile) {
  const ScenarioShaders s = shaders();
  EXPECT_EQ((*s.standsFor(folder_.path("b.comp")))->name, "second");
  EXPECT_EQ((*s.standsFor("elsewhere/b.spv"))->name, "second"); // by its name
  // Two shaders share a.comp: verify asks which, opt rewrites both.
  const auto unclear = s.standsFor(folder_.path("a.comp"));
  ASSERT_FALSE(unclear);
  EXPECT_NE(unclear.error().message.find("is not clear; give --shader=NAME, one of first, second"),
            std::string::npos);
  EXPECT_EQ((*s.firstOf(folder_.path("a.comp")))->name, "first");
  EXPECT_EQ((*shaders({}, "rival").standsFor(folder_.path("a.comp")))->name, "rival");
  EXPECT_EQ((*shaders({}, "rival").firstOf(folder_.path("a.comp")))->name, "rival");
  EXPECT_FALSE(shaders({}, "none").standsFor(folder_.path("b.comp")));
}

TEST_F(WorkloadTest, CompiledSourceKeepsItsLinesWhereTheyAreWanted) {
  const ScenarioShaders s = shaders();
  Result<LoadedModule> module = s.load(s.scenario().shaders[1]);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(wordsOf(*module, Lines::Keep), module->words());
  EXPECT_LT(wordsOf(*module, Lines::Strip).size(), module->words().size());
}

TEST_F(WorkloadTest, ErrorsOfCompilersKeepTheirForm) {
  folder_.write("bad.comp", "#version 450\nvoid main() { x = 1; }\n");
  const Result<LoadedModule> module = loadModule(folder_.path("bad.comp"), {});
  ASSERT_FALSE(module);
  EXPECT_NE(module.error().message.find("bad.comp:2: error: "), std::string::npos)
      << module.error().message;
}

TEST_F(WorkloadTest, FoldersHoldWhatOptWrote) {
  const ScenarioShaders s = shaders();
  const auto missing = s.pathIn(folder_.path(""), s.scenario().shaders[0]);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("it has no first.spv for shader `first`"),
            std::string::npos);
  folder_.write("first.spvasm", "");
  EXPECT_EQ(*s.pathIn(folder_.path(""), s.scenario().shaders[0]), folder_.path("first.spvasm"));
  EXPECT_EQ(manifestIn(folder_.path("")), "");
  folder_.write("layout.json", "{}");
  EXPECT_EQ(manifestIn(folder_.path("")), folder_.path("layout.json"));
}

} // namespace
} // namespace lanewise::driver
