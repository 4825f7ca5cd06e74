// What a worker does with one input when it, or an attempt before it, went wrong.
#include "batch/worker.h"
#include "scratch_folder.h"
#include "spirv/spirv_tools.h"
#include "support/files.h"
#include "targets/target_profiles.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>

namespace lanewise::driver {
namespace {

constexpr std::string_view kSource = R"(#version 450
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) buffer B { float b[]; };
shared float tile[32][32];
void main() {
  uvec2 at = gl_LocalInvocationID.xy;
  tile[at.y][at.x] = b[at.y * 32 + at.x];
  barrier();
  b[at.y * 32 + at.x] = tile[at.x][at.y];
}
)";

/// Counts what is put in.
class CountingStore : public Store {
public:
  explicit CountingStore(std::map<std::string, std::string>& entries) : entries_(entries) {}
  std::optional<std::string> get(const Digest& key) override {
    auto found = entries_.find(hexOf(key));
    return found == entries_.end() ? std::nullopt : std::optional(found->second);
  }
  void put(const Digest& key, std::string_view bytes) override {
    entries_[hexOf(key)] = std::string(bytes);
  }

private:
  std::map<std::string, std::string>& entries_;
};

class BatchWorkerTest : public testing::Test {
protected:
  BatchWorkerTest() {
    plan_.inputs = {{folder_.write("a.comp", kSource), folder_.path("out/deep/a.comp.spv"), 0}};
    plan_.options.steps = standardPipeline();
    plan_.options.remarks = RemarkFilter::None;
    plan_.options.pipeline.target = *loadTarget("generic");
    plan_.openStore = [this] { return std::make_unique<CountingStore>(entries_); };
  }
  ItemResult attempt(uint32_t number, std::string why = {}) {
    return BatchWorker(plan_).work({0, number, std::move(why)});
  }
  std::string output() const {
    Result<std::string> bytes = readFile(plan_.inputs[0].output);
    return bytes ? *bytes : std::string();
  }
  /// The module as it was compiled.
  std::string unoptimized() const {
    const Result<LoadedModule> module = loadModule(plan_.inputs[0].path, {});
    return module ? bytesOf(stripLines(module->words())) : std::string();
  }

  ScratchFolder folder_;
  BatchPlan plan_;
  std::map<std::string, std::string> entries_;
};

TEST_F(BatchWorkerTest, AttemptsGiveTheSameBytes) {
  EXPECT_EQ(attempt(0).status, ItemStatus::Optimized);
  const std::string first = output();
  ASSERT_FALSE(first.empty());
  EXPECT_NE(first, unoptimized());
  entries_.clear();
  const ItemResult again = attempt(1, "crashed");
  EXPECT_EQ(again.status, ItemStatus::Optimized);
  EXPECT_FALSE(again.isNew);
  EXPECT_EQ(output(), first);
}

TEST_F(BatchWorkerTest, TheSecondTimeItIsFound) {
  EXPECT_FALSE(attempt(0).isHit);
  const ItemResult second = attempt(0);
  EXPECT_TRUE(second.isHit);
  EXPECT_FALSE(second.isNew);
  EXPECT_EQ(second.status, ItemStatus::Optimized);
}

TEST_F(BatchWorkerTest, AfterTwoDeathsTheInputIsWritten) {
  const ItemResult result = attempt(2, "crashed: Aborted (signal 6)");
  EXPECT_EQ(result.status, ItemStatus::Fallback);
  EXPECT_EQ(result.reason, "crashed: Aborted (signal 6)");
  EXPECT_EQ(result.exitCode, kDone);
  EXPECT_EQ(output(), unoptimized());
  // And is tried again the next time.
  EXPECT_TRUE(entries_.empty());
}

TEST_F(BatchWorkerTest, StrictWritesNothing) {
  plan_.options.pipeline.strict = true;
  const ItemResult result = attempt(2, "crashed: Aborted (signal 6)");
  EXPECT_EQ(result.status, ItemStatus::Failed);
  EXPECT_EQ(result.exitCode, kBadUsageOrInput);
  EXPECT_NE(result.errors.find("crashed: Aborted (signal 6)"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(plan_.inputs[0].output));
}

TEST_F(BatchWorkerTest, AnInputThatCannotBeLoadedFailsInEveryAttempt) {
  folder_.write("a.comp", "void main() { x; }");
  for (uint32_t number : {0u, 1u, 2u}) {
    const ItemResult result = attempt(number, "crashed");
    EXPECT_EQ(result.status, ItemStatus::Failed);
    EXPECT_EQ(result.exitCode, kBadUsageOrInput);
    EXPECT_NE(result.errors.find("undeclared identifier"), std::string::npos) << result.errors;
  }
  EXPECT_TRUE(entries_.empty());
}

TEST_F(BatchWorkerTest, AnOutputThatCannotBeWrittenIsAnError) {
  folder_.write("out", "a file where the folder should be");
  const ItemResult result = attempt(0);
  EXPECT_EQ(result.status, ItemStatus::Failed);
  EXPECT_EQ(result.exitCode, kBadUsageOrInput);
  EXPECT_NE(result.errors.find("cannot create this folder: Not a directory"), std::string::npos)
      << result.errors;
}

TEST_F(BatchWorkerTest, ADepfileIsMadeForResultsFromTheCacheAsWell) {
  folder_.write("a.comp", std::string(kSource) + "#include \"b.h\"\n");
  folder_.write("b.h", "");
  attempt(0);
  plan_.options.depfile.isWanted = true;
  const ItemResult result = attempt(0);
  EXPECT_TRUE(result.isHit);
  EXPECT_TRUE(result.isNew);
  Result<std::string> depfile = readFile(plan_.inputs[0].output + ".d");
  ASSERT_TRUE(depfile);
  EXPECT_NE(depfile->find(folder_.path("b.h")), std::string::npos);
}

} // namespace
} // namespace lanewise::driver
