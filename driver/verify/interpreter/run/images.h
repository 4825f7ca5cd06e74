// Images as the interpreter sees them: where a texel lies, what sampling gives, what queries
// answer. Pure functions over an image's shape and bytes (image_shape.h). Vulkan 1.3, "Image
// Operations".
#pragma once

#include "verify/formats/image_shape.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace lanewise::driver {

struct ImageView {
  const ImageShape* shape = nullptr;
  const uint8_t* bytes = nullptr; ///< shape->bytes() of them
};

/// Byte offset of the texel at integer coordinates, as OpImageFetch, OpImageRead, OpImageWrite and
/// OpImageTexelPointer have them: x, y, z as far as the dimension goes, then the layer of an array;
/// of a cube x, y and face (of an array face + 6 * cube). Nothing if it lies outside. An atomic
/// operation on a texel of one 32- or 64-bit component works on the bytes at this offset.
std::optional<uint64_t> texelOffset(const ImageShape& shape, std::span<const int64_t> coordinate,
                                    uint32_t level = 0);
/// How many coordinates that takes: 1 to 3.
uint32_t coordinateCount(const ImageShape& shape);

/// OpImageQuerySize and OpImageQuerySizeLod: width, height, depth as far as the dimension goes,
/// then the layers of an array (of a cube array its cubes).
struct ImageSize {
  std::array<uint32_t, 3> components{};
  uint32_t count = 0;
};
ImageSize querySize(const ImageShape& shape, uint32_t level = 0);

/// The texels that an operation read, as byte offsets; twice the same where it read one twice.
struct Footprint {
  std::array<uint64_t, 16> offsets{};
  uint32_t count = 0;
  void add(uint64_t offset) {
    if (count < offsets.size()) offsets[count++] = offset;
  }
};

/// Coordinates as OpImageSampleExplicitLod has them, normalized: s, t, r as far as the dimension
/// goes (of a cube the direction), then the layer of an array.
struct SampleRequest {
  std::array<float, 4> coordinate{};
  float lod = 0;                   ///< of Lod, or levelOfDetail() of Grad
  std::array<int32_t, 3> offset{}; ///< ConstOffset, in texels; not of cubes
};

/// OpImageSampleExplicitLod. Where a device filters linearly, the weights have at least
/// subTexelPrecisionBits (4 or more) of it; here they are floats, so that results may differ by
/// 2^-4 of the difference between neighbours, and by the choice between two texels where a
/// coordinate falls on their border.
Texel sampleImage(ImageView view, const SamplerSettings& sampler, const SampleRequest& request,
                  Footprint* footprint = nullptr);

/// OpImageGather: component `component` of the four texels that linear filtering of level 0 would
/// read, in the order of the specification: (i0, j1), (i1, j1), (i1, j0), (i0, j0). 2D and cube.
Texel gatherImage(ImageView view, const SamplerSettings& sampler, const SampleRequest& request,
                  uint32_t component, Footprint* footprint = nullptr);

/// The level of detail for the operand Grad: log2 of the longer of the two gradients in texels of
/// level 0. Not of cubes.
float levelOfDetail(const ImageShape& shape, std::span<const float> ddx,
                    std::span<const float> ddy);

} // namespace lanewise::driver
