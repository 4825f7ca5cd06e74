// The sample's reference on the CPU: writes, as raw integers, what stays of the elements in
// reference.toml, and behind it what the target holds from the start.
#include "common/reference.h"

#include <array>

int main(int argc, char** argv) {
  const auto numbers =
      samples::numbersOf(argc, argv, 1, "stream_compaction_reference COUNT OUTPUT");
  if (!numbers) return 1;
  constexpr std::array<uint32_t, 19> kValues{12, 81, 3,  77, 70, 40, 0,  99, 55, 64,
                                             9,  69, 33, 17, 88, 5,  71, 50, 10};
  constexpr uint32_t kLimit = 70, kFilling = 100;
  std::vector<uint32_t> target;
  for (size_t n = 0; n < (*numbers)[0]; ++n) {
    const uint32_t value = kValues[n % kValues.size()];
    if (value < kLimit) target.push_back(value);
  }
  target.resize((*numbers)[0], kFilling);
  return samples::write(argv[2], target);
}
