#include "options/option_groups.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

constexpr SpecType kBool{SpecType::Kind::Bool, 1, false}, kI32{SpecType::Kind::Int, 32, true},
    kU32{SpecType::Kind::Int, 32, false}, kU8{SpecType::Kind::Int, 8, false},
    kI64{SpecType::Kind::Int, 64, true}, kU64{SpecType::Kind::Int, 64, false},
    kF16{SpecType::Kind::Float, 16, true}, kF32{SpecType::Kind::Float, 32, true},
    kF64{SpecType::Kind::Float, 64, true}, kBFloat{SpecType::Kind::Other, 16, true};

uint64_t bitsIn(const char* text, const SpecType& type) {
  const auto c = parseSpecConstant(text);
  EXPECT_TRUE(c) << text;
  if (!c) return 0;
  const Result<uint64_t> bits = bitsOf(c->second, type);
  EXPECT_TRUE(bits) << text << ": " << (bits ? "" : bits.error().message);
  return bits ? *bits : 0;
}

std::string errorIn(const char* text, const SpecType& type) {
  const auto c = parseSpecConstant(text);
  EXPECT_TRUE(c) << text;
  if (!c) return {};
  const Result<uint64_t> bits = bitsOf(c->second, type);
  return bits ? "none" : bits.error().message;
}

TEST(SpecConstants, AreWhatTheirTypeMakesOfThem) {
  EXPECT_EQ(parseSpecConstant("7:64")->first, 7u);
  EXPECT_EQ(bitsIn("7:64", kI32), 64u);
  EXPECT_EQ(bitsIn("0:-1", kI32), UINT64_MAX);
  EXPECT_EQ(bitsIn("0:true", kBool), 1u);
  EXPECT_EQ(bitsIn("0:2", kBool), 1u); // as in C
  EXPECT_EQ(bitsIn("0:true", kU32), 1u);
  EXPECT_EQ(bitsIn("0:18446744073709551615", kU64), UINT64_MAX);
  EXPECT_EQ(bitsIn("0:-9223372036854775808", kI64), uint64_t(1) << 63);
  EXPECT_EQ(bitsIn("0:1.5", kF32), 0x3FC00000u);
  EXPECT_EQ(bitsIn("0:2", kF32), 0x40000000u);
  EXPECT_EQ(bitsIn("0:-2f", kF32), 0xC0000000u);
  EXPECT_EQ(bitsIn("0:1.5", kF64), 0x3FF8000000000000u);
  EXPECT_EQ(bitsIn("0:-3", kF64), 0xC008000000000000u);
  EXPECT_EQ(bitsIn("0:1.5", kF16), 0x3E00u);
}

// Whoever writes hexadecimal means bits.
TEST(SpecConstants, AreTheirBitsInHexadecimal) {
  EXPECT_EQ(bitsIn("0:0x10", kI32), 16u);
  EXPECT_EQ(bitsIn("0:0xffffffff", kI32), 0xFFFFFFFFu);
  EXPECT_EQ(bitsIn("0:0x3fc00000", kF32), 0x3FC00000u);
  EXPECT_EQ(bitsIn("0:0x3f80", kBFloat), 0x3F80u);
  EXPECT_EQ(errorIn("0:0x100", kU8), "an unsigned 8-bit integer (0 to 255); 0x100 has more bits");
}

TEST(SpecConstants, RefuseWhatTheirTypeDoesNotHave) {
  EXPECT_EQ(errorIn("0:256", kU8), "an unsigned 8-bit integer (0 to 255); 256 is none");
  EXPECT_EQ(errorIn("0:-1", kU8), "an unsigned 8-bit integer (0 to 255); -1 is none");
  EXPECT_EQ(errorIn("0:2147483648", kI32),
            "a signed 32-bit integer (-2147483648 to 2147483647); 2147483648 is none");
  EXPECT_EQ(errorIn("0:2.0", kBool), "a Boolean; 2.0 is none");
  EXPECT_EQ(errorIn("0:true", kF32), "a 32-bit float; true is none");
  EXPECT_EQ(errorIn("0:1e40", kF32), "a 32-bit float, too narrow for 1e40");
  EXPECT_EQ(errorIn("0:70000", kF16), "a 16-bit float, too narrow for 70000");
  EXPECT_EQ(errorIn("0:1", kBFloat),
            "a 16-bit float of another encoding; give its bits in hexadecimal");
}

TEST(SpecConstants, RefuseWhatIsNone) {
  for (const char* text :
       {"", ":", "1", "1:", "x:1", "-1:1", "1:x", "1:0x", "1:1.2.3", "1:--1", "1:0xg", "1:1 ",
        "1:18446744073709551616x", "1:-0x9000000000000000", "1:nan", "1:inf", "99999999999:1"})
    EXPECT_FALSE(parseSpecConstant(text)) << text;
}

} // namespace
} // namespace lanewise::driver
