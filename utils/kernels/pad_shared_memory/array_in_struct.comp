#version 450
// The tile is a member of a struct, behind another array that is only read by rows.
#include "interface.glsl"
layout(local_size_x = 32, local_size_y = 8) in;

struct Work { uint offsets[32]; uint tile[32][32]; };
shared Work work;

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint value = source[ownWord()];
  if (y == 0) work.offsets[x] = value;
  for (uint r = 0; r < rounds; ++r) {
    for (uint step = 0; step < 4; ++step) work.tile[y + 8 * step][x] = value + step;
    barrier();
    for (uint step = 0; step < 4; ++step) value = value * 3 + work.tile[x][y + 8 * step];
    value += work.offsets[x];
    barrier();
  }
  target[ownWord()] = value;
}
