// Small parts of the driver: files, diffs, target profiles, constants, stripping lines.
#include "assemble.h"
#include "files.h"
#include "front_end.h"
#include "line_diff.h"
#include "opt_options.h"
#include "remark_printer.h"
#include "target_profiles.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace lanewise::driver {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lanewise-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << text;
  }
  std::string contents(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  size_t fileCount() const { return size_t(std::distance(fs::directory_iterator(folder), {})); }

  fs::path folder;
};

TEST_F(FilesTest, WritesWholeFiles) {
  OutputFiles files;
  files.add(path("a"), "one");
  files.add(path("b"), std::string(300000, 'x'));
  ASSERT_TRUE(files.commit());
  EXPECT_EQ(contents("a"), "one");
  EXPECT_EQ(contents("b").size(), 300000u);
  EXPECT_EQ(fileCount(), 2u) << "a temporary file was left behind";
}

TEST_F(FilesTest, ReadsWhatItWrote) {
  write("a", std::string("x\0y", 3) + std::string(200000, 'z'));
  Result<std::string> bytes = readFile(path("a"));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, contents("a"));
  EXPECT_FALSE(readFile(path("missing")));
  EXPECT_FALSE(readFile(folder.string()));
}

// All or nothing: the second cannot be written, so the first keeps its old contents.
TEST_F(FilesTest, OneThatCannotBeWrittenStopsAll) {
  write("a", "old");
  OutputFiles files;
  files.add(path("a"), "new");
  files.add(path("no/such/folder"), "x");
  Status s = files.commit();
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message.find("no/such/folder"), std::string::npos);
  EXPECT_EQ(contents("a"), "old");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(FilesTest, KeepsPermissionsAndLinks) {
  write("a", "old");
  fs::permissions(path("a"), fs::perms(0640));
  fs::create_symlink("a", path("link"));
  OutputFiles files;
  files.add(path("link"), "new");
  ASSERT_TRUE(files.commit());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(contents("a"), "new");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms(0640));
}

TEST_F(FilesTest, RefusesAFolder) {
  OutputFiles files;
  files.add(folder.string(), "x");
  EXPECT_FALSE(files.commit());
  EXPECT_FALSE(checkWritable(folder.string()));
  EXPECT_FALSE(checkWritable(path("no/such")));
  EXPECT_TRUE(checkWritable(path("new")));
  EXPECT_TRUE(checkWritable("-"));
}

TEST(LineDiff, SaysNothingOfEqualTexts) {
  EXPECT_EQ(unifiedDiff("a\nb\n", "a\nb\n", "x", "y"), "");
}

TEST(LineDiff, ShowsAChangeWithContext) {
  EXPECT_EQ(unifiedDiff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "x", "y"),
            "--- x\n+++ y\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(LineDiff, HandlesEmptyTexts) {
  EXPECT_EQ(unifiedDiff("", "a\n", "x", "y"), "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unifiedDiff("a\n", "", "x", "y"), "--- x\n+++ y\n@@ -1 +0,0 @@\n-a\n");
}

/// Applies a diff: what stands in the hunks replaces what they name.
std::string applyDiff(const std::string& before, const std::string& diff) {
  std::vector<std::string> lines;
  std::istringstream in(before);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::string out;
  size_t at = 0;
  std::istringstream patch(diff);
  std::string line;
  std::getline(patch, line), std::getline(patch, line);
  while (std::getline(patch, line)) {
    if (line.starts_with("@@ -")) {
      size_t start = std::stoul(line.substr(4));
      size_t comma = line.find(','), plus = line.find('+');
      bool isEmpty = comma < plus && std::stoul(line.substr(comma + 1)) == 0;
      for (size_t until = isEmpty ? start : start - 1; at < until; ++at) out += lines[at] + "\n";
    } else if (line[0] == '+') {
      out += line.substr(1) + "\n";
    } else {
      EXPECT_EQ(lines[at], line.substr(1));
      if (line[0] == ' ') out += lines[at] + "\n";
      ++at;
    }
  }
  for (; at < lines.size(); ++at) out += lines[at] + "\n";
  return out;
}

TEST(LineDiff, AppliedToTheFirstTextItGivesTheSecond) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string a, b;
    for (uint32_t n = random() % 30; n > 0; --n)
      a += std::string(1, char('a' + random() % 4)) + "\n";
    for (uint32_t n = random() % 30; n > 0; --n)
      b += std::string(1, char('a' + random() % 4)) + "\n";
    std::string diff = unifiedDiff(a, b, "x", "y");
    if (a == b) continue;
    EXPECT_EQ(applyDiff(a, diff), b) << diff;
  }
}

