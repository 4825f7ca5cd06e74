#include "verify/interpreter/run/images.h"

#include "verify/formats/float_bits.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lanewise::driver {
namespace {

uint32_t dimensions(ImageDimension dimension) {
  switch (dimension) {
  case ImageDimension::Dim1D:
  case ImageDimension::Buffer:
    return 1;
  case ImageDimension::Dim3D:
    return 3;
  default:
    return 2;
  }
}

uint64_t offsetOf(const ImageShape& shape, const std::array<int64_t, 3>& at, uint32_t layer,
                  uint32_t level) {
  auto [width, height, depth] = shape.extent(level);
  uint64_t slice = uint64_t(layer) * depth + uint64_t(at[2]);
  uint64_t texel = (slice * height + uint64_t(at[1])) * width + uint64_t(at[0]);
  return shape.levelOffset(level) + texel * infoOf(shape.format).bytes;
}

// Far outside stays far outside; a NaN has no place and becomes 0.
int64_t toInteger(float value) {
  if (std::isnan(value)) return 0;
  return int64_t(std::clamp(value, -0x1p40f, 0x1p40f));
}

int64_t mirror(int64_t n) {
  return n >= 0 ? n : -(1 + n);
}

int64_t modulo(int64_t a, int64_t b) {
  return (a % b + b) % b;
}

// "Wrapping Operation"; nothing where the border colour stands.
std::optional<int64_t> wrap(int64_t i, int64_t size, SamplerAddress address) {
  switch (address) {
  case SamplerAddress::Repeat:
    return modulo(i, size);
  case SamplerAddress::MirroredRepeat:
    return size - 1 - mirror(modulo(i, 2 * size) - size);
  case SamplerAddress::ClampToEdge:
    return std::clamp<int64_t>(i, 0, size - 1);
  case SamplerAddress::ClampToBorder:
    return i >= 0 && i < size ? std::optional(i) : std::nullopt;
  case SamplerAddress::MirrorClampToEdge:
    break;
  }
  return std::clamp<int64_t>(mirror(i), 0, size - 1);
}

Texel borderTexel(ImageFormat format, SamplerBorder border) {
  uint64_t one = infoOf(format).isInteger() ? 1 : bitsOf(1.0f);
  uint64_t colour = border == SamplerBorder::OpaqueWhite ? one : 0;
  uint64_t alpha = border == SamplerBorder::TransparentBlack ? 0 : one;
  Texel texel{colour, colour, colour, alpha};
  // A component that the format lacks is not replaced by the border's.
  uint32_t components = infoOf(format).components();
  for (uint32_t c = components; c < 4; ++c) texel[c] = c == 3 ? one : 0;
  return texel;
}

// A face of a cube and the place on it, -1 to 1 ("Cube Map Face Selection").
struct FacePlace {
  uint32_t face = 0;
  float s = 0, t = 0;
};

FacePlace selectFace(float x, float y, float z) {
  float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  if (az >= ax && az >= ay)
    return z < 0 ? FacePlace{5, -x / az, -y / az} : FacePlace{4, x / az, -y / az};
  if (ay >= ax) return y < 0 ? FacePlace{3, x / ay, -z / ay} : FacePlace{2, x / ay, z / ay};
  return x < 0 ? FacePlace{1, z / ax, -y / ax} : FacePlace{0, -z / ax, -y / ax};
}

std::array<float, 3> directionOf(uint32_t face, float s, float t) {
  switch (face) {
  case 0:
    return {1, -t, -s};
  case 1:
    return {-1, -t, s};
  case 2:
    return {s, 1, t};
  case 3:
    return {s, -1, -t};
  case 4:
    return {s, -t, 1};
  default:
    return {-s, -t, -1};
  }
}

// One sampling operation.
class Sampling {
public:
  Sampling(ImageView view, const SamplerSettings& sampler, const SampleRequest& request,
           Footprint* footprint)
      : view_(view), shape_(*view.shape), sampler_(sampler), request_(request),
        footprint_(footprint), dimensions_(dimensions(shape_.dimension)) {
    place();
  }

  Texel run() const {
    float highest = float(shape_.levels - 1);
    float lod = std::isnan(request_.lod) ? 0 : std::clamp(request_.lod, 0.0f, highest);
    if (sampler_.mipmap == SamplerFilter::Nearest) {
      // "Image Level(s) Selection": the preferred rounding, of halves downwards.
      return atLevel(uint32_t(std::max(std::ceil(lod + 0.5f) - 1, 0.0f)));
    }
    uint32_t fine = uint32_t(lod), coarse = std::min(fine + 1, shape_.levels - 1);
    float weight = lod - float(fine);
    Texel first = atLevel(fine);
    if (weight == 0) return first;
    return blend(first, atLevel(coarse), weight);
  }

