#version 450
// All lanes of a subgroup read the same word, which is served at once: to be left as it is.
#include "interface.glsl"
layout(local_size_x = 32, local_size_y = 8) in;

shared uint tile[32][32];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint value = source[ownWord()];
  for (uint step = 0; step < 4; ++step) tile[y + 8 * step][x] = value + step;
  barrier();
  for (uint r = 0; r < rounds; ++r)
    for (uint step = 0; step < 4; ++step) value = value * 3 + tile[y + 8 * step][r & 31];
  target[ownWord()] = value;
}