TEST(Targets, EveryBuiltInProfileIsRead) {
  std::vector<std::string> names = builtInTargets();
  EXPECT_EQ(names.size(), 8u);
  for (const std::string& name : names) {
    Result<TargetProfile> target = loadTarget(name);
    ASSERT_TRUE(target) << target.error().message;
    EXPECT_EQ(target->name, name);
    EXPECT_GE(target->maxSharedMemory, 16384u) << "Vulkan requires that much";
  }
}

// The library's defaults are those of `generic` (target_profile.h).
TEST(Targets, GenericIsTheDefault) {
  Result<TargetProfile> generic = loadTarget("generic");
  ASSERT_TRUE(generic);
  TargetProfile d;
  EXPECT_EQ(generic->subgroupSize, d.subgroupSize);
  EXPECT_EQ(generic->banks, d.banks);
  EXPECT_EQ(generic->bankBytes, d.bankBytes);
  EXPECT_EQ(generic->lanesPerPhase32, d.lanesPerPhase32);
  EXPECT_EQ(generic->lanesPerPhase64, d.lanesPerPhase64);
  EXPECT_EQ(generic->lanesPerPhase128, d.lanesPerPhase128);
  EXPECT_EQ(generic->broadcast, d.broadcast);
  EXPECT_EQ(generic->maxSharedMemory, d.maxSharedMemory);
  EXPECT_EQ(generic->sharedMemoryPerCore, d.sharedMemoryPerCore);
  EXPECT_EQ(generic->vec3Stride, d.vec3Stride);
  EXPECT_EQ(generic->sectorBytes, d.sectorBytes);
  EXPECT_EQ(generic->branchCost, d.branchCost);
  EXPECT_EQ(generic->barrierCost, d.barrierCost);
  EXPECT_EQ(generic->sharedAccessCost, d.sharedAccessCost);
}

TEST(Targets, NvidiaIsWhatItsGuideSays) {
  Result<TargetProfile> t = loadTarget("nvidia");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->banks, 32u);
  EXPECT_EQ(t->bankBytes, 4u);
  EXPECT_EQ(t->lanesPerPhase64, 16u);
  EXPECT_EQ(t->lanesPerPhase128, 8u);
  EXPECT_EQ(t->sectorBytes, 32u);
  EXPECT_EQ(t->maxSharedMemory, 49152u);
}

std::string targetError(const char* text) {
  Result<TargetProfile> t = parseTarget(text, "my.toml");
  return t ? "no error" : t.error().message;
}

TEST(Targets, ErrorsNameLineAndKey) {
  EXPECT_EQ(targetError("[subgroup]\nsize = 0\n"),
            "my.toml:2: 'subgroup.size' must be a whole number from 1 to 128");
  EXPECT_EQ(targetError("[subgroup]\n\nsiz = 8\n"),
            "my.toml:3: unknown key 'subgroup.siz'; did you mean 'subgroup.size'?");
  EXPECT_EQ(targetError("[shared-memry]\n"),
            "my.toml:1: unknown key 'shared-memry'; did you mean 'shared-memory'?");
  EXPECT_EQ(targetError("[shared-memory]\nbroadcast = 1\n"),
            "my.toml:2: 'shared-memory.broadcast' must be true or false");
  EXPECT_EQ(targetError("[shared-memory]\nbanks = 2.5\n"),
            "my.toml:2: 'shared-memory.banks' must be a whole number from 1 to 1024");
  EXPECT_TRUE(targetError("[subgroup\n").starts_with("my.toml:1: "));
  EXPECT_EQ(targetError("name = 3\n"), "my.toml:1: 'name' must be a string");
  EXPECT_EQ(targetError("cost = 3\n"), "my.toml:1: 'cost' must be a table");
}

TEST(Targets, LeftOutKeysAreThoseOfGeneric) {
  Result<TargetProfile> t =
      parseTarget("[shared-memory]\nbanks = 16\n[cost]\nbranch = 1.5\n", "my.toml");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->banks, 16u);
  EXPECT_EQ(t->branchCost, 1.5);
  EXPECT_EQ(t->subgroupSize, 32u);
}

TEST(Targets, UnknownNamesGetASuggestion) {
  Result<TargetProfile> t = loadTarget("nvida");
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().message, "unknown target 'nvida'; did you mean 'nvidia'?");
  EXPECT_FALSE(loadTarget("no-such-file.toml"));
}

uint64_t bitsOf(const char* text) {
  auto c = parseSpecConstant(text);
  EXPECT_TRUE(c) << text;
  return c ? c->second : 0;
}

