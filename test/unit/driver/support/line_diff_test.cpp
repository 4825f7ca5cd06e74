#include "support/line_diff.h"

#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace lanewise::driver {
namespace {

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

TEST(SideBySide, PutsLinesInTwoColumns) {
  EXPECT_EQ(sideBySide("a\nb\nc\n", "a\nB\nc\n", 23), "a           a\n"
                                                      "b         | B\n"
                                                      "c           c\n");
  EXPECT_EQ(sideBySide("a\nb\n", "a\n", 23), "a           a\n"
                                             "b         <\n");
  EXPECT_EQ(sideBySide("", "x\n", 23), "          > x\n");
}

TEST(SideBySide, CutsLongLinesAndSpreadsTabs) {
  EXPECT_EQ(sideBySide("\t123456789\n", "\t123456789\n", 23), "  1234567     1234567\n");
}

} // namespace
} // namespace lanewise::driver
