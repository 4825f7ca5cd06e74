#version 450
// Pairs of words: 16 lanes are served together, and a column of 16 pairs is in two banks.
#include "interface.glsl"
layout(local_size_x = 16, local_size_y = 16) in;

shared uvec2 tile[16][16];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uvec2 value = uvec2(source[ownWord()], y);
  for (uint r = 0; r < rounds; ++r) {
    tile[y][x] = value;
    barrier();
    value = value * 3 + tile[x][y].yx;
    barrier();
  }
  target[ownWord()] = value.x ^ value.y;
}