TEST(SpecConstants, AreReadInEveryForm) {
  EXPECT_EQ(parseSpecConstant("7:64")->first, 7u);
  EXPECT_EQ(bitsOf("7:64"), 64u);
  EXPECT_EQ(bitsOf("0:0x10"), 16u);
  EXPECT_EQ(bitsOf("0:-1"), UINT64_MAX);
  EXPECT_EQ(bitsOf("0:true"), 1u);
  EXPECT_EQ(bitsOf("0:1.5"), 0x3FC00000u);
  EXPECT_EQ(bitsOf("0:-2f"), 0xC0000000u);
  EXPECT_EQ(bitsOf("0:18446744073709551615"), UINT64_MAX);
}

TEST(SpecConstants, RefuseWhatIsNone) {
  for (const char* text :
       {"", ":", "1", "1:", "x:1", "-1:1", "1:x", "1:0x", "1:1.2.3", "1:--1", "1:0xg", "1:1 ",
        "1:18446744073709551616x", "1:-0x9000000000000000", "1:nan", "1:inf", "99999999999:1"})
    EXPECT_FALSE(parseSpecConstant(text)) << text;
}

TEST(StripLines, TakesOutWhatCompilingWithLinesAdded) {
  Words words = test::assemble(R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
       %file = OpString "a.comp"
               OpSource GLSL 450 %file "text of the source"
               OpSourceContinued "and more"
               OpName %main "main"
               OpModuleProcessed "client vulkan100"
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
      %label = OpLabel
               OpLine %file 3 7
               OpReturn
               OpNoLine
               OpFunctionEnd
)");
  std::string text = test::disassemble(stripLines(words));
  for (const char* gone :
       {"OpLine", "OpNoLine", "OpString", "OpSourceContinued", "OpModuleProcessed", "text of"})
    EXPECT_EQ(text.find(gone), std::string::npos) << gone << " in\n" << text;
  EXPECT_NE(text.find("OpSource GLSL 450\n"), std::string::npos) << text;
  EXPECT_NE(text.find("OpName"), std::string::npos) << text;
  EXPECT_TRUE(test::validate(stripLines(words)));
}

TEST(StripLines, KeepsAStringThatDebugPrintfUses) {
  Words words = test::assemble(R"(
               OpCapability Shader
               OpExtension "SPV_KHR_non_semantic_info"
     %printf = OpExtInstImport "NonSemantic.DebugPrintf"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
     %format = OpString "hello"
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
      %label = OpLabel
          %p = OpExtInst %void %printf 1 %format
               OpReturn
               OpFunctionEnd
)");
  EXPECT_EQ(stripLines(words), words);
}

Remark someRemark() {
  Remark r;
  r.kind = Remark::Kind::Applied;
  r.pass = "pad-shared-memory";
  r.name = "padded";
  r.function = "main";
  r.message = "row 32 -> 33";
  r.location = {"a.comp", 12, 3};
  r.args = {{"degree-before", "32"}, {"degree-after", "1"}};
  r.details = {"a.comp:14: load"};
  return r;
}

TEST(Remarks, AsText) {
  EXPECT_EQ(remarkAsText(someRemark(), "a.spv"),
            "a.comp:12:3: remark: row 32 -> 33 [pad-shared-memory:padded]\n    a.comp:14: load\n");
  Remark r = someRemark();
  r.kind = Remark::Kind::Missed;
  r.location = {};
  r.details.clear();
  EXPECT_EQ(remarkAsText(r, "a.spv"),
            "a.spv: missed: in 'main': row 32 -> 33 [pad-shared-memory:padded]\n");
}

TEST(Remarks, AsJson) {
  EXPECT_EQ(
      remarkAsJson(someRemark(), "a.spv"),
      R"({"kind":"applied","pass":"pad-shared-memory","name":"padded","input":"a.spv","function":"main",)"
      R"("file":"a.comp","line":12,"column":3,"message":"row 32 -> 33",)"
      R"("args":{"degree-before":"32","degree-after":"1"},"details":["a.comp:14: load"]})"
      "\n");
}

// Names come from the module and may hold any bytes; the line must stay one line of JSON.
TEST(Remarks, AsJsonOfStrangeNames) {
  Remark r;
  r.message = "name \xff\n\"quoted\"";
  std::string json = remarkAsJson(r, "a.spv");
  EXPECT_EQ(json.find('\n'), json.size() - 1);
  EXPECT_NE(json.find("\\\"quoted\\\""), std::string::npos);
}

} // namespace
} // namespace lanewise::driver
