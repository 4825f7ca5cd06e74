#include "support/colored_text.h"
#include "support/terminal.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

/// Escape sequences as words, so that what is expected can be read.
std::string shown(std::string_view text) {
  const std::pair<std::string_view, std::string_view> names[] = {
      {"\x1b[0m", "<>"},         {"\x1b[1m", "<bold>"},    {"\x1b[1;31m", "<red>"},
      {"\x1b[1;32m", "<green>"}, {"\x1b[1;34m", "<blue>"}, {"\x1b[1;35m", "<magenta>"},
      {"\x1b[1;36m", "<cyan>"}};
  std::string out = colored(text);
  for (const auto& [code, name] : names)
    for (size_t at = out.find(code); at != out.npos; at = out.find(code, at))
      out.replace(at, code.size(), name);
  return out;
}

TEST(ColoredText, placeKindAndMessage) {
  EXPECT_EQ(shown("a.comp:3: error: no\n"), "<bold>a.comp:3:<> <red>error:<><bold> no<>\n");
  EXPECT_EQ(shown("a.comp:3:7: warning: slow [rule]\n"),
            "<bold>a.comp:3:7:<> <magenta>warning:<><bold> slow [rule]<>\n");
  EXPECT_EQ(shown("a.comp:3: remark: padded\n"),
            "<bold>a.comp:3:<> <blue>remark:<><bold> padded<>\n");
  EXPECT_EQ(shown("a.comp:3: note: here\n"), "<bold>a.comp:3:<> <cyan>note:<> here\n");
  EXPECT_EQ(shown("note: no scenario\n"), "<cyan>note:<> no scenario\n");
  EXPECT_EQ(shown("lanewise: error: unknown option\n"),
            "<bold>lanewise:<> <red>error:<><bold> unknown option<>\n");
  EXPECT_EQ(shown("lanewise: interrupted\n"), "<bold>lanewise:<> interrupted\n");
}

TEST(ColoredText, onlyTheFirstKindCounts) {
  EXPECT_EQ(shown("a.comp:3: note: it says: error: no\n"),
            "<bold>a.comp:3:<> <cyan>note:<> it says: error: no\n");
  // A place that holds ": " is none.
  EXPECT_EQ(shown("x: y: error: z\n"), "x: y: error: z\n");
}

TEST(ColoredText, carets) {
  EXPECT_EQ(shown("    x = tile[i];\n        ^~~~\n"), "    x = tile[i];\n<green>        ^~~~<>\n");
  // Code, even of few signs.
  EXPECT_EQ(shown("    }\n    ~x\n\n"), "    }\n    ~x\n\n");
}

TEST(ColoredText, whatIsSourceStays) {
  EXPECT_EQ(shown("    // a.comp:3: error: no\n"), "    // a.comp:3: error: no\n");
}

TEST(ColoredText, theLastLineMayBeOpen) {
  EXPECT_EQ(shown("a: error: b"), "<bold>a:<> <red>error:<><bold> b<>");
  EXPECT_EQ(shown(""), "");
}

TEST(Terminal, whatWantsColor) {
  const ColorEnvironment plain{nullptr, nullptr, "xterm"};
  EXPECT_TRUE(wantsColor(ColorMode::Auto, plain, true));
  EXPECT_FALSE(wantsColor(ColorMode::Auto, plain, false));
  EXPECT_FALSE(wantsColor(ColorMode::Never, plain, true));
  EXPECT_TRUE(wantsColor(ColorMode::Always, plain, false));
}

TEST(Terminal, theEnvironment) {
  EXPECT_FALSE(wantsColor(ColorMode::Auto, {"1", nullptr, "xterm"}, true));
  EXPECT_TRUE(wantsColor(ColorMode::Auto, {"", nullptr, "xterm"}, true)) << "empty is not set";
  EXPECT_FALSE(wantsColor(ColorMode::Auto, {nullptr, nullptr, "dumb"}, true));
  EXPECT_FALSE(wantsColor(ColorMode::Auto, {nullptr, nullptr, nullptr}, true));
  EXPECT_TRUE(wantsColor(ColorMode::Auto, {nullptr, "1", nullptr}, false));
  EXPECT_FALSE(wantsColor(ColorMode::Auto, {nullptr, "0", "xterm"}, false));
  EXPECT_FALSE(wantsColor(ColorMode::Auto, {"1", "1", "xterm"}, true))
      << "the reader's no is final";
  EXPECT_TRUE(wantsColor(ColorMode::Always, {"1", nullptr, "dumb"}, false)) << "but for the option";
}

} // namespace
} // namespace lanewise::driver
