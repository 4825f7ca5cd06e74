#include "verify/formats/image_shape.h"

#include <algorithm>
#include <bit>
#include <spirv/unified1/spirv.hpp11>

namespace lanewise::driver {

std::string_view nameOf(ImageDimension dimension) {
  switch (dimension) {
  case ImageDimension::Dim1D:
    return "1d";
  case ImageDimension::Dim2D:
    return "2d";
  case ImageDimension::Dim3D:
    return "3d";
  case ImageDimension::Cube:
    return "cube";
  case ImageDimension::Buffer:
    break;
  }
  return "buffer";
}

std::optional<ImageDimension> imageDimensionOf(uint32_t spirv) {
  switch (spv::Dim(spirv)) {
  case spv::Dim::Dim1D:
    return ImageDimension::Dim1D;
  case spv::Dim::Dim2D:
    return ImageDimension::Dim2D;
  case spv::Dim::Dim3D:
    return ImageDimension::Dim3D;
  case spv::Dim::Cube:
    return ImageDimension::Cube;
  case spv::Dim::Buffer:
    return ImageDimension::Buffer;
  default:
    return std::nullopt;
  }
}

std::array<uint32_t, 3> ImageShape::extent(uint32_t level) const {
  return {std::max(width >> level, 1u), std::max(height >> level, 1u),
          std::max(depth >> level, 1u)};
}

uint64_t ImageShape::levelTexels(uint32_t level) const {
  auto [x, y, z] = extent(level);
  return uint64_t(x) * y * z * faces();
}

uint64_t ImageShape::levelOffset(uint32_t level) const {
  uint64_t texels = 0;
  for (uint32_t l = 0; l < level; ++l) texels += levelTexels(l);
  return texels * infoOf(format).bytes;
}

uint64_t ImageShape::texels() const {
  return bytes() / infoOf(format).bytes;
}

uint32_t ImageShape::mostLevels() const {
  if (dimension == ImageDimension::Buffer) return 1;
  return uint32_t(std::bit_width(std::max({width, height, depth})));
}

} // namespace lanewise::driver
