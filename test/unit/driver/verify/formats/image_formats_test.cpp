#include "verify/formats/float_bits.h"
#include "verify/formats/image_formats.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace lanewise::driver {
namespace {

Texel floats(float r, float g, float b, float a) {
  return {bitsOf(r), bitsOf(g), bitsOf(b), bitsOf(a)};
}

std::vector<uint8_t> encoded(ImageFormat format, const Texel& texel) {
  std::vector<uint8_t> bytes(infoOf(format).bytes);
  encodeTexel(format, texel, bytes.data());
  return bytes;
}

TEST(ImageFormats, AreFoundByNameAndNumber) {
  for (uint32_t i = 0; i < kImageFormats; ++i) {
    const ImageFormatInfo& info = infoOf(ImageFormat(i));
    EXPECT_EQ(findImageFormat(info.name), ImageFormat(i)) << info.name;
    EXPECT_EQ(imageFormatOf(info.spirv), ImageFormat(i)) << info.name;
    uint32_t bits = 0;
    for (uint32_t width : info.bits) bits += width;
    EXPECT_EQ(bits, 8 * info.bytes) << info.name;
  }
  EXPECT_EQ(findImageFormat("rgba8_snorm"), ImageFormat::Rgba8Snorm);
  EXPECT_EQ(findImageFormat("rgb8"), std::nullopt);
  EXPECT_EQ(imageFormatOf(0), std::nullopt); // Unknown
}

// Which bytes are which component, by hand.
TEST(ImageFormats, PutComponentsInPlace) {
  EXPECT_EQ(encoded(ImageFormat::Rgba8, floats(1, 0, 0.2f, 2)),
            (std::vector<uint8_t>{255, 0, 51, 255}));
  EXPECT_EQ(encoded(ImageFormat::Rgba8Snorm, floats(-1, 1, -9, 0)),
            (std::vector<uint8_t>{0x81, 0x7F, 0x81, 0}));
  EXPECT_EQ(encoded(ImageFormat::Rgba8ui, {1, 2, 3, 255}), (std::vector<uint8_t>{1, 2, 3, 255}));
  EXPECT_EQ(encoded(ImageFormat::Rg16f, floats(1, -2, 9, 9)),
            (std::vector<uint8_t>{0, 0x3C, 0, 0xC0}));
  EXPECT_EQ(encoded(ImageFormat::R11fG11fB10f, floats(1, 0, 2, 9)),
            (std::vector<uint8_t>{0xC0, 0x03, 0, 0x80})); // 0x3C0, 0, 0x200
  EXPECT_EQ(encoded(ImageFormat::Rgb10A2, floats(1, 0, 1, 1.0f / 3)),
            (std::vector<uint8_t>{0xFF, 0x03, 0xF0, 0x7F}));
  EXPECT_EQ(encoded(ImageFormat::R64ui, {0x0102030405060708, 0, 0, 0}),
            (std::vector<uint8_t>{8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST(ImageFormats, FillUpComponentsThatAreNotThere) {
  uint8_t zero[16] = {};
  EXPECT_EQ(decodeTexel(ImageFormat::R8, zero), floats(0, 0, 0, 1));
  EXPECT_EQ(decodeTexel(ImageFormat::Rg32ui, zero), (Texel{0, 0, 0, 1}));
  EXPECT_EQ(decodeTexel(ImageFormat::R64i, zero), (Texel{0, 0, 0, 1}));
  EXPECT_EQ(decodeTexel(ImageFormat::Rgba16, zero), floats(0, 0, 0, 0));
}

// Every texel of a narrow format, and many of a wide one, survive decoding and encoding.
TEST(ImageFormats, DecodedTexelsEncodeToTheSameBytes) {
  std::mt19937_64 random(7);
  for (uint32_t i = 0; i < kImageFormats; ++i) {
    ImageFormat format = ImageFormat(i);
    const ImageFormatInfo& info = infoOf(format);
    uint32_t count = info.bytes == 1 ? 256 : 65536;
    for (uint32_t n = 0; n < count; ++n) {
      uint64_t words[2] = {random(), random()};
      if (info.bytes <= 2) words[0] = n;
      uint8_t bytes[16], again[16];
      std::memcpy(bytes, words, 16);
      Texel texel = decodeTexel(format, bytes);
      ASSERT_TRUE(encodeTexel(format, texel, again)) << info.name;
      // The least snorm stands for -1 like the one above it, and NaNs may become quiet: the
      // components are what must agree.
      Texel second = decodeTexel(format, again);
      bool hasNan = false;
      for (uint64_t cell : texel) hasNan |= !info.isInteger() && isNan(32, cell);
      ASSERT_TRUE(second == texel || hasNan) << info.name;
      bool isExact = std::memcmp(bytes, again, info.bytes) == 0;
      ASSERT_TRUE(isExact || info.kind == TexelKind::Snorm || hasNan) << info.name;
    }
  }
}

TEST(ImageFormats, SmallFloatsRoundToTheNearest) {
  for (uint32_t width : {10u, 11u}) {
    // Red has 11 bits, blue 10.
    uint32_t at = width == 11 ? 0 : 22, infinity = 31u << (width - 5);
    auto decode = [&](uint32_t bits) {
      uint32_t word = bits << at;
      return double(floatOf(decodeTexel(ImageFormat::R11fG11fB10f,
                                        reinterpret_cast<uint8_t*>(&word))[width == 11 ? 0 : 2]));
    };
    auto encode = [&](double value) {
      uint32_t word;
      encodeTexel(ImageFormat::R11fG11fB10f, floats(float(value), 0, float(value), 0),
                  reinterpret_cast<uint8_t*>(&word));
      return word >> at & ((1u << width) - 1);
    };
    for (uint32_t below = 0; below < infinity; ++below) {
      double low = decode(below), high = below + 1 == infinity ? 65536 : decode(below + 1);
      double middle = (low + high) / 2;
      ASSERT_EQ(encode(low), below);
      ASSERT_EQ(encode(middle), below % 2 ? below + 1 : below);
      ASSERT_EQ(encode(std::nextafter(float(middle), 0.0f)), below);
      ASSERT_EQ(encode(std::nextafter(float(middle), 1e9f)), below + 1);
    }
    EXPECT_EQ(encode(1e9), infinity);
    EXPECT_EQ(encode(HUGE_VAL), infinity);
    EXPECT_EQ(encode(-1), 0u);
    EXPECT_GT(encode(std::nan("")), infinity);
    EXPECT_EQ(encode(1e-30), 0u);
  }
}

TEST(ImageFormats, TellIntegersThatDoNotFit) {
  uint8_t bytes[16];
  EXPECT_TRUE(encodeTexel(ImageFormat::R8ui, {255, 999, 999, 999}, bytes)); // only red is there
  EXPECT_FALSE(encodeTexel(ImageFormat::R8ui, {256, 0, 0, 0}, bytes));
  EXPECT_TRUE(encodeTexel(ImageFormat::Rg16i, {0xFFFF8000, 0x7FFF, 0, 0}, bytes));
  EXPECT_FALSE(encodeTexel(ImageFormat::Rg16i, {0, 0x8000, 0, 0}, bytes));
  EXPECT_FALSE(encodeTexel(ImageFormat::Rgb10A2ui, {0, 0, 0, 4}, bytes));
  EXPECT_TRUE(encodeTexel(ImageFormat::R32i, {0xFFFFFFFF, 0, 0, 0}, bytes));
  EXPECT_EQ(decodeTexel(ImageFormat::R32i, bytes)[0], 0xFFFFFFFFu);
  encodeTexel(ImageFormat::Rgba16, {bitsOf(std::nanf("")), 0, 0, 0}, bytes);
  EXPECT_EQ(bytes[0] | bytes[1], 0);
}

TEST(ImageFormats, FillByNumbers) {
  uint8_t bytes[16];
  double values[] = {0.5, -3, 7.9, 1};
  encodeTexelValues(ImageFormat::Rgba32i, values, bytes);
  EXPECT_EQ(decodeTexel(ImageFormat::Rgba32i, bytes), (Texel{0, 0xFFFFFFFD, 7, 1}));
  encodeTexelValues(ImageFormat::Rgba16f, values, bytes);
  EXPECT_EQ(decodeTexel(ImageFormat::Rgba16f, bytes), floats(0.5f, -3, 7.8984375f, 1));
}

} // namespace
} // namespace lanewise::driver
