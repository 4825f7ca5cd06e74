// What the samples' references on the CPU have in common: numbers from the command line, words to a
// file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

namespace samples {

/// The numbers of a command line `NUMBER... OUTPUT`, or nothing, with `usage` on standard error,
/// where there are not `count` of them, each from 1 to 2^24.
inline std::optional<std::vector<uint32_t>> numbersOf(int argc, char** argv, int count,
                                                      const char* usage) {
  std::vector<uint32_t> numbers;
  for (int n = 1; n < argc - 1; ++n) {
    const unsigned long number = std::strtoul(argv[n], nullptr, 10);
    if (number >= 1 && number <= (1ul << 24)) numbers.push_back(static_cast<uint32_t>(number));
  }
  if (argc == count + 2 && numbers.size() == static_cast<size_t>(count)) return numbers;
  std::fprintf(stderr, "usage: %s\nNumbers are 1 to 2^24.\n", usage);
  return std::nullopt;
}

/// Writes values as they lie in memory. Gives back an exit code.
template <typename T>
int write(const char* path, const std::vector<T>& values) {
  std::ofstream output(path, std::ios::binary);
  output.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
  output.close();
  if (output) return 0;
  std::fprintf(stderr, "cannot write %s\n", path);
  return 1;
}

} // namespace samples
