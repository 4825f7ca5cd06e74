#include "assembly/number_text.h"
#include "ir/newer_enumerants.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

namespace Encoding = newer::FPEncoding;
using NumberWords = std::vector<uint32_t>;

NumberType numberTypeOf(spv::Op op, std::vector<uint32_t> operands) {
  std::vector<uint32_t> inst{uint32_t(op), 1};
  inst.insert(inst.end(), operands.begin(), operands.end());
  const auto type = numberType(inst);
  EXPECT_TRUE(type);
  return type.value_or(NumberType{});
}
NumberType intType(uint32_t width, bool isSigned) {
  return numberTypeOf(spv::Op::OpTypeInt, {width, isSigned ? 1u : 0u});
}
NumberType floatType(uint32_t width) {
  return numberTypeOf(spv::Op::OpTypeFloat, {width});
}
NumberType encodedType(uint32_t width, uint32_t encoding) {
  return numberTypeOf(spv::Op::OpTypeFloat, {width, encoding});
}

NumberWords read(const NumberType& type, std::string_view text) {
  std::string why;
  return numberWords(type, text, why).value_or(NumberWords{});
}
std::string refusal(const NumberType& type, std::string_view text) {
  std::string why;
  EXPECT_FALSE(numberWords(type, text, why)) << text;
  return why;
}

/// Words, and the text that stands for them and for nothing else.
void expectBothWays(const NumberType& type, const NumberWords& words, std::string_view text) {
  EXPECT_EQ(numberText(type, words), text);
  EXPECT_EQ(read(type, text), words) << text;
}

TEST(NumberText, Integers) {
  expectBothWays(intType(32, false), {4294967295u}, "4294967295");
  expectBothWays(intType(32, true), {0xFFFFFFFF}, "-1");
  expectBothWays(intType(32, true), {0x80000000}, "-2147483648");
  expectBothWays(intType(64, false), {1, 2}, "8589934593");
  expectBothWays(intType(64, true), {0, 0x80000000}, "-9223372036854775808");
  // A narrow one fills its word: with its sign, or with zeros.
  expectBothWays(intType(16, true), {0xFFFFFFFE}, "-2");
  expectBothWays(intType(16, false), {65535}, "65535");
  EXPECT_EQ(read(intType(16, true), "0xFFFF"), NumberWords{0xFFFFFFFF});
  EXPECT_EQ(read(intType(8, false), "0xFF"), NumberWords{255});
}

TEST(NumberText, IntegersThatDoNotFit) {
  EXPECT_EQ(refusal(intType(16, false), "65536"), "65536 does not fit in 16 bits");
  EXPECT_EQ(refusal(intType(8, true), "128"), "128 does not fit in 8 bits");
  EXPECT_EQ(refusal(intType(8, true), "-129"), "-129 does not fit in 8 bits");
  EXPECT_EQ(refusal(intType(32, false), "-1"), "'-1' is no unsigned integer");
  for (const char* text : {"", "-", "0x", "1.5", "12a", "99999999999999999999"})
    EXPECT_NE(refusal(intType(64, true), text), "") << text;
}

TEST(NumberText, Floats) {
  expectBothWays(floatType(32), {0x3FC00000}, "1.5");
  expectBothWays(floatType(32), {0x3DCCCCCD}, "0.100000001");
  expectBothWays(floatType(32), {0x80000000}, "-0");
  expectBothWays(floatType(32), {0x60AD78EC}, "1.00000002e+20");
  expectBothWays(floatType(64), {0, 0xC0080000}, "-3");
  // What decimals do not say: infinities, NaNs with their bits, and denormals.
  expectBothWays(floatType(32), {0x7F800000}, "0x1p+128");
  expectBothWays(floatType(32), {0xFFC00001}, "-0x1.800002p+128");
  expectBothWays(floatType(32), {1}, "0x1p-149");
  expectBothWays(floatType(64), {0, 0x7FF80000}, "0x1.8p+1024");
}

TEST(NumberText, NarrowFloatsAreHexadecimal) {
  expectBothWays(floatType(16), {0x3C00}, "0x1p+0");
  expectBothWays(floatType(16), {0xFBFF}, "-0x1.ffcp+15");
  expectBothWays(floatType(16), {0x0001}, "0x1p-24");
  expectBothWays(floatType(16), {0x8000}, "-0x0p+0");
  expectBothWays(encodedType(16, Encoding::BFloat16KHR), {0x3FC0}, "0x1.8p+0");
  expectBothWays(encodedType(8, Encoding::Float8E4M3EXT), {0x7E}, "0x1.cp+8"); // 448, the largest
  expectBothWays(encodedType(8, Encoding::Float8E4M3EXT), {0x01}, "0x1p-9");
  expectBothWays(encodedType(8, Encoding::Float8E5M2EXT), {0x7C}, "0x1p+16"); // infinity
  expectBothWays(encodedType(6, Encoding::Float6E2M3EXT), {0x1F}, "0x1.ep+2");
  expectBothWays(encodedType(6, Encoding::Float6E3M2EXT), {0x3F}, "-0x1.cp+4");
  expectBothWays(encodedType(4, Encoding::Float4E2M1EXT), {0x7}, "0x1.8p+2");
  expectBothWays(encodedType(8, Encoding::Float8UnsignedE8M0EXT), {0x7F}, "0x1p+0");
  expectBothWays(encodedType(8, Encoding::MXInt8EXT), {0xC0}, "-0x1p+0");
}

TEST(NumberText, DecimalsOfNarrowFloatsAreTruncated) {
  EXPECT_EQ(read(floatType(16), "1.5"), NumberWords{0x3E00});
  EXPECT_EQ(read(floatType(16), "-0.1"), NumberWords{0xAE66});
  EXPECT_EQ(read(encodedType(16, Encoding::BFloat16KHR), "3.14159"), NumberWords{0x4049});
  EXPECT_EQ(read(encodedType(8, Encoding::Float8E4M3EXT), "448"), NumberWords{0x7E});
  EXPECT_EQ(refusal(floatType(16), "65536"), "'65536' is no 16-bit float");
  EXPECT_EQ(refusal(floatType(32), "1e40"), "'1e40' is no 32-bit float");
  EXPECT_EQ(refusal(encodedType(8, Encoding::Float8UnsignedE8M0EXT), "-1"),
            "'-1' is no 8-bit float");
  for (const char* text : {"", "-", "nan", "inf", "0x", "0x1p", "0x1.8p+", "1.5f", "--1"})
    EXPECT_NE(refusal(floatType(32), text), "") << text;
}

TEST(NumberText, TypesWithoutLiterals) {
  const std::vector<uint32_t> wideInt{uint32_t(spv::Op::OpTypeInt), 1, 128, 0},
      noInt{uint32_t(spv::Op::OpTypeInt), 1, 0, 0}, oddFloat{uint32_t(spv::Op::OpTypeFloat), 1, 24},
      unknownEncoding{uint32_t(spv::Op::OpTypeFloat), 1, 8, 9999},
      noNumber{uint32_t(spv::Op::OpTypeBool), 1};
  for (const auto& type : {wideInt, noInt, oddFloat, unknownEncoding, noNumber})
    EXPECT_FALSE(numberType(type));
}

} // namespace
} // namespace lanewise
