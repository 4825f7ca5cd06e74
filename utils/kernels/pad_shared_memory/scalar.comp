#version 450
// A tile of 32x32 words is written by rows and read by columns, again and again: the transpose of textbooks.
#include "interface.glsl"
layout(local_size_x = 32, local_size_y = 8) in;

shared uint tile[32][32];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint value = source[ownWord()];
  for (uint r = 0; r < rounds; ++r) {
    for (uint step = 0; step < 4; ++step) tile[y + 8 * step][x] = value + step;
    barrier();
    for (uint step = 0; step < 4; ++step) value = value * 3 + tile[x][y + 8 * step];
    barrier();
  }
  target[ownWord()] = value;
}