  Texel gather(uint32_t component) const {
    Corners corners = cornersOf(0);
    auto at = [&](uint32_t i, uint32_t j) { return corner(corners, i, j, 0, 0)[component]; };
    return {at(0, 1), at(1, 1), at(1, 0), at(0, 0)};
  }

private:
  // The lower of the two texels in each direction, and the weight of the upper one.
  struct Corners {
    std::array<int64_t, 3> low{};
    std::array<float, 3> weight{};
  };

  // Normalized coordinates 0 to 1 and the layer; a cube's by its face.
  void place() {
    const auto& c = request_.coordinate;
    uint32_t next = dimensions_;
    if (shape_.dimension == ImageDimension::Cube) {
      FacePlace face = selectFace(c[0], c[1], c[2]);
      face_ = face.face;
      normalized_ = {0.5f * face.s + 0.5f, 0.5f * face.t + 0.5f, 0};
      next = 3;
    } else {
      for (uint32_t d = 0; d < dimensions_; ++d) normalized_[d] = c[d];
    }
    if (shape_.isArray) {
      float layer = std::isnan(c[next]) ? 0 : std::nearbyint(c[next]);
      layer_ = uint32_t(std::clamp(layer, 0.0f, float(shape_.layers - 1)));
    }
  }

  Texel atLevel(uint32_t level) const {
    if (sampler_.filter == SamplerFilter::Nearest) return nearest(level);
    Corners corners = cornersOf(level);
    if (shape_.dimension == ImageDimension::Cube) return linearOnCube(corners, level);
    Texel alongZ[2];
    uint32_t slices = dimensions_ == 3 ? 2 : 1;
    for (uint32_t k = 0; k < slices; ++k) {
      Texel rows[2];
      uint32_t count = dimensions_ >= 2 ? 2 : 1;
      for (uint32_t j = 0; j < count; ++j) {
        Texel left = corner(corners, 0, j, k, level);
        rows[j] = blend(left, corner(corners, 1, j, k, level), corners.weight[0]);
      }
      alongZ[k] = count == 2 ? blend(rows[0], rows[1], corners.weight[1]) : rows[0];
    }
    return slices == 2 ? blend(alongZ[0], alongZ[1], corners.weight[2]) : alongZ[0];
  }

  Texel nearest(uint32_t level) const {
    std::array<int64_t, 3> at{};
    auto extent = shape_.extent(level);
    for (uint32_t d = 0; d < dimensions_; ++d)
      at[d] = toInteger(std::floor(normalized_[d] * float(extent[d]))) + request_.offset[d];
    // On the edge of a cube's face 1.0 belongs to its last texel.
    if (shape_.dimension == ImageDimension::Cube)
      for (uint32_t d = 0; d < 2; ++d) at[d] = std::clamp<int64_t>(at[d], 0, extent[d] - 1);
    return texel(at, level);
  }

  Corners cornersOf(uint32_t level) const {
    Corners corners;
    auto extent = shape_.extent(level);
    for (uint32_t d = 0; d < dimensions_; ++d) {
      float u = normalized_[d] * float(extent[d]) - 0.5f, low = std::floor(u);
      corners.low[d] = toInteger(low) + request_.offset[d];
      corners.weight[d] = std::isfinite(u) ? u - low : 0;
    }
    return corners;
  }

  Texel corner(const Corners& corners, uint32_t i, uint32_t j, uint32_t k, uint32_t level) const {
    std::array<int64_t, 3> at{corners.low[0] + i, 0, 0};
    if (dimensions_ >= 2) at[1] = corners.low[1] + j;
    if (dimensions_ == 3) at[2] = corners.low[2] + k;
    return texel(at, level);
  }

  // Where two edges meet there is no fourth texel: the mean of the others stands for it ("Cube Map
  // Edge Handling").
  Texel linearOnCube(const Corners& corners, uint32_t level) const {
    int64_t size = shape_.extent(level)[0];
    std::array<Texel, 4> four{};
    int missing = -1;
    for (uint32_t n = 0; n < 4; ++n) {
      int64_t i = corners.low[0] + (n & 1), j = corners.low[1] + (n >> 1);
      bool isOutI = i < 0 || i >= size, isOutJ = j < 0 || j >= size;
      if (isOutI && isOutJ)
        missing = int(n);
      else
        four[n] = texel({i, j, 0}, level);
    }
    if (missing >= 0)
      for (uint32_t c = 0; c < 4; ++c) {
        float sum = 0;
        for (int n = 0; n < 4; ++n)
          if (n != missing) sum += floatOf(four[size_t(n)][c]);
        four[size_t(missing)][c] = bitsOf(sum / 3);
      }
    return blend(blend(four[0], four[1], corners.weight[0]),
                 blend(four[2], four[3], corners.weight[0]), corners.weight[1]);
  }

