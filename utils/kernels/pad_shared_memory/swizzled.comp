#version 450
// A tile of 48 KiB, all that a workgroup may have: rows cannot grow, so elements change places within them.
#include "interface.glsl"
layout(local_size_x = 32, local_size_y = 8) in;

shared uint tile[384][32];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint value = source[ownWord()];
  for (uint row = y; row < 384; row += 8) tile[row][x] = value + row;
  barrier();
  for (uint r = 0; r < rounds; ++r)
    for (uint block = 0; block < 12; ++block) value = value * 3 + tile[block * 32 + x][(y + r) & 31];
  target[ownWord()] = value;
}
