#include "options/response_file.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

using Arguments = std::vector<std::string>;

Result<Arguments> expanded(Arguments arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return expandResponseFiles(pointers);
}

TEST(ResponseFile, WordsAreSeparatedByWhiteSpaceAndKeptTogetherByQuotes) {
  EXPECT_EQ(splitResponse(" -O\n\t-o  out.spv\r\n"), (Arguments{"-O", "-o", "out.spv"}));
  EXPECT_EQ(splitResponse("'a b' \"c d\"e f\\ g"), (Arguments{"a b", "c de", "f g"}));
  EXPECT_EQ(splitResponse("'a\\b' \"a\\\"b\" ''"), (Arguments{"a\\b", "a\"b", ""}));
  EXPECT_EQ(splitResponse(""), Arguments{});
  EXPECT_EQ(splitResponse("'open"), Arguments{"open"});
}

TEST(ResponseFile, FilesStandForTheirWords) {
  const ScratchFolder folder;
  const std::string inner = folder.write("inner", "-g 'x y.comp'");
  const std::string outer = folder.write("outer", "-O @" + inner);
  EXPECT_EQ(*expanded({"opt", "@" + outer, "-S"}),
            (Arguments{"opt", "-O", "-g", "x y.comp", "-S"}));
}

TEST(ResponseFile, WhatNamesNoFileStaysAsItIs) {
  EXPECT_EQ(*expanded({"@", "@no/such/file", "a@b"}), (Arguments{"@", "@no/such/file", "a@b"}));
}

TEST(ResponseFile, NothingIsReplacedBehindTwoDashes) {
  const ScratchFolder folder;
  const std::string file = "@" + folder.write("words", "-O");
  EXPECT_EQ(*expanded({"run", "--", file}), (Arguments{"run", "--", file}));
}

TEST(ResponseFile, ErrorsNameTheFile) {
  const ScratchFolder folder;
  const std::string endless = folder.path("endless");
  folder.write("endless", "@" + endless);
  const Result<Arguments> nested = expanded({"@" + endless});
  ASSERT_FALSE(nested);
  EXPECT_EQ(nested.error().message,
            "@" + endless + ": response files are nested more than 16 deep");
  EXPECT_FALSE(expanded({"@" + folder.path("")})); // a folder
}

} // namespace
} // namespace lanewise::driver
