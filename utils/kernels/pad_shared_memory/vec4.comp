#version 450
// Four words at once, as in matrix products: 8 lanes are served together, and a row of 8 fills all banks.
#include "interface.glsl"
layout(local_size_x = 32, local_size_y = 8) in;

shared uvec4 tile[32][8];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint i = y * 32 + x;
  uvec4 value = uvec4(source[ownWord()], x, y, i);
  for (uint r = 0; r < rounds; ++r) {
    tile[i >> 3][i & 7] = value;
    barrier();
    value = value * 3 + tile[x][y].yzwx;
    barrier();
  }
  target[ownWord()] = value.x ^ value.y ^ value.z ^ value.w;
}
