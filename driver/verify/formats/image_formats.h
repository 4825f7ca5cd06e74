// Formats of image texels: their names, and texels as bytes and as the components that a shader
// sees. Vulkan 1.3, "Formats" and "Numeric Format Conversion".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// The formats that GLSL has names for, plus some that compute shaders only sample.
enum class ImageFormat : uint8_t {
  Rgba32f,
  Rgba16f,
  Rg32f,
  Rg16f,
  R32f,
  R16f,
  R11fG11fB10f,
  Rgba16,
  Rgb10A2,
  Rgba8,
  Rg16,
  Rg8,
  R16,
  R8,
  Rgba16Snorm,
  Rgba8Snorm,
  Rg16Snorm,
  Rg8Snorm,
  R16Snorm,
  R8Snorm,
  Rgba32i,
  Rgba16i,
  Rgba8i,
  Rg32i,
  Rg16i,
  Rg8i,
  R32i,
  R16i,
  R8i,
  R64i,
  Rgba32ui,
  Rgba16ui,
  Rgb10A2ui,
  Rgba8ui,
  Rg32ui,
  Rg16ui,
  Rg8ui,
  R32ui,
  R16ui,
  R8ui,
  R64ui
};
constexpr uint32_t kImageFormats = uint32_t(ImageFormat::R64ui) + 1;

enum class TexelKind : uint8_t { Float, Unorm, Snorm, Signed, Unsigned };

struct ImageFormatInfo {
  const char* name; ///< as GLSL and scenarios spell it: "rgba8_snorm"
  uint32_t spirv;   ///< SPIR-V's Image Format
  uint32_t vulkan;  ///< VkFormat
  TexelKind kind;
  std::array<uint8_t, 4> bits; ///< of the components, from the lowest bit on; 0: not there
  uint32_t bytes;              ///< of a texel
  uint32_t components() const {
    uint32_t count = 0;
    while (count < 4 && bits[count]) ++count;
    return count;
  }
  bool isInteger() const { return kind == TexelKind::Signed || kind == TexelKind::Unsigned; }
  /// Bits of a component as a shader sees it: 64 for r64i and r64ui, else 32.
  uint32_t shaderWidth() const { return bits[0] == 64 ? 64 : 32; }
};
const ImageFormatInfo& infoOf(ImageFormat format);
std::optional<ImageFormat> findImageFormat(std::string_view name);
/// Of an Image Format operand; nothing for Unknown and for numbers that are not in the table.
std::optional<ImageFormat> imageFormatOf(uint32_t spirv);

/// Four components as a shader sees them, one cell each: f32 bits, or integers of shaderWidth()
/// bits, zero-extended from there.
using Texel = std::array<uint64_t, 4>;

/// Components that the format lacks are 0, the last one 1 ("Component Substitution").
Texel decodeTexel(ImageFormat format, const uint8_t* from);
/// Nearest values, ties to even; out-of-range ones as the nearest end of the range, a NaN as 0
/// where the format has none. False if an integer does not fit, which Vulkan leaves undefined (its
/// low bits are written).
bool encodeTexel(ImageFormat format, const Texel& texel, uint8_t* to);

/// The same with values as numbers, for filling: integers rounded towards zero.
void encodeTexelValues(ImageFormat format, std::span<const double> values, uint8_t* to);

} // namespace lanewise::driver
