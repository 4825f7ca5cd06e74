#version 450
// What an expert writes instead of running blur.comp three times: all three axes at once. An invocation walks up a
// column of cells and keeps what the last three levels gave in registers; neighbours in a level come from the caches.
// The grid is read once and written once.
//
// Groups are [columns / 32, rows / 8], rounded up.

layout(local_size_x = 32, local_size_y = 8) in;

layout(set = 0, binding = 0) readonly restrict buffer Source {
  uvec2 source[]; // value and weight; columns first, then rows, then levels
};
layout(set = 0, binding = 1) writeonly restrict buffer Target {
  uvec2 target[];
};
layout(push_constant) uniform Sizes {
  uint columns;
  uint rows;
  uint levels;
};

// One level, blurred along columns and rows.
uvec2 blurred(uint level, uint column, uint row) {
  const uint left = max(column, 1u) - 1u, right = min(column + 1u, columns - 1u);
  uvec2 sum = uvec2(0u);
  for (uint n = 0u; n < 3u; ++n) {
    const uint line = (level * rows + clamp(row + n, 1u, rows) - 1u) * columns;
    sum += (n == 1u ? 2u : 1u) * (source[line + left] + 2u * source[line + column] + source[line + right]);
  }
  return sum;
}

void main() {
  const uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
  if (column >= columns || row >= rows) return;
  uvec2 own = blurred(0u, column, row), below = own;
  for (uint level = 0u; level < levels; ++level) {
    const uvec2 above = level + 1u < levels ? blurred(level + 1u, column, row) : own;
    target[(level * rows + row) * columns + column] = below + 2u * own + above;
    below = own;
    own = above;
  }
}
