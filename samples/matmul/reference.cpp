// The sample's reference on the CPU: writes, as raw floats, C = A B^T of the matrices in
// reference.toml.
#include "common/reference.h"

#include <array>

int main(int argc, char** argv) {
  const auto numbers = samples::numbersOf(argc, argv, 3, "matmul_reference M N K OUTPUT");
  if (!numbers) return 1;
  const size_t m = (*numbers)[0], n = (*numbers)[1], k = (*numbers)[2];
  constexpr std::array<int, 11> kValuesOfA{1, -3, 9, 4, -7, 2, 0, 5, -8, 6, -1};
  constexpr std::array<int, 13> kValuesOfB{2, 7, -5, 1, -9, 3, 8, -2, 0, 6, -4, 5, -6};
  std::vector<float> c(m * n);
  for (size_t row = 0; row < m; ++row)
    for (size_t column = 0; column < n; ++column) {
      int sum = 0;
      for (size_t i = 0; i < k; ++i)
        sum += kValuesOfA[(row * k + i) % kValuesOfA.size()] *
               kValuesOfB[(column * k + i) % kValuesOfB.size()];
      c[row * n + column] = static_cast<float>(sum);
    }
  return samples::write(argv[4], c);
}
