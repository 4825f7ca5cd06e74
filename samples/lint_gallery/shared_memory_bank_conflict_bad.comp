#version 450
// Transposes tiles of 32x32. The lanes of a subgroup read a column, and all of it is in one bank.

layout(local_size_x = 32, local_size_y = 8) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};

shared uint tile[32][32];

void main() {
  const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  const uint first = gl_WorkGroupID.x * 1024u;
  for (uint row = y; row < 32u; row += 8u) tile[row][x] = source[first + row * 32u + x];
  barrier();
  for (uint row = y; row < 32u; row += 8u) target[first + row * 32u + x] = tile[x][row];
}
