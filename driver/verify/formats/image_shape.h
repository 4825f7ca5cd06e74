// What an image is: format, extent, levels, layers, and how it is sampled. Its contents are bytes,
// level after level; in a level layer after layer, slice after slice, row after row, no padding.
#pragma once

#include "verify/formats/image_formats.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lanewise::driver {

/// Buffer: a texel buffer, one row of texels.
enum class ImageDimension : uint8_t { Dim1D, Dim2D, Dim3D, Cube, Buffer };
std::string_view nameOf(ImageDimension dimension); ///< "1d", "2d", "3d", "cube", "buffer"
/// Of the Dim operand of an OpTypeImage; nothing for those that compute shaders do not bind.
std::optional<ImageDimension> imageDimensionOf(uint32_t spirv);

enum class SamplerFilter : uint8_t { Nearest, Linear };
enum class SamplerAddress : uint8_t {
  Repeat,
  MirroredRepeat,
  ClampToEdge,
  ClampToBorder,
  MirrorClampToEdge
};
enum class SamplerBorder : uint8_t { TransparentBlack, OpaqueBlack, OpaqueWhite };

/// The sampler that goes with an image.
struct SamplerSettings {
  SamplerFilter filter = SamplerFilter::Nearest; ///< enlarging and shrinking alike
  SamplerFilter mipmap = SamplerFilter::Nearest; ///< between levels
  std::array<SamplerAddress, 3> address{SamplerAddress::ClampToEdge, SamplerAddress::ClampToEdge,
                                        SamplerAddress::ClampToEdge}; ///< of u, v, w
  SamplerBorder border = SamplerBorder::TransparentBlack;
  bool operator==(const SamplerSettings&) const = default;
};

struct ImageShape {
  ImageFormat format = ImageFormat::Rgba8;
  ImageDimension dimension = ImageDimension::Dim2D;
  uint32_t width = 1, height = 1, depth = 1; ///< of level 0, in texels
  uint32_t layers = 1;                       ///< of an array; cubes, not faces
  uint32_t levels = 1;
  bool isArray = false;
  SamplerSettings sampler;
  bool operator==(const ImageShape&) const = default;

  /// Layers as Vulkan counts them: six to a cube.
  uint32_t faces() const { return dimension == ImageDimension::Cube ? 6 * layers : layers; }
  /// Width, height and depth of a level, at least 1 each.
  std::array<uint32_t, 3> extent(uint32_t level) const;
  uint64_t levelTexels(uint32_t level) const; ///< of all its layers
  uint64_t levelOffset(uint32_t level) const; ///< bytes before it; of `levels` all bytes
  uint64_t texels() const;
  uint64_t bytes() const { return levelOffset(levels); }
  /// A whole chain ends with one texel.
  uint32_t mostLevels() const;
};

} // namespace lanewise::driver
