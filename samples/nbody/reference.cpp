// The sample's reference on the CPU: writes, as raw floats, the accelerations of the bodies in
// reference.toml, summed in double precision.
#include "common/reference.h"

#include <array>
#include <cmath>

int main(int argc, char** argv) {
  const auto numbers = samples::numbersOf(argc, argv, 1, "nbody_reference COUNT OUTPUT");
  if (!numbers) return 1;
  constexpr std::array<double, 13> kValues{0.25,  0.75, 0.125, 0.5,    0.875,  0.0625, 1.0,
                                           0.375, 0.0,  0.625, 0.9375, 0.1875, 0.4375};
  constexpr double kSoftness = 0.01f; // as the scenario hands it to the shader
  const size_t count = (*numbers)[0];
  // Component `c` of body `n`; the fourth is the mass.
  const auto value = [&](size_t n, size_t c) { return kValues[(n * 4 + c) % kValues.size()]; };

  std::vector<float> accelerations;
  for (size_t n = 0; n < count; ++n) {
    std::array<double, 3> sum{};
    for (size_t other = 0; other < count; ++other) {
      std::array<double, 3> way{};
      double square = kSoftness;
      for (size_t c = 0; c < 3; ++c) {
        way[c] = value(other, c) - value(n, c);
        square += way[c] * way[c];
      }
      for (size_t c = 0; c < 3; ++c) sum[c] += way[c] * value(other, 3) / std::pow(square, 1.5);
    }
    for (double component : sum) accelerations.push_back(static_cast<float>(component));
    accelerations.push_back(0.0f);
  }
  return samples::write(argv[2], accelerations);
}
