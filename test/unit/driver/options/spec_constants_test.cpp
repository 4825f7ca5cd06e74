#include "options/option_groups.h"

#include <cmath>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

uint64_t bitsOf(const char* text) {
  auto c = parseSpecConstant(text);
  EXPECT_TRUE(c) << text;
  return c ? c->second : 0;
}

TEST(SpecConstants, AreReadInEveryForm) {
  EXPECT_EQ(parseSpecConstant("7:64")->first, 7u);
  EXPECT_EQ(bitsOf("7:64"), 64u);
  EXPECT_EQ(bitsOf("0:0x10"), 16u);
  EXPECT_EQ(bitsOf("0:-1"), UINT64_MAX);
  EXPECT_EQ(bitsOf("0:true"), 1u);
  EXPECT_EQ(bitsOf("0:1.5"), 0x3FC00000u);
  EXPECT_EQ(bitsOf("0:-2f"), 0xC0000000u);
  EXPECT_EQ(bitsOf("0:18446744073709551615"), UINT64_MAX);
}

TEST(SpecConstants, RefuseWhatIsNone) {
  for (const char* text :
       {"", ":", "1", "1:", "x:1", "-1:1", "1:x", "1:0x", "1:1.2.3", "1:--1", "1:0xg", "1:1 ",
        "1:18446744073709551616x", "1:-0x9000000000000000", "1:nan", "1:inf", "99999999999:1"})
    EXPECT_FALSE(parseSpecConstant(text)) << text;
}

} // namespace
} // namespace lanewise::driver