  Texel texel(std::array<int64_t, 3> at, uint32_t level) const {
    auto extent = shape_.extent(level);
    uint32_t face = face_;
    if (shape_.dimension == ImageDimension::Cube) {
      acrossEdge(at, face, extent[0]);
    } else {
      for (uint32_t d = 0; d < dimensions_; ++d) {
        std::optional<int64_t> wrapped = wrap(at[d], extent[d], sampler_.address[d]);
        if (!wrapped) return borderTexel(shape_.format, sampler_.border);
        at[d] = *wrapped;
      }
    }
    bool isCube = shape_.dimension == ImageDimension::Cube;
    uint64_t offset = offsetOf(shape_, at, isCube ? 6 * layer_ + face : layer_, level);
    if (footprint_) footprint_->add(offset);
    return decodeTexel(shape_.format, view_.bytes + offset);
  }

  // A texel one step beyond a face's edge is one of the neighbouring face: its middle, seen from
  // the middle of the cube, falls on it.
  static void acrossEdge(std::array<int64_t, 3>& at, uint32_t& face, uint32_t size) {
    auto isInside = [&](int64_t i) { return i >= 0 && i < int64_t(size); };
    if (isInside(at[0]) && isInside(at[1])) return;
    auto middle = [&](int64_t i) { return (float(2 * i + 1) / float(size)) - 1; };
    auto [x, y, z] = directionOf(face, middle(at[0]), middle(at[1]));
    FacePlace found = selectFace(x, y, z);
    face = found.face;
    auto index = [&](float place) {
      return std::clamp<int64_t>(toInteger(std::floor((place + 1) / 2 * float(size))), 0,
                                 int64_t(size) - 1);
    };
    at = {index(found.s), index(found.t), 0};
  }

  static Texel blend(const Texel& a, const Texel& b, float weight) {
    Texel result;
    for (uint32_t c = 0; c < 4; ++c)
      result[c] = bitsOf(floatOf(a[c]) * (1 - weight) + floatOf(b[c]) * weight);
    return result;
  }

  ImageView view_;
  const ImageShape& shape_;
  const SamplerSettings& sampler_;
  const SampleRequest& request_;
  Footprint* footprint_;
  uint32_t dimensions_;
  std::array<float, 3> normalized_{};
  uint32_t face_ = 0, layer_ = 0;
};

} // namespace

uint32_t coordinateCount(const ImageShape& shape) {
  if (shape.dimension == ImageDimension::Cube) return 3;
  return dimensions(shape.dimension) + (shape.isArray ? 1 : 0);
}

std::optional<uint64_t> texelOffset(const ImageShape& shape, std::span<const int64_t> coordinate,
                                    uint32_t level) {
  if (level >= shape.levels) return std::nullopt;
  auto extent = shape.extent(level);
  std::array<int64_t, 3> at{};
  uint32_t count = dimensions(shape.dimension);
  for (uint32_t d = 0; d < count; ++d) {
    at[d] = coordinate[d];
    if (at[d] < 0 || at[d] >= int64_t(extent[d])) return std::nullopt;
  }
  int64_t layer = coordinateCount(shape) > count ? coordinate[count] : 0;
  if (layer < 0 || layer >= int64_t(shape.faces())) return std::nullopt;
  return offsetOf(shape, at, uint32_t(layer), level);
}

ImageSize querySize(const ImageShape& shape, uint32_t level) {
  ImageSize size;
  auto extent = shape.extent(level);
  size.count = dimensions(shape.dimension);
  for (uint32_t d = 0; d < size.count; ++d) size.components[d] = extent[d];
  if (shape.isArray) size.components[size.count++] = shape.layers;
  return size;
}

Texel sampleImage(ImageView view, const SamplerSettings& sampler, const SampleRequest& request,
                  Footprint* footprint) {
  return Sampling(view, sampler, request, footprint).run();
}

Texel gatherImage(ImageView view, const SamplerSettings& sampler, const SampleRequest& request,
                  uint32_t component, Footprint* footprint) {
  return Sampling(view, sampler, request, footprint).gather(component);
}

float levelOfDetail(const ImageShape& shape, std::span<const float> ddx,
                    std::span<const float> ddy) {
  auto extent = shape.extent(0);
  double x = 0, y = 0;
  for (size_t d = 0; d < ddx.size() && d < 3; ++d) {
    x += std::pow(double(ddx[d]) * extent[d], 2);
    y += std::pow(double(ddy[d]) * extent[d], 2);
  }
  return float(std::log2(std::max(x, y)) / 2);
}

} // namespace lanewise::driver
