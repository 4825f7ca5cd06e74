#include "support/source_quote.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

using Range = std::optional<LineSpan>;

// ---- what is meant ----

TEST(SourceQuote, theTokenOfAColumn) {
  EXPECT_EQ(tokenAt("  tile[i] = 1;", 3), (LineSpan{2, 6}));
  EXPECT_EQ(tokenAt("  tile[i] = 1;", 7), (LineSpan{6, 7})) << "a sign by itself";
  EXPECT_EQ(tokenAt("  tile[i] = 1;", 14), (LineSpan{13, 14}));
}

TEST(SourceQuote, notAColumnThatSaysNothing) {
  EXPECT_EQ(tokenAt("  tile", 0), Range());
  EXPECT_EQ(tokenAt("  tile", 1), Range()) << "space";
  EXPECT_EQ(tokenAt("  tile", 4), Range()) << "in the midst of a word";
  EXPECT_EQ(tokenAt("  tile", 7), Range()) << "behind the end";
  // glslang before 13 writes 1 for all code, and who knows whether this line begins with it.
  EXPECT_EQ(rangeIn("tile[i] = 1;", 1, ""), Range());
}

TEST(SourceQuote, theOnlyMention) {
  EXPECT_EQ(onlyMention("x = tile[i];", "tile"), (LineSpan{4, 8}));
  EXPECT_EQ(onlyMention("tile2 = my_tile + tile;", "tile"), (LineSpan{18, 22}));
  EXPECT_EQ(onlyMention("s.tile = tile;", "tile"), (LineSpan{9, 13})) << "a member is another";
  EXPECT_EQ(onlyMention("x = tile; // of tile", "tile"), (LineSpan{4, 8}));
  EXPECT_EQ(onlyMention("/* tile */ x = a / tile /* tile", "tile"), (LineSpan{19, 23}));
}

TEST(SourceQuote, notOneOfSeveral) {
  EXPECT_EQ(onlyMention("tile[i] = tile[i + 1];", "tile"), Range());
  EXPECT_EQ(onlyMention("x = y;", "tile"), Range());
  EXPECT_EQ(onlyMention("x = y;", ""), Range());
  EXPECT_EQ(onlyMention("a = b;", "="), Range()) << "no name";
}

TEST(SourceQuote, theColumnComesFirst) {
  EXPECT_EQ(rangeIn("x = tile[i];", 10, "tile"), (LineSpan{9, 10}));
  EXPECT_EQ(rangeIn("x = tile[i];", 0, "tile"), (LineSpan{4, 8}));
  EXPECT_EQ(rangeIn("x = tile[i];", 99, "tile"), (LineSpan{4, 8}));
}

// ---- how it is shown ----

TEST(SourceQuote, caretsBelowTheRange) {
  EXPECT_EQ(quoted("    x = tile[i];  ", LineSpan{8, 12}), "    x = tile[i];\n        ^~~~\n");
  EXPECT_EQ(quoted("x = 1;", LineSpan{2, 3}), "    x = 1;\n      ^\n");
  EXPECT_EQ(quoted("    x = 1;", Range()), "    x = 1;\n");
  EXPECT_EQ(quoted(" \t ", Range()), "");
}

TEST(SourceQuote, tabsAreSpaces) {
  EXPECT_EQ(quoted("\t\tx\t= tile;", LineSpan{6, 10}), "    x   = tile;\n          ^~~~\n");
}

TEST(SourceQuote, columnsAreNotBytes) {
  // Two bytes, one column; three bytes, two columns; a combining mark: none.
  EXPECT_EQ(quoted("/*\xC3\xA9*/ x", LineSpan{7, 8}), "    /*\xC3\xA9*/ x\n          ^\n");
  EXPECT_EQ(quoted("/*\xE6\x97\xA5*/ x", LineSpan{8, 9}), "    /*\xE6\x97\xA5*/ x\n           ^\n");
  EXPECT_EQ(quoted("/*e\xCC\x81*/ x", LineSpan{8, 9}), "    /*e\xCC\x81*/ x\n          ^\n");
}

