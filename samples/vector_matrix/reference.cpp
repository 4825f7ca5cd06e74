// The sample's reference on the CPU: writes, as raw floats, the product of vector and matrix in
// reference.toml.
#include "common/reference.h"

#include <array>

int main(int argc, char** argv) {
  const auto numbers =
      samples::numbersOf(argc, argv, 2, "vector_matrix_reference ROWS COLUMNS OUTPUT");
  if (!numbers) return 1;
  const size_t rows = (*numbers)[0], columns = (*numbers)[1];
  constexpr std::array<int, 11> kVector{1, -3, 9, 4, -7, 2, 0, 5, -8, 6, -1};
  constexpr std::array<int, 13> kMatrix{2, 7, -5, 1, -9, 3, 8, -2, 0, 6, -4, 5, -6};
  std::vector<float> product(columns);
  for (size_t column = 0; column < columns; ++column) {
    int sum = 0;
    for (size_t row = 0; row < rows; ++row)
      sum += kVector[row % kVector.size()] * kMatrix[(row * columns + column) % kMatrix.size()];
    product[column] = static_cast<float>(sum);
  }
  return samples::write(argv[3], product);
}
