#include "options/response_file.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

using Words = std::vector<std::string>;

Result<Words> expanded(Words arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return expandResponseFiles(pointers);
}

TEST(ResponseFile, WordsAreSeparatedByWhiteSpaceAndKeptTogetherByQuotes) {
  EXPECT_EQ(splitResponse(" -O\n\t-o  out.spv\r\n"), (Words{"-O", "-o", "out.spv"}));
  EXPECT_EQ(splitResponse("'a b' \"c d\"e f\\ g"), (Words{"a b", "c de", "f g"}));
  EXPECT_EQ(splitResponse("'a\\b' \"a\\\"b\" ''"), (Words{"a\\b", "a\"b", ""}));
  EXPECT_EQ(splitResponse(""), Words{});
  EXPECT_EQ(splitResponse("'open"), Words{"open"});
}

TEST(ResponseFile, FilesStandForTheirWords) {
  const ScratchFolder folder;
  const std::string inner = folder.write("inner", "-g 'x y.comp'");
  const std::string outer = folder.write("outer", "-O @" + inner);
  EXPECT_EQ(*expanded({"opt", "@" + outer, "-S"}), (Words{"opt", "-O", "-g", "x y.comp", "-S"}));
}

TEST(ResponseFile, WhatNamesNoFileStaysAsItIs) {
  EXPECT_EQ(*expanded({"@", "@no/such/file", "a@b"}), (Words{"@", "@no/such/file", "a@b"}));
}

TEST(ResponseFile, ErrorsNameTheFile) {
  const ScratchFolder folder;
  const std::string endless = folder.path("endless");
  folder.write("endless", "@" + endless);
  const Result<Words> nested = expanded({"@" + endless});
  ASSERT_FALSE(nested);
  EXPECT_EQ(nested.error().message,
            "@" + endless + ": response files are nested more than 16 deep");
  EXPECT_FALSE(expanded({"@" + folder.path("")})); // a folder
}

} // namespace
} // namespace lanewise::driver
