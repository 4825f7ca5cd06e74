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

} // namespace
} // namespace lanewise::driver
