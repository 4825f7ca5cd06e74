#version 450
// Rows are written and rows are read, each lane in a bank of its own: to be left as it is.
#include "interface.glsl"
layout(local_size_x = 32, local_size_y = 8) in;

shared uint tile[32][32];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint value = source[ownWord()];
  for (uint r = 0; r < rounds; ++r) {
    for (uint step = 0; step < 4; ++step) tile[y + 8 * step][x] = value + step;
    barrier();
    for (uint step = 0; step < 4; ++step) value = value * 3 + tile[31 - y - 8 * step][x];
    barrier();
  }
  target[ownWord()] = value;
}
