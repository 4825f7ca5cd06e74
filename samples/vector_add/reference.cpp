// The sample's reference on the CPU: writes, as raw floats, the sums of the vectors in
// reference.toml.
#include "common/reference.h"

int main(int argc, char** argv) {
  const auto numbers = samples::numbersOf(argc, argv, 1, "vector_add_reference COUNT OUTPUT");
  if (!numbers) return 1;
  std::vector<float> sum((*numbers)[0]);
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = static_cast<float>(i) + (0.25f * static_cast<float>(i) - 100.0f);
  return samples::write(argv[2], sum);
}
