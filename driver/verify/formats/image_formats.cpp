#include "verify/formats/image_formats.h"

#include "verify/formats/float_bits.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <spirv/unified1/spirv.hpp11>
#include <vulkan/vulkan_core.h>

namespace lanewise::driver {
namespace {

// In the order of ImageFormat.
constexpr std::array<ImageFormatInfo, kImageFormats> kFormats{{
    {"rgba32f",
     uint32_t(spv::ImageFormat::Rgba32f),
     VK_FORMAT_R32G32B32A32_SFLOAT,
     TexelKind::Float,
     {32, 32, 32, 32},
     16},
    {"rgba16f",
     uint32_t(spv::ImageFormat::Rgba16f),
     VK_FORMAT_R16G16B16A16_SFLOAT,
     TexelKind::Float,
     {16, 16, 16, 16},
     8},
    {"rg32f",
     uint32_t(spv::ImageFormat::Rg32f),
     VK_FORMAT_R32G32_SFLOAT,
     TexelKind::Float,
     {32, 32, 0, 0},
     8},
    {"rg16f",
     uint32_t(spv::ImageFormat::Rg16f),
     VK_FORMAT_R16G16_SFLOAT,
     TexelKind::Float,
     {16, 16, 0, 0},
     4},
    {"r32f",
     uint32_t(spv::ImageFormat::R32f),
     VK_FORMAT_R32_SFLOAT,
     TexelKind::Float,
     {32, 0, 0, 0},
     4},
    {"r16f",
     uint32_t(spv::ImageFormat::R16f),
     VK_FORMAT_R16_SFLOAT,
     TexelKind::Float,
     {16, 0, 0, 0},
     2},
    {"r11f_g11f_b10f",
     uint32_t(spv::ImageFormat::R11fG11fB10f),
     VK_FORMAT_B10G11R11_UFLOAT_PACK32,
     TexelKind::Float,
     {11, 11, 10, 0},
     4},
    {"rgba16",
     uint32_t(spv::ImageFormat::Rgba16),
     VK_FORMAT_R16G16B16A16_UNORM,
     TexelKind::Unorm,
     {16, 16, 16, 16},
     8},
    {"rgb10_a2",
     uint32_t(spv::ImageFormat::Rgb10A2),
     VK_FORMAT_A2B10G10R10_UNORM_PACK32,
     TexelKind::Unorm,
     {10, 10, 10, 2},
     4},
    {"rgba8",
     uint32_t(spv::ImageFormat::Rgba8),
     VK_FORMAT_R8G8B8A8_UNORM,
     TexelKind::Unorm,
     {8, 8, 8, 8},
     4},
    {"rg16",
     uint32_t(spv::ImageFormat::Rg16),
     VK_FORMAT_R16G16_UNORM,
     TexelKind::Unorm,
     {16, 16, 0, 0},
     4},
    {"rg8",
     uint32_t(spv::ImageFormat::Rg8),
     VK_FORMAT_R8G8_UNORM,
     TexelKind::Unorm,
     {8, 8, 0, 0},
     2},
    {"r16",
     uint32_t(spv::ImageFormat::R16),
     VK_FORMAT_R16_UNORM,
     TexelKind::Unorm,
     {16, 0, 0, 0},
     2},
    {"r8", uint32_t(spv::ImageFormat::R8), VK_FORMAT_R8_UNORM, TexelKind::Unorm, {8, 0, 0, 0}, 1},
    {"rgba16_snorm",
     uint32_t(spv::ImageFormat::Rgba16Snorm),
     VK_FORMAT_R16G16B16A16_SNORM,
     TexelKind::Snorm,
     {16, 16, 16, 16},
     8},
    {"rgba8_snorm",
     uint32_t(spv::ImageFormat::Rgba8Snorm),
     VK_FORMAT_R8G8B8A8_SNORM,
     TexelKind::Snorm,
     {8, 8, 8, 8},
     4},
    {"rg16_snorm",
     uint32_t(spv::ImageFormat::Rg16Snorm),
     VK_FORMAT_R16G16_SNORM,
     TexelKind::Snorm,
     {16, 16, 0, 0},
     4},
    {"rg8_snorm",
     uint32_t(spv::ImageFormat::Rg8Snorm),
     VK_FORMAT_R8G8_SNORM,
     TexelKind::Snorm,
     {8, 8, 0, 0},
     2},
    {"r16_snorm",
     uint32_t(spv::ImageFormat::R16Snorm),
     VK_FORMAT_R16_SNORM,
     TexelKind::Snorm,
     {16, 0, 0, 0},
     2},
    {"r8_snorm",
     uint32_t(spv::ImageFormat::R8Snorm),
     VK_FORMAT_R8_SNORM,
     TexelKind::Snorm,
     {8, 0, 0, 0},
     1},
    {"rgba32i",
     uint32_t(spv::ImageFormat::Rgba32i),
     VK_FORMAT_R32G32B32A32_SINT,
     TexelKind::Signed,
     {32, 32, 32, 32},
     16},
    {"rgba16i",
     uint32_t(spv::ImageFormat::Rgba16i),
     VK_FORMAT_R16G16B16A16_SINT,
     TexelKind::Signed,
     {16, 16, 16, 16},
     8},
    {"rgba8i",
     uint32_t(spv::ImageFormat::Rgba8i),
     VK_FORMAT_R8G8B8A8_SINT,
     TexelKind::Signed,
     {8, 8, 8, 8},
     4},
    {"rg32i",
     uint32_t(spv::ImageFormat::Rg32i),
     VK_FORMAT_R32G32_SINT,
     TexelKind::Signed,
     {32, 32, 0, 0},
     8},
    {"rg16i",
     uint32_t(spv::ImageFormat::Rg16i),
     VK_FORMAT_R16G16_SINT,
     TexelKind::Signed,
     {16, 16, 0, 0},
     4},
    {"rg8i",
     uint32_t(spv::ImageFormat::Rg8i),
     VK_FORMAT_R8G8_SINT,
     TexelKind::Signed,
     {8, 8, 0, 0},
     2},
    {"r32i",
     uint32_t(spv::ImageFormat::R32i),
     VK_FORMAT_R32_SINT,
     TexelKind::Signed,
     {32, 0, 0, 0},
     4},
    {"r16i",
     uint32_t(spv::ImageFormat::R16i),
     VK_FORMAT_R16_SINT,
     TexelKind::Signed,
     {16, 0, 0, 0},
     2},
    {"r8i", uint32_t(spv::ImageFormat::R8i), VK_FORMAT_R8_SINT, TexelKind::Signed, {8, 0, 0, 0}, 1},
    {"r64i",
     uint32_t(spv::ImageFormat::R64i),
     VK_FORMAT_R64_SINT,
     TexelKind::Signed,
     {64, 0, 0, 0},
     8},
    {"rgba32ui",
     uint32_t(spv::ImageFormat::Rgba32ui),
     VK_FORMAT_R32G32B32A32_UINT,
     TexelKind::Unsigned,
     {32, 32, 32, 32},
     16},
    {"rgba16ui",
     uint32_t(spv::ImageFormat::Rgba16ui),
     VK_FORMAT_R16G16B16A16_UINT,
     TexelKind::Unsigned,
     {16, 16, 16, 16},
     8},
    {"rgb10_a2ui",
     uint32_t(spv::ImageFormat::Rgb10a2ui),
     VK_FORMAT_A2B10G10R10_UINT_PACK32,
     TexelKind::Unsigned,
     {10, 10, 10, 2},
     4},
    {"rgba8ui",
     uint32_t(spv::ImageFormat::Rgba8ui),
     VK_FORMAT_R8G8B8A8_UINT,
     TexelKind::Unsigned,
     {8, 8, 8, 8},
     4},
    {"rg32ui",
     uint32_t(spv::ImageFormat::Rg32ui),
     VK_FORMAT_R32G32_UINT,
     TexelKind::Unsigned,
     {32, 32, 0, 0},
     8},
    {"rg16ui",
     uint32_t(spv::ImageFormat::Rg16ui),
     VK_FORMAT_R16G16_UINT,
     TexelKind::Unsigned,
     {16, 16, 0, 0},
     4},
    {"rg8ui",
     uint32_t(spv::ImageFormat::Rg8ui),
     VK_FORMAT_R8G8_UINT,
     TexelKind::Unsigned,
     {8, 8, 0, 0},
     2},
    {"r32ui",
     uint32_t(spv::ImageFormat::R32ui),
     VK_FORMAT_R32_UINT,
     TexelKind::Unsigned,
     {32, 0, 0, 0},
     4},
    {"r16ui",
     uint32_t(spv::ImageFormat::R16ui),
     VK_FORMAT_R16_UINT,
     TexelKind::Unsigned,
     {16, 0, 0, 0},
     2},
    {"r8ui",
     uint32_t(spv::ImageFormat::R8ui),
     VK_FORMAT_R8_UINT,
     TexelKind::Unsigned,
     {8, 0, 0, 0},
     1},
    {"r64ui",
     uint32_t(spv::ImageFormat::R64ui),
     VK_FORMAT_R64_UINT,
     TexelKind::Unsigned,
     {64, 0, 0, 0},
     8},
}};

// A texel as one number; no component crosses the middle.
using TexelBits = std::array<uint64_t, 2>;

// Floats of 10 and 11 bits are halves without sign and without their last fraction bits.
uint64_t decodeFloatComponent(uint64_t bits, uint32_t width) {
  if (width < 16) return convertFloat(16, bits << (15 - width), 32);
  return convertFloat(width, bits, 32);
}

uint64_t encodeFloatComponent(uint64_t single, uint32_t width) {
  if (width >= 16) return convertFloat(32, single, width);
  uint32_t dropped = 15 - width;
  double value = decodeFloat(32, single);
  if (std::isnan(value)) return lowBits(~uint64_t(0), width);
  if (!(value > 0)) return 0;
  uint64_t infinity = uint64_t(0x7C00) >> dropped;
  uint64_t below = encodeFloat(16, value, Rounding::TowardZero) >> dropped;
  if (below == infinity) return infinity;
  double low = decodeFloat(16, below << dropped);
  double high = below + 1 == infinity ? 65536 : decodeFloat(16, (below + 1) << dropped);
  bool goesUp = value - low > high - value || (value - low == high - value && (below & 1));
  return below + goesUp;
}

uint64_t decodeComponent(const ImageFormatInfo& info, uint64_t bits, uint32_t width) {
  switch (info.kind) {
  case TexelKind::Float:
    return decodeFloatComponent(bits, width);
  case TexelKind::Unorm:
    return bitsOf(float(bits) / float(lowBits(~uint64_t(0), width)));
  case TexelKind::Snorm: {
    float largest = float(lowBits(~uint64_t(0), width - 1));
    return bitsOf(std::max(float(signedOf(bits, width)) / largest, -1.0f));
  }
  case TexelKind::Signed:
    return lowBits(uint64_t(signedOf(bits, width)), info.shaderWidth());
  case TexelKind::Unsigned:
    break;
  }
  return bits;
}

uint64_t encodeComponent(const ImageFormatInfo& info, uint64_t cell, uint32_t width) {
  if (info.kind == TexelKind::Float) return encodeFloatComponent(cell, width);
  if (info.isInteger()) return lowBits(cell, width);
  bool isSigned = info.kind == TexelKind::Snorm;
  double largest = double(lowBits(~uint64_t(0), isSigned ? width - 1 : width));
  double value = decodeFloat(32, cell);
  if (std::isnan(value)) return 0;
  double scaled = std::nearbyint(std::clamp(value, isSigned ? -1.0 : 0.0, 1.0) * largest);
  return lowBits(uint64_t(int64_t(scaled)), width);
}

// Whether a shader's integer has a place in `width` bits.
bool fits(const ImageFormatInfo& info, uint64_t cell, uint32_t width) {
  if (info.kind == TexelKind::Unsigned) return lowBits(cell, width) == cell;
  int64_t value = signedOf(cell, info.shaderWidth());
  return signedOf(lowBits(cell, width), width) == value;
}

} // namespace

const ImageFormatInfo& infoOf(ImageFormat format) {
  return kFormats[size_t(format)];
}

std::optional<ImageFormat> findImageFormat(std::string_view name) {
  for (uint32_t i = 0; i < kImageFormats; ++i)
    if (name == kFormats[i].name) return ImageFormat(i);
  return std::nullopt;
}

std::optional<ImageFormat> imageFormatOf(uint32_t spirv) {
  for (uint32_t i = 0; i < kImageFormats; ++i)
    if (kFormats[i].spirv == spirv) return ImageFormat(i);
  return std::nullopt;
}

Texel decodeTexel(ImageFormat format, const uint8_t* from) {
  const ImageFormatInfo& info = infoOf(format);
  TexelBits bits{};
  std::memcpy(bits.data(), from, info.bytes);
  Texel texel{0, 0, 0, info.isInteger() ? uint64_t(1) : bitsOf(1.0f)};
  uint32_t at = 0;
  for (uint32_t i = 0; i < info.components(); ++i) {
    uint32_t width = info.bits[i];
    texel[i] = decodeComponent(info, lowBits(bits[at / 64] >> at % 64, width), width);
    at += width;
  }
  return texel;
}

bool encodeTexel(ImageFormat format, const Texel& texel, uint8_t* to) {
  const ImageFormatInfo& info = infoOf(format);
  TexelBits bits{};
  bool allFit = true;
  uint32_t at = 0;
  for (uint32_t i = 0; i < info.components(); ++i) {
    uint32_t width = info.bits[i];
    bits[at / 64] |= encodeComponent(info, texel[i], width) << at % 64;
    allFit &= !info.isInteger() || fits(info, texel[i], width);
    at += width;
  }
  std::memcpy(to, bits.data(), info.bytes);
  return allFit;
}

void encodeTexelValues(ImageFormat format, std::span<const double> values, uint8_t* to) {
  const ImageFormatInfo& info = infoOf(format);
  Texel texel{};
  for (uint32_t i = 0; i < info.components(); ++i)
    texel[i] = info.isInteger() ? floatToSigned(64, bitsOf(values[i]), 64).bits
                                : encodeFloat(32, values[i]);
  encodeTexel(format, texel, to);
}

} // namespace lanewise::driver
