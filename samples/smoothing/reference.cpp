// The sample's reference on the CPU: writes, as raw integers, what smoothing.comp makes of rows
// whose cells count up from 0.
//
// usage: smoothing_reference ROWS OUTPUT
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace {

constexpr uint32_t kCells = 256, kTurns = 64;
using Row = std::array<uint32_t, kCells>;

Row smooth(const Row& row) {
  Row result{};
  for (uint32_t x = 0; x < kCells; ++x) {
    const uint32_t left = row[(x + kCells - 1) % kCells], right = row[(x + 1) % kCells];
    result[x] = (left + 2 * row[x] + right) / 4;
  }
  return result;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: smoothing_reference ROWS OUTPUT\n");
    return 1;
  }
  const auto rows = static_cast<uint32_t>(std::strtoul(argv[1], nullptr, 10));
  if (rows == 0 || rows > (1u << 16)) {
    std::fprintf(stderr, "smoothing_reference: 1 to 2^16 rows, please\n");
    return 1;
  }
  std::ofstream output(argv[2], std::ios::binary);
  for (uint32_t n = 0; n < rows; ++n) {
    Row row{};
    for (uint32_t x = 0; x < kCells; ++x) row[x] = n * kCells + x;
    for (uint32_t turn = 0; turn < kTurns; ++turn) row = smooth(row);
    output.write(reinterpret_cast<const char*>(row.data()), sizeof row);
  }
  output.close();
  if (!output) {
    std::fprintf(stderr, "smoothing_reference: cannot write %s\n", argv[2]);
    return 1;
  }
  return 0;
}
