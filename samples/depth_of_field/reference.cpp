// The sample's reference on the CPU: writes, as raw floats, what depth_of_field.comp makes of the
// picture in reference.toml. WIDTH and HEIGHT are those of the target.
#include "common/reference.h"

#include <array>

namespace {

constexpr std::array<float, 19> kColours{12, 250, 3,  77,  191, 40, 0,   128, 255, 64,
                                         9,  210, 33, 170, 88,  5,  231, 150, 101};
constexpr std::array<float, 23> kCircles{2, 7, -3, 0, 8, 1,  -6, 4, 3, 5,  -8, 0,
                                         6, 2, -1, 7, 4, -5, 8,  1, 3, -2, 6};

/// What a pixel with the circle `other` gives to one with the circle `own` at that distance,
/// squared.
float weightOf(float other, float own, float distance2) {
  if (distance2 > other * other) return 0;
  const float near = distance2 <= 4 ? 4 : 1;
  if (other < own) return 2 * near;
  return distance2 > own * own ? 0 : near;
}

} // namespace

int main(int argc, char** argv) {
  const auto numbers =
      samples::numbersOf(argc, argv, 2, "depth_of_field_reference WIDTH HEIGHT OUTPUT");
  if (!numbers) return 1;
  const int width = static_cast<int>((*numbers)[0]), height = static_cast<int>((*numbers)[1]);
  const auto pixelAt = [&](int x, int y) {
    return static_cast<size_t>(y + 8) * static_cast<size_t>(width + 16) +
           static_cast<size_t>(x + 8);
  };

  std::vector<float> target;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      std::array<float, 4> sum{};
      for (int v = y / 16 * 16 - 8; v < y / 16 * 16 + 24; ++v)
        for (int u = x / 16 * 16 - 8; u < x / 16 * 16 + 24; ++u) {
          const size_t other = pixelAt(u, v);
          const float weight =
              weightOf(kCircles[other % kCircles.size()], kCircles[pixelAt(x, y) % kCircles.size()],
                       static_cast<float>((u - x) * (u - x) + (v - y) * (v - y)));
          for (size_t c = 0; c < 3; ++c)
            sum[c] += weight * kColours[(other * 4 + c) % kColours.size()];
          sum[3] += weight;
        }
      target.insert(target.end(), sum.begin(), sum.end());
    }
  return samples::write(argv[3], target);
}
