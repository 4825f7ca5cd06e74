#version 450
// Eight planes of 8x4 words. The lanes of a subgroup read one word of each plane, four lanes the same; planes
// are 32 words apart, and no extent makes that 33.
#include "interface.glsl"
layout(local_size_x = 8, local_size_y = 4, local_size_z = 8) in;

shared uint cells[8][8][4];

void main() {
  uvec3 t = gl_LocalInvocationID;
  uint value = source[ownWord()];
  cells[t.z][t.x][t.y] = value;
  barrier();
  for (uint r = 0; r < rounds; ++r)
    for (uint k = 0; k < 4; ++k) value = value * 3 + (cells[t.x][(t.z + r) & 7][k] ^ t.y);
  target[ownWord()] = value;
}
