// Words that a shell reads as they were meant.
#include "options/shell_text.h"

#include <gtest/gtest.h>
#include <vector>

namespace lanewise::driver {
namespace {

TEST(ShellText, QuotesWhatAShellWouldReadOtherwise) {
  EXPECT_EQ("a.comp", shellWord("a.comp"));
  EXPECT_EQ("--tuning=out/tuning.toml", shellWord("--tuning=out/tuning.toml"));
  EXPECT_EQ("'my shaders/a.comp'", shellWord("my shaders/a.comp"));
  EXPECT_EQ("'$HOME'", shellWord("$HOME"));
  EXPECT_EQ("'a[1].comp'", shellWord("a[1].comp"));
  EXPECT_EQ("'~a'", shellWord("~a"));
  EXPECT_EQ("''", shellWord(""));
}

TEST(ShellText, QuotesQuotes) {
  EXPECT_EQ("'it'\\''s.comp'", shellWord("it's.comp"));
}

TEST(ShellText, JoinsWords) {
  const std::vector<std::string> words{"opt", "-D", "A=(1 + 2)", "a.comp"};
  EXPECT_EQ("opt -D 'A=(1 + 2)' a.comp", shellCommand(words));
}

} // namespace
} // namespace lanewise::driver
