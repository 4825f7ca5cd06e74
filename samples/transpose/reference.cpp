// The sample's reference on the CPU: writes, as raw floats, the transpose of the matrix that
// scenario.toml feeds to the shaders in its size `small`, element i having the value i.
//
// usage: transpose_reference WIDTH HEIGHT OUTPUT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace {

/// `source` has `height` rows of `width` elements; the result has `width` rows of `height`
/// elements.
std::vector<float> transpose(const std::vector<float>& source, uint32_t width, uint32_t height) {
  std::vector<float> target(source.size());
  for (uint32_t row = 0; row < height; ++row)
    for (uint32_t column = 0; column < width; ++column)
      target[size_t{column} * height + row] = source[size_t{row} * width + column];
  return target;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: transpose_reference WIDTH HEIGHT OUTPUT\n");
    return 1;
  }
  uint32_t width = static_cast<uint32_t>(std::strtoul(argv[1], nullptr, 10));
  uint32_t height = static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10));
  // Every value must be a different float, or a misplaced element could go unseen.
  if (width == 0 || height == 0 || uint64_t{width} * height > (uint64_t{1} << 24)) {
    std::fprintf(stderr, "transpose_reference: 1 to 2^24 elements, please\n");
    return 1;
  }

  std::vector<float> source(size_t{width} * height);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<float>(i);
  std::vector<float> target = transpose(source, width, height);

  std::ofstream output(argv[3], std::ios::binary);
  output.write(reinterpret_cast<const char*>(target.data()),
               static_cast<std::streamsize>(target.size() * sizeof(float)));
  output.close();
  if (!output) {
    std::fprintf(stderr, "transpose_reference: cannot write %s\n", argv[3]);
    return 1;
  }
  return 0;
}
