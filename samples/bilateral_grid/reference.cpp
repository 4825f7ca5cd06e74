// The sample's reference on the CPU: writes, as raw integers, what the bilateral grid makes of the
// picture in reference.toml.
#include "common/reference.h"

#include <algorithm>
#include <array>

namespace {

constexpr std::array<uint32_t, 19> kPixels{12, 250, 3,  77,  191, 40, 0,   128, 255, 64,
                                           9,  210, 33, 170, 88,  5,  231, 150, 101};

struct Cell {
  uint64_t value = 0, weight = 0;
};

using Place = std::array<size_t, 3>; ///< column, row, level

struct Grid {
  Place sizes;
  std::vector<Cell> cells;

  explicit Grid(const Place& s) : sizes(s), cells(s[0] * s[1] * s[2]) {}
  Cell& at(const Place& p) { return cells[(p[2] * sizes[1] + p[1]) * sizes[0] + p[0]]; }
};

Grid blurAlong(size_t axis, Grid& grid) {
  Grid result(grid.sizes);
  for (Place p{}; p[2] < grid.sizes[2]; ++p[2])
    for (p[1] = 0; p[1] < grid.sizes[1]; ++p[1])
      for (p[0] = 0; p[0] < grid.sizes[0]; ++p[0]) {
        Place before = p, behind = p;
        if (p[axis] > 0) --before[axis];
        if (p[axis] + 1 < grid.sizes[axis]) ++behind[axis];
        for (const Place& from : {before, p, p, behind}) {
          result.at(p).value += grid.at(from).value;
          result.at(p).weight += grid.at(from).weight;
        }
      }
  return result;
}

/// Between the eight cells round a place, `part` of the way to the next one along each axis.
uint32_t slice(Grid& grid, const Place& low, const Place& part, const Place& whole) {
  Cell sum;
  for (uint32_t corner = 0; corner < 8; ++corner) {
    Place at = low;
    uint64_t share = 1;
    for (size_t axis = 0; axis < 3; ++axis) {
      const bool isHigh = (corner >> axis & 1) != 0;
      if (isHigh) at[axis] = std::min(low[axis] + 1, grid.sizes[axis] - 1);
      share *= isHigh ? part[axis] : whole[axis] - part[axis];
    }
    sum.value += grid.at(at).value * share;
    sum.weight += grid.at(at).weight * share;
  }
  return static_cast<uint32_t>(sum.value / sum.weight);
}

} // namespace

int main(int argc, char** argv) {
  const auto numbers =
      samples::numbersOf(argc, argv, 2, "bilateral_grid_reference WIDTH HEIGHT OUTPUT");
  if (!numbers) return 1;
  const size_t width = (*numbers)[0], height = (*numbers)[1];
  const auto pixelAt = [&](size_t x, size_t y) {
    return kPixels[(y * width + x) % kPixels.size()];
  };

  Grid grid({width / 8, height / 8, 16});
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) {
      Cell& cell = grid.at({x / 8, y / 8, pixelAt(x, y) / 16});
      cell.value += pixelAt(x, y);
      ++cell.weight;
    }
  for (size_t axis = 0; axis < 3; ++axis) grid = blurAlong(axis, grid);

  std::vector<uint32_t> result;
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) {
      const uint32_t pixel = pixelAt(x, y);
      result.push_back(
          slice(grid, {x / 8, y / 8, pixel / 16}, {x % 8, y % 8, pixel % 16}, {8, 8, 16}));
    }
  return samples::write(argv[3], result);
}
