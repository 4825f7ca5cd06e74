#include "support/wrapped_text.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

TEST(WrappedText, GoesOnBelowTheSecondColumn) {
  EXPECT_EQ(
      wrapped("  --flag N     what it does to the module, and why\n  -x           short\n", 40),
      "  --flag N     what it does to the\n"
      "               module, and why\n"
      "  -x           short\n");
  EXPECT_EQ(wrapped("               what it does to the module", 30),
            "               what it does to\n"
            "               the module");
}

TEST(WrappedText, ProseGoesOnBelowItsFirstWord) {
  EXPECT_EQ(wrapped("One two three four.\nFive.\n\nSix\n", 9),
            "One two\nthree\nfour.\nFive.\n\nSix\n");
  EXPECT_EQ(wrapped("One two", 7), "One two");
}

TEST(WrappedText, ColumnsThatDoNotFitAreGivenUp) {
  EXPECT_EQ(wrapped("  --flag     what it does to it", 20), "  --flag     what it\n  does to it");
}

TEST(WrappedText, WhatCannotBeBrokenStaysWhole) {
  EXPECT_EQ(wrapped("aaaaaaaaaa bb", 4), "aaaaaaaaaa\nbb");
  EXPECT_EQ(wrapped("  lanewise opt a.comp -o a.spv", 10), "  lanewise opt a.comp -o a.spv");
  EXPECT_EQ(wrapped("one two three", 0), "one two three");
  EXPECT_EQ(wrapped("", 10), "");
}

} // namespace
} // namespace lanewise::driver
