// The sample's reference on the CPU: writes, as raw words, what a step of particles.comp makes of
// the particles in reference.toml. All results are exact in a float, so they may be computed in
// double precision.
#include "common/reference.h"

#include <algorithm>
#include <array>
#include <bit>

namespace {

constexpr std::array<double, 29> kValues{0.25,  12, -3.5, 8.75, 20.25, -0.5,  6,  -14.25, 3,   1.5,
                                         -9.75, 15, 0,    4.5,  -6.25, 11.75, 2,  -1,     30,  7.25,
                                         -18.5, 9,  0.75, -4,   25.5,  13.25, -7, 5.25,   16.5};
constexpr size_t kWords = 16, kCluster = 64, kReach = 16;
constexpr double kStep = 1.0 / 16.0, kFloor = -8.0, kPull = 1.0 / 64.0;

// Where a particle's position, life and velocity start among its words.
constexpr size_t kPosition = 0, kLife = 3, kVelocity = 8, kSeed = 15;

double initial(size_t particle, size_t word) {
  return kValues[(particle * kWords + word) % kValues.size()];
}

/// How a particle is drawn to the others of its cluster in one component of position or velocity.
double pullOf(size_t particle, size_t word, size_t count) {
  double sum = 0;
  for (size_t n = 1; n <= kReach; ++n) {
    const size_t other = particle / kCluster * kCluster + (particle + n) % kCluster;
    if (other < count && initial(other, kLife) > 0)
      sum += initial(other, word) - initial(particle, word);
  }
  return sum * kPull;
}

} // namespace

int main(int argc, char** argv) {
  const auto numbers = samples::numbersOf(argc, argv, 1, "particles_reference COUNT OUTPUT");
  if (!numbers) return 1;
  const size_t count = (*numbers)[0];
  std::vector<uint32_t> words;
  for (size_t n = 0; n < count; ++n) {
    std::array<double, kWords> particle{};
    for (size_t word = 0; word < kWords; ++word) particle[word] = initial(n, word);
    double* position = &particle[kPosition];
    double* velocity = &particle[kVelocity];
    if (particle[kLife] > 0) {
      for (size_t c = 0; c < 3; ++c)
        velocity[c] += pullOf(n, kPosition + c, count) + pullOf(n, kVelocity + c, count);
      velocity[1] -= 0.25;
      for (size_t c = 0; c < 3; ++c) position[c] += velocity[c] * kStep;
      if (position[1] < kFloor) {
        position[1] = 2 * kFloor - position[1];
        velocity[1] *= -0.5;
      }
      particle[kLife] -= kStep;
    } else {
      for (size_t c = 0; c < 3; ++c) velocity[c] *= 0.5;
      position[1] = std::max(position[1] - kStep, kFloor);
    }
    for (size_t word = 0; word < kWords; ++word)
      words.push_back(word == kSeed ? static_cast<uint32_t>(static_cast<int64_t>(particle[word]))
                                    : std::bit_cast<uint32_t>(static_cast<float>(particle[word])));
  }
  return samples::write(argv[2], words);
}