TEST(SourceQuote, whatIsNoTextCannotSteerATerminal) {
  EXPECT_EQ(quoted("a \x1b[2J b", LineSpan{7, 8}), "    a ?[2J b\n           ^\n");
  EXPECT_EQ(quoted("a \xFF\x80 b\r", LineSpan{5, 6}), "    a ?? b\n         ^\n");
  EXPECT_EQ(quoted("a \xC2\x9Bm", Range()), "    a ?m\n") << "CSI in one code";
  EXPECT_EQ(quoted("a \xE0\x80\x80", Range()), "    a ???\n") << "overlong";
}

TEST(SourceQuote, longLinesAreCutAtTheWidth) {
  const std::string line = std::string(100, 'a') + " tile " + std::string(100, 'b');
  const LineSpan tile{101, 105};
  for (uint32_t columns : {40u, 80u, 200u}) {
    const std::string text = quoted(line, tile, columns);
    const size_t end = text.find('\n');
    EXPECT_EQ(end, columns - 1) << "the last column stays free";
    EXPECT_TRUE(text.substr(0, end).ends_with("..."));
    EXPECT_TRUE(text.substr(4, 3) == "..." || columns == 200);
    // The carets stand below the word.
    EXPECT_EQ(text.find("^~~~") - end - 1, text.find("tile"));
  }
  EXPECT_EQ(quoted(line, tile, 400).find("..."), std::string::npos);
  EXPECT_EQ(quoted(line, tile, 0).find("..."), std::string::npos);
}

TEST(SourceQuote, rangesThatDoNotFitAreCut) {
  const std::string text = quoted("x = " + std::string(100, 'a'), LineSpan{4, 104}, 40);
  EXPECT_EQ(text.find('\n'), 39u);
  EXPECT_EQ(text.substr(0, 12), "    x = aaaa");
  EXPECT_EQ(text.find('^'), 40u + 8);
}

TEST(SourceQuote, aNarrowTerminalGetsSomething) {
  EXPECT_EQ(quoted("abcdefghijklmnopqrstuvwxyz", Range(), 5), "    abcdefghijklm...\n");
}

TEST(SourceQuote, utf16) {
  EXPECT_EQ(utf16Units("ab", 1), 1u);
  EXPECT_EQ(utf16Units("\xC3\xA9x", 2), 1u);
  EXPECT_EQ(utf16Units("\xF0\x9F\x98\x80x", 4), 2u);
  EXPECT_EQ(utf16Units("\xFFx", 1), 1u);
}

TEST(SourceQuote, linesFollowDirectives) {
  const NumberedLines lines = numberedLines("#line 10\na\r\n\nb");
  EXPECT_EQ(lines.at(10), "a");
  EXPECT_EQ(lines.at(12), "b");
}

TEST(SourceQuote, linesOfOtherFiles) {
  EXPECT_TRUE(hasForeignLines("a\n # line 3 \"b.glsl\"\n"));
  EXPECT_TRUE(hasForeignLines("#line 3 1"));
  EXPECT_FALSE(hasForeignLines("a\n#line 3\n#define x\n"));
}

TEST(SourceQuote, clippedToATerminal) {
  EXPECT_EQ(clipped("0123456789", 11), "0123456789");
  EXPECT_EQ(clipped("0123456789", 10), "012345...");
  EXPECT_EQ(clipped("a\x1b[2J", 80), "a?[2J");
}

TEST(SourceQuote, WhatSteersTerminalsIsNoText) {
  EXPECT_EQ(withoutControls("a\x1b[31mb\x7f\x08\n\tc\r\nd\re\n"), "a?[31mb??\n\tc\nd?e\n");
  EXPECT_EQ(withoutControls("gr\xc3\xbc\xc3\x9f\xe2\x82\xac"), "gr\xc3\xbc\xc3\x9f\xe2\x82\xac");
  EXPECT_EQ(withoutControls("\xc2\x9b"
                            "31m \x9b \xc3"),
            "?31m ? ?"); // CSI in one character
}

} // namespace
} // namespace lanewise::driver
