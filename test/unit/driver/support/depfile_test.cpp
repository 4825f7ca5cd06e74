#include "support/depfile.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace lanewise::driver {
namespace {

std::string named(const std::string& file) {
  return *depfileText("out", std::vector<std::string>{file});
}

TEST(Depfile, NamesOneFileALine) {
  const std::vector<std::string> read{"a.comp", "b.h"};
  EXPECT_EQ(*depfileText("out", read), "out: \\\n  a.comp \\\n  b.h\n");
  EXPECT_EQ(*depfileText("out", read, true), "out: \\\n  a.comp \\\n  b.h\nb.h:\n");
}

TEST(Depfile, QuotesWhatMakeAndNinjaTakeForMore) {
  EXPECT_EQ(named("a b"), "out: \\\n  a\\ b\n");
  EXPECT_EQ(named("a#b"), "out: \\\n  a\\#b\n");
  EXPECT_EQ(named("a:b"), "out: \\\n  a\\:b\n");
  EXPECT_EQ(named("a$b"), "out: \\\n  a$$b\n");
  EXPECT_EQ(*depfileText("o:t", {}), "o\\:t:\n");
}

TEST(Depfile, QuotesABackslashOnlyWhereItWouldQuote) {
  EXPECT_EQ(named("a\\b"), "out: \\\n  a\\b\n");
  EXPECT_EQ(named("a\\\\b"), "out: \\\n  a\\\\b\n");
  EXPECT_EQ(named("a\\ b"), "out: \\\n  a\\\\\\ b\n");
  EXPECT_EQ(named("a\\"), "out: \\\n  a\\\\\n");
}

TEST(Depfile, RefusesLineBreaks) {
  EXPECT_FALSE(depfileText("out", std::vector<std::string>{"a\nb"}));
  EXPECT_FALSE(depfileText("o\rut", {}));
}

} // namespace
} // namespace lanewise::driver
