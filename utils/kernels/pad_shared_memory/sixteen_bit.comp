#version 450
// Elements of 16 bits: a row of 64 fills all banks, and it takes two more to move the next row on by one bank.
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#include "interface.glsl"
layout(local_size_x = 32, local_size_y = 8) in;

shared uint16_t tile[32][64];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint value = source[ownWord()];
  for (uint r = 0; r < rounds; ++r) {
    for (uint step = 0; step < 4; ++step) {
      tile[y + 8 * step][x] = uint16_t(value + step);
      tile[y + 8 * step][x + 32] = uint16_t(value >> step);
    }
    barrier();
    for (uint step = 0; step < 8; ++step) value = value * 3 + uint(tile[x][y + 8 * step]);
    barrier();
  }
  target[ownWord()] = value;
}
