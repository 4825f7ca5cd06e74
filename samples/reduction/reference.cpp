// The sample's reference on the CPU: writes, as raw integers, the partial sums that reduction.comp
// leaves of values that count up from 0, with a limit of 5000.
#include "common/reference.h"

int main(int argc, char** argv) {
  const auto numbers = samples::numbersOf(argc, argv, 1, "reduction_reference GROUPS OUTPUT");
  if (!numbers) return 1;
  constexpr uint32_t kLimit = 5000, kValues = 2048;
  std::vector<uint32_t> sums((*numbers)[0]);
  for (uint32_t value = 0; value < sums.size() * kValues; ++value)
    sums[value / kValues] += value > kLimit ? (value - kLimit) * 3 : kLimit - value;
  return samples::write(argv[2], sums);
}
