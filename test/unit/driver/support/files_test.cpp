#include "support/files.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
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

// A pipe is not waited for.
TEST_F(FilesTest, ReadsRegularFilesAlone) {
  write("a", "text");
  fs::create_symlink("a", path("link"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  for (const char* name : {"a", "link"}) {
    Result<std::string> text = readRegularFile(path(name));
    ASSERT_TRUE(text) << name;
    EXPECT_EQ(*text, "text");
  }
  for (const std::string& other : {path("pipe"), path("missing"), folder.string()}) {
    Result<std::string> none = readRegularFile(other);
    ASSERT_FALSE(none) << other;
    EXPECT_EQ(none.error().message, "not a file");
  }
  EXPECT_FALSE(readRegularFile("/dev/null"));
}

// More than a thousand, whose temporaries are all there at once.
TEST_F(FilesTest, ManyFilesOfOneFolder) {
  OutputFiles files;
  for (int n = 0; n < 1500; ++n) files.add(path(std::to_string(n)), "new");
  ASSERT_TRUE(files.commit());
  EXPECT_EQ(*readRegularFile(path("1499")), "new");
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

// The file that a link stands for, wherever it is; devices as they are.
TEST_F(FilesTest, WritesWhereLinksLead) {
  fs::create_directory(path("below"));
  write("below/old", "old");
  fs::create_symlink("below/old", path("link"));
  fs::create_symlink("/dev/null", path("nowhere"));
  OutputFiles files;
  files.add(path("link"), "text");
  files.add(path("nowhere"), "text");
  ASSERT_TRUE(files.commit());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(contents("below/old"), "text");
  EXPECT_TRUE(fs::is_character_file(path("nowhere")));
  EXPECT_EQ(fileCount(), 3u);
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

} // namespace
} // namespace lanewise::driver
